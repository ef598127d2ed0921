#include "castor/saws/state.h"

#include <ios>
#include <ostream>
#include <tuple>

namespace castor::saws {

namespace {

auto scalars(const State& s) {
  return std::tie(s.mode, s.selected, s.toggling, s.turn, s.waiting, s.err, s.cta_used, s.toggle, s.allocated, s.live,
                  s.blocked, s.cta_warps, s.warp_cta);
}

}  // namespace

bool operator==(const State& a, const State& b) {
  return scalars(a) == scalars(b) && a.lists == b.lists && a.queues == b.queues;
}

std::ostream& operator<<(std::ostream& out, const State& state) {
  const std::ios_base::fmtflags flags = out.flags();
  out << std::hex << enum_names(state.mode)[static_cast<unsigned>(state.mode)] << " selected "
      << unsigned(state.selected) << " toggling " << state.toggling << " turn " << unsigned(state.turn) << " err "
      << unsigned(state.err) << "\nctas " << state.cta_used << " toggle " << state.toggle << "\nallocated "
      << state.allocated << " live " << state.live << " blocked " << state.blocked << std::dec << '\n';
  for (unsigned s = 0; s < kMaxSchedulers; ++s) {
    const List& list = state.lists[s];
    const Queue& queue = state.queues[s];
    if (list.length == 0 && queue.count == 0) continue;
    out << "scheduler " << s << ':';
    for (unsigned p = 0; p < list.length; ++p) out << " C" << unsigned(list.cta[p]);
    out << " (" << unsigned(list.pointer) << (list.greedy ? " greedy)" : ")");
    for (unsigned m = 0; m < queue.count; ++m) {
      const Message& message = queue.messages[m];
      out << (m == 0 ? "; waiting" : ",") << " C" << unsigned(message.cta) << (message.hit ? " hit" : "")
          << (message.all_blocked ? " all blocked" : "") << (message.killed ? " killed" : "");
    }
    out << '\n';
  }
  out.flags(flags);
  return out;
}

}  // namespace castor::saws
