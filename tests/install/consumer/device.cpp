#include <castor/gpu/device.h>
#include <runtime/module.h>  // needs headers of other rooms
#include <runtime/open_device.h>

#include <cstdint>
#include <variant>

/// Opens a machine through the C++ interface and lets it fill memory.
int main() {
  castor::runtime::DeviceOptions options;
  options.platform = "tiny";
  const auto device = castor::runtime::open_device(options);
  const auto address = device->store().allocate(64, castor::gpu::AllocationKind::kHeap);
  if (!address) return 1;
  castor::gpu::FillPacket fill;
  fill.address = *address;
  fill.width = 64;
  fill.pattern = 0xa5;
  const auto ticket = device->submit(0, fill);
  if (device->advance_until(ticket) != castor::gpu::Outcome::kDone) return 2;
  return *device->store().host(*address + 63) == std::byte{0xa5} ? 0 : 3;
}
