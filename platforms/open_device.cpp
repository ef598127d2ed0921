// Creates devices for the CUDA runtime.

#include "runtime/open_device.h"

#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/functional/functional_device.h"
#include "castor/gpu/replay/replay_file.h"
#include "castor/gpu/timing_device.h"
#include "castor/hookup/blocks.h"
#include "castor/twin/block_folder.h"
#include "castor/twin/rtl_builder.h"
#include "platforms/blocks.h"
#include "platforms/machines.h"

namespace castor::platforms {
namespace {

// Returns the name of the installed block that serves a window of registers; empty if none does. Loads the models of
// the blocks.
std::string owner_of_window(unsigned window) {
  for (const twin::BlockFolder& block : twin::find_blocks()) {
    try {
      if (hookup::block_type(block.name).window() == static_cast<int>(window)) return block.name;
    } catch (const base::InputError&) {  // a block without adapter has no registers on a GPU
    }
  }
  return {};
}

}  // namespace

void plug_blocks(const LoadedMachine& loaded, gpu::TimingDevice::Options& options) {
  options.register_owner = owner_of_window;
  if (loaded.blocks.empty()) return;
  struct Owner {
    gpu::Machine machine;
    std::vector<hookup::ChosenBlock> chosen;
    twin::RtlBuilder rtl;
    hookup::Blocks blocks{machine, chosen, rtl};
    explicit Owner(const LoadedMachine& from) : machine(from.machine), chosen(from.blocks) {}
  };
  auto owner = std::make_shared<Owner>(loaded);
  options.gpu.hooks = owner->blocks.hooks();
  options.blocks = std::move(owner);
}

namespace {

/// Returns the study of the enabled block that has one, or null. Throws InputError if there are two.
std::shared_ptr<gpu::ExecutionStudy> study_of(const LoadedMachine& loaded) {
  std::shared_ptr<gpu::ExecutionStudy> study;
  for (const hookup::ChosenBlock& block : loaded.blocks) {
    std::shared_ptr<gpu::ExecutionStudy> one = block.type->study(block.settings);
    if (one == nullptr) continue;
    if (study != nullptr) throw base::InputError("two blocks study a run of the functional machine", "enable one");
    study = std::move(one);
  }
  return study;
}

}  // namespace
}  // namespace castor::platforms

namespace castor::runtime {

namespace {

/// Checked inputs from which a device is created.
struct Ingredients {
  platforms::LoadedMachine loaded;
  std::shared_ptr<const gpu::ReplayFile> replay;
};

Ingredients ingredients(const DeviceOptions& options) {
  const std::string name = options.platform.empty() ? std::string(platforms::kDefaultMachine) : options.platform;
  std::vector<std::string> overrides = options.overrides;
  std::shared_ptr<const gpu::ReplayFile> replay;
  if (!options.replay.empty()) {
    replay = std::make_shared<gpu::ReplayFile>(gpu::ReplayFile::read(options.replay));
    overrides.emplace_back("replay.enable=1");
  }
  Ingredients made{platforms::load_machine(name, overrides), std::move(replay)};
  const gpu::Machine& machine = made.loaded.machine;
  if (machine.run.functional) {
    const std::string hint = "leave out --functional, or run.functional=1";
    if (options.recording.files()) throw base::InputError("the functional machine has no timeline and no waves", hint);
    if (made.replay) throw base::InputError("the functional machine replays nothing", hint);
  } else if (machine.replay.enable && !made.replay) {
    throw base::InputError("the machine " + machine.name + " replays service times (replay.enable is 1)",
                           "name the file with --replay, or CASTOR_REPLAY");
  }
  return made;
}

}  // namespace

gpu::Machine check_device(const DeviceOptions& options) { return ingredients(options).loaded.machine; }

std::unique_ptr<gpu::Device> open_device(const DeviceOptions& options) {
  Ingredients made = ingredients(options);
  const platforms::LoadedMachine& loaded = made.loaded;
  if (loaded.machine.run.functional) {
    gpu::functional::FunctionalDevice::Options functional;
    functional.configuration_json = loaded.config.to_json();
    functional.study = platforms::study_of(loaded);
    return std::make_unique<gpu::functional::FunctionalDevice>(loaded.machine, std::move(functional));
  }
  gpu::TimingDevice::Options timing;
  platforms::plug_blocks(loaded, timing);
  timing.configuration_json = loaded.config.to_json();
  timing.recording = options.recording;
  timing.replay = std::move(made.replay);
  return std::make_unique<gpu::TimingDevice>(loaded.machine, std::move(timing));
}

}  // namespace castor::runtime
