#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "castor/lax/engine.h"
#include "castor/lax/register_map.h"

/// Bench for the laxity engine: inputs of the current cycle, one call per cycle, and recorded outputs.
namespace castor::lax::test {

struct Beat {
  unsigned kid = 0;
  std::uint32_t tbs = 1;
};

/// A submission; `announced` overrides the number of beats in the header.
struct Submission {
  unsigned q = 0;
  std::vector<Beat> list{{}};
  std::uint32_t deadline = kNone;
  std::optional<std::uint64_t> start{};  // start time of the job; if not given, the time of the header
  bool append = false;
  bool fits = false;
  std::optional<unsigned> announced{};
};

struct VerdictSeen {
  std::int64_t cycle = 0;  // first cycle in which the verdict was visible
  unsigned q = 0;
  bool accept = false;
  unsigned reason = 0;
  std::uint32_t est = 0;
};

struct JobSeen {
  std::int64_t cycle = 0;
  unsigned q = 0;
  bool met = false;
  std::uint32_t latency = 0;
};

inline Params params(unsigned queues, unsigned slots, unsigned kernel_types, unsigned width, unsigned depth = 32,
                     unsigned lanes = 4) {
  return Params{queues, slots, kernel_types, width, depth, lanes};
}

class Bench {
 public:
  explicit Bench(const Params& p = params(4, 2, 8, 4)) : engine(p) { in.adm_ready = 1; }

  Engine engine;
  Inputs in;               // inputs of the current cycle; each step resets the events to 0
  std::int64_t now = 0;    // number of the current cycle
  std::uint64_t time = 0;  // offset of the time counter from `now`
  std::vector<VerdictSeen> verdicts;
  std::vector<JobSeen> jobs;

  const Outputs& look() {
    in.now = wrap48(static_cast<std::uint64_t>(now) + time);
    return engine.settle(in);
  }

  /// Ends the cycle.
  void step() {
    const Outputs& out = look();
    if (out.adm_valid == 0) {
      shown_ = -1;
    } else if (shown_ < 0) {
      shown_ = now;
    }
    if (out.adm_valid != 0 && in.adm_ready != 0) {
      verdicts.push_back({shown_, out.adm_qid, out.adm_accept != 0, out.adm_reason, out.adm_est});
      shown_ = -1;
    }
    if (out.jd_valid != 0) jobs.push_back({now, out.jd_qid, out.jd_met != 0, out.jd_lat});
    engine.clock(in);
    in.js_valid = in.wl_valid = in.ks_valid = in.ki_valid = in.wgc_valid = in.kd_valid = 0;
    in.psel_grant = in.dsel_grant = in.reg_req = in.reg_we = 0;
    ++now;
  }
  void run(std::int64_t cycles) {
    for (const std::int64_t end = now + cycles; now < end;) step();
  }
  void run_to(std::int64_t cycle) {
    ASSERT_LE(now, cycle);
    while (now < cycle) step();
  }

  void ks(unsigned q, unsigned kid) {
    in.ks_valid = 1;
    in.ks_qid = static_cast<U8>(q);
    in.ks_kid = static_cast<U8>(kid);
  }
  void ki(unsigned q) {
    in.ki_valid = 1;
    in.ki_qid = static_cast<U8>(q);
  }
  void wgc(unsigned q, unsigned kid) {
    in.wgc_valid = 1;
    in.wgc_qid = static_cast<U8>(q);
    in.wgc_kid = static_cast<U8>(kid);
  }
  void kd(unsigned q, unsigned kid, bool last) {
    in.kd_valid = 1;
    in.kd_qid = static_cast<U8>(q);
    in.kd_kid = static_cast<U8>(kid);
    in.kd_last = last ? 1 : 0;
  }
  /// Starts and issues a kernel in this cycle.
  void launch(unsigned q, unsigned kid) {
    ks(q, kid);
    ki(q);
  }

  struct Access {
    unsigned err = 0;
    std::uint32_t data = 0;
    std::int64_t ack = 0;  // cycle of reg_ack
  };
  Access access(bool write, std::uint32_t address, std::uint32_t data = 0) {
    for (int i = 0; i < 20'000; ++i) {
      in.reg_req = 1;
      in.reg_we = write ? 1 : 0;
      in.reg_addr = static_cast<U16>(address);
      in.reg_wdata = data;
      step();
      const Outputs& out = look();
      if (out.reg_ack != 0) {
        const Access result{out.reg_err, out.reg_rdata, now};
        step();
        return result;
      }
    }
    ADD_FAILURE() << "no answer from register " << address;
    return {};
  }
  std::uint32_t read(std::uint32_t address) {
    const Access result = access(false, address);
    EXPECT_EQ(result.err, 0U) << "read of " << address;
    return result.data;
  }
  void write(std::uint32_t address, std::uint32_t data) {
    EXPECT_EQ(access(true, address, data).err, 0U) << "write of " << address;
  }
  unsigned write_error(std::uint32_t address, std::uint32_t data) { return access(true, address, data).err; }

