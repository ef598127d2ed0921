#include <algorithm>

#include "tb/darsie/bits.h"
#include "tb/darsie/environment.h"

// Instructions in flight: fetch, decode, issue, reading of operands, execution and write-back.

namespace castor::darsie::tb {
namespace {

unsigned litmus_cell(const Instruction& what) { return what.space == Space::kLitmusGlobal ? 1 : 0; }
// largest number of cycles that a write-back waits for other write-backs
constexpr unsigned kMostWriteWait = 40;
constexpr unsigned kLead = 1, kPrivate = 2, kSquash = 3;  // values of d_act

}  // namespace

// Fetch and decode

void Environment::fetch(const Outputs& out) {
  if (!chance(knobs_.fetch)) return;
  std::vector<unsigned> may;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    const Warp& warp = warps_[w];
    if (warp.does != Does::kRuns || warp.fetching || warp.event || contains(out.f_hold, w)) continue;
    if (warp.buffer.size() + params_.DecW > room()) continue;
    if (!warp.buffer.empty() && !chance(knobs_.ahead)) continue;
    if (cycle_ < warp.slow_until && !chance(4000)) continue;
    may.push_back(w);
  }
  if (may.empty()) return;
  Warp& warp = warps_[may[below(static_cast<unsigned>(may.size()))]];
  warp.fetching = true;
  warp.arrives_at = cycle_ + 1 + below(knobs_.fetch_cycles + 1);
}

void Environment::decode(Inputs& in) {
  if (!chance(knobs_.decode)) return;
  std::optional<unsigned> chosen;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    const Warp& warp = warps_[w];
    if (!warp.fetching || warp.arrives_at > cycle_) continue;
    if (!chosen || warp.arrives_at < warps_[*chosen].arrives_at) chosen = w;
  }
  if (!chosen) return;
  decoding_ = chosen;
  const Warp& warp = warps_[*chosen];
  const Tb& tb = tbs_[warp.tb];
  in.d_warp = static_cast<U8>(*chosen);
  in.d_pc = pc_of(tb, warp.path.pc());
  Path path = warp.path;
  const unsigned first = path.pc(), count = chance(kAlways / 8) ? 1 : params_.DecW;
  for (unsigned s = 0; s < count && path.pc() == first + s; ++s) {
    const Instruction& what = tb.kernel.code[path.pc()];
    in.d_valid = static_cast<U8>(in.d_valid | 1U << s);
    in.d_mark[s] = static_cast<U8>(what.mark);
    if (what.mark != 0) {
      in.d_ndst[s] = static_cast<U8>(what.ndst);
      for (unsigned a = 0; a < what.ndst; ++a) in.d_dst[2 * s + a] = static_cast<U8>(what.dst[a]);
    }
    in.d_ldkind[s] = static_cast<U8>(what.load_kind());
    if (what.control()) break;
    path.go(path.pc() + 1);
  }
}

void Environment::accept(const Inputs& in, const Outputs& out) {
  if (!decoding_) return;
  Warp& warp = warps_[*decoding_];
  Tb& tb = tbs_[warp.tb];
  warp.fetching = false;
  for (unsigned s = 0; s < params_.DecW && contains(in.d_valid, s); ++s) {
    const unsigned act = out.d_act[s], pc = warp.path.pc();
    const Instruction& what = tb.kernel.code[pc];
    if (act == kSquash) {
      // The block reports the hold of the squashed warp only from the next cycle on.
      warp.event = true;
      ++seen_.squashes;
    }
    if (act != 0 && what.mark == 0) {
      if (act != kSquash || s == 0) problem("a verdict on an instruction without a mark");
    }
    if (act == kSquash) return;
    moved_ = cycle_;
    Buffered next{pc, warp.path.lanes(), act == kLead, {out.d_tag[0], out.d_tag[1]}};
    seen_.leads += act == kLead ? 1 : 0;
    seen_.privates += act == kPrivate ? 1 : 0;
    for (unsigned a = 0; next.lead && a < what.ndst; ++a) {
      if (next.tag[a] >= tb.rows) {
        problem("a row beyond the pool is given away");
        next.lead = false;
      } else {
        tb.pool[next.tag[a]] = garbage();
      }
    }
    warp.buffer.push_back(next);
    if (what.control()) {
      warp.does = Does::kControl;
      return;
    }
    warp.path.go(pc + 1);
  }
}

// Issue

