#pragma once

#include <optional>
#include <set>
#include <vector>

#include "castor/base/rng.h"
#include "castor/base/time.h"
#include "tb/tb_swap/kernel.h"

namespace castor::tb_swap::tb {

/// Job for the block.
struct Job {
  unsigned slot = 0;
  bool out = false;
  U32 gid = 0;
  unsigned site = 0;
  bool is_new = false;
  U32 in_gid = 0;
  Entry entry;

  /// Drives the job and job_valid.
  void show(Inputs& in) const;
};

/// Write of a read-only segment.
struct SegmentWrite {
  unsigned slot = 0, index = 0;
  Segment segment;
};

/// Model of the commander and of the thread blocks of an SM; the Environment owns it. It gives jobs that make sense, at
/// most one per TB context, keeps the entries of parked thread blocks, and gives out images of memory.
///
/// A thread block in a context runs for a while, then waits or ends. One that waits is moved out, and a parked or new
/// one takes its place; the context of one that ends is vacant until one is moved in. At the end of a kernel, parked
/// thread blocks are moved in until none is left, unless the kernel is cut.
///
/// Images and read-only data lie in parts of memory of their own, so they never overlap.
class Commander {
 public:
  Commander(const Params& params, const Knobs& knobs, base::Xoshiro256& random, Edges& edges)
      : params_(params), knobs_(knobs), random_(random), edges_(edges) {}

  /// Starts a kernel: all contexts in use have a thread block or are vacant.
  void start(const Kernel& kernel, base::Cycle now);
  /// Returns the next job; nothing if no context needs one.
  [[nodiscard]] std::optional<Job> next_job(base::Cycle now);
  /// Returns the next write of a segment of a thread block that runs; nothing if there is none.
  [[nodiscard]] std::optional<SegmentWrite> next_segment();
  /// Returns the value of local_room; draws now and then whether the commander keeps a local entry.
  [[nodiscard]] bool local_room();
  /// Returns the address of an image that is not in use, and takes the image.
  [[nodiscard]] U64 take_image();

  /// The block has parked the thread block of a context: keeps its entry.
  void park(const Outputs& out);
  /// A context is filled: its thread block runs.
  void enter(const Outputs& out, base::Cycle now);
  /// Returns the segments of the thread block that is moved into a context; none if no parked one is.
  [[nodiscard]] const Segments& incoming(unsigned slot) const { return contexts_[slot].incoming.segments; }

  /// Returns whether no job is in progress.
  [[nodiscard]] bool idle() const;
  /// Returns whether the kernel has ended.
  [[nodiscard]] bool over() const { return left_ == 0 && idle() && (cut_ || parked_.empty()); }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

 private:
  enum class Stage : unsigned char { kVacant, kRuns, kMoves };
  struct Parked {
    Entry entry;
    Segments segments;
  };
  struct Context {
    Stage stage = Stage::kVacant;
    U32 gid = 0;
    base::Cycle due = 0;  ///< end of the time for which the thread block runs
    Segments segments;    ///< segments of the thread block that runs or is moved out
    Parked incoming;      ///< parked thread block that is moved in
  };

  [[nodiscard]] static bool is_local(const Parked& parked) { return get(parked.entry, kSimtLoc) == kSimtInPlace; }
  [[nodiscard]] Job job_of(unsigned slot);
  void move_in(Job& job, bool parked);
  [[nodiscard]] Parked stored_elsewhere();
  [[nodiscard]] Segment draw_segment();
  [[nodiscard]] U64 unit(U64 rest, U64 plain);
  [[nodiscard]] U64 read_only_address(unsigned lines);
  [[nodiscard]] U32 new_gid() { return static_cast<U32>(edges_.any(&Inputs::job_gid, ++number_)); }
  [[nodiscard]] unsigned site();
  [[nodiscard]] unsigned local_entries() const;
  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  const Params& params_;
  const Knobs& knobs_;
  base::Xoshiro256& random_;
  Edges& edges_;
  Kernel kernel_;
  std::vector<Context> contexts_;
  std::vector<Parked> parked_;
  std::set<U64> images_;  ///< units of the images in use
  unsigned left_ = 0;     ///< jobs that are still to be given
  unsigned depth_ = 0;    ///< local entries that can be kept
  bool shut_ = false;     ///< the commander keeps no local entry for now
  bool cut_ = false;      ///< the kernel ends with thread blocks away
  U64 number_ = 0;        ///< number of thread blocks so far; plain number of a thread block
};

}  // namespace castor::tb_swap::tb
