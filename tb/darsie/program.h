#pragma once

#include <array>
#include <cstdint>
#include <vector>

/// Small kernels for the test bench of DARSIE: a machine code of a dozen operations, its execution by a warp, and the
/// memory contents that a thread block leaves when it runs without the block.
namespace castor::darsie::tb {

inline constexpr unsigned kLanes = 32;  ///< threads per warp
inline constexpr unsigned kInstructionBytes = 8;
using Vector = std::array<std::uint32_t, kLanes>;  ///< one register of one warp
using LaneMask = std::uint32_t;

enum class Op : std::uint8_t {
  kMix,      ///< dst[i] = hash of all sources, imm and i; without sources a constant
  kCount,    ///< dst[0] = src[0] + 1
  kTid,      ///< dst[0] = tid.x (imm 0), tid.y (imm 1), or the warp's number in its thread block (imm 2)
  kLoad,     ///< dst[i] = cell (hash of src[0], imm and i) of `space`
  kStore,    ///< own cell imm of `space` = hash of the sources
  kAdd,      ///< atomic operation without result: adds 1 per lane to the thread block's counter
  kFence,    ///< waits until all older instructions of the warp have been performed
  kBranch,   ///< branches to target with the lanes for which (modulus ? src[0] % modulus : src[0]) < imm
  kJump,     ///< jumps to target
  kBarrier,  ///< barrier of the whole thread block
  kNamed,    ///< barrier of some warps: the warp waits for a random time
  kCheck,    ///< src[0] is a loaded litmus cell: its value must not be older than the newest value known to the warp
  kExit,     ///< the warp ends
};

/// Memory space of loads and stores.
enum class Space : std::uint8_t {
  kConstant,      ///< read-only memory that no store can affect
  kTable,         ///< global memory that is never written, which the block does not know
  kShared,        ///< memory of the thread block, written between two barriers, one cell per thread
  kOut,           ///< cells of each thread that are never loaded: the results of the kernel
  kLitmusShared,  ///< a cell of the thread block that all warps write without synchronisation
  kLitmusGlobal,  ///< a global cell that all warps write without synchronisation
};

struct Instruction {
  Op op = Op::kMix;
  Space space = Space::kConstant;
  unsigned ndst = 0, nsrc = 0;
  std::array<unsigned, 2> dst{};
  std::array<unsigned, 8> src{};  ///< source registers; the last one is the guard of a guarded instruction
  bool guarded = false;           ///< lanes with an even guard keep their old values
  std::uint32_t imm = 0, modulus = 0;
  unsigned target = 0;
  unsigned depth = 0;  ///< number of loops around the instruction
  unsigned mark = 0;   ///< class: 0 V, 1 CR, 2 DR

  [[nodiscard]] bool control() const {
    return op == Op::kBranch || op == Op::kJump || op == Op::kBarrier || op == Op::kNamed || op == Op::kExit ||
           op == Op::kFence;
  }
  [[nodiscard]] bool memory() const { return op == Op::kLoad || stores() || op == Op::kAdd || op == Op::kFence; }
  [[nodiscard]] bool stores() const { return op == Op::kStore; }
  [[nodiscard]] bool litmus() const { return space == Space::kLitmusShared || space == Space::kLitmusGlobal; }
  /// Returns the value of the port d_ldkind: 0 none, 1 load of the thread block, 2 global load.
  [[nodiscard]] unsigned load_kind() const {
    if (op != Op::kLoad || space == Space::kConstant) return 0;
    return space == Space::kShared || space == Space::kLitmusShared ? 1 : 2;
  }
};

struct Kernel {
  static constexpr unsigned kNowhere = ~0U;

  std::vector<Instruction> code;
  unsigned registers = 0;
  unsigned renamed = 0;               ///< registers 0 .. renamed - 1 may be renamed
  std::vector<unsigned> reconverges;  ///< reconvergence point of each branch; kNowhere: none
};

/// Shape of a thread block in threads; x varies fastest.
struct Shape {
  unsigned x = 32, y = 1, z = 1;

  [[nodiscard]] unsigned threads() const { return x * y * z; }
  [[nodiscard]] unsigned warps() const { return (threads() + kLanes - 1) / kLanes; }
  [[nodiscard]] LaneMask lanes(unsigned warp) const;
  /// Returns whether the hardware may assume that tid.x is the same in all warps. Conditionally redundant instructions
  /// are then redundant.
  [[nodiscard]] bool promotes() const { return y * z > 1 && (x & (x - 1)) == 0 && x <= kLanes; }
};

/// Control flow of a warp: current PC and lanes, and a stack of diverged sides.
class Path {
 public:
  Path() = default;
  Path(unsigned pc, LaneMask lanes) : stack_{{pc, Kernel::kNowhere, lanes}} {}

  [[nodiscard]] unsigned pc() const { return stack_.back().pc; }
  [[nodiscard]] LaneMask lanes() const { return stack_.back().lanes; }
  [[nodiscard]] bool at_base() const { return stack_.size() == 1; }
  /// Continues at `pc`, and leaves each diverged side that has reached its reconvergence point.
  void go(unsigned pc);
  /// Executes a branch. Returns whether the lanes diverge.
  bool branch(LaneMask taken, unsigned target, unsigned reconverges);

 private:
  struct Side {
    unsigned pc, until;
    LaneMask lanes;
  };
  std::vector<Side> stack_;
};

/// Returns destination `which` of `instruction` for all lanes; lanes that do not write keep `old`. Not for loads.
[[nodiscard]] Vector computed(const Instruction& instruction, unsigned which, const std::array<Vector, 8>& sources,
                              const Vector& old, LaneMask lanes, const Shape& shape, unsigned warp);
/// Returns the lanes of `lanes` that take the branch.
[[nodiscard]] LaneMask taken_lanes(const Instruction& branch, const Vector& source, LaneMask lanes);

/// Memory of a thread block, without litmus cells.
class Memory {
 public:
  explicit Memory(const Shape& shape) : threads_(shape.threads()), shared_(threads_) {}

  /// Returns destination `which` of a load for all lanes; lanes that do not write keep `old`. Not for litmus cells.
  [[nodiscard]] Vector load(const Instruction& load, unsigned which, const std::array<Vector, 8>& sources,
                            const Vector& old, LaneMask lanes) const;
  void store(const Instruction& store, const std::array<Vector, 8>& sources, LaneMask lanes, unsigned warp);
  void add(LaneMask lanes) { counter_ += static_cast<unsigned>(__builtin_popcount(lanes)); }

  [[nodiscard]] bool operator==(const Memory& other) const {
    return shared_ == other.shared_ && out_ == other.out_ && counter_ == other.counter_;
  }

 private:
  unsigned threads_;
  std::vector<std::uint32_t> shared_;
  std::vector<std::uint32_t> out_;  // cell c of thread t is at index c * threads + t
  std::uint64_t counter_ = 0;
};

/// Returns the memory contents after the kernel when every warp executes all of its instructions itself.
[[nodiscard]] Memory run_alone(const Kernel& kernel, const Shape& shape);

}  // namespace castor::darsie::tb
