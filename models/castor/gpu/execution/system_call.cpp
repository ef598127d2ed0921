#include "castor/gpu/execution/system_call.h"

#include <cstdio>
#include <string>

#include "castor/gpu/device_printf.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/register_error.h"

namespace castor::gpu {
namespace {

// Runtime call of one lane.
struct Call {
  const isa::Record& record;
  const isa::RegisterView& view;
  const ReadBytes& read;
  DeviceServices& services;
  unsigned lane;

  [[nodiscard]] std::uint64_t argument(unsigned which) const {
    return lane_value<std::uint64_t>(view, record.src[which], lane);
  }
  [[nodiscard]] std::optional<std::string> text(std::uint64_t address) const {
    constexpr std::size_t kLongest = 1 << 20;
    std::string result;
    for (char c = 0; result.size() < kLongest; result += c) {
      if (!read(address + result.size(), &c, 1, lane)) return std::nullopt;
      if (c == 0) break;
    }
    return result;
  }
  [[nodiscard]] ExecutionFault unreadable(const char* what) const {
    return {FaultKind::kIllegalAddress, lane, what, 0};
  }
};

std::optional<ExecutionFault> print(const Call& call) {
  const std::uint64_t arguments = call.record.src[1] == isa::kNoOperand ? 0 : call.argument(1);
  const auto format = call.text(call.argument(0));
  if (!format) return call.unreadable("printf: its format cannot be read");
  PrintfSource source;
  source.argument = [&](std::uint64_t offset, unsigned bytes) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    if (!call.read(arguments + offset, &value, bytes, call.lane)) return std::nullopt;
    return value;
  };
  source.text = [&](std::uint64_t address) { return call.text(address); };
  const auto text = format_device_printf(*format, source);
  if (!text) return call.unreadable("printf: an argument cannot be read");
  call.services.print(*text);
  set_lane<std::int32_t>(call.view, call.record.dst, call.lane, printf_arguments(*format));
  return std::nullopt;
}

void allocate(const Call& call) {
  const std::uint64_t size = call.argument(0);
  DeviceServices& services = call.services;
  std::optional<std::uint64_t> address;
  const std::uint64_t used = services.store->used(AllocationKind::kDeviceHeap);
  if (size != 0 && size <= services.heap_bytes && used <= services.heap_bytes - size) {
    address = services.store->allocate(size, AllocationKind::kDeviceHeap);
  }
  set_lane<std::uint64_t>(call.view, call.record.dst, call.lane, address.value_or(0));
}

std::optional<ExecutionFault> release(const Call& call) {
  const std::uint64_t address = call.argument(0);
  if (address == 0) return std::nullopt;
  Store& store = *call.services.store;
  const Allocation* const allocation = store.find(address);
  if (allocation == nullptr || allocation->address != address || allocation->kind != AllocationKind::kDeviceHeap) {
    return ExecutionFault{FaultKind::kIllegalAddress, call.lane,
                          "free of an address that device malloc did not return: " + store.describe(address), 0};
  }
  store.free(address);
  return std::nullopt;
}

ExecutionFault assertion(const Call& call, const isa::WarpContext& warp, const Dim3& block) {
  const auto message = call.text(call.argument(0)).value_or("?");
  const auto file = call.text(call.argument(1)).value_or("?");
  const auto line = lane_value<std::uint32_t>(call.view, call.record.src[2], call.lane);
  const auto function = call.text(call.argument(3)).value_or("?");
  const Dim3 thread{warp.tid[0][call.lane], warp.tid[1][call.lane], warp.tid[2][call.lane]};
  char where[160];
  std::snprintf(where, sizeof where, "block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", block.x, block.y, block.z,
                thread.x, thread.y, thread.z);
  return {FaultKind::kAssert, call.lane,
          file + ":" + std::to_string(line) + ": " + function + ": " + where + message + "` failed.", 0};
}

/// `which`: index of the calling lane among the lanes of the call.
void access_register(const Call& call, unsigned which) {
  const std::vector<RegisterReply>* const replies = call.services.register_replies;
  const RegisterReply reply = replies == nullptr ? RegisterReply{RegisterError::kNoBlock, 0} : replies->at(which);
  set_lane<std::uint64_t>(call.view, call.record.dst, call.lane,
                          std::uint64_t{cuda_error(reply.error)} << 32 | reply.value);
}

}  // namespace

std::vector<RegisterAccess> register_accesses(const isa::Record& record, const isa::RegisterView& view,
                                              isa::LaneMask mask) {
  std::vector<RegisterAccess> accesses;
  for (isa::LaneMask left = mask; left != 0; left &= left - 1) {
    const auto argument = [&](unsigned which) {
      return lane_value<std::uint32_t>(view, record.src[which], first_lane(left));
    };
    const std::uint32_t number = argument(0);
    accesses.push_back({number / kRegisterWindow, argument(1) != 0, number % kRegisterWindow, argument(2)});
  }
  return accesses;
}

std::optional<ExecutionFault> system_call(const isa::Record& record, const isa::RegisterView& view, isa::LaneMask mask,
                                          const isa::WarpContext& warp, const Dim3& block, const ReadBytes& read,
                                          DeviceServices& services) {
  unsigned which = 0;
  for (isa::LaneMask left = mask; left != 0; left &= left - 1, ++which) {
    const Call call{record, view, read, services, first_lane(left)};
    std::optional<ExecutionFault> fault;
    switch (static_cast<isa::SystemCall>(record.imm)) {
      case isa::SystemCall::kPrintf:
        fault = print(call);
        break;
      case isa::SystemCall::kMalloc:
        allocate(call);
        break;
      case isa::SystemCall::kFree:
        fault = release(call);
        break;
      case isa::SystemCall::kAssertFail:
        return assertion(call, warp, block);
      case isa::SystemCall::kPureVirtual:
        return ExecutionFault{FaultKind::kTrap, call.lane, "call of a pure virtual function", 0};
      case isa::SystemCall::kRegister:
        access_register(call, which);
        break;
    }
    if (fault) return fault;
  }
  return std::nullopt;
}

}  // namespace castor::gpu
