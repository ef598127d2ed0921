#include "castor/gpu/memory/memory_system.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/memory/store_access.h"

namespace castor::gpu {
MemorySystem::MemorySystem(const Machine& machine, const Store& store, base::StatisticGroup& statistics,
                           Options options)
    : sms_(machine.chip.sms),
      fifo_flits_(machine.xbar.fifo_flits),
      return_queue_(machine.dram.return_queue),
      dram_queue_(machine.dram.queue / (machine.l2.slices / machine.dram.channels)) {
  crossbar_ = std::make_unique<Crossbar>("xbar", machine, statistics, options.extra_inputs);
  for (unsigned i = 0; i < crossbar_->inputs(); ++i) {
    input(i).on_debug = [&store](tlm::tlm_generic_payload& payload) { return debug_access(store, payload); };
  }
  for (unsigned k = 0; k < machine.l2.slices; ++k) {
    slices_.push_back(std::make_unique<L2Slice>(("slice" + std::to_string(k)).c_str(), machine, k, store, statistics));
    connect(crossbar_->output(k), slices_[k]->network);
  }
  if (!options.outside_memory) {
    for (unsigned c = 0; c < machine.dram.channels; ++c) {
      channels_.push_back(
          std::make_unique<DramChannel>(("channel" + std::to_string(c)).c_str(), machine, c, statistics));
      const unsigned per_channel = map().slices_per_channel();
      for (unsigned s = 0; s < per_channel; ++s) connect(slices_[c * per_channel + s]->memory, channels_[c]->slice(s));
    }
  }
  if (machine.tlb.l1_entries != 0) tlb_ = std::make_unique<SharedTlb>(machine, statistics);
  for (const auto& channel : channels_) units_.push_back(channel.get());
  for (const auto& slice : slices_) units_.push_back(slice.get());
  units_.push_back(crossbar_.get());
}

void MemorySystem::flush(Cycle visible) {
  for (const auto& slice : slices_) slice->flush(visible);
}

bool MemorySystem::flushing(Cycle now) const {
  return std::any_of(slices_.begin(), slices_.end(), [now](const auto& slice) { return slice->flushing(now); });
}

bool MemorySystem::idle() const {
  return crossbar_->idle() && std::all_of(slices_.begin(), slices_.end(), [](const auto& s) { return s->idle(); }) &&
         std::all_of(channels_.begin(), channels_.end(), [](const auto& c) { return c->idle(); });
}

void MemorySystem::check_links() const {
  for (unsigned k = 0; k < slices_.size(); ++k) {
    L2Slice& slice = *slices_[k];
    const InitiatorPort& to_slice = crossbar_->output(k);
    CASTOR_ASSERT(to_slice.credits().total() + slice.network.queued_cost() == fifo_flits_, "slice %u: requests", k);
    CASTOR_ASSERT(slice.network.credits().total() + crossbar_->queued_reply_flits(k) == fifo_flits_,
                  "slice %u: replies", k);
    CASTOR_ASSERT(to_slice.outstanding() == slice.held() + crossbar_->queued_replies(k), "slice %u: lost requests", k);
  }
  const unsigned per_channel = map().slices_per_channel();
  for (unsigned c = 0; c < channels_.size(); ++c) {
    for (unsigned s = 0; s < per_channel; ++s) {
      const InitiatorPort& memory = slices_[c * per_channel + s]->memory;
      CASTOR_ASSERT(memory.credits().total() + channels_[c]->queued(s) == dram_queue_, "channel %u: requests", c);
      CASTOR_ASSERT(channels_[c]->slice(s).credits().total() + memory.queued_cost() == return_queue_,
                    "channel %u: replies", c);
      CASTOR_ASSERT(memory.outstanding() == channels_[c]->queued(s) + memory.queued_replies(),
                    "channel %u: lost requests", c);
    }
  }
}

std::string MemorySystem::waiting() const {
  std::string text;
  if (!crossbar_->idle()) {
    text += "crossbar: " + std::to_string(crossbar_->waiting_requests()) + " requests and " +
            std::to_string(crossbar_->waiting_replies()) + " replies queued\n";
  }
  const auto add = [&text](const std::string& line) {
    if (!line.empty()) text += line + "\n";
  };
  for (const auto& slice : slices_) add(slice->waiting());
  for (const auto& channel : channels_) add(channel->waiting());
  return text;
}

}  // namespace castor::gpu
