#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/gpu/launch_record.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"
#include "castor/isa/simt_stack.h"

namespace castor::gpu::functional {

/// What the check of marks has seen.
struct MarkCounts {
  std::uint64_t compared = 0;  ///< executions of marked records that were compared with another warp's
  std::uint64_t racy = 0;      ///< loads of one address that gave two warps different bytes
};

/// Checks by brute force that the marks of a program are true (docs/marks.md, "Checking marks"), for one thread block.
///
/// Warps with all lanes that have taken the same side of every branch since the last barrier of the whole block stand
/// together. Those that stand together must compute equal rows at every marked record, and name equal addresses at
/// every marked load. A warp leaves the others as it leaves the majority of a fetch filter (Yeh 2020, section 7.3.5):
/// at a branch that parts its lanes, an indirect branch or call, a return to a caller, any other barrier; at the
/// barrier of the whole block it comes back if all its lanes are together. Bytes of loads are not compared, races being
/// legal: a warp that loads other bytes from the same address leaves too. Limits: what warps that do not stand together
/// compute is not looked at.
class MarkCheck {
 public:
  /// A block starts; `warps` warps of `lanes` lanes, of which the last may lack some.
  void start(const Launch& launch, unsigned warps, unsigned lanes);

  /// Before a warp executes a record: its way through the program, and the addresses of loads. `mask`: lanes that
  /// execute, `active`: lanes that are at the record.
  void before(unsigned warp, std::uint32_t pc, const isa::SimtStack& stack, const isa::RegisterView& view,
              isa::LaneMask mask, isa::LaneMask active);
  /// Behind a lane operation or memory access. Returns what is wrong, if its mark is.
  [[nodiscard]] std::optional<std::string> after(unsigned warp, std::uint32_t pc, const isa::RegisterView& view,
                                                 isa::LaneMask mask);
  /// A warp arrives at barrier `id`, which covers the block or not.
  void arrive(unsigned warp, unsigned id, bool whole_block);
  /// Barrier `id` is complete. True if it covers the block: `join` is then called for every live warp.
  [[nodiscard]] bool met(unsigned id);
  /// `together`: all lanes of the warp live and are together.
  void join(unsigned warp, bool together);

  [[nodiscard]] const MarkCounts& counts() const { return counts_; }

 private:
  /// A warp's way since the last barrier of the whole block.
  struct Way {
    bool together = false;    ///< stands with others that went the same way
    bool fresh = false;       ///< nothing executed yet
    std::uint64_t hash = 0;   ///< of where it began and the outcomes of branches
    std::uint64_t steps = 0;  ///< records executed
  };
  /// What the first warp did at a point of a way.
  struct Instance {
    std::uint32_t pc = 0;
    std::uint32_t warp = 0;
    std::uint32_t seen = 0;        ///< warps that were here
    std::vector<std::byte> bytes;  ///< result rows, or of loads the addresses
    std::uint64_t loaded = 0;      ///< loads: hash of the result rows
  };

  [[nodiscard]] bool counts_as_redundant(std::uint32_t pc) const;
  [[nodiscard]] std::string difference(const Instance& first, unsigned warp, std::uint32_t pc, bool load,
                                       const std::vector<std::byte>& bytes) const;
  void outcome(Way& way, std::uint32_t pc, bool taken);

  const isa::Program* program_ = nullptr;
  unsigned lanes_ = 32;
  isa::LaneMask all_ = 0;
  unsigned full_warps_ = 0;
  bool promote_ = false;
  std::uint32_t whole_barriers_ = 0;  ///< bit per barrier that covers the block and is not complete
  std::vector<Way> ways_;             ///< per warp
  std::unordered_map<std::uint64_t, Instance> instances_;
  isa::Access access_{};
  bool loads_ = false;  ///< the record between `before` and `after` is a load of which the addresses are compared
  std::vector<std::byte> bytes_;
  MarkCounts counts_;
};

}  // namespace castor::gpu::functional
