#include "castor/gpu/front_end/release_unit.h"

#include <utility>

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
      clock_(base::kilohertz(machine.clock.core_mhz)),
      kernels_(machine.run.kernel_rows, &clock_) {}

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

LaunchRecord* ReleaseUnit::release(const KdMask& ready, Cycle now) {
  const unsigned entry = flushing_ >= 0 ? static_cast<unsigned>(flushing_) : static_cast<unsigned>(ready._Find_first());
  return l2_ == nullptr || flushed(entry, now) ? &finish(entry, now) : nullptr;
}

// Starts the L2 flush at the end of a kernel, or returns whether it is done. The kernel is complete when all slices
// have written back their dirty lines.
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

LaunchRecord& ReleaseUnit::finish(unsigned entry, Cycle now) {
  LaunchRecord& record = *table_[entry].record;
  const KernelContext& context = record.context;
  trees_.records().hold(record);  // the record is still needed after entry and tree have released it
  const bool by_device = record.parent != nullptr;
  const LaunchRecord& root = *record.root;
  fresh_ = {table_.release(entry, now), root.launch, record.level, &record, false};
  fresh_->statistics.ticket = root.context.ticket;
  fresh_->statistics.end = clock_.time_of(now);
  // Memory of launches by device code is not freed here: parameters belong to DeviceLauncher, local memory to the
  // entry.
  if (context.parameters != 0 && !by_device) store_.free(context.parameters);
  if (context.local_base != 0 && !by_device) store_.free(context.local_base);
  if (observer_ != nullptr) {
    observer_->kernel_completed({now, context.ticket, context.queue, entry, &context.program->kernel});
  }
  if (record.launch == 0) close_tree(record, now);
  events_.completed(context, !by_device && is_last(context.queue, now));
  return record;
}

// Returns whether the completed kernel was the last of its queue's job or, in a queue without a job, whether the queue
// is empty.
bool ReleaseUnit::is_last(unsigned queue, Cycle now) {
  return jobs_.has(queue) ? jobs_.completed(queue, now) : queues_.size(queue) == 0;
}

void ReleaseUnit::close_tree(LaunchRecord& record, Cycle now) {
  const unsigned queue = record.context.queue;
  const Ticket ticket = record.context.ticket;
  if (!trees_.complete(record)) return;
  queues_.release(queue, now);
  host_.finish(queue, ticket, now);
}

void ReleaseUnit::close(LaunchRecord& record, Cycle now) {
  for (KernelStatistics& row : rows_.close(record.launch, clock_.time_of(now))) kernels_.add(std::move(row));
  host_tickets_.push_back(record.context.ticket);
  close_tree(record, now);
}

void ReleaseUnit::detach(const LaunchRecord& record) {
  fresh_ = {{}, record.root->launch, record.level, &record, true};
  fresh_->statistics.kernel = record.context.program->kernel;
  fresh_->statistics.entry = record.context.entry;
}

void ReleaseUnit::file() {
  Fresh fresh = std::move(*fresh_);
  fresh_.reset();
  if (fresh.part) return add_counts(parts_[fresh.record], fresh.statistics);
  if (auto part = parts_.extract(fresh.record); !part.empty()) add_counts(fresh.statistics, part.mapped());
  if (fresh.level != 0) return rows_.add(fresh.root, fresh.level, std::move(fresh.statistics));
  if (fresh.root != 0) return rows_.keep(fresh.root, std::move(fresh.statistics));
  host_tickets_.push_back(fresh.statistics.ticket);
  kernels_.add(std::move(fresh.statistics));
}

}  // namespace castor::gpu
