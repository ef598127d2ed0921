// Waveform signals of crossbars, slices and channels: fill levels. Signal widths suit the largest machine.

#include <string>

#include "castor/gpu/hooks/waves.h"
#include "castor/gpu/memory/memory_system.h"

namespace castor::gpu {

void MemorySystem::add_waves(Waves& waves, const std::string& prefix) const {
  crossbar_->add_waves(waves, prefix + "xbar");
  for (std::size_t k = 0; k < slices_.size(); ++k) slices_[k]->add_waves(waves, prefix + "slice" + std::to_string(k));
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    channels_[k]->add_waves(waves, prefix + "channel" + std::to_string(k));
  }
}

void Crossbar::add_waves(Waves& waves, const std::string& scope) const {
  waves.add(scope, "requests", 16, [this] { return requests_.waiting(); });
  waves.add(scope, "replies", 16, [this] { return replies_.waiting(); });
  for (unsigned i = 0; i < inputs(); ++i) {
    waves.add(scope, "request_flits" + std::to_string(i), 16, [this, i] { return requests_.queued_flits(i); });
  }
  for (unsigned k = 0; k < outputs(); ++k) {
    waves.add(scope, "reply_flits" + std::to_string(k), 16, [this, k] { return replies_.queued_flits(k); });
  }
}

void L2Slice::add_waves(Waves& waves, const std::string& scope) const {
  waves.add(scope, "fifo", 16, [this] { return network.waiting(); });
  waves.add(scope, "pipe", 16, [this] { return pipe_.size(); });
  waves.add(scope, "mshrs", 16, [this] { return fills_.in_use(); });
  waves.add(scope, "miss_queue", 16, [this] { return to_memory_.size(); });
  waves.add(scope, "filling", 1, [this] { return fills_.serving() ? 1 : 0; });
  waves.add(scope, "atomic_replies", 16, [this] { return replies_.delayed(); });
}

void DramChannel::add_waves(Waves& waves, const std::string& scope) const {
  waves.add(scope, "queue", 16, &queued_);
  waves.add(scope, "fifo", 16, [this] {
    std::uint64_t sum = 0;
    for (const auto& port : slices_) sum += port->waiting();
    return sum;
  });
  waves.add(scope, "reads_started", 16, &reads_started_);
  waves.add(scope, "open_banks", 64, [this] {
    std::uint64_t mask = 0;
    for (std::size_t b = 0; b < banks_.size() && b < 64; ++b) mask |= std::uint64_t{banks_[b].open ? 1U : 0U} << b;
    return mask;
  });
}

}  // namespace castor::gpu
