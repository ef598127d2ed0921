#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "castor/base/error.h"

/// A block's table of sequences: entries with a member `info`.
namespace castor::tb {

/// A named way to drive a block.
struct SequenceInfo {
  std::string_view name;
  std::string_view meaning;
  bool keeps_contract = true;  ///< false: breaks the rules of the surroundings on purpose
};

/// What to throw for a name that no sequence of the block has.
[[nodiscard]] inline base::InputError no_sequence(std::string_view block, std::string_view name,
                                                  const std::vector<SequenceInfo>& known) {
  std::string names;
  for (const SequenceInfo& info : known) names += (names.empty() ? "" : ", ") + std::string(info.name);
  return base::InputError(std::string(block) + ": no sequence '" + base::printable(name) + "'", "there are: " + names);
}

/// What is known of each entry, in their order.
template <class Entry>
std::vector<SequenceInfo> sequence_infos(const std::vector<Entry>& entries) {
  std::vector<SequenceInfo> infos;
  for (const Entry& one : entries) infos.push_back(one.info);
  return infos;
}

/// The entry of a name. Errors: InputError with the names that there are.
template <class Entry>
const Entry& find_sequence(const std::vector<Entry>& entries, std::string_view block, std::string_view name) {
  for (const Entry& candidate : entries) {
    if (candidate.info.name == name) return candidate;
  }
  throw no_sequence(block, name, sequence_infos(entries));
}

}  // namespace castor::tb
