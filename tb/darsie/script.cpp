#include "tb/darsie/script.h"

#include <cstdlib>
#include <string>

#include "castor/base/error.h"

namespace castor::darsie::tb {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  std::vector<std::string> result;
  for (std::string& part : parts) {
    const std::size_t from = part.find_first_not_of(' ');
    if (from == std::string::npos) continue;
    result.push_back(part.substr(from, part.find_last_not_of(' ') - from + 1));
  }
  return result;
}

unsigned number(const std::string& text) { return static_cast<unsigned>(std::strtoul(text.c_str(), nullptr, 0)); }
/// Returns the number in "w3", "t1" or "k0".
unsigned index(const std::string& text) { return number(text.substr(1)); }
U64 mask_of(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 2); }

/// Applies the items of one cycle to the inputs.
class Player {
 public:
  Player(const Params& params, Inputs& in) : p_(params), in_(in) { in_.oc_idle = twin::mask(p_.NumWarps); }

  void item(const std::string& text) {
    words_ = split(text, ' ');
    const std::string& what = words_[0];
    if (what == "launch") {
      launch();
    } else if (what == "retire") {
      if (index(words_[1]) >= p_.NumTbs) return;
      in_.retire_valid = 1;
      in_.retire_tb = static_cast<U8>(index(words_[1]));
    } else if (what == "elig") {
      eligible();
    } else if (what == "decode") {
      decode();
    } else if (what == "issue") {
      issue();
    } else if (what == "wb") {
      write_back();
    } else if (what == "bar") {
      barrier();
    } else {
      event(what);
    }
  }

 private:
  [[nodiscard]] U64 all_warps() const { return twin::mask(p_.NumWarps); }
  /// Returns the word after `name`; empty if `name` is missing.
  [[nodiscard]] std::string behind(const char* name) const {
    for (std::size_t i = 1; i + 1 < words_.size(); ++i) {
      if (words_[i] == name) return words_[i + 1];
    }
    return {};
  }

  void launch() {
    const unsigned t = index(words_[1]);
    const U64 warps = mask_of(behind("warps")) & all_warps();
    if (t >= p_.NumTbs || warps == 0) return;
    in_.lnch_valid = 1;
    in_.lnch_tb = static_cast<U8>(t);
    in_.lnch_warps = warps;
    in_.lnch_full = mask_of(behind("full")) & all_warps();
    in_.lnch_en = static_cast<U8>(number(behind("en")));
    in_.lnch_promote = static_cast<U8>(number(behind("promote")));
    in_.lnch_base = static_cast<U16>(number(behind("base")) & twin::mask(p_.RowW));
    in_.lnch_rows = static_cast<U8>(std::min(number(behind("rows")), p_.NumRows));
    in_.lnch_slots = static_cast<U8>(std::min(number(behind("slots")), p_.NumSlots));
  }

