#include "castor_cc/device_link.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor_cc/diagnostics.h"
#include "castor_cc/elf_file.h"

namespace castor::castor_cc {
namespace {

constexpr std::string_view kMagic = "castor-device 1";

std::string quoted_for_assembler(const std::string& path) {
  std::string out;
  for (const char c : path) {
    // Escaped twice: for the assembler and for C.
    if (c == '"' || c == '\\') out += "\\\\\\";
    out += c;
  }
  return out;
}

bool is_ir_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

std::size_t ir_name_end(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_ir_name_char(text[begin])) ++begin;
  return begin;
}

/// True if a mangled name has internal linkage in C++: an L before the name itself, or an anonymous namespace.
bool is_local_name(std::string_view name) {
  if (name.find("12_GLOBAL__N_1") != std::string_view::npos) return true;
  if (name.substr(0, 3) == "_ZL") return true;
  if (name.substr(0, 3) != "_ZN") return false;
  std::size_t at = 3;
  while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0) {
    std::size_t length = 0;
    while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0) {
      length = length * 10 + static_cast<std::size_t>(name[at++] - '0');
    }
    at += std::min(length, name.size() - at);
  }
  return at < name.size() && name[at] == 'L';
}

/// Returns the names of file-local kernels and variables that `ir` defines and the host may look up.
std::vector<std::string> local_names(std::string_view ir) {
  std::vector<std::string> names;
  for (std::size_t line = 0; line < ir.size();) {
    const std::size_t end = std::min(ir.find('\n', line), ir.size());
    const std::string_view text = ir.substr(line, end - line);
    line = end + 1;
    const bool function = text.substr(0, 7) == "define ";
    if (!function && (text.empty() || text[0] != '@')) continue;
    const std::size_t begin = text.find('@') + 1;
    const std::string_view name = text.substr(begin, ir_name_end(text, begin) - begin);
    if (begin == 0 || !is_local_name(name)) continue;
    // An internal function is no kernel, and a shared variable has no name on the host.
    const bool internal = text.find(" internal ") != std::string_view::npos;
    const bool variable =
        text.find(" addrspace(1) ") != std::string_view::npos || text.find(" addrspace(4) ") != std::string_view::npos;
    if (function ? !internal : variable) names.emplace_back(name);
  }
  return names;
}

/// Returns `ir` with every @name and $name of `renaming` replaced by its new name.
std::string renamed_ir(std::string_view ir, const Renaming& renaming) {
  const std::map<std::string_view, std::string_view> names(renaming.begin(), renaming.end());
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = ir.find_first_of("@$"); at != std::string_view::npos; at = ir.find_first_of("@$", at + 1)) {
    const std::size_t end = ir_name_end(ir, at + 1);
    const auto found = names.find(ir.substr(at + 1, end - at - 1));
    if (found == names.end()) continue;
    out.append(ir.substr(copied, at + 1 - copied)).append(found->second);
    copied = end;
  }
  return out.append(ir.substr(copied));
}

}  // namespace

std::string expose_local_variables(std::string_view ir) {
  static constexpr std::string_view kInternal = " = internal addrspace(";
  std::string out;
  while (!ir.empty()) {
    const std::size_t end = std::min(ir.find('\n'), ir.size() - 1) + 1;
    const std::string_view line = ir.substr(0, end);
    ir.remove_prefix(end);
    const std::size_t internal = line.find(kInternal);
    const std::size_t space = internal + kInternal.size();
    const auto is = [&](std::string_view kind) { return line.substr(space + 1, kind.size()) == kind; };
    const bool variable = line[0] == '@' && internal != std::string_view::npos &&
                          line.find("12_GLOBAL__N_1") < internal && (line[space] == '1' || line[space] == '4');
    if (variable && is(") global ")) {
      out.append(line.substr(0, internal)).append(" = dso_local addrspace(").append(1, line[space]);
      out.append(") externally_initialized").append(line.substr(space + 2));
    } else if (variable && is(") constant ")) {  // a constant variable is never written
      out.append(line.substr(0, internal)).append(" = dso_local addrspace(").append(line.substr(space));
    } else {
      out.append(line);
    }
  }
  return out;
}

std::string write_part(const DevicePart& part) {
  std::string text = std::string(kMagic) + "\nunit " + part.unit + "\narch " + std::to_string(part.arch) +
                     "\nregisters " + std::to_string(part.max_registers) + "\n";
  for (const std::string& flag : part.code_flags) text += "flag " + flag + "\n";
  return text + "\n" + part.ir;
}

DevicePart read_part(const std::string& file, std::string_view section) {
  DevicePart part;
  part.file = file;
  std::string_view rest = section;
  const auto line = [&] {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string text(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return text;
  };
  if (line() != kMagic) {
    throw base::InputError({file, 0, 0}, "its device code is of another version of castor-cc", "compile it again");
  }
  for (std::string text = line(); !text.empty(); text = line()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string key = text.substr(0, space);
    const std::string value = text.substr(std::min(space + 1, text.size()));
    if (key == "unit") part.unit = value;
    if (key == "arch") part.arch = std::atoi(value.c_str());
    if (key == "registers") part.max_registers = std::atoi(value.c_str());
    if (key == "flag") part.code_flags.push_back(value);
  }
  part.ir = rest;
  return part;
}

void collect_parts(const std::string& path, std::vector<DevicePart>& parts, std::vector<std::string>& linked) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream buffer;
  buffer << in.rdbuf();
  const std::string content = buffer.str();
  for (const ElfObject& object : objects_of(path, content)) {
    const std::string_view code = object.section(kDeviceSection);
    if (!code.empty()) parts.push_back(read_part(object.name(), code));
    std::istringstream lines{std::string(object.section(kLinkedSection))};
    for (std::string unit; std::getline(lines, unit);) linked.push_back(unit);
  }
}

