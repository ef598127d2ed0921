#include "ptx/special_registers.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace castor::ptx {
namespace {

using isa::SpecialRegister;

constexpr ReadableRegister kReadable[] = {
    {"%tid.x", SpecialRegister::kTidX, 32, 16},
    {"%tid.y", SpecialRegister::kTidY, 32, 16},
    {"%tid.z", SpecialRegister::kTidZ, 32, 16},
    {"%ntid.x", SpecialRegister::kNtidX, 32, 16},
    {"%ntid.y", SpecialRegister::kNtidY, 32, 16},
    {"%ntid.z", SpecialRegister::kNtidZ, 32, 16},
    {"%ctaid.x", SpecialRegister::kCtaidX, 32, 16},
    {"%ctaid.y", SpecialRegister::kCtaidY, 32, 16},
    {"%ctaid.z", SpecialRegister::kCtaidZ, 32, 16},
    {"%nctaid.x", SpecialRegister::kNctaidX, 32, 16},
    {"%nctaid.y", SpecialRegister::kNctaidY, 32, 16},
    {"%nctaid.z", SpecialRegister::kNctaidZ, 32, 16},
    {"%clusterid.x", SpecialRegister::kCtaidX, 32, 0},
    {"%clusterid.y", SpecialRegister::kCtaidY, 32, 0},
    {"%clusterid.z", SpecialRegister::kCtaidZ, 32, 0},
    {"%nclusterid.x", SpecialRegister::kNctaidX, 32, 0},
    {"%nclusterid.y", SpecialRegister::kNctaidY, 32, 0},
    {"%nclusterid.z", SpecialRegister::kNctaidZ, 32, 0},
    {"%laneid", SpecialRegister::kLaneId, 32, 0},
    {"%warpid", SpecialRegister::kWarpId, 32, 0},
    {"%nwarpid", SpecialRegister::kNwarpId, 32, 0},
    {"%smid", SpecialRegister::kSmId, 32, 0},
    {"%nsmid", SpecialRegister::kNsmId, 32, 0},
    {"%gridid", SpecialRegister::kGridId, 64, 32},
    {"%lanemask_eq", SpecialRegister::kLanemaskEq, 32, 0},
    {"%lanemask_le", SpecialRegister::kLanemaskLe, 32, 0},
    {"%lanemask_lt", SpecialRegister::kLanemaskLt, 32, 0},
    {"%lanemask_ge", SpecialRegister::kLanemaskGe, 32, 0},
    {"%lanemask_gt", SpecialRegister::kLanemaskGt, 32, 0},
    {"%clock", SpecialRegister::kClock, 32, 0},
    {"%clock_hi", SpecialRegister::kClockHi, 32, 0},
    {"%clock64", SpecialRegister::kClock64, 64, 0},
    {"%globaltimer", SpecialRegister::kGlobalTimer, 64, 0},
    {"%globaltimer_lo", SpecialRegister::kGlobalTimerLo, 32, 0},
    {"%globaltimer_hi", SpecialRegister::kGlobalTimerHi, 32, 0},
    {"%total_smem_size", SpecialRegister::kTotalSmemSize, 32, 0},
    {"%dynamic_smem_size", SpecialRegister::kDynamicSmemSize, 32, 0},
    {"%envreg0", SpecialRegister::kCooperative, 32, 0},
    {"%envreg1", SpecialRegister::kGridWorkspaceHigh, 32, 0},
    {"%envreg2", SpecialRegister::kGridWorkspaceLow, 32, 0},
};

/// Special register of constant value.
struct ConstantRegister {
  std::string_view name;
  std::uint32_t value;
};

// Clusters hold a single thread block.
constexpr ConstantRegister kConstants[] = {
    {"%tid.w", 0},
    {"%ntid.w", 0},
    {"%ctaid.w", 0},
    {"%nctaid.w", 0},
    {"%clusterid.w", 0},
    {"%nclusterid.w", 0},
    {"%cluster_ctaid.x", 0},
    {"%cluster_ctaid.y", 0},
    {"%cluster_ctaid.z", 0},
    {"%cluster_ctaid.w", 0},
    {"%cluster_nctaid.x", 1},
    {"%cluster_nctaid.y", 1},
    {"%cluster_nctaid.z", 1},
    {"%cluster_nctaid.w", 0},
    {"%cluster_ctarank", 0},
    {"%cluster_nctarank", 1},
};

// Returns the entry of that name in a table; null if there is none.
template <class Entry, std::size_t kCount>
const Entry* find(const Entry (&table)[kCount], std::string_view name) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [name](const Entry& entry) { return entry.name == name; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

const ReadableRegister* readable_register(std::string_view name) { return find(kReadable, name); }

const std::uint32_t* constant_register(std::string_view name) {
  const ConstantRegister* const constant = find(kConstants, name);
  return constant != nullptr ? &constant->value : nullptr;
}

const isa::Unsupported* refused_register(std::string_view name) {
  for (const isa::Unsupported& refused : isa::InstructionTable::instance().refused()) {
    const std::string& begin = refused.opcode;
    if (begin[0] == '%' && begin.find('.') == std::string::npos && name.substr(0, begin.size()) == begin)
      return &refused;
  }
  return nullptr;
}

}  // namespace castor::ptx
