#include <algorithm>
#include <cstring>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/occupancy.h"

namespace castor::gpu {

// F8: heads that need no lane, one grant, one entry written. The grant looks for a lane that was free at the start of
// the cycle.
void FrontEnd::parse(Cycle now) {
  serve_images(now);
  serve_heads(now);
  inspector_.step(now);
  grant(now);
  write_entry(now);
}

// --- Packets without a lane -----------------------------------------------------------------------------------------

void FrontEnd::serve_heads(Cycle now) {
  const QueueMask& heads = queues_.others();
  for (std::size_t queue = heads._Find_first(); queue < heads.size(); queue = heads._Find_next(queue)) {
    const auto index = static_cast<unsigned>(queue);
    if (machine_.queue.in_memory) {
      queues_.park(index);
      reading_.push_back(static_cast<std::uint16_t>(index));
      memory_.client(FrontEndMemory::User::kPackets).read(queues_.head(index).image, sizeof(PacketImage));
    } else {
      serve(index, queues_.head(index).packet, now);
    }
  }
  if (!recorded_) return;
  recorded_ = false;
  for (const std::uint16_t queue : waiting_events_) queues_.look_again(queue, now);
  waiting_events_.clear();
}

// Heads of queues in memory, as they were read.
void FrontEnd::serve_images(Cycle now) {
  MemoryClient& packets = memory_.client(FrontEndMemory::User::kPackets);
  while (packets.has_reply(now)) {
    const MemoryReply reply = packets.reply();
    packets.pop();
    const std::uint16_t queue = reading_.front();
    reading_.pop_front();
    if (queue == kNoQueue) continue;  // dropped meanwhile
    const PacketKind kind = packet_kind(queues_.head(queue).packet);
    const bool held = kind == PacketKind::kHostCall || kind == PacketKind::kJob;
    serve(queue, held ? queues_.head(queue).packet : decode_packet(reply.data.data()), now);
  }
}

void FrontEnd::serve(unsigned queue, const Packet& packet, Cycle now) {
  if (const auto* const wait = std::get_if<EventWaitPacket>(&packet)) {
    const auto found = recorded_events_.find(wait->event);
    if (wait->count != 0 && (found == recorded_events_.end() || found->second.seen(now) < wait->count)) {
      queues_.park(queue);
      waiting_events_.push_back(static_cast<std::uint16_t>(queue));
      return;
    }
    completions_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now);
    return;
  }
  if (const auto* const record = std::get_if<EventRecordPacket>(&packet)) {
    Event& event = recorded_events_[record->event];
    event = {record->count, event.seen(now), now};
    recorded_ = true;
    completions_.finish(queue, queues_.take(queue, QueueState::kReady, now).ticket, now, PacketEnd::kRecorded);
    return;
  }
  if (const auto* const job = std::get_if<JobPacket>(&packet)) return inspector_.serve_unread(queue, *job, now);
  if (std::holds_alternative<HostCallPacket>(packet)) {
    const QueuedPacket head = queues_.take(queue, QueueState::kReady, now);
    std::get<HostCallPacket>(head.packet).call();
    completions_.finish(queue, head.ticket, now);
    return;
  }
  // The job is made before the head is taken: without queues in memory it is the head.
  CopyJob job;
  job.visible = now + 1;
  job.queue = queue;
  const auto* const copy = std::get_if<CopyPacket>(&packet);
  const bool to_host = copy != nullptr && copy->destination.index() == 1;
  if (copy != nullptr) {
    job.packet = *copy;
  } else {
    job.packet = std::get<FillPacket>(packet);
  }
  job.ticket = queues_.take(queue, QueueState::kBlocked, now).ticket;
  CopyEngine* const engine = copies_[to_host ? 1 : 0];
  CASTOR_ASSERT_AT(now, engine != nullptr, "copy without copy engine");
  engine->submit(job);
}

// --- Kernels --------------------------------------------------------------------------------------------------------

// Queues in memory have an entry each, if the table is large enough.
bool FrontEnd::entry_free(Cycle now) const {
  return machine_.queue.in_memory && table_.size() >= queues_.count() ? true : table_.first_free(now) >= 0;
}

int FrontEnd::pick(Cycle now) {
  if (scheduler_.on()) return job_pick(now);
  if (ready_.none() || !entry_free(now)) return -1;
  return select_.offer(ready_);
}

void FrontEnd::grant(Cycle now) {
  const int queue = pick(now);
  if (queue < 0 || !lanes_.can_start(now)) return;
  select_.granted(static_cast<unsigned>(queue), now);
  scheduler_.grant(queue);
  begin_parse(static_cast<unsigned>(queue), now);
}

void FrontEnd::begin_parse(unsigned queue, Cycle now) {
  const bool own = machine_.queue.in_memory && table_.size() >= queues_.count();
  const unsigned entry = own ? queue : static_cast<unsigned>(table_.first_free(now));
  const QueuedPacket head = queues_.take(queue, QueueState::kParsing, now);
  const auto& packet = std::get<KernelPacket>(head.packet);
  KernelContext& context = table_.reserve(entry, trees_.open({head.ticket, queue}));
  context.queue = static_cast<std::uint16_t>(queue);
  context.ticket = head.ticket;
  context.program = &programs_[packet.program].program();
  context.submitted = clock_.time_of(head.visible);
  prepare(context, packet, head.image, now);
  lanes_.start(entry, head.image, now);
  if (observer_ != nullptr) {
    observer_->kernel_granted({now, head.ticket, queue, entry, &context.program->kernel});
  }
}

