#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "castor/tb_swap/engine.h"
#include "castor/twin/block.h"
#include "tb/tb_swap/entry.h"
#include "unit/tb_swap/reference.h"

// Cycles of the engine, worked out by hand.

namespace castor::tb_swap::reference::golden_test {
namespace {

/// The engine with everything ready: images are granted in the cycle of the request, loads are performed some cycles
/// after they have been offered. Events on its ports are noted by cycle; cycle 0 is that of the first job.
class Bench {
 public:
  explicit Bench(const Params& params = {}) : engine(params) {}

  Engine engine;
  U64 image = 0x100;
  unsigned latency = 10;
  unsigned outstanding = 0;
  bool room = true, port = true;
  U64 cycle = 0;
  std::vector<std::string> log;
  Entry parked;

  void start(unsigned warps, unsigned regs, unsigned simt, unsigned smem, unsigned slots, unsigned rhomes,
             unsigned shomes, unsigned in_place, unsigned copies, unsigned direction, bool read_only = false) {
    in.cfg_valid = 1;
    in.cfg_warps = static_cast<U8>(warps);
    in.cfg_regs = static_cast<U16>(regs);
    in.cfg_simt = static_cast<U8>(simt);
    in.cfg_smem = static_cast<U16>(smem);
    in.cfg_slots = static_cast<U8>(slots);
    in.cfg_rhomes = static_cast<U8>(rhomes);
    in.cfg_shomes = static_cast<U8>(shomes);
    in.cfg_in_place = static_cast<U8>(in_place);
    in.cfg_copies = static_cast<U8>(copies);
    in.cfg_direction = static_cast<U8>(direction);
    in.cfg_live = 1;
    in.cfg_read_only = read_only ? 1 : 0;
    in.cfg_threshold = 64;
    step();
    cycle = 0;
    log.clear();
  }
  void site(unsigned index, U64 mask) {
    in.site_valid = 1;
    in.site_index = static_cast<U8>(index);
    in.site_mask = RegBits(mask);
    step();
    cycle = 0;
  }
  void segment(unsigned slot, unsigned index, unsigned lines, unsigned first, U64 address) {
    in.ro_valid = 1;
    in.ro_slot = static_cast<U8>(slot);
    in.ro_index = static_cast<U8>(index);
    in.ro_lines = static_cast<U16>(lines);
    in.ro_first = static_cast<U16>(first);
    in.ro_address = address;
  }
  void job(unsigned slot, bool out, U32 gid, unsigned site, bool is_new, U32 in_gid, const Entry& entry = {}) {
    in.job_valid = 1;
    in.job_slot = static_cast<U8>(slot);
    in.job_out = out ? 1 : 0;
    in.job_gid = gid;
    in.job_site = static_cast<U8>(site);
    in.job_new = is_new ? 1 : 0;
    in.job_in_gid = in_gid;
    in.job_entry = entry;
  }
  void steps(unsigned n) {
    while (n-- != 0) step();
  }
  void step() {
    in.local_room = room ? 1 : 0;
    in.access_ready = port ? 1 : 0;
    in.parked_ready = in.enter_ready = 1;
    in.outstanding = static_cast<U16>(outstanding);
    const Outputs out = engine.settle(in);
    note(out);
    if (out.page_request != 0) {
      in.page_valid = 1;
      in.page_address = image;
    }
    if (due.count(cycle) != 0) in.load_done = 1;
    if (out.access_valid != 0 && out.access_store == 0 && port) due[cycle + latency] = true;
    engine.clock(in);
    in = {};
    in.sm_id = 5;
    ++cycle;
  }
  /// Returns the log from `from` on as one text.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : log) all += (all.empty() ? "" : ", ") + line;
    return all;
  }

