// Moves and generic addresses (PTX ISA, "Data Movement and Conversion Instructions": mov, cvta, isspacep).

#include "castor/isa/instructions/select.h"

namespace castor::isa {
namespace {

using u64 = std::uint64_t;

struct Same {
  template <class T>
  static T of(T a) {
    return a;
  }
};
LaneFn select_move(const Match& match) { return bits_form<Unary<Same>::For>(match.type("t")); }
/// Selects the 64-bit move for vectors: elements are moved one by one, and a 128-bit element as two halves.
LaneFn select_half(const Match&) { return bits_form<Unary<Same>::For>(Type::kB64); }

/// Writes 0: each thread block is a cluster of its own, so its rank in the cluster is 0.
template <class T>
void rank_zero(const Record&, LaneArgs& args) {
  map<std::uint32_t, T>(args, [](T) { return std::uint32_t{0}; });
}
LaneFn select_rank(const Match& match) {
  return bits(match.type("t")) == 64 ? &rank_zero<u64> : &rank_zero<std::uint32_t>;
}

/// Returns the start of a space's window in generic addresses. Global and constant addresses equal their generic
/// addresses; shared and local addresses have windows. For parameters, the compiler adds the base of the parameter
/// block instead.
u64 window_of(std::string_view space) {
  if (space.substr(0, 6) == "shared") return kSharedWindow;
  if (space == "local") return kLocalWindow;
  return 0;
}
std::uint64_t distance_to_generic(const Match& match) {
  const u64 window = window_of(match["s"]);
  return match.has("to") ? u64{0} - window : window;
}
void convert_address(const Record& record, LaneArgs& args) {
  const u64 distance = record.imm;
  map<u64, u64>(args, [distance](u64 a) { return a + distance; });
}

void is_shared(const Record& record, LaneArgs& args) {
  const LaneMask p = test<u64>(args, [](u64 a) { return a - kSharedWindow < kWindowSize; });
  write_predicate(record, args.predicates, 0, p, args.mask);
}
void is_local(const Record& record, LaneArgs& args) {
  const LaneMask p = test<u64>(args, [](u64 a) { return a - kLocalWindow < kWindowSize; });
  write_predicate(record, args.predicates, 0, p, args.mask);
}
void is_global(const Record& record, LaneArgs& args) {
  const LaneMask p = test<u64>(args, [](u64 a) { return a < kWindowSize || a - kHostWindow < kWindowSize; });
  write_predicate(record, args.predicates, 0, p, args.mask);
}
/// Writes false for isspacep of const and param: both are part of global memory, so no generic address is exclusively
/// theirs.
void is_nothing(const Record& record, LaneArgs& args) { write_predicate(record, args.predicates, 0, 0, args.mask); }

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(move) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  const auto row = [&](const char* syntax, const char* operands, LaneFn (*select)(const Match&), const char* meaning,
                       TimingClass timing = TimingClass::kInt, std::uint64_t(*immediate)(const Match&) = nullptr) {
    table.add_pure({syntax, operands, timing, Kind::kLane, select, immediate, meaning});
  };
  row("mov.{t:b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|bf16|f16x2|bf16x2|f32|f64}", "=d:%t, a:%t", select_move,
      "a: register, constant, special register, address of a symbol; one side may be a braced list of parts");
  row("mov.{v:v2|v4}.{t:b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|bf16|f16x2|bf16x2|f32|f64}", "=d:<t>, a:<t>",
      select_move, "a vector, element by element: registers of a vector or a braced list on either side");
  row("mov.b128", "=d:<b64>, a:<b64>", select_half, "128 bits; one side may be two 64-bit parts in braces");
  row("mov.pred", "=d:pred, a:pred", always<move_predicate>, "predicate a", TimingClass::kPredicate);
  row("mapa.[shared::cluster].{t:u32|u64}", "=d:t, a:t, b:u32", select_move,
      "address a in thread block b of the cluster: a, since a cluster is one thread block");
  row("getctarank.[shared::cluster].{t:u32|u64}", "=d:u32, a:t", select_rank,
      "rank of the thread block whose shared memory holds a: 0");
  row("cvta.{s:global|shared|shared::cta|shared::cluster|local|const|param|param::entry}.u64", "=d:u64, a:u64",
      always<convert_address>, "generic address of an address in a state space", TimingClass::kInt,
      distance_to_generic);
  row("cvta.{to}.{s:global|shared|shared::cta|shared::cluster|local|const|param|param::entry}.u64", "=d:u64, a:u64",
      always<convert_address>, "address in a state space of a generic address", TimingClass::kInt, distance_to_generic);
  row("isspacep.global", "=p:pred, a:u64", always<is_global>, "generic address a lies in global memory");
  row("isspacep.{shared|shared::cta|shared::cluster}", "=p:pred, a:u64", always<is_shared>,
      "generic address a lies in shared memory");
  row("isspacep.local", "=p:pred, a:u64", always<is_local>, "generic address a lies in local memory");
  row("isspacep.{const|param|param::entry}", "=p:pred, a:u64", always<is_nothing>,
      "never: constants and parameters lie in global memory");
}
