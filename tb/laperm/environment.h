#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/laperm/knobs.h"
#include "tb/laperm/sequences.h"

namespace castor::laperm::tb {

/// Model of the GPU around the block. Kernels become resident, SMs have free resources and run thread blocks, thread
/// blocks launch kernels and groups, and memory holds the lists that do not fit on chip. The model keeps the contract
/// of the block's surroundings, unless the knobs under "Violations of the contract" are set.
///
/// The inputs show the SM that the block examines in the same cycle. The model therefore follows the block's rotation.
class Environment final : public Sequence {
 public:
  Environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

  void begin(Inputs& in) override;
  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;
  [[nodiscard]] base::Cycle rest() override { return rest_; }
  void skip(base::Cycle n) override {
    rest_ -= n;
    cycle_ += n;
    turn(n);
  }
  [[nodiscard]] bool over() override { return knobs_.over != 0 && cycle_ >= over_at_; }

 private:
  /// Free or needed resources of an SM: thread block slots, warps, registers and shared memory in the units of the
  /// ports.
  struct Room {
    unsigned slots = 0, warps = 0, regs = 0, smem = 0;
  };
  struct Sm {
    Room left;
    bool open = true;
  };
  struct Kernel {
    Room need;        ///< resources per thread block; slots is not used
    U64 waiting = 0;  ///< items in the block
    U64 running = 0;  ///< thread blocks on SMs
  };
  struct Push {
    unsigned kd = 0, level = 0, sm = 0;
    U64 agei = 0, cnt = 0, dim = 0, param = 0;
  };
  struct Running {
    base::Cycle due = 0;
    unsigned sm = 0, kd = 0;
    Room need;
    bool operator>(const Running& other) const { return due > other.due; }
  };
  struct Reply {
    base::Cycle due = 0;
    Entry entry;
  };

  /// Resets the model.
  void forget();
  void turn(base::Cycle n);
  void draw_settings(Inputs& in);
  [[nodiscard]] Room draw_need();
  /// Queues a push of an item of kernel `kd`. A plain item has at most `volume` thread blocks.
  void wish(unsigned kd, unsigned level, unsigned sm, unsigned volume);
  void host_kernel();
  /// Queues a push of a dynamic item without a parent in the model.
  void orphan();
  void show_push(Inputs& in);
  void draw_wrong_push();
  void show_room(Inputs& in);
  void finish_thread_blocks();
  void follow_push(const Inputs& in, const Outputs& out);
  void place(Inputs& in, const Outputs& out);
  void follow_memory(Inputs& in, const Outputs& out);

  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  Params params_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  Room whole_;  ///< resources of an empty SM
  std::vector<Sm> sms_;
  std::vector<Kernel> kernels_;
  std::deque<Push> pushes_;  ///< pushes not yet accepted; the first one is offered next
  bool offered_ = false;     ///< the first push is on the port and stays there until it is accepted
  bool wrong_ = false;       ///< wrong_push_ is on the port instead and must be refused
  Push wrong_push_;
  bool other_need_ = false;       ///< wrong_push_ has other resource needs than its kernel
  U64 items_ = 0;                 ///< items waiting in the block
  U64 number_ = 0;                ///< number of items generated so far; plain value of an item's group number
  std::vector<Running> running_;  // thread blocks on SMs, as a heap; the earliest completion is on top
  std::map<std::pair<unsigned, unsigned>, Entry> lists_;  // lists in memory, by list and index
  std::deque<Reply> replies_;
  unsigned reads_ = 0;      ///< reads requested and not yet answered
  bool requested_ = false;  ///< the request on the port was already there in the previous cycle and was not accepted
  unsigned scan_ = 0;       ///< SM that the block examines
  bool waiting_ = false;    ///< an item waits in the block at the start of the cycle
  unsigned closed_ = 0;     ///< remaining cycles in which all SMs are closed
  base::Cycle cycle_ = 0;
  base::Cycle rest_ = 0;
  base::Cycle over_at_ = 0;
  bool resting_ = false;
};

}  // namespace castor::laperm::tb