 private:
  void note(const Outputs& out) {
    const std::string at = std::to_string(cycle) + " ";
    if (out.page_request != 0) log.push_back(at + "page");
    if (out.access_valid != 0) {
      const unsigned type = static_cast<unsigned>(out.access_type);
      std::string line = at + (out.access_store != 0 ? "store " : "load ") + "SRMG"[type];
      line += type == 1 ? std::to_string(out.access_warp) + "." + std::to_string(out.access_reg)
                        : std::to_string(out.access_line);
      log.push_back(line + (out.access_local != 0 ? " place " : " ") + std::to_string(out.access_address));
    }
    if (out.parked_valid != 0) {
      log.push_back(at + "parked " + std::to_string(out.parked_slot) + (out.parked_local != 0 ? " local" : ""));
      parked = out.parked_entry;
    }
    if (out.enter_valid != 0) {
      log.push_back(at + "enter " + std::to_string(out.enter_slot) + (out.enter_new != 0 ? " new " : " ") +
                    std::to_string(out.enter_gid) + " homes " + std::to_string(out.enter_rhome) + " " +
                    std::to_string(out.enter_shome) +
                    (out.enter_free != 0 ? " frees " + std::to_string(out.enter_address) : ""));
    }
  }

  Inputs in;
  std::map<U64, bool> due;
};

// The commander gives the job in cycle 49 of its own count, here 0: the first store in 54, the entry in 59, the new
// thread block in 62.
TEST(TbSwapGolden, AContextGoesToMemoryAndANewThreadBlockFollows) {
  Bench b;
  b.start(1, 3, 1, 1, 1, 1, 1, 0, 0, 0);
  b.site(0, 0b101);
  b.log.clear();
  b.job(0, true, 0, 0, true, 2);
  b.steps(20);
  EXPECT_EQ(b.text(),
            "3 page, 5 store S0 256, 7 store R0.0 257, 8 store R0.2 258, 9 store M0 259, 10 parked 0, "
            "13 enter 0 new 2 homes 0 0");
  EXPECT_EQ(tb::get(b.parked, tb::kGid), 0U);
  EXPECT_EQ(tb::get(b.parked, tb::kSm), 5U);
  EXPECT_EQ(tb::get(b.parked, tb::kRegLoc), 2U);
  EXPECT_EQ(tb::get(b.parked, tb::kSmemLoc), 2U);
  EXPECT_EQ(tb::get(b.parked, tb::kSimtLoc), 1U);
  EXPECT_EQ(tb::get(b.parked, tb::kRegLine), 0x101U);
  EXPECT_EQ(tb::get(b.parked, tb::kSite), 0U);
  EXPECT_EQ(tb::get(b.parked, tb::kSmemLine), 0x103U);
  EXPECT_EQ(tb::get(b.parked, tb::kSimtLine), 0x100U);
  EXPECT_EQ(b.engine.quiet(), base::kForever);
}

// The same thread block comes back: the job in cycle 161, here 0; loads in 167 and 169 to 171, filled in 183.
TEST(TbSwapGolden, AContextComesBackFromMemory) {
  Bench b;
  b.start(1, 3, 1, 1, 1, 1, 1, 0, 0, 0);
  b.site(0, 0b101);
  b.log.clear();
  Entry entry;
  tb::put(entry, tb::kRegLoc, 2);
  tb::put(entry, tb::kSmemLoc, 2);
  tb::put(entry, tb::kSimtLoc, 1);
  tb::put(entry, tb::kRegLine, 0x101);
  tb::put(entry, tb::kSmemLine, 0x103);
  tb::put(entry, tb::kSimtLine, 0x100);
  b.job(0, false, 0, 0, false, 0, entry);
  b.steps(30);
  EXPECT_EQ(b.text(),
            "6 load S0 256, 8 load R0.0 257, 9 load R0.2 258, 10 load M0 259, 22 enter 0 0 homes 0 0 "
            "frees 256");
}

// Two contexts, one spare home of each, two places. The second job exchanges: no home is spare by then.
TEST(TbSwapGolden, AnExchangeInPlaceNeedsAPlaceAlone) {
  Bench b;
  b.start(2, 4, 2, 3, 2, 3, 3, 2, 0, 0);
  b.latency = 1;
  b.job(0, true, 10, 127, true, 11);
  b.steps(15);
  EXPECT_EQ(b.text(), "4 store S0 place 0, 5 store S1 place 1, 5 parked 0 local, 8 enter 0 new 11 homes 2 2");
  const Entry first = b.parked;
  EXPECT_EQ(tb::get(first, tb::kRegLine), 0U);
  b.log.clear();
  b.cycle = 0;
  b.job(1, true, 12, 127, false, 10, first);
  b.steps(20);
  EXPECT_EQ(b.text(),
            "4 store S0 place 4096, 5 store S1 place 4097, 5 parked 1 local, 9 load S0 place 0, "
            "10 load S1 place 1, 13 enter 1 10 homes 0 0");
  EXPECT_EQ(tb::get(b.parked, tb::kRegLine), 1U);
  EXPECT_EQ(tb::get(b.parked, tb::kSmemLine), 1U);
  EXPECT_EQ(b.engine.probes().free_places, 1U);
}

TEST(TbSwapGolden, RegistersGoToAPlace) {
  Bench b;
  b.start(2, 1, 1, 2, 1, 1, 2, 0, 1, 1);
  b.job(0, true, 1, 127, true, 2);
  b.steps(20);
  EXPECT_EQ(b.text(),
            "4 store S0 place 0, 6 store R0.0 place 1, 7 store R1.0 place 2, 7 parked 0 local, "
            "10 enter 0 new 2 homes 0 1");
}

TEST(TbSwapGolden, SharedMemoryGoesToAPlace) {
  Bench b;
  b.start(2, 1, 1, 2, 1, 2, 1, 0, 1, 2);
  b.job(0, true, 1, 127, true, 2);
  b.steps(20);
  EXPECT_EQ(b.text(),
            "4 store S0 place 0, 5 store M0 place 1, 6 store M1 place 2, 7 parked 0 local, "
            "10 enter 0 new 2 homes 1 0");
}

// Line 1 of 3 is read-only: the jump over it costs a cycle, and it comes from global memory.
TEST(TbSwapGolden, AReadOnlySegmentIsSkippedAndLoadedFromGlobalMemory) {
  Bench b;
  b.start(1, 1, 1, 3, 1, 1, 1, 0, 0, 0, true);
  b.site(0, 0);
  b.segment(0, 1, 1, 1, 0x900);
  b.step();
  b.cycle = 0;
  b.log.clear();
  b.job(0, true, 1, 0, true, 2);
  b.steps(20);
  EXPECT_EQ(b.text(),
            "3 page, 5 store S0 256, 7 store M0 257, 9 store M2 258, 10 parked 0, 13 enter 0 new 2 homes 0 0");
  b.cycle = 0;
  b.log.clear();
  b.latency = 4;
  b.job(0, true, 2, 0, false, 1, b.parked);
  b.image = 0x200;
  b.steps(18);
  // The table of the thread block that comes back is written before its SIMT line counts as loaded.
  b.segment(0, 0, 1, 1, 0x900);
  b.steps(20);
  EXPECT_EQ(b.text(),
            "3 page, 5 store S0 512, 7 store M0 513, 8 store M1 514, 9 store M2 515, 10 parked 0, "
            "14 load S0 256, 22 load M0 257, 23 load G1 2304, 24 load M2 258, 30 enter 0 1 homes 0 0 frees 256");
}

// Requests reach the threshold of 64 in cycle 5, so no access is offered in 7 and after; they are four fewer in 12.
TEST(TbSwapGolden, AccessesToMemoryPauseAndResumeFourBelowTheThreshold) {
  Bench b;
  b.start(1, 1, 4, 0, 1, 1, 1, 0, 0, 0);
  b.site(0, 0);
  b.log.clear();
  b.job(0, true, 1, 0, true, 2);
  b.steps(5);
  b.outstanding = 64;
  b.steps(4);
  b.outstanding = 61;
  b.steps(3);
  b.outstanding = 60;
  b.steps(12);
  EXPECT_EQ(b.text(),
            "3 page, 5 store S0 256, 6 store S1 257, 14 store S2 258, 15 store S3 259, 16 parked 0, "
            "19 enter 0 new 2 homes 0 0");
}

// The last store is not accepted for 20 cycles: the entry is offered, but the context is not handed over.
TEST(TbSwapGolden, TheContextIsFilledOnlyAfterTheLastStoreHasBeenAccepted) {
  Bench b;
  b.start(1, 1, 1, 0, 1, 2, 1, 2, 0, 0);
  b.job(0, true, 1, 127, true, 2);
  b.port = false;
  b.steps(20);
  EXPECT_EQ(b.log.back(), "19 store S0 place 0");
  b.log.clear();
  b.port = true;
  b.steps(10);
  EXPECT_EQ(b.text(), "20 store S0 place 0, 23 enter 0 new 2 homes 1 0");
}

}  // namespace
}  // namespace castor::tb_swap::reference::golden_test
