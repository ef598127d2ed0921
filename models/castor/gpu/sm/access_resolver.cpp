#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/sm/memory_operation.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {
namespace {

using isa::LaneMask;
using isa::MemoryKind;
using isa::MemoryOp;
using isa::Space;

// Returns whether an access of any space bypasses L1: volatile or stronger ordering, .cg, .cv, atomics.
bool passes_l1(const MemoryOp& op) {
  using isa::CacheOp;
  return op.ordering != isa::Ordering::kWeak || op.cache == CacheOp::kCg || op.cache == CacheOp::kCv ||
         op.kind == MemoryKind::kAtomic || op.kind == MemoryKind::kReduction;
}

}  // namespace

Reach AccessResolver::reach(const TbMemory& tb) {
  const isa::Program& program = *tb.kernel->program;
  return {tb.shared_bytes, program.local_bytes, tb.parameters, program.parameter_bytes};
}

AccessResolver::AccessResolver(const Machine& machine, const Store& store)
    : check_(store, machine.memory.check),
      lanes_(machine.sm.lanes),
      line_(machine.l1.line),
      banks_(SharedBanks::of(machine)),
      atomics_loop_(machine.smem.atomics == SharedAtomics::kLoop),
      split_wide_(machine.lsu.split_wide),
      caches_global_(machine.l1.caches_global),
      obeys_ca_(machine.l1.obeys_ca),
      local_write_back_(machine.l1.local_write_back),
      table_(512) {}

std::optional<AccessFault> AccessResolver::resolve(MemoryOperation& operation, const TbMemory& tb) {
  const MemoryIssue& issue = operation.issue;
  const isa::Record& record = *issue.record;
  isa::Access& access = operation.access;
  access.op = record.memory;
  access.mask = issue.mask;
  if (record.kind == isa::Kind::kPrefetch) access.op.kind = MemoryKind::kLoad;
  access.lane_bytes =
      record.kind == isa::Kind::kPrefetch ? 1 : isa::bytes(record.memory.type) * std::uint32_t{record.memory.elements};
  const MemoryOp& op = access.op;
  operation.writes = op.kind != MemoryKind::kLoad;
  operation.has_result = op.kind == MemoryKind::kLoad || op.kind == MemoryKind::kAtomic;
  layout(operation);
  if (operation.writes) capture(operation);
  const Reach reached = reach(tb);
  const std::uint64_t local_base = tb.local_base + issue.warp_in_tb * tb.kernel->local_stride;

  shape_ = Shape::kGeneral;
  outside_ = 0;
  const bool fast = fast_paths_ && (lanes_ == 32 ? resolve_shape<32>(operation, reached, local_base) ||
                                                       resolve_fast<32>(operation, reached, local_base)
                                                 : resolve_shape<64>(operation, reached, local_base) ||
                                                       resolve_fast<64>(operation, reached, local_base));
  if (!fast) {
    if (auto fault = resolve_each(operation, reached, local_base)) return fault;
    // resolve_each has replaced the compact data by data in the format of isa::Access
    if (operation.writes && operation.compact) capture(operation);
  }

  operation.bypass_local = passes_l1(op);
  operation.bypass_global = operation.bypass_local || (op.kind == MemoryKind::kLoad && uncached(op, *tb.kernel));
  operation.write_back = local_write_back_ && !tb.kernel->may_swap;
  if (operation.local != 0) coalesce(operation, operation.local, true);
  operation.local_lines = static_cast<unsigned>(operation.lines.size());
  if (operation.global != 0) coalesce(operation, operation.global, false);
  if (operation.shared != 0) count_shared(operation);
  if (operation.ideal != 0) count_ideal(operation);
  operation.ideal_left = operation.ideal_passes;
  operation.pending = static_cast<unsigned>(operation.lines.size()) + (operation.rounds.total != 0 ? 1 : 0) +
                      (operation.ideal_passes != 0 ? 1 : 0);
  return std::nullopt;
}

// Returns whether a weak global load without .cg and .cv bypasses L1.
bool AccessResolver::uncached(const MemoryOp& op, const KernelContext& kernel) const {
  if (caches_global_ && !kernel.bypass_l1) return false;
  return op.cache != isa::CacheOp::kNc && !(obeys_ca_ && op.cache == isa::CacheOp::kCa);
}

