#include "castor_cc/elf_file.h"

#include <ar.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "castor/base/error.h"

namespace castor::castor_cc {
namespace {

/// Returns `size` bytes at `offset` of an object file; throws base::InputError if the file ends before.
std::string_view piece(const std::string& name, std::string_view content, std::uint64_t offset, std::uint64_t size) {
  if (offset > content.size() || size > content.size() - offset) {
    throw base::InputError({name, 0, 0}, "the object file is cut off", "compile it again");
  }
  return content.substr(offset, size);
}

/// Copies a structure from the file, where it may be unaligned.
template <class T>
T read_at(const std::string& name, std::string_view content, std::uint64_t offset) {
  T value;
  std::memcpy(&value, piece(name, content, offset, sizeof(T)).data(), sizeof(T));
  return value;
}

std::string_view text_at(std::string_view strings, std::size_t offset) {
  if (offset >= strings.size()) return {};
  strings.remove_prefix(offset);
  return strings.substr(0, strings.find('\0'));
}

std::string member_name(std::string_view field, std::string_view long_names) {
  // A field is "name/", or "/offset" into the table of long names, where a name ends with "/\n".
  if (field.size() > 1 && field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
    const std::size_t offset = std::strtoul(std::string(field.substr(1)).c_str(), nullptr, 10);
    if (offset < long_names.size()) field = long_names.substr(offset, long_names.find('\n', offset) - offset);
  }
  return std::string(field.substr(0, field.find('/')));
}

}  // namespace

ElfObject::ElfObject(std::string name, std::string_view content) : name_(std::move(name)) {
  if (content.substr(0, SELFMAG) != ELFMAG || content.size() <= EI_CLASS || content[EI_CLASS] != ELFCLASS64) return;
  const auto header = read_at<Elf64_Ehdr>(name_, content, 0);
  std::vector<Elf64_Shdr> headers;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    headers.push_back(read_at<Elf64_Shdr>(name_, content, header.e_shoff + i * header.e_shentsize));
  }
  if (header.e_shstrndx >= headers.size()) return;
  const Elf64_Shdr& names_at = headers[header.e_shstrndx];
  const std::string_view names = piece(name_, content, names_at.sh_offset, names_at.sh_size);
  for (const Elf64_Shdr& h : headers) {
    Section section;
    section.name = text_at(names, h.sh_name);
    if (h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL) section.bytes = piece(name_, content, h.sh_offset, h.sh_size);
    section.type = h.sh_type;
    section.link = h.sh_link;
    sections_.push_back(section);
  }
}

std::string_view ElfObject::section(std::string_view section_name) const {
  for (const Section& s : sections_) {
    if (s.name == section_name) return s.bytes;
  }
  return {};
}

std::vector<std::string_view> ElfObject::undefined_symbols() const {
  std::vector<std::string_view> names;
  for (const Section& s : sections_) {
    if (s.type != SHT_SYMTAB || s.link >= sections_.size()) continue;
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= s.bytes.size(); offset += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(name_, s.bytes, offset);
      const std::string_view symbol_name = text_at(sections_[s.link].bytes, symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF && !symbol_name.empty()) names.push_back(symbol_name);
    }
  }
  return names;
}

std::vector<ElfObject> objects_of(const std::string& path, std::string_view content) {
  std::vector<ElfObject> objects;
  if (content.substr(0, SARMAG) != ARMAG) {
    objects.emplace_back(path, content);
    return objects;
  }
  std::string_view long_names;
  for (std::size_t offset = SARMAG; offset + sizeof(ar_hdr) <= content.size();) {
    const auto header = read_at<ar_hdr>(path, content, offset);
    const std::size_t size = std::strtoul(std::string(header.ar_size, sizeof header.ar_size).c_str(), nullptr, 10);
    const std::string_view member = piece(path, content, offset + sizeof(ar_hdr), size);
    const std::string_view field(header.ar_name, sizeof header.ar_name);
    if (field.substr(0, 2) == "//") {
      long_names = member;
    } else if (member.substr(0, SELFMAG) == ELFMAG) {
      objects.emplace_back(path + "(" + member_name(field, long_names) + ")", member);
    }
    offset += sizeof(ar_hdr) + size + (size & 1);  // members begin at even offsets
  }
  return objects;
}

}  // namespace castor::castor_cc
