#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "castor/tb_swap/engine.h"
#include "castor/tb_swap/entry.h"
#include "castor/twin/block.h"

namespace castor::tb_swap::test {

/// Outputs of a cycle in which something happened.
struct Seen {
  U64 cycle = 0;
  Outputs out;
};

/// Returns an access in short: "simt 0 > 100" stores SIMT line 0 to line 0x100 of memory, "w1 r2 h3 < p4+5" loads
/// register 2 of warp 1 into register home 3 from line 5 of place 4. "s" is a line of shared memory, "ro" one that is
/// loaded from the global memory that it equals.
inline std::string text(const Outputs& o) {
  const auto number = [](U64 value, const char* format) {
    char digits[32];
    std::snprintf(digits, sizeof digits, format, static_cast<unsigned long long>(value));
    return std::string(digits);
  };
  std::string what = "simt " + std::to_string(o.access_line);
  const std::string home = " h" + std::to_string(o.access_home);
  if (o.access_type == AccessType::kRegister) {
    what = "w" + std::to_string(o.access_warp) + " r" + std::to_string(o.access_reg) + home;
  } else if (o.access_type != AccessType::kSimt) {
    what = (o.access_type == AccessType::kShared ? "s" : "ro") + std::to_string(o.access_line) + home;
  }
  const std::string place =
      "p" + std::to_string(o.access_address >> kPlaceBits) + "+" + std::to_string(o.access_address & 0xfffU);
  return what + (o.access_store != 0 ? " > " : " < ") +
         (o.access_local != 0 ? place : number(o.access_address, "%llx"));
}

/// A kernel of one warp, three registers, one SIMT line, one line of shared memory, one TB context; nothing is spare.
inline Inputs small_kernel() {
  Inputs in;
  in.cfg_warps = 1;
  in.cfg_regs = 3;
  in.cfg_simt = 1;
  in.cfg_smem = 1;
  in.cfg_slots = in.cfg_rhomes = in.cfg_shomes = 1;
  in.cfg_live = 1;
  in.cfg_threshold = 64;
  return in;
}

/// A kernel of `slots` contexts with spare homes and places for TBs that keep theirs.
inline Inputs in_place_kernel(unsigned slots, unsigned spare, unsigned places) {
  Inputs in = small_kernel();
  in.cfg_slots = static_cast<U8>(slots);
  in.cfg_rhomes = in.cfg_shomes = static_cast<U8>(slots + spare);
  in.cfg_in_place = static_cast<U8>(places);
  return in;
}

/// A job that moves TB `gid` out of a context and leaves the context to a new TB.
inline Inputs job_out(U8 slot, U32 gid, U8 site = 127) {
  Inputs in;
  in.job_slot = slot;
  in.job_out = 1;
  in.job_gid = gid;
  in.job_site = site;
  in.job_new = 1;
  in.job_in_gid = gid + 100;
  return in;
}

/// A job that moves a parked TB into a context.
inline Inputs job_in(U8 slot, const Entry& entry) {
  Inputs in;
  in.job_slot = slot;
  in.job_in_gid = static_cast<U32>(entry.word(2) >> 8U);
  in.job_entry = entry;
  return in;
}

/// A job that moves TB `gid` out of a context and a parked TB in.
inline Inputs job_exchange(U8 slot, U32 gid, const Entry& entry, U8 site = 127) {
  Inputs in = job_in(slot, entry);
  in.job_out = 1;
  in.job_gid = gid;
  in.job_site = site;
  return in;
}

/// An engine with the surroundings that the block expects: jobs wait until they are accepted, images are granted, loads
/// are performed in order. Everything that happens is kept with its cycle.
class SwapBench {
 public:
  explicit SwapBench(const Params& params = {}) : engine(params) {}

  // What the surroundings do.
  bool local_room = true, parked_ready = true, enter_ready = true, access_ready = true;
  U64 page_delay = 0;     // cycles of page_request before the image is granted
  U64 page = 0x100;       // address of the next image
  U64 load_latency = 10;  // cycles from the access that is accepted to load_done; at least 1
  U16 outstanding = 0;
  U8 sm_id = 0;
  std::deque<Inputs> jobs;  // offered one after another

  Engine engine;
  Inputs in;
  U64 cycle = 0;

  // What has happened.
  std::vector<U64> accepted_jobs, requests;  // cycles of jobs and of requests for an image
  std::vector<Seen> accesses, parked, entered;

  /// Starts a kernel, in one cycle.
  void start(const Inputs& kernel) {
    next_ = kernel;
    next_.cfg_valid = 1;
    loads_.clear();
    step();
  }
  void site(U8 index, const RegBits& mask) {
    next_.site_valid = 1;
    next_.site_index = index;
    next_.site_mask = mask;
    step();
  }
  void segment(U8 slot, U8 index, U16 lines, U16 first, U64 address) {
    next_.ro_valid = 1;
    next_.ro_slot = slot;
    next_.ro_index = index;
    next_.ro_lines = lines;
    next_.ro_first = first;
    next_.ro_address = address;
    step();
  }

