#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/isa/program.h"
#include "platforms/machines.h"

// Shared code of the tests of an SM's parts: programs of hand-made records, and warps that run them.
namespace castor::gpu::test {

inline Machine part_machine(const std::vector<std::string>& overrides = {},
                            const std::string& name = "kepler_k20c_study") {
  return platforms::load_machine(name, overrides).machine;
}

/// Returns the guard of a record: predicate `p`, or its negation.
inline std::uint8_t if_true(unsigned p) { return static_cast<std::uint8_t>(p); }
inline std::uint8_t if_false(unsigned p) { return static_cast<std::uint8_t>(p | 8); }

/// Computes the 32-bit sum of the first two sources. This is the handler of `Code::add`.
inline void add_lanes(const isa::Record& /*record*/, isa::LaneArgs& args) {
  for (LaneMask left = args.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(__builtin_ctzll(left));
    std::uint32_t a, b;
    std::memcpy(&a, args.src[0] + lane * 4, 4);
    std::memcpy(&b, args.src[1] + lane * 4, 4);
    a += b;
    std::memcpy(args.dst + lane * 4, &a, 4);
  }
}

/// A kernel, record by record.
class Code {
 public:
  Code() {
    program.kernel = "test";
    program.registers = 32;
    program.predicates = 8;
    program.functions.push_back({"test", 0, 0});
  }

  /// Appends arithmetic of `pool`'s class: r[dst] = r[a] + r[b].
  Code& add(unsigned dst, unsigned a, unsigned b, isa::TimingClass timing = isa::TimingClass::kInt) {
    isa::Record record = of(isa::Kind::kLane);
    record.handler = add_lanes;
    record.timing = timing;
    record.dst = static_cast<isa::OperandIndex>(dst);
    record.src[0] = static_cast<isa::OperandIndex>(a);
    record.src[1] = static_cast<isa::OperandIndex>(b);
    isa::RegisterUse use;
    use.dst = 1;
    use.src[0] = use.src[1] = 1;
    return put(record, use);
  }
  /// Appends a 32-bit load from the address in the pair r[address].
  Code& load(unsigned dst, unsigned address, isa::Space space = isa::Space::kGlobal, unsigned elements = 1) {
    isa::Record record = memory(isa::MemoryKind::kLoad, address, space, elements);
    record.dst = static_cast<isa::OperandIndex>(dst);
    isa::RegisterUse use;
    use.dst = static_cast<std::uint8_t>(elements);
    use.src[0] = 2;
    return put(record, use);
  }
  Code& store(unsigned value, unsigned address, isa::Space space = isa::Space::kGlobal) {
    isa::Record record = memory(isa::MemoryKind::kStore, address, space, 1);
    record.src[1] = static_cast<isa::OperandIndex>(value);
    isa::RegisterUse use;
    use.src[0] = 2;
    use.src[1] = 1;
    return put(record, use);
  }
  Code& branch(std::uint32_t target, std::uint32_t reconvergence, std::uint8_t guard = isa::kNoGuard) {
    isa::Record record = of(isa::Kind::kBranch);
    record.branch = {target, reconvergence};
    record.guard = guard;
    return put(record, guarded(guard));
  }
  /// Appends an indirect branch through table 0, which `table` fills; r[index] selects its entry.
  Code& branch_indirect(unsigned index, std::vector<std::uint32_t> table, std::uint32_t reconvergence) {
    isa::Record record = of(isa::Kind::kBranchIndirect);
    record.branch = {0, reconvergence};
    record.src[0] = static_cast<isa::OperandIndex>(index);
    record.imm = program.branch_tables.size();
    program.branch_tables.push_back(std::move(table));
    isa::RegisterUse use;
    use.src[0] = 1;
    return put(record, use);
  }
  Code& exit(std::uint8_t guard = isa::kNoGuard) {
    isa::Record record = of(isa::Kind::kExit);
    record.guard = guard;
    return put(record, guarded(guard));
  }
  /// Appends a barrier with number r[id], or 0, for all threads or for r[count].
  Code& barrier(isa::BarrierKind kind = isa::BarrierKind::kSync, isa::OperandIndex id = isa::kNoOperand,
                isa::OperandIndex count = isa::kNoOperand) {
    isa::Record record = of(isa::Kind::kBarrier);
    record.barrier = {kind, true};
    record.src[0] = id;
    record.src[1] = count;
    isa::RegisterUse use;
    use.src[0] = id != isa::kNoOperand;
    use.src[1] = count != isa::kNoOperand;
    return put(record, use);
  }
  Code& fence(isa::FenceScope scope) {
    isa::Record record = of(isa::Kind::kFence);
    record.imm = static_cast<std::uint64_t>(scope);
    return put(record, {});
  }
  /// Sleeps r[ns] nanoseconds.
  Code& sleep(unsigned ns) {
    isa::Record record = of(isa::Kind::kSleep);
    record.src[0] = static_cast<isa::OperandIndex>(ns);
    isa::RegisterUse use;
    use.src[0] = 1;
    return put(record, use);
  }
  /// Appends a device malloc. The register pair r[bytes] holds the size; the pair r[dst] gets the address.
  Code& allocate(unsigned dst, unsigned bytes) {
    isa::Record record = of(isa::Kind::kSystemCall);
    record.imm = static_cast<std::uint64_t>(isa::SystemCall::kMalloc);
    record.dst = static_cast<isa::OperandIndex>(dst);
    record.src[0] = static_cast<isa::OperandIndex>(bytes);
    isa::RegisterUse use;
    use.dst = 2;
    use.src[0] = 2;
    return put(record, use);
  }
  /// Appends a read of the low half of %clock into r[dst].
  Code& clock(unsigned dst) {
    isa::Record record = of(isa::Kind::kLane);
    record.handler = [](const isa::Record& /*record*/, isa::LaneArgs& args) {
      const auto value = static_cast<std::uint32_t>(args.context->clock);
      for (LaneMask left = args.mask; left != 0; left &= left - 1) {
        std::memcpy(args.dst + static_cast<std::size_t>(__builtin_ctzll(left)) * 4, &value, 4);
      }
    };
    record.imm = static_cast<std::uint64_t>(isa::SpecialRegister::kClock);
    record.dst = static_cast<isa::OperandIndex>(dst);
    isa::RegisterUse use;
    use.dst = 1;
    return put(record, use);
  }
  Code& trap() { return put(of(isa::Kind::kTrap), {}); }
  Code& nop() { return put(of(isa::Kind::kNop), {}); }

