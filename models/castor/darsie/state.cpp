#include "castor/darsie/state.h"

#include <ios>
#include <ostream>
#include <tuple>

#include "castor/darsie/masks.h"

namespace castor::darsie {

namespace {

auto scalars(const TbState& t) {
  return std::tie(t.base, t.rows, t.slots, t.ctr, t.ptr, t.pv, t.wb, t.ld, t.gl, t.inv, t.nosk, t.slot, t.seq);
}

auto scalars(const State& s) {
  return std::tie(s.live, s.maj, s.miss, s.lat, s.two, s.lr0, s.lr1, s.lld, s.lgl, s.stop, s.tk, s.cpy, s.tb, s.lt0,
                  s.lt1, s.versions, s.tl, s.en, s.prom, s.sync, s.synced, s.noel, s.rrf, s.rrt, s.cpv, s.cpw, s.cpk,
                  s.err);
}

void print_tb(std::ostream& out, const State& state, unsigned t) {
  const TbState& tb = state.tbs[t];
  out << "TB " << t << (has(state.en, t) ? " enabled" : "") << (has(state.prom, t) ? " promoted" : "")
      << (has(state.sync, t) ? " sync" : "") << (has(state.synced, t) ? " synced" : "")
      << (has(state.noel, t) ? " noel" : "") << std::dec << ", base " << tb.base << ", rows " << unsigned(tb.rows)
      << ", slots " << unsigned(tb.slots) << ", ctr " << unsigned(tb.ctr) << std::hex << "\n  wb " << tb.wb << " ld "
      << tb.ld << " gl " << tb.gl << " inv " << tb.inv << " nosk " << tb.nosk << '\n';
  for_each_bit(tb.pv, [&](unsigned e) {
    out << "  entry " << std::dec << e << std::hex << ": pc " << tb.pc[e] << " rows " << tb.tags[e].mask()
        << (has(tb.pld, e) ? " load" : "") << (has(tb.pgl, e) ? " global" : "") << '\n';
  });
  for_each_bit(state.live, [&](unsigned w) {
    if (state.tb[w] != t) return;
    const WarpVersions& versions = state.versions[w];
    out << "  warp " << std::dec << w << std::hex << ": pend " << versions.pend << " ref " << versions.ref << " ling "
        << versions.ling << '\n';
  });
}

}  // namespace

bool operator==(const TbState& a, const TbState& b) {
  if (scalars(a) != scalars(b) || ((a.pld ^ b.pld) & a.pv) != 0 || ((a.pgl ^ b.pgl) & a.pv) != 0) return false;
  bool same = true;
  for_each_bit(a.pv, [&](unsigned e) { same = same && a.pc[e] == b.pc[e] && a.tags[e] == b.tags[e]; });
  return same;
}

bool operator==(const State& a, const State& b) { return scalars(a) == scalars(b) && a.tbs == b.tbs; }

std::ostream& operator<<(std::ostream& out, const State& state) {
  const std::ios_base::fmtflags flags = out.flags();
  out << std::hex << "live " << state.live << " maj " << state.maj << " miss " << state.miss << " lat " << state.lat
      << " stop " << state.stop << " tk " << state.tk << " cpy " << state.cpy << " err " << unsigned(state.err);
  if (state.cpv != 0) out << std::dec << " copy of row " << unsigned(state.cpk) << " for warp " << unsigned(state.cpw);
  out << '\n';
  for_each_bit(state.tl, [&](unsigned t) { print_tb(out, state, t); });
  out.flags(flags);
  return out;
}

}  // namespace castor::darsie
