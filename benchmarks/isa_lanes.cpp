// Measures the host time of one instruction on one warp, for each build of the instruction handlers (avx2, baseline).
// Argument: 0 = 32 lanes, full mask; 1 = 32 lanes, every second lane active; 2 = 64 lanes, full mask.

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <random>

#include "castor/isa/instruction_table.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/simt_stack.h"
#include "castor/isa/warp_context.h"

namespace {

using namespace castor::isa;  // NOLINT(google-build-using-namespace): a program of its own

struct State {
  alignas(64) std::byte rows[5][kMaxLanes * 8] = {};
  LaneMask predicates[8] = {};
  WarpContext context;
};

void lane_operation(benchmark::State& state, const std::string& variant, const std::string& spelling) {
  const InstructionTable& table = InstructionTable::of_variant(variant);
  LookupError error;
  const Match match = table.find(spelling, error);
  if (!match.valid()) return state.SkipWithError(error.message.c_str());
  auto warp = std::make_unique<State>();
  std::mt19937 random(1);
  const bool wide = bits(match.type(match.row().specs.back())) == 64;
  const bool is_float = castor::isa::is_float(match.type(match.row().specs.back()));
  for (auto& row : warp->rows) {
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
      const double d = 1.0 + static_cast<double>(random() % 1000) / 1000;
      const auto f = static_cast<float>(d);
      const std::uint64_t n = random() % 31;
      if (wide)
        std::memcpy(row + 8 * lane, is_float ? static_cast<const void*>(&d) : &n, 8);
      else
        std::memcpy(row + 4 * lane, is_float ? static_cast<const void*>(&f) : &n, 4);
    }
  }
  Record record;
  record.handler = match.row().select(match);
  if (match.row().immediate != nullptr) record.imm = match.row().immediate(match);
  record.dst = 0;
  record.predicate_dst = 1 | 2 << 4;
  LaneArgs args;
  args.dst = warp->rows[0];
  for (unsigned i = 0; i < 4; ++i) args.src[i] = warp->rows[i + 1];
  // The row that holds the member mask of a `.sync` operation names all lanes.
  if (spelling.find("sync") != std::string::npos) {
    auto& members = warp->rows[spelling[0] == 'v' ? 1 : 4];
    std::memset(members, 0xff, sizeof members);
  }
  args.predicates = warp->predicates;
  args.context = &warp->context;
  args.halves = state.range(0) == 2 ? 2 : 1;
  args.mask = state.range(0) == 0 ? 0xffffffffu : state.range(0) == 1 ? 0x55555555u : ~LaneMask{0};
  for (auto _ : state) {
    record.handler(record, args);
    benchmark::ClobberMemory();
  }
}

void memory_operation(benchmark::State& state, const std::string& spelling) {
  LookupError error;
  const Match match = InstructionTable::instance().find(spelling, error);
  if (!match.valid()) return state.SkipWithError(error.message.c_str());
  auto access = std::make_unique<Access>();
  alignas(64) static std::byte rows[8 * 32 * 4];
  alignas(64) static std::byte memory[32 * 16];
  LaneMask predicates[8] = {};
  RegisterView view;
  view.registers = rows;
  view.predicates = predicates;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint64_t address = lane * bytes(match.type("t"));
    std::memcpy(rows + 8 * lane, &address, 8);
  }
  Record record;
  record.kind = Kind::kMemory;
  record.memory = memory_op(match);
  record.memory.register_bits = bits(match.type("t")) == 64 ? 64 : 32;
  record.memory.address_bits = 64;
  record.dst = 2;
  record.src[0] = 0;
  record.src[1] = 4;
  for (auto _ : state) {
    address(record, view, 0xffffffffu, *access);
    for (unsigned lane = 0; lane < 32; ++lane) perform_lane(*access, lane, memory + access->address[lane]);
    complete(record, view, *access);
    benchmark::ClobberMemory();
  }
}

void find_spelling(benchmark::State& state) {
  const InstructionTable& table = InstructionTable::instance();
  LookupError error;
  for (auto _ : state) benchmark::DoNotOptimize(table.find("ld.global.nc.v4.f32", error));
}

void divergent_branch(benchmark::State& state) {
  SimtStack stack;
  stack.start(0xffffffffu, 0);
  for (auto _ : state) {
    stack.jump(0);
    stack.branch({10, 20}, 0xffff);
    stack.jump(20);
    stack.jump(20);
    benchmark::DoNotOptimize(stack.active());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const spellings[] = {"add.f32",
                                   "mul.f32",
                                   "fma.rn.f32",
                                   "div.rn.f32",
                                   "sqrt.rn.f32",
                                   "ex2.approx.f32",
                                   "add.f64",
                                   "fma.rn.f64",
                                   "div.rn.f64",
                                   "add.s32",
                                   "mad.lo.s32",
                                   "mul.hi.u32",
                                   "mul.wide.s32",
                                   "add.s64",
                                   "mul.lo.s64",
                                   "div.u32",
                                   "rem.s64",
                                   "shl.b32",
                                   "shr.s32",
                                   "and.b32",
                                   "lop3.b32",
                                   "bfe.u32",
                                   "prmt.b32",
                                   "popc.b32",
                                   "clz.b32",
                                   "brev.b32",
                                   "setp.lt.s32",
                                   "setp.lt.and.f32",
                                   "setp.eq.s64",
                                   "selp.b32",
                                   "selp.b64",
                                   "mov.u32",
                                   "mov.b64",
                                   "min.s32",
                                   "cvt.rn.f32.s32",
                                   "cvt.s64.s32",
                                   "cvt.u32.u64",
                                   "cvt.rzi.s32.f32",
                                   "add.cc.u32",
                                   "and.pred",
                                   "shfl.sync.bfly.b32",
                                   "vote.sync.ballot.b32",
                                   "add.u16",
                                   "dp4a.s32.s32",
                                   "cvta.shared.u64"};
  for (const std::string variant : {"avx2", "baseline"}) {
    if (variant == "avx2" && !InstructionTable::has_avx2()) continue;
    for (const std::string spelling : spellings)
      benchmark::RegisterBenchmark((spelling + "/" + variant).c_str(), lane_operation, variant, spelling)
          ->Arg(0)
          ->Arg(1)
          ->Arg(2);
  }
  for (const std::string spelling :
       {"ld.global.f32", "ld.global.f64", "ld.global.s8", "st.global.f32", "atom.global.add.u32"})
    benchmark::RegisterBenchmark(spelling.c_str(), memory_operation, spelling);
  benchmark::RegisterBenchmark("find", find_spelling);
  benchmark::RegisterBenchmark("divergent branch", divergent_branch);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