  void eligible() {
    in_.f_elig = 0;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const std::size_t at = words_[i].find('@');
      const unsigned w = index(words_[i].substr(0, at));
      if (w >= p_.NumWarps) continue;
      in_.f_elig |= U64{1} << w;
      in_.f_pc[w] = number(words_[i].substr(at + 1)) & twin::mask(p_.PcW);
    }
  }

  void decode() {
    const std::size_t at = words_[1].find('@');
    const unsigned w = index(words_[1].substr(0, at));
    if (w >= p_.NumWarps) return;
    in_.d_warp = static_cast<U8>(w);
    in_.d_pc = number(words_[1].substr(at + 1)) & twin::mask(p_.PcW);
    for (unsigned s = 0; s + 2 < words_.size() && s < p_.DecW; ++s) {
      const std::vector<std::string> load = split(words_[s + 2], '/');
      const std::vector<std::string> mark = split(load[0], ':');
      in_.d_valid = static_cast<U8>(in_.d_valid | 1U << s);
      in_.d_mark[s] = mark[0] == "DR" ? 2 : mark[0] == "CR" ? 1 : mark[0] == "BAD" ? 3 : 0;
      in_.d_ldkind[s] = static_cast<U8>(load.size() > 1 ? number(load[1]) : 0);
      const std::vector<std::string> dst = mark.size() > 1 ? split(mark[1], ',') : std::vector<std::string>{};
      in_.d_ndst[s] = static_cast<U8>(dst.size());
      for (unsigned a = 0; a < dst.size() && a < 2; ++a) {
        in_.d_dst[2 * s + a] = static_cast<U8>(number(dst[a]) & twin::mask(p_.slot_bits()));
      }
    }
  }

  void issue() {
    const unsigned w = index(words_[1]);
    if (w >= p_.NumWarps || ports_ >= p_.NumIss) return;
    const unsigned p = ports_++;
    in_.i_valid = static_cast<U16>(in_.i_valid | 1U << p);
    in_.i_warp[p] = static_cast<U8>(w);
    const std::vector<std::string> tags = split(behind("lead"), ','), dst = split(behind("dst"), ','),
                                   src = split(behind("src"), ',');
    if (!tags.empty()) in_.i_lead = static_cast<U16>(in_.i_lead | 1U << p);
    for (unsigned a = 0; a < tags.size() && a < 2; ++a) {
      in_.i_tag[2 * p + a] = static_cast<U8>(number(tags[a]) & twin::mask(p_.row_bits()));
    }
    for (unsigned a = 0; a < dst.size() && a < 2; ++a) {
      if (number(dst[a]) > twin::mask(p_.slot_bits())) continue;
      in_.i_dv[p] = static_cast<U8>(in_.i_dv[p] | 1U << a);
      in_.i_dst[2 * p + a] = static_cast<U8>(number(dst[a]));
    }
    for (unsigned a = 0; a < src.size() && a < p_.NumSrc; ++a) {
      if (number(src[a]) > twin::mask(p_.slot_bits())) continue;
      in_.i_sv[p] = static_cast<U8>(in_.i_sv[p] | 1U << a);
      in_.i_src[p * p_.NumSrc + a] = static_cast<U8>(number(src[a]));
    }
  }

  void write_back() {
    const unsigned t = index(words_[1]), k = index(words_[2]);
    if (t >= p_.NumTbs || k >= p_.NumRows || writes_ >= p_.NumWb) return;
    in_.wb_valid = static_cast<U16>(in_.wb_valid | 1U << writes_);
    in_.wb_tb[writes_] = static_cast<U8>(t);
    in_.wb_tag[writes_++] = static_cast<U8>(k);
  }

  void barrier() {
    if (index(words_[1]) >= p_.NumTbs) return;
    in_.bar |= U32{1} << index(words_[1]);
    in_.bar_join |= mask_of(behind("join")) & all_warps();
  }

  /// Applies an event of single warps or TBs.
  void event(const std::string& what) {
    if (what == "ack") {
      in_.cp_ack = 1;
      return;
    }
    if (what == "global") {
      in_.ev_global = 1;
      return;
    }
    for (std::size_t i = 1; i < words_.size() && words_[i] != "taken" && words_[i] != "not"; ++i) {
      const unsigned n = index(words_[i]);
      if (what == "store" && n < p_.NumTbs) in_.ev_store |= U32{1} << n;
      if (what == "store" || n >= p_.NumWarps) continue;
      const U64 warp = U64{1} << n;
      if (what == "busy") in_.oc_idle &= ~warp;
      if (what == "leave") in_.leave |= warp;
      if (what == "exit") in_.exit |= warp;
      if (what == "br") in_.br |= warp;
      if (what == "br" && words_.back() == "taken") in_.br_taken |= warp;
    }
    CASTOR_ASSERT(what == "store" || what == "busy" || what == "leave" || what == "exit" || what == "br",
                  "no such item: %s", what.c_str());
  }

  const Params& p_;
  Inputs& in_;
  std::vector<std::string> words_;
  unsigned ports_ = 0, writes_ = 0;
};

}  // namespace

void play(std::string_view text, const Params& params, Inputs& in) {
  in.f_elig = 0;
  Player player(params, in);
  for (const std::string& item : split(text, ';')) player.item(item);
}

