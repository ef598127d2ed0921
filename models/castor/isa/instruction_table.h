#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "castor/isa/record.h"
#include "castor/isa/timing_class.h"
#include "castor/isa/types.h"

namespace castor::isa {

struct Row;

/// One dotted part of a syntax pattern after the opcode.
struct PatternItem {
  std::string label;                      ///< name by which a Match is asked; may be empty
  std::vector<std::string> alternatives;  ///< without the dot
  std::vector<Type> types;                ///< type that each alternative names, kNone for other words
  bool optional = false;
};

/// What one operand of an instruction may be.
enum class OperandShape : std::uint8_t {
  kRegister,   ///< register or `_` (destination); register or immediate or symbol address or special register (source)
  kPredicate,  ///< predicate register, `_` as destination, `!p` as source
  kImmediate,  ///< integer constant only
  kAddress,    ///< [register|symbol|constant (+offset)]
  kVector,     ///< {a, b} or {a, b, c, d} as the row's element count says; plain register for one element
  kPack,       ///< register, or a braced list whose widths add up to the type (mov)
  kLabel,      ///< branch target
  kTable,      ///< name of a .branchtargets list
  kCall,       ///< the whole operand list of a call
};

/// One operand of a row, parsed from its operand text.
struct OperandSpec {
  std::string name;
  OperandShape shape = OperandShape::kRegister;
  Type type = Type::kNone;  ///< fixed type, or kNone if `type_label` names it
  std::string type_label;   ///< label of the pattern item that gives the type
  bool widen = false;       ///< twice the width of the type that `type_label` names
  bool destination = false;
  bool optional = false;          ///< may be absent; with fewer operands than specs the last optional ones are absent
  bool second_predicate = false;  ///< destination that may be followed by `|p`
};

/// A row's pattern met by the dotted parts of one instruction.
class Match {
 public:
  Match() = default;
  Match(const Row& row, const std::array<std::int8_t, 16>& choices) : row_(&row), choices_(choices) {}

  [[nodiscard]] const Row& row() const { return *row_; }
  [[nodiscard]] bool valid() const { return row_ != nullptr; }
  /// Chosen alternative of the item called `label`, empty if the item is absent or unknown.
  [[nodiscard]] std::string_view operator[](std::string_view label) const;
  /// True if alternative `text` was chosen in any item.
  [[nodiscard]] bool has(std::string_view text) const;
  /// Type chosen in the item called `label`; kNone if absent.
  [[nodiscard]] Type type(std::string_view label) const;
  /// Type of one operand of this row under this match.
  [[nodiscard]] Type type(const OperandSpec& operand) const;
  /// Full spelling, dots included.
  [[nodiscard]] std::string spelling() const;

 private:
  const Row* row_ = nullptr;
  std::array<std::int8_t, 16> choices_{};  // per item: index of the alternative, -1 absent
};

/// Which implicit operands an instruction has besides its text.
enum class CarryUse : std::uint8_t { kNone = 0, kReads = 1, kWrites = 2, kReadsWrites = 3 };

/// One row of the instruction table: spelling as data, operands, timing class, semantics.
///
/// `syntax`:   opcode, then dotted items. `.lit` must stand there; `.{label:a|b}` needs one of the alternatives;
///             `.[label:a|b]` may be absent. The label may be left out. A type label is conventionally `t` (`u`
///             second). Example: "add.[rnd:rn|rz|rm|rp].[ftz].[sat].f32", "setp.{cmp:eq|ne}.{bool:and|or}.{t:u32|s32}".
/// `operands`: comma-separated `name:what`; a leading `=` marks a destination, a trailing `?` an operand that may be
///             missing. `what` is a type ("u32", "pred"), a type label ("t"), a doubled one ("2t"), or a shape:
///             "[t]" address, "<t>" vector, "%t" pack, "imm", "label", "table", "call". `=p:pred|` and `=d:t|` may
///             be followed by `|q`.
///             Example: "=p:pred|, a:t, b:t, c:pred".
/// Register destinations fill Record::dst, register sources fill Record::src in order, predicate destinations and
/// sources fill the nibbles in order (after the optional second one). Immediate operands (`imm`) fill Record::imm,
/// the first in bits 0-31, the second in bits 32-63.
struct Row {
  std::string syntax;
  std::string operands;
  TimingClass timing = TimingClass::kInt;
  Kind kind = Kind::kLane;
  /// Lane handler for a match; null return = this combination does not exist. Null pointer for kinds without handler.
  LaneFn (*select)(const Match&) = nullptr;
  /// Selector bits that the handler finds in Record::imm (rows without `imm` operands only). May be null.
  std::uint64_t (*immediate)(const Match&) = nullptr;
  std::string meaning;                    ///< one line for the coverage table
  CarryUse carry = CarryUse::kNone;       ///< condition code: read = last predicate source, written = last destination
  ResultOf result = ResultOf::kAnything;  ///< what the result depends on; set by TableBuilder