bool Environment::may_issue(const Warp& warp, const Instruction& what) const {
  for (unsigned s = 0; s < what.nsrc; ++s) {
    if (warp.pending[what.src[s]] != 0) return false;
  }
  for (unsigned d = 0; d < what.ndst; ++d) {
    if (warp.pending[what.dst[d]] != 0) return false;
  }
  return true;
}

void Environment::choose_issues(Inputs& in) {
  const unsigned from = below(params_.NumWarps);
  unsigned port = 0;
  for (unsigned i = 0; i < params_.NumWarps; ++i) {
    const unsigned w = (from + i) % params_.NumWarps;
    Warp& warp = warps_[w];
    const auto& code = tbs_[warp.tb].kernel.code;
    for (unsigned n = 0; n < 2 && n < warp.buffer.size(); ++n) {
      Buffered& next = warp.buffer[n];
      const Instruction& what = code[next.pc];
      if (n == 1) {
        // The second instruction must not depend on the first.
        const Instruction& first = code[warp.buffer[0].pc];
        bool hangs = !chance(kAlways / 2);
        for (unsigned d = 0; d < first.ndst; ++d) {
          hangs = hangs || std::find(&what.src[0], &what.src[what.nsrc], first.dst[d]) != &what.src[what.nsrc];
          hangs = hangs || std::find(&what.dst[0], &what.dst[what.ndst], first.dst[d]) != &what.dst[what.ndst];
        }
        if (hangs) break;
      }
      if (port < params_.NumIss && chance(kAlways / 16)) ++port;
      if (port >= params_.NumIss || !chance(cycle_ < warp.slow_until ? knobs_.issue / 16 : knobs_.issue)) break;
      if (!may_issue(warp, what)) break;
      next.issues = true;
      next.port = port++;
      show_issue(warp, w, next, in);
    }
  }
}

void Environment::show_issue(const Warp& warp, unsigned w, const Buffered& next, Inputs& in) {
  const unsigned p = next.port, numbers = 1U << params_.slot_bits();
  const Instruction& what = tbs_[warp.tb].kernel.code[next.pc];
  in.i_valid = static_cast<U16>(in.i_valid | 1U << p);
  in.i_warp[p] = static_cast<U8>(w);
  if (next.lead) in.i_lead = static_cast<U16>(in.i_lead | 1U << p);
  for (unsigned a = 0; a < what.ndst; ++a) {
    if (next.lead) in.i_tag[2 * p + a] = static_cast<U8>(next.tag[a]);
    if (what.dst[a] >= numbers) continue;
    in.i_dv[p] = static_cast<U8>(in.i_dv[p] | 1U << a);
    in.i_dst[2 * p + a] = static_cast<U8>(what.dst[a]);
  }
  for (unsigned a = 0; a < what.nsrc; ++a) {
    if (what.src[a] >= numbers) continue;
    in.i_sv[p] = static_cast<U8>(in.i_sv[p] | 1U << a);
    in.i_src[p * params_.NumSrc + a] = static_cast<U8>(what.src[a]);
  }
  if (what.stores() || what.op == Op::kAdd) in.ev_store |= U32{1} << warp.tb;
  if (what.op == Op::kAdd || what.op == Op::kFence) in.ev_global = 1;
}

void Environment::issue(const Inputs& in, const Outputs& out) {
  // Processes instructions in the order of the issue ports, which is the order of the memory path.
  std::vector<std::pair<unsigned, unsigned>> order;
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (!warps_[w].buffer.empty() && warps_[w].buffer[0].issues) order.emplace_back(warps_[w].buffer[0].port, w);
    if (warps_[w].buffer.size() > 1 && warps_[w].buffer[1].issues) order.emplace_back(warps_[w].buffer[1].port, w);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [p, w] : order) {
    Warp& warp = warps_[w];
    const Tb& tb = tbs_[warp.tb];
    const Buffered next = warp.buffer.front();
    warp.buffer.pop_front();
    Flight flight;
    flight.number = ++flights_;
    flight.what = tb.kernel.code[next.pc];
    flight.lanes = next.lanes;
    flight.collect_at = cycle_ + (chance(knobs_.collect_late) ? 1 + below(knobs_.collect_cycles) : 0);
    for (unsigned a = 0; a < flight.what.nsrc; ++a) {
      flight.from[a] = kOwn;
      if (!contains(in.i_sv[p], a) || !contains(out.i_sren[p], a)) continue;
      const unsigned row =
          (out.i_srow[p * params_.NumSrc + a] - tb.base) & static_cast<unsigned>(twin::mask(params_.RowW));
      if (row >= tb.rows) {
        problem("an operand comes from a row of nobody");
      } else {
        flight.from[a] = row;
      }
    }
    for (unsigned d = 0; d < flight.what.ndst; ++d) {
      if (next.lead) flight.to[d] = next.tag[d];
      ++warp.pending[flight.what.dst[d]];
    }
    if (flight.what.memory() || flight.what.op == Op::kCheck) issue_to_memory(warp, flight);
    if (flight.what.memory()) memory_.emplace_back(w, flight.number);
    warp.flights.push_back(flight);
    ++seen_.instructions;
    moved_ = cycle_;
  }
}

