#include "castor/hookup/darsie/compared/affine_probe.h"

#include <algorithm>
#include <cstring>

#include "castor/hookup/darsie/compared/affine_instances.h"
#include "castor/hookup/darsie/compared/compared_system.h"

namespace castor::hookup {

using isa::Kind;
using isa::Record;

AffineProbe::AffineProbe(const gpu::Launch& launch, unsigned warps, unsigned lanes)
    : program_(*launch.program),
      block_(launch.block),
      lanes_(lanes),
      warps_(warps),
      executed_(warps, std::vector<std::uint32_t>(program_.code.size())) {}

bool AffineProbe::is_candidate(std::uint32_t pc) const {
  const Record& record = program_.code[pc];
  const isa::RegisterUse& use = program_.uses[pc];
  if (use.dst == 0 || use.predicates_read != 0 || use.predicates_written != 0) return false;
  if (record.kind == Kind::kLane) return use.result != isa::ResultOf::kAnything;
  const isa::MemoryOp& op = record.memory;
  return record.kind == Kind::kMemory && op.kind == isa::MemoryKind::kLoad && op.ordering == isa::Ordering::kWeak &&
         op.space != isa::Space::kLocal && op.space != isa::Space::kGeneric && use.dst <= 2;
}

gpu::Dim3 AffineProbe::thread(unsigned warp, unsigned lane) const {
  const std::uint32_t linear = warp * lanes_ + lane;
  return {linear % block_.x, linear / block_.x % block_.y, linear / block_.x / block_.y};
}

// Adds one row of elements. Derives the steps from the differences between adjacent lanes, where x increments or wraps
// into y or z.
template <class T>
void AffineProbe::add(unsigned warp, const std::byte* row, bool uniform) {
  const auto at = [row](unsigned lane) {
    T value;
    std::memcpy(&value, row + lane * sizeof value, sizeof value);
    return value;
  };
  Value value;
  value.mask = static_cast<T>(~T{0});
  value.uniform = uniform;
  T x = 0;
  for (unsigned lane = 0; lane + 1 < lanes_; ++lane) {
    if (thread(warp, lane).x + 1 >= block_.x) continue;
    x = static_cast<T>(at(lane + 1) - at(lane));
    break;
  }
  value.x = x;
  const auto wrap = static_cast<T>(static_cast<T>(block_.x - 1) * x);
  const auto step = [](bool& has, std::uint64_t& known, T found) {
    const bool same = !has || static_cast<T>(known) == found;
    has = true;
    known = found;
    return same;
  };
  for (unsigned lane = 0; good_ && lane + 1 < lanes_; ++lane) {
    const gpu::Dim3 here = thread(warp, lane);
    const auto grows = static_cast<T>(at(lane + 1) - at(lane));
    if (here.x + 1 < block_.x) {
      good_ = grows == x;
    } else if (here.y + 1 < block_.y) {
      good_ = step(value.has_y, value.y, static_cast<T>(grows + wrap));
    } else {
      good_ = step(value.has_z, value.z, static_cast<T>(grows + wrap));
    }
  }
  if (uniform) good_ = good_ && x == 0 && value.y == 0 && value.z == 0;
  value.first.emplace_back(warp, at(0));
  values_.push_back(std::move(value));
}

// Adds several rows of an operand. `element`: registers per element, 1 or 2.
void AffineProbe::add_rows(unsigned warp, const std::byte* rows, unsigned registers, unsigned element, bool uniform) {
  for (unsigned i = 0; good_ && i < registers; i += element) {
    const std::byte* const row = rows + std::size_t{i} * lanes_ * 4;
    if (element == 2) {
      add<std::uint64_t>(warp, row, uniform);
    } else {
      add<std::uint32_t>(warp, row, uniform);
    }
  }
}

void AffineProbe::before(unsigned warp, std::uint32_t pc, const isa::RegisterView& view, isa::LaneMask mask) {
  const std::uint32_t occurrence = executed_[warp][pc]++;
  looks_ = is_candidate(pc) && mask == all_lanes(view);
  if (!looks_) return;
  key_ = std::uint64_t{pc} << 32 | occurrence;
  values_.clear();
  good_ = true;
  const Record& record = program_.code[pc];
  const isa::RegisterUse& use = program_.uses[pc];
  if (record.kind == Kind::kMemory) {
    isa::address(record, view, mask, access_);
    add_rows(warp, reinterpret_cast<const std::byte*>(access_.address), 2, 2, true);
    return;
  }
  for (unsigned i = 0; i < 4; ++i) {
    if (use.src[i] != 0) add_rows(warp, view.src(record.src[i]), use.src[i], use.src[i] == 2 ? 2 : 1, false);
  }
}

void AffineProbe::after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view) {
  if (!looks_) return;
  const Record& record = program_.code[pc];
  const unsigned registers = program_.uses[pc].dst;
  const bool load = record.kind == Kind::kMemory;
  const bool wide = load ? record.memory.register_bits == 64 : registers == 2;
  add_rows(warp, view.dst(record.dst), registers, wide ? 2 : 1, load);
  Instance& instance = open_[key_];
  instance.affine = instance.affine && good_;
  if (!instance.affine) {
    instance.values = {};
  } else if (instance.seen == 0) {
    instance.values = values_;
  } else {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      instance.affine = instance.affine && merge(instance.values[i], values_[i]);
    }
  }
  if (++instance.seen < warps_) return;
  const auto solved = [this](const Value& value) { return solves(value); };
  if (instance.affine && std::all_of(instance.values.begin(), instance.values.end(), solved)) {
    found_[pc].push_back(static_cast<std::uint32_t>(key_));
  }
  open_.erase(key_);
}

