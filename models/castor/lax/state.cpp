#include "castor/lax/state.h"

#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace castor::lax {
namespace {

// Fields of the plain structs of registers: fields(value, f) calls f(name, member) for each.

template <class F>
void fields(const Slot& v, F f) {
  f("kid", v.kid), f("n", v.n);
}
template <class F>
void fields(const List& v, F f) {
  f("nl", v.nl), f("slot", v.slot);
}
template <class F>
void fields(const Job& v, F f) {
  f("start", v.start), f("deadline", v.deadline), f("fits", v.fits);
}
template <class F>
void fields(const Record& v, F f) {
  f("rem", v.rem), f("dur", v.dur), f("lax", v.lax);
}
template <class F>
void fields(const Snapshot& v, F f) {
  f("cnt", v.cnt), f("act", v.act), f("ins", v.ins), f("wal", v.wal);
}
template <class F>
void fields(const KernelType& v, F f) {
  f("valid", v.valid), f("kt", v.kt), f("snv", v.snv), f("tpw", v.tpw), f("tpw_iso", v.tpw_iso), f("snap", v.snap);
  f("cnt", v.cnt), f("kact", v.kact), f("kins", v.kins), f("t_ref", v.t_ref), f("inflight", v.inflight);
}
template <class F>
void fields(const Queue& v, F f) {
  f("list", v.list), f("job", v.job), f("rec", v.rec), f("wgdone", v.wgdone), f("iso", v.iso), f("token", v.token);
  f("qprio", v.qprio);
}
template <class F>
void fields(const Header& v, F f) {
  f("qid", v.qid), f("deadline", v.deadline), f("start", v.start), f("nkt", v.nkt), f("append", v.append);
  f("fits", v.fits);
}
template <class F>
void fields(const Verdict& v, F f) {
  f("qid", v.qid), f("accept", v.accept), f("reason", v.reason), f("est", v.est);
}
template <class F>
void fields(const Done& v, F f) {
  f("qid", v.qid), f("met", v.met);
}
template <class F>
void fields(const JobDone& v, F f) {
  f("valid", v.valid), f("qid", v.qid), f("met", v.met), f("lat", v.lat);
}
template <class F>
void fields(const Response& v, F f) {
  f("ack", v.ack), f("err", v.err), f("rdata", v.rdata);
}
template <class F>
void fields(const Best& v, F f) {
  f("valid", v.valid), f("q", v.q), f("tie", v.tie), f("key", v.key);
}
template <class T, class F>
void fields(const Ring<T>& v, F f) {
  f("head", v.head), f("count", v.count), f("entry", v.entry);
}
template <class F>
void fields(const Config& v, F f) {
  f("enable", v.enable), f("admit_en", v.admit_en), f("freeze", v.freeze), f("policy", v.policy);
  f("rate_mode", v.rate_mode), f("warm_policy", v.warm_policy), f("prio_class_en", v.prio_class_en);
  f("init_prio", v.init_prio), f("bypass_en", v.bypass_en), f("drop_expired", v.drop_expired);
  f("ewma_shift", v.ewma_shift), f("leak", v.leak), f("inspect_mode", v.inspect_mode), f("preparse", v.preparse);
  f("upd_period", v.upd_period), f("prema_period", v.prema_period), f("parse_lat", v.parse_lat);
  f("ckpt_bw", v.ckpt_bw), f("min_wg", v.min_wg), f("prema_p", v.prema_p);
}
template <class F>
void fields(const State& v, F f) {
#define CASTOR_LAX_VISIT(type_, name_, meaning_) f(#name_, v.name_);
  LAX_STATE(CASTOR_LAX_VISIT)
#undef CASTOR_LAX_VISIT
}

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

/// Calls leaf(path, number) for every number in `value`; paths are built only if kNamed.
template <bool kNamed, class T, class F>
void walk(const std::string& path, const T& value, F& leaf) {
  if constexpr (std::is_enum_v<T>) {
    leaf(path, static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    leaf(path, static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value)));
  } else if constexpr (twin::is_bits<T>) {
    for (unsigned w = 0; w < T::kWords; ++w) {
      walk<kNamed>(kNamed ? path + "[" + std::to_string(w * 64) + "..]" : path, value.word(w), leaf);
    }
  } else if constexpr (is_array<T>) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      walk<kNamed>(kNamed ? path + "[" + std::to_string(i) + "]" : path, value[i], leaf);
    }
  } else {
    fields(value, [&](const char* name, const auto& member) {
      walk<kNamed>(kNamed ? (path.empty() ? name : path + "." + name) : path, member, leaf);
    });
  }
}

std::vector<std::uint64_t> numbers(const State& state) {
  std::vector<std::uint64_t> result;
  result.reserve(24'000);
  auto leaf = [&](const std::string&, std::uint64_t value) { result.push_back(value); };
  walk<false>({}, state, leaf);
  return result;
}

}  // namespace

bool operator==(const State& a, const State& b) { return numbers(a) == numbers(b); }

std::ostream& operator<<(std::ostream& out, const State& state) {
  auto leaf = [&](const std::string& path, std::uint64_t value) {
    if (value != 0) out << path << " = " << value << '\n';
  };
  walk<true>({}, state, leaf);
  return out;
}

}  // namespace castor::lax
