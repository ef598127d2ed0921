#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "castor/base/error.h"
#include "platforms/machines.h"

namespace castor::platforms::machine_check_test {
namespace {

using ::testing::HasSubstr;

/// Values that are legal one by one but not together, and the expected message.
struct Misfit {
  const char* name;
  const char* machine;
  std::vector<std::string> overrides;
  std::vector<std::string> expected;
};

class InconsistentMachine : public testing::TestWithParam<Misfit> {};

TEST_P(InconsistentMachine, IsRefusedWithKeyAndWhatToDo) {
  try {
    (void)load_machine(GetParam().machine, GetParam().overrides);
    FAIL() << "accepted";
  } catch (const base::InputError& error) {
    for (const std::string& part : GetParam().expected) EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

INSTANTIATE_TEST_SUITE_P(
    MachineCheck, InconsistentMachine,
    testing::Values(
        Misfit{"l1_size",
               "kepler_k20c_study",
               {"l1.sets=65536"},
               {"command line: error key l1.sets: 65536 does not fit", "33554432 bytes", "at most 16777216 bytes"}},
        Misfit{"l2_size",
               "pascal_titanx_study",
               {"l2.slices=12"},
               {"pascal_titanx_study.yaml:", "key l2.bytes: 3MiB", "1572864"}},
        Misfit{"icache_size", "kepler_k20c_study", {"icache.bytes=1000"}, {"icache.bytes", "multiple of 512"}},
        Misfit{"lanes", "kepler_k20c_study", {"sm.lanes=48"}, {"key sm.lanes: \"48\"", "allowed: 32 or 64 lanes"}},
        Misfit{"warps_too_few", "kepler_k20c_study", {"sm.warps=16"}, {"key sm.warps: 16", "at least 32 warps"}},
        Misfit{"threads_odd", "kepler_k20c_study", {"sm.threads=2040"}, {"sm.threads: 2040", "a multiple of 32"}},
        Misfit{"threads_below_tb", "kepler_k20c_study", {"sm.threads=512"}, {"sm.threads: 512", "at least 1024"}},
        Misfit{"threads_beyond_warps", "kepler_k20c_study", {"sm.warps=32"}, {"sm.threads: 2048", "at most 1024"}},
        Misfit{"contexts", "kepler_k20c_study", {"sm.tb_contexts=8"}, {"sm.tb_contexts: 8", "at least 16"}},
        Misfit{"tb_smem", "kepler_k20c_study", {"sm.max_tb_smem=64KiB"}, {"sm.max_tb_smem: 64KiB", "at most 49152"}},
        Misfit{"sectored", "pascal_titanx_study", {"l1.sectored=2"}, {"l1.sectored", "0 or 1"}},
        Misfit{"flit", "pascal_titanx_study", {"xbar.flit_bytes=0"}, {"xbar.flit_bytes", "1 to 1KiB"}},
        Misfit{"l1_latency", "pascal_titanx_study", {"l1.access_latency=0"}, {"l1.access_latency", "1 to"}},
        Misfit{"l1_miss_queue", "pascal_titanx_study", {"l1.miss_queue=1"}, {"l1.miss_queue", "2 to"}},
        Misfit{"l2_miss_queue", "pascal_titanx_study", {"l2.miss_queue=1"}, {"l2.miss_queue", "2 to"}},
        Misfit{
            "fifo", "pascal_titanx_study", {"xbar.fifo_flits=3"}, {"xbar.fifo_flits: 3", "largest packet has 4 flits"}},
        Misfit{"slices_channels",
               "pascal_titanx_study",
               {"dram.channels=7"},
               {"l2.slices: 24", "multiple of dram.channels 7"}},
        Misfit{"dram_queue", "pascal_titanx_study", {"dram.queue=1"}, {"dram.queue: 1", "at least 2"}},
        Misfit{"dram_groups", "pascal_titanx_study", {"dram.groups=3"}, {"dram.groups: 3", "divisor of 16"}},
        Misfit{"collectors", "kepler_k20c_study", {"rf.collectors=41"}, {"rf.collectors: 41", "at most 40"}},
        Misfit{"collectors_without_banks", "gcn_apu", {"rf.collectors=4"}, {"rf.collectors: 4", "go together"}},
        Misfit{"lines", "kepler_k20c_study", {"l1.line=64", "l1.ways=8"}, {"l2.line: 128", "l1.line 64"}},
        Misfit{"dp_on_sfu", "kepler_k20c_study", {"units.dp_on_sfu=1"}, {"units.dp_on_sfu: 1"}},
        Misfit{"unit_time",
               "kepler_k20c_study",
               {"latency.f64_div.ticks=1800", "latency.f64_div.interval=101"},
               {"latency.f64_div.ticks: 1800", "more than 1900 ticks"}},
        Misfit{"shared_units", "kepler_k20c_study", {"units.mem_shared=1"}, {"units.mem_shared: 1"}},
        Misfit{"register_unit", "kepler_k20c_study", {"sm.reg_alloc_unit=131072"}, {"sm.reg_alloc_unit"}},
        Misfit{"ports_without_banks", "gcn_apu", {"rf.ports=1"}, {"rf.ports: 1", "go together"}},
        Misfit{"row", "kepler_k20c_study", {"dram.row_bytes=1000"}, {"dram.row_bytes"}},
        Misfit{"atom", "gcn_apu", {"dram.atom=128"}, {"dram.atom: 128", "at most 64"}},
        Misfit{"refresh", "kepler_k20c_study", {"dram.trefi=20"}, {"dram.trefi: 20", "no room for a request"}},
        Misfit{"select_scan",
               "kepler_k20c_study",
               {"parse.select_scan=10001"},
               {"parse.select_scan", "0 to 10000 queues"}},
        Misfit{"link", "gcn_apu", {"link.gb_per_s=6"}, {"link.gb_per_s: 6"}}),
    [](const testing::TestParamInfo<Misfit>& info) { return std::string(info.param.name); });

TEST(MachineCheck, AcceptsTheLimitsThemselves) {
  EXPECT_NO_THROW((void)load_machine("kepler_k20c_study", {"rf.collectors=40"}));
  EXPECT_NO_THROW((void)load_machine("pascal_titanx_study", {"xbar.fifo_flits=4"}));
  EXPECT_NO_THROW((void)load_machine("pascal_titanx_study", {"dram.queue=2"}));
  EXPECT_NO_THROW((void)load_machine("kepler_k20c_study", {"sm.tb_contexts=16"}));
}

}  // namespace
}  // namespace castor::platforms::machine_check_test
