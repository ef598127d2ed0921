#include "castor/darsie/probes.h"

#include "castor/darsie/masks.h"

namespace castor::darsie {

Probes probes_of(const State& s) {
  Probes probes;
  probes.live = s.live;
  probes.majority = s.maj;
  probes.miss = s.miss;
  probes.lat = s.lat;
  probes.two = s.two & s.lat;
  probes.lr0 = s.lr0 & s.lat;
  probes.lr1 = s.lr1 & s.lat;
  probes.lld = s.lld & s.lat;
  probes.lgl = s.lgl & s.lat;
  probes.stop = s.stop;
  probes.tk = s.tk & s.stop;
  probes.cpy = s.cpy;
  for_each_bit(s.live, [&](unsigned w) {
    probes.warp_tb[w] = s.tb[w];
    probes.pend[w] = s.versions[w].pend;
    probes.ref[w] = s.versions[w].ref;
    probes.ling[w] = s.versions[w].ling;
  });
  for_each_bit(s.lat, [&](unsigned w) {
    probes.lt0[w] = s.lt0[w];
    probes.lt1[w] = s.lt1[w];
  });
  probes.tl = s.tl;
  probes.en = s.en & s.tl;
  probes.prom = s.prom & s.tl;
  probes.sync = s.sync & s.tl;
  probes.synced = s.synced & s.tl;
  probes.noel = s.noel & s.tl;
  for_each_bit(s.tl, [&](unsigned t) {
    const TbState& tb = s.tbs[t];
    probes.base[t] = tb.base;
    probes.rows[t] = tb.rows;
    probes.slots[t] = tb.slots;
    probes.ctr[t] = tb.ctr;
    probes.ptr[t] = tb.ptr;
    probes.pv[t] = tb.pv;
    probes.pld[t] = tb.pld & tb.pv;
    probes.pgl[t] = tb.pgl & tb.pv;
    probes.wb[t] = tb.wb;
    probes.ld[t] = tb.ld;
    probes.gl[t] = tb.gl;
    probes.inv[t] = tb.inv;
    probes.nosk[t] = tb.nosk;
  });
  probes.rrf = s.rrf;
  probes.rrt = s.rrt;
  probes.cpv = s.cpv;
  if (s.cpv != 0) {
    probes.cpw = s.cpw;
    probes.cpk = s.cpk;
  }
  probes.error = s.err;
  return probes;
}

}  // namespace castor::darsie
