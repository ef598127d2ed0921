#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "castor/darsie/engine.h"

/// A bench for the skip table and renamer: inputs of the current cycle, one call per cycle, and outputs as text.
namespace castor::darsie::test {

inline constexpr unsigned kNone = ~0U;

/// An instruction of a decode group.
struct Decoded {
  unsigned mark = 0, first = kNone, second = kNone, load = 0;
};
inline Decoded vector_op() { return {}; }
inline Decoded dr(unsigned dst, unsigned load = 0) { return {2, dst, kNone, load}; }
inline Decoded cr(unsigned dst, unsigned load = 0) { return {1, dst, kNone, load}; }
inline Decoded dr_pair(unsigned first, unsigned second, unsigned load = 0) { return {2, first, second, load}; }

/// An instruction that issues.
struct Issued {
  unsigned warp = 0;
  std::vector<unsigned> writes{}, reads{};
  std::vector<unsigned> tags{};  // rows of a leader's results, one per register written
};

struct Launch {
  unsigned tb = 0;
  U64 warps = 0;
  unsigned rows = 0, slots = 0;
  unsigned base = 0;
  bool promote = false, enabled = true;
  U64 full = ~U64{0};  // of warps
};

inline U64 warps(std::initializer_list<unsigned> numbers) {
  U64 mask = 0;
  for (const unsigned w : numbers) mask |= U64{1} << w;
  return mask;
}

/// Returns the low `bits` bits as text, bit 0 at the right.
inline std::string binary(U64 value, unsigned bits) {
  std::string text;
  for (unsigned i = bits; i-- > 0;) text += (value >> i & 1U) != 0 ? '1' : '0';
  return text;
}

class Bench {
 public:
  explicit Bench(const Params& p) : engine(p) { begin_cycle(); }

  Engine engine;
  Inputs in;           // inputs of the current cycle; each step resets all of them to 0, except oc_idle, which is 1
  unsigned cycle = 0;  // number of the current cycle

  // Inputs of the current cycle.
  Bench& launch(const Launch& l) {
    in.lnch_valid = 1;
    in.lnch_tb = static_cast<U8>(l.tb);
    in.lnch_warps = l.warps;
    in.lnch_full = l.full & l.warps;
    in.lnch_en = l.enabled ? 1 : 0;
    in.lnch_promote = l.promote ? 1 : 0;
    in.lnch_base = static_cast<U16>(l.base);
    in.lnch_rows = static_cast<U8>(l.rows);
    in.lnch_slots = static_cast<U8>(l.slots);
    return *this;
  }
  Bench& retire(unsigned tb) {
    in.retire_valid = 1;
    in.retire_tb = static_cast<U8>(tb);
    return *this;
  }
  Bench& eligible(std::initializer_list<unsigned> which, U64 pc) {
    for (const unsigned w : which) {
      in.f_elig |= U64{1} << w;
      in.f_pc[w] = pc;
    }
    return *this;
  }
  Bench& decode(unsigned warp, U64 pc, const std::vector<Decoded>& group) {
    in.d_warp = static_cast<U8>(warp);
    in.d_pc = pc;
    for (unsigned s = 0; s < group.size(); ++s) {
      const Decoded& d = group[s];
      in.d_valid = static_cast<U8>(in.d_valid | 1U << s);
      in.d_mark[s] = static_cast<U8>(d.mark);
      in.d_ndst[s] = static_cast<U8>((d.first != kNone ? 1 : 0) + (d.second != kNone ? 1 : 0));
      in.d_dst[2 * s] = static_cast<U8>(d.first != kNone ? d.first : 0);
      in.d_dst[2 * s + 1] = static_cast<U8>(d.second != kNone ? d.second : 0);
      in.d_ldkind[s] = static_cast<U8>(d.load);
    }
    return *this;
  }
  /// Issues an instruction on the next free port.
  Bench& issue(const Issued& i) {
    const unsigned port = ports_++;
    in.i_valid = static_cast<U16>(in.i_valid | 1U << port);
    in.i_warp[port] = static_cast<U8>(i.warp);
    for (unsigned a = 0; a < i.writes.size(); ++a) {
      in.i_dv[port] = static_cast<U8>(in.i_dv[port] | 1U << a);
      in.i_dst[2 * port + a] = static_cast<U8>(i.writes[a]);
    }
    for (unsigned a = 0; a < i.tags.size(); ++a) in.i_tag[2 * port + a] = static_cast<U8>(i.tags[a]);
    if (!i.tags.empty()) in.i_lead = static_cast<U16>(in.i_lead | 1U << port);
    for (unsigned a = 0; a < i.reads.size(); ++a) {
      in.i_sv[port] = static_cast<U8>(in.i_sv[port] | 1U << a);
      in.i_src[port * engine.params().NumSrc + a] = static_cast<U8>(i.reads[a]);
    }
    return *this;
  }
  Bench& write_back(unsigned tb, unsigned row) {
    const unsigned port = write_backs_++;
    in.wb_valid = static_cast<U16>(in.wb_valid | 1U << port);
    in.wb_tb[port] = static_cast<U8>(tb);
    in.wb_tag[port] = static_cast<U8>(row);
    return *this;
  }
  Bench& collecting(unsigned warp) {
    in.oc_idle &= ~(U64{1} << warp);
    return *this;
  }
  Bench& store(unsigned tb) {
    in.ev_store |= U32{1} << tb;
    return *this;
  }
  Bench& global() {
    in.ev_global = 1;
    return *this;
  }
  Bench& branch(std::initializer_list<unsigned> which, bool taken = false) {
    in.br |= warps(which);
    if (taken) in.br_taken |= warps(which);
    return *this;
  }
  Bench& leave(unsigned warp) {
    in.leave |= U64{1} << warp;
    return *this;
  }
  Bench& barrier(unsigned tb, U64 join) {
    in.bar |= U32{1} << tb;
    in.bar_join |= join;
    return *this;
  }
  Bench& exit(U64 which) {
    in.exit |= which;
    return *this;
  }
  Bench& acknowledge() {
    in.cp_ack = 1;
    return *this;
  }