  // Filled by the table.
  std::string opcode{};
  std::vector<PatternItem> items{};
  std::vector<OperandSpec> specs{};
};

/// What an instruction's spelling did not meet.
struct LookupError {
  std::string message;  ///< what was expected, and where it went wrong
};

/// A reason why a spelling that PTX has is refused, e.g. textures. Rows come first: a refusal is looked at only when no
/// row fits.
struct Unsupported {
  /// First parts of the spelling ("tex", "cp.async.bulk"), one part with its dot (".b128"), an opcode and one of its
  /// parts ("atom .v2"), or how a register's name begins ("%envreg").
  std::string opcode;
  std::string why;  ///< and what to do instead
};

/// Collects rows; each file in isa/instructions has one function that fills it.
class TableBuilder {
 public:
  void add(Row row);
  /// A row of kind kLane whose result depends on the lane's operands and the record alone: neither on which lane or
  /// warp executes it, nor on other lanes, nor on any clock (ResultOf::kOperands). A test demands it of every such row.
  void add_pure(Row row);
  void refuse(std::string opcode, std::string why);

 private:
  friend class InstructionTable;
  std::vector<Row> rows_;
  std::vector<Unsupported> refused_;
};

/// All instructions that Castor executes. The parser, the disassembler, the coverage page and `castor list` are driven
/// by it. Built once, at first use, from the build of the handlers that fits the host processor (AVX2 or baseline; both
/// compute the same bits; CASTOR_LANES=baseline forces the plain one). Safe to use from several threads.
class InstructionTable {
 public:
  [[nodiscard]] static const InstructionTable& instance();

  /// The table over one build of the handlers, "baseline" or "avx2", whatever `instance` takes; for comparisons.
  /// Errors: InputError for other names, and for "avx2" on a processor without AVX2 and FMA.
  [[nodiscard]] static const InstructionTable& of_variant(std::string_view variant);
  /// True if the host processor can run the handlers built for AVX2 and FMA.
  [[nodiscard]] static bool has_avx2();

  /// Adds instructions from outside the library (docs/guides/adding-an-instruction.md). Rows added later win over
  /// earlier ones with the same spelling, so an instruction can also be replaced. Returns true, so that it can
  /// initialise a global. Errors: InputError once a table has been built, that is, after the first use.
  static bool extend(void (*add_rows)(TableBuilder&));

  /// Finds the row and choices for a full spelling such as "add.rn.f32". Cached inside.
  /// Errors: Match::valid() is false and `error` says what was expected or why it is refused.
  [[nodiscard]] Match find(std::string_view spelling, LookupError& error) const;

  /// True if some row or refusal has this opcode (first part of a spelling).
  [[nodiscard]] bool is_opcode(std::string_view opcode) const;

  [[nodiscard]] const std::vector<std::unique_ptr<Row>>& rows() const;
  [[nodiscard]] const std::vector<Unsupported>& refused() const;
  /// The refusal of exactly these words, or null.
  [[nodiscard]] const Unsupported* refused(std::string_view words) const;
  /// "avx2" or "baseline".
  [[nodiscard]] std::string_view variant() const;

  /// An internal row that the compiler uses and no text spells (opcode starts with '$').
  [[nodiscard]] Match internal(std::string_view spelling) const;

 private:
  explicit InstructionTable(std::string_view variant);
  ~InstructionTable();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Decodes what a memory row's match says (kind, space, type, cache, ordering). `register_bits` and `address_bits` are
/// filled by the compiler, which knows the registers.
[[nodiscard]] MemoryOp memory_op(const Match& match);
/// Barrier row's match, likewise.
[[nodiscard]] BarrierOp barrier_op(const Match& match);

}  // namespace castor::isa
