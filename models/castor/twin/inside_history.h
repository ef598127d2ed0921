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

/// The last moments of what is inside a twin, for waves that somebody wants afterwards. Others may go on reading it
/// here.
class InsideHistory final : public Inside {
 public:
  /// Keeps `moments`; `inside` lives as long.
  InsideHistory(Inside& inside, std::size_t moments) : inside_(inside), moments_(moments) {}

  /// A moment, in ps; they ascend.
  void look(std::uint64_t picoseconds);
  /// What it was at `from` and how it went on, as a dump. Throws InputError if the file cannot be written.
  void write(const std::string& path, std::uint64_t from) const;

  [[nodiscard]] const std::string& declarations() override { return inside_.declarations(); }
  [[nodiscard]] const std::string& changes() override;

 private:
  /// The last change of each signal, by identifier.
  using State = std::unordered_map<std::string, std::string>;
  static void apply(std::string_view changes, State& state);
  static void append(const State& state, std::string& text);

  Inside& inside_;
  std::size_t moments_;
  State before_;  // the first moment that is kept
  std::deque<std::pair<std::uint64_t, std::string>> kept_;
  bool read_ = false;  // somebody asked for changes
  State unread_;       // those since then
  State told_;         // what was read
  std::string text_;
};

}  // namespace castor::twin
