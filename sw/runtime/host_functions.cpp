#include "runtime/host_functions.h"

#include <utility>

namespace castor::runtime {

HostFunctions::Number HostFunctions::add(Call call, bool hears_faults) {
  functions_.emplace(++last_, Function{std::move(call), hears_faults, 0});
  count();
  return last_;
}

void HostFunctions::submitted(Number number, gpu::Ticket ticket) {
  const auto found = functions_.find(number);
  if (found != functions_.end()) found->second.ticket = ticket;
}

void HostFunctions::run(Number number) {
  const auto found = functions_.find(number);
  if (found == functions_.end()) return;
  const Call call = std::move(found->second.call);
  functions_.erase(found);
  count();
  ++begun_;
  call(cudaSuccess);
}

void HostFunctions::drop_lost(const gpu::Device& device) {
  for (auto at = functions_.begin(); at != functions_.end();) {
    const bool lost = at->second.ticket != 0 && device.complete(at->second.ticket);
    at = lost ? functions_.erase(at) : std::next(at);
  }
  count();
}

void HostFunctions::fail(cudaError_t code) {
  const std::map<Number, Function> all = std::exchange(functions_, {});
  count();
  for (const auto& [number, function] : all) {
    if (!function.hears_faults) continue;
    ++begun_;
    function.call(code);
  }
}

void HostFunctions::forget() {
  functions_.clear();
  count();
}

}  // namespace castor::runtime
