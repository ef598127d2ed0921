// The worked examples of docs/blocks/darsie.md, cycle by cycle: hold, outputs, groups and reasons, and every register
// that an edge changes.

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "unit/darsie/engine_support.h"
#include "unit/darsie/literal.h"

namespace castor::darsie::test::engine_golden_test {
namespace {

constexpr unsigned kWarps = 3;  // warps that the examples use

/// Returns the parameters NumWarps 4, NumTbs 2, NumPst 2, NumRows 4, two reads and two decode slots; all others have
/// their defaults.
Params small() {
  Params p;
  p.NumWarps = 4;
  p.NumTbs = 2;
  p.NumPst = 2;
  p.NumRows = 4;
  return p;
}

struct Row {
  std::function<void(Bench&)> drive;
  std::string hold, outputs, why;
  std::string changes;  // "name=value ...": binary masks, except for pointers and counter
};

std::string shown(Bench& b) {
  std::vector<std::string> parts;
  if (b.skip() != 0) parts.push_back("skip " + binary(b.skip(), kWarps));
  if (b.in.d_valid != 0) parts.push_back("act " + b.acts());
  for (unsigned port = 0; port < b.engine.params().NumIss; ++port) {
    for (unsigned a = 0; a < b.engine.params().NumSrc; ++a) {
      if (b.source(port, a) >= 0) parts.push_back("row " + std::to_string(b.source(port, a)));
    }
  }
  if (b.copy() != "-") parts.push_back("cp " + b.copy());
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text.empty() ? "-" : text;
}

/// Returns the fetch groups of the cycle and the reason of the decode verdict, from the literal machine, which applies
/// the documented rules one by one.
std::string reasons(literal::Machine& machine, const Inputs& in) {
  machine.settle(in);
  std::string text = machine.groups_text();
  if (machine.why() != literal::Why::kNone) {
    text += (text.empty() ? "" : " ") + std::string(literal::kWhyNames[static_cast<unsigned>(machine.why())]);
  }
  return text.empty() ? "-" : text;
}

/// Returns the registers that the examples show, of TB `tb`; all 0 before its launch and after its retirement.
std::map<std::string, std::string> registers(const Probes& p, unsigned tb) {
  std::map<std::string, std::string> all;
  for (unsigned w = 0; w < kWarps; ++w) {
    all["pend" + std::to_string(w)] = binary(p.pend[w], 4);
    all["ref" + std::to_string(w)] = binary(p.ref[w], 4);
    all["ling" + std::to_string(w)] = binary(p.ling[w], 4);
  }
  all["wb"] = binary(p.wb[tb], 4);
  all["inv"] = binary(p.inv[tb], 4);
  all["nosk"] = binary(p.nosk[tb], 4);
  all["pv"] = binary(p.pv[tb], 2);
  all["maj"] = binary(p.majority, kWarps);
  all["miss"] = binary(p.miss, kWarps);
  all["lat"] = binary(p.lat, kWarps);
  all["stop"] = binary(p.stop, kWarps);
  all["cpy"] = binary(p.cpy, kWarps);
  all["sync"] = binary(p.sync >> tb, 1);
  all["synced"] = binary(p.synced >> tb, 1);
  all["noel"] = binary(p.noel >> tb, 1);
  all["cpv"] = binary(p.cpv, 1);
  all["ctr"] = std::to_string(p.ctr[tb]);
  all["rrf"] = std::to_string(p.rrf);
  return all;
}

void run(const std::vector<Row>& rows, unsigned tb) {
  Bench b(small());
  literal::Machine machine(small());
  std::map<std::string, std::string> expected = registers(b.probes(), tb);
  for (const Row& row : rows) {
    SCOPED_TRACE("cycle " + std::to_string(b.cycle));
    row.drive(b);
    EXPECT_EQ(binary(b.hold(), kWarps), row.hold);
    EXPECT_EQ(shown(b), row.outputs);
    EXPECT_EQ(reasons(machine, b.in), row.why);
    EXPECT_EQ(b.errors(), 0U);
    machine.clock(b.in);
    b.step();
    std::istringstream changes(row.changes);
    for (std::string change; changes >> change;) {
      const std::size_t equals = change.find('=');
      std::string& value = expected[change.substr(0, equals)];
      EXPECT_NE(value, change.substr(equals + 1)) << "no change: " << change;
      value = change.substr(equals + 1);
    }
    EXPECT_EQ(registers(b.probes(), tb), expected);
  }
  EXPECT_EQ(b.errors(), 0U);
}

}  // namespace

// Two versions of R0 (PC 0 and 16), a reader (PC 8) and a branch (PC 24) that warp 2 takes alone (Yeh 2020, figure
// 7.1). Warp 0 leads both; warp 2 reads version 1 while version 2 exists.
TEST(DarsieEngineGolden, LeaderWritesTwoVersionsWhileOthersReadTheFirst) {
  const auto reader = [](unsigned w) { return Issued{w, {}, {0}, {}}; };
  const auto kept = [](Bench& b) { b.eligible({0, 1}, 32); };
  run({{[](Bench& b) {
          b.launch({0, warps({0, 1, 2}), 4, 2, 100, true});
        },
        "000", "-", "-", "wb=1111 maj=111"},
       {[](Bench& b) { b.eligible({0}, 0); }, "000", "-", "-", ""},
       {[](Bench& b) {
          b.decode(0, 0, {dr(0), vector_op()});
        },
        "000", "act LEAD,PASS tag 0", "Lead", "pend1=0001 pend2=0001 wb=1110 pv=01 ctr=1"},
       {[](Bench& b) {
          b.issue({0, {0}, {}, {0}}).collecting(0).eligible({1}, 0);
        },
        "111", "-", "LATCH{w1}", "ref0=0001 lat=010 rrf=2"},
       {[](Bench&) {}, "111", "-", "-", ""},
       {[](Bench& b) { b.write_back(0, 0); }, "111", "-", "-", "wb=1111"},
       {[&](Bench& b) { b.issue(reader(0)).collecting(0).eligible({1}, 0); }, "111", "skip 010; row 100", "SKIP{w1}",
        "pend1=0000 ref1=0001 lat=000"},
       {[](Bench& b) { b.eligible({0}, 16).eligible({1}, 8).collecting(0); }, "111", "-", "MISS{w0} MISS{w1}",
        "miss=011"},
       {[](Bench& b) {
          b.decode(0, 16, {dr(0), vector_op()}).eligible({1}, 8).collecting(0);
        },
        "100", "act LEAD,PASS tag 1", "Lead", "pend1=0010 pend2=0011 wb=1101 pv=11 miss=000 ctr=2"},
       {[](Bench& b) {
          b.issue({0, {0}, {}, {1}}).eligible({1}, 8).eligible({2}, 0).collecting(0);
        },
        "111", "skip 100", "SKIP{w2} MISS{w1}", "ref0=0010 ling0=0001 pend2=0010 ref2=0001 miss=010"},
       {[](Bench& b) { b.eligible({2}, 8); }, "101", "-", "MISS{w2}", "ling0=0000 miss=100 rrf=3"},
       {[](Bench& b) {
          b.write_back(0, 1).decode(1, 8, {vector_op(), dr(0)});
        },
        "011", "act PASS,SQUASH", "Latch", "wb=1111 lat=010 miss=000"},
       {[&](Bench& b) {
          b.issue(reader(1)).collecting(1).decode(2, 8, {vector_op(), dr(0)});
        },
        "111", "act PASS,SQUASH; row 100", "Latch", "lat=110"},
       {[&](Bench& b) { b.eligible({1}, 16).issue(reader(2)).collecting(2).branch({0}); }, "111", "skip 010; row 100",
        "SKIP{w1}", "pend1=0000 ref1=0010 lat=100 stop=001 rrf=2"},
       {[](Bench& b) { b.eligible({2}, 16); }, "111", "skip 100", "SKIP{w2}", "pend2=0000 ref2=0010 lat=000 rrf=3"},
       {[](Bench& b) { b.branch({1}); }, "111", "-", "-", "stop=011"},
       {[](Bench& b) { b.branch({2}, true); }, "111", "-", "-", "stop=111"},
       {[](Bench&) {}, "111", "-", "-", "pv=00 stop=000 maj=011 cpy=100"},
       {kept, "100", "-", "-", "cpv=1"},
       {[&](Bench& b) {
          kept(b);
          b.acknowledge();
        },
        "100", "cp w2 row 101 slot 0", "-", "ref2=0000 cpv=0"},
       {kept, "100", "-", "-", "cpy=000"},
       {[&](Bench& b) {
          kept(b);
          b.eligible({2}, 40);
        },
        "000", "-", "-", ""}},
      0);
}

// Synchronisation point, private region, stale loads with and without a free row, re-election, leave, rejoin.
TEST(DarsieEngineGolden, RowsRunOutLoadsGoStaleAWarpLeavesAndRejoins) {
  constexpr unsigned kTb = 1;
  const auto load = [](unsigned dst, unsigned kind) { return std::vector<Decoded>{dr(dst, kind)}; };
  run({{[](Bench& b) {
          b.launch({kTb, warps({0, 1, 2}), 2, 2, 40, false});
        },
        "000", "-", "-", "wb=1111 maj=111"},
       {[](Bench& b) { b.decode(0, 0, {dr(0)}); }, "000", "act LEAD tag 0", "Lead",
        "pend1=0001 pend2=0001 wb=1110 pv=01 ctr=1"},
       {[](Bench& b) {
          b.issue({0, {0}, {}, {0}});
        },
        "111", "-", "-", "ref0=0001"},
       {[](Bench& b) { b.write_back(kTb, 0).decode(0, 8, {dr(1)}); }, "111", "act LEAD tag 1", "Lead",
        "pend1=0011 pend2=0011 wb=1101 pv=11 ctr=2"},
       {[](Bench& b) {
          b.issue({0, {1}, {}, {1}});
        },
        "111", "-", "-", "ref0=0011"},
       {[](Bench& b) { b.write_back(kTb, 1).decode(0, 16, {dr(0)}); }, "111", "act SQUASH", "SetSync",
        "wb=1111 stop=001 sync=1"},
       {[](Bench& b) {
          b.eligible({1, 2}, 0);
        },
        "111", "skip 110", "SKIP{w1,w2}", "pend1=0010 ref1=0001 pend2=0010 ref2=0001 rrf=2"},
       {[](Bench& b) {
          b.eligible({1, 2}, 8);
        },
        "111", "skip 110", "SKIP{w1,w2}", "pend1=0000 ref1=0011 pend2=0000 ref2=0011 rrf=3"},
       {[](Bench& b) { b.decode(1, 16, {dr(0)}); }, "111", "act SQUASH", "Park", "stop=011"},
       {[](Bench& b) { b.decode(2, 16, {dr(0)}); }, "111", "act SQUASH", "Park", "stop=111"},
       {[](Bench&) {}, "111", "-", "-", "stop=000 sync=0 synced=1"},
       {[](Bench& b) { b.decode(2, 16, {dr(0)}); }, "111", "act PRIV", "SetNoElect", "synced=0 noel=1"},
       {[](Bench& b) {
          b.issue({2, {0}, {}, {}}).decode(0, 16, {dr(0)});
        },
        "111", "act PRIV", "NoElect", "ref2=0010"},
       {[](Bench& b) {
          b.issue({0, {0}, {}, {}}).decode(1, 16, {dr(0)});
        },
        "111", "act PRIV", "NoElect", "ref0=0010"},
       {[](Bench& b) {
          b.issue({1, {0}, {}, {}}).branch({0});
        },
        "111", "-", "-", "ref1=0010 stop=001"},
       {[](Bench& b) {
          b.branch({1, 2});
        },
        "111", "-", "-", "stop=111"},
       {[](Bench&) {}, "111", "-", "-", "pv=00 stop=000 noel=0"},
       {[&](Bench& b) { b.decode(1, 32, load(0, 2)); }, "000", "act LEAD tag 0", "Lead",
        "pend0=0001 pend2=0001 wb=1110 pv=01 ctr=3"},
       {[](Bench& b) {
          b.issue({1, {0}, {}, {0}}).eligible({0}, 32);
        },
        "111", "-", "LATCH{w0}", "ref1=0011 lat=001 rrf=1"},
       {[](Bench& b) { b.store(kTb); }, "111", "-", "-", "inv=0001 pv=00 lat=000"},
       {[&](Bench& b) { b.decode(0, 32, load(0, 2)); }, "000", "act PRIV", "NoRow", "pend0=0000 nosk=0001"},
       {[&](Bench& b) { b.decode(2, 32, load(0, 2)); }, "000", "act PRIV", "Nosk", "pend2=0000"},
       {[](Bench& b) {
          b.write_back(kTb, 0).issue({0, {0}, {}, {}}).issue({2, {0}, {}, {}});
        },
        "000", "-", "-", "wb=1111"},
       {[](Bench& b) {
          b.issue({0, {1}, {}, {}}).issue({1, {1}, {}, {}}).issue({2, {1}, {}, {}}).decode(0, 40, {cr(1)});
        },
        "000", "act PASS", "-", "ref0=0000 ref1=0001 ref2=0000"},
       {[&](Bench& b) { b.decode(0, 48, load(1, 1)); }, "000", "act LEAD tag 1", "Lead",
        "pend1=0010 pend2=0010 wb=1101 pv=10 ctr=4"},
       {[](Bench& b) {
          b.issue({0, {1}, {}, {1}}).issue({1, {0}, {}, {}});
        },
        "111", "-", "-", "ref0=0010 ref1=0000"},
       {[](Bench& b) { b.store(kTb); }, "111", "-", "-", "inv=0011 pv=00"},
       {[&](Bench& b) { b.decode(1, 48, load(1, 1)); }, "000", "act LEAD tag 0", "Relead",
        "pend1=0000 pend2=0001 wb=1100 inv=0010 nosk=0000 pv=01"},
       {[](Bench& b) {
          b.issue({1, {1}, {}, {0}}).eligible({2}, 48);
        },
        "111", "-", "LATCH{w2}", "ref1=0001 lat=100 rrf=3"},
       {[](Bench& b) { b.write_back(kTb, 0).write_back(kTb, 1); }, "111", "-", "-", "wb=1111"},
       {[](Bench& b) { b.eligible({2}, 48); }, "111", "skip 100", "SKIP{w2}", "pend2=0000 ref2=0001 lat=000"},
       {[](Bench& b) { b.leave(2); }, "111", "-", "-", "maj=011 cpy=100"},
       {[](Bench&) {}, "111", "-", "-", "cpv=1"},
       {[](Bench& b) { b.acknowledge(); }, "111", "cp w2 row 40 slot 1", "-", "ref2=0000 cpv=0"},
       {[](Bench&) {}, "111", "-", "-", "cpy=000"},
       {[](Bench& b) {
          b.barrier(kTb, warps({0, 1, 2}));
        },
        "011", "-", "-", "pv=00 maj=111"},
       {[](Bench& b) {
          b.exit(warps({0, 1, 2}));
        },
        "000", "-", "-", "ref0=0000 ref1=0000 maj=000"},
       {[](Bench& b) { b.retire(kTb); }, "000", "-", "-", "wb=0000 inv=0000 ctr=0"}},
      kTb);
}

}  // namespace castor::darsie::test::engine_golden_test
