#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "castor/saws/ports.h"

namespace castor::saws::tb {

/// What a run must have reached: each way in which a kernel starts, a message comes about, is taken and acts, a list
/// changes, a pick is made, an error is raised, and the collisions of a cycle (docs/blocks/saws.md, "Verification").
/// Points that a parameter set cannot have are not in its list.
///
/// It follows the messages itself, out of ports and probes.
class CoverPoints {
 public:
  struct Point {
    std::string name;
    std::uint64_t hits = 0;
  };

  explicit CoverPoints(const Params& params);

  /// One cycle: inputs of its clock edge, outputs, registers before the edge. Cycles come in order; idle ones in which
  /// no message waits may be missing.
  void sample(const Inputs& in, const Outputs& out, const Probes& probes);

  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

 private:
  struct Message {
    unsigned cta;
    bool hit, all_blocked, killed;
  };
  struct Event {
    unsigned scheduler, cta;
    bool exit, hit, blocked_before;
  };

  void hit(unsigned id, bool seen = true) {
    if (seen && number_[id] != kNone) ++points_[number_[id]].hits;
  }
  void kernel(const Inputs& in, const Probes& probes);
  void picks(const Inputs& in, const Outputs& out, const Probes& probes);
  void message(const Inputs& in, const Probes& probes);
  void switching(const Inputs& in, const Probes& probes);
  void broadcast(unsigned from, const Message& message, const Probes& probes);
  void events(const Inputs& in, const Probes& probes);
  void collisions(const std::vector<Event>& accepted, const Inputs& in, const Probes& probes);
  void place(const Inputs& in, const Probes& probes);
  void free(const Inputs& in, const Probes& probes);
  [[nodiscard]] U64 warps_of(unsigned cta, const Probes& probes) const;
  /// A warp of the CTA on the scheduler; NumWarps if there is none.
  [[nodiscard]] unsigned warp_on(unsigned cta, unsigned scheduler, const Probes& probes) const;
  /// The CTA of the greedy warp's slot, if the pointer is valid; MaxCta for a free slot.
  [[nodiscard]] unsigned greedy_cta(unsigned scheduler, const Probes& probes) const;

  static constexpr unsigned kNone = ~0U;
  Params params_;
  std::vector<Point> points_;
  std::vector<unsigned> number_;  // of each point in the list; kNone where it cannot be
  std::array<std::deque<Message>, 4> queues_;
  unsigned operations_ = 0;  // CTA operations in consecutive cycles with a full queue
  bool started_ = false;     // a kernel_start was seen
  unsigned freed_ = ~0U;     // in the cycle before
  std::array<U64, 4> on_{};  // warps of each scheduler
};

}  // namespace castor::saws::tb
