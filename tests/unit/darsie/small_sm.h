#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "castor/base/rng.h"
#include "castor/darsie/engine.h"

/// An SM around the block that keeps every rule of the ports: random programs with branches, loops, barriers, loads and
/// stores, random delays of fetch, issue, operands and write-backs, and a register file with values. A redundant
/// instruction gives a value that depends on its place and on the warp's path alone, so what program order demands is
/// known at every read.
namespace castor::darsie::test {

class SmallSm {
 public:
  struct Knobs {
    bool stores = true;          ///< stores and global operations
    unsigned redundant = 3;      ///< of 4 instructions so many are marked
    unsigned slots = 4;          ///< registers that programs rename
    unsigned longest_delay = 6;  ///< of fetch, operands, write-backs and copies
    unsigned laggards = 0;       ///< warps that fetch only now and then
  };

  SmallSm(const Params& p, std::uint64_t seed, const Knobs& knobs)
      : engine(p), p_(p), knobs_(knobs), random_(seed), tbs_(p.NumTbs), warps_(p.NumWarps) {}

  Engine engine;
  Inputs in;                  // of the last cycle
  Outputs out;                // of the last cycle
  unsigned retired = 0;       ///< TBs that ran to their end
  unsigned checked = 0;       ///< operands compared
  unsigned from_rows = 0;     ///< of these read from rows
  std::string failure;        ///< the first wrong value or broken rule; empty: none
  unsigned longest_wait = 0;  ///< cycles for which a warp waited for a version, a meeting or copies

  /// Next PC of a warp.
  [[nodiscard]] U64 next_pc(unsigned w) const { return pc(warps_[w].op); }

  /// One cycle.
  void cycle() {
    in = {};
    busy_ = launched_ = 0;
    launch_and_retire();
    barriers();
    decode();
    issue();
    eligible();
    write_backs();
    collect();
    engine.settle({});
    out = engine.settle(in);
    look_up_operands();
    read_operands();
    copies();
    if (random_.below(2) == 0) engine.settle({});
    engine.clock(in);
    apply_write_backs();
    apply_decode();
    apply_skips();
    fetch();
    watch();
    ++now_;
  }

 private:
  enum class Kind { kOp, kStore, kGlobal, kBranch, kLeave, kBarrier, kExit };
  enum class Outcome { kUniform, kSplit, kLoop, kWarpLoop, kDiverge };
  struct Op {
    Kind kind = Kind::kOp;
    unsigned mark = 0, load = 0;
    std::vector<unsigned> writes{}, reads{};
    Outcome outcome = Outcome::kUniform;
    unsigned target = 0;
  };
  struct Tb {
    bool used = false, enabled = false, promote = false;
    unsigned rows = 0, slots = 0, base = 0, barriers = 0;
    U64 id = 0, stores = 0;
    std::vector<Op> program;
    std::vector<unsigned> warps;
    std::array<U64, 32> row{};
  };
  struct Buffered {
    unsigned op = 0;
    bool lead = false;
    std::array<unsigned, 2> tags{};
  };
  struct Read {
    unsigned due = 0, port = 0, source = 0;
    bool fresh = true, row = false;
    unsigned where = 0;
    U64 value = 0;
  };
  struct Write {
    unsigned due = 0;
    std::vector<unsigned> registers;
    std::vector<U64> values;
    bool lead = false;
    std::array<unsigned, 2> tags{};
    std::array<bool, 2> done{};
  };
  struct Warp {
    bool live = false, full = false, at_barrier = false, fetching = false;
    unsigned tb = 0, op = 0, arrives = 0, waiting = 0;
    U64 path = 0;
    std::vector<Buffered> buffer;
    std::array<U64, 40> value{}, own{};
    std::array<bool, 40> pending{};
    std::vector<Read> reads;
    std::vector<Write> writes;
    std::map<unsigned, unsigned> turns;  // of loops
  };

  static constexpr U64 kPoison = 0xdead'dead'dead'deadU;

