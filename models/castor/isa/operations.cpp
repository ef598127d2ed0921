// Decodes the matches of memory and barrier rows into MemoryOp and BarrierOp.

#include <string_view>

#include "castor/base/error.h"
#include "castor/isa/instruction_table.h"

namespace castor::isa {
namespace {

Space space_of(std::string_view text) {
  const std::string_view base = text.substr(0, text.find(':'));
  for (const Space space : {Space::kGlobal, Space::kShared, Space::kLocal, Space::kConst, Space::kParam})
    if (base == name(space)) return space;
  return Space::kGeneric;
}

CacheOp cache_of(std::string_view text) {
  if (text == "ca") return CacheOp::kCa;
  if (text == "cg") return CacheOp::kCg;
  if (text == "cs") return CacheOp::kCs;
  if (text == "lu") return CacheOp::kLu;
  if (text == "cv") return CacheOp::kCv;
  if (text == "wb") return CacheOp::kWb;
  if (text == "wt") return CacheOp::kWt;
  if (text == "nc") return CacheOp::kNc;
  return CacheOp::kDefault;
}

Ordering ordering_of(std::string_view text, Ordering otherwise) {
  if (text == "weak") return Ordering::kWeak;
  if (text == "volatile") return Ordering::kVolatile;
  if (text == "relaxed") return Ordering::kRelaxed;
  if (text == "acquire") return Ordering::kAcquire;
  if (text == "release") return Ordering::kRelease;
  if (text == "acq_rel") return Ordering::kAcqRel;
  return otherwise;
}

FenceScope scope_of(std::string_view text, FenceScope otherwise) {
  if (text == "cta") return FenceScope::kBlock;
  if (text == "gpu" || text == "cluster") return FenceScope::kDevice;
  if (text == "sys") return FenceScope::kSystem;
  return otherwise;
}

AtomicOp atomic_of(std::string_view text) {
  if (text == "min") return AtomicOp::kMin;
  if (text == "max") return AtomicOp::kMax;
  if (text == "and") return AtomicOp::kAnd;
  if (text == "or") return AtomicOp::kOr;
  if (text == "xor") return AtomicOp::kXor;
  if (text == "exch") return AtomicOp::kExch;
  if (text == "cas") return AtomicOp::kCas;
  if (text == "inc") return AtomicOp::kInc;
  if (text == "dec") return AtomicOp::kDec;
  CASTOR_ASSERT(text == "add", "atomic operation '%s'", std::string(text).c_str());
  return AtomicOp::kAdd;
}

}  // namespace

// Labels of items in rows of memory instructions: s space, t type, v vector, cop cache operator, sem ordering, scope,
// op atomic operation.
MemoryOp memory_op(const Match& match) {
  const std::string& opcode = match.row().opcode;
  MemoryOp op{};
  const bool atomic = opcode == "atom" || opcode == "red";
  op.kind = opcode == "st"     ? MemoryKind::kStore
            : opcode == "atom" ? MemoryKind::kAtomic
            : opcode == "red"  ? MemoryKind::kReduction
                               : MemoryKind::kLoad;
  op.atomic = atomic ? atomic_of(match["op"]) : AtomicOp::kAdd;
  op.space = space_of(match["s"]);
  op.type = match.type("t");
  if (op.type == Type::kNone) op.type = Type::kB8;  // prefetches have no type
  const std::string_view vector = match["v"];
  op.elements = static_cast<std::uint8_t>(vector.empty() ? 1 : vector[1] - '0');
  if (match.type("w") == Type::kB128) {
    op.type = Type::kB64;
    op.elements = 2;
  }
  op.cache = match.has("nc") || opcode == "ldu" ? CacheOp::kNc : cache_of(match["cop"]);
  // Defaults of an atomic: relaxed without `.sem`, device scope without a scope.
  op.ordering = ordering_of(match["sem"], atomic ? Ordering::kRelaxed : Ordering::kWeak);
  op.scope = scope_of(match["scope"], op.ordering == Ordering::kVolatile ? FenceScope::kSystem : FenceScope::kDevice);
  return op;
}

// Labels of items in barrier rows: `op` the operation (sync, arrive, red), `red` the reduction.
BarrierOp barrier_op(const Match& match) {
  BarrierOp op{};
  op.aligned = match.row().opcode == "bar" || match.has("aligned");
  if (match.has("warp")) {
    op.kind = BarrierKind::kWarp;
    op.aligned = false;
  } else if (match.has("arrive")) {
    op.kind = BarrierKind::kArrive;
  } else if (match.has("popc")) {
    op.kind = BarrierKind::kRedPopc;
  } else if (match.has("and")) {
    op.kind = BarrierKind::kRedAnd;
  } else if (match.has("or")) {
    op.kind = BarrierKind::kRedOr;
  } else {
    op.kind = BarrierKind::kSync;
  }
  return op;
}

}  // namespace castor::isa
