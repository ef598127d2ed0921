#include "unit/laperm/reference.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "unit/laperm/parameter_sets.h"

// The reference equals cycles worked out by hand. Other tests compare the engine and the RTL with the reference.

namespace castor::laperm::reference::reference_test {
namespace {

Params set_named(const std::string& name) {
  for (const test::ParameterSet& set : test::kParameterSets) {
    if (set.name == name) return set.params;
  }
  return {};
}

Inputs open_inputs(const Params& params, U32 policy) {
  Inputs in;
  in.policy = static_cast<U8>(policy);
  in.room_open = 1;
  in.room_slots = in.room_warps = 1;
  in.room_regs = in.room_smem = 1;
  in.kd_ok = KdBits::ones(params.NumKd);
  in.mem_ready = 1;
  return in;
}

void push(Inputs& in, unsigned kd, U64 agei, U64 cnt, unsigned level, unsigned sm) {
  in.push_valid = 1;
  in.push_kd = static_cast<U8>(kd);
  in.push_agei = agei;
  in.push_cnt = cnt;
  in.push_dim = cnt;
  in.push_level = static_cast<U8>(level);
  in.push_sm = static_cast<U8>(sm);
  in.push_warps = 1;
  in.push_regs = in.push_smem = 1;
}

/// The machine with untimed queues beside it; every cycle checks both.
class Watched {
 public:
  explicit Watched(const Params& params) : machine(params), queues(params) {}

  Outputs cycle(const Inputs& in) {
    const Outputs out = machine.settle(in);
    queues.see(in, out, machine.probes());
    EXPECT_EQ(machine.broken() + queues.problem(), "");
    machine.clock(in);
    return out;
  }

