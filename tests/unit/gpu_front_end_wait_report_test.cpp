// Tests of the report of waiting kernels and packets, built from parts that do not run.
#include "castor/gpu/front_end/wait_report.h"
#include "gpu_front_end_dispatch_parts.h"

namespace castor::gpu::gpu_front_end_wait_report_test {
namespace {

using test::DispatcherRig;

constexpr TbNeed kHuge{64, 2048, 1, 0};
constexpr TbNeed kSmall{1, 32, 1, 0};

class ReportRig : public DispatcherRig {
 public:
  explicit ReportRig(const Options& options)
      : DispatcherRig(options),
        parse(machine, store, programs, queues, lanes, table, trees, nullptr),
        inspector(machine, store, programs, ledger, queues, lanes, jobs, host, group),
        heads(machine, queues, memory.client(FrontEndMemory::User::kPackets), host, inspector, {nullptr, nullptr}) {}
  [[nodiscard]] WaitReport report() const {
    return WaitReport({table, ledger, dispatcher, queues, lanes, parse, heads, inspector, host, now + 1});
  }
  Ticket submit(unsigned queue, const Packet& packet) {
    const Ticket ticket = host.issue();
    queues.push(queue, ticket, packet, 1, {});
    queues.advance(2);
    return ticket;
  }
  ParseStage parse;
  JobInspector inspector;
  QueueHeadService heads;
  Cycle now = 10;
};

TEST(WaitReport, SaysOfEveryKernelWhatItWaitsFor) {
  ReportRig rig({{"chip.sms=2"}, {}, nullptr, false});
  rig.push(0, 5, kHuge);
  rig.step(1);
  rig.step(2);
  rig.push(1, 5, kSmall, 1);
  rig.reserve(2, 5, 2);
  EXPECT_EQ(rig.report().text(),
            "kernel k (ticket 100, entry 0, queue 0): 3 TBs not placed, 2 placed and not complete; no SM has the free "
            "resources: SM "
            "0 lacks warps, SM 1 lacks warps\n"
            "kernel k (ticket 101, entry 1, queue 1): 5 TBs not placed, 0 placed and not complete; behind kernel k of "
            "entry 0\n"
            "kernel k (ticket 102, entry 2, queue 2): being parsed\n");
  rig.ledger.credit(1, 0, kHuge);
  EXPECT_THAT(rig.report().text(), testing::HasSubstr("placed and not complete; can be placed"));
  rig.table.kill(1);
  rig.dispatcher.stop(1);
  EXPECT_THAT(rig.report().text(),
              testing::HasSubstr("stopped by a fault; 0 TBs not placed, 0 placed and not complete; "
                                 "completes"));
}

TEST(WaitReport, SaysOfEveryQueueWhatItsHeadWaitsFor) {
  ReportRig rig({{"table.entries=1"}, {}, nullptr, false});
  const Ticket wait = rig.submit(1, EventWaitPacket{7, 2});
  rig.submit(2, EventWaitPacket{8, 1});
  rig.submit(2, EventRecordPacket{7, 2});
  rig.submit(3, KernelPacket{});
  EXPECT_EQ(
      rig.report().text(),
      "queue 1: 1 packets, head event wait (ticket 1) waits for event 7 to reach 2, which is at 0, recorded by a "
      "packet of queue 2\n"
      "queue 2: 2 packets, head event wait (ticket 2) waits for event 8 to reach 1, which is at 0, no packet records "
      "that\n"
      "queue 3: 1 packets, head kernel (ticket 4) is parsed next\n");
  rig.push(0, 1, kSmall, 4);
  EXPECT_THAT(rig.report().text(), testing::HasSubstr("head kernel (ticket 4) waits for a kernel table entry"));
  EXPECT_EQ(rig.report().where(wait), "in queue 1, 0 packets before it");
  EXPECT_EQ(rig.report().where(100), "kernel k of entry 0");
}

TEST(WaitReport, TheGraphHasQueuesAndKernels) {
  ReportRig rig({{"table.entries=2", "chip.sms=1"}, {}, nullptr, false});
  rig.submit(1, EventWaitPacket{7, 2});
  rig.submit(1, EventRecordPacket{8, 1});
  rig.submit(2, EventWaitPacket{8, 1});
  rig.submit(2, EventRecordPacket{7, 2});
  WaitGraph graph;
  rig.report().add_to(graph);
  EXPECT_THAT(graph.cycle_text(), testing::HasSubstr(queue_node(1)));
  EXPECT_THAT(graph.cycle_text(), testing::HasSubstr(queue_node(2)));
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_wait_report_test
