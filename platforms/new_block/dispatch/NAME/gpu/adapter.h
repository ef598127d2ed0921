#pragma once

#include <algorithm>
#include <memory>

#include "@NAME@/gpu/plugged.h"
#include "castor/gpu/hooks/dispatch_policy.h"
#include "castor/hookup/block_type.h"
#include "castor/hookup/waiting_kernels.h"

namespace blocks::@NAME@ {

/// The block as dispatch policy of a GPU: it is offered the kernel that the machine would place, first come first
/// served, and the machine chooses the SM.
///
/// Timing: settles in F5, one edge per cycle in F10.
class Adapter final : public Plugged<castor::gpu::DispatchPolicy> {
 public:
  /// `passing`: a kernel that fits may pass one that does not (key dispatch.bypass).
  Adapter(std::unique_ptr<twin::Twin<Block>> twin, bool passing) : Plugged(std::move(twin)), passing_(passing) {}

  void reset() override {
    Plugged::reset();
    kernels_.reset();
    current_ = -1;
  }

  const castor::gpu::DispatchOut& settle(const castor::gpu::DispatchIn& in) override {
    out_ = {};
    out_.ready = out_.waiting = !kernels_.empty();
    if (kernels_.empty()) {
      offer(0, false, 0);
      return out_;
    }
    const int current = current_ >= 0 ? current_ : kernels_.order().front();
    const int entry = (*in.fits)[static_cast<unsigned>(current)] ? current : passing_ ? kernels_.oldest(*in.fits) : -1;
    offer(0, entry >= 0, static_cast<U64>(entry));
    block_.look();
    if (picks(0)) out_.place = kernels_.next(static_cast<unsigned>(pick(0)));
    out_.fits_head = in.room->fits(static_cast<unsigned>(current));
    return out_;
  }

  void clock(const castor::gpu::DispatchIn& in) override {
    if (in.taken && passing_) current_ = out_.place->kd;
    edge(in.taken ? 1 : 0);
    kernels_.clock(in);
    const auto& order = kernels_.order();
    if (std::find(order.begin(), order.end(), current_) == order.end()) current_ = -1;
  }

 private:
  castor::hookup::WaitingKernels kernels_;
  const bool passing_;
  int current_ = -1;  ///< kernel that goes on before older ones; -1 = none
  castor::gpu::DispatchOut out_;
};

/// One adapter for the GPU.
inline std::shared_ptr<void> plug_adapters(const castor::hookup::PlugSite& site, castor::gpu::Hooks& hooks) {
  const castor::gpu::Machine& machine = site.machine;
  if (machine.dispatch.search != castor::gpu::DispatchSearch::kRoundRobinAll) {
    refuse("dispatch.search is not rr_all", "rr_all, or a search in the adapter");
  }
  if (machine.dispatch.select_scan != 0) refuse("dispatch.select_scan is not 0", "0, or a scan in the adapter");
  Params params;
  params.Width = std::max(twin::log2_ceil(machine.table.entries), 1U);
  auto adapter = std::make_shared<Adapter>(castor::hookup::twin_of<Block>(site, params),
                                           machine.dispatch.bypass == castor::gpu::DispatchBypass::kSticky);
  hooks.dispatch = adapter.get();
  return adapter;
}

}  // namespace blocks::@NAME@
