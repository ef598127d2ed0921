#include "castor/gpu/launch/runtime_call.h"

#include "castor/gpu/execution/lane_access.h"

namespace castor::gpu {
namespace {

using isa::RuntimeCall;

// Values of cudaLimit.
constexpr std::uint32_t kSyncDepth = 3;
constexpr std::uint32_t kPendingLaunches = 4;

// Runtime call of one lane.
struct Call {
  const isa::Record& record;
  const isa::RegisterView& view;
  const Caller& caller;
  RuntimeState& state;
  Launcher* launcher;
  std::vector<LaneLaunch>* launched;
  unsigned lane;

  [[nodiscard]] std::uint64_t wide(unsigned which) const {
    return lane_value<std::uint64_t>(view, record.src[which], lane);
  }
  [[nodiscard]] std::uint32_t word(unsigned which) const {
    return lane_value<std::uint32_t>(view, record.src[which], lane);
  }
  [[nodiscard]] LaunchDescription& described() const { return state.described[lane]; }

  [[nodiscard]] std::uint64_t describe() const {
    const std::uint64_t pairs[] = {wide(1), wide(2), wide(3)};
    std::uint32_t words[6];
    for (unsigned i = 0; i < 6; ++i) words[i] = static_cast<std::uint32_t>(pairs[i / 2] >> (i % 2 * 32));
    described() = {wide(0), {words[0], words[1], words[2]}, {words[3], words[4], words[5]}, 0};
    return 0;
  }
  [[nodiscard]] std::uint64_t code(LaunchCode result) const {
    if (result != LaunchCode::kSuccess) state.last_error[lane] = static_cast<std::int32_t>(result);
    return static_cast<std::uint64_t>(result);
  }
  [[nodiscard]] std::uint64_t code(const Launched& result) const {
    if (result.code == LaunchCode::kSuccess && launched != nullptr)
      launched->push_back({result.id, lane, result.spilled});
    return code(result.code);
  }
  [[nodiscard]] std::uint64_t made(const std::optional<std::uint64_t>& handle) const {
    if (!handle) state.last_error[lane] = static_cast<std::int32_t>(LaunchCode::kInvalidValue);
    return handle.value_or(isa::kNoRuntimeValue);
  }
  [[nodiscard]] std::uint64_t limit() const {
    constexpr std::int32_t kUnsupportedLimit = 42;
    switch (word(0)) {
      case kSyncDepth:
        return launcher->limits().sync_depth;
      case kPendingLaunches:
        return launcher->limits().pending;
      default:
        state.last_error[lane] = kUnsupportedLimit;
        return isa::kNoRuntimeValue;
    }
  }
  [[nodiscard]] std::uint64_t error(bool forget) const {
    const std::int32_t last = state.last_error[lane];
    if (forget) state.last_error[lane] = 0;
    return static_cast<std::uint64_t>(last);
  }

  [[nodiscard]] std::uint64_t run() const {
    switch (static_cast<RuntimeCall>(record.imm)) {
      case RuntimeCall::kDescribe:
        return describe();
      case RuntimeCall::kBuffer:
        return launcher->buffers().allocate(wide(0), wide(1));
      case RuntimeCall::kDescribedBuffer:
        described().dynamic_shared = word(0);
        return launcher->describe(caller, described());
      case RuntimeCall::kLaunch:
        described().dynamic_shared = word(1);
        return code(launcher->launch(caller, described(), wide(0), wide(2)));
      case RuntimeCall::kDescribedLaunch:
        return code(launcher->launch(caller, wide(0), wide(1)));
      case RuntimeCall::kLaunchGroup:
        described().dynamic_shared = word(1);
        return code(launcher->launch_group(caller, described(), wide(0)));
      case RuntimeCall::kSynchronize:
        return code(launcher->synchronize(caller));
      case RuntimeCall::kStreamCreate:
        return made(launcher->blocks().create_stream(caller.block, word(0)));
      case RuntimeCall::kStreamDestroy:
        return code(launcher->blocks().destroy_stream(caller.block, wide(0)));
      case RuntimeCall::kStreamWait:
        return code(launcher->blocks().wait_in_stream(caller.block, wide(0), wide(1)));
      case RuntimeCall::kEventCreate:
        return made(launcher->blocks().create_event(caller.block, word(0)));
      case RuntimeCall::kEventDestroy:
        return code(launcher->blocks().destroy_event(caller.block, wide(0)));
      case RuntimeCall::kEventRecord:
        return code(launcher->blocks().record_event(caller.block, wide(0), wide(1)));
      case RuntimeCall::kLimit:
        return limit();
      case RuntimeCall::kLastError:
        return error(true);
      case RuntimeCall::kPeekError:
        return error(false);
      case RuntimeCall::kKernelFigure:
        return launcher->figure(caller, wide(0), static_cast<isa::KernelFigure>(word(1)), word(2), wide(3))
            .value_or(isa::kNoRuntimeValue);
    }
    return 0;
  }
};

bool gives_64_bits(RuntimeCall call) {
  return call == RuntimeCall::kBuffer || call == RuntimeCall::kDescribedBuffer || call == RuntimeCall::kStreamCreate ||
         call == RuntimeCall::kEventCreate || call == RuntimeCall::kLimit || call == RuntimeCall::kKernelFigure;
}

}  // namespace

bool awaits_children(const isa::Record& record, const Caller& caller, const Launcher& launcher) {
  return static_cast<RuntimeCall>(record.imm) == RuntimeCall::kSynchronize &&
         launcher.synchronize(caller) == LaunchCode::kSuccess && launcher.blocks().open_children(caller.block) != 0;
}

void runtime_call(const isa::Record& record, const isa::RegisterView& view, isa::LaneMask mask, const Caller& caller,
                  RuntimeState& state, Launcher* launcher, std::vector<LaneLaunch>* launched) {
  // Results are written after all lanes have read their arguments, because the registers may overlap.
  std::uint64_t results[isa::kMaxLanes];
  const auto each = [mask](const auto& use) {
    for (isa::LaneMask left = mask; left != 0; left &= left - 1) use(first_lane(left));
  };
  each([&](unsigned lane) { results[lane] = Call{record, view, caller, state, launcher, launched, lane}.run(); });
  const bool wide = gives_64_bits(static_cast<RuntimeCall>(record.imm));
  each([&](unsigned lane) {
    if (wide)
      set_lane<std::uint64_t>(view, record.dst, lane, results[lane]);
    else
      set_lane<std::uint32_t>(view, record.dst, lane, static_cast<std::uint32_t>(results[lane]));
  });
}

}  // namespace castor::gpu
