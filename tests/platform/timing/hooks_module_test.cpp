// Hooks of a shared object that links nothing of the GPU: they work like those of the program, and all that they are
// offered can be called from there (docs/gpu/hooks.md, "Hooks").

#include "platform/timing/hooks_module.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "castor/gpu/trace/wave_file.h"
#include "platform/timing/rig.h"
#include "platforms/machines.h"
#include "tests/common/tree.h"

namespace castor::gpu::timing_test {
namespace {

std::unique_ptr<ModuleHooks> load(unsigned sms) {
  void* const module =
      dlopen((test_tree::build_folder() + "/tests/objects/hooks_module.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) throw std::runtime_error(dlerror());
  const auto make = reinterpret_cast<MakeModuleHooks>(dlsym(module, "castor_test_make_hooks"));
  if (make == nullptr) throw std::runtime_error(dlerror());
  return std::unique_ptr<ModuleHooks>(make(sms));
}

TEST(HooksModule, WorksWithoutLinkingTheGpu) {
  const std::vector<std::string> keys = {"fetch.warps=1", "fetch.insns=2", "issue.per_warp=1"};
  const Machine machine = platforms::load_machine("kepler_k20c_study", keys).machine;
  const std::unique_ptr<ModuleHooks> module = load(machine.chip.sms);
  {
    Rig rig("kepler_k20c_study", keys, module->hooks());
    const std::string path = ::testing::TempDir() + "hooks_module.vcd";
    {
      WaveFile waves(path, {"*.module"});
      rig.device->gpu().add_waves(waves);
      EXPECT_GT(waves.signals(), 0U);
      waves.sample(0, 0);
      waves.close(1);
    }
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_NE(text.str().find("module module"), std::string::npos);
    EXPECT_NE(text.str().find("module sm12"), std::string::npos) << "hooks inside SMs";

    const JobControl* const control = rig.device->job_control();
    ASSERT_NE(control, nullptr);
    EXPECT_EQ(control->window(), 3U);
    EXPECT_EQ(control->list_types(), 2U);
    EXPECT_EQ(control->kernel_types(), 5U);
    EXPECT_FALSE(control->acknowledge(0));
    const auto access = control->set_priority(6, 41);
    ASSERT_TRUE(access);
    EXPECT_EQ(rig.device->access_register(*access).value, 42U);

    const std::uint64_t word = rig.buffer(4);
    rig.set(word, std::uint32_t{7});
    module->set_word(word);
    const ProgramHandle kernel = rig.load("mov.u32 %r0, %tid.x; bar.sync 0; add.u32 %r1, %r0, %r0; ret;");
    rig.run(kernel, {40}, {64});

    const ModuleHooks::Seen seen = module->seen();
    EXPECT_EQ(seen.access.offset, 24U);
    EXPECT_EQ(seen.picks, 1U);
    EXPECT_EQ(seen.placements, 40U);
    EXPECT_EQ(seen.retired, 40U);
    EXPECT_EQ(seen.starts, 40U);
    EXPECT_EQ(seen.issues, rig.recorder.issues.size());
    EXPECT_GT(seen.pulses, 0U);
    EXPECT_EQ(seen.messages, machine.chip.sms);
    EXPECT_EQ(seen.free_warps, std::uint64_t{machine.chip.sms} * machine.sm.warps);
    EXPECT_EQ(seen.word, 8U);
    EXPECT_EQ(seen.open, 0U);
    EXPECT_EQ(seen.detached, 0U);
    EXPECT_GT(rig.statistic("front_end.job_scheduler.edges"), 0U);
  }
  EXPECT_EQ(module->seen().detached, 4U + 3 * machine.chip.sms);
}

}  // namespace
}  // namespace castor::gpu::timing_test