void AccessResolver::layout(MemoryOperation& operation) const {
  const isa::Access& access = operation.access;
  const std::uint32_t element = isa::bytes(access.op.type);
  operation.compact = operation.issue.record->kind == isa::Kind::kMemory && access.op.kind <= MemoryKind::kStore &&
                      (element == 4 || element == 8) && access.op.register_bits == element * 8;
  if (operation.compact) {
    operation.pieces = access.op.elements;
    operation.piece_bytes = operation.lane_stride = element;
    operation.piece_stride = lanes_ * element;
  } else {
    operation.pieces = 1;
    operation.piece_bytes = access.lane_bytes;
    operation.lane_stride = 16;
    operation.piece_stride = 0;
  }
}

// Copies store data and atomic operands out of the registers at issue.
void AccessResolver::capture(MemoryOperation& operation) const {
  const MemoryIssue& issue = operation.issue;
  if (operation.compact) {
    const std::size_t row = std::size_t{lanes_} * operation.piece_bytes;
    std::memcpy(operation.access.data, issue.view.src(issue.record->src[1]), row * operation.pieces);
  } else {
    isa::address(*issue.record, issue.view, issue.mask, operation.access);
  }
}

template <class T, unsigned lanes>
Shape row_shape(const std::byte* bytes, std::uint32_t size) {
  const T* const row = reinterpret_cast<const T*>(bytes);
  const T first = row[0];
  const T last = row[lanes - 1];
  T differs = 0;
  if (last == static_cast<T>(first + static_cast<T>((lanes - 1) * size))) {
    for (unsigned lane = 0; lane < lanes; ++lane) differs |= row[lane] ^ (first + static_cast<T>(lane * size));
    return differs == 0 ? Shape::kUnit : Shape::kGeneral;
  }
  if (last != first) return Shape::kGeneral;
  for (unsigned lane = 0; lane < lanes; ++lane) differs |= row[lane] ^ first;
  return differs == 0 ? Shape::kUniform : Shape::kGeneral;
}

// Resolves whole warps whose lanes access one address or consecutive elements, which is the most common case. Checks
// the two ends of the range instead of all lanes.
template <unsigned lanes>
bool AccessResolver::resolve_shape(MemoryOperation& operation, const Reach& reach, std::uint64_t local_base) {
  const MemoryIssue& issue = operation.issue;
  const isa::Record& record = *issue.record;
  const isa::Access& access = operation.access;
  if (issue.mask != all_lanes(lanes)) return false;
  if (record.src[0] == isa::kNoOperand) return resolve_range(operation, reach, local_base, record.imm, Shape::kUniform);
  const std::byte* const row = issue.view.src(record.src[0]);
  std::uint64_t first = 0;
  Shape shape = Shape::kGeneral;
  if (access.op.address_bits == 64) {
    shape = row_shape<std::uint64_t, lanes>(row, access.lane_bytes);
    std::memcpy(&first, row, 8);
    first += record.imm;
  } else {
    shape = row_shape<std::uint32_t, lanes>(row, access.lane_bytes);
    std::uint32_t low = 0;
    std::memcpy(&low, row, 4);
    first = static_cast<std::uint32_t>(low + static_cast<std::uint32_t>(record.imm));
    // the 32-bit sum wraps around
    if (shape == Shape::kUnit && first + lanes * access.lane_bytes > 0xffffffff) return false;
  }
  if (shape != Shape::kGeneral) return resolve_range(operation, reach, local_base, first, shape);
  return access.op.address_bits == 64 ? resolve_rows<std::uint64_t, lanes>(operation, reach, row)
                                      : resolve_rows<std::uint32_t, lanes>(operation, reach, row);
}

// Returns whether the addresses of each run of kRowLanes lanes grow by `step`.
template <class T, unsigned lanes, unsigned step>
bool in_rows(const T* at) {
  T differs = 0;
  for (unsigned first = 0; first < lanes; first += kRowLanes) {
    const T start = at[first];
    for (unsigned i = 0; i < kRowLanes; ++i) differs |= at[first + i] ^ static_cast<T>(start + i * step);
  }
  return differs == 0;
}

