#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "castor_cc/ir_locks_function.h"

namespace castor::castor_cc {

/// Where an address leads to: the variable that it comes from and the members and pointers (".2", "*") on the way, as
/// in
/// "%3|*.2*". Of a variable that keeps such a pointer the way is not known: "@table|?". "#" in a function's summary:
/// somewhere behind an argument.
using IrObject = std::string;

/// Whether two objects may be one, or one a part of the other.
[[nodiscard]] bool may_be_one(const IrObject& a, const IrObject& b);

/// What an instruction, or all of a function, does to memory that other threads see.
struct IrAccess {
  std::set<IrObject> acquired;  ///< objects of compare-and-swaps and exchanges
  std::set<IrObject> observed;  ///< objects of atomic operations and of atomic and volatile loads
  std::set<IrObject> written;   ///< objects of atomic and volatile stores and of atomic operations
  bool fence = false;
  bool written_anywhere = false;  ///< by inline assembly
  bool attempt = false;           ///< a function that acquires, and releases only where it has acquired

  /// Whether it may get a lock. Of an object that is only observed, such as the ticket that is served, that is one if
  /// it is written behind a fence as well.
  [[nodiscard]] bool acquires() const { return attempt || !acquired.empty() || !observed.empty(); }
  [[nodiscard]] bool empty() const { return !acquires() && written.empty() && !fence && !written_anywhere; }
  /// Whether it may give back the lock that `acquisition` has got.
  [[nodiscard]] bool releases(const IrAccess& acquisition) const;
};

using IrSummaries = std::map<std::string_view, IrAccess>;

/// The values of one function: where they are defined, what addresses they come from, what its instructions access.
class IrValues {
 public:
  /// `function` and `summaries` must outlive this.
  IrValues(const IrFunction& function, const IrSummaries& summaries);

  /// Accesses of instructions that have any, by line.
  [[nodiscard]] const std::map<std::size_t, IrAccess>& accesses() const { return accesses_; }
  /// The definition of a value without its name; empty for arguments.
  [[nodiscard]] std::string_view definition(std::string_view value) const;
  [[nodiscard]] std::size_t line_of(std::string_view value) const;

  /// Object that the address in an operand ("i32* align 4 %7") comes from; empty if that is unknown.
  [[nodiscard]] IrObject object(std::string_view operand) const;
  /// Objects that the arguments of a call lead to.
  [[nodiscard]] std::set<IrObject> argument_objects(std::string_view call) const;

 private:
  void keep(const IrObject& pointer, const IrObject& variable);
  [[nodiscard]] IrObject known(std::string_view variable) const;
  [[nodiscard]] IrObject origin(std::string_view value, unsigned depth) const;
  [[nodiscard]] IrObject operand_origin(std::string_view operand, unsigned depth) const;
  [[nodiscard]] bool is_local(std::string_view operand) const;
  [[nodiscard]] IrAccess access(std::string_view instruction) const;
  [[nodiscard]] IrAccess call_access(std::string_view instruction) const;

  const IrFunction& function_;
  const IrSummaries& summaries_;
  std::map<std::string_view, std::size_t> lines_;
  std::map<std::string, std::string> kept_;  ///< variables with pointers, and what these lead to
  std::map<std::size_t, IrAccess> accesses_;
};

/// The instruction of a line without the name of its result and the words that may stand before "call".
[[nodiscard]] std::string_view operation_of(std::string_view line);

/// The function that a call names, without its sign; empty for inline assembly and pointers.
[[nodiscard]] std::string_view callee_of(std::string_view instruction);

}  // namespace castor::castor_cc
