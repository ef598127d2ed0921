#include "castor_cc/ptx_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace castor::castor_cc {
namespace {

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Returns the position of the next whole token `directive` at or after `from`, such as `.entry`; npos if there is
/// none.
std::size_t find_directive(std::string_view text, std::string_view directive, std::size_t from) {
  for (std::size_t at = text.find(directive, from); at != std::string_view::npos; at = text.find(directive, at + 1)) {
    const std::size_t end = at + directive.size();
    const bool ends = end >= text.size() || (!is_name_char(text[end]) && text[end] != '.');
    const bool starts = at == 0 || (!is_name_char(text[at - 1]) && text[at - 1] != '.');
    if (!ends || !starts) continue;
    // Skips matches inside a line comment or a quoted name.
    const std::size_t line = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
    if (text.substr(line, at - line).find("//") != std::string_view::npos) continue;
    if (text.substr(line, at - line).find('"') != std::string_view::npos) continue;
    return at;
  }
  return std::string_view::npos;
}

bool supplied_by_loader(std::string_view name) {
  static constexpr std::string_view kNames[] = {"vprintf",
                                                "malloc",
                                                "free",
                                                "__assertfail",
                                                "__cxa_pure_virtual",
                                                "__castor_register",
                                                "cudaGetParameterBuffer",
                                                "cudaLaunchDevice",
                                                "cudaGetParameterBufferV2",
                                                "cudaLaunchDeviceV2",
                                                "cudaLaunchAggGroup",
                                                "cudaDeviceSynchronize",
                                                "cudaStreamCreateWithFlags",
                                                "cudaStreamDestroy",
                                                "cudaStreamWaitEvent",
                                                "cudaEventCreateWithFlags",
                                                "cudaEventDestroy",
                                                "cudaEventRecord",
                                                "cudaDeviceGetLimit",
                                                "cudaGetLastError",
                                                "cudaPeekAtLastError",
                                                "castorKernelFigure"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Returns the name declared by ".extern .func (.param ...) name (" or ".extern .global .align 4 .b8 name[];".
std::string declared_name(std::string_view declaration) {
  const bool function = declaration.find(".func") != std::string_view::npos;
  std::string last;
  int depth = 0;
  for (std::size_t i = 0; i < declaration.size(); ++i) {
    const char c = declaration[i];
    if (c == '(') {
      if (function && !last.empty()) break;
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == '[' || c == ';' || c == '=') {
      break;
    } else if (depth == 0 && is_name_char(c) &&
               (i == 0 || (!is_name_char(declaration[i - 1]) && declaration[i - 1] != '.'))) {
      std::size_t end = i;
      while (end < declaration.size() && is_name_char(declaration[end])) ++end;
      const std::string_view word = declaration.substr(i, end - i);
      if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) last = word;
      i = end - 1;
    }
  }
  return last;
}

}  // namespace

std::string cap_registers(std::string_view ptx, int count) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = find_directive(ptx, ".entry", 0); at != std::string_view::npos;
       at = find_directive(ptx, ".entry", at + 1)) {
    const std::size_t body = ptx.find('{', at);
    if (body == std::string_view::npos) break;
    const std::string_view header = ptx.substr(at, body - at);
    const bool bounded =
        header.find(".maxntid") != std::string_view::npos || header.find(".reqntid") != std::string_view::npos ||
        header.find(".minnctapersm") != std::string_view::npos || header.find(".maxnreg") != std::string_view::npos;
    if (bounded || header.find(';') != std::string_view::npos) continue;
    out.append(ptx.substr(copied, body - copied));
    out += ".maxnreg " + std::to_string(count) + "\n";
    copied = body;
  }
  out.append(ptx.substr(copied));
  return out;
}

std::vector<std::string> unresolved_names(std::string_view ptx) {
  std::vector<std::string> names;
  for (std::size_t at = find_directive(ptx, ".extern", 0); at != std::string_view::npos;
       at = find_directive(ptx, ".extern", at + 1)) {
    // The declaration ends at the next ';': a parameter list contains none.
    const std::size_t end = std::min(ptx.find(';', at), ptx.size());
    const std::string_view declaration = ptx.substr(at + 7, end - at - 7);
    if (declaration.find(".shared") != std::string_view::npos && declaration.find(".func") == std::string_view::npos) {
      continue;
    }
    std::string name = declared_name(declaration);
    if (name.empty() || supplied_by_loader(name)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace castor::castor_cc
