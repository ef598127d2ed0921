#include "runtime/memory_operations.h"

#include <cstring>
#include <memory>
#include <vector>

#include "castor/gpu/machine.h"

namespace castor::runtime {
namespace {

// Returns the bytes from the begin of the first row to the end of the last. ApiError: invalid value, on overflow.
std::size_t extent(std::size_t width, std::size_t rows, std::size_t pitch) {
  if (rows == 0 || width == 0) return 0;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(rows - 1, pitch, &bytes) || __builtin_add_overflow(bytes, width, &bytes)) {
    throw ApiError{cudaErrorInvalidValue};
  }
  return bytes;
}

// Source or destination of a copy.
struct Side {
  std::optional<std::uint64_t> device;  // device address, if the pointer refers to device memory
  bool pageable = false;                // host memory that is neither pinned nor registered
};

Side side_of(Session& session, const void* pointer, std::size_t bytes) {
  Side side;
  side.device = session.device_address(pointer);
  if (side.device) {
    if (!session.device().store().contains(*side.device, bytes)) throw ApiError{cudaErrorInvalidValue};
    return side;
  }
  // A stale pointer into the device's address range, or into its host window, must not pass as a host pointer.
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const std::uint64_t inside = address >= isa::kHostWindow ? address - isa::kHostWindow : address;
  if (inside >= gpu::Store::kBase && inside < isa::kWindowSize) throw ApiError{cudaErrorInvalidValue};
  side.pageable = session.registered_host_memory.count(pointer) == 0;
  return side;
}

bool host_visible(Session& session, std::uint64_t address) {
  const auto kind = session.device().store().find(address)->kind;
  return kind == gpu::AllocationKind::kManaged || kind == gpu::AllocationKind::kPinned;
}

// Checks that source and destination fit the direction that the program named. ApiError: invalid value.
void check_direction(Session& session, cudaMemcpyKind kind, const Side& to, const Side& from) {
  const auto must_be_device = [](const Side& side) {
    if (!side.device) throw ApiError{cudaErrorInvalidValue};
  };
  const auto must_be_host = [&](const Side& side) {
    if (side.device && !host_visible(session, *side.device)) throw ApiError{cudaErrorInvalidValue};
  };
  switch (kind) {
    case cudaMemcpyHostToHost:
      must_be_host(to);
      must_be_host(from);
      break;
    case cudaMemcpyHostToDevice:
      must_be_device(to);
      must_be_host(from);
      break;
    case cudaMemcpyDeviceToHost:
      must_be_host(to);
      must_be_device(from);
      break;
    case cudaMemcpyDeviceToDevice:
      must_be_device(to);
      must_be_device(from);
      break;
    case cudaMemcpyDefault:
      break;
    default:
      throw ApiError{cudaErrorInvalidMemcpyDirection};
  }
}

// Makes the packet of a copy between host addresses: the device copies nothing, but the copy keeps its position in the
// stream's order.
gpu::HostCallPacket copy_on_host(const gpu::CopyPacket& packet, std::shared_ptr<std::vector<std::byte>> captured) {
  std::byte* const to = std::get<std::byte*>(packet.destination);
  const std::byte* const from = std::get<const std::byte*>(packet.source);
  return {[=, keep = std::move(captured)] {
    for (std::size_t row = 0; row < packet.rows; ++row) {
      std::memmove(to + row * packet.destination_pitch, from + row * packet.source_pitch, packet.width);
    }
  }};
}

// Copy whose source and destination have been checked against its direction.
struct CheckedCopy {
  Side to;
  Side from;
  gpu::CopyPacket packet;
};

CheckedCopy checked_copy(Session& session, const CopyRequest& request) {
  session.check_fault();
  if (request.kind < cudaMemcpyHostToHost || request.kind > cudaMemcpyDefault) {
    throw ApiError{cudaErrorInvalidMemcpyDirection};
  }
  if (request.to == nullptr || request.from == nullptr) throw ApiError{cudaErrorInvalidValue};
  CheckedCopy checked;
  checked.to = side_of(session, request.to, extent(request.width, request.rows, request.to_pitch));
  checked.from = side_of(session, request.from, extent(request.width, request.rows, request.from_pitch));
  check_direction(session, request.kind, checked.to, checked.from);
  gpu::CopyPacket& packet = checked.packet;
  packet.width = request.width;
  packet.rows = request.rows;
  packet.destination_pitch = request.to_pitch;
  packet.source_pitch = request.from_pitch;
  if (checked.to.device) {
    packet.destination = *checked.to.device;
  } else {
    packet.destination = static_cast<std::byte*>(request.to);
  }
  if (checked.from.device) {
    packet.source = *checked.from.device;
  } else {
    packet.source = static_cast<const std::byte*>(request.from);
  }
  return checked;
}

// Returns the copy as a graph node stores it.
cudaMemcpy3DParms node_request(const CopyRequest& request) {
  cudaMemcpy3DParms parms{};
  const auto side = [&](const void* pointer, std::size_t pitch) {
    return cudaPitchedPtr{const_cast<void*>(pointer), request.rows > 1 ? pitch : request.width, request.width,
                          request.rows};
  };
  parms.dstPtr = side(request.to, request.to_pitch);
  parms.srcPtr = side(request.from, request.from_pitch);
  parms.extent = {request.width, request.rows, 1};
  parms.kind = request.kind;
  return parms;
}

}  // namespace

