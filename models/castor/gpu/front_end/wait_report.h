#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "castor/gpu/front_end/completion_port.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/job_inspector.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/parse_stage.h"
#include "castor/gpu/front_end/queue_head_service.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

/// Wait report of the front end: a list of the kernels, queues and packets that wait, each with the one it waits for,
/// read from the parts between cycles (docs/gpu/faults.md, "Who waits for whom"). Copies are reported by the copy
/// engines, and TBs by the SMs.
class WaitReport {
 public:
  /// Parts of the front end that the report reads. `next`: the cycle that may run next.
  struct Parts {
    const KernelTable& table;
    const Ledger& ledger;
    const Dispatcher& dispatcher;
    const Queues& queues;
    const ParseLanes& lanes;
    const ParseStage& parse;
    const QueueHeadService& heads;
    const JobInspector& inspector;
    const CompletionPort& host;
    Cycle next = 0;
    std::map<unsigned, std::string> held = {};  ///< why table entries are held, by entry
    std::string more = {};                      ///< lines about waiting work in mechanisms
  };
  explicit WaitReport(const Parts& parts) : parts_(parts) {}

  /// Returns a line for every kernel in the table and every queue that is not empty, with the reason.
  [[nodiscard]] std::string text() const;
  /// Adds the waits of kernels and queues to a wait graph.
  void add_to(WaitGraph& graph) const;
  /// Returns which unit holds the work of a ticket, for the wait report's line about the host. `elsewhere`: text of the
  /// mechanisms about the ticket.
  [[nodiscard]] std::string where(Ticket ticket, const std::string& elsewhere = {}) const;

 private:
  [[nodiscard]] std::string kernel_line(unsigned entry) const;
  [[nodiscard]] std::string placement(unsigned entry) const;
  [[nodiscard]] std::string queue_line(unsigned queue) const;
  [[nodiscard]] std::string queue_head_reason(unsigned queue) const;
  [[nodiscard]] std::string node(unsigned entry) const;
  [[nodiscard]] int kernel_of(unsigned queue) const;
  [[nodiscard]] int recorder_of(const EventWaitPacket& wait) const;

  Parts parts_;
};

}  // namespace castor::gpu
