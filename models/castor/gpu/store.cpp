#include "castor/gpu/store.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "castor/base/error.h"
#include "castor/base/tick_wall.h"

namespace castor::gpu {
namespace {

// Bytes between adjacent allocations, so that an access just behind an allocation is outside all allocations.
constexpr std::uint64_t kGap = 256;
constexpr std::uint64_t kPage = 4096;
// Number of freed ranges that messages can still name. When it is exceeded, the range with the lowest address is
// forgotten.
constexpr std::size_t kRememberedRanges = 1 << 16;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Returns whether the machine makes allocations of this kind for each launch. Their ranges are reused at once and not
// named in messages about freed memory.
bool is_internal(AllocationKind kind) {
  return kind == AllocationKind::kParameters || kind == AllocationKind::kLocal || kind == AllocationKind::kPool;
}

// Returns whether allocations of this kind live as long as the machine. They are placed at the end of memory.
bool outlives_reset(AllocationKind kind) {
  return kind == AllocationKind::kBlock || kind == AllocationKind::kGridBarriers;
}

// Returns whether allocations of this kind differ between machines that run the same program.
bool is_of_machine(AllocationKind kind) {
  return is_internal(kind) || kind == AllocationKind::kCode || kind == AllocationKind::kQueues || outlives_reset(kind);
}

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string noun(const Allocation& allocation) {
  std::string text = std::to_string(allocation.size) + "-byte " + name(allocation.kind) + " allocation";
  if (!allocation.label.empty()) text += " '" + allocation.label + "'";
  return text + " at " + hexadecimal(allocation.address);
}

}  // namespace

const char* name(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::kHeap:
      return "heap";
    case AllocationKind::kManaged:
      return "managed";
    case AllocationKind::kPinned:
      return "pinned host";
    case AllocationKind::kCode:
      return "code";
    case AllocationKind::kConstant:
      return "constant";
    case AllocationKind::kParameters:
      return "parameter";
    case AllocationKind::kLocal:
      return "local";
    case AllocationKind::kPool:
      return "pool";
    case AllocationKind::kModule:
      return "module";
    case AllocationKind::kDeviceHeap:
      return "device malloc";
    case AllocationKind::kQueues:
      return "queue";
    case AllocationKind::kBlock:
      return "hardware block's";
    case AllocationKind::kGridBarriers:
      return "grid barrier";
    case AllocationKind::kCount:
      break;
  }
  return "unknown";
}

Store::Store(const Options& options) : options_(options), next_(kBase), end_(kBase) {
  options_.bytes = round_up(options_.bytes, kPage);
  end_ += options_.bytes;
  if (options_.bytes > isa::kWindowSize - kBase) throw base::InputError("device memory of more than 2^40 - 2^32 bytes");
  void* const wanted = host(kBase);
  void* const got = mmap(wanted, options_.bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) {
    if (got != MAP_FAILED) munmap(got, options_.bytes);
    throw base::InputError("cannot map " + std::to_string(options_.bytes) + " bytes of device memory at host address " +
                               hexadecimal(isa::kHostWindow + kBase) + ": " + std::strerror(errno),
                           "one device per process; lower memory.bytes if address space is limited");
  }
}

Store::~Store() { munmap(host(kBase), options_.bytes); }

std::optional<std::uint64_t> Store::allocate(std::uint64_t size, AllocationKind kind, std::string label,
                                             std::uint64_t alignment, std::uint64_t reserved) {
  base::TickWall::check("allocations of the store");
  size = std::max<std::uint64_t>(size, 1);
  if (size > options_.bytes) return std::nullopt;
  alignment = std::max(alignment, kAlignment);
  const std::uint64_t span = round_up(size, kAlignment) + kGap;
  std::optional<std::uint64_t> found;
  const bool last = outlives_reset(kind) || (options_.apart && is_of_machine(kind));
  if (is_internal(kind)) found = take_hole(span, alignment, last ? end_ : 0);
  if (!found) found = last ? take_last(span, alignment) : take_fresh(span, alignment);
  if (!found) found = take_hole(span, alignment);
  if (!found) {
    // Memory is exhausted, so the quarantine of the freed ranges ends.
    for (const auto& [address, old] : freed_) add_hole(address, round_up(old.size, kAlignment) + kGap);
    freed_.clear();
    found = take_hole(span, alignment);
  }
  if (!found) return std::nullopt;
  Allocation allocation;
  allocation.address = *found;
  allocation.size = size;
  allocation.kind = kind;
  allocation.reserved = reserved;
  allocation.label = std::move(label);
  if (options_.poison) std::memset(host(*found), 0xcd, size);
  live_.emplace_hint(live_.end(), *found, std::move(allocation));  // hint: most allocations are at the highest address
  used_ += span;
  used_by_kind_[static_cast<std::size_t>(kind)] += size;
  ++generation_;
  return found;
}

std::optional<std::uint64_t> Store::take_fresh(std::uint64_t span, std::uint64_t alignment) {
  const std::uint64_t start = round_up(next_, alignment);
  if (start + span > end_) return std::nullopt;
  if (start > next_) add_hole(next_, start - next_);
  next_ = start + span;
  return start;
}

std::optional<std::uint64_t> Store::take_last(std::uint64_t span, std::uint64_t alignment) {
  if (span > end_ - next_) return std::nullopt;
  const std::uint64_t start = (end_ - span) / alignment * alignment;
  if (start < next_) return std::nullopt;
  if (start + span < end_) add_hole(start + span, end_ - start - span);
  end_ = start;
  return start;
}

