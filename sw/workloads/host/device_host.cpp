#include "workloads/host/device_host.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/occupancy.h"

namespace castor::workloads {
namespace {

// Addresses of the engine's registers (docs/blocks/lax.md, "Registers").
constexpr std::uint32_t kProfile = 0x4000, kProfileStride = 32;
constexpr std::uint32_t kLastCompletions = 0x08, kLastInstanceTime = 0x10;  // offsets in a profile entry
constexpr std::uint32_t kState = 0x0800, kStateStride = 4;
constexpr std::uint32_t kJob = 0x8000, kJobStride = 128, kJobLaxity = 0x14;
constexpr unsigned kReady = 2, kRunning = 3;

constexpr std::uint64_t kLook = ~std::uint64_t{0};  // tag of the timer that samples the registers

// Returns the shortest deadline in whole nanoseconds that is at least `cycles`.
std::uint64_t deadline_ns(Cycle cycles, std::uint64_t kilohertz) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{cycles} * 1'000'000 + kilohertz - 1) / kilohertz);
}

}  // namespace

DeviceHost::DeviceHost(gpu::TimingDevice& device, const gpu::ReplayFile& file, const JobStream& stream,
                       Scheduler& scheduler)
    : device_(device),
      stream_(stream),
      scheduler_(scheduler),
      clock_(base::kilohertz(device.machine().clock.core_mhz)),
      driver_(std::make_unique<runtime::JobDriver>(device)),
      host_(std::make_unique<runtime::SimulatedHost>(device, *driver_, static_cast<runtime::HostScheduler&>(*this))) {
  const gpu::Machine& machine = device.machine();
  std::vector<gpu::ProgramHandle> programs;
  for (const gpu::ReplayType& type : file.types()) {
    programs.push_back(device.load(type.program));
    const gpu::Occupancy fit = gpu::occupancy(machine, {type.threads, type.registers, type.shared});
    if (fit.tbs_per_sm == 0) throw base::InputError("kernel " + type.name + " fits on no SM of " + machine.name);
    slots_.push_back(std::uint64_t{fit.tbs_per_sm} * machine.chip.sms);
    kids_.push_back(driver_->kid_of(programs.back(), type.threads));
    if (!driver_->judged()) continue;
    // Isolated time per TB in 24.8 bits: time of the usual launch running alone, divided by its number of TBs.
    const std::uint64_t rounds = (type.tbs + slots_.back() - 1) / slots_.back();
    const std::uint64_t tpw = rounds * (std::uint64_t{type.service.a} << 8U) / type.tbs;
    driver_->set_isolated_time(kids_.back(),
                               static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tpw, 1, 0xffff'ffff)));
  }
  // Configuring the engine took simulated time: cycle 0 of the stream is after the configuration.
  origin_ = device.gpu().host_cycle();
  for (const Job& job : stream.jobs) {
    runtime::HostJob out;
    out.arrival = clock_.time_of(job.arrival + origin_);
    if (job.deadline != Job::kNoDeadline) out.deadline_ns = deadline_ns(job.deadline, clock_.kilohertz());
    for (const KernelCall& call : job.kernels) {
      gpu::KernelPacket packet = gpu::ReplayFile::packet(file.types()[call.type], programs[call.type]);
      packet.grid = {call.tbs, 1, 1};
      out.kernels.push_back(std::move(packet));
    }
    static_cast<void>(host_->add(std::move(out)));
  }
}

DeviceHost::~DeviceHost() = default;

RunOutcome DeviceHost::run() {
  if (look_every_ != 0) set_timer(look_every_, kLook);
  const gpu::Outcome end = host_->run();
  if (end != gpu::Outcome::kDone) {
    throw base::Error("the device stopped before all jobs were over" +
                      (device_.fault() ? ": " + device_.fault()->message : std::string()));
  }
  RunOutcome out;
  out.cycles = device_.gpu().now() - origin_;
  for (JobIndex i = 0; i < stream_.jobs.size(); ++i) {
    const runtime::HostJobResult& result = host_->result(i);
    JobOutcome job;
    if (result.end == runtime::HostJobResult::End::kDone) {
      job.end = JobOutcome::End::kDone;
      job.finished = clock_.first_at_or_after(result.finished) - origin_;
    } else if (result.end == runtime::HostJobResult::End::kRejected) {
      job.end = JobOutcome::End::kRejected;
    }
    for (std::size_t kernel = 0; kernel < result.kernels_done; ++kernel) {
      job.tbs += stream_.jobs[i].kernels[kernel].tbs;
    }
    out.jobs.push_back(job);
  }
  if (look_every_ != 0) take_running_times();
  return out;
}

// --- Observing ------------------------------------------------------------------------------------------------------

void DeviceHost::observe(Cycle period, unsigned stride) {
  CASTOR_ASSERT(driver_->judged() && period != 0 && stride != 0);
  look_every_ = period;
  stride_ = stride;
  observed_.resize(stream_.jobs.size());
}

// Predicts the job's time in its kernels, assuming that TBs keep completing at the current rate. A kernel of n TBs
// takes n x (time of all instances / completions). Returns 0 if a kernel type has no completions yet.
Cycle DeviceHost::predict(JobIndex job) {
  std::vector<std::uint64_t> tpw(stream_.types.size());
  std::uint64_t sum = 0;
  for (const KernelCall& call : stream_.jobs[job].kernels) {
    if (tpw[call.type] == 0) {
      const std::uint32_t entry = kProfile + kProfileStride * kids_[call.type];
      const std::uint64_t completions = driver_->read_register(entry + kLastCompletions);
      if (completions == 0) return 0;
      tpw[call.type] = (std::uint64_t{driver_->read_register(entry + kLastInstanceTime)} << 8U) / completions;
    }
    sum += tpw[call.type] * call.tbs;
  }
  return sum >> 8U;
}

void DeviceHost::look() {
  bool open = false;
  for (JobIndex job = 0; job < stream_.jobs.size(); ++job) {
    open = open || host_->result(job).end == runtime::HostJobResult::End::kOpen;
    const auto queue = host_->queue_of(job);
    if (job % stride_ != 0 || !queue) continue;
    const std::uint32_t word = driver_->read_register(kState + kStateStride * *queue);
    if ((word & 7U) != kReady && (word & 7U) != kRunning) continue;
    View view;
    view.at = now();
    view.cls = word >> 3U & 3U;
    view.laxity = static_cast<std::int32_t>(driver_->read_register(kJob + kJobStride * *queue + kJobLaxity));
    observed_[job].views.push_back(view);
  }
  if (open) set_timer(now() + look_every_, kLook);
}

// Copies the running times of jobs from the device's records. The device numbers jobs in the order of submission, which
// is the order of the stream.
void DeviceHost::take_running_times() {
  std::vector<const gpu::JobRecord*> records;
  for (const gpu::JobRecord& record : device_.gpu().front_end().job_records()) {
    if (record.ticket != 0) records.push_back(&record);
  }
  std::sort(records.begin(), records.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  // A job was submitted in several parts, or some jobs were never submitted
  if (records.size() != observed_.size()) return;
  for (std::size_t i = 0; i < records.size(); ++i) observed_[i].running = records[i]->running;
}

Cycle DeviceHost::now() const { return clock_.first_at_or_after(host_->now()) - origin_; }

std::size_t DeviceHost::kernels_done(JobIndex job) const { return host_->result(job).kernels_done; }

std::uint32_t DeviceHost::measured_tpw(unsigned type) const {
  return driver_->judged() ? driver_->read_register(kProfile + kProfileStride * kids_[type]) : 0;
}

// --- Callbacks ------------------------------------------------------------------------------------------------------

void DeviceHost::on_arrival(runtime::SimulatedHost& /*host*/, runtime::JobId job) {
  if (look_every_ != 0) observed_[job].predicted = predict(job);
  scheduler_.on_arrival(*this, job);
}

void DeviceHost::on_kernel_done(runtime::SimulatedHost& /*host*/, runtime::JobId job, std::size_t /*kernel*/) {
  scheduler_.on_kernel_done(*this, job);
}

void DeviceHost::on_job_end(runtime::SimulatedHost& /*host*/, runtime::JobId job) { scheduler_.on_job_end(*this, job); }

void DeviceHost::on_timer(runtime::SimulatedHost& /*host*/, std::uint64_t tag) {
  if (tag == kLook) return look();
  scheduler_.on_timer(*this, tag);
}

// --- Actions --------------------------------------------------------------------------------------------------------

void DeviceHost::submit(JobIndex job) { host_->submit_job(job); }

void DeviceHost::launch(JobIndex job, Cycle delay) {
  const std::size_t kernel = kernels_done(job);
  host_->after(clock_.time_of(delay), [this, job, kernel] { host_->launch_kernel(job, kernel); });
}

void DeviceHost::launch_merged(const std::vector<JobIndex>& jobs, Cycle delay) {
  std::vector<std::pair<runtime::JobId, std::size_t>> kernels;
  kernels.reserve(jobs.size());
  for (const JobIndex job : jobs) kernels.emplace_back(job, kernels_done(job));
  host_->after(clock_.time_of(delay), [this, kernels] { host_->launch_merged(kernels); });
}

void DeviceHost::reject(JobIndex job) { host_->reject(job); }

void DeviceHost::set_priority(JobIndex job, std::uint32_t value, Cycle delay) {
  if (delay == 0) {
    host_->set_priority(job, value);
  } else {
    host_->after(clock_.time_of(delay), [this, job, value] { host_->set_priority(job, value); });
  }
}

void DeviceHost::set_timer(Cycle at, std::uint64_t tag) { host_->set_timer(clock_.time_of(at + origin_), tag); }

}  // namespace castor::workloads
