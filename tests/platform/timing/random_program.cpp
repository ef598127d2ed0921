#include "platform/timing/random_program.h"

#include <cstring>

namespace castor::gpu::timing_test {
namespace {

constexpr std::array<int, 4> kGuardBits = {0, 2, 4, 6};  // bits of the thread's number: they select lanes, half warps,
                                                         // or warps
constexpr std::array<const char*, 4> kAtomics = {"add.u32", "exch.b32", "xor.b32", "max.u32"};

std::uint32_t apply(unsigned atomic, std::uint32_t old, std::uint32_t value) {
  switch (atomic) {
    case 0:
      return old + value;
    case 1:
      return value;
    case 2:
      return old ^ value;
    default:
      return old > value ? old : value;
  }
}

std::string r(unsigned n) { return "%r" + std::to_string(n); }

}  // namespace

RandomProgram::RandomProgram(std::uint64_t seed, const Size& size) : size_(size), random_(seed) {
  constexpr std::array<unsigned, 5> kMultipliers = {1, 3, 5, 17, 33};
  multiplier_ = kMultipliers[random_.below(kMultipliers.size())];
  declarations_ = ".shared .align 8 .b8 shared_units[" + std::to_string(kShared * 8 * size_.threads) + "];";
  body_ = ".local .align 8 .b8 local_units[" + std::to_string(kLocal * 8) +
          "];\n"
          "mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.u32 %r0, %r4, %r5, %r3;\n"
          "mul.lo.u32 %r6, %r0, " +
          std::to_string(multiplier_) + "; and.b32 %r6, %r6, " + std::to_string(total() - 1) +
          "; mad.wide.u32 %rd10, %r6, 8, %rd0;\n"
          "mov.u32 %r40, shared_units; mad.lo.u32 %r40, %r3, 8, %r40; mov.u64 %rd11, local_units;\n"
          "mov.u32 %r1, %r0; mov.u32 %r2, 0; mov.u32 %r7, 0;\n";
  for (std::size_t i = 0; i < kGuardBits.size(); ++i) {
    body_ += "and.b32 %r8, %r0, " + std::to_string(1 << kGuardBits[i]) + "; setp.ne.u32 %p" + std::to_string(i) +
             ", %r8, 0;\n";
  }
  for (unsigned i = 0; i < kValues; ++i) body_ += "mov.u32 " + r(10 + i) + ", 0; mov.u32 " + r(20 + i) + ", 0;\n";
  for (unsigned j = 0; j < kShared; ++j) {
    body_ += "st.shared.v2.u32 [%r40+" + std::to_string(j * 8 * size_.threads) + "], {%r7, %r7};\n";
  }
  for (unsigned j = 0; j < kLocal; ++j) {
    body_ += "st.local.v2.u32 [%rd11+" + std::to_string(j * 8) + "], {%r7, %r7};\n";
  }
  body_ += "again:\n";
  for (unsigned i = 0; i < size_.steps; ++i) {
    const auto kind = random_.below(24);
    if (kind == 0) {
      constexpr std::array<const char*, 3> kFences = {"membar.gl;\n", "membar.cta;\n", "bar.sync 0;\n"};
      body_ += kFences[random_.below(kFences.size())];
    }
    if (size_.racy && random_.below(4) == 0) emit_racy();
    Step step = random_step();
    const bool branched = step.guard_bit >= 0 && random_.below(2) == 0;
    emit(step, branched);
    if (step.op == Op::kLoad && random_.below(3) == 0) {  // load x, store x, keep the loaded value
      step.op = Op::kStore;
      step.constant = static_cast<std::uint32_t>(random_());
      emit(step, branched);
    }
  }
  body_ += "add.u32 %r2, %r2, 1; setp.lt.u32 %p7, %r2, " + std::to_string(size_.rounds) + "; @%p7 bra again;\n";
  for (unsigned i = 0; i < kValues; ++i) {
    body_ += "mad.lo.u32 %r1, %r1, 5, " + r(10 + i) + "; mad.lo.u32 %r1, " + r(20 + i) + ", 3, %r1;\n";
  }
  body_ += "mad.wide.u32 %rd12, %r0, 4, %rd1; st.global.u32 [%rd12], %r1; ret;";
}

RandomProgram::Step RandomProgram::random_step() {
  Step step;
  const auto where = random_.below(10);
  step.where = where < 7 ? Where::kGlobalUnit : where < 8 ? Where::kSharedUnit : Where::kLocalUnit;
  const auto op = random_.below(12);
  step.op = op < 4 ? Op::kLoad : op < 8 ? Op::kStore : op < 9 ? Op::kAtomic : op < 10 ? Op::kReduction : Op::kUse;
  const bool atomic = step.op == Op::kAtomic || step.op == Op::kReduction;
  if (atomic && step.where == Where::kLocalUnit) step.where = Where::kGlobalUnit;
  const unsigned units = step.where == Where::kGlobalUnit   ? kGlobal
                         : step.where == Where::kSharedUnit ? kShared
                                                            : kLocal;
  step.unit = static_cast<unsigned>(random_.below(units));
  constexpr std::array<unsigned, 6> kSizes = {4, 4, 4, 8, 1, 2};
  step.bytes = atomic ? 4 : kSizes[random_.below(kSizes.size())];
  step.offset = static_cast<unsigned>(random_.below(8 / step.bytes)) * step.bytes;
  step.value = static_cast<unsigned>(random_.below(kValues));
  step.constant = static_cast<std::uint32_t>(random_());
  step.atomic = static_cast<unsigned>(random_.below(kAtomics.size()));
  if (step.op == Op::kReduction && step.atomic == 1) step.atomic = 0;  // PTX has no such reduction
  if (random_.below(3) == 0) step.guard_bit = kGuardBits[random_.below(kGuardBits.size())];
  if (step.op == Op::kUse) step.guard_bit = -1;
  return step;
}

void RandomProgram::emit(const Step& step, bool branched) {
  steps_.push_back(step);
  if (step.op == Op::kUse) {
    body_ +=
        "mad.lo.u32 %r1, %r1, 5, " + r(10 + step.value) + "; mad.lo.u32 %r1, " + r(20 + step.value) + ", 3, %r1;\n";
    return;
  }
  if (step.op != Op::kLoad) body_ += "add.u32 %r9, %r1, " + std::to_string(step.constant) + ";\n";
  std::string guard, end;
  if (step.guard_bit >= 0) {
    unsigned index = 0;
    while (kGuardBits[index] != step.guard_bit) ++index;
    const std::string predicate = "%p" + std::to_string(index);
    if (branched) {
      end = "skip" + std::to_string(labels_++);
      body_ += "@!" + predicate + " bra " + end + ";\n";
    } else {
      guard = "@" + predicate + " ";
    }
  }
  const char* const space = step.where == Where::kGlobalUnit   ? "global"
                            : step.where == Where::kSharedUnit ? "shared"
                                                               : "local";
  const std::string address =
      step.where == Where::kGlobalUnit   ? "[%rd10+" + std::to_string(step.unit * 8 * total() + step.offset) + "]"
      : step.where == Where::kSharedUnit ? "[%r40+" + std::to_string(step.unit * 8 * size_.threads + step.offset) + "]"
                                         : "[%rd11+" + std::to_string(step.unit * 8 + step.offset) + "]";
  const std::string type = step.bytes == 8 ? ".v2.u32 " : ".u" + std::to_string(8 * step.bytes) + " ";
  if (step.op == Op::kLoad) {
    constexpr std::array<const char*, 7> kLoads = {
        "ld.global", "ld.global", "ld.global.ca", "ld.global.cg", "ld.volatile.global", "ld.relaxed.gpu.global", "ld"};
    const std::string load =
        step.where == Where::kGlobalUnit ? kLoads[random_.below(kLoads.size())] : std::string("ld.") + space;
    const std::string lo = r(10 + step.value);
    body_ += guard + load + type + (step.bytes == 8 ? "{" + lo + ", " + r(20 + step.value) + "}" : lo) + ", " +
             address + ";\n";
  } else if (step.op == Op::kStore) {
    constexpr std::array<const char*, 6> kStores = {
        "st.global", "st.global", "st.global.cg", "st.volatile.global", "st.relaxed.gpu.global", "st"};
    const std::string store =
        step.where == Where::kGlobalUnit ? kStores[random_.below(kStores.size())] : std::string("st.") + space;
    body_ += guard + store + type + address + ", " + (step.bytes == 8 ? "{%r9, %r1}" : "%r9") + ";\n";
  } else if (step.op == Op::kAtomic) {
    body_ +=
        guard + "atom." + space + "." + kAtomics[step.atomic] + " " + r(10 + step.value) + ", " + address + ", %r9;\n";
  } else {
    body_ += guard + "red." + space + "." + kAtomics[step.atomic] + " " + address + ", %r9;\n";
  }
  if (!end.empty()) body_ += end + ":\n";
}

void RandomProgram::emit_racy() {
  body_ += "and.b32 %r50, %r1, " + std::to_string(kRacyWords - 1) + "; mad.wide.u32 %rd13, %r50, 4, %rd2;\n";
  constexpr std::array<const char*, 4> kAccesses = {
      "atom.global.add.u32 %r51, [%rd13], 1; mad.lo.u32 %r1, %r1, 3, %r51;\n",
      "ld.global.u32 %r51, [%rd13]; mad.lo.u32 %r1, %r1, 3, %r51;\n",
      "ld.volatile.global.u32 %r51, [%rd13]; mad.lo.u32 %r1, %r1, 3, %r51;\n",
      "st.global.u32 [%rd13], %r1;\n",
  };
  body_ += kAccesses[random_.below(kAccesses.size())];
}

std::vector<std::uint32_t> RandomProgram::reference(std::vector<std::uint8_t>& global) const {
  std::vector<std::uint32_t> results(total());
  for (unsigned t = 0; t < total(); ++t) {
    std::array<std::uint8_t, kShared * 8> shared{};
    std::array<std::uint8_t, kLocal * 8> local{};
    std::array<std::uint32_t, kValues> low{}, high{};
    std::uint32_t sum = t;
    const auto use = [&](unsigned k) {
      sum = sum * 5 + low[k];
      sum = high[k] * 3 + sum;
    };
    const auto unit = [&](const Step& step) -> std::uint8_t* {
      switch (step.where) {
        case Where::kGlobalUnit:
          return global.data() + 8 * (std::size_t{step.unit} * total() + place(t)) + step.offset;
        case Where::kSharedUnit:
          return shared.data() + std::size_t{8} * step.unit + step.offset;
        default:
          return local.data() + std::size_t{8} * step.unit + step.offset;
      }
    };
    for (unsigned round = 0; round < size_.rounds; ++round) {
      for (const Step& step : steps_) {
        if (step.guard_bit >= 0 && (t >> step.guard_bit & 1) == 0) continue;
        const std::array<std::uint32_t, 2> stored = {sum + step.constant, sum};
        std::array<std::uint32_t, 2> loaded{};
        switch (step.op) {
          case Op::kUse:
            use(step.value);
            break;
          case Op::kLoad:
            std::memcpy(loaded.data(), unit(step), step.bytes);
            low[step.value] = loaded[0];
            if (step.bytes == 8) high[step.value] = loaded[1];
            break;
          case Op::kStore:
            std::memcpy(unit(step), stored.data(), step.bytes);
            break;
          case Op::kAtomic:
          case Op::kReduction: {
            std::memcpy(loaded.data(), unit(step), 4);
            const std::uint32_t next = apply(step.atomic, loaded[0], stored[0]);
            std::memcpy(unit(step), &next, 4);
            if (step.op == Op::kAtomic) low[step.value] = loaded[0];
            break;
          }
          case Op::kNothing:
            break;
        }
      }
    }
    for (unsigned k = 0; k < kValues; ++k) use(k);
    results[t] = sum;
  }
  return results;
}

}  // namespace castor::gpu::timing_test
