// Device-wide synchronisation (docs/gpu/synchronisation.md). These instructions are Castor's own: PTX has none like
// them.

#include "castor/isa/lanes.h"
#include "castor/isa/sync_op.h"

namespace {

using castor::isa::Match;
using castor::isa::SyncOp;

template <SyncOp op>
std::uint64_t selector(const Match& /*match*/) {
  return static_cast<std::uint64_t>(op);
}

}  // namespace

CASTOR_INSTRUCTIONS(synchronise) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  const auto row = [&](SyncOp op, const char* operands, std::uint64_t (*immediate)(const Match&), const char* meaning) {
    table.add({std::string(name(op)), operands, TimingClass::kBarrier, Kind::kSync, nullptr, immediate, meaning});
  };
  row(SyncOp::kGridBarrier, "", selector<SyncOp::kGridBarrier>,
      "waits until all thread blocks of the kernel have arrived");
  row(SyncOp::kReadOnly, "shared:u32, global:u64, bytes:u32", selector<SyncOp::kReadOnly>,
      "promises that a range of shared memory holds the bytes of a range of global memory and is not written");
  row(SyncOp::kWritable, "shared:u32", selector<SyncOp::kWritable>, "ends such a promise");
  row(SyncOp::kWait, "event:u32, target:u32", selector<SyncOp::kWait>,
      "counts the thread block at an event and waits until the event's count reaches the target");
  row(SyncOp::kSignal, "event:u32, target:u32", selector<SyncOp::kSignal>, "counts at an event, once per warp");
}