CopyRequest linear(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  CopyRequest request;
  request.to = to;
  request.from = from;
  request.width = count;
  request.kind = kind;
  return request;
}

CopyRequest pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                    std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) throw ApiError{cudaErrorInvalidPitchValue};
  CopyRequest request = linear(to, from, width, kind);
  request.rows = height;
  request.to_pitch = to_pitch;
  request.from_pitch = from_pitch;
  return request;
}

std::vector<CopyRequest> slices_of(const cudaMemcpy3DParms& request) {
  if (request.srcArray != nullptr || request.dstArray != nullptr) throw ApiError{cudaErrorNotSupported};
  const auto place = [](const cudaPitchedPtr& base, const cudaPos& at, std::size_t slice) {
    return static_cast<char*>(base.ptr) + (at.z + slice) * base.pitch * base.ysize + at.y * base.pitch + at.x;
  };
  std::vector<CopyRequest> slices;
  for (std::size_t slice = 0; slice < request.extent.depth; ++slice) {
    slices.push_back(pitched(place(request.dstPtr, request.dstPos, slice), request.dstPtr.pitch,
                             place(request.srcPtr, request.srcPos, slice), request.srcPtr.pitch, request.extent.width,
                             request.extent.height, request.kind));
  }
  return slices;
}

void* symbol_address(Session& session, const void* symbol, std::size_t offset, std::size_t count) {
  const DeviceSymbol found = session.modules().symbol_of(symbol);
  if (offset > found.size || count > found.size - offset) throw ApiError{cudaErrorInvalidValue};
  return reinterpret_cast<void*>(found.address + offset);
}

gpu::Packet copy_packet(Session& session, const CopyRequest& request) {
  CheckedCopy checked = checked_copy(session, request);
  if (!checked.to.device && !checked.from.device) return copy_on_host(checked.packet, nullptr);
  return checked.packet;
}

