#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/device.h"
#include "castor/gpu/replay/service.h"
#include "castor/isa/program.h"

namespace castor::gpu {

struct Hooks;

/// Contribution of one TB of a kernel type to the pulse wires of its SM, per cycle at full speed. All values are x
/// 2^32, so that small fractions add up.
struct ReplayPulse {
  std::uint64_t lanes = 0;        ///< issued lanes
  std::uint64_t misses = 0;       ///< primary L1 misses
  std::uint64_t stall = 0;        ///< fraction of cycles that count as memory stall
  std::uint64_t outstanding = 0;  ///< misses in flight
  [[nodiscard]] bool none() const { return (lanes | misses | stall | outstanding) == 0; }
};

/// Kernel type of the replay tier.
struct ReplayType {
  std::string name;
  std::uint32_t threads = 0;    ///< threads per TB
  std::uint32_t registers = 0;  ///< registers per thread
  std::uint32_t shared = 0;     ///< shared memory in bytes per TB
  std::uint32_t tbs = 0;        ///< TBs of the usual launch
  std::uint64_t energy = 0;     ///< energy in nJ per TB
  ServiceLaw service;
  ReplayPulse pulse;
  int line = 0;
  /// Program without code, named like the type; it is loaded and launched like a compiled program.
  std::shared_ptr<const isa::Program> program;
};

/// Rates of kernels that share an SM, by the number of resident TBs of each kernel.
struct ReplayRates {
  /// Row of the table: a combination of TBs of each kernel, and the rate of each kernel.
  struct Row {
    std::vector<std::uint32_t> counts;  ///< TBs of each column's kernel
    std::vector<std::uint64_t> rates;   ///< rate of each column's kernel, x 2^32; 0 where `counts` is 0
    int line = 0;
  };
  std::vector<unsigned> columns;  ///< kernel types of the columns
  std::vector<Row> rows;          ///< in ascending order of counts
  int line = 0;
  /// Returns the row with these counts; null if there is none.
  [[nodiscard]] const Row* find(const std::vector<std::uint32_t>& counts) const;
};

/// File of kernel types for the replay tier (docs/gpu/replay.md, "Replay tier"). Its format:
///
///     castor-replay 1
///     # Comments start with '#'. Indentation means nothing.
///     w0 220                      # load, in warps, above which TBs slow down; replaces machine key replay.w0
///     w0 sm 3 16                  # the same for SM 3 alone, with replay.rate sm
///
///     kernel gemm
///       threads   256             # threads per TB
///       registers 32              # registers per thread
///       shared    4096            # bytes per TB; 0 if left out
///       tbs       64              # TBs of the usual launch
///       service   normal 12000 1500
///       pulse     lanes 12.5 misses 0.01 stall 0.02 outstanding 0.3    # per TB and cycle at full speed
///       energy    120             # nJ per TB
///     kernel act
///       threads 64
///       registers 16
///       tbs 4
///       service table 500 510 498
///       more 502                  # continues the list
///
///     rates gemm act              # columns; for replay.rate table
///       row 1 0 : 1 -             # TBs of each kernel on an SM : speed of each, above 0, at most 1
///       row 1 1 : 0.9 0.75
///
/// Service laws: constant N, uniform LOW HIGH, exponential MEAN, normal MEAN DEVIATION, table N... (TB g takes the g-th
/// value; as many values as `tbs`), sample N... . Services are whole cycles, 0..2^32 - 1; a TB stays at least one
/// cycle.
///
/// Path of a replayed kernel to the front end: its `ReplayType::program` is loaded into the device like any compiled
/// program (Device::load). A KernelPacket launches it with a block of `threads` threads, no parameters and a grid of
/// any size (`packet`). The program has no code. Its registers and shared memory are those of the type, so launch
/// checks, rounding and the ledger work as for every kernel. A ReplaySm finds the type by
/// KernelContext::program->kernel.
class ReplayFile {
 public:
  /// Reads a file. Throws InputError, with file and line, for any error in the file, or if the file cannot be read.
  [[nodiscard]] static ReplayFile read(const std::string& path);
  /// Reads the contents of a file from `text`. `file`: name for messages. Throws like `read`.
  [[nodiscard]] static ReplayFile parse(std::string_view text, const std::string& file);

  [[nodiscard]] const std::string& file() const { return file_; }
  /// Returns the kernel types in the order of the file. The index of a type is its kernel type number (kid).
  [[nodiscard]] const std::vector<ReplayType>& types() const { return types_; }
  /// Returns the index of a type, or -1.
  [[nodiscard]] int find(std::string_view name) const;
  /// Returns a type by name. Throws InputError, naming the file and its types, if there is none.
  [[nodiscard]] const ReplayType& type(std::string_view name) const;
  /// Returns the packet of a type's usual launch. `handle`: handle under which the type's program was loaded.
  [[nodiscard]] static KernelPacket packet(const ReplayType& type, ProgramHandle handle);

  [[nodiscard]] bool has_rates() const { return !rates_.columns.empty(); }
  [[nodiscard]] const ReplayRates& rates() const { return rates_; }
  [[nodiscard]] bool has_pulses() const { return has_pulses_; }
  /// Returns the load, in warps, above which TBs on `sm` (or on any SM) slow down; `otherwise` if the file has no
  /// value.
  [[nodiscard]] std::uint64_t w0(std::uint64_t otherwise) const { return has_w0_ ? w0_ : otherwise; }
  [[nodiscard]] std::uint64_t w0(unsigned sm, std::uint64_t otherwise) const;

 private:
  friend class ReplayParser;

  std::string file_;
  std::vector<ReplayType> types_;
  std::vector<unsigned> by_name_;  ///< indices of types_, in ascending order of names
  ReplayRates rates_;
  bool has_pulses_ = false, has_w0_ = false;
  std::uint64_t w0_ = 0;
  std::vector<std::pair<unsigned, std::uint64_t>> w0_of_sm_;
};

/// Throws InputError, naming the hook, if a hook inside an SM (FetchFilter, IssuePolicy) is set. A replayed SM executes
/// no instructions, so such a hook has no effect.
void refuse_hooks_in_replay(const Hooks& hooks);

}  // namespace castor::gpu
