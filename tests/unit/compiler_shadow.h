#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "castor/isa/simt_stack.h"
#include "compiler/functions.h"
#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler::test {

/// Runs allocated functions on one warp without computing anything: every write makes a new value, and every byte of
/// the physical registers remembers whose it is. A read must find the bytes of the value that its virtual register has
/// in that lane. Branch conditions are bits of the values, so lanes go all ways. This checks allocation, coalescing,
/// calls and the two register layouts without any of the compiler's own analysis.
class ShadowRun {
 public:
  ShadowRun(const std::vector<Code>& codes, unsigned seed) : codes_(codes), random_(seed) {
    for (const Code& code : codes) {
      base_.push_back(static_cast<std::uint32_t>(owner_.size()));
      owner_.resize(owner_.size() + code.insts.size(), static_cast<std::uint32_t>(base_.size() - 1));
      values_.emplace_back(code.registers.size(), std::vector<std::uint64_t>(kLanes, 0));
    }
    bytes_.assign(kMaxRegisters * kLanes * 4, 0);
    predicates_.assign(kPredicateRegisters, std::vector<std::uint64_t>(kLanes, 0));
  }

  /// Returns the first error, or an empty string.
  std::string run(std::size_t steps) {
    stack_.start(isa::LaneMask{0xffffffffu}, start_of(0, 0));
    for (; steps > 0 && !stack_.done() && error_.empty(); --steps) step();
    return error_;
  }

 private:
  static constexpr unsigned kLanes = 32;

  [[nodiscard]] std::uint32_t start_of(std::uint32_t function, std::uint32_t block) const {
    return block == kNoIndex ? isa::kNoPc : base_[function] + codes_[function].blocks[block].first;
  }
  std::uint64_t fresh() { return random_() | 2; }  // never 0, which is "no value"

