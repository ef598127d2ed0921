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
  std::string path;  ///< path of instances from the top module on, then the signal: "castor_x_probe.u_dut.state_q"
  std::vector<std::pair<std::uint64_t, std::string>> names;
};

/// Adds names of values to a dump that has numbers only. Each signal with names gets a variable <signal>_name beside
/// it, whose changes follow the changes of the signal (castor/base/dump_text.h).
class DumpNames {
 public:
  explicit DumpNames(const std::vector<NamedSignal>& signals);

  /// Returns the declarations of the dump, extended by the name variables and without the closing $enddefinitions.
  /// `header` has one command per line. If the dump has no scope `top` around its signals, the scope is added, because
  /// the paths of signals begin below it. (Verilator omits it when a dump leaves out the signals of the top.)
  [[nodiscard]] std::string declare(std::string_view header);
  /// Appends the lines of changes in `text` to `out`, with the changes of the name variables added and lines of times
  /// left out.
  void translate(std::string_view text, std::string& out) const;

 private:
  using Names = std::unordered_map<std::string, std::string>;  // key: binary digits of the value, as in the dump
  struct Shown {
    std::string identifier;
    const Names* names;
  };
  std::map<std::string, Names, std::less<>> signals_;  // key: path of the signal
  std::map<std::string, Shown, std::less<>> shown_;    // key: identifier of the signal
};

}  // namespace castor::twin
