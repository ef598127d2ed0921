#include "runtime/job_driver.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/hooks/job_control.h"
#include "castor/gpu/machine.h"

namespace castor::runtime {
namespace {

constexpr std::uint64_t kMostDeadline = 0xfffffffe;
constexpr std::uint64_t kMostNanoseconds = std::uint64_t{1} << 40;  // longer than any deadline in cycles, and small
                                                                    // enough that no product overflows
constexpr std::size_t kSignalsPerPage = 64;
constexpr std::size_t kMostKernels = 0xffff;
constexpr unsigned kKernelTypes = 64;  // number of kernel types on a device that does not profile them
constexpr std::uint8_t kNoJob = 7;     // rejection reason of an append that arrived after the end of its job

bool over(gpu::JobStatus status) {
  using gpu::JobStatus;
  return status == JobStatus::kRejected || status == JobStatus::kDone || status == JobStatus::kDoneLate ||
         status == JobStatus::kError;
}

unsigned kernel_types(const gpu::JobControl* control) {
  return control != nullptr ? control->kernel_types() : kKernelTypes;
}

std::string text_of(const gpu::RegisterAccess& access) {
  return "register " + std::to_string(access.offset) + " of window " + std::to_string(access.window);
}

}  // namespace

JobDriver::JobDriver(gpu::Device& device) : JobDriver(device, Settings{}) {}

JobDriver::JobDriver(gpu::Device& device, const Settings& settings)
    : device_(device),
      settings_(settings),
      control_(device.job_control()),
      list_types_(control_ != nullptr ? std::min(gpu::JobPacket::kElements, control_->list_types())
                                      : gpu::JobPacket::kElements),
      streams_(device.machine().queue.count),
      kinds_(settings.kernel_types != 0 ? settings.kernel_types : kernel_types(control_)) {
  if (settings_.core_mhz == 0) settings_.core_mhz = device.machine().clock.core_mhz;
  for (unsigned queue = settings.first_queue; queue < streams_.size(); ++queue) {
    if (settings.from_top) {
      free_.push_front(queue);
    } else {
      free_.push_back(queue);
    }
  }
}

JobDriver::~JobDriver() {
  for (const std::uint64_t page : signal_pages_) device_.store().free(page);
}

// --- Streams --------------------------------------------------------------------------------------------------------

JobDriver::Stream& JobDriver::at(StreamId stream) {
  if (stream < streams_.size() && streams_[stream].open) return streams_[stream];
  throw base::InputError("there is no stream " + std::to_string(stream) + " with a deadline", "create it first");
}

JobDriver::StreamId JobDriver::create(std::uint64_t deadline_ns) {
  Stream fresh;
  if (deadline_ns != kNoDeadline) {
    // The clock is rounded to whole kilohertz, so that the number of cycles does not depend on rounding.
    const auto kilohertz = static_cast<std::uint64_t>(settings_.core_mhz * 1000 + 0.5);
    const std::uint64_t cycles = std::min(deadline_ns, kMostNanoseconds) * kilohertz / 1'000'000;
    if (deadline_ns == 0 || cycles == 0 || cycles > kMostDeadline) {
      throw base::InputError(
          "deadline of " + std::to_string(deadline_ns) + " ns: " + std::to_string(cycles) + " cycles of the core clock",
          "1 to " + std::to_string(kMostDeadline) + " cycles, or no deadline");
    }
    fresh.deadline = static_cast<std::uint32_t>(cycles);
  }
  if (free_.empty() && !judged()) {
    fresh.open = fresh.shared = true;
    streams_.push_back(std::move(fresh));
    return static_cast<StreamId>(streams_.size() - 1);
  }
  if (free_.empty()) {
    throw base::InputError("all " + std::to_string(streams_.size()) + " queues of the device belong to streams",
                           "destroy a stream first");
  }
  const StreamId stream = free_.front();
  free_.pop_front();
  fresh.open = true;
  streams_[stream] = std::move(fresh);
  return stream;
}

void JobDriver::destroy(StreamId stream) {
  Stream& state = at(stream);
  static_cast<void>(poll(stream));
  CASTOR_ASSERT(!state.busy, "stream %u is destroyed before its job has ended", stream);
  const bool shared = state.shared;
  state = Stream{};
  if (!shared) free_.push_back(stream);
}

unsigned JobDriver::queue(StreamId stream) const { return stream % device_.machine().queue.count; }

bool JobDriver::busy(StreamId stream) const { return streams_[stream].busy; }

// --- Jobs -----------------------------------------------------------------------------------------------------------

void JobDriver::enqueue(StreamId stream, gpu::KernelPacket kernel) {
  Stream& state = at(stream);
  if (state.waiting.size() >= kMostKernels) {
    throw base::InputError("a job of more than " + std::to_string(kMostKernels) + " kernels", "submit in parts");
  }
  kernel.kid = kid_of(kernel.program, kernel.block.count());
  state.waiting.push_back(std::move(kernel));
}

std::vector<gpu::Ticket> JobDriver::submit(StreamId stream, std::uint64_t start) {
  Stream& state = at(stream);
  static_cast<void>(poll(stream));  // polls for its side effect: returns the queue of a job that is over
  if (state.waiting.empty()) return {};
  const bool append = state.busy;
  if (append && state.shared) {
    throw base::InputError("work is added to a job of a stream that shares its queue",
                           "wait for the job, or use at most " + std::to_string(device_.machine().queue.count) +
                               " streams with deadlines");
  }
  if (!append) state.result = {};
  state.busy = true;
  return send(stream, std::exchange(state.waiting, {}), append, start);
}

// Submits the kernels in JOB packets. A packet takes as many kernels as have at most `list_types_` different types;
// each further packet is an append.
std::vector<gpu::Ticket> JobDriver::send(StreamId stream, std::vector<gpu::KernelPacket> kernels, bool append,
                                         std::uint64_t start) {
  Stream& state = at(stream);
  std::vector<gpu::Ticket> tickets;
  for (std::size_t next = 0; next < kernels.size();) {
    Part part;
    gpu::JobPacket& packet = part.packet;
    packet.append = append;
    packet.best_effort = state.deadline == gpu::JobPacket::kNoDeadline;
    packet.deadline = state.deadline;
    packet.id = next_job_++;
    packet.start = start;
    part.signal = packet.signal = new_signal();
    std::size_t end = next;
    for (; end < kernels.size(); ++end) {
      const gpu::KernelPacket& kernel = kernels[end];
      const auto known = std::find_if(packet.list.begin(), packet.list.end(),
                                      [&](const gpu::JobElement& element) { return element.kid == kernel.kid; });
      const auto tbs = static_cast<std::uint32_t>(std::min<std::uint64_t>(kernel.grid.count(), 0xffffff));
      if (known != packet.list.end()) {
        known->tbs = std::min<std::uint32_t>(known->tbs + tbs, 0xffffff);
      } else if (packet.list.size() == list_types_) {
        break;
      } else {
        packet.list.push_back({kernel.kid, tbs});
      }
    }
    packet.kernels = static_cast<std::uint16_t>(end - next);
    static_cast<void>(device_.submit(queue(stream), packet));
    for (; next < end; ++next) {
      tickets.push_back(device_.submit(queue(stream), kernels[next]));
      part.kernels.push_back(std::move(kernels[next]));
    }
    state.last = tickets.back();
    state.parts.push_back(std::move(part));
    append = true;
    start = 0;
  }
  return tickets;
}

gpu::JobSignal JobDriver::poll(StreamId stream) {
  Stream& state = at(stream);
  if (!state.busy) return state.result;
  const gpu::JobSignal first = gpu::JobSignal::of(signal_word(state.parts.front().signal));
  // Kernels appended too late become a job of their own, with the same deadline counted from its own start.
  std::vector<gpu::KernelPacket> late;
  for (std::size_t i = 1; i < state.parts.size(); ++i) {
    const gpu::JobSignal answer = gpu::JobSignal::of(signal_word(state.parts[i].signal));
    if (answer.status == gpu::JobStatus::kPending) return {gpu::JobStatus::kAccepted, 0, 0};
    if (answer.status == gpu::JobStatus::kError) return state.result = answer;
    if (answer.status != gpu::JobStatus::kRejected) continue;
    if (answer.reason != kNoJob || first.status == gpu::JobStatus::kRejected)
      continue;  // the kernels are rejected for
                 // good
    std::move(state.parts[i].kernels.begin(), state.parts[i].kernels.end(), std::back_inserter(late));
    state.parts[i].kernels.clear();
  }
  if (!over(first.status)) return first;
  state.result = first;
  finish(stream);
  if (late.empty()) return first;
  state.result = {};
  state.busy = true;
  static_cast<void>(send(stream, std::move(late), false, 0));
  return {};
}

// Ends a job: its signal words become free, and its queue is returned to the judging block.
void JobDriver::finish(StreamId stream) {
  Stream& state = at(stream);
  for (const Part& part : state.parts) signals_.push_back(part.signal);
  state.parts.clear();
  state.busy = false;
  if (judged() && state.result.status != gpu::JobStatus::kError) post(control_->acknowledge(queue(stream)));
}

// --- Signal words ---------------------------------------------------------------------------------------------------

std::uint64_t JobDriver::new_signal() {
  if (signals_.empty()) {
    const auto page = device_.store().allocate(kSignalsPerPage * 8, gpu::AllocationKind::kPool, "signal words");
    if (!page) throw base::InputError("no device memory left for signal words");
    signal_pages_.push_back(*page);
    for (std::size_t i = kSignalsPerPage; i > 0; --i) signals_.push_back(*page + 8 * (i - 1));
  }
  const std::uint64_t signal = signals_.back();
  signals_.pop_back();
  std::memset(device_.store().host(signal), 0, 8);
  return signal;
}

std::uint64_t JobDriver::signal_word(std::uint64_t address) const {
  std::uint64_t word = 0;
  std::memcpy(&word, device_.store().host(address), sizeof word);
  return word;
}

// --- Kernel types and registers -------------------------------------------------------------------------------------

std::uint8_t JobDriver::kid_of(gpu::ProgramHandle program, std::uint64_t block_threads) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    Kind& kind = kinds_[i];
    if (!kind.taken || kind.program != program || kind.threads != block_threads) continue;
    kind.used = ++uses_;
    return static_cast<std::uint8_t>(i);
  }
  std::vector<std::size_t> order(kinds_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Type numbers that are free come first, then the least recently used. The block refuses to clear a type that is in
  // flight.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return kinds_[a].taken != kinds_[b].taken ? !kinds_[a].taken : kinds_[a].used < kinds_[b].used;
  });
  for (const std::size_t i : order) {
    if (kinds_[i].taken && judged()) {
      const auto clear = control_->clear_type(static_cast<std::uint8_t>(i));
      if (clear && device_.access_register(*clear).error != gpu::RegisterError::kNone) continue;
    }
    kinds_[i] = {program, block_threads, ++uses_, true};
    return static_cast<std::uint8_t>(i);
  }
  throw base::InputError("all " + std::to_string(kinds_.size()) + " kernel types are in flight",
                         "use fewer kinds of kernels, or let some complete");
}

