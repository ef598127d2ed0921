// Rows of memory instructions. isa/memory_access.h implements them; isa/operations.cpp reads the labels of their items.

#include "castor/isa/lanes.h"

namespace castor::isa {
namespace {

void add_accesses(TableBuilder& table) {
  const auto row = [&](const std::string& syntax, const std::string& operands, TimingClass timing,
                       const char* meaning) {
    table.add({syntax, operands, timing, Kind::kMemory, nullptr, nullptr, meaning});
  };
  // Hints have no effect. A cache policy is an operand that Castor ignores.
  const std::string hints =
      "[L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate]."
      "[L2::evict_normal|L2::evict_first|L2::evict_last].[L2::cache_hint].";
  const std::string load_hints = hints + "[L2::64B|L2::128B|L2::256B].";
  const std::string spaces =
      "[s:global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func].";
  const std::string writable = "[s:global|shared|shared::cta|shared::cluster|local|param|param::func].";
  // A lane accesses at most sixteen bytes.
  struct Shape {
    const char* vector;
    const char* types;
  };
  // A .b128 value is a vector of two 64-bit elements outside the table.
  const Shape shapes[] = {
      {"[v:v2|v4].", "{t:b8|b16|b32|u8|u16|u32|s8|s16|s32|f32}"}, {"[v:v2].", "{t:b64|u64|s64|f64}"}, {"", "{w:b128}"}};
  for (const Shape& shape : shapes) {
    const std::string what = std::string(shape.vector) + shape.types;
    const bool wide = *shape.vector == 0;
    const std::string load = wide ? "=d:<b64>, a:[b128], policy:b64?" : "=d:<t>, a:[t], policy:b64?";
    const std::string store = wide ? "a:[b128], b:<b64>, policy:b64?" : "a:[t], b:<t>, policy:b64?";
    row("ld.[sem:weak|volatile]." + spaces + "[cop:ca|cg|cs|lu|cv]." + load_hints + what, load, TimingClass::kLoad,
        "loads one, two or four values");
    row("ld.{sem:relaxed|acquire}.{scope:cta|cluster|gpu|sys}." + spaces + load_hints + what, load, TimingClass::kLoad,
        "loads with ordering");
    row("ld.[sem:weak].{s:global}.[cop:ca|cg|cs].nc." + load_hints + what, load, TimingClass::kLoad,
        "loads through the read-only path");
    row("ld.mmio.{sem:relaxed}.{scope:sys}.[s:global]." + what, load, TimingClass::kLoad, "loads at system scope");
    row("ldu.[s:global]." + what, wide ? "=d:<b64>, a:[b128]" : "=d:<t>, a:[t]", TimingClass::kLoad,
        "loads read-only data");
    row("st.[sem:weak|volatile]." + writable + "[cop:wb|cg|cs|wt]." + hints + what, store, TimingClass::kStore,
        "stores one, two or four values");
    row("st.{sem:relaxed|release}.{scope:cta|cluster|gpu|sys}." + writable + hints + what, store, TimingClass::kStore,
        "stores with ordering");
    row("st.mmio.{sem:relaxed}.{scope:sys}.[s:global]." + what, store, TimingClass::kStore, "stores at system scope");
  }
}

void add_atomics(TableBuilder& table) {
  struct Operation {
    const char* op;
    const char* types;
    const char* meaning;
  };
  const Operation operations[] = {
      {"{op:and|or|xor}", "{t:b32|b64}", "logic in memory"},
      {"{op:add}", "{t:u32|s32|u64|s64|f32|f64}", "adds in memory; denormals are kept"},
      {"{op:add}.noftz", "{t:f16|f16x2|bf16|bf16x2}", "adds in memory, rounds to nearest"},
      {"{op:min|max}", "{t:u32|s32|u64|s64}", "minimum or maximum in memory"},
      {"{op:inc|dec}", "{t:u32}", "counts up to b, then 0; down to 0, then b"},
  };
  const Operation exchanges[] = {{"{op:exch}", "{t:b32|b64}", "exchanges"}};
  const std::string head =
      "[sem:relaxed|acquire|release|acq_rel].[scope:cta|cluster|gpu|sys].[s:global|shared|shared::cta|"
      "shared::cluster].";
  const auto row = [&](const std::string& syntax, const std::string& operands, const std::string& meaning) {
    table.add({syntax, operands, TimingClass::kAtomic, Kind::kMemory, nullptr, nullptr, meaning});
  };
  for (const Operation& operation : operations) {
    const std::string tail = std::string(operation.op) + ".[L2::cache_hint]." + operation.types;
    row("atom." + head + tail, "=d:t, a:[t], b:t, policy:b64?",
        std::string(operation.meaning) + "; gives the old value");
    row("red." + head + tail, "a:[t], b:t, policy:b64?", operation.meaning);
  }
  for (const Operation& operation : exchanges)
    row("atom." + head + operation.op + ".[L2::cache_hint]." + operation.types, "=d:t, a:[t], b:t, policy:b64?",
        operation.meaning);
  row("atom." + head + "{op:cas}.[L2::cache_hint].{t:b16|b32|b64}", "=d:t, a:[t], b:t, c:t, policy:b64?",
      "writes c if memory holds b; gives the old value");
}

void no_policy(const Record&, LaneArgs& args) {
  using u64 = std::uint64_t;
  alignas(64) const u64 zeros[32] = {};
  for (unsigned h = 0; h < args.halves; ++h) blend_half(half_mask(args.mask, h), destination<u64>(args, h), zeros);
}
LaneFn select_no_policy(const Match&) { return &no_policy; }

void add_hints(TableBuilder& table) {
  const auto row = [&](const char* syntax, const char* operands, const char* meaning) {
    table.add({syntax, operands, TimingClass::kStore, Kind::kPrefetch, nullptr, nullptr, meaning});
  };
  row("prefetch.[s:global|local].{L1|L2}", "a:[b8]", "hint: no effect on values");
  row("prefetch.{s:global}.{L2::evict_last|L2::evict_normal}", "a:[b8]", "hint: no effect on values");
  row("prefetchu.L1", "a:[b8]", "hint: no effect on values");
  row("applypriority.[s:global].L2::evict_normal", "a:[b8], size:imm", "hint: no effect on values");
  row("discard.[s:global].L2", "a:[b8], size:imm", "hint: values stay as they are");
  table.add(
      {"createpolicy.fractional.{L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged}."
       "[L2::evict_first|L2::evict_unchanged].b64",
       "=d:b64, fraction:f32?", TimingClass::kInt, Kind::kLane, select_no_policy, nullptr,
       "a cache policy; policies have no effect"});
  table.add({"createpolicy.cvt.L2.b64", "=d:b64, access:b64", TimingClass::kInt, Kind::kLane, select_no_policy, nullptr,
             "a cache policy; policies have no effect"});
}

std::uint64_t scope_of(const Match& match) {
  if (match.has("cta")) return static_cast<std::uint64_t>(FenceScope::kBlock);
  if (match.has("gl") || match.has("gpu") || match.has("cluster"))
    return static_cast<std::uint64_t>(FenceScope::kDevice);
  return static_cast<std::uint64_t>(FenceScope::kSystem);
}

void add_fences(TableBuilder& table) {
  const auto row = [&](const char* syntax, const char* meaning) {
    table.add({syntax, "", TimingClass::kFence, Kind::kFence, nullptr, scope_of, meaning});
  };
  row("membar.{cta|gl|sys}", "orders memory accesses before and behind it");
  row("fence.[sc|acq_rel|acquire|release].{cta|cluster|gpu|sys}", "orders memory accesses before and behind it");
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(memory) {
  castor::isa::add_accesses(table);
  castor::isa::add_atomics(table);
  castor::isa::add_hints(table);
  castor::isa::add_fences(table);
}
