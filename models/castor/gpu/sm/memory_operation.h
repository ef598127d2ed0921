#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "castor/gpu/lane_offsets.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/shared_banks.h"
#include "castor/gpu/sm/sm_memory.h"

namespace castor::gpu {

/// One bit per byte of a line, lowest address first.
struct ByteMask {
  std::uint64_t word[2] = {0, 0};

  [[nodiscard]] bool none() const { return (word[0] | word[1]) == 0; }
  [[nodiscard]] bool test(unsigned byte) const { return (word[byte >> 6] >> (byte & 63) & 1) != 0; }
  /// `count` <= 64 bytes that lie in one half.
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
  /// Sectors that hold any of these bytes.
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
  constexpr std::uint64_t kBits = 0x4332322132212110;  // a digit per mask
  return static_cast<unsigned>(kBits >> (4 * sectors) & 0xf);
}

/// How the addresses of the lanes lie to each other.
enum class Shape : std::uint8_t {
  kGeneral,
  kUniform,  ///< all at one address
  kUnit,     ///< lane by lane side by side, whole warp
  kRows,     ///< whole warp; runs of kRowLanes lanes, each uniform or each side by side: rows of a tile
};
/// Lanes of a row of a tile, words wide.
inline constexpr unsigned kRowLanes = 16;

/// One line that an instruction touches: a transaction.
struct LineAccess {
  std::uint64_t line = 0;   ///< device address
  ByteMask bytes;           ///< touched
  isa::LaneMask lanes = 0;  ///< that touch it
  Shape shape = Shape::kGeneral;
  // Unless general: where the first lane's bytes lie in the line; lane numbers.
  std::uint8_t offset = 0, first = 0, count = 0;
};

/// Rounds of an instruction in shared memory. AccessResolver counts them, SharedUnit keeps the rest.
struct SharedRounds {
  unsigned total = 0;      ///< of the access, or of a turn's access where an atomic locks words; 0 = none
  unsigned groups = 0;     ///< of them those that it takes without conflicts
  unsigned left = 0;       ///< not over
  unsigned visit = 0;      ///< of them those before the instruction leaves the unit
  unsigned ticks = 0;      ///< left of the round under way; 0 between two
  bool conflicts = false;  ///< the instruction has some
  bool returns = false;    ///< it comes back and has not had its first tick
  bool unlocks = false;    ///< of a turn its second access
  isa::LaneMask waiting = 0, locked = 0;  ///< lanes whose turn is to come or under way; lanes that have their locks
};

/// One memory instruction from issue to completion (docs/gpu/sm-memory.md, "LSU"). `AccessResolver` fills it.
///
/// Data of the lanes lie in `access.data`, either as isa::Access has them (16 bytes per lane), or, for words and double
/// words in registers of the same width, as register rows ("compact"): then a unit-stride access is one copy.
struct MemoryOperation {
  MemoryIssue issue;
  bool writes = false;      ///< store, atomic or reduction
  bool has_result = false;  ///< load, atomic with result, prefetch: the core completes it
  bool compact = false;
  bool bypass_local = false;
  bool bypass_global = false;
  bool write_back = false;  ///< its local lines are written back
  bool gathered = false;    ///< all lanes have an address in one space, inactive ones that of an active one
  bool waited = false;      ///< some of its data came from the network
  bool missed = false;      ///< and some of that was not in L2

  // Lanes by what they access; disjoint.
  isa::LaneMask shared = 0, local = 0, global = 0, ideal = 0;  ///< ideal: constants and parameters

  std::vector<LineAccess> lines;  ///< local ones first
  unsigned local_lines = 0;
  SharedRounds rounds;
  unsigned ideal_passes = 0;
  Shape shape = Shape::kGeneral;  ///< of shared accesses

  // Progress.
  unsigned next_line = 0;  ///< lines that had their pass
  unsigned ideal_left = 0;
  unsigned passes = 0;
  unsigned queued = 0;   ///< places in which it waits for passes
  unsigned pending = 0;  ///< parts not over: each line, the shared rounds, the ideal passes
  Tick ready = 0;

