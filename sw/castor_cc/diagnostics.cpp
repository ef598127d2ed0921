#include "castor_cc/diagnostics.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

namespace castor::castor_cc {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// True for a line such as "2 warnings generated when compiling for sm_60."
bool is_count_line(std::string_view line) {
  return contains(line, " generated when compiling for ") ||
         ((contains(line, " warning") || contains(line, " error")) && line.size() > 10 &&
          line.substr(line.size() - 10) == "generated.");
}

/// True for the first line of a diagnostic: "file:line:column: error: ..." or "In file included from".
bool starts_diagnostic(std::string_view line) {
  return contains(line, ": error:") || contains(line, ": warning:") || contains(line, ": fatal error:") ||
         contains(line, "In file included from ");
}

std::string back_end_message(std::string_view reason, const std::string& source, std::string_view ir) {
  std::string message = source + ": error: ";
  if (contains(reason, "Unsupported expression in static initializer")) {
    const std::string variable = variable_with_offset_initializer(ir);
    message +=
        variable.empty() ? "a __device__ or __constant__ variable" : "the variable '" + readable_name(variable) + "'";
    message += " is initialised with an address plus an offset, which the device compiler cannot write\n" + source +
               ": note: initialise it with the address alone, or assign it in a kernel or from the host "
               "(cudaMemcpyToSymbol)\n";
    return message;
  }
  if (contains(reason, "Undefined external symbol")) {
    message += "a mathematical function has no device version: " + std::string(reason) + "\n";
    return message;
  }
  if (contains(reason, "GlobalTLSAddress")) {
    message +=
        "device code uses a thread_local variable; use a local variable, or a __device__ array with an element for "
        "each thread\n";
    return message;
  }
  if (contains(reason, "Cannot select")) {
    message += "the device compiler has no instruction for this on the chosen architecture: " + std::string(reason) +
               "\n" + source + ": note: try a newer -arch\n";
    return message;
  }
  message += "the device compiler cannot generate code: " + std::string(reason) + "\n" + source +
             ": note: this is a limit of clang's PTX back end; another -O level or a simpler expression may pass\n";
  return message;
}

}  // namespace

std::string readable_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : mangled;
}

std::string variable_with_offset_initializer(std::string_view ir) {
  for (const std::string_view line : lines_of(ir)) {
    if (line.empty() || line[0] != '@') continue;
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos || contains(line, " = external")) continue;
    if (!contains(line, "getelementptr") && !contains(line, "ptrtoint")) continue;
    // A string literal is the only other constant that ends in this form; its offset is 0: "i64 0, i64 0)".
    std::string_view rest = line;
    bool offset = contains(line, "ptrtoint");
    for (std::size_t at = rest.find("getelementptr"); at != std::string_view::npos; at = rest.find("getelementptr")) {
      rest.remove_prefix(at + 13);
      std::string_view indices = rest;
      for (std::size_t i = indices.find(", i"); i != std::string_view::npos; i = indices.find(", i")) {
        indices.remove_prefix(i + 3);
        const std::size_t space = indices.find(' ');
        if (space == std::string_view::npos) break;
        const char digit = space + 1 < indices.size() ? indices[space + 1] : '0';
        if ((digit >= '1' && digit <= '9') || digit == '-') offset = true;
      }
    }
    if (offset) return std::string(line.substr(1, equals - 1));
  }
  return {};
}

std::string translate_device_errors(std::string_view error_text, const std::string& source, std::string_view ir) {
  static constexpr std::string_view kBackEnd = "error in backend: ";
  std::string out;
  bool in_crash_report = false;
  bool explained = false;
  for (const std::string_view line : lines_of(error_text)) {
    const std::size_t back_end = line.find(kBackEnd);
    if (back_end != std::string_view::npos || contains(line, "LLVM ERROR: ")) {
      const std::size_t skip =
          back_end != std::string_view::npos ? back_end + kBackEnd.size() : line.find("LLVM ERROR: ") + 12;
      if (!explained) out += back_end_message(line.substr(skip), source, ir);
      explained = true;
      in_crash_report = true;
      continue;
    }
    if (contains(line, "PLEASE submit a bug report") || contains(line, "Stack dump:") ||
        contains(line, "frontend command failed")) {
      if (!explained) out += back_end_message("it stopped without a message", source, ir);
      explained = true;
      in_crash_report = true;
      continue;
    }
    if (is_count_line(line) || (in_crash_report && !starts_diagnostic(line))) continue;
    in_crash_report = false;
    out += line;
    out += '\n';
  }
  return out;
}

std::string without_repeats(std::string_view host_text, std::string_view device_text) {
  const auto split = [](std::string_view text) {
    std::vector<std::string> diagnostics;
    bool in_include_list = false;
    for (const std::string_view line : lines_of(text)) {
      if (is_count_line(line)) continue;
      const bool include_line = contains(line, "In file included from ");
      const bool starts = starts_diagnostic(line) && !in_include_list;
      if (starts || diagnostics.empty()) diagnostics.emplace_back();
      diagnostics.back().append(line).append("\n");
      in_include_list = include_line;
    }
    return diagnostics;
  };
  std::set<std::string> seen;
  for (std::string& diagnostic : split(device_text)) seen.insert(std::move(diagnostic));
  std::string out;
  for (const std::string& diagnostic : split(host_text)) {
    if (seen.count(diagnostic) == 0) out += diagnostic;
  }
  return out;
}

}  // namespace castor::castor_cc
