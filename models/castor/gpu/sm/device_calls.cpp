#include "castor/gpu/sm/device_calls.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"

namespace castor::gpu {

void DeviceCalls::ask(WarpMask warps) {
  blocked_.make_calls(warps);
  for (WarpMask left = warps; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    const WarpState& warp = warps_[w];
    const isa::Record& record = warp.records[warp.call_pc];
    ServiceMessage message{clock_.now() + 1, w, tbs_[warp.tb].kernel, {}};
    if (record.imm == static_cast<std::uint64_t>(isa::SystemCall::kRegister)) {
      message.registers = register_accesses(record, warps_.view(w), warp.call_mask);
    }
    outbox_.ask(std::move(message));
  }
}

std::optional<Fault> DeviceCalls::serve(unsigned w, DeviceServices* services, Cycle answer) {
  CASTOR_ASSERT_AT(answer, (blocked_.in_call() & warp_bit(w)) != 0, "warp %u of SM %u does not wait for a call", w,
                   sm_);
  const WarpState& warp = warps_[w];
  const TbState& tb = tbs_[warp.tb];
  std::optional<Fault> result;
  if (services != nullptr && !tb.killed) {
    const ReadBytes read = [&](std::uint64_t generic, void* to, std::size_t size, unsigned lane) {
      return memory_.read(generic, to, size, lane, warp.warp_in_tb, warp.tb);
    };
    const auto wrong = system_call(warp.records[warp.call_pc], warps_.view(w), warp.call_mask, warp.identity, tb.index,
                                   read, *services);
    if (wrong) result = make_fault(*tb.kernel, tb.index, warp.identity, warp.call_pc, *wrong);
  }
  answers_.push_back({answer, static_cast<std::uint8_t>(w), result.has_value()});
  return result;
}

bool DeviceCalls::take_answers() {
  bool taken = false;
  for (std::size_t i = 0; i < answers_.size();) {
    const Answer answer = answers_[i];
    if (answer.visible > clock_.now()) {
      ++i;
      continue;
    }
    answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(i));
    blocked_.answered(answer.warp);
    if (answer.failed && (warps_.live() & warp_bit(answer.warp)) != 0) blocked_.fault(answer.warp);
    taken = true;
  }
  return taken;
}

Cycle DeviceCalls::next_answer() const {
  Cycle next = base::kForever;
  for (const Answer& answer : answers_) next = std::min(next, answer.visible);
  return next;
}

}  // namespace castor::gpu
