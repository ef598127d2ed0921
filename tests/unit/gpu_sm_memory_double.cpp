// A memory side of an SM that is simple enough to predict: one LSU, shared memory with bank conflicts of words, global
// memory that is performed in its pass and answers after 100 ticks, instruction lines after 50.

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "castor/gpu/sm/sm_memory.h"

namespace castor::gpu {

struct MemoryOperation {
  MemoryIssue issue;
  isa::Access access;
  bool shared = false;
  unsigned rounds = 1;
  unsigned acknowledges = 0;
};

struct SmMemory::Impl {
  const Machine& machine;
  const Store& store;
  SmMemoryClient& client;
  const TbMemory* contexts;
  std::deque<MemoryOperation*> queue;
  unsigned passes = 0;
  struct Later {
    Tick tick;
    MemoryOperation* operation;  // null: acknowledge or line
    int warp;
    std::uint64_t line;
  };
  std::vector<Later> later;
  std::vector<MemoryOperation*> spare;
  unsigned reads = 0;
};

namespace {
constexpr Tick kGlobalLatency = 100;
constexpr Tick kFetchLatency = 50;

unsigned conflict_rounds(const isa::Access& access, unsigned banks) {
  unsigned rounds = 1;
  std::vector<std::vector<std::uint64_t>> words(banks);
  for (unsigned lane = 0; lane < isa::kMaxLanes; ++lane) {
    if ((access.mask >> lane & 1) == 0) continue;
    const std::uint64_t word = access.address[lane] / 4;
    auto& bank = words[word % banks];
    if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
    rounds = std::max<unsigned>(rounds, static_cast<unsigned>(bank.size()));
  }
  return rounds;
}
}  // namespace

SmMemory::SmMemory(const Machine& machine, unsigned /*sm*/, const Store& store, InitiatorPort& /*port*/,
                   SmMemoryClient& client, const TbMemory* contexts, base::StatisticGroup& /*statistics*/)
    : impl_(std::make_unique<Impl>(Impl{machine, store, client, contexts, {}, 0, {}, {}, 0})) {}
SmMemory::~SmMemory() {
  for (MemoryOperation* operation : impl_->spare) delete operation;
}

bool SmMemory::can_accept(const isa::Record& /*record*/) const {
  return impl_->queue.size() < impl_->machine.lsu.queue;
}

std::optional<AccessFault> SmMemory::issue(const MemoryIssue& instruction, unsigned& acknowledges) {
  acknowledges = 0;
  MemoryOperation* operation = nullptr;
  if (impl_->spare.empty()) {
    operation = new MemoryOperation;
  } else {
    operation = impl_->spare.back();
    impl_->spare.pop_back();
  }
  operation->issue = instruction;
  operation->acknowledges = 0;
  isa::address(*instruction.record, instruction.view, instruction.mask, operation->access);
  operation->access.op = instruction.record->memory;
  const TbMemory& tb = impl_->contexts[instruction.context];
  operation->shared = instruction.record->memory.space == isa::Space::kShared;
  operation->rounds = 1;
  if (operation->shared) {
    operation->rounds = conflict_rounds(operation->access, impl_->machine.smem.banks);
    for (unsigned lane = 0; lane < isa::kMaxLanes; ++lane) {
      if ((instruction.mask >> lane & 1) == 0) continue;
      if (operation->access.address[lane] + operation->access.lane_bytes > tb.shared_bytes) {
        impl_->spare.push_back(operation);
        return AccessFault{FaultKind::kIllegalAddress, lane, operation->access.address[lane], "outside shared memory"};
      }
    }
  } else if (instruction.record->memory.space == isa::Space::kParam) {
    for (auto& address : operation->access.address) address += tb.kernel->parameters;
  }
  const bool writes = instruction.record->memory.kind != isa::MemoryKind::kLoad;
  if (writes && !operation->shared) acknowledges = operation->acknowledges = 1;
  impl_->queue.push_back(operation);
  return std::nullopt;
}

void SmMemory::complete(MemoryOperation& operation, const isa::RegisterView& view) {
  isa::complete(*operation.issue.record, view, operation.access);
  impl_->spare.push_back(&operation);
  --impl_->reads;
}

const MemoryIssue& SmMemory::instruction(const MemoryOperation& operation) { return operation.issue; }
bool SmMemory::can_fetch() const { return true; }
void SmMemory::fetch(std::uint64_t line, unsigned /*context*/) {
  impl_->later.push_back({0, nullptr, -1, line});  // dated by the next advance
}
void SmMemory::take_reply(Cycle /*now*/, Tick /*tick*/) {}

void SmMemory::advance(Cycle /*now*/, Tick tick) {
  for (std::size_t i = 0; i < impl_->later.size();) {
    Impl::Later& later = impl_->later[i];
    if (later.tick == 0) later.tick = tick - 1 + kFetchLatency;
    if (later.tick > tick) {
      ++i;
      continue;
    }
    const Impl::Later due = later;
    impl_->later.erase(impl_->later.begin() + static_cast<std::ptrdiff_t>(i));
    if (due.warp >= 0) {
      impl_->client.acknowledged(static_cast<unsigned>(due.warp));
    } else {
      impl_->client.fetched(due.line);
    }
  }
  if (impl_->queue.empty() || impl_->queue.front()->issue.dispatch >= tick) return;
  MemoryOperation& operation = *impl_->queue.front();
  if (++impl_->passes < operation.rounds) return;
  impl_->passes = 0;
  impl_->queue.pop_front();
  const TbMemory& tb = impl_->contexts[operation.issue.context];
  for (unsigned lane = 0; lane < isa::kMaxLanes; ++lane) {
    if ((operation.access.mask >> lane & 1) == 0) continue;
    const std::uint64_t address = operation.access.address[lane];
    isa::perform_lane(operation.access, lane, operation.shared ? tb.shared + address : impl_->store.host(address));
  }
  const isa::MemoryKind kind = operation.issue.record->memory.kind;
  const Tick latency = operation.shared ? impl_->machine.smem.latency : kGlobalLatency;
  if (operation.acknowledges != 0) {
    impl_->later.push_back({tick + latency, nullptr, static_cast<int>(operation.issue.warp), 0});
  }
  if (kind == isa::MemoryKind::kLoad || kind == isa::MemoryKind::kAtomic) {
    ++impl_->reads;
    impl_->client.data_ready(operation, tick + latency);
  } else {
    impl_->spare.push_back(&operation);
  }
}

Tick SmMemory::next(Tick tick) const {
  Tick result = kForever;
  for (const Impl::Later& later : impl_->later) result = std::min(result, later.tick == 0 ? tick + 1 : later.tick);
  if (!impl_->queue.empty()) result = std::min(result, std::max(tick, impl_->queue.front()->issue.dispatch) + 1);
  return result;
}
bool SmMemory::blocked() const { return false; }
void SmMemory::tb_retired(unsigned /*context*/) {}
bool SmMemory::read(std::uint64_t generic, void* to, std::size_t size, unsigned /*lane*/, unsigned /*warp_in_tb*/,
                    unsigned /*context*/) const {
  if (!impl_->store.contains(generic, size)) return false;
  std::memcpy(to, impl_->store.host(generic), size);
  return true;
}
unsigned SmMemory::outstanding() const { return impl_->reads; }
unsigned SmMemory::primary_misses() const { return 0; }
bool SmMemory::idle() const { return impl_->queue.empty() && impl_->later.empty() && impl_->reads == 0; }
std::string SmMemory::waiting() const { return {}; }

}  // namespace castor::gpu