// Resolves whole warps of 4-byte accesses whose addresses form rows of kRowLanes lanes, as thread blocks 16 wide make
// them.
template <class T, unsigned lanes>
bool AccessResolver::resolve_rows(MemoryOperation& operation, const Reach& reach, const std::byte* bytes) {
  constexpr unsigned kSize = 4;
  if (!operation.compact || operation.pieces != 1 || operation.piece_bytes != kSize) return false;
  const T* const at = reinterpret_cast<const T*>(bytes);
  const T step = at[1] - at[0];
  if ((step != 0 && step != kSize) || static_cast<T>(at[kRowLanes - 1] - at[0]) != (kRowLanes - 1) * step) return false;
  if (step == 0 ? !in_rows<T, lanes, 0>(at) : !in_rows<T, lanes, kSize>(at)) return false;

  const std::uint64_t imm = operation.issue.record->imm;
  const std::uint64_t span = step == 0 ? kSize : kRowLanes * kSize;
  const auto start = [&](unsigned row) {
    return std::uint64_t{static_cast<T>(at[row * kRowLanes] + static_cast<T>(imm))};
  };
  const Region region = check_.region(operation.access.op.space, start(0), operation.writes, reach);
  const bool shared = region.space == Space::kShared;
  // In global memory, two uniform rows could share a line; only the general path coalesces such rows.
  const bool countable = !operation.writes && banks_.bytes == 4 && banks_.count >= 2 * kRowLanes;
  if (shared ? !countable : region.space != Space::kGlobal || step == 0) return false;
  for (unsigned row = 0; row < lanes / kRowLanes; ++row) {
    const std::uint64_t address = start(row);
    if (!region.holds(address, span) || (address & (kSize - 1)) != 0) return false;
    if (sizeof(T) == 4 && address + span > 0xffffffff) return false;  // the 32-bit sum wraps around
    const std::uint64_t base = address - region.start + region.address;
    operation.row_base[row] = base;
    if (shared) continue;
    // Each row must lie in a line that no other row uses.
    const std::uint64_t line = base & ~std::uint64_t{line_ - 1};
    if (((base + span - 1) & ~std::uint64_t{line_ - 1}) != line) return false;
    for (unsigned other = 0; other < row; ++other) {
      if ((operation.row_base[other] & ~std::uint64_t{line_ - 1}) == line) return false;
    }
  }
  (shared ? operation.shared : operation.global) = operation.issue.mask;
  shape_ = Shape::kRows;
  operation.base = operation.row_base[0];
  operation.step = static_cast<std::uint32_t>(step);
  operation.rows = true;
  operation.addressed = false;
  return true;
}

// Resolves a uniform or unit-stride access of a whole warp that starts at `address`. Returns false if the general path
// is needed.
bool AccessResolver::resolve_range(MemoryOperation& operation, const Reach& reach, std::uint64_t local_base,
                                   std::uint64_t address, Shape shape) {
  isa::Access& access = operation.access;
  const std::uint32_t size = access.lane_bytes;
  const LaneMask mask = operation.issue.mask;
  const Region region = check_.region(access.op.space, address, operation.writes, reach);
  const std::uint64_t span = shape == Shape::kUnit ? std::uint64_t{lanes_} * size : size;
  if (region.refused() || !region.holds(address, span) || (address & (size - 1)) != 0) return false;
  std::uint64_t base = address - region.start + region.address;
  switch (region.space) {
    case Space::kShared:
      operation.shared = mask;
      break;
    case Space::kLocal:
      // One offset in the local memory of all lanes is a row of consecutive words; other shapes use the general path.
      if (shape != Shape::kUniform || size != 4) return false;
      operation.local = mask;
      base = local_base + local_offset(base, 0, lanes_);
      shape = Shape::kUnit;
      break;
    case Space::kGlobal:
      operation.global = mask;
      break;
    default:
      operation.ideal = mask;
      break;
  }
  shape_ = shape;
  operation.base = base;
  // In compact form with one piece per lane, the access is one copy and needs no address per lane.
  const bool whole = operation.compact && operation.pieces == 1 && operation.ideal == 0;
  operation.addressed = !whole || (operation.writes && shape == Shape::kUniform);
  operation.step = shape == Shape::kUnit ? size : 0;
  if (operation.addressed) {
    const std::uint64_t step = operation.step;
    for (unsigned lane = 0; lane < lanes_; ++lane) access.address[lane] = base + lane * step;
  }
  return true;
}

