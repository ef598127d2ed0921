#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Names of values, globals and types in `text`, with their sign ("%7", "@lock"), but not those in quoted strings.
[[nodiscard]] std::vector<std::string_view> names_in(std::string_view text);

/// A basic block of a function. Lines are counted from the function's `define`.
struct IrBlock {
  std::string_view name;            ///< without the sign, "7"; empty: the entry block, if it has no label
  std::size_t label = 0;            ///< line of its label; of an entry block without one, the line of `define`
  std::size_t terminator = 0;       ///< first line of its last instruction
  std::size_t end = 0;              ///< behind its last line
  std::vector<std::size_t> next;    ///< blocks that its last instruction names
  std::vector<std::size_t> before;  ///< blocks that name it
  bool returns = false;
  bool has_phi = false;
  bool reachable = false;  ///< from the entry block
};

/// One function of a module in LLVM's text form (version 14), cut into basic blocks. Views into that text.
class IrFunction {
 public:
  /// `text`: from "define" up to the line "}". Nothing if a block ends in an instruction that is unknown here.
  [[nodiscard]] static std::optional<IrFunction> parse(std::string_view text);

  [[nodiscard]] const std::vector<std::string_view>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<IrBlock>& blocks() const { return blocks_; }
  /// Block of a line that is inside one.
  [[nodiscard]] std::size_t block_of(std::size_t line) const;
  /// Block with the name "%7"; nothing if there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

 private:
  bool read_blocks();
  bool read_edges(IrBlock& block);
  void mark_reachable();

  std::vector<std::string_view> lines_;
  std::vector<IrBlock> blocks_;
  std::map<std::string_view, std::size_t> named_;
};

/// Names of the blocks that the last instruction of a block, or a line of it, branches to.
[[nodiscard]] std::vector<std::string_view> targets_in(std::string_view text);

/// `text` with branches to `from` going to `to` instead.
[[nodiscard]] std::string with_target(std::string_view text, std::string_view from, std::string_view to);

}  // namespace castor::castor_cc
