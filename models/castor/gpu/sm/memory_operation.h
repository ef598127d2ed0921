#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "castor/gpu/lane_offsets.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/shared_banks.h"
#include "castor/gpu/sm/sm_memory_client.h"

namespace castor::gpu {

/// Byte mask of a line: one bit per byte, lowest address first.
struct ByteMask {
  std::uint64_t word[2] = {0, 0};

  [[nodiscard]] bool none() const { return (word[0] | word[1]) == 0; }
  [[nodiscard]] bool test(unsigned byte) const { return (word[byte >> 6] >> (byte & 63) & 1) != 0; }
  /// Sets `count` <= 64 bits; all must lie in the same half of the line.
  void set(unsigned first, unsigned count) {
    word[first >> 6] |= (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << (first & 63);
  }
  [[nodiscard]] ByteMask without(const ByteMask& other) const {
    return {{word[0] & ~other.word[0], word[1] & ~other.word[1]}};
  }
  [[nodiscard]] ByteMask both(const ByteMask& other) const {
    return {{word[0] & other.word[0], word[1] & other.word[1]}};
  }
  void add(const ByteMask& other) {
    word[0] |= other.word[0];
    word[1] |= other.word[1];
  }
  [[nodiscard]] bool operator==(const ByteMask& other) const {
    return word[0] == other.word[0] && word[1] == other.word[1];
  }
  /// Returns a bit per sector that holds a byte of the mask.
  [[nodiscard]] std::uint8_t sectors() const {
    const auto bit = [](std::uint64_t bytes, unsigned at) { return (bytes != 0 ? 1U : 0U) << at; };
    return static_cast<std::uint8_t>(bit(word[0] & 0xffffffff, 0) | bit(word[0] >> 32, 1) |
                                     bit(word[1] & 0xffffffff, 2) | bit(word[1] >> 32, 3));
  }
  [[nodiscard]] static ByteMask of_sectors(std::uint8_t sectors) {
    constexpr std::uint64_t kHalf[4] = {0, 0xffffffff, 0xffffffff00000000, ~std::uint64_t{0}};
    return {{kHalf[sectors & 3], kHalf[sectors >> 2 & 3]}};
  }
};

[[nodiscard]] inline unsigned sector_count(std::uint8_t sectors) {
  constexpr std::uint64_t kBits = 0x4332322132212110;  // one hexadecimal digit per mask: its population count
  return static_cast<unsigned>(kBits >> (4 * sectors) & 0xf);
}

/// Pattern of the lanes' addresses.
enum class Shape : std::uint8_t {
  kGeneral,
  kUniform,  ///< all lanes access one address
  kUnit,     ///< whole warp, consecutive lanes access consecutive elements
  kRows,     ///< whole warp, in runs of kRowLanes lanes (rows of a tile); each run is uniform or consecutive
};
/// Lanes in a row of a tile; each lane accesses one word.
inline constexpr unsigned kRowLanes = 16;

/// Access of an instruction to one line: one transaction of the L1 pipe.
struct LineAccess {
  std::uint64_t line = 0;   ///< device address
  ByteMask bytes;           ///< bytes accessed
  isa::LaneMask lanes = 0;  ///< lanes that access the line
  Shape shape = Shape::kGeneral;
  // Unless the shape is general: offset of the first lane's bytes in the line, number of the first lane, number of
  // lanes.
  std::uint8_t offset = 0, first = 0, count = 0;
};

/// Rounds of a shared-memory instruction. AccessResolver sets `total` and `groups`; SharedUnit keeps the other fields.
struct SharedRounds {
  /// rounds of the access, or of the access of the current turn if atomics lock words; 0 = no shared access
  unsigned total = 0;
  unsigned groups = 0;     ///< rounds that the access would take without bank conflicts
  unsigned left = 0;       ///< rounds still to be done
  unsigned visit = 0;      ///< rounds still to be done before the instruction leaves the unit
  unsigned ticks = 0;      ///< ticks left of the round in progress; 0 = no round in progress
  bool conflicts = false;  ///< the instruction has bank conflicts
  /// the instruction re-enters the shared-memory unit, and its first tick in the unit is still to come
  bool returns = false;
  bool unlocks = false;  ///< locking atomics: the access of the current turn is the store that unlocks
  /// lanes whose turn is pending or in progress; and lanes that hold their locks
  isa::LaneMask waiting = 0, locked = 0;
};

/// One memory instruction from issue to completion (docs/gpu/sm-memory.md, "LSU"), filled in by `AccessResolver`.
///
/// `access.data` holds the data of the lanes: 16 bytes per lane as in isa::Access, or as register rows ("compact") for
/// words and double words in registers of the same width. In compact form a unit-stride access is one copy.
struct MemoryOperation {
  MemoryIssue issue;
  bool writes = false;  ///< store, atomic or reduction
  /// load, atomic with result, or prefetch: the SM core completes the operation (SmMemory::complete)
  bool has_result = false;
  bool compact = false;
  bool bypass_local = false;
  bool bypass_global = false;
  bool write_back = false;  ///< local lines are written back, not through
  /// all lanes have an address in one space; the address of an inactive lane is a copy of an active lane's address
  bool gathered = false;
  bool waited = false;  ///< some of the data came from the network
  bool missed = false;  ///< some of the data came from DRAM, because L2 missed