// Resolves accesses whose lanes are all aligned and inside one region, in loops that the compiler unrolls.
template <unsigned lanes>
bool AccessResolver::resolve_fast(MemoryOperation& operation, const Reach& reach, std::uint64_t local_base) {
  const MemoryIssue& issue = operation.issue;
  const LaneMask mask = issue.mask;
  std::uint64_t* const at = operation.access.address;
  const Region region = lane_offsets<lanes>(check_, *issue.record, issue.view, mask, operation.writes,
                                            operation.access.lane_bytes, reach, at);
  if (region.refused()) return false;

  switch (region.space) {
    case Space::kShared:
      operation.shared = mask;
      break;
    case Space::kLocal:
      operation.local = mask;
      for (unsigned lane = 0; lane < lanes; ++lane) at[lane] = local_base + local_offset(at[lane], lane, lanes);
      break;
    case Space::kGlobal:
      operation.global = mask;
      for (unsigned lane = 0; lane < lanes; ++lane) at[lane] += region.address;
      break;
    default:
      operation.ideal = mask;
      for (unsigned lane = 0; lane < lanes; ++lane) at[lane] += region.address;
      break;
  }
  shape_ = shape<lanes>(operation);
  operation.base = at[lowest(mask)];
  operation.gathered = region.space != Space::kLocal;
  return true;
}

template <unsigned lanes>
Shape AccessResolver::shape(const MemoryOperation& operation) const {
  const std::uint64_t* const at = operation.access.address;
  const LaneMask mask = operation.access.mask;
  const std::uint64_t first = at[lowest(mask)];
  const std::uint64_t size = operation.access.lane_bytes;
  if (operation.local != 0 && size > 4) return Shape::kGeneral;
  std::uint64_t differs = 0;
  if (mask == all_lanes(lanes) && at[lanes - 1] - first == (lanes - 1) * size) {
    for (unsigned lane = 0; lane < lanes; ++lane) differs |= at[lane] ^ (first + lane * size);
    return differs == 0 ? Shape::kUnit : Shape::kGeneral;
  }
  // Except in local memory, the address of an inactive lane is a copy of an active lane's address.
  if (operation.local != 0 || at[0] != first || at[lanes - 1] != first) return Shape::kGeneral;
  for (unsigned lane = 0; lane < lanes; ++lane) differs |= at[lane] ^ first;
  return differs == 0 ? Shape::kUniform : Shape::kGeneral;
}

std::optional<AccessFault> AccessResolver::resolve_each(MemoryOperation& operation, const Reach& reach,
                                                        std::uint64_t local_base) {
  const MemoryIssue& issue = operation.issue;
  isa::Access& access = operation.access;
  const bool prefetch = issue.record->kind == isa::Kind::kPrefetch;
  const MemoryOp op = access.op;
  const std::uint32_t size = access.lane_bytes;
  isa::address(*issue.record, issue.view, issue.mask, access);
  access.op = op;  // restores the values for a prefetch, which isa::address has set differently
  access.lane_bytes = size;
  for (LaneMask left = issue.mask; left != 0; left &= left - 1) {
    const unsigned lane = lowest(left);
    const LaneMask bit = LaneMask{1} << lane;
    const std::uint64_t address = access.address[lane];
    Region region = check_.region(op.space, address, operation.writes, reach);
    FaultKind refused = FaultKind::kNone;
    if ((address & (size - 1)) != 0)
      refused = FaultKind::kMisalignedAddress;
    else if (region.refused() || !region.holds(address, size))
      region = prefetch ? Region{} : outside(operation, lane, address);
    if (region.refused() && refused == FaultKind::kNone) refused = FaultKind::kIllegalAddress;
    if (refused != FaultKind::kNone) {
      if (prefetch) continue;  // a prefetch ignores lanes with a refused address
      return AccessFault{refused, lane, address, check_.explain(op, size, address, refused, reach)};
    }
    const std::uint64_t offset = address - region.start;
    switch (region.space) {
      case Space::kShared:
        if (prefetch) continue;
        operation.shared |= bit;
        access.address[lane] = offset;
        break;
      case Space::kLocal:
        operation.local |= bit;
        access.address[lane] = local_base + local_offset(offset, lane, lanes_);
        break;
      case Space::kGlobal:
        operation.global |= bit;
        access.address[lane] = region.address + offset;
        break;
      default:
        if (prefetch) continue;
        operation.ideal |= bit;
        access.address[lane] = region.address + offset;
        break;
    }
  }
  return std::nullopt;
}