std::optional<std::uint64_t> Store::take_hole(std::uint64_t span, std::uint64_t alignment, std::uint64_t from) {
  for (auto hole = holes_.lower_bound(from); hole != holes_.end(); ++hole) {
    const auto [address, size] = *hole;
    const std::uint64_t start = round_up(address, alignment);
    if (start + span > address + size) continue;
    holes_.erase(hole);
    if (start > address) holes_.emplace(address, start - address);
    if (start + span < address + size) holes_.emplace(start + span, address + size - start - span);
    erase_bytes(start, span);
    return start;
  }
  return std::nullopt;
}

void Store::add_hole(std::uint64_t address, std::uint64_t size) {
  auto next = holes_.lower_bound(address);
  if (next != holes_.end() && address + size == next->first) {
    size += next->second;
    next = holes_.erase(next);
  }
  if (next != holes_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == address) {
      previous->second += size;
      return;
    }
  }
  holes_.emplace(address, size);
}

void Store::erase_bytes(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t first = std::min(round_up(address, kPage), address + size);
  const std::uint64_t last = std::max((address + size) / kPage * kPage, first);
  std::memset(host(address), 0, first - address);
  if (last > first) madvise(host(first), last - first, MADV_DONTNEED);
  std::memset(host(last), 0, address + size - last);
}

bool Store::free(std::uint64_t address) {
  base::TickWall::check("allocations of the store");
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  const std::uint64_t span = round_up(found->second.size, kAlignment) + kGap;
  used_ -= span;
  used_by_kind_[static_cast<std::size_t>(found->second.kind)] -= found->second.size;
  ++generation_;
  if (is_internal(found->second.kind)) {
    add_hole(address, span);
  } else {
    erase_bytes(address, span);
    freed_.insert_or_assign(address, std::move(found->second));
    if (freed_.size() > kRememberedRanges) {
      const auto oldest = freed_.begin();
      add_hole(oldest->first, round_up(oldest->second.size, kAlignment) + kGap);
      freed_.erase(oldest);
    }
  }
  live_.erase(found);
  return true;
}

void Store::set_read_only(std::uint64_t address, bool read_only) {
  base::TickWall::check("allocations of the store");
  const auto found = live_.find(address);
  if (found != live_.end()) found->second.read_only = read_only;
  ++generation_;
}

const Allocation* Store::find(std::uint64_t address) const {
  auto found = live_.upper_bound(address);
  if (found == live_.begin()) return nullptr;
  --found;
  return address - found->first < found->second.size ? &found->second : nullptr;
}

std::string Store::describe(std::uint64_t address) const {
  if (const Allocation* inside = find(address)) {
    return std::to_string(address - inside->address) + " bytes into a " + noun(*inside);
  }
  if (address < kPage) return "a null pointer";
  const auto freed = freed_.upper_bound(address);
  if (freed != freed_.begin()) {
    const Allocation& old = std::prev(freed)->second;
    if (address - old.address < old.size) return "inside a freed " + noun(old);
  }
  if (address < kBase) return "below device memory; a pointer cut to 32 bits?";
  // Find the nearest allocation of the program. A distant allocation would not explain the error.
  constexpr std::uint64_t kFar = std::uint64_t{1} << 24;
  auto above = live_.upper_bound(address);
  auto below = above;
  while (above != live_.end() && is_internal(above->second.kind)) ++above;
  while (below != live_.begin() && is_internal(std::prev(below)->second.kind)) --below;
  const Allocation* const before = below != live_.begin() ? &std::prev(below)->second : nullptr;
  const Allocation* const after = above != live_.end() ? &above->second : nullptr;
  const std::uint64_t behind = before != nullptr ? address - (before->address + before->size) : ~std::uint64_t{0};
  const std::uint64_t ahead = after != nullptr ? after->address - address : ~std::uint64_t{0};
  if (std::min(behind, ahead) > kFar) return "outside any allocation";
  if (behind <= ahead) return std::to_string(behind) + " bytes behind the end of a " + noun(*before);
  return std::to_string(ahead) + " bytes before a " + noun(*after);
}

bool Store::contains(std::uint64_t address, std::uint64_t size) const {
  const Allocation* allocation = find(address);
  return allocation != nullptr && size <= allocation->size - (address - allocation->address);
}

bool Store::is_mapped(std::uint64_t address, bool host_visible) const {
  const std::uint64_t first = address / kMappedPiece * kMappedPiece;
  for (auto next = live_.lower_bound(first + kMappedPiece); next != live_.begin();) {
    const Allocation& allocation = (--next)->second;
    // all allocations at lower addresses end before the page, too
    if (allocation.address + allocation.size <= first) return false;
    const bool visible = allocation.kind == AllocationKind::kManaged || allocation.kind == AllocationKind::kPinned;
    if (!is_of_machine(allocation.kind) && (visible || !host_visible)) return true;
  }
  return false;
}

void Store::clear() {
  base::TickWall::check("allocations of the store");
  std::uint64_t end = kBase + options_.bytes;
  used_ = 0;
  used_by_kind_ = {};
  for (auto next = live_.begin(); next != live_.end();) {
    const Allocation& allocation = next->second;
    if (!outlives_reset(allocation.kind)) {
      next = live_.erase(next);
      continue;
    }
    end = std::min(end, allocation.address);
    used_ += round_up(allocation.size, kAlignment) + kGap;
    used_by_kind_[static_cast<std::size_t>(allocation.kind)] += allocation.size;
    ++next;
  }
  freed_.clear();
  holes_.clear();
  ++generation_;
  if (next_ > kBase) madvise(host(kBase), round_up(next_ - kBase, kPage), MADV_DONTNEED);
  if (end_ < end) madvise(host(end_ / kPage * kPage), end - end_ / kPage * kPage, MADV_DONTNEED);
  next_ = kBase;
  end_ = end;
}

}  // namespace castor::gpu
