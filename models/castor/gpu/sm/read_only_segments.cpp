#include "castor/gpu/sm/read_only_segments.h"

#include <cinttypes>
#include <cstdio>
#include <memory>

#include "castor/base/error.h"
#include "castor/gpu/execution/fault.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/store.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/sync_op.h"

namespace castor::gpu {
namespace {

/// Returns the offset of an address in shared memory, or nothing if it is in another space.
[[nodiscard]] Maybe<std::uint64_t> shared_offset(isa::Space space, std::uint64_t address) {
  if (space == isa::Space::kShared) return address;
  if (space != isa::Space::kGeneric || address - isa::kSharedWindow >= isa::kWindowSize) return {};
  return address - isa::kSharedWindow;
}

/// Returns whether a promise names device memory, which the swap engine can load.
[[nodiscard]] bool in_memory(const Machine& machine, const ReadOnlyPromise& promise) {
  const std::uint64_t offset = promise.address - Store::kBase;
  return promise.address >= Store::kBase && offset <= machine.memory.bytes &&
         promise.bytes <= machine.memory.bytes - offset;
}

}  // namespace

bool ReadOnlySegments::present(const SmParts& parts) {
  return parts.hooks.agent != nullptr && parts.hooks.swap != nullptr && parts.hooks.swap->storage().segments != 0;
}

ReadOnlySegments::ReadOnlySegments(const SmParts& parts)
    : parts_(parts), moves_(parts.tbs.engine_moves()), entries_(parts.hooks.swap->storage().segments) {
  CASTOR_ASSERT(entries_ <= SegmentTable::kMost, "a swap engine has tables of %u read-only segments; at most %u fit",
                entries_, SegmentTable::kMost);
  moves_.segments.resize(parts.machine.sm.tb_contexts);
}

// The table of a thread block that comes back has come with its SIMT lines.
void ReadOnlySegments::start(TbStart& start) {
  if (start.message.saved == nullptr) moves_.segments[start.context].clear();
}

bool ReadOnlySegments::issue(unsigned /*scheduler*/, unsigned w, const isa::Record& record, const Decoded& decoded,
                             LaneMask mask) {
  const unsigned context = parts_.warps[w].tb;
  if (mask == 0 || !parts_.tbs[context].kernel->owned) return false;
  if ((decoded.flags & kSynchronises) != 0) {
    execute(context, w, record, mask);
    return false;
  }
  if (record.kind != isa::Kind::kMemory || record.memory.kind == isa::MemoryKind::kLoad) return false;
  return !moves_.segments[context].empty() && refuse(context, w, record, mask);
}

// The operands are those of the lowest active lane.
void ReadOnlySegments::execute(unsigned context, unsigned w, const isa::Record& record, LaneMask mask) {
  SegmentTable& table = moves_.segments[context];
  const isa::RegisterView view = parts_.warps.view(w);
  const unsigned lane = first_lane(mask);
  Maybe<unsigned> changed;
  const auto op = static_cast<isa::SyncOp>(record.imm);
  if (op == isa::SyncOp::kReadOnly) {
    const ReadOnlyPromise promise = {lane_value<std::uint32_t>(view, record.src[0], lane),
                                     lane_value<std::uint32_t>(view, record.src[2], lane),
                                     lane_value<std::uint64_t>(view, record.src[1], lane)};
    if (in_memory(parts_.machine, promise)) {
      changed = table.enter(promise, parts_.tbs[context].kernel->shared_bytes, entries_);
    }
  } else if (op == isa::SyncOp::kWritable) {
    changed = table.drop(lane_value<std::uint32_t>(view, record.src[0], lane));
  }
  if (changed) moves_.segment_updates.push_back(table.segment(context, *changed));
}

// Stops the kernel if a lane stores to a read-only segment. Returns whether it does.
bool ReadOnlySegments::refuse(unsigned context, unsigned w, const isa::Record& record, LaneMask mask) {
  if (record.memory.space != isa::Space::kShared && record.memory.space != isa::Space::kGeneric) return false;
  const auto access = std::make_unique<isa::Access>();
  isa::address(record, parts_.warps.view(w), mask, *access);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const Maybe<std::uint64_t> shared = shared_offset(record.memory.space, access->address[lane]);
    if (!shared || *shared + access->lane_bytes > parts_.tbs[context].kernel->shared_bytes) continue;
    const ReadOnlyPromise* const segment = moves_.segments[context].covering(*shared, access->lane_bytes);
    if (segment == nullptr) continue;
    ExecutionFault fault;
    fault.kind = FaultKind::kIllegalAddress;
    fault.lane = lane;
    fault.address = *shared;
    char text[200];
    std::snprintf(text, sizeof text,
                  "store of %u bytes at shared address 0x%" PRIx64
                  ": read-only segment of %u bytes from 0x%x on, which "
                  "holds global memory from 0x%" PRIx64 " on (tb.readonly)",
                  access->lane_bytes, *shared, segment->bytes, segment->shared, segment->address);
    fault.what = text;
    parts_.buffer.take(w);
    parts_.faults.report(w, parts_.warps[w].pc, fault);
    parts_.buffer.update_head(w);
    return true;
  }
  return false;
}

}  // namespace castor::gpu
