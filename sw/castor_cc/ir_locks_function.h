#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Returns the names of values, globals and types in `text`, with their sign ("%7", "@lock"); skips quoted strings.
[[nodiscard]] std::vector<std::string_view> names_in(std::string_view text);

/// Basic block of a function. Line numbers count from the function's `define` line, which is 0.
struct IrBlock {
  std::string_view name;            ///< without the sign, such as "7"; empty for an entry block without label
  std::size_t label = 0;            ///< line of its label; the `define` line for an entry block without label
  std::size_t terminator = 0;       ///< first line of its last instruction
  std::size_t end = 0;              ///< line after its last line
  std::vector<std::size_t> next;    ///< successor blocks
  std::vector<std::size_t> before;  ///< predecessor blocks
  bool returns = false;
  bool has_phi = false;
  bool reachable = false;  ///< reachable from the entry block
};

/// Function of a module in LLVM's text form (version 14), divided into basic blocks. Views into the module's text.
class IrFunction {
 public:
  /// Parses a function. `text`: from "define" to the line "}". Returns nothing if a block ends in an unknown
  /// instruction.
  [[nodiscard]] static std::optional<IrFunction> parse(std::string_view text);

  [[nodiscard]] const std::vector<std::string_view>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<IrBlock>& blocks() const { return blocks_; }
  /// Returns the block that contains a line; the line must be inside a block.
  [[nodiscard]] std::size_t block_of(std::size_t line) const;
  /// Returns the block with a name such as "%7"; nothing if there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

 private:
  bool read_blocks();
  bool read_edges(IrBlock& block);
  void mark_reachable();

  std::vector<std::string_view> lines_;
  std::vector<IrBlock> blocks_;
  std::map<std::string_view, std::size_t> named_;
};

/// Returns the names of the blocks to which the last instruction of a block, or one line of it, branches.
[[nodiscard]] std::vector<std::string_view> targets_in(std::string_view text);

/// Returns `text` with branches to `from` redirected to `to`.
[[nodiscard]] std::string with_target(std::string_view text, std::string_view from, std::string_view to);

}  // namespace castor::castor_cc
