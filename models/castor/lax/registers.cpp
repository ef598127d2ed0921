// The register port (docs/blocks/lax.md, "Registers").

#include "castor/lax/registers.h"

#include <algorithm>

#include "castor/lax/register_map.h"

namespace castor::lax {
namespace {

constexpr U8 kGood = 0;
constexpr U8 kAddressError = 1;
constexpr U8 kRefused = 2;
constexpr U32 kLongestPeriod = 0xff'ffffU;

constexpr U32 low_word(U64 value) { return static_cast<U32>(value); }
constexpr U32 high_word(U64 value) { return static_cast<U32>(value >> 32U); }
constexpr U32 bits_of(U32 value, unsigned low, unsigned width) { return (value >> low) & ((1U << width) - 1); }

}  // namespace

std::optional<U32> RegisterReader::read(U32 address, U64 now) const {
  if (address % 4 != 0) return std::nullopt;
  if (address < reg::kTables) return single(address, now);
  if (address < reg::kJob) return table(address);
  return job(address);
}

std::optional<U32> RegisterReader::single(U32 address, U64 now) const {
  const State& s = state_;
  switch (address) {
    case reg::kId:
      return reg::kIdValue;
    case reg::kCap:
      return params_.NumQueues | params_.MaxKt << 9U | params_.NumKt << 14U | params_.ParseLanes << 23U |
             twin::log2_ceil(params_.SelWidth) << 27U;
    case reg::kCtrl:
      return control_word(s.config);
    case reg::kStatus:
      return status();
    case reg::kUpdPeriod:
      return s.config.upd_period;
    case reg::kParseLat:
      return s.config.parse_lat;
    case reg::kMinWg:
      return s.config.min_wg;
    case reg::kPremaPeriod:
      return s.config.prema_period;
    case reg::kIrqStat:
      return s.irq_stat;
    case reg::kIrqEn:
      return s.irq_en;
    case reg::kErrStat:
      return s.err_stat;
    case reg::kCkptBw:
      return s.config.ckpt_bw;
    case reg::kNowLow:
      return low_word(now);
    case reg::kNowHigh:
      return s.now_high;
    case reg::kTotLow:
      return low_word(s.tot);
    case reg::kTotHigh:
      return high_word(s.tot);
    case reg::kPremaP:
      return s.config.prema_p;
    case reg::kVerdictPop: {
      if (s.verdicts.empty()) return 0;
      const Verdict& verdict = s.verdicts.front();
      return reg::kValid | U32{verdict.qid} | U32{verdict.accept} << 8U | U32{verdict.reason} << 9U;
    }
    case reg::kDonePop:
      if (s.done.empty()) return 0;
      return reg::kValid | U32{s.done.front().qid} | U32{s.done.front().met} << 8U;
    default:
      if (address >= reg::kCounters && address < reg::kCounters + 4 * kCounts) {
        return s.n[(address - reg::kCounters) / 4];
      }
      return std::nullopt;
  }
}

U32 control_word(const Config& c) {
  return U32{c.enable} | U32{c.admit_en} << 1U | U32{c.freeze} << 3U | static_cast<U32>(c.policy) << 4U |
         static_cast<U32>(c.rate_mode) << 8U | U32{c.warm_policy} << 10U | U32{c.prio_class_en} << 12U |
         U32{c.init_prio} << 13U | U32{c.bypass_en} << 15U | U32{c.drop_expired} << 16U | U32{c.ewma_shift} << 17U |
         U32{c.leak} << 20U | U32{c.inspect_mode} << 23U | U32{c.preparse} << 24U;
}

U32 RegisterReader::status() const {
  const State& s = state_;
  const bool admitting = s.f == MainState::kANext || (s.visits() && s.ph != Phase::kUpdate);
  const bool ranking = s.f >= MainState::kR1;
  const unsigned used = (s.st0 | s.st1 | s.st2).count();
  const unsigned running = (s.st0 & s.st1).without(s.st2).count();
  return U32{s.updates()} | U32{admitting} << 1U | U32{ranking} << 2U | std::min(used, 255U) << 8U |
         std::min(running, 255U) << 16U;
}

std::optional<U32> RegisterReader::table(U32 address) const {
  const State& s = state_;
  if (address < reg::kTpwIso) {
    const unsigned q = address % 0x400 / 4;
    if (q >= params_.NumQueues) return std::nullopt;
    if (address < reg::kQState) return s.queue[q].qprio;
    return static_cast<U32>(s.job_state(q)) | (s.live(q) ? key_class(s.key[q]) << 3U : 0);
  }
  if (address < reg::kKpt) {
    const unsigned k = (address - reg::kTpwIso) / 4;
    return k < params_.NumKt ? std::optional{s.type[k].tpw_iso} : std::nullopt;
  }
  const unsigned k = (address - reg::kKpt) / reg::kKptStride;
  if (k >= params_.NumKt) return std::nullopt;
  const KernelType& type = s.type[k];
  const U32 inflight = type.kt != 0 ? type.inflight : 0;
  switch (address % reg::kKptStride) {
    case 0x00:
      return type.valid != 0 ? type.tpw : 0;
    case 0x04:
      return type.kt != 0 ? type.cnt : 0;
    case 0x08:
      return type.snv != 0 ? type.snap.cnt : 0;
    case 0x0c:
      return type.snv != 0 ? type.snap.act : 0;
    case 0x10:
      return type.snv != 0 ? type.snap.ins : 0;
    case 0x14:
      return type.snv != 0 ? type.snap.wal : 0;
    case reg::kKptState:
      return inflight | U32{type.valid} << 30U | (inflight > 0 ? reg::kKptActive : 0);
    default:
      return std::nullopt;
  }
}

std::optional<U32> RegisterReader::job(U32 address) const {
  const State& s = state_;
  const unsigned q = (address - reg::kJob) / reg::kJobStride;
  const unsigned word = (address - reg::kJob) % reg::kJobStride;
  const bool slots = word >= reg::kJobSlots;
  const unsigned slot = (word - reg::kJobSlots) / 4;
  if (q >= params_.NumQueues || (slots ? slot >= params_.MaxKt : word > 0x1c)) return std::nullopt;
  const JobState state = s.job_state(q);
  if (state == JobState::kFree) return 0;
  const Queue& queue = s.queue[q];
  if (slots) return slot < queue.list.nl ? U32{queue.list.slot[slot].kid} << 24U | queue.list.slot[slot].n : 0;
  const Record rec = state == JobState::kInit ? Record{} : queue.rec;
  switch (word) {
    case 0x00:
      return queue.job.deadline;
    case 0x04:
      return low_word(queue.job.start);
    case 0x08:
      return high_word(queue.job.start);
    case 0x0c:
      return rec.rem;
    case 0x10:
      return rec.dur;
    case 0x14:
      return static_cast<U32>(rec.lax);
    case 0x18:
      return s.live(q) ? low_word(key_value(s.key[q])) : 0;
    default:
      return U32{s.seq[q]} | U32{queue.list.nl} << 16U;
  }
}

U8 RegisterWriter::write(U32 address, U32 value) {
  if (!RegisterReader(params_, state_).read(address, 0)) return kAddressError;
  if (address < reg::kTables) return single(address, value);
  if (address < reg::kJob) return table(address, value);
  edge_.err |= err::kReadOnly;
  return kRefused;
}

U8 RegisterWriter::single(U32 address, U32 value) {
  // A configuration register takes effect in the next cycle, like all registers.
  const auto configure = [&](auto field, U32 minimum, U32 maximum) {
    if (value < minimum || value > maximum) return kRefused;
    edge_.config = state_.config;
    edge_.config.*field = static_cast<std::decay_t<decltype(edge_.config.*field)>>(value);
    edge_.config_written = true;
    return kGood;
  };
  switch (address) {
    case reg::kCtrl:
      return control(value);
    case reg::kUpdPeriod:
      return configure(&Config::upd_period, 1'000, kLongestPeriod);
    case reg::kParseLat:
      return configure(&Config::parse_lat, 0, 0xffff);
    case reg::kMinWg:
      return configure(&Config::min_wg, 1, 255);
    case reg::kPremaPeriod:
      return configure(&Config::prema_period, 1'000, kLongestPeriod);
    case reg::kIrqStat:
      edge_.irq_clear = value;
      return kGood;
    case reg::kIrqEn:
      state_.irq_en = value & irq::kAll;
      return kGood;
    case reg::kErrStat:
      edge_.err_clear = value;
      return kGood;
    case reg::kCkptBw:
      return configure(&Config::ckpt_bw, 1, 0xffff);
    case reg::kPremaP:
      return value == 1 || value == 3 || value == 9 ? configure(&Config::prema_p, 1, 9) : kRefused;
    default:
      edge_.err |= err::kReadOnly;
      return kRefused;
  }
}

U8 RegisterWriter::control(U32 value) const {
  Config c = state_.config;
  c.enable = bits_of(value, 0, 1);
  c.admit_en = bits_of(value, 1, 1);
  c.freeze = bits_of(value, 3, 1);
  c.policy = static_cast<Policy>(bits_of(value, 4, 4));
  c.rate_mode = static_cast<RateMode>(bits_of(value, 8, 2));
  c.warm_policy = bits_of(value, 10, 2);
  c.prio_class_en = bits_of(value, 12, 1);
  c.init_prio = bits_of(value, 13, 2);
  c.bypass_en = bits_of(value, 15, 1);
  c.drop_expired = bits_of(value, 16, 1);
  c.ewma_shift = bits_of(value, 17, 3);
  c.leak = bits_of(value, 20, 3);
  c.inspect_mode = bits_of(value, 23, 1);
  c.preparse = bits_of(value, 24, 1);
  const bool illegal =
      c.policy > Policy::kExt || c.warm_policy == 3 || c.init_prio == 3 || c.ewma_shift > 4 || c.leak == 0;
  if (illegal) return kRefused;
  edge_.config = c;
  edge_.config_written = true;
  edge_.soft_reset = (value & reg::kCtrlSoftReset) != 0;
  return kGood;
}

U8 RegisterWriter::table(U32 address, U32 value) {
  State& s = state_;
  if (address < reg::kTpwIso) {
    const unsigned q = address % 0x400 / 4;
    if (address < reg::kQState) {
      s.queue[q].qprio = value;
      if (s.config.policy == Policy::kExt && s.live(q)) s.key[q] = make_key(0, value);
      return kGood;
    }
    const JobState state = s.job_state(q);
    const bool ended = state == JobState::kDone || state == JobState::kRejected;
    if ((value & reg::kHostAck) == 0 || !ended) return kRefused;
    s.set_job_state(q, JobState::kFree);
    return kGood;
  }
  if (address < reg::kKpt) {
    s.type[(address - reg::kTpwIso) / 4].tpw_iso = value;
    return kGood;
  }
  KernelType& type = s.type[(address - reg::kKpt) / reg::kKptStride];
  switch (address % reg::kKptStride) {
    case 0x00:
      type.tpw = std::max(value, 1U);
      type.valid = 1;
      return kGood;
    case reg::kKptState:
      if ((value & reg::kKptClear) == 0) return kRefused;
      if (type.kt != 0 && type.inflight > 0) {
        edge_.err |= err::kOrder;
        return kRefused;
      }
      type.valid = 0;
      type.kt = 0;
      type.snv = 0;
      return kGood;
    default:
      edge_.err |= err::kReadOnly;
      return kRefused;
  }
}

void step_registers(const Params& params, State& s, const Inputs& in, Edge& edge) {
  const bool table = in.reg_addr >= reg::kTables;
  const bool access = in.reg_req != 0 && s.response.ack == 0 && (!table || s.f == MainState::kIdle);
  if (!access) {
    s.response = Response{};
    return;
  }
  edge.table_access = table;
  if (in.reg_we != 0) {
    s.response = Response{1, RegisterWriter(params, s, edge).write(in.reg_addr, in.reg_wdata), 0};
    return;
  }
  std::optional<U32> data = RegisterReader(params, s).read(in.reg_addr, in.now);
  // Three reads have side effects. The adm port has priority over VERDICT_POP.
  if (in.reg_addr == reg::kVerdictPop) {
    if (in.adm_ready != 0) data = 0;
    edge.pop_verdict = in.adm_ready == 0;
  } else if (in.reg_addr == reg::kDonePop && !s.done.empty()) {
    s.done.pop();
  } else if (in.reg_addr == reg::kNowLow) {
    s.now_high = static_cast<U16>(high_word(in.now));
  }
  s.response = Response{1, data ? kGood : kAddressError, data.value_or(0)};
}

}  // namespace castor::lax
