#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "castor/twin/inside.h"

namespace castor::twin {

/// Keeps the most recent changes of a twin's internal signals, so that waves of them can be written after an error.
/// Also an Inside itself: `inside` reports each change only once, so any other reader must get the changes from this
/// object.
class InsideHistory final : public Inside {
 public:
  /// Keeps the last `moments` samples; `inside` must outlive this object.
  InsideHistory(Inside& inside, std::size_t moments) : inside_(inside), moments_(moments) {}

  /// Samples all changes at a time in ps; times must ascend.
  void look(std::uint64_t picoseconds);
  /// Writes a dump: the state at time `from` and all later changes. Throws InputError if the file cannot be written.
  void write(const std::string& path, std::uint64_t from) const;

  [[nodiscard]] const std::string& declarations() override { return inside_.declarations(); }
  [[nodiscard]] const std::string& changes() override;

 private:
  /// Last change line of each signal, by identifier.
  using State = std::unordered_map<std::string, std::string>;
  static void apply(std::string_view changes, State& state);
  static void append(const State& state, std::string& text);

  Inside& inside_;
  std::size_t moments_;
  State before_;  // state before the first sample in `kept_`
  std::deque<std::pair<std::uint64_t, std::string>> kept_;
  bool read_ = false;  // set by the first call of `changes`
  State unread_;       // changes that `changes` has not returned yet; kept up to date once `read_` is set
  State told_;         // values of the signals as `changes` has reported them so far
  std::string text_;
};

}  // namespace castor::twin