  static U64 mix(U64 a, U64 b) {
    U64 x = (a ^ (b + 0x9e37'79b9'7f4a'7c15U)) * 0xff51'afd7'ed55'8ccdU;
    return x ^ x >> 29;
  }
  [[nodiscard]] unsigned below(unsigned n) { return static_cast<unsigned>(random_.below(n)); }
  [[nodiscard]] bool chance(unsigned one_in) { return below(one_in) == 0; }
  [[nodiscard]] unsigned delay() { return below(knobs_.longest_delay + 1); }
  void fail(const std::string& text) {
    if (failure.empty()) failure = "cycle " + std::to_string(now_) + ": " + text;
  }
  [[nodiscard]] unsigned registers() const { return std::min(knobs_.slots + 2, 1U << p_.slot_bits()); }
  [[nodiscard]] U64 pc(unsigned op) const { return U64{8} * op & twin::mask(p_.PcW); }

  // Programs.

  void generate(std::vector<Op>& program, unsigned length, unsigned depth) {
    for (unsigned i = 0; i < length; ++i) {
      const unsigned what = below(16);
      if (what == 0 && depth < 2) {
        const std::size_t branch = program.size();
        Op op{Kind::kBranch};
        op.outcome = chance(3) ? Outcome::kSplit : chance(4) ? Outcome::kDiverge : Outcome::kUniform;
        program.push_back(op);
        generate(program, 1 + below(5), depth + 1);
        program[branch].target = static_cast<unsigned>(program.size());
      } else if (what == 1 && depth < 2) {
        Op op{Kind::kBranch};
        op.target = static_cast<unsigned>(program.size());
        op.outcome = chance(4) ? Outcome::kWarpLoop : Outcome::kLoop;
        generate(program, 1 + below(6), depth + 1);
        program.push_back(op);
      } else if (what == 2 && depth == 0) {
        program.push_back({Kind::kBarrier});
      } else if (what == 3 && knobs_.stores) {
        program.push_back({chance(4) ? Kind::kGlobal : Kind::kStore});
      } else if (what == 4 && depth == 0 && chance(6)) {
        program.push_back({Kind::kLeave});
      } else {
        program.push_back(operation());
      }
    }
  }
  Op operation() {
    Op op;
    op.mark = below(4) < knobs_.redundant ? 1 + below(2) : 0;
    for (unsigned a = 1 + below(registers() > 1 ? 2 : 1); a > 0; --a) {
      const unsigned reg = below(registers());
      if (op.writes.empty() || op.writes[0] != reg) op.writes.push_back(reg);
    }
    for (unsigned a = below(p_.NumSrc + 1); a > 0; --a) op.reads.push_back(below(registers()));
    if (chance(4)) op.load = 1 + below(2);
    return op;
  }

  // What a cycle brings.

  void launch_and_retire() {
    for (unsigned t = 0; t < p_.NumTbs; ++t) {
      Tb& tb = tbs_[t];
      if (!tb.used || in.retire_valid != 0 || chance(3)) continue;
      bool over = true;
      for (const unsigned w : tb.warps) over = over && !(warps_[w].live && warps_[w].tb == t);
      if (!over) continue;
      in.retire_valid = 1;
      in.retire_tb = static_cast<U8>(t);
      tb.used = false;
      ++retired;
    }
    std::vector<unsigned> free;
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (!warps_[w].live) free.push_back(w);
    }
    for (unsigned t = 0; t < p_.NumTbs && !free.empty(); ++t) {
      if (tbs_[t].used || !chance(8)) continue;
      launch(t, free);
      return;
    }
  }
  void launch(unsigned t, std::vector<unsigned> free) {
    Tb& tb = tbs_[t];
    tb = {};
    tb.used = true;
    tb.id = random_();
    tb.enabled = !chance(10);
    tb.promote = !chance(3);
    tb.rows = chance(3) ? p_.NumRows : 1 + below(p_.NumRows);
    tb.slots = std::min(knobs_.slots, p_.NumSlots);
    tb.base = below(1U << p_.RowW);
    do {
      tb.program.clear();
      generate(tb.program, 5 + below(40), 0);
      tb.program.push_back({Kind::kExit});
    } while (pc(static_cast<unsigned>(tb.program.size())) < tb.program.size());  // PCs must differ
    tb.row.fill(kPoison);
    for (unsigned n = 1 + below(std::min<unsigned>(8, static_cast<unsigned>(free.size()))); n > 0; --n) {
      const unsigned i = below(static_cast<unsigned>(free.size()));
      tb.warps.push_back(free[i]);
      free.erase(free.begin() + i);
    }
    in.lnch_valid = 1;
    in.lnch_tb = static_cast<U8>(t);
    in.lnch_en = tb.enabled ? 1 : 0;
    in.lnch_promote = tb.promote ? 1 : 0;
    in.lnch_base = static_cast<U16>(tb.base);
    in.lnch_rows = static_cast<U8>(tb.rows);
    in.lnch_slots = static_cast<U8>(tb.slots);
    for (const unsigned w : tb.warps) {
      Warp& warp = warps_[w];
      warp = {};
      warp.live = true;
      warp.tb = t;
      warp.full = !chance(8);
      warp.path = tb.id;
      for (unsigned r = 0; r < 40; ++r) warp.own[r] = warp.value[r] = mix(mix(tb.id, w), r);
      in.lnch_warps |= U64{1} << w;
      if (warp.full) in.lnch_full |= U64{1} << w;
    }
    launched_ = in.lnch_warps;
  }

  void barriers() {
    for (unsigned t = 0; t < p_.NumTbs; ++t) {
      Tb& tb = tbs_[t];
      bool any = false, all = tb.used;
      for (const unsigned w : tb.warps) {
        if (!warps_[w].live || warps_[w].tb != t) continue;
        any = true;
        all = all && warps_[w].at_barrier;
      }
      if (!any || !all || chance(3)) continue;
      in.bar |= U32{1} << t;
      ++tb.barriers;
      for (const unsigned w : tb.warps) {
        Warp& warp = warps_[w];
        if (!warp.live || warp.tb != t) continue;
        warp.at_barrier = false;
        if (warp.full) in.bar_join |= U64{1} << w;
        warp.path = mix(tb.id, tb.barriers);
        busy_ |= U64{1} << w;
      }
    }
  }

  void decode() {
    decoding_ = -1;
    for (unsigned i = 0, first = below(p_.NumWarps); i < p_.NumWarps; ++i) {
      const unsigned w = (first + i) % p_.NumWarps;
      const Warp& warp = warps_[w];
      if (!warp.live || !warp.fetching || warp.arrives > now_) continue;
      decoding_ = static_cast<int>(w);
      break;
    }
    if (decoding_ < 0) return;
    const auto w = static_cast<unsigned>(decoding_);
    const Warp& warp = warps_[w];
    const Tb& tb = tbs_[warp.tb];
    in.d_warp = static_cast<U8>(w);
    in.d_pc = pc(warp.op);
    const unsigned most = 1 + below(p_.DecW);
    for (unsigned s = 0; s < most; ++s) {
      const Op& op = tb.program[warp.op + s];
      in.d_valid = static_cast<U8>(in.d_valid | 1U << s);
      in.d_mark[s] = static_cast<U8>(op.mark);
      in.d_ndst[s] = static_cast<U8>(op.writes.size());
      for (unsigned a = 0; a < op.writes.size(); ++a) in.d_dst[2 * s + a] = static_cast<U8>(op.writes[a]);
      in.d_ldkind[s] = static_cast<U8>(op.load);
      if (op.kind != Kind::kOp && op.kind != Kind::kStore && op.kind != Kind::kGlobal) break;
    }
    busy_ |= U64{1} << w;
  }

  void issue() {
    unsigned ports = 0;
    for (unsigned i = 0, first = below(p_.NumWarps); i < p_.NumWarps && ports < p_.NumIss; ++i) {
      const unsigned w = (first + i) % p_.NumWarps;
      Warp& warp = warps_[w];
      if (!warp.live || warp.buffer.empty() || (launched_ >> w & 1U) != 0 || chance(3)) continue;
      const Buffered head = warp.buffer.front();
      const Op& op = tbs_[warp.tb].program[head.op];
      if (!may_issue(warp, op, head.lead)) continue;
      warp.buffer.erase(warp.buffer.begin());
      busy_ |= U64{1} << w;
      execute(w, op, head, ports++);
    }
  }
  [[nodiscard]] bool may_issue(const Warp& warp, const Op& op, bool lead) const {
    if (op.kind == Kind::kExit) {
      return warp.reads.empty() && warp.writes.empty();
    }
    for (const unsigned r : op.reads) {
      if (warp.pending[r]) return false;
    }
    for (const unsigned r : op.writes) {
      if (warp.pending[r]) return false;
      for (const Read& read : warp.reads) {
        if (!lead && !read.row && read.where == r) return false;  // or it would overwrite what is yet to be read
      }
    }
    return true;
  }

  void execute(unsigned w, const Op& op, const Buffered& head, unsigned port) {
    Warp& warp = warps_[w];
    const U64 bit = U64{1} << w;
    in.i_valid = static_cast<U16>(in.i_valid | 1U << port);
    in.i_warp[port] = static_cast<U8>(w);
    if (head.lead) in.i_lead = static_cast<U16>(in.i_lead | 1U << port);
    for (unsigned a = 0; a < op.reads.size(); ++a) {
      in.i_sv[port] = static_cast<U8>(in.i_sv[port] | 1U << a);
      in.i_src[port * p_.NumSrc + a] = static_cast<U8>(op.reads[a]);
      warp.reads.push_back({now_ + delay(), port, a, true, false, op.reads[a], warp.value[op.reads[a]]});
    }
    Write write;
    write.due = now_;
    for (const Read& read : warp.reads) write.due = std::max(write.due, read.due);
    write.due += 1 + delay();
    write.lead = head.lead;
    write.tags = head.tags;
    for (unsigned a = 0; a < op.writes.size(); ++a) {
      const unsigned r = op.writes[a];
      in.i_dv[port] = static_cast<U8>(in.i_dv[port] | 1U << a);
      in.i_dst[2 * port + a] = static_cast<U8>(r);
      if (head.lead) in.i_tag[2 * port + a] = static_cast<U8>(head.tags[a]);
      warp.value[r] = result(w, op, head.op, a);
      warp.pending[r] = true;
      if (head.lead) poison(warp, r);
      write.registers.push_back(r);
      write.values.push_back(warp.value[r]);
    }
    if (!op.writes.empty()) warp.writes.push_back(write);
    switch (op.kind) {
      case Kind::kOp:
        break;
      case Kind::kStore:
        in.ev_store |= U32{1} << warp.tb;
        break;
      case Kind::kGlobal:
        in.ev_store |= U32{1} << warp.tb;
        in.ev_global = 1;
        break;
      case Kind::kBranch:
        branch(w, op, head.op);
        break;
      case Kind::kLeave:
        in.leave |= bit;
        break;
      case Kind::kBarrier:
        warp.at_barrier = true;
        break;
      case Kind::kExit:
        in.exit |= bit;
        warp.live = false;
        break;
    }
  }

  /// Spoils a warp's own register, for which a row stands from now on, so that a read of it shows; not if an older
  /// instruction is yet to read it.
  static void poison(Warp& warp, unsigned r) {
    for (const Read& read : warp.reads) {
      if (!read.row && read.where == r) return;
    }
    warp.own[r] = kPoison;
  }

  void branch(unsigned w, const Op& op, unsigned at) {
    Warp& warp = warps_[w];
    const U64 common = mix(warp.path, at), own = mix(common, w);
    bool taken = false;
    switch (op.outcome) {
      case Outcome::kUniform:
        taken = common % 2 == 0;
        break;
      case Outcome::kSplit:
        taken = own % 3 == 0;
        break;
      case Outcome::kDiverge:
        if (own % 3 == 0) in.leave |= U64{1} << w;
        break;
      case Outcome::kLoop:
      case Outcome::kWarpLoop: {
        const U64 trips = 1 + mix(tbs_[warp.tb].id, at + (op.outcome == Outcome::kLoop ? 0 : 100 * w)) % 3;
        taken = ++warp.turns[at] < trips;
        if (!taken) warp.turns.erase(at);
        break;
      }
    }
    warp.path = mix(warp.path, mix(at, taken ? 1 : 0));
    if (taken) warp.op = op.target;
    if ((in.leave >> w & 1U) != 0) {
      warp.path = mix(warp.path, w);
    } else {
      in.br |= U64{1} << w;
      if (taken) in.br_taken |= U64{1} << w;
    }
  }

  /// What a warp's instruction gives in program order: the same for all warps on one path if it is redundant.
  [[nodiscard]] U64 result(unsigned w, const Op& op, unsigned at, unsigned destination) const {
    const Warp& warp = warps_[w];
    const Tb& tb = tbs_[warp.tb];
    const bool redundant = op.mark == 2 || (op.mark == 1 && tb.promote);
    U64 value = mix(mix(warp.path, 2 * at + destination), redundant ? 0 : w + 1);
    if (op.load != 0 && p_.StoreInv != 0) value = mix(value, mix(tb.stores, op.load == 2 ? globals_ : 0));
    return value;
  }

  void eligible() {
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      const Warp& warp = warps_[w];
      const bool now = warp.live && warp.buffer.empty() && !warp.fetching && !warp.at_barrier;
      if (!now || (busy_ >> w & 1U) != 0 || (launched_ >> w & 1U) != 0) continue;
      in.f_elig |= U64{1} << w;
      in.f_pc[w] = pc(warp.op);
    }
  }