  const Outputs& look() { return engine.settle(in); }

  /// Ends the cycle.
  Bench& step() {
    look();
    engine.clock(in);
    ++cycle;
    begin_cycle();
    return *this;
  }
  Bench& steps(unsigned n) {
    for (unsigned i = 0; i < n; ++i) step();
    return *this;
  }

  // Return the hold and skip outputs of the cycle.
  [[nodiscard]] U64 hold() { return look().f_hold; }
  [[nodiscard]] U64 skip() { return look().f_skip; }
  /// Returns the verdicts of the valid decode slots, such as "LEAD,PASS tag 0".
  [[nodiscard]] std::string acts() {
    static constexpr const char* kNames[] = {"PASS", "LEAD", "PRIV", "SQUASH"};
    const Outputs& out = look();
    std::string text;
    bool leads = false;
    for (unsigned s = 0; s < engine.params().DecW; ++s) {
      if ((in.d_valid >> s & 1U) == 0) {
        EXPECT_EQ(out.d_act[s], 0) << "verdict without instruction";
        continue;
      }
      text += (text.empty() ? "" : ",") + std::string(kNames[out.d_act[s]]);
      leads = leads || out.d_act[s] == kActLead;
    }
    if (!leads) {
      EXPECT_EQ(out.d_tag, RowPair{}) << "tags without LEAD";
      return text;
    }
    text += " tag " + std::to_string(out.d_tag[0]);
    if (out.d_tag[1] != 0) text += " " + std::to_string(out.d_tag[1]);
    return text;
  }
  /// Returns the physical register from which an issue port reads a source; -1 if it reads the warp's own register.
  [[nodiscard]] int source(unsigned port, unsigned a) {
    const Outputs& out = look();
    const unsigned row = out.i_srow[port * engine.params().NumSrc + a];
    if ((out.i_sren[port] >> a & 1U) != 0) return static_cast<int>(row);
    EXPECT_EQ(row, 0U) << "row without enable";
    return -1;
  }
  /// Returns the copy request as text, such as "w2 row 101 slot 0", or "-" if there is none.
  [[nodiscard]] std::string copy() {
    const Outputs& out = look();
    if (out.cp_valid == 0) {
      EXPECT_EQ(out.cp_warp + out.cp_row + out.cp_slot, 0) << "payload without valid";
      return "-";
    }
    return "w" + std::to_string(out.cp_warp) + " row " + std::to_string(out.cp_row) + " slot " +
           std::to_string(out.cp_slot);
  }
  [[nodiscard]] unsigned errors() { return look().err; }
  [[nodiscard]] Probes probes() const { return engine.probes(); }

  /// Returns the verdict on one instruction that is decoded alone, and ends the cycle.
  std::string judge(unsigned warp, U64 pc, const Decoded& instruction) {
    decode(warp, pc, {instruction});
    const std::string text = acts();
    step();
    return text;
  }
  /// Issues an instruction of a leader that writes and reads the given rows.
  Bench& lead_issues(unsigned warp, const std::vector<unsigned>& writes, const std::vector<unsigned>& tags) {
    return issue({warp, writes, {}, tags}).step();
  }
  /// Decodes, issues and writes back an instruction of a leader with one register, in four cycles without other events.
  Bench& lead(unsigned warp, U64 pc, unsigned dst, unsigned expected_row, unsigned load = 0) {
    EXPECT_EQ(judge(warp, pc, dr(dst, load)), "LEAD tag " + std::to_string(expected_row)) << "pc " << pc;
    lead_issues(warp, {dst}, {expected_row});
    return write_back(engine.state().tb[warp], expected_row).step();
  }

 private:
  void begin_cycle() {
    in = {};
    in.oc_idle = twin::mask(engine.params().NumWarps);
    ports_ = write_backs_ = 0;
  }

  unsigned ports_ = 0, write_backs_ = 0;  // used in this cycle
};

}  // namespace castor::darsie::test