  /// Lanes by the space they access, as disjoint masks. `ideal`: constants and parameters, which have no cache model.
  isa::LaneMask shared = 0, local = 0, global = 0, ideal = 0;

  std::vector<LineAccess> lines;  ///< lines accessed, local lines first
  unsigned local_lines = 0;
  SharedRounds rounds;
  unsigned ideal_passes = 0;
  Shape shape = Shape::kGeneral;  ///< shape of the shared-memory access

  // Progress of the operation.
  unsigned next_line = 0;  ///< number of lines that have had their pass
  unsigned ideal_left = 0;
  unsigned passes = 0;
  unsigned queued = 0;  ///< number of LSU queues and shared-memory unit lists that hold the operation
  /// number of unfinished parts; parts are each line, all shared-memory rounds, and all ideal passes
  unsigned pending = 0;
  Tick ready = 0;

  // Layout of a lane's data: `pieces` pieces of `piece_bytes` bytes each, `piece_stride` bytes apart.
  unsigned pieces = 1;
  unsigned piece_bytes = 0;
  unsigned lane_stride = 16;
  unsigned piece_stride = 0;

  /// Address of the lowest lane (kGeneral), or start of the access (all other shapes).
  std::uint64_t base = 0;
  /// If true, `access.address` has the device address of each lane, or for shared memory the offset in the window. If
  /// false, `base` and `step` (or `row_base`) define the addresses.
  bool addressed = true;
  std::uint32_t step = 0;
  std::uint64_t row_base[isa::kMaxLanes / kRowLanes] = {};  ///< shape kRows: address of the first lane of each row
  bool rows = false;                                        ///< the operation has shape kRows
  isa::Access access;

  [[nodiscard]] bool is_local(unsigned line) const { return line < local_lines; }
  [[nodiscard]] bool is_atomic() const { return access.op.kind >= isa::MemoryKind::kAtomic; }
  /// Returns whether an element of the lane extends over several lines: local memory stores each word of an element in
  /// another row.
  [[nodiscard]] bool spread(unsigned line) const { return is_local(line) && access.lane_bytes > 4; }

  /// Copies the bytes that the lanes load from line number `line` out of the line's data.
  void load(unsigned line, const std::byte* from);
  /// Copies only those bytes of the lanes that `bytes` selects.
  void load(unsigned line, const std::byte* from, const ByteMask& bytes);
  /// Copies the bytes that the lanes store into the line's data; the highest lane wins.
  void store(unsigned line, std::byte* to) const;
  /// Performs the access on shared memory, in lane order: all lanes of a load or store, `lanes` of an atomic.
  void exchange_shared(std::byte* shared_memory, isa::LaneMask lanes);
  /// Loads the data of the ideal lanes from the store.
  void load_ideal(const Store& store);
  /// Writes the destination registers.
  void write_registers(const isa::RegisterView& view) const;
  /// Returns the address of an active lane: device address, or offset in the window for shared memory.
  [[nodiscard]] std::uint64_t address(unsigned lane) const {
    if (addressed) return access.address[lane];
    return rows ? row_base[lane / kRowLanes] + std::uint64_t{lane % kRowLanes} * step
                : base + std::uint64_t{lane} * step;
  }

