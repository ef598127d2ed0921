#include "runtime/graph_work.h"

#include <cstdint>
#include <type_traits>

#include "runtime/kernel_launch.h"
#include "runtime/memory_operations.h"

namespace castor::runtime {
namespace {

FillRequest request_of(const cudaMemsetParams& parms) {
  const unsigned size = parms.elementSize;
  if (size != 1 && size != 2 && size != 4) throw ApiError{cudaErrorInvalidValue};
  FillRequest request;
  request.to = parms.dst;
  if (__builtin_mul_overflow(parms.width, std::size_t{size}, &request.width)) throw ApiError{cudaErrorInvalidValue};
  request.rows = parms.height;
  request.pitch = parms.pitch;
  request.pattern = size == 4 ? parms.value : parms.value & ((1U << (8 * size)) - 1);
  request.pattern_bytes = size;
  if (reinterpret_cast<std::uintptr_t>(parms.dst) % size != 0 || (parms.height > 1 && parms.pitch % size != 0)) {
    throw ApiError{cudaErrorInvalidValue};
  }
  return request;
}

// Makes the packets of kernels, copies and fills; other work has no packets, and only its handles are checked.
struct PacketMaker {
  Session& session;
  std::vector<gpu::Packet>& packets;

  void operator()(const KernelWork& work) const {
    if (!session.modules().has_kernel(work.kernel)) throw ApiError{cudaErrorInvalidResourceHandle};
    packets.emplace_back(launch_packet(
        session, *work.kernel, {work.grid, work.block, work.dynamic_shared, work.cooperative}, work.parameters));
  }
  void operator()(const CopyWork& work) const {
    for (const CopyRequest& slice : slices_of(work.request)) {
      if (slice.width != 0 && slice.rows != 0) packets.push_back(copy_packet(session, slice));
    }
  }
  void operator()(const FillWork& work) const {
    const FillRequest request = request_of(work.request);
    if (request.width != 0 && request.rows != 0) packets.emplace_back(fill_packet(session, request));
  }
  void operator()(const HostWork& work) const {
    if (work.function.fn == nullptr) throw ApiError{cudaErrorInvalidValue};
  }
  void operator()(const ChildWork& /*work*/) const {}
  void operator()(const EmptyWork& /*work*/) const {}
  void operator()(const EventWaitWork& work) const { static_cast<void>(session.streams().event_of(work.event)); }
  void operator()(const EventRecordWork& work) const { static_cast<void>(session.streams().event_of(work.event)); }
};

bool is_flat(const cudaMemcpy3DParms& parms) { return parms.extent.height <= 1 && parms.extent.depth <= 1; }

bool on_device(Session& session, const void* pointer) { return session.device_address(pointer).has_value(); }

}  // namespace

KernelWork kernel_work(Session& session, LoadedKernel& kernel, const LaunchForm& form, void** arguments, void** extra) {
  KernelWork work{&kernel, form.grid, form.block, form.dynamic_shared, {}, form.cooperative, {}};
  work.parameters = parameter_block(kernel, arguments, extra);
  static_cast<void>(launch_packet(session, kernel, form, work.parameters));
  return work;
}

void** arguments_of(KernelWork& work) {
  work.arguments.clear();
  for (const isa::Parameter& parameter : work.kernel->program->parameters) {
    work.arguments.push_back(work.parameters.data() + parameter.offset);
  }
  return work.arguments.data();
}

void check(Session& session, const GraphWork& work) { static_cast<void>(PreparedWork(session, work)); }

bool may_become(Session& session, const GraphWork& before, const GraphWork& after) {
  if (before.index() != after.index()) return false;
  if (const auto* const copy = std::get_if<CopyWork>(&before)) {
    const cudaMemcpy3DParms& from = copy->request;
    const cudaMemcpy3DParms& to = std::get<CopyWork>(after).request;
    return is_flat(from) && is_flat(to) && on_device(session, from.srcPtr.ptr) == on_device(session, to.srcPtr.ptr) &&
           on_device(session, from.dstPtr.ptr) == on_device(session, to.dstPtr.ptr);
  }
  if (const auto* const fill = std::get_if<FillWork>(&before)) {
    return fill->request.height <= 1 && std::get<FillWork>(after).request.height <= 1;
  }
  return true;
}

PreparedWork::PreparedWork(Session& session, const GraphWork& work) : work_(work) {
  std::visit(PacketMaker{session, packets_}, work);
}

void PreparedWork::submit(Session& session, Stream& stream) {
  for (gpu::Packet& packet : packets_) session.streams().submit(stream, std::move(packet));
  packets_.clear();
  if (const auto* const host = std::get_if<HostWork>(&work_)) {
    session.submit_host_function(
        stream, [function = host->function](cudaError_t /*status*/) { function.fn(function.userData); }, false);
  } else if (const auto* const wait = std::get_if<EventWaitWork>(&work_)) {
    session.streams().wait(stream, session.streams().event_of(wait->event));
  } else if (const auto* const record = std::get_if<EventRecordWork>(&work_)) {
    session.streams().record(session.streams().event_of(record->event), stream);
  }
}

}  // namespace castor::runtime
