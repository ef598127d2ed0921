#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "castor/base/error.h"

/// The file of affine instances (machine key run.affine): the functional machine writes what of each TB was affine, a
/// fetch filter reads it. Text:
///
///     castor affine instances 1
///     launch 3 6 kernel_name            ticket, records, kernel
///     set 4:0-0 7:0-15,20-20            record:first-last occurrences, ascending, and
///     tbs 0-31 40-40                    the TBs (index in the grid) for which it holds
namespace castor::gpu {

/// From `first` to `last`.
struct IndexRange {
  std::uint64_t first = 0, last = 0;
};

/// Ascending numbers as ranges.
inline void add_to(std::vector<IndexRange>& ranges, std::uint64_t index) {
  if (!ranges.empty() && ranges.back().last + 1 == index) {
    ranges.back().last = index;
  } else {
    ranges.push_back({index, index});
  }
}

/// "0-15,20-20"
inline std::string text_of(const std::vector<IndexRange>& ranges, char between) {
  std::string text;
  for (const IndexRange& range : ranges) {
    if (!text.empty()) text += between;
    text += std::to_string(range.first) + '-' + std::to_string(range.last);
  }
  return text;
}

/// Affine instances of TBs that are alike: per record its occurrences, counted from 0 in each warp.
struct AffineSet {
  std::vector<std::vector<IndexRange>> occurrences;

  [[nodiscard]] bool has(std::uint32_t pc, std::uint64_t occurrence) const {
    const std::vector<IndexRange>& ranges = occurrences[pc];
    const auto found = std::lower_bound(ranges.begin(), ranges.end(), occurrence,
                                        [](const IndexRange& range, std::uint64_t k) { return range.last < k; });
    return found != ranges.end() && found->first <= occurrence;
  }
};

/// Of one launch.
struct AffineLaunch {
  std::string kernel;
  std::uint32_t records = 0;
  std::vector<AffineSet> sets;
  struct Tbs {
    std::uint64_t first = 0;
    std::size_t set = 0;
  };
  std::map<std::uint64_t, Tbs> tbs;  ///< by the last of a range of TBs

  /// The set of a TB; null if nothing of it is affine.
  [[nodiscard]] const AffineSet* of(std::uint64_t tb) const {
    const auto found = tbs.lower_bound(tb);
    return found == tbs.end() || found->second.first > tb ? nullptr : &sets[found->second.set];
  }
};

/// By ticket of the launch.
using AffineInstances = std::map<std::uint64_t, AffineLaunch>;

inline constexpr const char* kAffineTitle = "castor affine instances 1";

namespace detail {

/// Reads one line after the other, with its number for errors.
class AffineReader {
 public:
  explicit AffineReader(const std::string& path) : path_(path), file_(path) {
    if (!file_) {
      throw base::InputError("cannot read the file of affine instances '" + base::printable(path, 300) + "'",
                             "castor run --functional --set run.affine=FILE writes it");
    }
  }
  AffineInstances read() {
    std::string line;
    next(line);
    if (line != kAffineTitle) fail("no file of affine instances");
    AffineInstances result;
    AffineLaunch* launch = nullptr;
    while (next(line)) {
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word == "launch") {
        std::uint64_t ticket = 0;
        AffineLaunch one;
        words >> ticket >> one.records >> one.kernel;
        if (!words) fail("'launch' without ticket, records and kernel");
        launch = &(result[ticket] = std::move(one));
      } else if (word == "set" && launch != nullptr) {
        read_set(words, *launch);
      } else if (word == "tbs" && launch != nullptr && !launch->sets.empty()) {
        while (words >> word) {
          const IndexRange range = range_of(word);
          launch->tbs[range.last] = {range.first, launch->sets.size() - 1};
        }
      } else {
        fail("unknown line");
      }
    }
    return result;
  }

 private:
  bool next(std::string& line) {
    ++line_;
    return static_cast<bool>(std::getline(file_, line));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw base::InputError({path_, static_cast<int>(line_), 1}, what);
  }
  [[nodiscard]] IndexRange range_of(const std::string& text) const {
    IndexRange range;
    char dash = 0;
    std::istringstream words(text);
    words >> range.first >> dash >> range.last;
    if (!words || dash != '-' || range.last < range.first || words.get() != EOF) fail("'" + text + "' is no range");
    return range;
  }
  void read_set(std::istringstream& words, AffineLaunch& launch) {
    AffineSet set;
    set.occurrences.resize(launch.records);
    std::string word;
    while (words >> word) {
      const std::size_t colon = word.find(':');
      if (colon == std::string::npos) fail("'" + word + "' is no record with its occurrences");
      std::istringstream number(word.substr(0, colon));
      std::uint32_t pc = 0;
      if (!(number >> pc) || pc >= launch.records) fail("'" + word + "' names no record");
      std::istringstream ranges(word.substr(colon + 1));
      for (std::string range; std::getline(ranges, range, ',');) set.occurrences[pc].push_back(range_of(range));
    }
    launch.sets.push_back(std::move(set));
  }

  const std::string path_;
  std::ifstream file_;
  unsigned line_ = 0;
};

}  // namespace detail

/// Reads a file. Errors: InputError with its line.
inline AffineInstances read_affine_instances(const std::string& path) { return detail::AffineReader(path).read(); }

}  // namespace castor::gpu