  void write_backs() {
    unsigned port = 0;
    for (Warp& warp : warps_) {
      for (Write& write : warp.writes) {
        if (write.due > now_ || !write.lead) continue;
        for (unsigned a = 0; a < write.registers.size() && port < p_.NumWb; ++a) {
          if (write.done[a]) continue;
          in.wb_valid = static_cast<U16>(in.wb_valid | 1U << port);
          in.wb_tb[port] = static_cast<U8>(warp.tb);
          in.wb_tag[port] = static_cast<U8>(write.tags[a]);
          ++port;
          write.done[a] = true;
          tbs_[warp.tb].row[write.tags[a]] = write.values[a];
        }
      }
    }
  }
  void apply_write_backs() {
    for (Warp& warp : warps_) {
      for (std::size_t i = 0; i < warp.writes.size();) {
        const Write& write = warp.writes[i];
        bool over = write.due <= now_;
        for (unsigned a = 0; write.lead && a < write.registers.size(); ++a) over = over && write.done[a];
        if (!over) {
          ++i;
          continue;
        }
        for (unsigned a = 0; a < write.registers.size(); ++a) {
          warp.pending[write.registers[a]] = false;
          if (!write.lead) warp.own[write.registers[a]] = write.values[a];
        }
        warp.writes.erase(warp.writes.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  /// oc_idle: what issues and reads in this very cycle included.
  void collect() {
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      bool outstanding = false;
      for (const Read& read : warps_[w].reads) outstanding = outstanding || read.due > now_;
      if (!outstanding) in.oc_idle |= U64{1} << w;
    }
  }
  void look_up_operands() {
    for (Warp& warp : warps_) {
      for (Read& read : warp.reads) {
        if (!read.fresh) continue;
        read.fresh = false;
        read.row = (out.i_sren[read.port] >> read.source & 1U) != 0;
        if (!read.row) continue;
        const unsigned physical = out.i_srow[read.port * p_.NumSrc + read.source];
        read.where = static_cast<unsigned>((physical - tbs_[warp.tb].base) & twin::mask(p_.RowW));
        if (read.where >= p_.NumRows) fail("row " + std::to_string(read.where) + " does not exist");
      }
    }
  }
  void read_operands() {
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      Warp& warp = warps_[w];
      for (std::size_t i = 0; i < warp.reads.size();) {
        const Read& read = warp.reads[i];
        if (read.due > now_) {
          ++i;
          continue;
        }
        const U64 found = read.row ? tbs_[warp.tb].row[read.where % 32] : warp.own[read.where];
        if (found != read.value) {
          fail("warp " + std::to_string(w) + " reads a wrong value from " + (read.row ? "row " : "its register ") +
               std::to_string(read.where));
        }
        ++checked;
        if (read.row) ++from_rows;
        warp.reads.erase(warp.reads.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  void copies() {
    if (out.cp_valid == 0) return;
    Warp& warp = warps_[out.cp_warp];
    const unsigned row = static_cast<unsigned>((out.cp_row - tbs_[warp.tb].base) & twin::mask(p_.RowW)) % 32;
    if (warp.pending[out.cp_slot] || (in.oc_idle >> out.cp_warp & 1U) == 0 || chance(3)) return;
    in.cp_ack = 1;
    warp.own[out.cp_slot] = tbs_[warp.tb].row[row];
    if (warp.own[out.cp_slot] != warp.value[out.cp_slot]) {
      fail("warp " + std::to_string(out.cp_warp) + " copies a wrong value into register " +
           std::to_string(out.cp_slot));
    }
  }

  // What a cycle's outputs do.

  void apply_decode() {
    if (decoding_ < 0) return;
    Warp& warp = warps_[static_cast<unsigned>(decoding_)];
    Tb& tb = tbs_[warp.tb];
    warp.fetching = false;
    for (unsigned s = 0; s < p_.DecW && (in.d_valid >> s & 1U) != 0; ++s) {
      if (out.d_act[s] == kActSquash) return;
      Buffered entry{warp.op++};
      if (out.d_act[s] == kActLead) {
        entry.lead = true;
        unsigned& leads = leads_[mix(warp.path, entry.op)];
        if (!knobs_.stores && ++leads > 1) fail("two leaders of one instance");
        for (unsigned a = 0; a < in.d_ndst[s]; ++a) {
          entry.tags[a] = out.d_tag[a];
          tb.row[out.d_tag[a]] = kPoison;
        }
      }
      warp.buffer.push_back(entry);
    }
  }

  void apply_skips() {
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if ((out.f_skip >> w & 1U) == 0) continue;
      Warp& warp = warps_[w];
      const Op& op = tbs_[warp.tb].program[warp.op];
      if (op.mark == 0 || op.writes.empty()) {
        fail("warp " + std::to_string(w) + " skips an instruction that is not redundant");
        continue;
      }
      for (unsigned a = 0; a < op.writes.size(); ++a) {
        const unsigned r = op.writes[a];
        poison(warp, r);
        warp.value[r] = result(w, op, warp.op, a);
        const TbState& rows = engine.state().tbs[warp.tb];
        bool found = false;
        for (unsigned k = 0; k < p_.NumRows; ++k) {
          if ((engine.state().versions[w].ref >> k & 1U) == 0 || rows.slot[k] != r) continue;
          found = true;
          if (tbs_[warp.tb].row[k] != warp.value[r]) {
            fail("warp " + std::to_string(w) + " skips to a wrong value of register " + std::to_string(r));
          }
        }
        if (!found) fail("warp " + std::to_string(w) + " has no row after a skip");
      }
      ++warp.op;
    }
    for (unsigned t = 0; t < p_.NumTbs; ++t) tbs_[t].stores += in.ev_store >> t & 1U;
    globals_ += in.ev_global;
  }

  void fetch() {
    const bool laggards_turn = now_ % 32 == 0;
    const unsigned first = below(laggards_turn && knobs_.laggards != 0 ? knobs_.laggards : p_.NumWarps);
    for (unsigned i = 0; i < p_.NumWarps; ++i) {
      const unsigned w = (first + i) % p_.NumWarps;
      Warp& warp = warps_[w];
      const bool may = (in.f_elig >> w & 1U) != 0 && ((out.f_hold | out.f_skip) >> w & 1U) == 0;
      if (!may || (w < knobs_.laggards && !laggards_turn)) continue;
      warp.fetching = true;
      warp.arrives = now_ + 1 + delay();
      break;
    }
  }

  void watch() {
    if (engine.settle({}).err != 0) fail("err " + std::to_string(engine.state().err));
    const State& s = engine.state();
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      const bool waits = ((s.stop | s.lat | s.cpy) >> w & 1U) != 0;
      warps_[w].waiting = waits ? warps_[w].waiting + 1 : 0;
      longest_wait = std::max(longest_wait, warps_[w].waiting);
    }
  }

  Params p_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  std::vector<Tb> tbs_;
  std::vector<Warp> warps_;
  unsigned now_ = 0;
  int decoding_ = -1;
  std::map<U64, unsigned> leads_;  // of each instance
  U64 busy_ = 0;                   // warps with an event in this cycle
  U64 launched_ = 0;               // in this cycle
  U64 globals_ = 0;
};

}  // namespace castor::darsie::test