  Machine machine;
  Queues queues;
};

// ---- Eight parents on four SMs with one place each; the third launches two children, the fifth four.

/// Returns the placement of each cycle: "P4/2" is thread block 4 of the parent kernel, placed in stage 2; "" is no
/// placement.
std::vector<std::string> golden(U32 policy) {
  const Params params = set_named("golden");
  Watched watched(params);
  std::vector<std::string> cells;
  std::array<unsigned, 4> taken{};  // cycles in which an SM is still full
  std::map<U64, unsigned> sm_of;    // SM on which each parent was placed
  for (unsigned c = 0; c <= 24; ++c) {
    Inputs in = open_inputs(params, policy);
    const unsigned sm = watched.machine.state().cur;
    in.room_slots = taken[sm] == 0 ? 1 : 0;
    in.pl_taken = 1;
    if (c == 0) push(in, 0, 0xFFFFFFFFU, 8, 0, 0);
    if (c == 4) push(in, 0, 2, 2, 1, sm_of.at(2));
    if (c == 8 && sm_of.count(4) != 0) push(in, 0, 4, 4, 1, sm_of.at(4));
    const Outputs out = watched.cycle(in);
    for (unsigned& cycles : taken) cycles -= cycles > 0 ? 1 : 0;
    if (c == 0) continue;
    std::string cell;
    if (out.pl_valid != 0) {
      taken[out.pl_sm] = 3;
      const bool parent = out.pl_agei == 0xFFFFFFFFU;
      if (parent) sm_of[out.pl_pos] = out.pl_sm;
      const U64 number = parent || out.pl_agei == 2 ? out.pl_pos : out.pl_pos + 2;
      cell = (parent ? "P" : "C") + std::to_string(number) + "/" + std::to_string(out.ev_stage);
      if (out.ev_backup != 0) cell += "b";
      EXPECT_EQ(out.pl_sm, (c - 1) % 4);
    }
    cells.push_back(cell);
  }
  EXPECT_TRUE(watched.queues.drained());
  return cells;
}

using Cells = std::vector<std::string>;

TEST(LapermReference, GoldenTraceOfSmxBind) {
  const Cells expected = {"P0/2", "P1/2", "P2/2", "P3/2", "P4/2", "P5/2", "C0/1", "P6/2", "C2/1", "P7/2", "C1/1", "",
                          "C3/1", "",     "",     "",     "C4/1", "",     "",     "",     "C5/1", "",     "",     ""};
  EXPECT_EQ(golden(kSmxBind), expected);
}

TEST(LapermReference, GoldenTraceOfAdaptiveBind) {
  const Cells expected = {"P0/2", "P1/2", "P2/2", "P3/2",  "P4/2", "P5/2",  "C0/1", "P6/2",
                          "C2/1", "P7/2", "C1/1", "C3/3b", "C4/1", "C5/3b", "",     "",
                          "",     "",     "",     "",      "",     "",      "",     ""};
  EXPECT_EQ(golden(kAdaptiveBind), expected);
  EXPECT_EQ(golden(0), expected);
}

// The fifth parent goes in the second round here, too: its children are pushed in cycle 8.
TEST(LapermReference, GoldenTraceOfTbPri) {
  const Cells expected = {"P0/2", "P1/2", "P2/2", "P3/2", "C0/1", "C1/1", "P4/2", "P5/2",
                          "C2/1", "C3/1", "C4/1", "C5/1", "P6/2", "P7/2", "",     "",
                          "",     "",     "",     "",     "",     "",     "",     ""};
  EXPECT_EQ(golden(kTbPri), expected);
}

// ---- Seven items of one thread block through sets of two entries and the lists in memory.

struct Step {
  int item;  ///< number of the item offered, from 1; 0 = none
  bool ready;
  const char* memory;  ///< "W0.1=3": item 3 into list 0, index 1; "R0.1": read
  const char* placed;  ///< "0:1/1": on SM 0 item 1 in stage 1
  unsigned entries, memory0, memory1;
};

constexpr Step kOverflow[] = {
    {1, true, "", "", 0, 0, 0},           {2, true, "", "", 1, 0, 0},
    {3, true, "", "", 2, 0, 0},           {4, true, "W0.0=3", "", 2, 1, 0},
    {5, false, "", "", 2, 1, 0},          {5, true, "W1.0=4", "", 2, 1, 1},
    {6, false, "", "", 2, 1, 1},          {6, true, "W0.1=5", "", 2, 2, 1},
    {7, true, "", "", 2, 2, 1},           {0, true, "W1.1=7", "0:1/1", 2, 2, 2},
    {0, true, "", "1:6/2", 1, 2, 2},      {0, true, "R1.0", "0:2/1", 1, 2, 1},
    {0, true, "", "", 0, 2, 1},           {0, true, "", "starve", 0, 2, 1},
    {0, true, "", "", 0, 2, 1},           {0, true, "", "starve", 0, 2, 1},
    {0, true, "R1.1", "1:4/3b", 1, 2, 0}, {0, true, "", "starve", 0, 2, 0},
    {0, true, "", "", 0, 2, 0},           {0, true, "", "starve", 0, 2, 0},
    {0, true, "", "", 0, 2, 0},           {0, true, "R0.0", "0:7/1", 1, 1, 0},
    {0, true, "", "", 0, 1, 0},           {0, true, "", "starve", 0, 1, 0},
    {0, true, "", "", 0, 1, 0},           {0, true, "", "starve", 0, 1, 0},
    {0, true, "R0.1", "1:3/3", 1, 0, 0},  {0, true, "", "starve", 0, 0, 0},
    {0, true, "", "", 0, 0, 0},           {0, true, "", "starve", 0, 0, 0},
    {0, true, "", "", 0, 0, 0},           {0, true, "", "0:5/1", 1, 0, 0},
    {0, true, "", "", 0, 0, 0},
};

TEST(LapermReference, OverflowTraceCycleByCycle) {
  const Params params = set_named("overflow");
  Watched watched(params);
  constexpr unsigned kLevels[] = {1, 1, 1, 2, 1, 0, 2};
  std::map<std::pair<unsigned, unsigned>, Entry> memory;
  std::map<unsigned, Entry> replies;  // by cycle
  for (unsigned c = 0; c < std::size(kOverflow); ++c) {
    SCOPED_TRACE("cycle " + std::to_string(c));
    const Step& step = kOverflow[c];
    Inputs in = open_inputs(params, kAdaptiveBind);
    in.ovf_log2 = 2;
    in.room_open = c >= 9 ? 1 : 0;
    in.pl_taken = 1;
    if (step.item != 0) push(in, 0, static_cast<U64>(step.item), 1, kLevels[step.item - 1], 0);
    if (replies.count(c) != 0) {
      in.mem_rvalid = 1;
      in.mem_rdata = replies.at(c);
    }
    const Probes probes = watched.machine.probes();
    const Outputs out = watched.cycle(in);
    EXPECT_EQ(out.push_ready != 0, step.ready);
    std::string memory_text, placed;
    if (out.mem_valid != 0) {
      memory_text = (out.mem_we != 0 ? "W" : "R") + std::to_string(out.mem_list) + "." + std::to_string(out.mem_idx);
      const auto place = std::make_pair(unsigned{out.mem_list}, unsigned{out.mem_idx});
      if (out.mem_we != 0) {
        memory_text += "=" + std::to_string(unpacked(out.mem_wdata, params).agei);
        memory[place] = out.mem_wdata;
      } else {
        replies[c + 3] = memory.at(place);
      }
    }
    if (out.pl_valid != 0) {
      placed = std::to_string(out.pl_sm) + ":" + std::to_string(out.pl_agei) + "/" + std::to_string(out.ev_stage);
      if (out.ev_backup != 0) placed += "b";
    }
    if (out.ev_starve != 0) placed = "starve";
    EXPECT_EQ(memory_text, step.memory);
    EXPECT_EQ(placed, step.placed);
    EXPECT_EQ(probes.entries[0], step.entries);
    EXPECT_EQ(probes.in_memory[0], step.memory0);
    EXPECT_EQ(probes.in_memory[1], step.memory1);
    EXPECT_EQ(out.waiting != 0, c >= 1 && c < 32);
  }
}

}  // namespace
}  // namespace castor::laperm::reference::reference_test
