#include "tb/tb_swap/cover/machine_points.h"

#include <iterator>
#include <string>
#include <vector>

namespace castor::tb_swap::tb {
namespace {

/// Returns the arcs from each state to itself; they have no point.
template <class State>
std::vector<typename castor::tb::Arcs<State>::Arc> stays() {
  std::vector<typename castor::tb::Arcs<State>::Arc> arcs;
  for (std::size_t i = 0; i < std::size(enum_names(State{})); ++i) {
    arcs.push_back({static_cast<State>(i), static_cast<State>(i), 0});
  }
  return arcs;
}

/// Returns a name for each state in which a kernel can start.
template <class State>
std::vector<std::string> names_of_starts(const char* machine) {
  std::vector<std::string> names;
  for (const char* const name : enum_names(State{})) {
    names.push_back(std::string("kernel starts, ") + machine + " " + name);
  }
  return names;
}

using Out = castor::tb::Arcs<OutState>::Arc;
using In = castor::tb::Arcs<InState>::Arc;

std::vector<Out> out_arcs() {
  using S = OutState;
  return {{S::kIdle, S::kPlace},     {S::kPlace, S::kSimt},  {S::kPlace, S::kPage},  {S::kPlace, S::kHand},
          {S::kPage, S::kSimt},      {S::kSimt, S::kMask},   {S::kSimt, S::kShared}, {S::kSimt, S::kPush},
          {S::kMask, S::kRegisters}, {S::kMask, S::kShared}, {S::kMask, S::kPush},   {S::kRegisters, S::kShared},
          {S::kRegisters, S::kPush}, {S::kShared, S::kPush}, {S::kPush, S::kHand},   {S::kHand, S::kIdle}};
}

std::vector<In> in_arcs() {
  using S = InState;
  return {{S::kIdle, S::kSimt},        {S::kIdle, S::kDone},      {S::kSimt, S::kSegments}, {S::kSimt, S::kMask},
          {S::kSegments, S::kMask},    {S::kMask, S::kRegisters}, {S::kMask, S::kShared},   {S::kMask, S::kWait},
          {S::kRegisters, S::kShared}, {S::kRegisters, S::kWait}, {S::kShared, S::kWait},   {S::kWait, S::kDone},
          {S::kDone, S::kIdle}};
}

}  // namespace

MachinePoints::MachinePoints(const castor::tb::CoverList& list)
    : out_(list, out_arcs(), stays<OutState>()),
      in_(list, in_arcs(), stays<InState>()),
      starts_out_(list, names_of_starts<OutState>("out"),
                  [](const Now& now) { return static_cast<std::size_t>(now.probes.out_state); }),
      starts_in_(list, names_of_starts<InState>("in"),
                 [](const Now& now) { return static_cast<std::size_t>(now.probes.in_state); }) {}

void MachinePoints::see(const Now& now) {
  if (now.starts()) {
    starts_out_.see(now);
    starts_in_.see(now);
  }
  if (now.before == nullptr || now.before->in.cfg_valid != 0) return;
  out_.see(now.before->probes.out_state, now.probes.out_state);
  in_.see(now.before->probes.in_state, now.probes.in_state);
}

}  // namespace castor::tb_swap::tb
