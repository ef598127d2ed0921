#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "castor_cc/ir_locks_function.h"

namespace castor::castor_cc {

/// Memory object that an address refers to: its base variable, followed by the members (".2") and loads ("*") on the
/// path, such as "%3|*.2*". "?" marks an unknown path, as in "@table|?". "#" in a function's summary: some object
/// reachable from an argument.
using IrObject = std::string;

/// True if two objects may be the same, or one may be part of the other.
[[nodiscard]] bool may_be_one(const IrObject& a, const IrObject& b);

/// Accesses of an instruction, or of a whole function, to memory that other threads see.
struct IrAccess {
  std::set<IrObject> acquired;  ///< objects of compare-and-swaps and exchanges
  std::set<IrObject> observed;  ///< objects of atomic operations and of atomic and volatile loads
  std::set<IrObject> written;   ///< objects of atomic and volatile stores and of atomic operations
  bool fence = false;
  bool written_anywhere = false;  ///< inline assembly may write any object
  bool attempt = false;           ///< the function tries to acquire a lock, and releases it only after success

  /// True if the access may acquire a lock. An object that is only observed, such as a ticket counter, is a lock only
  /// if it is also written after a fence; the caller checks that.
  [[nodiscard]] bool acquires() const { return attempt || !acquired.empty() || !observed.empty(); }
  [[nodiscard]] bool empty() const { return !acquires() && written.empty() && !fence && !written_anywhere; }
  /// True if the access may release the lock that `acquisition` acquired.
  [[nodiscard]] bool releases(const IrAccess& acquisition) const;
};

using IrSummaries = std::map<std::string_view, IrAccess>;

/// Values of one function: their definitions, the origin of addresses, and the accesses of its instructions.
class IrValues {
 public:
  /// `function` and `summaries` must outlive this object.
  IrValues(const IrFunction& function, const IrSummaries& summaries);

  /// Returns the accesses, by line of the instruction; lines without an access have no entry.
  [[nodiscard]] const std::map<std::size_t, IrAccess>& accesses() const { return accesses_; }
  /// Returns the definition of a value, without the value's name; empty for arguments.
  [[nodiscard]] std::string_view definition(std::string_view value) const;
  [[nodiscard]] std::size_t line_of(std::string_view value) const;

  /// Returns the object that the address in an operand ("i32* align 4 %7") refers to; empty if unknown.
  [[nodiscard]] IrObject object(std::string_view operand) const;
  /// Returns the objects that the arguments of a call refer to.
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
  std::map<std::string, std::string> kept_;  ///< names that stand for one object: name, other name of the object
  std::map<std::size_t, IrAccess> accesses_;
};

/// Returns the instruction of a line, without the result's name and the words that may precede "call".
[[nodiscard]] std::string_view operation_of(std::string_view line);

/// Returns the function that a call names, without "@"; empty for inline assembly and calls through pointers.
[[nodiscard]] std::string_view callee_of(std::string_view instruction);

}  // namespace castor::castor_cc
