#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "castor/base/error.h"

/// A block's table of sequences: entries with a member `info` that has a `name`.
namespace castor::tb {

/// The entry of a name. Throws InputError with the names that there are.
template <class Entry>
const Entry& find_sequence(const std::vector<Entry>& entries, std::string_view block, std::string_view name) {
  std::string names;
  for (const Entry& candidate : entries) {
    if (candidate.info.name == name) return candidate;
    names += (names.empty() ? "" : ", ") + std::string(candidate.info.name);
  }
  throw base::InputError(std::string(block) + ": no sequence is called '" + base::printable(name) + "'",
                         "there are: " + names);
}

/// What is known of each entry, in their order.
template <class Entry>
auto sequence_infos(const std::vector<Entry>& entries) {
  std::vector<decltype(Entry::info)> infos;
  for (const Entry& one : entries) infos.push_back(one.info);
  return infos;
}

}  // namespace castor::tb
