#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "castor/base/error.h"

/// File of affine instances (key blocks.darsie.affine). A run of the functional machine writes, for each thread block,
/// which executions of an instruction had affine results (AffineStudy). DacIdeal reads the file. Format:
///
///     castor affine instances 1
///     launch 3 6 kernel_name            ticket, records, kernel
///     set 4:0-0 7:0-15,20-20            record:first-last occurrences, ascending
///     tbs 0-31 40-40                    TBs (index in the grid) that have the set of the line above
namespace castor::hookup {

/// Range of indices, both ends included.
struct IndexRange {
  std::uint64_t first = 0, last = 0;
};

/// Appends `index` to ascending ranges: extends the last range, or begins a new one.
inline void add_to(std::vector<IndexRange>& ranges, std::uint64_t index) {
  if (!ranges.empty() && ranges.back().last + 1 == index) {
    ranges.back().last = index;
  } else {
    ranges.push_back({index, index});
  }
}

/// Returns the ranges as text, for instance "0-15,20-20" with `between` = ','.
inline std::string text_of(const std::vector<IndexRange>& ranges, char between) {
  std::string text;
  for (const IndexRange& range : ranges) {
    if (!text.empty()) text += between;
    text += std::to_string(range.first) + '-' + std::to_string(range.last);
  }
  return text;
}

/// Affine instances that several TBs of a launch share. `occurrences[pc]` holds ranges of the executions of record `pc`
/// that are affine, counted from 0 in each warp.
struct AffineSet {
  std::vector<std::vector<IndexRange>> occurrences;

  [[nodiscard]] bool has(std::uint32_t pc, std::uint64_t occurrence) const {
    const std::vector<IndexRange>& ranges = occurrences[pc];
    const auto found = std::lower_bound(ranges.begin(), ranges.end(), occurrence,
                                        [](const IndexRange& range, std::uint64_t k) { return range.last < k; });
    return found != ranges.end() && found->first <= occurrence;
  }
};

/// Affine instances of one launch.
struct AffineLaunch {
  std::string kernel;
  std::uint32_t records = 0;
  std::vector<AffineSet> sets;
  /// Range of TBs: its first TB, and the index in `sets` of their affine instances.
  struct Tbs {
    std::uint64_t first = 0;
    std::size_t set = 0;
  };
  std::map<std::uint64_t, Tbs> tbs;  ///< TB ranges; the key is the last TB of the range

  /// Returns the affine instances of a TB, or null if the TB has none.
  [[nodiscard]] const AffineSet* of(std::uint64_t tb) const {
    const auto found = tbs.lower_bound(tb);
    return found == tbs.end() || found->second.first > tb ? nullptr : &sets[found->second.set];
  }
};

/// Affine instances of all launches; the key is the launch's ticket.
using AffineInstances = std::map<std::uint64_t, AffineLaunch>;

inline constexpr const char* kAffineTitle = "castor affine instances 1";

namespace detail {

/// Parser of the file: reads it line by line and counts lines for error messages.
class AffineReader {
 public:
  explicit AffineReader(const std::string& path) : path_(path), file_(path) {
    if (!file_) {
      throw base::InputError(
          "cannot read the file of affine instances '" + base::printable(path, 300) + "'",
          "castor run --functional --set blocks.darsie.enable=1 --set blocks.darsie.affine=FILE writes it");
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

/// Reads a file of affine instances. Throws base::InputError with the line number if the file is malformed.
inline AffineInstances read_affine_instances(const std::string& path) { return detail::AffineReader(path).read(); }

}  // namespace castor::hookup
