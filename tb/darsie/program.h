#pragma once

#include <array>
#include <cstdint>
#include <vector>

/// Small kernels for the bench of DARSIE: a machine code of a dozen operations, how a warp goes through it, and what a
/// thread block leaves in memory when it runs without the block.
namespace castor::darsie::tb {

inline constexpr unsigned kLanes = 32;  ///< threads of a warp
inline constexpr unsigned kInstructionBytes = 8;
using Vector = std::array<std::uint32_t, kLanes>;  ///< one register of one warp
using LaneMask = std::uint32_t;

enum class Op : std::uint8_t {
  kMix,      ///< dst[i] = a hash of all sources, imm and i; without sources a constant
  kCount,    ///< dst[0] = src[0] + 1
  kTid,      ///< dst[0] = tid.x (imm 0), tid.y (1), or the number of the warp in its thread block (2)
  kLoad,     ///< dst[i] = cell (hash of src[0], imm and i) of `space`
  kStore,    ///< own cell imm of `space` = hash of the sources
  kAdd,      ///< atomic without result: counter of the thread block += 1 per lane
  kFence,    ///< goes on when everything older of the warp has been performed
  kBranch,   ///< to target by the lanes with (modulus ? src[0] % modulus : src[0]) < imm
  kJump,     ///< to target
  kBarrier,  ///< of the whole thread block
  kNamed,    ///< at a barrier of some warps: the warp waits a while
  kCheck,    ///< src[0] is a litmus cell just loaded: not older than what the warp knows of the cell
  kExit,     ///< the warp ends
};

/// Where loads and stores go.
enum class Space : std::uint8_t {
  kConstant,      ///< read only, and nothing can disturb it
  kTable,         ///< global, read only in fact, but the block does not know
  kShared,        ///< of the thread block; written between two barriers, one cell per thread
  kOut,           ///< cells of each thread, never loaded: the result of the kernel
  kLitmusShared,  ///< a cell per thread block that everybody writes without order
  kLitmusGlobal,  ///< the same in global memory
};

struct Instruction {
  Op op = Op::kMix;
  Space space = Space::kConstant;
  unsigned ndst = 0, nsrc = 0;
  std::array<unsigned, 2> dst{};
  std::array<unsigned, 8> src{};  ///< with a guard the last one is the guard
  bool guarded = false;           ///< lanes whose guard is even keep their old values
  std::uint32_t imm = 0, modulus = 0;
  unsigned target = 0;
  unsigned depth = 0;  ///< loops around it
  unsigned mark = 0;   ///< 0 V, 1 CR, 2 DR

  [[nodiscard]] bool control() const {
    return op == Op::kBranch || op == Op::kJump || op == Op::kBarrier || op == Op::kNamed || op == Op::kExit ||
           op == Op::kFence;
  }
  [[nodiscard]] bool memory() const { return op == Op::kLoad || stores() || op == Op::kAdd || op == Op::kFence; }
  [[nodiscard]] bool stores() const { return op == Op::kStore; }
  [[nodiscard]] bool litmus() const { return space == Space::kLitmusShared || space == Space::kLitmusGlobal; }
  /// The block's d_ldkind.
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
  std::vector<unsigned> reconverges;  ///< of each instruction: where sides of a branch meet; kNowhere: at no place
};

/// Threads of a thread block; x varies first.
struct Shape {
  unsigned x = 32, y = 1, z = 1;

  [[nodiscard]] unsigned threads() const { return x * y * z; }
  [[nodiscard]] unsigned warps() const { return (threads() + kLanes - 1) / kLanes; }
  [[nodiscard]] LaneMask lanes(unsigned warp) const;
  /// Whether tid.x is the same in all warps as the hardware may know it: conditionally redundant becomes redundant.
  [[nodiscard]] bool promotes() const { return y * z > 1 && (x & (x - 1)) == 0 && x <= kLanes; }
};

/// The way of a warp through the code, with a stack of sides that diverged.
class Path {
 public:
  Path() = default;
  Path(unsigned pc, LaneMask lanes) : stack_{{pc, Kernel::kNowhere, lanes}} {}

  [[nodiscard]] unsigned pc() const { return stack_.back().pc; }
  [[nodiscard]] LaneMask lanes() const { return stack_.back().lanes; }
  [[nodiscard]] bool at_base() const { return stack_.size() == 1; }
  void go(unsigned pc);
  /// Takes a branch; true: the lanes part.
  bool branch(LaneMask taken, unsigned target, unsigned reconverges);

 private:
  struct Side {
    unsigned pc, until;
    LaneMask lanes;
  };
  std::vector<Side> stack_;
};

/// What the lanes of `instruction` write: destination `which`, with `old` in it. A load takes its values elsewhere.
[[nodiscard]] Vector computed(const Instruction& instruction, unsigned which, const std::array<Vector, 8>& sources,
                              const Vector& old, LaneMask lanes, const Shape& shape, unsigned warp);
/// Lanes that take a branch.
[[nodiscard]] LaneMask taken_lanes(const Instruction& branch, const Vector& source, LaneMask lanes);

/// Memory of a thread block, litmus cells apart.
class Memory {
 public:
  explicit Memory(const Shape& shape) : threads_(shape.threads()), shared_(threads_) {}

  /// What lane values an (unguarded or guarded) load of that space gives; not for litmus cells.
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
  std::vector<std::uint32_t> out_;  // cell c of thread t at c * threads + t
  std::uint64_t counter_ = 0;
};

/// What the kernel leaves when every warp executes all of its instructions by itself.
[[nodiscard]] Memory run_alone(const Kernel& kernel, const Shape& shape);

}  // namespace castor::darsie::tb