  // Layout of a lane's data: `pieces` of `piece_bytes` each.
  unsigned pieces = 1;
  unsigned piece_bytes = 0;
  unsigned lane_stride = 16;
  unsigned piece_stride = 0;

  /// Address of the lowest lane; with a shape that is not general, of all.
  std::uint64_t base = 0;
  /// Per lane in `address`: device address, for shared memory the offset in the window. Left out (`addressed` false)
  /// where base and step say it all.
  bool addressed = true;
  std::uint32_t step = 0;
  std::uint64_t row_base[isa::kMaxLanes / kRowLanes] = {};  ///< of the first lane of each row, with shape kRows
  bool rows = false;                                        ///< has that shape
  isa::Access access;

  [[nodiscard]] bool is_local(unsigned line) const { return line < local_lines; }
  [[nodiscard]] bool is_atomic() const { return access.op.kind >= isa::MemoryKind::kAtomic; }
  /// Local memory wider than a word lies in several rows, and so in several lines.
  [[nodiscard]] bool spread(unsigned line) const { return is_local(line) && access.lane_bytes > 4; }

  /// Copies what the lanes of a line load out of the line's bytes.
  void load(unsigned line, const std::byte* from);
  /// The same for single bytes.
  void load(unsigned line, const std::byte* from, const ByteMask& bytes);
  /// Copies what the lanes of a line store into the line's bytes; the highest lane wins.
  void store(unsigned line, std::byte* to) const;
  /// Exchanges shared lanes with shared memory, in lane order: all of a load or store, `lanes` of an atomic.
  void exchange_shared(std::byte* shared_memory, isa::LaneMask lanes);
  /// Loads the ideal lanes.
  void load_ideal(const Store& store);
  /// Writes the destination rows.
  void write_registers(const isa::RegisterView& view) const;
  /// Where a lane that accesses does: device address, for shared memory the offset in the window.
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
  /// Where the word that a lane has in a line lies, in the lane's data and in the line.
  struct Word {
    std::size_t in_data, in_line;
  };
  [[nodiscard]] Word word(unsigned line, unsigned lane) const;
  void load_lane(unsigned lane, const std::byte* from);
  void store_lane(unsigned lane, std::byte* to) const;
};

/// Operations that are used again; grows to what is under way at once.
class OperationPool {
 public:
  OperationPool();
  ~OperationPool();
  /// An operation whose progress is reset.
  [[nodiscard]] MemoryOperation& get();
  void free(MemoryOperation& operation) { free_.push_back(&operation); }
  [[nodiscard]] std::size_t in_use() const { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<MemoryOperation>> all_;
  std::vector<MemoryOperation*> free_;
};

/// From registers to transactions: addresses, checks, store data, lines, bank rounds (docs/gpu/sm-memory.md, "LSU").
class AccessResolver {
 public:
  AccessResolver(const Machine& machine, const Store& store);

  /// Fills `operation`, whose `issue` is set, up to the counts of lines and passes.
  [[nodiscard]] std::optional<AccessFault> resolve(MemoryOperation& operation, const TbMemory& tb);
  [[nodiscard]] static Reach reach(const TbMemory& tb);
  /// With the fast paths off the general ones do all work; for tests.
  void use_fast_paths(bool on) { fast_paths_ = on; }
  [[nodiscard]] AddressCheck& check() { return check_; }
  /// Whether the last operation loads outside every allocation, as far as memory.check counts that.
  [[nodiscard]] bool any_outside() const { return outside_ != 0; }
  /// Adds those loads of the last operation, which this is, to what its kernel did.
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
  Shape shape_ = Shape::kGeneral;  // of the access under way, if one space holds it
  isa::LaneMask outside_ = 0;
  std::vector<std::uint16_t> table_;
};

}  // namespace castor::gpu
