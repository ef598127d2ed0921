#include "castor/isa/types.h"

#include <array>

#include "castor/isa/timing_class.h"

namespace castor::isa {
namespace {

constexpr std::array<std::string_view, 22> kTypeNames = {"",     "b8",     "b16",  "b32", "b64", "b128", "u8",  "u16",
                                                         "u32",  "u64",    "s8",   "s16", "s32", "s64",  "f16", "f16x2",
                                                         "bf16", "bf16x2", "tf32", "f32", "f64", "pred"};
static_assert(kTypeNames.size() == static_cast<std::size_t>(Type::kPred) + 1);

constexpr std::array<std::string_view, 7> kSpaceNames = {"generic", "global", "shared", "local",
                                                         "const",   "param",  "reg"};
static_assert(kSpaceNames.size() == static_cast<std::size_t>(Space::kReg) + 1);

constexpr std::array<std::string_view, 33> kTimingNames = {
    "int",         "int_min_max", "int_shift", "int_mul",     "int_mad", "int_div", "popc",      "clz",      "convert",
    "shuffle",     "vote",        "f32_add",   "f32_min_max", "f32_mul", "f32_fma", "f32_div",   "f32_root", "f64",
    "f64_min_max", "f64_div",     "f64_root",  "special",     "sin_cos", "scaled",  "predicate", "load",     "store",
    "atomic",      "branch",      "barrier",   "fence",       "exit",    "system"};
static_assert(kTimingNames.size() == static_cast<std::size_t>(TimingClass::kCount));

}  // namespace

std::string_view name(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<Type> type_from_name(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (std::size_t i = 1; i < kTypeNames.size(); ++i)
    if (kTypeNames[i] == text) return static_cast<Type>(i);
  return std::nullopt;
}

std::string_view name(Space space) { return kSpaceNames[static_cast<std::size_t>(space)]; }

std::string_view key(TimingClass timing) { return kTimingNames[static_cast<std::size_t>(timing)]; }

}  // namespace castor::isa