  template <class F>
  void lanes(isa::LaneMask mask, const F& f) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((mask >> lane & 1) != 0) f(lane);
  }

  std::uint64_t* place(RegisterId id, unsigned lane) {
    const Code& code = codes_[function_];
    const int physical = code.physical[id];
    if (physical < 0) {
      fail("register without a place", id, lane);
      return nullptr;
    }
    switch (code.registers[id].cls) {
      case RegisterClass::kPredicate:
        return &predicates_[static_cast<unsigned>(physical)][lane];
      case RegisterClass::kSingle:
        return &bytes_[(static_cast<unsigned>(physical) * kLanes + lane) * 4];
      case RegisterClass::kPair:
        if (physical % 2 != 0) fail("pair at an odd register", id, lane);
        return &bytes_[static_cast<unsigned>(physical) * kLanes * 4 + lane * 8];
    }
    return nullptr;
  }
  [[nodiscard]] unsigned width(RegisterId id) const {
    const RegisterClass cls = codes_[function_].registers[id].cls;
    return cls == RegisterClass::kPredicate ? 1 : cls == RegisterClass::kSingle ? 4 : 8;
  }

  void fail(const std::string& what, RegisterId id, unsigned lane) {
    if (!error_.empty()) return;
    const Code& code = codes_[function_];
    const Inst& inst = code.insts[at_];
    error_ = code.function->name + ", instruction " + std::to_string(at_) + " (PTX line " +
             std::to_string(inst.where != nullptr ? inst.where->line : 0) + "), register " + std::to_string(id) +
             (id < code.function->registers.size() ? " " + code.function->registers[id].name : "") + ", lane " +
             std::to_string(lane) + ": " + what;
  }

  void read(RegisterId id, unsigned lane) {
    const std::uint64_t expected = values_[function_][id][lane];
    if (expected == 0) return;  // the program reads a register that it never wrote
    const std::uint64_t* const at = place(id, lane);
    for (unsigned i = 0; at != nullptr && i < width(id); ++i)
      if (at[i] != expected) return fail("another value is in its place", id, lane);
  }
  void write(RegisterId id, unsigned lane, std::uint64_t value) {
    values_[function_][id][lane] = value;
    std::uint64_t* const at = place(id, lane);
    for (unsigned i = 0; at != nullptr && i < width(id); ++i) at[i] = value;
  }

  [[nodiscard]] isa::LaneMask guard(const Inst& inst, isa::LaneMask active) {
    if (!inst.guard.valid()) return active;
    isa::LaneMask mask = 0;
    lanes(active, [&](unsigned lane) {
      read(inst.guard.reg, lane);
      const bool on = (values_[function_][inst.guard.reg][lane] & 1) != 0;
      if (on != inst.guard.negated) mask |= isa::LaneMask{1} << lane;
    });
    return mask;
  }

  void step() {
    function_ = owner_[stack_.pc()];
    at_ = stack_.pc() - base_[function_];
    const Code& code = codes_[function_];
    const Inst& inst = code.insts[at_];
    const isa::LaneMask mask = guard(inst, stack_.active());
    for_each_use(inst, [&](RegisterId id) { lanes(mask, [&](unsigned lane) { read(id, lane); }); });
    std::uint32_t block = 0;
    while (code.blocks[block].last <= at_) ++block;
    switch (inst.kind) {
      case isa::Kind::kBranch: {
        const isa::BranchOp op{start_of(function_, inst.target),
                               start_of(function_, code.blocks[block].post_dominator)};
        return stack_.branch(op, mask);
      }
      case isa::Kind::kBranchIndirect: {
        std::uint32_t targets[isa::kMaxLanes] = {};
        const auto& table = code.tables[inst.target];
        lanes(mask, [&](unsigned lane) { targets[lane] = start_of(function_, table[random_() % table.size()]); });
        return stack_.branch_indirect(targets, mask, start_of(function_, code.blocks[block].post_dominator));
      }
      case isa::Kind::kCall:
      case isa::Kind::kCallIndirect:
        return call(inst, mask);
      case isa::Kind::kReturn:
        for (const RegisterId id : code.exit_registers) lanes(mask, [&](unsigned lane) { read(id, lane); });
        give_results(mask);
        return stack_.ret(mask);
      case isa::Kind::kExit:
      case isa::Kind::kTrap:
        return stack_.exit(mask);
      default:
        break;
    }
    lanes(mask, [&](unsigned lane) { define(inst, lane); });
    if (inst.ends && mask != 0) return stack_.exit(mask);
    stack_.advance();
  }

  /// Copies keep the identity of a value: moves, predicates packed into words, and local memory at fixed addresses.
  void define(const Inst& inst, unsigned lane) {
    auto& values = values_[function_];
    std::uint64_t carried = 0;
    const std::string opcode = inst.match.valid() ? inst.match.row().opcode : std::string();
    const bool local = inst.kind == isa::Kind::kMemory && inst.imm_base == LocalBase::kFrame && inst.src[0].none();
    if (inst.move) {
      carried = inst.dst.is_register() ? values[inst.src[0].reg][lane] : values[inst.psrc[0].reg][lane];
    } else if (opcode == "$spill") {
      carried = values[inst.psrc[0].reg][lane];
    } else if (opcode == "$fill") {
      carried = values[inst.src[0].reg][lane];
    } else if (local && inst.memory.kind == isa::MemoryKind::kLoad) {
      carried = memory_[{function_, inst.imm, lane}];
    } else if (local && inst.src[1].is_register()) {
      memory_[{function_, inst.imm, lane}] = values[inst.src[1].reg][lane];
    }
    std::vector<RegisterId> written;
    for_each_def(inst, [&](RegisterId id) { written.push_back(id); });
    for (const RegisterId id : written) write(id, lane, carried != 0 ? carried : fresh());
    if (written.size() > 1)
      for (const RegisterId id : written) read(id, lane);
  }

  void call(const Inst& inst, isa::LaneMask mask) {
    const std::uint32_t caller = function_;
    const CallSite& site = codes_[caller].calls[inst.call];
    for (const RegisterId id : site.arguments) lanes(mask, [&](unsigned lane) { read(id, lane); });
    std::uint32_t targets[isa::kMaxLanes] = {};
    lanes(mask, [&](unsigned lane) {
      std::uint32_t callee = kNoIndex;
      // Recursion is an error of the program when it happens; the machine stops it.
      for (unsigned attempt = 0; attempt < 8 && callee == kNoIndex && !site.callees.empty(); ++attempt) {
        callee = site.callees[random_() % site.callees.size()];
        for (const std::uint32_t open : open_[lane])
          if (open == callee) callee = kNoIndex;
        if (callee == caller) callee = kNoIndex;
      }
      if (callee == kNoIndex) {
        mask &= ~(isa::LaneMask{1} << lane);
        for (const RegisterId id : site.results) values_[caller][id][lane] = 0;
        return;
      }
      targets[lane] = start_of(callee, 0);
      for (auto& value : values_[callee]) value[lane] = 0;
      for (const RegisterId in : codes_[callee].entry_registers)
        for (const RegisterId id : site.arguments)
          if (codes_[callee].physical[in] == codes_[caller].physical[id])
            values_[callee][in][lane] = values_[caller][id][lane];
      open_[lane].push_back(caller);
      sites_[lane].push_back({caller, &site});
    });
    if (mask == 0) return stack_.advance();
    stack_.call_indirect(targets, mask);
  }

  void give_results(isa::LaneMask mask) {
    lanes(mask, [&](unsigned lane) {
      if (sites_[lane].empty()) return;
      const auto [caller, site] = sites_[lane].back();
      sites_[lane].pop_back();
      open_[lane].pop_back();
      for (const RegisterId result : site->results)
        for (const RegisterId out : codes_[function_].exit_registers)
          if (codes_[function_].physical[out] == codes_[caller].physical[result])
            values_[caller][result][lane] = values_[function_][out][lane];
    });
  }

  const std::vector<Code>& codes_;
  std::mt19937_64 random_;
  isa::SimtStack stack_;
  std::vector<std::uint32_t> base_;
  std::vector<std::uint32_t> owner_;
  std::vector<std::vector<std::vector<std::uint64_t>>> values_;  // function, register, lane
  std::vector<std::uint64_t> bytes_;                             // value that owns each byte of the registers
  std::vector<std::vector<std::uint64_t>> predicates_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, unsigned>, std::uint64_t> memory_;
  std::vector<std::uint32_t> open_[kLanes];
  std::vector<std::pair<std::uint32_t, const CallSite*>> sites_[kLanes];
  std::uint32_t function_ = 0;
  std::uint32_t at_ = 0;
  std::string error_;
};

