#include "castor/gpu/front_end/parse_stage.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/occupancy.h"
#include "castor/gpu/swap_image.h"

namespace castor::gpu {
namespace {

Fault out_of_memory(const isa::Program& program, const char* what, std::uint64_t bytes, FaultKind kind) {
  Fault fault;
  fault.kind = kind;
  fault.kernel = program.kernel;
  fault.message = "no device memory left for the " + std::string(what) + " of kernel " +
                  base::readable_name(program.kernel) + ": " + std::to_string(bytes) + " bytes";
  return fault;
}

}  // namespace

ParseStage::ParseStage(const Machine& machine, Store& store, const ProgramTable& programs, Queues& queues,
                       ParseLanes& lanes, KernelTable& table, LaunchTrees& trees, Observer* observer)
    : machine_(machine),
      store_(store),
      programs_(programs),
      queues_(queues),
      lanes_(lanes),
      table_(table),
      trees_(trees),
      observer_(observer),
      clock_(base::kilohertz(machine.clock.core_mhz)),
      entry_per_queue_(machine.queue.in_memory && machine.table.entries >= machine.queue.count),
      // With a scan, sources are the queues only. Otherwise two more sources follow: launches by device code and
      // suspended TBs.
      select_(machine.queue.count + (machine.parse.select_scan == 0 ? 2 : 0), machine.parse.select_scan),
      workspaces_(store),
      arenas_(machine.table.entries) {}

PacketImage ParseStage::submitted(unsigned queue, const KernelPacket& packet, Ticket ticket, Cycle visible) const {
  const LoadedProgram& loaded = programs_[packet.program];
  const isa::Program& program = loaded.program();
  LaunchDescriptor descriptor;
  descriptor.code_base = loaded.code_base();
  descriptor.grid = packet.grid;
  descriptor.block = packet.block;
  descriptor.registers = program.registers;
  descriptor.shared_bytes = program.shared_bytes + packet.dynamic_shared;
  descriptor.local_bytes = program.local_bytes;
  descriptor.stream = queue;
  descriptor.serial = static_cast<std::uint32_t>(ticket);
  descriptor.kid = packet.kid;
  if (observer_ != nullptr) observer_->kernel_submitted({visible, ticket, queue, 0, &program.kernel});
  return encode(descriptor);
}

ParseStage::Granted ParseStage::grant(unsigned queue, Cycle now) {
  const unsigned entry = entry_per_queue_ ? queue : static_cast<unsigned>(table_.first_free(now));
  select_.granted(queue, now);
  const QueuedPacket head = queues_.take(queue, QueueState::kParsing, now);
  const auto& packet = std::get<KernelPacket>(head.packet);
  LaunchRecord& record = trees_.open();
  record.image = head.image;
  KernelContext& context = table_.reserve(entry, record);
  context.queue = static_cast<std::uint16_t>(queue);
  context.ticket = head.ticket;
  context.program = &programs_[packet.program].program();
  context.synchronises = synchronises(*context.program, packet);
  context.sync = packet.sync;
  if (packet.sync != nullptr && !packet.sync->order.empty()) context.order = packet.sync->order.data();
  CASTOR_ASSERT_AT(now, !packet.owned || context.synchronises, "a kernel owns the machine and does not synchronise");
  context.owned = context.may_swap = packet.owned;
  context.submitted = clock_.time_of(head.visible);
  context.cooperative = packet.cooperative;
  context.all_resident =
      needs_all_resident(*context.program, packet.cooperative) || waits_resident(machine_, *context.program);
  std::optional<Fault> fault = prepare(context, packet, head.image);
  lanes_.start(entry, head.image, now);
  if (observer_ != nullptr) {
    observer_->kernel_granted({now, head.ticket, queue, entry, &context.program->kernel});
  }
  return {entry, std::move(fault)};
}

ParseStage::Granted ParseStage::grant(const DeviceLauncher::Granted& launch, Cycle now) {
  const auto entry = static_cast<unsigned>(table_.first_free(now));
  select_.granted(device_source(), now);
  KernelContext& context = table_.reserve(entry, *launch.record);
  context.submitted = clock_.time_of(now);
  std::optional<Fault> fault = prepare_local(context, launch.child.launch.block, &arenas_[entry]);
  lanes_.start(entry, launch.record->image, now);
  if (observer_ != nullptr) {
    observer_->kernel_granted({now, context.ticket, context.queue, entry, &context.program->kernel});
  }
  return {entry, std::move(fault)};
}

// Records that a suspended TB was granted a lane. A kernel of device code that takes another entry moves its local
// memory to the new entry's arena. This is possible because none of its TBs is on an SM.
std::optional<Fault> ParseStage::returned(int entry, Cycle now) {
  select_.granted(return_source(), now);
  if (entry < 0 || !table_[static_cast<unsigned>(entry)].by_device()) return std::nullopt;
  KernelContext& context = table_.draft(static_cast<unsigned>(entry));
  return prepare_local(context, context.block, &arenas_[static_cast<std::size_t>(entry)]);
}

// Allocates the device memory of a launch: its parameters, the workspace of its grid barrier, and the local memory of
// all TBs that can be resident. Writes the address of the parameters into the descriptor.
std::optional<Fault> ParseStage::prepare(KernelContext& context, const KernelPacket& packet, std::uint64_t image) {
  const isa::Program& program = *context.program;
  if (program.parameter_bytes > 0) {
    const auto address = store_.allocate(program.parameter_bytes, AllocationKind::kParameters, "parameters");
    if (!address) return out_of_memory(program, "parameters", program.parameter_bytes, FaultKind::kIllegalAddress);
    context.parameters = *address;
    store_.set_read_only(*address, true);
    const std::size_t given = std::min<std::size_t>(packet.parameters.size(), program.parameter_bytes);
    if (given != 0) std::memcpy(store_.host(*address), packet.parameters.data(), given);
    LaunchDescriptor descriptor = decode_launch(store_.host(image));
    descriptor.parameters = *address;
    const PacketImage bytes = encode(descriptor);
    std::memcpy(store_.host(image), bytes.data(), bytes.size());
  }
  if (context.all_resident) {
    const auto workspace = workspaces_.take();
    if (!workspace) return out_of_memory(program, "grid barrier", GridWorkspaces::kBytes, FaultKind::kIllegalAddress);
    context.grid_workspace = *workspace;
  }
  return prepare_local(context, packet.block, nullptr);
}

std::optional<Fault> ParseStage::prepare_local(KernelContext& context, const Dim3& block, Arena* arena) {
  const isa::Program& program = *context.program;
  if (program.local_bytes == 0) return std::nullopt;
  const std::uint64_t lanes = machine_.sm.lanes;
  const std::uint64_t warps = (block.count() + lanes - 1) / lanes;
  const std::uint64_t line = machine_.l1.line;
  const std::uint64_t words = (std::uint64_t{program.local_bytes} + 3) / 4;
  context.local_stride = (words * 4 * lanes + line - 1) / line * line;
  const std::uint64_t bytes = machine_.chip.sms * machine_.sm.tb_contexts * warps * context.local_stride;
  if (arena != nullptr && arena->bytes >= bytes) {
    context.local_base = arena->address;
    return std::nullopt;
  }
  const auto address = store_.allocate(bytes, AllocationKind::kLocal, "local memory");
  if (!address) return out_of_memory(program, "local memory", bytes, FaultKind::kStackOverflow);
  context.local_base = *address;
  if (arena == nullptr) return std::nullopt;
  if (arena->bytes != 0) store_.free(arena->address);
  *arena = {*address, bytes};
  return std::nullopt;
}

void ParseStage::reset() {
  for (Arena& arena : arenas_) {
    if (arena.bytes != 0) store_.free(arena.address);
    arena = {};
  }
}

unsigned ParseStage::write(Cycle now) {
  const ParseLanes::Lane& lane = *lanes_.finished(now);
  const unsigned entry = lane.entry;
  KernelContext& context = table_.draft(entry);
  fill(context, decode_launch(lane.image.data()), now);
  lanes_.pop();
  table_.write(entry, clock_.time_of(now));
  if (!table_[entry].by_device()) queues_.block(context.queue);
  if (observer_ != nullptr) {
    observer_->kernel_written({now, context.ticket, context.queue, entry, &context.program->kernel});
  }
  return entry;
}

void ParseStage::fill(KernelContext& context, const LaunchDescriptor& descriptor, Cycle now) const {
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
  if (context.synchronises || machine_.context.mover == ContextMover::kEngine) {
    context.image_bytes = image_bytes(machine_, program, {threads, descriptor.registers, descriptor.shared_bytes});
  }
}

// Without a free lane or entry no kernel can be granted; the call then returns kForever.
Cycle ParseStage::next(const QueueMask& ready, bool waits, Cycle now) const {
  if ((ready.none() && !waits) || lanes_.full() || !entry_free(now + 1)) return kForever;
  return std::max(lanes_.next_start(), waits ? now + 1 : select_.next(ready, now));
}

}  // namespace castor::gpu