// Returns the region in which memory.check permits an access outside every allocation; a refused region if it permits
// none.
Region AccessResolver::outside(const MemoryOperation& operation, unsigned lane, std::uint64_t address) {
  const isa::Access& access = operation.access;
  const Region region = check_.outside(access.op.space, address, access.lane_bytes, operation.writes);
  if (!region.refused() && check_.counts_outside()) outside_ |= LaneMask{1} << lane;
  return region;
}

void AccessResolver::note_outside(const MemoryOperation& operation, const isa::Program& program,
                                  OutsideReads& reads) const {
  const isa::Access& access = operation.access;
  OutsideReads here;
  here.lanes = static_cast<std::uint64_t>(__builtin_popcountll(outside_));
  here.first_at = operation.issue.now;
  if (reads.lanes == 0) {
    here.first = check_.tell(access.op, access.lane_bytes, access.address[lowest(outside_)]) + ", " +
                 program.describe(operation.issue.pc);
  }
  reads.add(here);
}

void AccessResolver::coalesce(MemoryOperation& operation, LaneMask mask, bool local) {
  const std::uint32_t size = operation.access.lane_bytes;
  const unsigned groups = split_wide_ && size >= 8 ? size / 4 : 1;
  const unsigned group = lanes_ / groups;
  const bool whole_pieces = operation.compact && operation.pieces == 1;
  if (shape_ == Shape::kUniform) {
    const std::uint64_t first = operation.base;
    for (unsigned g = 0; g < groups; ++g) {
      const LaneMask lanes = groups == 1 ? mask : mask & lane_range(g * group, group);
      if (lanes == 0) continue;
      LineAccess& access = operation.lines.emplace_back();
      access.line = first & ~std::uint64_t{line_ - 1};
      access.bytes.set(static_cast<unsigned>(first - access.line), size);
      access.lanes = lanes;
      access.shape = whole_pieces && !operation.writes ? Shape::kUniform : Shape::kGeneral;
      access.offset = static_cast<std::uint8_t>(first - access.line);
    }
    return;
  }
  if (shape_ == Shape::kUnit) {
    for (unsigned g = 0; g < groups; ++g) coalesce_unit(operation, g * group, (g + 1) * group);
    return;
  }
  if (shape_ == Shape::kRows) {
    for (unsigned lane = 0; lane < lanes_; lane += kRowLanes) coalesce_unit(operation, lane, lane + kRowLanes);
    return;
  }
  const bool spread = local && size > 4;
  for (unsigned g = 0; g < groups; ++g) {
    const LaneMask lanes = groups == 1 ? mask : mask & lane_range(g * group, group);
    if (lanes != 0) coalesce_group(operation, lanes, spread);
  }
}

void AccessResolver::coalesce_unit(MemoryOperation& operation, unsigned first, unsigned end) {
  const std::uint32_t size = operation.access.lane_bytes;
  const bool whole_pieces = operation.compact && operation.pieces == 1;
  for (unsigned lane = first; lane < end;) {
    const std::uint64_t address = operation.address(lane);
    const std::uint64_t line = address & ~std::uint64_t{line_ - 1};
    const auto offset = static_cast<unsigned>(address - line);
    const unsigned count = std::min(end - lane, (line_ - offset) / size);
    LineAccess& access = operation.lines.emplace_back();
    access.line = line;
    const unsigned stop = offset + count * size;
    if (stop - offset == kMaxLineBytes) {
      access.bytes = {{~std::uint64_t{0}, ~std::uint64_t{0}}};
    } else {
      if (offset < 64) access.bytes.set(offset, std::min(stop, 64U) - offset);
      if (stop > 64) access.bytes.set(std::max(offset, 64U), stop - std::max(offset, 64U));
    }
    access.lanes = lane_range(lane, count);
    access.shape = whole_pieces ? Shape::kUnit : Shape::kGeneral;
    access.offset = static_cast<std::uint8_t>(offset);
    access.first = static_cast<std::uint8_t>(lane);
    access.count = static_cast<std::uint8_t>(count);
    lane += count;
  }
}