/// Checks that no instruction overwrites a source early. It may write a destination before it has read all lanes of a
/// source in the same bytes, unless both have the same layout. The same holds for the first of two predicate results
/// and the predicate sources.
inline void expect_no_early_overwrite(const Code& code) {
  for (const Inst& inst : code.insts) {
    if (inst.kind != isa::Kind::kLane) continue;
    if (inst.dst.is_register())
      for (const Value& source : inst.src) {
        if (!source.is_register()) continue;
        const unsigned to = units(code.registers[inst.dst.reg].cls);
        const unsigned from = units(code.registers[source.reg].cls);
        const int d = code.physical[inst.dst.reg];
        const int s = code.physical[source.reg];
        if (to == from) continue;
        EXPECT_TRUE(d + static_cast<int>(to) <= s || s + static_cast<int>(from) <= d)
            << code.function->name << ": " << inst.match.spelling() << " overwrites its source R" << s;
      }
    if (inst.pdst[0] != kNoRegister && inst.pdst[1] != kNoRegister)
      for (const PredicateUse& use : inst.psrc)
        if (use.valid() && use.reg != inst.pdst[0]) {
          EXPECT_NE(code.physical[use.reg], code.physical[inst.pdst[0]]) << inst.match.spelling();
        }
  }
}

/// Compiles a kernel with `limit` registers and runs it in the shadow with several seeds.
inline void expect_sound(const isa::Module& module, const std::string& kernel, unsigned limit, unsigned seeds = 4,
                         std::size_t steps = 20000) {
  const isa::LinkOptions options;
  const Linked linked = link(module, kernel, options, false, argument_registers(limit));
  const std::vector<Code> codes = compile_functions(linked, {limit, limit});
  for (const Code& code : codes) expect_no_early_overwrite(code);
  for (const Code& code : codes)
    for (unsigned layout = 0; layout < 2; ++layout)
      for (unsigned r = limit; r < kMaxRegisters; ++r)
        ASSERT_FALSE(code.used.registers[layout][r]) << kernel << " uses R" << r << " above " << limit;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const std::string error = ShadowRun(codes, seed).run(steps);
    ASSERT_EQ(error, "") << "kernel " << kernel << ", limit " << limit << ", seed " << seed;
  }
}

}  // namespace castor::compiler::test