  /// Fields of CTRL on top of its reset value, by mask.
  void ctrl(std::uint32_t set, std::uint32_t clear = 0) { write(reg::kCtrl, (reg::kCtrlReset & ~clear) | set); }
  void policy(Policy p, std::uint32_t set = 0, std::uint32_t clear = 0) {
    ctrl(set | static_cast<std::uint32_t>(p) << 4U | 1U, clear | 0xf0U);
  }

  /// Submits header and beats back to back. Returns the cycle of the header's transfer.
  std::int64_t submit(const Submission& s) {
    int patience = 100'000;
    while (look().js_ready == 0) {
      if (--patience == 0) {
        ADD_FAILURE() << "no header is taken";
        return now;
      }
      step();
    }
    look();
    const std::int64_t taken = now;
    in.js_valid = 1;
    in.js_qid = static_cast<U8>(s.q);
    in.js_deadline = s.deadline;
    in.js_start = s.start ? *s.start : in.now;
    in.js_nkt = static_cast<U8>(s.announced.value_or(static_cast<unsigned>(s.list.size())));
    in.js_append = s.append ? 1 : 0;
    in.js_fits = s.fits ? 1 : 0;
    step();
    for (std::size_t i = 0; i < s.list.size() && (i > 0 || in.js_nkt > 0); ++i) {
      EXPECT_EQ(look().wl_ready, 1);
      in.wl_valid = 1;
      in.wl_kid = static_cast<U8>(s.list[i].kid);
      in.wl_numwg = s.list[i].tbs;
      in.wl_last = i + 1 == s.list.size() ? 1 : 0;
      step();
    }
    return taken;
  }
  /// Waits for verdict number `index` and returns it.
  VerdictSeen verdict(std::size_t index) {
    for (int patience = 0; verdicts.size() <= index && patience < 100'000; ++patience) step();
    if (verdicts.size() <= index) {
      ADD_FAILURE() << "verdict " << index << " did not come";
      return {};
    }
    return verdicts[index];
  }
  /// Submits and waits for the verdict.
  VerdictSeen judge(const Submission& s) {
    const std::size_t index = verdicts.size();
    submit(s);
    return verdict(index);
  }
  /// Runs a whole kernel of `tbs` TBs in `cycles` cycles: launches it now and completes all TBs at the end.
  void kernel(unsigned q, unsigned kid, std::uint32_t tbs, std::int64_t cycles, bool last) {
    const std::int64_t end = now + cycles;
    launch(q, kid);
    if (cycles > 0) step();
    while (now + tbs <= end) step();
    for (std::uint32_t i = 0; i + 1 < tbs; ++i) {
      wgc(q, kid);
      step();
    }
    wgc(q, kid);
    kd(q, kid, last);
    step();
  }

  [[nodiscard]] JobState state_of(unsigned q) { return static_cast<JobState>(read(reg::kQState + 4 * q) & 7U); }
  [[nodiscard]] unsigned class_of(unsigned q) { return read(reg::kQState + 4 * q) >> 3U & 3U; }
  [[nodiscard]] std::uint32_t job(unsigned q, std::uint32_t word) { return read(reg::kJob + 128 * q + word); }
  [[nodiscard]] std::uint32_t slot(unsigned q, unsigned s) { return job(q, reg::kJobSlots + 4 * s); }
  [[nodiscard]] std::uint32_t kpt(unsigned k, std::uint32_t word) { return read(reg::kKpt + 32 * k + word); }
  void preload(unsigned k, std::uint32_t tpw) { write(reg::kKpt + 32 * k, tpw); }
  /// Reads and clears ERR_STAT.
  std::uint32_t errors() {
    const std::uint32_t bits = read(reg::kErrStat);
    write(reg::kErrStat, bits);
    return bits;
  }
  /// Runs until the next update has ended (at most `limit` cycles).
  void update(std::int64_t limit = 400'000) {
    const std::int64_t end = now + limit;
    while (look().upd_busy == 0 && now < end) step();
    while (look().upd_busy != 0 && now < end) step();
    ASSERT_LT(now, end) << "no update";
  }

 private:
  std::int64_t shown_ = -1;
};

}  // namespace castor::lax::test