bool AffineProbe::merge(Value& into, const Value& from) {
  const auto agree = [](bool& has, std::uint64_t& known, bool also, std::uint64_t other) {
    if (!also) return true;
    const bool same = !has || known == other;
    has = true;
    known = other;
    return same;
  };
  into.first.push_back(from.first.front());
  return into.x == from.x && agree(into.has_y, into.y, from.has_y, from.y) &&
         agree(into.has_z, into.z, from.has_z, from.z);
}

// Checks that one (b, sx, sy, sz) fits all warps. A step in y or z may be visible in no single warp, if all thread rows
// start at warp boundaries. It is then derived from the first lanes of two warps.
bool AffineProbe::solves(const Value& value) const {
  const auto first = [&](std::uint32_t y, std::uint32_t z) {
    std::uint64_t result = 0;
    for (const auto& [warp, at] : value.first) {
      const gpu::Dim3 here = thread(warp, 0);
      if (here.x == 0 && here.y == y && here.z == z) result = at;
    }
    return result;
  };
  const std::uint64_t b = first(0, 0);
  const std::uint64_t y = value.has_y ? value.y : block_.y > 1 ? first(1, 0) - b : 0;
  std::uint64_t z = 0;
  if (block_.z > 1) z = value.has_z ? value.z + (block_.y - 1) * y : first(0, 1) - b;
  const bool one = std::all_of(value.first.begin(), value.first.end(), [&](const auto& each) {
    const gpu::Dim3 here = thread(each.first, 0);
    return ((b + value.x * here.x + y * here.y + z * here.z - each.second) & value.mask) == 0;
  });
  return one && (!value.uniform || ((value.x | y | z) & value.mask) == 0);
}

std::string AffineProbe::text() const {
  std::string text;
  for (const auto& [pc, occurrences] : found_) {
    std::vector<std::uint32_t> sorted = occurrences;
    std::sort(sorted.begin(), sorted.end());
    std::vector<IndexRange> ranges;
    for (const std::uint32_t each : sorted) add_to(ranges, each);
    text += (text.empty() ? "" : " ") + std::to_string(pc) + ':' + text_of(ranges, ',');
  }
  return text;
}

}  // namespace castor::hookup