void copy(Session& session, const CopyRequest& request, Stream& stream, bool asynchronous) {
  const bool captured = session.graphs().captures().takes(stream);
  if (!asynchronous) session.graphs().captures().refuse_unsafe();
  if (request.kind < cudaMemcpyHostToHost || request.kind > cudaMemcpyDefault) {
    throw ApiError{cudaErrorInvalidMemcpyDirection};
  }
  session.check_fault();
  if (request.width == 0 || request.rows == 0) return;
  CheckedCopy checked = checked_copy(session, request);
  if (captured) {
    session.graphs().captures().add(stream, CopyWork{node_request(request)});
    return;
  }
  gpu::CopyPacket& packet = checked.packet;
  std::shared_ptr<std::vector<std::byte>> kept;
  if (!checked.from.device && asynchronous && checked.from.pageable) {
    kept = std::make_shared<std::vector<std::byte>>(request.width * request.rows);
    for (std::size_t row = 0; row < request.rows; ++row) {
      std::memcpy(kept->data() + row * request.width,
                  static_cast<const std::byte*>(request.from) + row * request.from_pitch, request.width);
    }
    packet.source = static_cast<const std::byte*>(kept->data());
    packet.source_pitch = request.width;
  }
  const bool wait = !asynchronous || (!checked.to.device && checked.to.pageable);
  const gpu::Ticket ticket = !checked.to.device && !checked.from.device
                                 ? session.streams().submit(stream, copy_on_host(packet, kept))
                                 : session.streams().submit(stream, packet);
  if (kept != nullptr && !session.device().complete(ticket)) {
    // An empty host call after the copy keeps the saved source bytes alive until the copy has run.
    session.streams().submit(stream, gpu::HostCallPacket{[kept] {}});
  }
  session.charge(gpu::HostCall::kCopy);
  if (wait) session.wait_for(ticket);
}

gpu::FillPacket fill_packet(Session& session, const FillRequest& request) {
  session.check_fault();
  if (request.rows > 1 && request.width > request.pitch) throw ApiError{cudaErrorInvalidPitchValue};
  const Side to = side_of(session, request.to, extent(request.width, request.rows, request.pitch));
  if (!to.device) throw ApiError{cudaErrorInvalidValue};
  gpu::FillPacket packet;
  packet.address = *to.device;
  packet.width = request.width;
  packet.rows = request.rows;
  packet.pitch = request.pitch;
  packet.pattern = request.pattern;
  packet.pattern_bytes = request.pattern_bytes;
  return packet;
}

void fill(Session& session, const FillRequest& request, Stream& stream) {
  const bool captured = session.graphs().captures().takes(stream);
  session.check_fault();
  if (request.width == 0 || request.rows == 0) return;
  const gpu::FillPacket packet = fill_packet(session, request);
  if (captured) {
    session.graphs().captures().add(stream, FillWork{{request.to, request.pitch, request.pattern, request.pattern_bytes,
                                                      request.width / request.pattern_bytes, request.rows}});
    return;
  }
  session.streams().submit(stream, packet);
  session.charge(gpu::HostCall::kLaunch);
}

void* allocate(Session& session, std::size_t size, gpu::AllocationKind kind) {
  session.graphs().captures().refuse_unsafe();
  session.check_fault();
  if (size == 0) return nullptr;
  const auto address = session.device().store().allocate(size, kind);
  if (!address) throw ApiError{cudaErrorMemoryAllocation};
  const bool visible = kind == gpu::AllocationKind::kManaged || kind == gpu::AllocationKind::kPinned;
  if (visible) session.shares_memory();
  return reinterpret_cast<void*>(*address + (visible ? isa::kHostWindow : 0));
}

void release(Session& session, void* pointer, bool pinned) {
  session.graphs().captures().refuse_unsafe();
  session.check_fault();
  if (pointer == nullptr) return;
  const auto address = session.device_address(pointer);
  if (!address) throw ApiError{cudaErrorInvalidValue};
  gpu::Store& store = session.device().store();
  const gpu::Allocation& allocation = *store.find(*address);
  const bool is_pinned = allocation.kind == gpu::AllocationKind::kPinned;
  const bool is_plain =
      allocation.kind == gpu::AllocationKind::kHeap || allocation.kind == gpu::AllocationKind::kManaged;
  if (allocation.address != *address || pinned != is_pinned || (!pinned && !is_plain)) {
    throw ApiError{cudaErrorInvalidValue};
  }
  session.synchronize_device();
  store.free(*address);
}

}  // namespace castor::runtime
