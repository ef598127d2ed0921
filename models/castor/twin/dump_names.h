#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace castor::twin {

/// A signal of RTL whose values have names.
struct NamedSignal {
  std::string path;  ///< instances from the top module on, and the signal: "castor_x_probe.u_dut.state_q"
  std::vector<std::pair<std::uint64_t, std::string>> names;
};

/// Adds the names of values to a dump that has numbers only: beside such a signal a variable <signal>_name, whose
/// changes follow those of the signal (castor/base/dump_text.h).
class DumpNames {
 public:
  explicit DumpNames(const std::vector<NamedSignal>& signals);

  /// The commands up to $enddefinitions, which is left out, with what is added. Commands stand on a line each. The
  /// scope `top`, below which paths begin, is put around a dump that lacks it: Verilator's that leave out its signals.
  [[nodiscard]] std::string declare(std::string_view header);
  /// Appends the lines of changes in `text` to `out`, with what is added and without times.
  void translate(std::string_view text, std::string& out) const;

 private:
  using Names = std::unordered_map<std::string, std::string>;  // by digits, as a dump has them
  struct Shown {
    std::string identifier;
    const Names* names;
  };
  std::map<std::string, Names, std::less<>> signals_;  // by path
  std::map<std::string, Shown, std::less<>> shown_;    // by the signal's identifier
};

}  // namespace castor::twin
