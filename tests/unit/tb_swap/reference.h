#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "castor/tb_swap/params.h"
#include "castor/tb_swap/ports.h"

/// Reference for the moves of thread blocks, without time: where a thread block that leaves goes, which homes its
/// context has afterwards, and the list of its stores and loads (docs/blocks/tb_swap.md; Liu 2018, 4.4.2). The rules
/// are written down as sets and lists; a caller says in which order moves happen.
namespace castor::tb_swap::reference {

/// Constants of a kernel.
struct Kernel {
  unsigned warps = 1, regs = 1, simt = 1, smem = 0;
  unsigned slots = 1, rhomes = 1, shomes = 1;
  unsigned in_place = 0, copies = 0, direction = 0;
  bool live = false, read_only = false;
};

/// Returns the constants on the ports.
[[nodiscard]] Kernel kernel_of(const Inputs& in);

/// Job of the block, as it is accepted.
struct Job {
  unsigned slot = 0;
  bool out = false;
  U32 gid = 0;
  unsigned site = 127;
  bool is_new = true;
  U32 in_gid = 0;
  Entry entry;
};

/// Returns the job on the ports.
[[nodiscard]] Job job_of(const Inputs& in);

/// Where a thread block goes.
enum class Class : std::uint8_t { kNone, kInPlace, kRegistersToPlace, kSharedToPlace, kMemory };

/// Read-only segment: `lines` lines of shared memory from `first` on.
struct Segment {
  unsigned lines = 0, first = 0;
  U64 address = 0;
};

/// Access to one line; fields that do not name it are 0.
struct Access {
  bool store = false;
  AccessType type = AccessType::kSimt;
  bool local = false;
  unsigned slot = 0, warp = 0, reg = 0, line = 0, home = 0;
  U64 address = 0;
};

/// Returns the access on the ports.
[[nodiscard]] Access access_of(const Outputs& out);
[[nodiscard]] bool operator==(const Access& a, const Access& b);
[[nodiscard]] std::string text_of(const Access& access);

/// Move of a job: what has been decided for it.
struct Move {
  Job job;
  Class where = Class::kNone;
  unsigned old_rhome = 0, old_shome = 0;  ///< homes of the thread block that leaves
  unsigned rhome = 0, shome = 0;          ///< homes that the context has afterwards
  U64 address = 0;                        ///< first line of place or image
};

/// Free storage, homes of contexts, sites and segments, and the rules.
class Machine {
 public:
  explicit Machine(const Params& params) : params_(params) {}

  /// Starts a kernel: homes and places are free, apart from the homes of the contexts.
  void start(const Kernel& kernel);
  void write_site(unsigned site, const RegBits& mask);
  void write_segment(unsigned slot, unsigned index, const Segment& segment);

  /// Decides where the thread block of a job goes, and takes homes and a place. A move to memory gets its address
  /// later.
  [[nodiscard]] Move place(const Job& job, bool local_room);
  /// Returns the stores of a move in their order; its address is known.
  [[nodiscard]] std::vector<Access> stores(const Move& move) const;
  /// Returns the entry of the thread block that has left.
  [[nodiscard]] Entry entry(const Move& move, unsigned sm) const;
  /// The context gets its homes, and its table of segments is empty.
  void begin_in(const Move& move);
  /// Returns the loads of the SIMT lines in their order.
  [[nodiscard]] std::vector<Access> simt_loads(const Move& move) const;
  /// Returns the loads behind those; the segments of the thread block are written.
  [[nodiscard]] std::vector<Access> other_loads(const Move& move) const;
  /// The thread block is in its context: frees its place.
  void end_in(const Move& move);

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  /// Returns the registers that move for a thread block that waits at `site`, in ascending order.
  [[nodiscard]] std::vector<unsigned> live(unsigned site) const;
  /// Returns the segment that covers a line of shared memory; null if none does.
  [[nodiscard]] const Segment* segment_of(unsigned slot, unsigned line) const;
  [[nodiscard]] const std::vector<Segment>& segments(unsigned slot) const { return contexts_.at(slot).segments; }

  /// Returns masks as the probes show them, and the homes of a context.
  [[nodiscard]] U64 free_rhomes() const { return mask_of(free_rhomes_); }
  [[nodiscard]] U64 free_shomes() const { return mask_of(free_shomes_); }
  [[nodiscard]] U64 free_places() const { return mask_of(free_places_); }
  [[nodiscard]] unsigned rhome(unsigned slot) const { return contexts_.at(slot).rhome; }
  [[nodiscard]] unsigned shome(unsigned slot) const { return contexts_.at(slot).shome; }
  /// Returns whether all spare homes and places are free, and contexts have homes of their own.
  [[nodiscard]] bool all_back() const;

 private:
  struct Context {
    unsigned rhome = 0, shome = 0;
    std::vector<Segment> segments;
  };
  using Numbers = std::set<unsigned>;

  [[nodiscard]] static U64 mask_of(const Numbers& numbers);
  /// Returns the lowest free place from `from` on, of `number` places; -1 if none is free.
  [[nodiscard]] int free_place(unsigned from, unsigned number) const;
  [[nodiscard]] Class choose(const Job& job, bool local_room) const;
  /// Returns the home of a context after a move, and moves homes between the context, entries and the spare ones.
  [[nodiscard]] static unsigned exchange(Numbers& spare, unsigned own, bool keeps, bool brings, unsigned brought);

  Params params_;
  Kernel kernel_;
  Numbers free_rhomes_, free_shomes_, free_places_;
  std::vector<Context> contexts_;
  std::map<unsigned, RegBits> sites_;
};

}  // namespace castor::tb_swap::reference
