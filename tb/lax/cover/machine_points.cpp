#include "tb/lax/cover/machine_points.h"

#include <algorithm>

namespace castor::lax::tb {
namespace {

using M = MainState;
using S = SubmitState;

// Returns the activity of the main machine. Soft resets are counted per activity and not per state, because they hit
// one-cycle states by chance only.
std::size_t main_activity(const Probes& was) {
  return was.main_state == M::kIdle ? 0 : was.main_state <= M::kKWb ? 1 : was.main_state <= M::kANext ? 2 : 3;
}
std::size_t submit_activity(const Probes& was) { return std::min(number(was.submit_state), 3U); }

}  // namespace

MachinePoints::MachinePoints(const CoverList& list)
    : cover_(list.cover),
      main_(list, {{M::kIdle, M::kIdle},
                   {M::kIdle, M::kKOpen},
                   {M::kIdle, M::kR1},
                   {M::kIdle, M::kVOpen},
                   {M::kIdle, M::kANext},
                   {M::kKOpen, M::kKMul},
                   {M::kKOpen, M::kVOpen},
                   {M::kKMul, M::kKDiv},
                   {M::kKDiv, M::kKDiv},
                   {M::kKDiv, M::kKWb},
                   {M::kKWb, M::kVOpen},
                   {M::kVOpen, M::kVOpen},
                   {M::kVOpen, M::kVMac},
                   {M::kVOpen, M::kIdle},
                   {M::kVOpen, M::kANext},
                   {M::kVMac, M::kVAcc},
                   {M::kVAcc, M::kVMac},
                   {M::kVAcc, M::kVKey},
                   {M::kVKey, M::kVOpen},
                   {M::kVKey, M::kIdle},
                   {M::kVKey, M::kANext},
                   {M::kVKey, M::kVDiv},
                   {M::kVDiv, M::kVDiv},
                   {M::kVDiv, M::kVTok},
                   {M::kVTok, M::kVOpen},
                   {M::kVTok, M::kIdle},
                   {M::kANext, M::kIdle},
                   {M::kANext, M::kVOpen},
                   {M::kR1, M::kR1},
                   {M::kR1, M::kR2},
                   {M::kR2, M::kR2},
                   {M::kR2, M::kR3},
                   {M::kR3, M::kIdle},
                   {M::kKOpen, M::kKOpen, has::kTypes},
                   {M::kKWb, M::kKOpen, has::kTypes},
                   {M::kVMac, M::kVMac, has::kLists}}),
      submit_(list, {{S::kIdle, S::kIdle},
                     {S::kIdle, S::kList},
                     {S::kIdle, S::kCommit},
                     {S::kList, S::kList},
                     {S::kList, S::kCommit},
                     {S::kCommit, S::kCommit},
                     {S::kCommit, S::kIdle},
                     {S::kCommit, S::kCheck},
                     {S::kCheck, S::kCheck},
                     {S::kCheck, S::kMerge},
                     {S::kMerge, S::kMerge},
                     {S::kMerge, S::kVerdict},
                     {S::kVerdict, S::kVerdict},
                     {S::kVerdict, S::kIdle},
                     {S::kCheck, S::kVerdict, has::kOverfull}}),
      main_reset_(list, castor::tb::crossed({"soft reset, main machine: "}, {"idle", "rates", "visits", "ranking"}),
                  main_activity),
      submit_reset_(list, castor::tb::crossed({"soft reset, submit machine: "}, {"idle", "list", "commit", "append"}),
                    submit_activity),
      admissions_(list, {{"admission between two updates", 0, [](const bool& update_last) { return update_last; }}}) {}

void MachinePoints::see(const Now& now) {
  if (now.before == nullptr) return;
  const Probes& was = now.before->probes;
  if (now.after_reset) {
    main_reset_.see(was);
    submit_reset_.see(was);
    if (now.main() != M::kIdle || now.submit() != S::kIdle) {
      cover_.impossible("a soft reset leaves a machine running");
    }
    return;
  }
  if (!Arcs<M>::exists(number(now.main())) || !Arcs<S>::exists(number(now.submit()))) {
    cover_.impossible("a machine is in a state without name");
    return;
  }
  main_.see(was.main_state, now.main());
  submit_.see(was.submit_state, now.submit());
  if (was.main_state != M::kIdle) return;
  if (now.main() == M::kKOpen) update_last_ = true;
  if (now.main() == M::kANext || now.main() == M::kVOpen) {
    admissions_.see(update_last_);
    update_last_ = false;
  }
}

}  // namespace castor::lax::tb
