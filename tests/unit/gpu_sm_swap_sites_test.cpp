// Sets of live registers as a swap engine is told of them (docs/gpu/swapping.md, "Live registers").

#include <gtest/gtest.h>

#include "castor/gpu/sm/swap_sites.h"

namespace castor::gpu::gpu_sm_swap_sites_test {
namespace {

/// A program of `sites` sites; register 3 s is live at site s, and register 255 at all of them.
isa::Program program_of(unsigned sites) {
  isa::Program program;
  for (unsigned s = 0; s < sites; ++s) {
    isa::SyncSite& site = program.sync.sites.emplace_back();
    site.record = 10 * s;
    site.registers[3 * s] = site.registers[255] = true;
  }
  return program;
}

TEST(SwapSites, EachSiteIsToldOnceWithItsSet) {
  const isa::Program program = program_of(12);
  SwapSites sites;
  EXPECT_FALSE(sites.pending());
  sites.start(&program);
  for (unsigned s = 0; s < 12; ++s) {
    ASSERT_TRUE(sites.pending());
    const SiteMask mask = sites.next();
    EXPECT_EQ(mask.site, s);
    for (unsigned word = 0; word < 4; ++word) {
      std::uint64_t bits = word == 3 ? std::uint64_t{1} << 63 : 0;
      if (3 * s / 64 == word) bits |= std::uint64_t{1} << 3 * s % 64;
      EXPECT_EQ(mask.live[word], bits) << s << ", " << word;
    }
    sites.told();
  }
  EXPECT_FALSE(sites.pending());
}

TEST(SwapSites, AnotherKernelBeginsAnew) {
  const isa::Program first = program_of(3), second = program_of(2);
  SwapSites sites;
  sites.start(&first);
  sites.told();
  sites.start(&second);
  EXPECT_EQ(sites.next().site, 0U);
  sites.told();
  sites.told();
  EXPECT_FALSE(sites.pending());
  sites.start(&first);
  sites.start(nullptr);
  EXPECT_FALSE(sites.pending());
}

TEST(SwapSites, OnlySitesWithASetOfTheirOwnAreNamed) {
  const isa::Program few = program_of(2), many = program_of(20);
  EXPECT_TRUE(is_swap_site(few, 1));
  EXPECT_FALSE(is_swap_site(few, 2));
  EXPECT_TRUE(is_swap_site(many, 15));
  EXPECT_FALSE(is_swap_site(many, 16));
  EXPECT_TRUE(is_swap_site(few, SwapJob::kAllRegisters));
  SwapSites sites;
  sites.start(&many);
  unsigned told = 0;
  for (; sites.pending(); sites.told()) ++told;
  EXPECT_EQ(told, 16U);
}

TEST(SwapSites, WithoutASiteAllRegistersAreLive) {
  const isa::Program program = program_of(2);
  EXPECT_EQ(live_registers(program, 1), program.sync.sites[1].registers);
  EXPECT_TRUE(live_registers(program, SwapJob::kAllRegisters).all());
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_swap_sites_test