std::string readable_link_errors(std::string_view text) {
  static constexpr std::string_view kBefore = "fatal error: cannot link module '";
  static constexpr std::string_view kNamed = "Linking globals named '";
  static constexpr std::string_view kTwice = "': symbol multiply defined!";
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t named = line.find(kNamed);
    const std::size_t twice = line.find(kTwice);
    const std::size_t file = line.find(kBefore);
    if (file == std::string_view::npos || named == std::string_view::npos || twice == std::string_view::npos) {
      out.append(line).append("\n");
      continue;
    }
    const std::string_view path = line.substr(file + kBefore.size());
    const std::string name(line.substr(named + kNamed.size(), twice - named - kNamed.size()));
    out.append(path.substr(0, path.find('\''))).append(": error: device code defines '" + readable_name(name));
    out.append("', which a file before it in the link defines, too\n");
  }
  return out;
}

DevicePart common_options(const std::vector<DevicePart>& parts) {
  DevicePart common = parts.front();
  common.ir.clear();
  for (const DevicePart& part : parts) {
    common.arch = std::max(common.arch, part.arch);
    if (part.code_flags == common.code_flags && part.max_registers == common.max_registers) continue;
    const auto describe = [](const DevicePart& p) {
      return "'" + base::joined(p.code_flags, " ") + "' and " +
             (p.max_registers == 0 ? "no cap on registers" : std::to_string(p.max_registers) + " registers at most");
    };
    throw base::InputError({part.file, 0, 0},
                           "its device code was compiled with " + describe(part) + ", that of " + common.file +
                               " with " + describe(common),
                           "give both the same -use_fast_math, -prec-div, -prec-sqrt and -maxrregcount");
  }
  return common;
}

std::vector<Renaming> separate_local_names(std::vector<DevicePart>& parts) {
  std::vector<Renaming> renamings;
  std::map<std::string, int> seen;
  for (DevicePart& part : parts) {
    Renaming renaming;
    for (const std::string& name : local_names(part.ir)) {
      const int before = seen[name]++;
      if (before != 0) renaming.emplace_back(name, name + "__" + std::to_string(before + 1));
    }
    if (!renaming.empty()) part.ir = renamed_ir(part.ir, renaming);
    renamings.push_back(std::move(renaming));
  }
  return renamings;
}

std::vector<std::string> registration_names(const std::string& module, const std::string& unit) {
  const auto renamed = [](const std::string& from, const std::string& to) {
    return "--redefine-sym=" + from + "=" + to;
  };
  return {renamed("__cudaRegisterLinkedBinary" + module, "__castor_needs_device_link_" + unit),
          renamed("__fatbinwrap" + module, "__castor_wrapper_" + unit),
          renamed("__cudaRegisterFunction", "__castor_function_" + unit),
          renamed("__cudaRegisterVar", "__castor_variable_" + unit)};
}

std::string registration_source(const std::string& ptx, const std::vector<DevicePart>& parts,
                                const std::vector<Renaming>& renamed) {
  std::string units;
  for (const DevicePart& part : parts) units += part.unit + "\\n";
  std::string text =
      "__asm__(\".section .nv_fatbin,\\\"a\\\"\\n.byte 0\\n.balign 8\\ncastor_linked_image:\\n.incbin \\\"" +
      quoted_for_assembler(ptx) + "\\\"\\n.byte 0\\n.section " + std::string(kLinkedSection) +
      ",\\\"e\\\"\\n.ascii \\\"" + units + "\\\"\\n.previous\\n\");\n" + R"(
#define HIDDEN __attribute__((visibility("hidden")))
extern const char castor_linked_image[] HIDDEN;
static struct { int magic, version; const void *data, *name; } wrapper
    __attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 1, castor_linked_image, 0};
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, unsigned long, int, int);
int strcmp(const char*, const char*);
static void** handle;
static const char* renamed(const char* name, const char* const* names) {
  for (; *names; names += 2) if (!strcmp(name, names[0])) return names[1];
  return name;
}
)";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& unit = parts[i].unit;
    text += "static const char* const names_" + unit + "[] = {";
    for (const auto& [from, to] : renamed[i]) text += "\"" + from + "\", \"" + to + "\", ";
    text += "0};\nHIDDEN void __castor_needs_device_link_" + unit +
            "(void (*globals)(void**), void* wrap, void* id, void* callback) {\n"
            "  if (!handle) handle = __cudaRegisterFatBinary(&wrapper);\n"
            "  globals(handle);\n}\n";
    text += "HIDDEN void __castor_function_" + unit +
            "(void** image, const char* stub, char* device, const char* name, int threads, void* tid, void* bid,\n"
            "    void* block, void* grid, int* warp) {\n  __cudaRegisterFunction(image, stub, device, renamed(name, "
            "names_" +
            unit + "), threads, tid, bid, block, grid, warp);\n}\n";
    text += "HIDDEN void __castor_variable_" + unit +
            "(void** image, char* host, char* device, const char* name, int ext, unsigned long size, int constant,\n"
            "    int global) {\n  __cudaRegisterVar(image, host, device, renamed(name, names_" +
            unit + "), ext, size, constant, global);\n}\n";
  }
  return text;
}

}  // namespace castor::castor_cc
