#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace castor::castor_cc {

/// Section of an object file with relocatable device code. The host linker drops the section (SHF_EXCLUDE).
inline constexpr std::string_view kDeviceSection = ".castor.device";
/// Section of the object file that -dlink writes: lists the units whose device code it holds, one per line.
inline constexpr std::string_view kLinkedSection = ".castor.linked";

/// Unlinked device code of one source: the content of kDeviceSection.
struct DevicePart {
  std::string file;                     ///< object file, or archive and member
  std::string unit;                     ///< unique name, used in the names of the host object's registration functions
  int arch = 0;                         ///< NN of sm_NN
  int max_registers = 0;                ///< -maxrregcount
  std::vector<std::string> code_flags;  ///< options of the code generator, such as the options that -prec-div sets
  std::string ir;                       ///< LLVM IR as text
};

/// Returns `ir` with external linkage for the variables of anonymous namespaces, so that the host can read and write
/// them. clang 14 does this for static variables that the host uses, but not for variables of anonymous namespaces.
[[nodiscard]] std::string expose_local_variables(std::string_view ir);

/// Returns the part as bytes of the section. read_part is the inverse, except for `file`.
[[nodiscard]] std::string write_part(const DevicePart& part);
/// Parses the bytes of a section. Throws base::InputError if the bytes are no such section.
[[nodiscard]] DevicePart read_part(const std::string& file, std::string_view section);

/// Collects the device code of an object file or archive. Appends its parts, except code that an earlier -dlink has
/// linked; the units of that code are appended to `linked`. A file of another type has no parts.
void collect_parts(const std::string& path, std::vector<DevicePart>& parts, std::vector<std::string>& linked);

/// Returns the messages of the device link with names of the program's own files and functions.
[[nodiscard]] std::string readable_link_errors(std::string_view text);

/// Returns the options that all parts must share, as a part without code. Throws base::InputError with two file names
/// if their options for code generation differ.
[[nodiscard]] DevicePart common_options(const std::vector<DevicePart>& parts);

/// Pairs of names: name in the host object, new name in the linked device code.
using Renaming = std::vector<std::pair<std::string, std::string>>;

/// Renames file-local kernels and variables (static, or in an anonymous namespace) if an earlier part has a kernel or
/// variable of the same name. Returns one renaming per part, in their order.
[[nodiscard]] std::vector<Renaming> separate_local_names(std::vector<DevicePart>& parts);

/// Returns options of objcopy that rename the registration functions called by an object of clang to names with `unit`.
/// The object of registration_source defines these names. `module`: clang's module identifier (section __nv_module_id),
/// which depends on the source's name only.
[[nodiscard]] std::vector<std::string> registration_names(const std::string& module, const std::string& unit);

/// Returns C source that registers the linked image in file `ptx` for the host side of `parts`.
[[nodiscard]] std::string registration_source(const std::string& ptx, const std::vector<DevicePart>& parts,
                                              const std::vector<Renaming>& renamed);

}  // namespace castor::castor_cc
