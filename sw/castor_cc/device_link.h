#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace castor::castor_cc {

/// Section of an object that holds relocatable device code. The linker of the host drops it (SHF_EXCLUDE).
inline constexpr std::string_view kDeviceSection = ".castor.device";
/// Section of the object that -dlink makes: units whose device code it holds, each on a line.
inline constexpr std::string_view kLinkedSection = ".castor.linked";

/// Device code of one source, not linked: what kDeviceSection holds.
struct DevicePart {
  std::string file;                     ///< object, or archive and member
  std::string unit;                     ///< in the names of the host object's registration functions; unique
  int arch = 0;                         ///< NN of sm_NN
  int max_registers = 0;                ///< -maxrregcount
  std::vector<std::string> code_flags;  ///< options of the code generator, as -prec-div sets them
  std::string ir;                       ///< LLVM text
};

/// `ir` with the variables of anonymous namespaces visible to the host, which may read and write them: clang 14 keeps
/// static ones so that the host uses, but not these.
[[nodiscard]] std::string expose_local_variables(std::string_view ir);

/// As bytes of the section; read_part reverses it, but for `file`.
[[nodiscard]] std::string write_part(const DevicePart& part);
/// Throws base::InputError if the bytes are no such section.
[[nodiscard]] DevicePart read_part(const std::string& file, std::string_view section);

/// Device code of an object or archive that no earlier -dlink has taken: parts are appended, units that the file has
/// linked go to `linked`. A file that is neither has none.
void collect_parts(const std::string& path, std::vector<DevicePart>& parts, std::vector<std::string>& linked);

/// Messages of the device link with what a user calls things.
[[nodiscard]] std::string readable_link_errors(std::string_view text);

/// What all parts must share, as one part without code. Throws base::InputError that names two files if they were
/// compiled with different options for code generation.
[[nodiscard]] DevicePart common_options(const std::vector<DevicePart>& parts);

/// Name in the host object, and in the linked device code.
using Renaming = std::vector<std::pair<std::string, std::string>>;

/// Gives kernels and variables that are local to a file (static, or in an anonymous namespace) names of their own where
/// an earlier part has one of the same name. One renaming per part, in their order.
[[nodiscard]] std::vector<Renaming> separate_local_names(std::vector<DevicePart>& parts);

/// Options of objcopy that name the registration functions which an object of clang calls after `unit`, so that the
/// object of registration_source answers them. `module`: clang's identifier (section __nv_module_id), which depends on
/// the name of the source alone.
[[nodiscard]] std::vector<std::string> registration_names(const std::string& module, const std::string& unit);

/// C source of the object that registers the linked image in file `ptx` for the host side of `parts`.
[[nodiscard]] std::string registration_source(const std::string& ptx, const std::vector<DevicePart>& parts,
                                              const std::vector<Renaming>& renamed);

}  // namespace castor::castor_cc
