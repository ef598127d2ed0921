#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/functional/functional_device.h"
#include "compiler/compiler.h"
#include "platforms/machines.h"
#include "ptx/parser.h"

// Shared code of the compiler's tests: modules from text, and kernels that run on the functional machine.
namespace castor::compiler::test {

inline isa::Module module_of(std::string_view text) {
  return ptx::parse(".version 7.0\n.target sm_70\n.address_size 64\n" + std::string(text), "test.ptx");
}

/// A kernel `k` with a pointer to words `out` in %rd1 and a count `n` in %r1, the thread number in %r2, and registers
/// %r, %rd, %f, %fd, %p, %h to use. The body ends with what it stores: `finish` stores %r3 at out[thread].
inline std::string kernel(std::string_view body, std::string_view before = {}, bool finish = true) {
  return std::string(before) + R"(
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<64>;
  .reg .b16 %h<64>;
  .reg .b32 %r<400>;
  .reg .f32 %f<400>;
  .reg .b64 %rd<400>;
  .reg .f64 %fd<64>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 0;
)" + std::string(body) +
         (finish ? R"(
  mul.wide.u32 %rd399, %r2, 4;
  add.s64 %rd399, %rd1, %rd399;
  st.global.u32 [%rd399], %r3;
  ret;
}
)"
                 : "\n}\n");
}

inline gpu::Device& device() {
  static const platforms::LoadedMachine machine = platforms::load_machine("pascal_titanx_study");
  static gpu::functional::FunctionalDevice device(machine.machine, {});
  return device;
}

struct Outcome {
  std::vector<std::uint32_t> words;  ///< out[0..]
  std::string printed;
  std::string fault;  ///< message, empty if none
  isa::Program program;
};

/// Gives module-level variables device memory, functions a value.
inline isa::LinkOptions link_options(const isa::Module& module, unsigned limit) {
  isa::LinkOptions options;
  options.max_registers = limit;
  std::uint64_t next_function = 0x1000;
  for (const isa::Function& f : module.functions)
    if (!f.entry && f.defined) options.symbols[f.name] = next_function += 8;
  for (const isa::Variable& v : module.variables)
    if (v.space == isa::Space::kGlobal || v.space == isa::Space::kConst)
      options.symbols[v.name] =
          *device().store().allocate(std::max<std::uint64_t>(v.size, 1), gpu::AllocationKind::kModule, v.name);
  for (const isa::Variable& v : module.variables) {
    const auto at = options.symbols.find(v.name);
    if (at == options.symbols.end()) continue;
    std::byte* const host = device().store().host(at->second);
    if (!v.data.empty()) std::memcpy(host, v.data.data(), v.data.size());
    for (const isa::Relocation& r : v.relocations) {
      const std::uint64_t value = options.symbols.at(r.symbol) + static_cast<std::uint64_t>(r.addend);
      std::memcpy(host + r.offset, &value, r.width);
    }
  }
  return options;
}

/// Runs kernel `k` of a module in one block and returns the first `words` words of `out`.
inline Outcome run(const isa::Module& module, unsigned limit = 255, unsigned threads = 64, unsigned words = 64,
                   std::uint32_t n = 7, std::uint32_t dynamic_shared = 0) {
  Outcome outcome;
  gpu::Device& gpu = device();
  gpu.reset();
  gpu.set_print_sink([&](std::string_view text) { outcome.printed += text; });
  const auto program = compile(module, "k", link_options(module, limit));
  outcome.program = *program;
  const std::uint64_t out = *gpu.store().allocate(4 * words, gpu::AllocationKind::kHeap);
  gpu::KernelPacket packet;
  packet.program = gpu.load(program);
  packet.block.x = threads;
  packet.dynamic_shared = dynamic_shared;
  packet.parameters.resize(program->parameter_bytes);
  if (packet.parameters.size() >= 8) std::memcpy(packet.parameters.data(), &out, 8);
  if (packet.parameters.size() >= 12) std::memcpy(packet.parameters.data() + 8, &n, 4);
  (void)gpu.advance_until(gpu.submit(0, packet));
  if (gpu.fault()) outcome.fault = gpu.fault()->message;
  outcome.words.resize(words);
  std::memcpy(outcome.words.data(), gpu.store().host(out), 4 * words);
  gpu.store().free(out);
  return outcome;
}

/// "line: message" of the error that compiling `k` gives, or "no error".
inline std::string compile_error(const std::string& text, const isa::LinkOptions* options = nullptr) {
  const isa::Module module = module_of(text);
  try {
    if (options != nullptr)
      (void)compile(module, "k", *options);
    else
      (void)inspect(module, "k", {});
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where().file, "test.ptx");
    return std::to_string(error.where().line - 3) + ": " + error.message();
  }
  return "no error";
}

}  // namespace castor::compiler::test