// Device memory of the launch: parameters, whose address goes into the descriptor, and local memory of all TBs that
// can be resident. Without it the kernel fails.
void FrontEnd::prepare(KernelContext& context, const KernelPacket& packet, std::uint64_t image, Cycle now) {
  const isa::Program& program = *context.program;
  const auto out_of_memory = [&](const char* what, std::uint64_t bytes, FaultKind kind) {
    Fault fault;
    fault.kind = kind;
    fault.kernel = program.kernel;
    fault.message = "no device memory left for the " + std::string(what) + " of kernel " + program.kernel + ": " +
                    std::to_string(bytes) + " bytes";
    faults_.fail(context.entry, std::move(fault), now);
  };
  if (program.parameter_bytes > 0) {
    const auto address = store_.allocate(program.parameter_bytes, AllocationKind::kParameters, "parameters");
    if (!address) return out_of_memory("parameters", program.parameter_bytes, FaultKind::kIllegalAddress);
    context.parameters = *address;
    store_.set_read_only(*address, true);
    const std::size_t given = std::min<std::size_t>(packet.parameters.size(), program.parameter_bytes);
    if (given != 0) std::memcpy(store_.host(*address), packet.parameters.data(), given);
    LaunchDescriptor descriptor = decode_launch(store_.host(image));
    descriptor.parameters = *address;
    const PacketImage bytes = encode(descriptor);
    std::memcpy(store_.host(image), bytes.data(), bytes.size());
  }
  if (program.local_bytes > 0) {
    const std::uint64_t lanes = machine_.sm.lanes;
    const std::uint64_t warps = (packet.block.count() + lanes - 1) / lanes;
    const std::uint64_t line = machine_.l1.line;
    const std::uint64_t words = (std::uint64_t{program.local_bytes} + 3) / 4;
    context.local_stride = (words * 4 * lanes + line - 1) / line * line;
    const std::uint64_t bytes = machine_.chip.sms * machine_.sm.tb_contexts * warps * context.local_stride;
    const auto address = store_.allocate(bytes, AllocationKind::kLocal, "local memory");
    if (!address) return out_of_memory("local memory", bytes, FaultKind::kStackOverflow);
    context.local_base = *address;
  }
}

void FrontEnd::write_entry(Cycle now) {
  const ParseLanes::Lane* const lane = lanes_.finished(now);
  if (lane != nullptr && lane->inspects) {
    const unsigned queue = lane->entry;
    lanes_.pop();
    inspector_.slot_over(queue, now);
    return;
  }
  if (lane == nullptr || !policy_.push_ready()) return;
  KernelContext& context = table_.draft(lane->entry);
  fill_context(context, decode_launch(lane->image.data()), now);
  lanes_.pop();
  const bool alive = table_.write(context.entry, clock_.time_of(now));
  queues_.block(context.queue);
  events_.started(context);
  if (observer_ != nullptr) {
    observer_->kernel_written({now, context.ticket, context.queue, context.entry, &context.program->kernel});
  }
  if (!alive) return;
  dispatcher_.push(context.entry);
}

void FrontEnd::fill_context(KernelContext& context, const LaunchDescriptor& descriptor, Cycle now) {
  const LoadedProgram* const loaded = programs_.find(descriptor.code_base);
  CASTOR_ASSERT_AT(now, loaded != nullptr && &loaded->program() == context.program,
                   "descriptor of ticket %llu names no program", static_cast<unsigned long long>(context.ticket));
  const isa::Program& program = loaded->program();
  context.constants = loaded->constants();
  context.code_base = loaded->code_base();
  context.grid = descriptor.grid;
  context.block = descriptor.block;
  context.shared_bytes = descriptor.shared_bytes;
  context.dynamic_shared = descriptor.shared_bytes - program.shared_bytes;
  context.parameters = descriptor.parameters;
  context.grid_id = context.ticket;
  const auto threads = static_cast<unsigned>(descriptor.block.count());
  const Occupancy fit = occupancy(machine_, {threads, descriptor.registers, descriptor.shared_bytes});
  CASTOR_ASSERT_AT(now, fit.tbs_per_sm > 0, "kernel %s fits on no SM", program.kernel.c_str());
  context.need = need_of(machine_, fit);
  context.fit = fit.tbs_per_sm;
  context.written = now;
  context.kid = descriptor.kid;
  context.bypass_l1 = !machine_.l1.caches_global;
}

// First cycle after `now` in which a kernel may be granted if nothing else happens. Without a free lane or entry
// something else has to.
Cycle FrontEnd::next_grant(Cycle now) const {
  const QueueMask ready = grantable();
  if (ready.none() || lanes_.full() || !entry_free(now + 1)) return kForever;
  return std::max(lanes_.next_start(), select_.next(ready, now));
}

}  // namespace castor::gpu