void JobDriver::set_priority(StreamId stream, std::uint32_t value) {
  static_cast<void>(at(stream));
  if (judged()) post(control_->set_priority(queue(stream), value));
}

void JobDriver::set_isolated_time(std::uint8_t kid, std::uint32_t value) {
  if (!judged()) return;
  if (const auto access = control_->set_isolated_time(kid, value)) write(*access);
}

std::uint32_t JobDriver::read_register(std::uint32_t offset) {
  const gpu::RegisterAccess access{window(), false, offset, 0};
  const gpu::RegisterReply reply = device_.access_register(access);
  if (reply.error == gpu::RegisterError::kNone) return reply.value;
  throw base::InputError(text_of(access) + " cannot be read", "an offset of the block's register map");
}

void JobDriver::write_register(std::uint32_t offset, std::uint32_t value) { write({window(), true, offset, value}); }

void JobDriver::write(const gpu::RegisterAccess& access) {
  if (device_.access_register(access).error == gpu::RegisterError::kNone) return;
  throw base::InputError(text_of(access) + " refuses the value " + std::to_string(access.value),
                         "a value that the block's register map allows");
}

void JobDriver::post(const std::optional<gpu::RegisterAccess>& access) {
  if (access) device_.post_register(*access);
}

unsigned JobDriver::window() const {
  if (judged()) return control_->window();
  throw base::InputError("this device has no job scheduler and so no register window",
                         "a machine with a block that schedules jobs");
}

}  // namespace castor::runtime
