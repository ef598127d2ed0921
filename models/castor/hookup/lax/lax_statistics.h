#pragma once

#include "castor/base/statistics.h"
#include "castor/lax/ports.h"

namespace castor::hookup {

/// Statistics of the laxity engine, counted at its ports and probes, so model and RTL give the same values. They are in
/// the group of the job scheduler, on machines with the engine only.
struct LaxStatistics {
  explicit LaxStatistics(base::StatisticGroup& parent) : group(parent, "lax") {}

  base::StatisticGroup group;
  base::Counter submitted{group, {"submitted", "", "accepted headers of new jobs, and of appends to live jobs"}};
  base::Counter accepted{group, {"accepted", "", "verdicts that accept a submission"}};
  base::Counter rejected{group,
                         {"rejected", "", "verdicts that reject a job because it would have missed its deadline"}};
  base::Counter expired{group, {"expired", "", "verdicts that reject or drop a job because its deadline had passed"}};
  base::Counter refused{
      group,
      {"refused", "", "verdicts that refuse a submission: queue busy, bad list, kernel type or deadline, engine off"}};
  base::Counter met{group, {"met", "", "jobs that ended and met their deadline, or had none"}};
  base::Counter late{group, {"late", "", "jobs that ended after their deadline"}};
  base::Counter tbs{group, {"tbs", "", "completions of TBs of jobs"}};
  base::Counter updates{group, {"updates", "", "periodic updates of rates and priorities"}};
  base::Counter update_cycles{group, {"update_cycles", "cycles", "cycles in which an update ran"}};
  base::Counter parse_grants{group, {"parse_grants", "", "kernels offered by the engine that parse lanes accepted"}};
  base::Counter parse_stalls{
      group, {"parse_stalls", "cycles", "cycles in which a kernel could be parsed and the selection offered none"}};
  base::Counter dispatch_grants{group, {"dispatch_grants", "", "TBs offered by the engine that were placed"}};
  base::Counter dispatch_stalls{
      group, {"dispatch_stalls", "cycles", "cycles in which a TB fitted and the selection offered none"}};
  base::Counter preemptions{group, {"preemptions", "", "queues that were preempted (PREMA)"}};
  base::Counter interrupts{group, {"interrupts", "", "rising edges of the interrupt"}};
  base::Counter errors{group, {"errors", "", "bits of ERR_STAT that were set: types of broken rules"}};

  /// Counts the events of one cycle from all inputs and outputs at its clock edge.
  void cycle(const lax::Inputs& in, const lax::Outputs& out);
  /// Counts `n` idle cycles, in which the outputs do not change.
  void rest(const lax::Inputs& in, const lax::Outputs& out, base::Cycle n);
  /// Counts the bits of ERR_STAT that are set and were clear before.
  void see_errors(std::uint16_t bits);

 private:
  lax::Outputs last_;
  std::uint16_t errors_ = 0;
};

}  // namespace castor::hookup
