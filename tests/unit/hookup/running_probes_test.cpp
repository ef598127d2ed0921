// The probes that move in edges in which nothing happens are those that a block names as running: waves leave them out,
// and a twin that is clocked lazily would show them late. Compiled once for every block: CASTOR_ENGINE_HEADER is its
// engine's header, CASTOR_BLOCK its namespace.

#include CASTOR_ENGINE_HEADER

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "castor/twin/block.h"
#include "castor/twin/stimulus.h"
#include "castor/twin/twin.h"

namespace castor {
namespace {

using Block = CASTOR_BLOCK::Block;
using twin::Cycle;
using twin::Port;

/// Every name that the block lists is a probe. A template, since most blocks list none.
template <class Named>
void expect_probes(const typename Named::Params& params) {
  if constexpr (twin::detail::has_running<Named>) {
    for (const std::string_view name : Named::kRunning) {
      bool known = false;
      Named::each_probe([&](const Port& port, auto, auto) { known |= port.name == name; }, params);
      EXPECT_TRUE(known) << name << " is no probe";
    }
  }
}

TEST(RunningProbes, AreThoseThatTheBlockNames) {
  const Block::Params params;
  std::map<std::string, unsigned> moved;
  unsigned rests = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    twin::Model<Block> model(params);
    twin::RandomSequence<Block> sequence(params, seed);
    Block::Inputs in;
    sequence.begin(in);
    for (unsigned cycle = 0; cycle < 3000; ++cycle) {
      twin::make_idle<Block>(in, params);
      twin::advance_time<Block>(in, params, 1);
      sequence.drive(in);
      sequence.react(in, model.settle(in));
      model.clock(in);
      const Cycle n = std::min<Cycle>(model.quiet(), 1 + cycle % 7);
      if (n == 0) continue;
      ++rests;
      const Block::Probes before = model.probes();
      model.idle(n);
      twin::advance_time<Block>(in, params, n);
      const Block::Probes after = model.probes();
      Block::each_probe(
          [&](const Port& port, auto member, auto) {
            if (!(before.*member == after.*member)) ++moved[std::string(port.name)];
          },
          params);
    }
  }
  EXPECT_GT(rests, 200U);
  for (const auto& [name, times] : moved)
    EXPECT_TRUE(twin::runs<Block>(name)) << name << " moved " << times << " times";
  expect_probes<Block>(params);
}

}  // namespace
}  // namespace castor
