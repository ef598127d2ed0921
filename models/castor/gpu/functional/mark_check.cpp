#include "castor/gpu/functional/mark_check.h"

#include <algorithm>
#include <cstring>

#include "castor/base/hash.h"
#include "castor/isa/mark_check.h"

namespace castor::gpu::functional {
namespace {

using isa::Kind;
using isa::LaneMask;
using isa::Mark;
using isa::Record;

/// Returns whether a record is a load that gives two warps the same value if no thread writes the loaded bytes in
/// between.
bool is_plain_load(const Record& record) {
  return record.kind == Kind::kMemory && record.memory.kind == isa::MemoryKind::kLoad &&
         record.memory.ordering == isa::Ordering::kWeak && record.memory.space != isa::Space::kLocal;
}

/// Returns whether a generic access goes to local memory, where equal addresses of two threads refer to different
/// bytes.
bool is_per_thread(const isa::Access& access, unsigned lanes) {
  return access.op.space == isa::Space::kGeneric &&
         std::any_of(access.address, access.address + lanes,
                     [](std::uint64_t address) { return address - isa::kLocalWindow < isa::kWindowSize; });
}

}  // namespace

void MarkCheck::start(const Launch& launch, unsigned warps, unsigned lanes) {
  program_ = launch.program;
  lanes_ = lanes;
  all_ = lanes == 64 ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
  full_warps_ = static_cast<unsigned>(launch.block.count() / lanes);
  const Dim3& block = launch.block;
  promote_ = std::uint64_t{block.y} * block.z > 1 && block.x <= 32 && (block.x & (block.x - 1)) == 0;
  whole_barriers_ = 0;
  ways_.assign(warps, {});
  for (unsigned w = 0; w < full_warps_; ++w) ways_[w].together = ways_[w].fresh = true;
  instances_.clear();
  counts_ = {};
}

bool MarkCheck::counts_as_redundant(std::uint32_t pc) const {
  const auto mark = static_cast<Mark>(program_->marks[pc]);
  return mark == Mark::kRedundant || (mark == Mark::kConditional && promote_);
}

void MarkCheck::outcome(Way& way, std::uint32_t pc, bool taken) {
  way.hash = base::Hash().add(way.hash).add(pc).add(static_cast<std::uint8_t>(taken)).value();
}

void MarkCheck::before(unsigned warp, std::uint32_t pc, const isa::SimtStack& stack, const isa::RegisterView& view,
                       LaneMask mask, LaneMask active) {
  Way& way = ways_[warp];
  loads_ = false;
  if (!way.together) return;
  if (way.fresh) way.hash = pc;
  way.fresh = false;
  ++way.steps;
  const Record& record = program_->code[pc];
  switch (record.kind) {
    case Kind::kBranch:
    case Kind::kCall:
    case Kind::kExit:
    case Kind::kReturn:
      if ((record.kind == Kind::kReturn && stack.depth() != 0) || (mask != 0 && mask != active)) {
        way.together = false;
      } else if (record.guard != isa::kNoGuard) {
        outcome(way, pc, mask != 0);
      }
      break;
    case Kind::kBranchIndirect:
    case Kind::kCallIndirect:
      way.together = false;
      break;
    case Kind::kMemory:
      if (!is_plain_load(record) || mask != all_) break;
      isa::address(record, view, mask, access_);
      loads_ = !is_per_thread(access_, lanes_);
      break;
    default:
      break;
  }
}

std::optional<std::string> MarkCheck::after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view,
                                            LaneMask mask) {
  Way& way = ways_[warp];
  const bool marked = counts_as_redundant(pc);
  if (!way.together || mask != all_ || !(marked || loads_)) return std::nullopt;
  const Record& record = program_->code[pc];
  const std::size_t row_bytes = program_->uses[pc].dst * view.row_bytes();
  const std::byte* const rows = view.dst(record.dst);
  std::uint64_t loaded = 0;
  if (loads_) {
    loaded = base::Hash().add_bytes(rows, row_bytes).value();
    bytes_.resize(lanes_ * sizeof access_.address[0]);
    std::memcpy(bytes_.data(), access_.address, bytes_.size());
  } else {
    bytes_.assign(rows, rows + row_bytes);
  }
  const std::uint64_t key = base::Hash().add(way.hash).add(way.steps).value();
  const auto [found, first] = instances_.try_emplace(key);
  Instance& instance = found->second;
  if (first) {
    instance.pc = pc;
    instance.warp = warp;
    instance.bytes = bytes_;
    instance.loaded = loaded;
  } else if (instance.bytes != bytes_ || instance.pc != pc) {
    if (marked) return difference(instance, warp, pc, loads_, bytes_);
  } else if (instance.loaded != loaded) {
    ++counts_.racy;
    way.together = false;
  } else if (marked) {
    ++counts_.compared;
  }
  if (++instance.seen == full_warps_) instances_.erase(found);
  return std::nullopt;
}

std::string MarkCheck::difference(const Instance& first, unsigned warp, std::uint32_t pc, bool load,
                                  const std::vector<std::byte>& bytes) const {
  const std::size_t size = load ? 8 : 4;
  std::size_t at = 0;
  while (at + size < bytes.size() && std::memcmp(&bytes[at], &first.bytes[at], size) == 0) at += size;
  std::uint64_t values[2] = {0, 0};
  std::memcpy(&values[0], &first.bytes[at], size);
  std::memcpy(&values[1], &bytes[at], size);
  char text[80];
  std::snprintf(text, sizeof text, "%s %zu: 0x%llx and 0x%llx", load ? "address of lane" : "word", at / size,
                static_cast<unsigned long long>(values[0]), static_cast<unsigned long long>(values[1]));
  return "record " + std::to_string(pc) + " has mark " + isa::mark_name(program_->marks[pc]) + ", but warps " +
         std::to_string(first.warp) + " and " + std::to_string(warp) + " differ in " + text;
}

void MarkCheck::arrive(unsigned warp, unsigned id, bool whole_block) {
  if (whole_block)
    whole_barriers_ |= 1U << id;
  else
    ways_[warp].together = false;
}

bool MarkCheck::met(unsigned id) {
  const bool whole = (whole_barriers_ >> id & 1) != 0;
  whole_barriers_ &= ~(1U << id);
  if (whole) instances_.clear();
  return whole;
}

void MarkCheck::join(unsigned warp, bool together) { ways_[warp] = {together, true, 0, 0}; }

}  // namespace castor::gpu::functional