  /// Runs one cycle.
  void step() {
    const Outputs o = engine.settle(in);
    check_idle_payloads(o);
    in = next_;
    next_ = {};
    in.sm_id = sm_id;
    in.local_room = local_room ? 1 : 0;
    in.parked_ready = parked_ready ? 1 : 0;
    in.enter_ready = enter_ready ? 1 : 0;
    in.access_ready = access_ready ? 1 : 0;
    in.outstanding = outstanding;
    offer_job(o);
    grant(o);
    perform(o);
    if (o.parked_valid != 0 && parked_ready) parked.push_back({cycle, o});
    if (o.enter_valid != 0 && enter_ready) entered.push_back({cycle, o});
    engine.clock(in);
    ++cycle;
  }
  void steps(U64 n) {
    while (n-- != 0) step();
  }
  /// Runs until the engine is quiet and no job is left.
  void drain(U64 most = 100'000) {
    while ((engine.quiet() == 0 || !jobs.empty()) && most-- != 0) step();
    ASSERT_NE(engine.quiet(), 0U) << "not over in cycle " << cycle;
  }
  /// Gives a job and runs until it is done.
  void run(const Inputs& job) {
    jobs.push_back(job);
    drain();
  }
  /// Runs until a cycle begins in which an access is offered.
  void to_access() {
    while (engine.settle(in).access_valid == 0) step();
  }

  /// Returns the accesses so far in short, and forgets them.
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    for (const Seen& seen : accesses) all.push_back(text(seen.out));
    accesses.clear();
    return all;
  }
  [[nodiscard]] const Entry& last_entry() const { return parked.back().out.parked_entry; }

 private:
  void offer_job(const Outputs& o) {
    if (jobs.empty() || in.cfg_valid != 0) return;
    Inputs job = jobs.front();
    job.job_valid = 1;
    copy_job(job);
    if (o.job_ready == 0) return;
    jobs.pop_front();
    accepted_jobs.push_back(cycle);
  }
  void copy_job(const Inputs& job) {
    in.job_valid = job.job_valid;
    in.job_slot = job.job_slot;
    in.job_out = job.job_out;
    in.job_gid = job.job_gid;
    in.job_site = job.job_site;
    in.job_new = job.job_new;
    in.job_in_gid = job.job_in_gid;
    in.job_entry = job.job_entry;
  }
  void grant(const Outputs& o) {
    if (o.page_request == 0) return;
    if (waited_ == 0) requests.push_back(cycle);
    if (waited_++ < page_delay) return;
    waited_ = 0;
    in.page_valid = 1;
    in.page_address = page;
  }
  void perform(const Outputs& o) {
    if (!loads_.empty() && loads_.front() <= cycle) {
      loads_.pop_front();
      in.load_done = 1;
    }
    if (o.access_valid == 0 || !access_ready) return;
    accesses.push_back({cycle, o});
    if (o.access_store == 0) loads_.push_back(cycle + load_latency);
  }
  void check_idle_payloads(const Outputs& o) const {
    if (o.parked_valid == 0) {
      EXPECT_TRUE(o.parked_slot == 0 && o.parked_local == 0 && o.parked_entry.none()) << "cycle " << cycle;
    }
    if (o.enter_valid == 0) {
      EXPECT_TRUE((o.enter_slot | o.enter_new | o.enter_rhome | o.enter_shome | o.enter_free) == 0 &&
                  o.enter_gid == 0 && o.enter_address == 0)
          << "cycle " << cycle;
    }
    EXPECT_EQ(o.block_memory != 0, o.access_valid != 0 && o.access_local == 0) << "cycle " << cycle;
    if (o.access_valid != 0) return;
    EXPECT_TRUE((o.access_store | o.access_local | o.access_slot | o.access_warp | o.access_reg | o.access_home) == 0 &&
                o.access_type == AccessType::kSimt && o.access_line == 0 && o.access_address == 0)
        << "cycle " << cycle;
  }

  Inputs next_;            // inputs of the next cycle that a test has set
  std::deque<U64> loads_;  // cycles in which loads will be performed
  U64 waited_ = 0;         // cycles of the current page request
};

/// Whether all outputs and all probes of two engines are equal.
inline bool equal(Engine& a, Engine& b) {
  const Inputs in;
  const Outputs x = a.settle(in), y = b.settle(in);
  const Probes p = a.probes(), q = b.probes();
  bool same = true;
  const auto differ = [&](const twin::Port& port) {
    ADD_FAILURE() << "they differ in " << port.name;
    same = false;
  };
  Block::each_output(
      [&](const twin::Port& port, auto member, auto) {
        if (x.*member != y.*member) differ(port);
      },
      a.params());
  Block::each_probe(
      [&](const twin::Port& port, auto member, auto) {
        if (p.*member != q.*member) differ(port);
      },
      a.params());
  return same;
}

}  // namespace castor::tb_swap::test