/// Assigns the values of litmus stores. Issue determines the order of the stores, and the oldest value that the warp
/// may load from then on.
void Environment::issue_to_memory(Warp& warp, Flight& flight) {
  const unsigned cell = litmus_cell(flight.what);
  Tb& tb = tbs_[warp.tb];
  if (flight.what.op == Op::kFence) {
    warp.bound[1] = std::max(warp.bound[1], tb.issued_stamp[1]);
  } else if (flight.what.op == Op::kCheck) {
    flight.stamp = warp.bound[cell];
  } else if (flight.what.stores() && flight.what.litmus()) {
    flight.stamp = warp.bound[cell] = tb.issued_stamp[cell] = ++stamp_;
  }
}

// Operands, memory accesses and results

void Environment::collect(unsigned w) {
  for (Flight& flight : warps_[w].flights) {
    if (flight.collected) continue;
    if (cycle_ < flight.collect_at) return;
    read_operands(w, flight);
    flight.collected = true;
  }
}

void Environment::read_operands(unsigned w, Flight& flight) {
  Warp& warp = warps_[w];
  const Tb& tb = tbs_[warp.tb];
  const Instruction& what = flight.what;
  for (unsigned a = 0; a < what.nsrc; ++a) {
    flight.sources[a] = flight.from[a] == kOwn ? warp.registers[what.src[a]] : tb.pool[flight.from[a]];
  }
  for (unsigned d = 0; d < what.ndst; ++d) flight.old[d] = warp.registers[what.dst[d]];
  if (what.op == Op::kCheck) {
    const unsigned cell = litmus_cell(what);
    const std::uint32_t value = flight.sources[0][0];
    ++seen_.checks;
    if (value < flight.stamp || value < warp.last_seen[cell]) problem("a warp loads what is older than what it knows");
    warp.last_seen[cell] = value;
  }
  if (what.memory()) return;
  for (unsigned d = 0; d < what.ndst; ++d) {
    flight.results[d] = computed(what, d, flight.sources, flight.old[d], flight.lanes, tb.shape, warp.number);
  }
  flight.performed = true;
  flight.done_at = cycle_ + 1 + below((what.control() ? knobs_.resolve_cycles : knobs_.write_cycles) + 1);
  if (!what.control() && chance(knobs_.slow_write)) flight.done_at += below(knobs_.slow_cycles);
}

void Environment::perform() {
  while (!memory_.empty()) {
    Warp& warp = warps_[memory_.front().first];
    const auto flight = std::find_if(warp.flights.begin(), warp.flights.end(),
                                     [this](const Flight& f) { return f.number == memory_.front().second; });
    if (flight != warp.flights.end()) {
      if (!flight->collected) return;
      access(warp, *flight);
    }
    memory_.pop_front();
  }
}

void Environment::access(Warp& warp, Flight& flight) {
  Tb& tb = tbs_[warp.tb];
  const Instruction& what = flight.what;
  std::uint32_t& cell = tb.cell[litmus_cell(what)];
  for (unsigned d = 0; d < what.ndst; ++d) {
    if (what.litmus()) {
      flight.results[d].fill(cell);
    } else {
      flight.results[d] = tb.memory->load(what, d, flight.sources, flight.old[d], flight.lanes);
    }
  }
  if (what.op == Op::kAdd) tb.memory->add(flight.lanes);
  if (what.stores() && what.litmus()) cell = flight.stamp;
  if (what.stores() && !what.litmus()) tb.memory->store(what, flight.sources, flight.lanes, warp.number);
  flight.performed = true;
  flight.done_at = cycle_ + 1 + below(knobs_.write_cycles + 1);
  if (chance(knobs_.slow_write)) flight.done_at += below(knobs_.slow_cycles);
}

