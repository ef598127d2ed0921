#include "castor/gpu/sm/thread_blocks.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/execution/warp_start.h"
#include "castor/gpu/saved_tb.h"

namespace castor::gpu {

ThreadBlocks::ThreadBlocks(const Machine& machine, unsigned sm, TbCounters& counters, Observer* observer)
    : contexts_(machine.sm.tb_contexts),
      memory_(machine.sm.tb_contexts),
      shared_(machine.sm.tb_contexts),
      shared_of_(machine.sm.tb_contexts),
      free_register_units_(machine.sm.registers / machine.sm.reg_alloc_unit),
      free_shared_units_(machine.sm.smem_bytes / machine.sm.smem_alloc_unit),
      machine_(machine),
      sm_(sm),
      counters_(counters),
      observer_(observer) {
  for (std::size_t c = 0; c < contexts_.size(); ++c) {
    contexts_[c].memory = &memory_[c];
    shared_of_[c] = static_cast<std::uint8_t>(c);
  }
}

std::size_t ThreadBlocks::grow_shared_stores(std::size_t stores) {
  if (shared_.size() < stores) shared_.resize(stores);
  for (AlignedBytes& store : shared_) store.reserve(machine_.sm.smem_bytes);
  return shared_.size();
}

const DecodedProgram& ThreadBlocks::decoded(const isa::Program& program) {
  for (const auto& known : programs_) {
    if (known->program == &program) return *known;
  }
  return *programs_.emplace_back(std::make_unique<DecodedProgram>(machine_, program));
}

SmResources ThreadBlocks::room(WarpMask used) const {
  SmResources room;
  room.tbs = machine_.sm.tb_slots - static_cast<unsigned>(__builtin_popcountll(resident_));
  room.warps = machine_.sm.warps - static_cast<unsigned>(__builtin_popcountll(used));
  room.reg_units = free_register_units_;
  room.smem_units = free_shared_units_;
  return room;
}

// Returns the context in which a TB starts. Kept contexts are free once a TB of another kernel starts, because nothing
// runs beside a kernel that owns the machine.
unsigned ThreadBlocks::take_context(const TbStartMessage& message, Cycle now) {
  if (engine_moves_.kept != 0 && message.kernel->ticket != kept_for_) engine_moves_.kept = 0;
  if (message.context) {
    CASTOR_ASSERT_AT(now, (engine_moves_.kept >> *message.context & 1) != 0, "TB context %u of SM %u is not kept",
                     unsigned{*message.context}, sm_);
    engine_moves_.kept &= ~(TbMask{1} << *message.context);
    return *message.context;
  }
  CASTOR_ASSERT_AT(now, ~(resident_ | engine_moves_.kept) != 0, "SM %u has no free TB context", sm_);
  const unsigned context = lowest(~(resident_ | engine_moves_.kept));
  CASTOR_ASSERT_AT(now, context < contexts_.size(), "SM %u has no free TB context", sm_);
  return context;
}

// Sets the warp slots of a TB that starts.
void ThreadBlocks::take_slots(const TbStartMessage& message, unsigned context, WarpMask used, Cycle now) {
  const unsigned lanes = machine_.sm.lanes;
  TbState& tb = contexts_[context];
  const auto threads = static_cast<unsigned>(message.kernel->block.count());
  tb.warp_count = (threads + lanes - 1) / lanes;
  if (!message.context) {
    for (TbMask left = engine_moves_.kept; left != 0; left &= left - 1) used |= contexts_[lowest(left)].warps;
    tb.warps = 0;
    for (unsigned i = 0; i < tb.warp_count; ++i) {
      const WarpMask free = ~(used | tb.warps);
      CASTOR_ASSERT_AT(now, free != 0, "SM %u has no free warp slot", sm_);
      const unsigned slot = lowest(free);
      CASTOR_ASSERT_AT(now, slot < machine_.sm.warps, "SM %u has no free warp slot", sm_);
      tb.slots[i] = static_cast<std::uint8_t>(slot);
      tb.warps |= warp_bit(slot);
    }
  }
  tb.live = tb.warps;
  std::vector<std::uint8_t> halves(tb.warp_count);
  for (unsigned i = 0; i < tb.warp_count; ++i) halves[i] = started_lanes(threads, lanes, i) >> 32 != 0 ? 2 : 1;
  tb.barriers.unit.start(halves);
}

unsigned ThreadBlocks::start(const TbStartMessage& message, WarpMask used, Cycle now, Tick tick) {
  const KernelContext& kernel = *message.kernel;
  const unsigned context = take_context(message, now);
  CASTOR_ASSERT_AT(now, kernel.need.reg_units <= free_register_units_ && kernel.need.smem_units <= free_shared_units_,
                   "a TB is placed on SM %u that does not fit: registers or shared memory", sm_);
  free_register_units_ -= kernel.need.reg_units;
  free_shared_units_ -= kernel.need.smem_units;
  if (resident_ == 0) quiet_tick_ = tick + 1;
  operation_at_ = tick;
  resident_ |= TbMask{1} << context;
  ++counters_.tb_started;

  TbState& tb = contexts_[context];
  tb.kernel = &kernel;
  tb.program = &decoded(*kernel.program);
  tb.item = message.item;
  tb.gid = message.gid;
  tb.group = message.group;
  tb.killed = false;
  tb.index = block_index(message.item.grid, message.gid);
  tb.warp_instructions = tb.thread_instructions = 0;
  tb.started = tick;
  TbMemory& memory = *tb.memory;
  memory.kernel = &kernel;
  memory.shared_bytes = kernel.shared_bytes;
  if (!message.context || message.saved == nullptr) shared_[shared_of_[context]].assign_zero(kernel.shared_bytes);
  use_shared_store(context, shared_of_[context]);
  memory.parameters = message.item.parameters;
  memory.local_base = kernel.local_base + (std::uint64_t{sm_} * machine_.sm.tb_contexts + context) * kernel.need.warps *
                                              kernel.local_stride;
  memory.acquire = message.acquire;

  take_slots(message, context, used, now);
  for (TbBarriers::Times& times : tb.barriers.times) times.seen = 0;
  tb.barriers.done = 0;
  std::optional<SwapReason> swapped;
  if (message.saved != nullptr) swapped = message.saved->reason;
  if (observer_ != nullptr) observer_->tb_started({now, sm_, context, &kernel, tb.gid, tb.group, swapped});
  return context;
}

Tick ThreadBlocks::setup_ticks(const TbStartMessage& message) const {
  const Dim3& grid = message.item.grid;
  const bool divides = message.divide && (grid.y > 1 || grid.z > 1);
  return machine_.sm.tb_start_cycles + (divides ? machine_.sm.tb_divide_cycles - 1 : 0);
}

std::optional<ThreadBlocks::Order> ThreadBlocks::take_order(Cycle now, Cycle next_start) {
  const auto next = std::find_if(orders_.begin(), orders_.end(), [&](const Order& order) {
    return order.visible <= now && (!order.swaps || next_start > order.visible);
  });
  if (next == orders_.end()) return std::nullopt;
  const Order order = *next;
  orders_.erase(next);
  if (!order.swaps) killed_.push_back(order);
  return order;
}

Cycle ThreadBlocks::next_order() const {
  Cycle next = base::kForever;
  for (const Order& order : orders_) next = std::min(next, order.visible);
  return next;
}

bool ThreadBlocks::killed(const KernelContext& kernel) const {
  return std::any_of(killed_.begin(), killed_.end(),
                     [&](const Order& kill) { return kill.kernel == &kernel && kill.ticket == kernel.ticket; });
}

void ThreadBlocks::acquire(unsigned context, Cycle now) {
  Cycle& acquire = memory_[context].acquire;
  CASTOR_ASSERT_AT(now, acquire <= now, "an acquire cycle of SM %u lies in the future", sm_);
  acquire = now;
}

std::optional<unsigned> ThreadBlocks::next_to_retire(WarpMask busy_warps, Credits& done, Cycle now, Tick tick) {
  waits_for_credit_ = false;
  if (!may_retire(tick)) return std::nullopt;
  for (TbMask left = finished_; left != 0; left &= left - 1) {
    const unsigned context = lowest(left);
    if ((contexts_[context].warps & busy_warps) != 0) continue;
    if (!done.covers(1, now)) {
      waits_for_credit_ = true;
      return std::nullopt;
    }
    done.spend(1);
    return context;
  }
  return std::nullopt;
}

TbRetireMessage ThreadBlocks::retire(unsigned context, Cycle now, Tick tick) {
  TbState& tb = contexts_[context];
  const KernelContext& kernel = *tb.kernel;
  TbRetireMessage message;
  message.visible = now + 1;
  message.kernel = &kernel;
  message.gid = tb.gid;
  message.group = tb.group;
  message.slot = static_cast<std::uint8_t>(context);
  message.warp_instructions = tb.warp_instructions;
  message.thread_instructions = tb.thread_instructions;
  ++counters_.tb_retired;
  leave(context, std::nullopt, now, tick);
  return message;
}

void ThreadBlocks::restore(unsigned context, const SavedTb& saved) {
  TbState& tb = contexts_[context];
  std::copy(saved.shared.begin(), saved.shared.end(), tb.shared);
  tb.barriers = saved.barriers;
  tb.warp_instructions = saved.warp_instructions;
  tb.thread_instructions = saved.thread_instructions;
  for (unsigned i = 0; i < tb.warp_count; ++i) {
    if (!saved.warps[i].live) tb.live &= ~warp_bit(tb.slots[i]);
  }
}

void ThreadBlocks::swap_out(unsigned context, SwapReason reason, Cycle now, Tick tick) {
  if (reason == SwapReason::kChildren) ++counters_.tb_suspended;
  leave(context, reason, now, tick);
}

void ThreadBlocks::leave(unsigned context, std::optional<SwapReason> swapped, Cycle now, Tick tick) {
  TbState& tb = contexts_[context];
  const KernelContext& kernel = *tb.kernel;
  resident_ &= ~(TbMask{1} << context);
  finished_ &= ~(TbMask{1} << context);
  swapping_ &= ~(TbMask{1} << context);
  engine_moves_.forget(context);
  free_register_units_ += kernel.need.reg_units;
  free_shared_units_ += kernel.need.smem_units;
  operation_at_ = tick;
  counters_.tb_resident += tick - tb.started;
  tb.kernel = nullptr;
  if (kernel.owned) {
    engine_moves_.kept |= TbMask{1} << context;
    kept_for_ = kernel.ticket;
  } else {
    tb.memory->kernel = nullptr;
  }
  if (observer_ != nullptr) observer_->tb_retired({now, sm_, context, &kernel, tb.gid, tb.group, swapped});
}

}  // namespace castor::gpu