Params golden_params() {
  Params params;
  params.NumWarps = params.NumRows = 4;
  params.NumTbs = params.NumPst = 2;
  return params;
}

const std::vector<Trace>& golden_traces() {
  static const std::vector<Trace> all = {
      {"leader_followers_vote",
       0,
       {{"launch t0 warps 0111 full 0111 en 1 promote 1 base 100 rows 4 slots 2", "000", "", "", "", "wb=1111 maj=111"},
        {"elig w0@0", "000", "", "", "", ""},
        {"decode w0@0 DR:0 V", "000", "act LEAD,PASS tag 0", "", "Lead", "pend1=0001 pend2=0001 wb=1110 pv=01 ctr=1"},
        {"issue w0 lead 0 dst 0; elig w1@0; busy w0", "111", "", "LATCH{w1}", "", "ref0=0001 lat=010 rrf=2"},
        {"", "111", "", "", "", ""},
        {"wb t0 k0", "111", "", "", "", "wb=1111"},
        {"issue w0 src 0; elig w1@0; busy w0", "111", "skip 010; row 100", "SKIP{w1}", "",
         "pend1=0000 ref1=0001 lat=000"},
        {"elig w0@16 w1@8; busy w0", "111", "", "MISS{w0} MISS{w1}", "", "miss=011"},
        {"decode w0@16 DR:0 V; elig w1@8; busy w0", "100", "act LEAD,PASS tag 1", "", "Lead",
         "pend1=0010 pend2=0011 wb=1101 pv=11 miss=000 ctr=2"},
        {"issue w0 lead 1 dst 0; elig w1@8 w2@0; busy w0", "111", "skip 100", "SKIP{w2} MISS{w1}", "",
         "ref0=0010 ling0=0001 pend2=0010 ref2=0001 miss=010"},
        {"elig w2@8", "101", "", "MISS{w2}", "", "ling0=0000 miss=100 rrf=3"},
        {"wb t0 k1; decode w1@8 V DR:0", "011", "act PASS,SQUASH", "", "Latch", "wb=1111 lat=010 miss=000"},
        {"issue w1 src 0; decode w2@8 V DR:0; busy w1", "111", "act PASS,SQUASH; row 100", "", "Latch", "lat=110"},
        {"elig w1@16; issue w2 src 0; br w0 not; busy w2", "111", "skip 010; row 100", "SKIP{w1}", "",
         "pend1=0000 ref1=0010 lat=100 stop=001 rrf=2"},
        {"elig w2@16", "111", "skip 100", "SKIP{w2}", "", "pend2=0000 ref2=0010 lat=000 rrf=3"},
        {"br w1 not", "111", "", "", "", "stop=011"},
        {"br w2 taken", "111", "", "", "", "stop=111"},
        {"", "111", "", "", "", "pv=00 stop=000 maj=011 cpy=100"},
        {"elig w0@32 w1@32", "100", "", "", "", "cpv=1"},
        {"elig w0@32 w1@32; ack", "100", "cp w2 row 101 slot 0", "", "", "ref2=0000 cpv=0"},
        {"elig w0@32 w1@32", "100", "", "", "", "cpy=000"},
        {"elig w0@32 w1@32 w2@40", "000", "", "", "", ""}}},
      {"synchronisation_stale_leave",
       1,
       {{"launch t1 warps 0111 full 0111 en 1 promote 0 base 40 rows 2 slots 2", "000", "", "", "", "wb=1111 maj=111"},
        {"decode w0@0 DR:0", "000", "act LEAD tag 0", "", "Lead", "pend1=0001 pend2=0001 wb=1110 pv=01 ctr=1"},
        {"issue w0 lead 0 dst 0", "111", "", "", "", "ref0=0001"},
        {"wb t1 k0; decode w0@8 DR:1", "111", "act LEAD tag 1", "", "Lead",
         "pend1=0011 pend2=0011 wb=1101 pv=11 ctr=2"},
        {"issue w0 lead 1 dst 1", "111", "", "", "", "ref0=0011"},
        {"wb t1 k1; decode w0@16 DR:0", "111", "act SQUASH", "", "SetSync", "wb=1111 stop=001 sync=1"},
        {"elig w1@0 w2@0", "111", "skip 110", "SKIP{w1,w2}", "", "pend1=0010 ref1=0001 pend2=0010 ref2=0001 rrf=2"},
        {"elig w1@8 w2@8", "111", "skip 110", "SKIP{w1,w2}", "", "pend1=0000 ref1=0011 pend2=0000 ref2=0011 rrf=3"},
        {"decode w1@16 DR:0", "111", "act SQUASH", "", "Park", "stop=011"},
        {"decode w2@16 DR:0", "111", "act SQUASH", "", "Park", "stop=111"},
        {"", "111", "", "", "", "stop=000 sync=0 synced=1"},
        {"decode w2@16 DR:0", "111", "act PRIV", "", "SetNoElect", "synced=0 noel=1"},
        {"issue w2 dst 0; decode w0@16 DR:0", "111", "act PRIV", "", "NoElect", "ref2=0010"},
        {"issue w0 dst 0; decode w1@16 DR:0", "111", "act PRIV", "", "NoElect", "ref0=0010"},
        {"issue w1 dst 0; br w0 not", "111", "", "", "", "ref1=0010 stop=001"},
        {"br w1 w2 not", "111", "", "", "", "stop=111"},
        {"", "111", "", "", "", "pv=00 stop=000 noel=0"},
        {"decode w1@32 DR:0/2", "000", "act LEAD tag 0", "", "Lead", "pend0=0001 pend2=0001 wb=1110 pv=01 ctr=3"},
        {"issue w1 lead 0 dst 0; elig w0@32", "111", "", "LATCH{w0}", "", "ref1=0011 lat=001 rrf=1"},
        {"store t1", "111", "", "", "", "inv=0001 pv=00 lat=000"},
        {"decode w0@32 DR:0/2", "000", "act PRIV", "", "NoRow", "pend0=0000 nosk=0001"},
        {"decode w2@32 DR:0/2", "000", "act PRIV", "", "Nosk", "pend2=0000"},
        {"wb t1 k0; issue w0 dst 0; issue w2 dst 0", "000", "", "", "", "wb=1111"},
        {"issue w0 dst 1; issue w1 dst 1; issue w2 dst 1; decode w0@40 CR:1", "000", "act PASS", "", "",
         "ref0=0000 ref1=0001 ref2=0000"},
        {"decode w0@48 DR:1/1", "000", "act LEAD tag 1", "", "Lead", "pend1=0010 pend2=0010 wb=1101 pv=10 ctr=4"},
        {"issue w0 lead 1 dst 1; issue w1 dst 0", "111", "", "", "", "ref0=0010 ref1=0000"},
        {"store t1", "111", "", "", "", "inv=0011 pv=00"},
        {"decode w1@48 DR:1/1", "000", "act LEAD tag 0", "", "Relead",
         "pend1=0000 pend2=0001 wb=1100 inv=0010 nosk=0000 pv=01"},
        {"issue w1 lead 0 dst 1; elig w2@48", "111", "", "LATCH{w2}", "", "ref1=0001 lat=100 rrf=3"},
        {"wb t1 k0; wb t1 k1", "111", "", "", "", "wb=1111"},
        {"elig w2@48", "111", "skip 100", "SKIP{w2}", "", "pend2=0000 ref2=0001 lat=000"},
        {"leave w2", "111", "", "", "", "maj=011 cpy=100"},
        {"", "111", "", "", "", "cpv=1"},
        {"ack", "111", "cp w2 row 40 slot 1", "", "", "ref2=0000 cpv=0"},
        {"", "111", "", "", "", "cpy=000"},
        {"bar t1 join 0111", "011", "", "", "", "pv=00 maj=111"},
        {"exit w0 w1 w2", "000", "", "", "", "ref0=0000 ref1=0000 maj=000"},
        {"retire t1", "000", "", "", "", ""}}}};
  return all;
}

}  // namespace castor::darsie::tb
