#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/crossbar.h"
#include "castor/gpu/memory/dram_channel.h"
#include "castor/gpu/memory/l2_slice.h"
#include "castor/gpu/memory/tlb.h"
#include "castor/gpu/store.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

class Waves;

/// The memory system below the SMs: crossbars, L2 slices and DRAM channels, connected as the machine file describes
/// (docs/gpu/memory.md, "Memory system"), and the TLB that the SMs share. Its statistics groups are `xbar`, `slice<k>`,
/// `channel<k>` and `tlb`.
class MemorySystem {
 public:
  struct Options {
    unsigned extra_inputs = 0;    ///< crossbar inputs in addition to the machine's, for external masters
    bool outside_memory = false;  ///< no DRAM channels; the user connects slice(k).memory to external memories
  };

  MemorySystem(const Machine& machine, const Store& store, base::StatisticGroup& statistics, Options options);
  MemorySystem(const Machine& machine, const Store& store, base::StatisticGroup& statistics)
      : MemorySystem(machine, store, statistics, Options{}) {}

  [[nodiscard]] Crossbar& crossbar() { return *crossbar_; }
  /// Returns the port of initiator i: SMs, front end, copy engines 0 and 1, extra inputs.
  [[nodiscard]] TargetPort& input(unsigned i) { return crossbar_->input(i); }
  [[nodiscard]] unsigned front_end_input() const { return sms_; }
  [[nodiscard]] unsigned copy_input(unsigned engine) const { return sms_ + 1 + engine; }
  [[nodiscard]] unsigned extra_input(unsigned i) const { return sms_ + Crossbar::kOtherInputs + i; }
  [[nodiscard]] L2Slice& slice(unsigned k) { return *slices_[k]; }
  [[nodiscard]] unsigned slices() const { return static_cast<unsigned>(slices_.size()); }
  [[nodiscard]] DramChannel& channel(unsigned k) { return *channels_[k]; }
  [[nodiscard]] unsigned channels() const { return static_cast<unsigned>(channels_.size()); }
  [[nodiscard]] const AddressMap& map() const { return crossbar_->map(); }
  /// Returns the TLB that SMs query for translations; null on machines without address translation.
  [[nodiscard]] SharedTlb* tlb() { return tlb_.get(); }

  /// Returns all units for the device's clock: channels, slices, crossbar.
  [[nodiscard]] const std::vector<Unit*>& units() const { return units_; }
  /// Returns the depth in flits that each initiator must use for its request credits and its reply queue.
  [[nodiscard]] std::uint32_t fifo_flits() const { return fifo_flits_; }

  /// Starts a flush in every slice in cycle `visible`: write back and invalidate (l2.flush_at_kernel_end).
  void flush(Cycle visible);
  [[nodiscard]] bool flushing(Cycle now) const;

  /// Declares the signals of all units. `prefix` is prepended to their names, e.g. "gpu.".
  void add_waves(Waves& waves, const std::string& prefix) const;

  /// Returns whether nothing is queued or in flight.
  [[nodiscard]] bool idle() const;
  /// Returns the units that wait, one line each, for deadlock reports.
  [[nodiscard]] std::string waiting() const;
  /// Asserts two invariants that hold between cycles; for tests. Credits and occupancy of each queue between crossbar,
  /// slices and channels add up to its depth. Every request is answered or held in some unit.
  void check_links() const;

 private:
  unsigned sms_;
  std::uint32_t fifo_flits_, return_queue_, dram_queue_;
  std::unique_ptr<Crossbar> crossbar_;
  std::vector<std::unique_ptr<L2Slice>> slices_;
  std::vector<std::unique_ptr<DramChannel>> channels_;
  std::unique_ptr<SharedTlb> tlb_;
  std::vector<Unit*> units_;
};

}  // namespace castor::gpu
