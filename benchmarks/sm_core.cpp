// Measures one SM of the timing machine: host time per warp instruction of arithmetic kernels and of a kernel that uses
// shared memory.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <systemc>

#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/sm.h"
#include "compiler/compiler.h"
#include "platforms/machines.h"
#include "ptx/parser.h"

namespace {

using namespace castor;
using namespace castor::gpu;

// Answers the SM's instruction-cache misses. The kernels access no other memory outside the SM.
struct Network final : sc_core::sc_module, Unit {
  explicit Network(const sc_core::sc_module_name& name) : sc_module(name) {}
  void tick(Cycle now) override {
    while (port.request(now) != nullptr) port.reply(port.take_request(now), 1, now, now + 100);
  }
  TargetPort port{"port", *this, 1U << 20};
};

const char* const kArithmetic = R"(
  mov.u32 %r1, 400;
LOOP:
  fma.rn.f32 %f1, %f1, %f0, %f0;
  fma.rn.f32 %f2, %f2, %f0, %f0;
  fma.rn.f32 %f3, %f3, %f0, %f0;
  fma.rn.f32 %f4, %f4, %f0, %f0;
  add.u32 %r2, %r2, %r1;
  add.u32 %r3, %r3, %r2;
  xor.b32 %r4, %r4, %r2;
  fma.rn.f32 %f5, %f5, %f0, %f0;
  fma.rn.f32 %f6, %f6, %f0, %f0;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra LOOP;
  add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f5, %f5, %f6; add.u32 %r3, %r3, %r4;
  ret;)";

// The inner loop of a tiled matrix multiply. Each multiply-add has two shared loads: one address for half a warp (a
// broadcast), and one word per lane.
const char* const kShared = R"(
  mov.u32 %r1, 100;
  mov.u32 %r2, %tid.x;
  and.b32 %r3, %r2, 15; shl.b32 %r3, %r3, 2;
  shr.u32 %r4, %r2, 4; shl.b32 %r4, %r4, 6;
LOOP:
  ld.shared.f32 %f1, [%r4];
  ld.shared.f32 %f2, [%r3+1024];
  fma.rn.f32 %f0, %f1, %f2, %f0;
  ld.shared.f32 %f3, [%r4+4];
  ld.shared.f32 %f4, [%r3+1088];
  fma.rn.f32 %f0, %f3, %f4, %f0;
  ld.shared.f32 %f5, [%r4+8];
  ld.shared.f32 %f6, [%r3+1152];
  fma.rn.f32 %f0, %f5, %f6, %f0;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  bar.sync 0;
  @%p1 bra LOOP;
  ret;)";

void run(benchmark::State& state, const char* machine_name, const char* body) {
  const Machine machine = platforms::load_machine(machine_name, {}).machine;
  static Store store(Store::Options{std::uint64_t{64} << 20, false});
  static unsigned count = 0;
  base::StatisticGroup statistics("gpu");
  const std::string number = std::to_string(count++);
  Sm sm(("sm" + number).c_str(), machine, 0, store, statistics);
  Network network(("network" + number).c_str());
  connect(sm.memory, network.port);

  const std::string text =
      ".version 7.0\n.target sm_70\n.address_size 64\n.shared .align 4 .b8 s[4096];\n.visible .entry k()\n{\n.reg .b32 "
      "%r<16>; .reg .f32 %f<16>; .reg .pred %p<4>;\nmov.u32 %r0, s;\n" +
      std::string(body) + "\n}\n";
  isa::LinkOptions options;
  options.lanes = machine.sm.lanes;
  const auto program = compiler::compile(ptx::parse(text, "benchmark"), "k", options);
  KernelContext kernel;
  const std::size_t row = std::size_t{machine.sm.lanes} * 4;
  std::unique_ptr<std::byte, void (*)(void*)> constants(
      static_cast<std::byte*>(std::aligned_alloc(64, row * (program->constant_rows + 1))), std::free);
  for (std::size_t i = 0; i < program->constants.size(); ++i) {
    for (unsigned lane = 0; lane < machine.sm.lanes; ++lane) {
      std::memcpy(constants.get() + program->constant_row[i] * row + lane * 4, &program->constants[i].bits, 4);
    }
  }
  kernel.program = program.get();
  kernel.constants = constants.get();
  kernel.block = {256, 1, 1};
  kernel.shared_bytes = 4096;
  kernel.code_base = store.allocate(program->code.size() * 8, AllocationKind::kCode).value();
  const unsigned tbs = machine.sm.warps * machine.sm.lanes / 256;

  Cycle now = 0;
  std::uint64_t instructions = 0, ticks = 0;
  for (auto _ : state) {
    for (unsigned i = 0; i < tbs; ++i) {
      TbStartMessage message;
      message.visible = now + 1;
      message.kernel = &kernel;
      message.item = kernel.item();
      message.gid = i;
      sm.start(message);
    }
    for (unsigned done = 0; done < tbs;) {
      ++now;
      if (sm.wake() <= now) {
        sm.tick(now);
        sm.hand_over(now);
        ++ticks;
      }
      network.tick(now);
      while (const TbRetireMessage* const message = sm.retired().head(now)) {
        instructions += message->warp_instructions;
        sm.retired().pop();
        sm.done_drained(now);
        ++done;
      }
    }
  }
  state.counters["time/instruction"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["instructions/tick"] = static_cast<double>(instructions) / static_cast<double>(ticks);
}

void arithmetic(benchmark::State& state) { run(state, "kepler_k20c_study", kArithmetic); }
void arithmetic_pascal(benchmark::State& state) { run(state, "pascal_titanx_study", kArithmetic); }
void shared_memory(benchmark::State& state) { run(state, "kepler_k20c_study", kShared); }
BENCHMARK(arithmetic)->Unit(benchmark::kMillisecond);
BENCHMARK(arithmetic_pascal)->Unit(benchmark::kMillisecond);
BENCHMARK(shared_memory)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
