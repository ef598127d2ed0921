// The register port (docs/blocks/lax.md, "Registers").

#include <algorithm>

#include "castor/lax/engine.h"
#include "castor/lax/register_map.h"

namespace castor::lax {
namespace {

constexpr U8 kAddressError = 1;
constexpr U8 kRefused = 2;
constexpr U32 kLongestPeriod = 0xff'ffffU;

constexpr U32 low_word(U64 value) { return static_cast<U32>(value); }
constexpr U32 high_word(U64 value) { return static_cast<U32>(value >> 32U); }
constexpr U32 bits_of(U32 value, unsigned low, unsigned width) { return (value >> low) & ((1U << width) - 1); }

}  // namespace

void Engine::step_registers(const Inputs& in, Edge& edge) {
  State& s = state_;
  const bool table = in.reg_addr >= reg::kTables;
  const bool access_now = in.reg_req != 0 && s.response.ack == 0 && (!table || s.f == MainState::kIdle);
  if (!access_now) {
    s.response = Response{};
    return;
  }
  edge.table_access = table;
  const Answer answer = access(in, edge);
  const bool data = in.reg_we == 0 && answer.err == 0;
  s.response = Response{1, answer.err, data ? answer.data : 0};
}

Engine::Answer Engine::access(const Inputs& in, Edge& edge) {
  const std::uint32_t address = in.reg_addr;
  if (address % 4 != 0) return {kAddressError, 0};
  if (address < reg::kTables) return access_single(in, edge);
  if (address < reg::kTpwIso) return access_queue_table(in, edge);
  if (address < reg::kJob) return access_kernel_types(in, edge);
  return read_job(in, edge);
}

Engine::Answer Engine::access_single(const Inputs& in, Edge& edge) {
  State& s = state_;
  const bool write = in.reg_we != 0;
  const U32 value = in.reg_wdata;
  // A configuration register takes effect in the next cycle, as all registers do.
  const auto configure = [&](auto field, U32 minimum, U32 maximum) -> Answer {
    if (!write) return {0, static_cast<U32>(s.config.*field)};
    if (value < minimum || value > maximum) return {kRefused, 0};
    edge.config = s.config;
    edge.config.*field = static_cast<std::decay_t<decltype(edge.config.*field)>>(value);
    edge.config_written = true;
    return {};
  };
  const auto read_only = [&](U32 data) -> Answer {
    if (!write) return {0, data};
    edge.err |= err::kReadOnly;
    return {kRefused, 0};
  };

  switch (in.reg_addr) {
    case reg::kId:
      return read_only(reg::kIdValue);
    case reg::kCap:
      return read_only(params_.NumQueues | params_.MaxKt << 9U | params_.NumKt << 14U | params_.ParseLanes << 23U |
                       twin::log2_ceil(params_.SelWidth) << 27U);
    case reg::kCtrl:
      return write ? write_ctrl(value, edge) : Answer{0, read_ctrl()};
    case reg::kStatus:
      return read_only(read_status());
    case reg::kUpdPeriod:
      return configure(&Config::upd_period, 1'000, kLongestPeriod);
    case reg::kParseLat:
      return configure(&Config::parse_lat, 0, 0xffff);
    case reg::kMinWg:
      return configure(&Config::min_wg, 1, 255);
    case reg::kPremaPeriod:
      return configure(&Config::prema_period, 1'000, kLongestPeriod);
    case reg::kIrqStat:
      if (write) edge.irq_clear = value;
      return {0, s.irq_stat};
    case reg::kIrqEn:
      if (write) s.irq_en = value & irq::kAll;
      return {0, s.irq_en};
    case reg::kErrStat:
      if (write) edge.err_clear = value;
      return {0, s.err_stat};
    case reg::kCkptBw:
      return configure(&Config::ckpt_bw, 1, 0xffff);
    case reg::kNowLow:
      if (!write) s.now_high = static_cast<U16>(high_word(in.now));
      return read_only(low_word(in.now));
    case reg::kNowHigh:
      return read_only(s.now_high);
    case reg::kTotLow:
      return read_only(low_word(s.tot));
    case reg::kTotHigh:
      return read_only(high_word(s.tot));
    case reg::kPremaP:
      if (write && value != 1 && value != 3 && value != 9) return {kRefused, 0};
      return configure(&Config::prema_p, 1, 9);
    case reg::kVerdictPop: {
      // The port goes first.
      if (write || s.verdicts.empty() || in.adm_ready != 0) return read_only(0);
      const Verdict& verdict = s.verdicts.front();
      edge.pop_verdict = true;
      return {0, reg::kValid | U32{verdict.qid} | U32{verdict.accept} << 8U | U32{verdict.reason} << 9U};
    }
    case reg::kDonePop: {
      if (write || s.done.empty()) return read_only(0);
      const Done done = s.done.front();
      s.done.pop();
      return {0, reg::kValid | U32{done.qid} | U32{done.met} << 8U};
    }
    default:
      if (in.reg_addr >= reg::kCounters && in.reg_addr < reg::kCounters + 4 * kCounts) {
        return read_only(s.n[(in.reg_addr - reg::kCounters) / 4]);
      }
      return {kAddressError, 0};
  }
}

U32 Engine::read_ctrl() const {
  const Config& c = state_.config;
  return U32{c.enable} | U32{c.admit_en} << 1U | U32{c.freeze} << 3U | static_cast<U32>(c.policy) << 4U |
         static_cast<U32>(c.rate_mode) << 8U | U32{c.warm_policy} << 10U | U32{c.prio_class_en} << 12U |
         U32{c.init_prio} << 13U | U32{c.bypass_en} << 15U | U32{c.drop_expired} << 16U | U32{c.ewma_shift} << 17U |
         U32{c.leak} << 20U | U32{c.inspect_mode} << 23U | U32{c.preparse} << 24U;
}

Engine::Answer Engine::write_ctrl(U32 value, Edge& edge) const {
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
  if (illegal) return {kRefused, 0};
  edge.config = c;
  edge.config_written = true;
  edge.soft_reset = (value & reg::kCtrlSoftReset) != 0;
  return {};
}

U32 Engine::read_status() const {
  const State& s = state_;
  const bool refresh = s.f >= MainState::kKOpen && s.f <= MainState::kKWb;
  const bool visit = s.f >= MainState::kVOpen && s.f <= MainState::kVTok;
  const bool update = refresh || (visit && s.ph == Phase::kUpdate);
  const bool admitting = s.f == MainState::kANext || (visit && s.ph != Phase::kUpdate);
  const bool ranking = s.f >= MainState::kR1;
  const unsigned used = (s.st0 | s.st1 | s.st2).count();
  const unsigned running = (s.st0 & s.st1).without(s.st2).count();
  return U32{update} | U32{admitting} << 1U | U32{ranking} << 2U | std::min(used, 255U) << 8U |
         std::min(running, 255U) << 16U;
}

Engine::Answer Engine::access_queue_table(const Inputs& in, Edge& edge) {
  State& s = state_;
  const bool priority = in.reg_addr < reg::kQState;
  const unsigned q = (in.reg_addr - (priority ? reg::kQPrio : reg::kQState)) / 4;
  if (q >= params_.NumQueues) return {kAddressError, 0};
  if (priority) {
    if (in.reg_we != 0) {
      s.queue[q].qprio = in.reg_wdata;
      if (s.config.policy == Policy::kExt && s.live(q)) {
        s.key[q] = make_key(0, in.reg_wdata);
      }
    }
    return {0, s.queue[q].qprio};
  }
  const JobState state = s.job_state(q);
  if (in.reg_we != 0) {
    const bool ended = state == JobState::kDone || state == JobState::kRejected;
    if ((in.reg_wdata & reg::kHostAck) == 0 || !ended) return {kRefused, 0};
    s.set_job_state(q, JobState::kFree);
    return {};
  }
  (void)edge;
  return {0, static_cast<U32>(state) | (s.live(q) ? key_class(s.key[q]) << 3U : 0)};
}

Engine::Answer Engine::access_kernel_types(const Inputs& in, Edge& edge) {
  State& s = state_;
  const bool write = in.reg_we != 0;
  if (in.reg_addr < reg::kKpt) {
    const unsigned k = (in.reg_addr - reg::kTpwIso) / 4;
    if (k >= params_.NumKt) return {kAddressError, 0};
    if (write) s.type[k].tpw_iso = in.reg_wdata;
    return {0, s.type[k].tpw_iso};
  }
  const unsigned k = (in.reg_addr - reg::kKpt) / reg::kKptStride;
  if (k >= params_.NumKt) return {kAddressError, 0};
  KernelType& type = s.type[k];
  const unsigned word = in.reg_addr % reg::kKptStride;
  if (word == 0x1c) return {kAddressError, 0};
  const U32 inflight = type.kt != 0 ? type.inflight : 0;
  switch (word) {
    case 0x00:
      if (write) {
        type.tpw = std::max(in.reg_wdata, 1U);
        type.valid = 1;
      }
      return {0, type.valid != 0 ? type.tpw : 0};
    case 0x18:
      if (write) return write_kernel_type_state(type, in.reg_wdata, edge);
      return {0, inflight | U32{type.valid} << 30U | (inflight > 0 ? reg::kKptActive : 0)};
    default:
      break;
  }
  if (write) {
    edge.err |= err::kReadOnly;
    return {kRefused, 0};
  }
  if (word == 0x04) return {0, type.kt != 0 ? type.cnt : 0};
  const U32 snapshot[] = {type.snap.cnt, type.snap.act, type.snap.ins, type.snap.wal};
  return {0, type.snv != 0 ? snapshot[(word - 0x08) / 4] : 0};
}

Engine::Answer Engine::write_kernel_type_state(KernelType& type, U32 value, Edge& edge) const {
  if ((value & reg::kKptClear) == 0) return {kRefused, 0};
  if (type.kt != 0 && type.inflight > 0) {
    edge.err |= err::kOrder;
    return {kRefused, 0};
  }
  type.valid = 0;
  type.kt = 0;
  type.snv = 0;
  return {};
}

Engine::Answer Engine::read_job(const Inputs& in, Edge& edge) const {
  const State& s = state_;
  const unsigned q = (in.reg_addr - reg::kJob) / reg::kJobStride;
  const unsigned word = (in.reg_addr - reg::kJob) % reg::kJobStride;
  const bool slots = word >= reg::kJobSlots;
  const unsigned slot = (word - reg::kJobSlots) / 4;
  if (q >= params_.NumQueues || (slots ? slot >= params_.MaxKt : word > 0x1c)) return {kAddressError, 0};
  if (in.reg_we != 0) {
    edge.err |= err::kReadOnly;
    return {kRefused, 0};
  }
  const JobState state = s.job_state(q);
  if (state == JobState::kFree) return {};
  const Queue& queue = s.queue[q];
  if (slots) {
    if (slot >= queue.list.nl) return {};
    return {0, U32{queue.list.slot[slot].kid} << 24U | queue.list.slot[slot].n};
  }
  const Record rec = state == JobState::kInit ? Record{} : queue.rec;
  switch (word) {
    case 0x00:
      return {0, queue.job.deadline};
    case 0x04:
      return {0, low_word(queue.job.start)};
    case 0x08:
      return {0, high_word(queue.job.start)};
    case 0x0c:
      return {0, rec.rem};
    case 0x10:
      return {0, rec.dur};
    case 0x14:
      return {0, static_cast<U32>(rec.lax)};
    case 0x18:
      return {0, s.live(q) ? low_word(key_value(s.key[q])) : 0};
    default:
      return {0, U32{s.seq[q]} | U32{queue.list.nl} << 16U};
  }
}

}  // namespace castor::lax