/// Returns whether renamed results have to wait because not every write port has a result.
bool Environment::writes_wait() {
  if (knobs_.together == 0) return false;
  unsigned results = 0;
  for (const Warp& warp : warps_) {
    for (const Flight& flight : warp.flights) {
      if (!flight.performed || cycle_ < flight.done_at) continue;
      for (unsigned d = 0; d < flight.what.ndst; ++d) results += flight.to[d] != kOwn && !flight.written[d] ? 1 : 0;
    }
  }
  if (results != 0 && writes_from_ == 0) writes_from_ = cycle_;
  const bool wait = results < params_.NumWb && cycle_ - writes_from_ < std::min(knobs_.together, kMostWriteWait);
  if (!wait) writes_from_ = 0;
  return wait;
}

void Environment::choose_writes(Inputs& in) {
  writes_.clear();
  const bool wait = writes_wait();
  unsigned ports = 0;
  const unsigned from = below(params_.NumWarps);
  for (unsigned i = 0; i < params_.NumWarps; ++i) {
    const unsigned w = (from + i) % params_.NumWarps;
    Warp& warp = warps_[w];
    for (const Flight& flight : warp.flights) {
      if (!flight.performed || cycle_ < flight.done_at) continue;
      for (unsigned d = 0; d < flight.what.ndst; ++d) {
        if (flight.written[d]) continue;
        if (flight.to[d] != kOwn) {
          if (ports == params_.NumWb || wait || (knobs_.together == 0 && chance(kAlways / 16))) continue;
          in.wb_valid = static_cast<U16>(in.wb_valid | 1U << ports);
          in.wb_tb[ports] = static_cast<U8>(warp.tb);
          in.wb_tag[ports++] = static_cast<U8>(flight.to[d]);
        }
        writes_.push_back({w, flight.number, d});
      }
    }
  }
}

void Environment::write() {
  for (const Write& now : writes_) {
    Warp& warp = warps_[now.warp];
    for (Flight& flight : warp.flights) {
      if (flight.number != now.flight) continue;
      const unsigned reg = flight.what.dst[now.which];
      if (flight.to[now.which] == kOwn) {
        warp.registers[reg] = flight.results[now.which];
      } else {
        tbs_[warp.tb].pool[flight.to[now.which]] = flight.results[now.which];
        warp.registers[reg] = garbage();
      }
      flight.written[now.which] = true;
      --warp.pending[reg];
      moved_ = cycle_;
    }
  }
  for (Warp& warp : warps_) {
    const auto over = [](const Flight& f) {
      bool written = true;
      for (unsigned d = 0; d < f.what.ndst; ++d) written = written && f.written[d];
      return f.performed && written && !f.what.control();
    };
    warp.flights.erase(std::remove_if(warp.flights.begin(), warp.flights.end(), over), warp.flights.end());
  }
}

// Reactions to the block's outputs

void Environment::skip_warps(const Outputs& out) {
  for (unsigned w = 0; w < params_.NumWarps; ++w) {
    if (!contains(out.f_skip, w)) continue;
    Warp& warp = warps_[w];
    if (warp.does != Does::kRuns || warp.fetching || warp.event) {
      problem("warp " + std::to_string(w) + " is skipped, and was not eligible");
      continue;
    }
    const unsigned pc = warp.path.pc();
    const Instruction& what = tbs_[warp.tb].kernel.code[pc];
    if (what.mark == 0) {
      problem("an instruction without a mark is skipped");
      if (what.control()) continue;
    }
    // The skipped warp's own register is stale from now on, so it gets a random value. Older instructions may still
    // have to read the register.
    const bool read =
        std::all_of(warp.flights.begin(), warp.flights.end(), [](const Flight& f) { return f.collected; });
    for (unsigned d = 0; read && d < what.ndst; ++d) warp.registers[what.dst[d]] = garbage();
    warp.path.go(pc + 1);
    ++seen_.skips;
    moved_ = cycle_;
  }
}

void Environment::copy(Inputs& in, const Outputs& out) {
  if (out.cp_valid == 0 || out.cp_warp >= params_.NumWarps || !chance(knobs_.acknowledge)) return;
  Warp& warp = warps_[out.cp_warp];
  if (warp.does == Does::kNothing || out.cp_slot >= warp.pending.size() || warp.pending[out.cp_slot] != 0) return;
  for (const Flight& flight : warp.flights) {
    if (!flight.collected) return;
  }
  const Tb& tb = tbs_[warp.tb];
  const unsigned row = (out.cp_row - tb.base) & static_cast<unsigned>(twin::mask(params_.RowW));
  in.cp_ack = 1;
  ++seen_.copies;
  moved_ = cycle_;
  if (row >= tb.rows) {
    problem("a copy of a row of nobody");
  } else {
    warp.registers[out.cp_slot] = tb.pool[row];
  }
}

}  // namespace castor::darsie::tb
