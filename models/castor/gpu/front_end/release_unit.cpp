#include "castor/gpu/front_end/release_unit.h"

#include "castor/gpu/memory/memory_system.h"

namespace castor::gpu {

ReleaseUnit::ReleaseUnit(const Machine& machine, Store& store, KernelTable& table, LaunchTrees& trees, Queues& queues,
                         CompletionPort& host, JobTable& jobs, HookEvents& events, const CopyEngines& copies,
                         Observer* observer)
    : store_(store),
      table_(table),
      trees_(trees),
      queues_(queues),
      host_(host),
      jobs_(jobs),
      events_(events),
      copies_(copies),
      observer_(observer),
      clock_(base::kilohertz(machine.clock.core_mhz)) {}

void ReleaseUnit::take_copies(Cycle now) {
  for (CopyEngine* const engine : copies_) {
    if (engine == nullptr) continue;
    while (const CopyDone* const done = engine->done().head(now)) {
      queues_.release(done->queue, now);
      host_.finish(done->queue, done->ticket, now);
      engine->done().pop();
    }
  }
}

void ReleaseUnit::release(const KdMask& ready, Cycle now) {
  const unsigned entry = flushing_ >= 0 ? static_cast<unsigned>(flushing_) : static_cast<unsigned>(ready._Find_first());
  if (l2_ == nullptr || flushed(entry, now)) finish(entry, now);
}

// The kernel is complete when all slices have written back what they hold.
bool ReleaseUnit::flushed(unsigned entry, Cycle now) {
  if (flushing_ < 0) {
    flushing_ = static_cast<int>(entry);
    l2_->flush(now + 1);
    return false;
  }
  if (l2_->flushing(now)) return false;
  flushing_ = -1;
  return true;
}

void ReleaseUnit::finish(unsigned entry, Cycle now) {
  LaunchRecord& record = *table_[entry].record;
  const KernelContext& context = record.context;
  trees_.records().hold(record);  // beyond entry and tree
  kernels_.push_back(table_.release(entry, now));
  kernels_.back().end = clock_.time_of(now);
  if (context.parameters != 0) store_.free(context.parameters);
  if (context.local_base != 0) store_.free(context.local_base);
  if (observer_ != nullptr) {
    observer_->kernel_completed({now, context.ticket, context.queue, entry, &context.program->kernel});
  }
  if (trees_.complete(record)) {
    queues_.release(context.queue, now);
    host_.finish(context.queue, context.ticket, now);
  }
  // Of a queue without jobs: is it empty?
  const bool last = jobs_.has(context.queue) ? jobs_.completed(context.queue, now) : queues_.size(context.queue) == 0;
  events_.completed(context, last);
  trees_.records().let_go(record);
}

}  // namespace castor::gpu
