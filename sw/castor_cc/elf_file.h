#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// What is read of an object file for x86-64 or another 64-bit little-endian target.
class ElfObject {
 public:
  /// `content` stays with the caller. Throws base::InputError if it is cut off; what is no such object has nothing.
  ElfObject(std::string name, std::string_view content);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Bytes of a section; empty if there is none.
  [[nodiscard]] std::string_view section(std::string_view section_name) const;
  /// Names that other objects must define.
  [[nodiscard]] std::vector<std::string_view> undefined_symbols() const;

 private:
  struct Section {
    std::string_view name;
    std::string_view bytes;
    std::uint32_t type = 0;
    std::uint32_t link = 0;
  };

  std::string name_;
  std::vector<Section> sections_;
};

/// The objects in a file: itself, or the members of an archive ("lib.a(member.o)"). Views into `content`.
[[nodiscard]] std::vector<ElfObject> objects_of(const std::string& path, std::string_view content);

}  // namespace castor::castor_cc