  isa::Program program;

 private:
  static isa::Record of(isa::Kind kind) {
    isa::Record record;
    record.kind = kind;
    return record;
  }
  static isa::RegisterUse guarded(std::uint8_t guard) {
    isa::RegisterUse use;
    if (guard != isa::kNoGuard) use.predicates_read = static_cast<std::uint8_t>(1U << (guard & 7));
    return use;
  }
  static isa::Record memory(isa::MemoryKind kind, unsigned address, isa::Space space, unsigned elements) {
    isa::Record record = of(isa::Kind::kMemory);
    record.memory = {};
    record.memory.kind = kind;
    record.memory.space = space;
    record.memory.type = isa::Type::kU32;
    record.memory.elements = static_cast<std::uint8_t>(elements);
    record.memory.register_bits = 32;
    record.memory.address_bits = 64;
    record.src[0] = static_cast<isa::OperandIndex>(address);
    return record;
  }
  Code& put(const isa::Record& record, const isa::RegisterUse& use) {
    program.code.push_back(record);
    program.uses.push_back(use);
    program.functions[0].count = static_cast<std::uint32_t>(program.code.size());
    return *this;
  }
};

/// A kernel as the front end would hold it, for blocks of `threads`.
struct PartKernel {
  PartKernel(const Machine& machine, Code code, unsigned threads, unsigned blocks = 64)
      : program(std::move(code.program)), decoded(machine, program) {
    context.program = &program;
    context.grid = {blocks, 1, 1};
    context.block = {threads, 1, 1};
    context.code_base = std::uint64_t{1} << 32;
    const unsigned warps = (threads + machine.sm.lanes - 1) / machine.sm.lanes;
    context.need.warps = static_cast<std::uint16_t>(warps);
    context.need.threads = static_cast<std::uint16_t>(warps * machine.sm.lanes);
    const unsigned per_warp = program.registers * machine.sm.lanes;
    context.need.reg_units =
        static_cast<std::uint16_t>(warps * ((per_warp + machine.sm.reg_alloc_unit - 1) / machine.sm.reg_alloc_unit));
  }
  PartKernel(const PartKernel&) = delete;
  PartKernel& operator=(const PartKernel&) = delete;

  isa::Program program;
  DecodedProgram decoded;
  KernelContext context;
};

/// Starts the warps of a block in the lowest free slots, as an SM does.
inline WarpMask start_warps(WarpTable& table, const PartKernel& kernel, unsigned tb = 0) {
  WarpMask warps = 0;
  for (unsigned i = 0; i < kernel.context.need.warps; ++i) {
    const unsigned slot = lowest(~(table.used() | warps));
    table.start(slot, {&kernel.context, &kernel.decoded, kernel.context.item(), {tb, 0, 0}, tb, i});
    warps |= warp_bit(slot);
  }
  table.admit(warps, false);
  return warps;
}

/// Returns one lane of a 32-bit register.
inline std::uint32_t lane_of(WarpTable& table, unsigned warp, unsigned reg, unsigned lane) {
  std::uint32_t value;
  std::memcpy(&value, table.view(warp).dst(static_cast<isa::OperandIndex>(reg)) + std::size_t{lane} * 4, 4);
  return value;
}
inline void set_lanes(WarpTable& table, unsigned warp, unsigned reg, std::uint32_t value) {
  std::byte* const row = table.view(warp).dst(static_cast<isa::OperandIndex>(reg));
  for (unsigned lane = 0; lane < table.lanes(); ++lane) std::memcpy(row + std::size_t{lane} * 4, &value, 4);
}

}  // namespace castor::gpu::test