 private:
  [[nodiscard]] std::byte* lane_data(unsigned lane) { return access.data + lane * std::size_t{lane_stride}; }
  [[nodiscard]] const std::byte* lane_data(unsigned lane) const {
    return access.data + lane * std::size_t{lane_stride};
  }
  // Position of the lane's word of a line: offset in the lane's data, and offset in the line.
  struct Word {
    std::size_t in_data, in_line;
  };
  [[nodiscard]] Word word(unsigned line, unsigned lane) const;
  void load_lane(unsigned lane, const std::byte* from);
  void store_lane(unsigned lane, std::byte* to) const;
};

/// Pool of reusable operations; grows to the largest number in flight.
class OperationPool {
 public:
  OperationPool();
  ~OperationPool();
  /// Returns an operation whose progress is reset.
  [[nodiscard]] MemoryOperation& get();
  void free(MemoryOperation& operation) { free_.push_back(&operation); }
  [[nodiscard]] std::size_t in_use() const { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<MemoryOperation>> all_;
  std::vector<MemoryOperation*> free_;
};

/// Address resolver of the LSU: computes addresses, checks them, captures store data, coalesces lanes into lines, and
/// counts bank rounds (docs/gpu/sm-memory.md, "LSU").
class AccessResolver {
 public:
  AccessResolver(const Machine& machine, const Store& store);

  /// Fills `operation`, whose `issue` is set, including the numbers of lines and passes. Returns the fault if an
  /// address is refused.
  [[nodiscard]] std::optional<AccessFault> resolve(MemoryOperation& operation, const TbMemory& tb);
  [[nodiscard]] static Reach reach(const TbMemory& tb);
  /// Switches the fast paths on or off; off, the general paths do all work. For tests.
  void use_fast_paths(bool on) { fast_paths_ = on; }
  [[nodiscard]] AddressCheck& check() { return check_; }
  /// Returns whether the last operation has loads outside every allocation that memory.check counts.
  [[nodiscard]] bool any_outside() const { return outside_ != 0; }
  /// Adds the out-of-allocation loads of `operation`, which must be the last one resolved, to the kernel's counts.
  void note_outside(const MemoryOperation& operation, const isa::Program& program, OutsideReads& reads) const;

 private:
  template <unsigned lanes>
  [[nodiscard]] bool resolve_shape(MemoryOperation& operation, const Reach& reach, std::uint64_t local_base);
  [[nodiscard]] bool resolve_range(MemoryOperation& operation, const Reach& reach, std::uint64_t local_base,
                                   std::uint64_t address, Shape shape);
  template <class T, unsigned lanes>
  [[nodiscard]] bool resolve_rows(MemoryOperation& operation, const Reach& reach, const std::byte* bytes);
  template <unsigned lanes>
  [[nodiscard]] bool resolve_fast(MemoryOperation& operation, const Reach& reach, std::uint64_t local_base);
  [[nodiscard]] std::optional<AccessFault> resolve_each(MemoryOperation& operation, const Reach& reach,
                                                        std::uint64_t local_base);
  [[nodiscard]] Region outside(const MemoryOperation& operation, unsigned lane, std::uint64_t address);
  template <unsigned lanes>
  [[nodiscard]] Shape shape(const MemoryOperation& operation) const;
  [[nodiscard]] bool uncached(const isa::MemoryOp& op, const KernelContext& kernel) const;
  void layout(MemoryOperation& operation) const;
  void capture(MemoryOperation& operation) const;
  void coalesce(MemoryOperation& operation, isa::LaneMask mask, bool local);
  void coalesce_group(MemoryOperation& operation, isa::LaneMask mask, bool spread);
  void coalesce_unit(MemoryOperation& operation, unsigned first, unsigned end);
  void count_shared(MemoryOperation& operation) const;
  [[nodiscard]] unsigned row_rounds(const MemoryOperation& operation) const;
  void count_ideal(MemoryOperation& operation) const;

  AddressCheck check_;
  unsigned lanes_;
  unsigned line_;
  SharedBanks banks_;
  bool atomics_loop_;
  bool split_wide_;
  bool caches_global_;
  bool obeys_ca_;
  bool local_write_back_;
  bool fast_paths_ = true;
  Shape shape_ = Shape::kGeneral;  // shape of the operation being resolved, if all its lanes access one space
  isa::LaneMask outside_ = 0;
  std::vector<std::uint16_t> table_;
};

}  // namespace castor::gpu
