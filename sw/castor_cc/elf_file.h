#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Sections and symbols of an object file for x86-64 or another 64-bit little-endian target.
class ElfObject {
 public:
  /// Reads an object file. `content` must outlive the object. Throws base::InputError if the file is truncated. A file
  /// of another format has no sections.
  ElfObject(std::string name, std::string_view content);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the bytes of a section; empty if the section does not exist.
  [[nodiscard]] std::string_view section(std::string_view section_name) const;
  /// Returns the names of the undefined symbols.
  [[nodiscard]] std::vector<std::string_view> undefined_symbols() const;

 private:
  /// Section of the object file.
  struct Section {
    std::string_view name;
    std::string_view bytes;
    std::uint32_t type = 0;
    std::uint32_t link = 0;
  };

  std::string name_;
  std::vector<Section> sections_;
};

/// Returns the objects in a file: the file itself, or the members of an archive ("lib.a(member.o)"). Views into
/// `content`.
[[nodiscard]] std::vector<ElfObject> objects_of(const std::string& path, std::string_view content);

}  // namespace castor::castor_cc