// Appends the lines of the lanes in `mask`, in the order of their lowest lane. Lines are found through a small hash
// table.
void AccessResolver::coalesce_group(MemoryOperation& operation, LaneMask mask, bool spread) {
  const isa::Access& access = operation.access;
  std::vector<LineAccess>& lines = operation.lines;
  const std::size_t start = lines.size();
  const unsigned words = spread ? access.lane_bytes / 4 : 1;
  const unsigned size = spread ? 4 : access.lane_bytes;
  const std::uint64_t row_bytes = std::uint64_t{4} * lanes_;
  const unsigned slots = words == 1 ? 128 : 512;
  const auto shift = static_cast<unsigned>(__builtin_ctz(line_));
  std::memset(table_.data(), 0, slots * sizeof table_[0]);
  std::size_t last = start;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const unsigned lane = lowest(left);
    for (unsigned word = 0; word < words; ++word) {
      const std::uint64_t address = access.address[lane] + word * row_bytes;
      const std::uint64_t line = address & ~std::uint64_t{line_ - 1};
      if (last >= lines.size() || lines[last].line != line) {
        const std::uint64_t number = line >> shift;
        auto slot = static_cast<unsigned>((number ^ number >> 7) & (slots - 1));
        while (table_[slot] != 0 && lines[start + table_[slot] - 1].line != line) slot = (slot + 1) & (slots - 1);
        if (table_[slot] == 0) {
          lines.emplace_back().line = line;
          table_[slot] = static_cast<std::uint16_t>(lines.size() - start);
        }
        last = start + table_[slot] - 1;
      }
      lines[last].lanes |= LaneMask{1} << lane;
      lines[last].bytes.set(static_cast<unsigned>(address - line), size);
    }
  }
}

void AccessResolver::count_shared(MemoryOperation& operation) const {
  isa::Access& access = operation.access;
  SharedRounds& rounds = operation.rounds;
  rounds.groups = lane_groups(operation.shared, lanes_, access.lane_bytes, banks_);
  if (shape_ == Shape::kRows) {
    rounds.total = row_rounds(operation);
    operation.shape = Shape::kRows;
    return;
  }
  const bool atomic = operation.is_atomic();
  if (operation.compact && operation.pieces == 1 && (shape_ == Shape::kUnit || !operation.writes))
    operation.shape = shape_;
  if (shape_ == Shape::kUniform && !atomic) {  // one broadcast per group
    rounds.total = rounds.groups;
    return;
  }
  if (shape_ == Shape::kUnit && !atomic && access.lane_bytes >= 4) {
    if (banks_.bytes == 4) {
      rounds.total = rounds.groups * std::max(1U, 32 / banks_.count);  // a group has 32 consecutive words
      return;
    }
    // With wide banks the general count is needed, because a bank row may begin inside the access.
    if (!operation.addressed)
      for (unsigned lane = 0; lane < lanes_; ++lane) access.address[lane] = operation.address(lane);
  }
  // The address of an inactive lane is a copy of an active lane's address, which adds no round to the group.
  const bool all = operation.gathered && !atomic && banks_.group(access.lane_bytes) >= lanes_;
  rounds.total = bank_rounds(access.address, all ? all_lanes(lanes_) : operation.shared, lanes_, access.lane_bytes,
                             banks_, atomic && !atomics_loop_);
}

// Counts the bank rounds of shape kRows. Two rows of words form a group of lanes; the words of one row lie in different
// banks.
unsigned AccessResolver::row_rounds(const MemoryOperation& operation) const {
  unsigned rounds = 0;
  for (unsigned row = 0; row < lanes_ / kRowLanes; row += 2) {
    const std::uint64_t distance = (operation.row_base[row + 1] >> 2) - (operation.row_base[row] >> 2);
    const std::uint64_t banks = distance & (banks_.count - 1);
    // Rows that overlap in memory lie in one window that is no wider than the banks.
    const bool apart = operation.step == 0 ? distance == 0 || banks != 0
                                           : distance + kRowLanes - 1 < 2 * kRowLanes - 1 ||
                                                 (banks >= kRowLanes && banks <= banks_.count - kRowLanes);
    rounds += apart ? 1 : 2;
  }
  return rounds;
}

void AccessResolver::count_ideal(MemoryOperation& operation) const {
  if (shape_ == Shape::kUniform) {
    operation.ideal_passes = 1;
    return;
  }
  const std::uint64_t* const at = operation.access.address;
  std::uint64_t seen[isa::kMaxLanes];
  unsigned count = 0;
  for (LaneMask left = operation.ideal; left != 0; left &= left - 1) {
    const std::uint64_t address = at[lowest(left)];
    if (std::find(seen, seen + count, address) == seen + count) seen[count++] = address;
  }
  operation.ideal_passes = count;
}

}  // namespace castor::gpu
