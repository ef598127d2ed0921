#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "unit/gpu_sm_support.h"

/// Kernels with marks for a fetch filter on an SM; thread t of block b writes word 64 + 128 b + t of an array.
namespace castor::darsie::test {

enum Mark : std::uint8_t { kVector, kConditional, kRedundant };

/// Marks straight code with loops over uniform bounds: constants, parameters and loads through addresses that are
/// redundant are redundant, tid.x is if the block's shape allows; what several of these go into is the weakest.
inline std::shared_ptr<isa::Program> marked(const isa::Program& program) {
  auto result = std::make_shared<isa::Program>(program);
  result->marks.assign(program.code.size(), kVector);
  result->renamed_registers = std::min(program.registers, 32U);
  std::map<unsigned, Mark> classes;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const isa::Record& record = program.code[i];
    const isa::RegisterUse& use = program.uses[i];
    const bool load = record.kind == isa::Kind::kMemory && record.memory.kind == isa::MemoryKind::kLoad;
    const bool tid_x = program.spellings[i].find("%tid.x") != std::string::npos;
    const bool special = program.spellings[i].find('%') != std::string::npos;
    const bool pure = (record.kind == isa::Kind::kLane && !special) || load || tid_x;
    Mark mark = tid_x ? kConditional : kRedundant;
    if (!pure || record.guard != isa::kNoGuard || use.predicates_read != 0 || use.predicates_written != 0) {
      mark = kVector;
    }
    for (unsigned k = 0; k < 4; ++k) {
      for (unsigned r = 0; r < use.src[k]; ++r) {
        const auto found = classes.find(record.src[k] + r);
        mark = std::min(mark, found == classes.end() ? kVector : found->second);
      }
    }
    for (unsigned r = 0; r < use.dst; ++r) classes[record.dst + r] = mark;
    if (use.dst == 1 || use.dst == 2) result->marks[i] = mark;
  }
  return result;
}

struct Kernel {
  std::string body;
  gpu::Dim3 block{16, 8, 1};
  std::string before{};
  unsigned tbs = 1;
};

inline constexpr unsigned kMemoryBytes = 32768;

/// Fills the array: some numbers at its beginning, zeros after them.
inline void fill_memory(gpu::test::Rig& rig, std::uint64_t memory) {
  const std::uint32_t input[] = {1000, 0, 7, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  std::memset(rig.store->host(memory), 0, kMemoryBytes);
  std::memcpy(rig.store->host(memory), input, sizeof input);
}

/// Loads the kernel with redundancy marks.
inline gpu::test::Kernel& load_marked(gpu::test::Rig& rig, const Kernel& what, std::uint64_t memory) {
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &memory, 8);
  const gpu::test::Kernel& plain = rig.load(what.body, {4}, what.block, 0, what.before);
  gpu::test::Kernel& kernel = rig.hold(marked(*plain.program), {4}, what.block, 0, parameters);
  kernel.context.fit = 4;
  return kernel;
}

/// Returns the words that `tbs` thread blocks have written.
inline std::vector<std::uint32_t> words_of(const gpu::test::Rig& rig, std::uint64_t memory, unsigned tbs) {
  std::vector<std::uint32_t> result(128 * tbs);
  std::memcpy(result.data(), rig.store->host(memory + 256), 4 * result.size());
  return result;
}

/// Registers %rd0 the array, %r10 the linear thread index, %rd4 where the thread writes (at +256).
inline const char* const kStart = R"(
  ld.param.u64 %rd0, [out];
  mov.u32 %r11, %tid.x; mov.u32 %r12, %tid.y; mov.u32 %r13, %ntid.x; mad.lo.u32 %r10, %r12, %r13, %r11;
  mov.u32 %r14, %ctaid.x; mad.lo.u32 %r15, %r14, 128, %r10; mul.wide.u32 %rd4, %r15, 4; add.u64 %rd4, %rd4, %rd0;
)";
/// Code whose results depend only on parameters and tid.x, in %r4, %r5, %r6, %r8 (32 bits) and %rd1.
inline const char* const kRedundantCode = R"(
  mad.lo.u32 %r3, %r11, 23, 5; xor.b32 %r4, %r3, %r11; add.u32 %r5, %r4, 7; mul.wide.u32 %rd1, %r5, 3;
  ld.global.u32 %r6, [%rd0]; and.b32 %r7, %r11, 7; mul.wide.u32 %rd2, %r7, 4; add.u64 %rd2, %rd2, %rd0;
  ld.global.u32 %r8, [%rd2+8]; add.u32 %r8, %r8, %r4;
)";
inline const char* const kEnd = "st.global.u32 [%rd4+256], %r9; ret;";

}  // namespace castor::darsie::test
