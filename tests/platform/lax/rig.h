#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/job_record.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/replay/replay_file.h"
#include "castor/gpu/timing_device.h"
#include "platforms/blocks.h"
#include "platforms/machines.h"
#include "runtime/job_driver.h"
#include "runtime/simulated_host.h"

// A device whose SMs replay, with or without the laxity engine, and the driver of jobs beside it.
namespace castor::lax_test {

using gpu::Cycle;
using gpu::JobRecord;
using gpu::JobStatus;
using gpu::Ticket;

/// Every event of kernels and TBs: what, cycle, ticket or queue, number, SM.
class Recorder final : public gpu::Observer {
 public:
  using Event = std::array<std::uint64_t, 5>;
  void tb_placed(const Tb& e) override { events.push_back({0, e.cycle, e.kernel->ticket, e.gid, e.sm}); }
  void kernel_granted(const Kernel& e) override { events.push_back({1, e.cycle, e.ticket, e.queue, e.entry}); }
  void kernel_written(const Kernel& e) override { events.push_back({2, e.cycle, e.ticket, e.queue, e.entry}); }
  void kernel_completed(const Kernel& e) override { events.push_back({3, e.cycle, e.ticket, e.queue, e.entry}); }

  /// Returns the cycle in which the first TB of a kernel was placed; 0 if none was.
  [[nodiscard]] Cycle first_tb(Ticket ticket) const {
    for (const Event& event : events) {
      if (event[0] == 0 && event[2] == ticket) return event[1];
    }
    return 0;
  }
  [[nodiscard]] std::size_t tbs(Ticket ticket) const {
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [&](const Event& event) { return event[0] == 0 && event[2] == ticket; }));
  }
  std::vector<Event> events;
};

class Rig {
 public:
  Rig(const std::string& kernels, const std::vector<std::string>& overrides, const std::string& name = "gcn_apu_replay")
      : file(gpu::ReplayFile::parse("castor-replay 1\n" + kernels, "services.txt")) {
    const platforms::LoadedMachine loaded = platforms::load_machine(name, overrides);
    gpu::TimingDevice::Options options;
    platforms::plug_blocks(loaded, options);
    options.gpu.replay = &file;
    options.gpu.observer = &recorder;
    device = std::make_unique<gpu::TimingDevice>(loaded.machine, std::move(options));
    driver = std::make_unique<runtime::JobDriver>(*device);
  }
  [[nodiscard]] gpu::KernelPacket kernel(const std::string& type, std::uint32_t tbs) {
    const gpu::ReplayType& kind = file.type(type);
    const auto index = static_cast<std::size_t>(file.find(type));
    handles.resize(file.types().size());
    if (!handles[index].second) handles[index] = {device->load(kind.program), true};
    gpu::KernelPacket packet = gpu::ReplayFile::packet(kind, handles[index].first);
    packet.grid = {tbs, 1, 1};
    return packet;
  }
  [[nodiscard]] const std::vector<JobRecord>& jobs() const { return device->gpu().front_end().job_records(); }
  /// Lets the device run until no work is in flight.
  void drain() {
    for (int i = 0; i < 100000 && !device->gpu().front_end().idle(); ++i) {
      ASSERT_EQ(device->advance_to(device->now() + 1'000'000), gpu::Outcome::kDone);
    }
  }

  gpu::ReplayFile file;
  Recorder recorder;
  std::unique_ptr<gpu::TimingDevice> device;
  std::unique_ptr<runtime::JobDriver> driver;
  std::vector<std::pair<gpu::ProgramHandle, bool>> handles;
};

/// Returns the result of `work`, run in a new process, because SystemC elaborates once per process.
inline std::string in_process(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string text;
    try {
      text = work();
    } catch (const std::exception& error) {
      text = std::string("failed: ") + error.what();
    }
    if (::testing::Test::HasFailure()) text += "failed";
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(ends[1], text.data() + done, text.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 65536> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text.find("failed"), std::string::npos) << text.substr(text.find("failed"), 1000);
  return text;
}

/// Host scheduler that submits every job at its arrival.
class SubmitAll : public runtime::HostScheduler {
 public:
  void on_arrival(runtime::SimulatedHost& host, runtime::JobId job) override { host.submit_job(job); }
};

}  // namespace castor::lax_test
