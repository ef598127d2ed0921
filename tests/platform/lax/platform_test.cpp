// The laxity engine plugged into the GPU: admission, order, ends, appends, errors, and that a machine without it equals
// one with the engine in round robin (docs/gpu/jobs.md, "Laxity engine", "Jobs"; docs/blocks/lax.md).
#include <sstream>

#include "castor/base/error.h"
#include "castor/lax/register_map.h"
#include "platform/lax/rig.h"

namespace castor::lax_test {
namespace {

using runtime::HostJob;
using runtime::HostJobResult;
using runtime::JobDriver;
using runtime::SimulatedHost;

constexpr std::uint64_t kCycle = 2;  // nanoseconds for three core cycles are two
[[nodiscard]] std::uint64_t ns(std::uint64_t cycles) { return (cycles * kCycle + 2) / 3; }
[[nodiscard]] base::Picoseconds ps(std::uint64_t cycles) { return base::Clock(base::kilohertz(1500)).time_of(cycles); }

const std::vector<std::string> kEngine = {"blocks.lax.enable=1"};
[[nodiscard]] std::vector<std::string> engine(const std::vector<std::string>& more) {
  std::vector<std::string> all = kEngine;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const char* const kKernels = R"(
kernel short
  threads 64
  registers 16
  tbs 8
  service constant 2000
kernel wide
  threads 256
  registers 32
  tbs 64
  service exponential 9000
kernel slow
  threads 64
  registers 16
  tbs 1
  service constant 40000
)";

TEST(LaxPlatform, JobsRunInOrderAndEndOnce) {
  Rig rig(kKernels, engine({}));
  const auto stream = rig.driver->create(ns(900'000));
  rig.driver->enqueue(stream, rig.kernel("short", 8));
  rig.driver->enqueue(stream, rig.kernel("wide", 20));
  const auto tickets = rig.driver->submit(stream);
  ASSERT_EQ(tickets.size(), 2U);
  EXPECT_EQ(rig.driver->poll(stream).status, JobStatus::kPending);
  ASSERT_EQ(rig.device->advance_until(tickets[1]), gpu::Outcome::kDone);
  rig.drain();
  EXPECT_EQ(rig.driver->poll(stream).status, JobStatus::kDone);
  ASSERT_EQ(rig.jobs().size(), 1U);
  const JobRecord& job = rig.jobs()[0];
  EXPECT_TRUE(job.accepted);
  EXPECT_EQ(job.kernels, 2U);
  EXPECT_EQ(job.tbs, 28U);
  EXPECT_LT(job.judged, job.first_tb);
  // The slot of the announcement, then that of the first kernel, each 3000 cycles and at most two passes of the scan.
  EXPECT_GE(job.first_tb, job.start + 6000);
  EXPECT_LE(job.first_tb, job.start + 6000 + 40);
  namespace reg = lax::reg;
  EXPECT_EQ(rig.driver->read_register(reg::kCounters), 1U);          // submissions
  EXPECT_EQ(rig.driver->read_register(reg::kCounters + 0x0c), 1U);   // done
  EXPECT_EQ(rig.driver->read_register(reg::kCounters + 0x1c), 28U);  // TBs
  EXPECT_EQ(rig.driver->read_register(reg::kErrStat), 0U);
  EXPECT_EQ(rig.driver->read_register(reg::kQState + 4 * rig.driver->queue(stream)), 0U) << "acknowledged by the poll";
}

TEST(LaxPlatform, RejectsJobWhoseDeadlineCannotBeMet) {
  Rig rig(kKernels, engine({}));
  namespace reg = lax::reg;
  const auto kid = rig.driver->kid_of(rig.kernel("short", 1).program, 64);
  // The rate is preset: 1000 cycles per TB.
  rig.driver->write_register(reg::kKpt + reg::kKptStride * kid, 1000 << 8);
  const auto tight = rig.driver->create(ns(60'000)), wide = rig.driver->create(ns(160'000));
  for (const auto stream : {tight, wide}) rig.driver->enqueue(stream, rig.kernel("short", 100));
  const auto refused = rig.driver->submit(tight), run = rig.driver->submit(wide);
  ASSERT_EQ(rig.device->advance_until(run[0]), gpu::Outcome::kDone);
  rig.drain();
  const gpu::JobSignal verdict = rig.driver->poll(tight);
  EXPECT_EQ(verdict.status, JobStatus::kRejected);
  EXPECT_EQ(verdict.reason, 1);
  EXPECT_GE(verdict.value, 100'000U);  // service time, and the time until the verdict
  EXPECT_LE(verdict.value, 100'000U + 3000);
  EXPECT_TRUE(rig.device->complete(refused[0]));
  EXPECT_EQ(rig.recorder.tbs(refused[0]), 0U);
  EXPECT_EQ(rig.recorder.tbs(run[0]), 100U);
  EXPECT_EQ(rig.driver->poll(wide).status, JobStatus::kDone);
  // The queue accepts another job.
  rig.driver->enqueue(tight, rig.kernel("short", 10));
  const auto again = rig.driver->submit(tight);
  ASSERT_EQ(rig.device->advance_until(again[0]), gpu::Outcome::kDone);
  rig.drain();
  EXPECT_EQ(rig.driver->poll(tight).status, JobStatus::kDone);
}

// Runs three jobs on a machine with one slot: one holds the slot, two wait. The later one of these has less time left.
// Returns true if it ends first.
bool urgent_first(const std::string& policy) {
  Rig rig(kKernels, engine({"chip.sms=1", "sm.tb_slots=1", "sm.tb_contexts=1", "blocks.lax.admit=0",
                            "blocks.lax.update_period=4000", "blocks.lax.policy=" + policy}));
  SubmitAll submit;
  SimulatedHost host(*rig.device, *rig.driver, submit);
  HostJob job;
  job.deadline_ns = ns(10'000'000);
  job.kernels = {rig.kernel("slow", 1)};
  host.add(job);
  job.arrival = ps(5000);
  const auto relaxed = host.add(job);
  job.arrival = ps(6000);
  job.deadline_ns = ns(200'000);
  const auto urgent = host.add(job);
  EXPECT_EQ(host.run(), gpu::Outcome::kDone);
  EXPECT_TRUE(host.result(relaxed).met);
  EXPECT_TRUE(host.result(urgent).met);
  return host.result(urgent).finished < host.result(relaxed).finished;
}
TEST(LaxPlatform, TheJobWithTheLeastLaxityRunsFirst) { EXPECT_TRUE(urgent_first("lax")); }
TEST(LaxPlatform, TheEarliestDeadlineRunsFirstUnderEdf) { EXPECT_TRUE(urgent_first("edf")); }
TEST(LaxPlatform, RoundRobinKnowsNoDeadlines) { EXPECT_FALSE(urgent_first("rr")); }
TEST(LaxPlatform, FirstComeFirstServedKnowsNoDeadlines) { EXPECT_FALSE(urgent_first("fcfs")); }

// The host ranks the jobs: the later one is more urgent.
TEST(LaxPlatform, PrioritiesOfTheHostDecideUnderExt) {
  Rig rig(kKernels,
          engine({"chip.sms=1", "sm.tb_slots=1", "sm.tb_contexts=1", "blocks.lax.admit=0", "blocks.lax.policy=ext"}));
  class Ranking final : public runtime::HostScheduler {
   public:
    void on_arrival(SimulatedHost& host, runtime::JobId job) override { host.submit_job(job); }
    void on_verdict(SimulatedHost& host, runtime::JobId job, bool accepted) override {
      EXPECT_TRUE(accepted);
      host.set_priority(job, 100 - job);
    }
  };
  Ranking ranking;
  SimulatedHost host(*rig.device, *rig.driver, ranking);
  HostJob job;
  job.kernels = {rig.kernel("slow", 1)};
  for (unsigned i = 0; i < 4; ++i) {
    job.arrival = ps(i * 100);
    host.add(job);
  }
  ASSERT_EQ(host.run(), gpu::Outcome::kDone);
  // The first job has the slot when the others arrive. The last one goes next.
  EXPECT_LT(host.result(0).finished, host.result(3).finished);
  EXPECT_LT(host.result(3).finished, host.result(2).finished);
  EXPECT_LT(host.result(2).finished, host.result(1).finished);
}

// --- Without the engine ---------------------------------------------------------------------------------------------

// Runs jobs of all shapes at random times, including appends. Returns all events of kernels and TBs as text.
std::string random_jobs(const std::vector<std::string>& keys, std::uint64_t seed, unsigned jobs = 60) {
  Rig rig(kKernels, keys);
  SubmitAll submit;
  SimulatedHost host(*rig.device, *rig.driver, submit);
  base::Xoshiro256 random(seed);
  std::uint64_t at = 0;
  for (unsigned i = 0; i < jobs; ++i) {
    at += random.below(12'000);
    HostJob job;
    job.arrival = ps(at);
    job.deadline_ns = random.below(4) == 0 ? JobDriver::kNoDeadline : ns(20'000 + random.below(400'000));
    const auto kernels = 1 + random.below(4);
    for (std::uint64_t k = 0; k < kernels; ++k) {
      const char* const types[] = {"short", "wide", "slow"};
      job.kernels.push_back(rig.kernel(types[random.below(3)], 1 + static_cast<std::uint32_t>(random.below(150))));
    }
    host.add(std::move(job));
  }
  EXPECT_EQ(host.run(), gpu::Outcome::kDone);
  rig.drain();
  std::string text;
  for (const Recorder::Event& event : rig.recorder.events) {
    for (const std::uint64_t number : event) text += std::to_string(number) + " ";
    text += "\n";
  }
  for (const JobRecord& job : rig.jobs()) {
    text += "job " + std::to_string(job.queue) + " " + std::to_string(job.start) + " " + std::to_string(job.judged) +
            " " + std::to_string(job.first_tb) + " " + std::to_string(job.done) + " " + std::to_string(job.met) + " " +
            std::to_string(job.running) + " " + std::to_string(job.tbs) + "\n";
  }
  for (unsigned i = 0; i < host.jobs(); ++i) {
    text += std::to_string(host.result(i).finished) + (host.result(i).met ? " met\n" : " late\n");
  }
  EXPECT_EQ(rig.jobs().size(), jobs);
  return text;
}

// Returns the first line that differs in each text, or an empty string.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string x, y;
  for (unsigned line = 1;; ++line) {
    const bool more_left = static_cast<bool>(std::getline(left, x)),
               more_right = static_cast<bool>(std::getline(right, y));
    if (!more_left && !more_right) return {};
    if (more_left != more_right || x != y) return "line " + std::to_string(line) + ": " + x + " | " + y;
  }
}

const std::vector<std::string> kScan = {"parse.select_scan=16", "dispatch.select_scan=16"};

TEST(LaxPlatform, RoundRobinOfTheMachineEqualsTheEngineInPolicyRr) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::string machine = in_process([&] { return random_jobs(kScan, seed); });
    std::vector<std::string> keys = engine(kScan);
    keys.emplace_back("blocks.lax.policy=rr");
    const std::string with_engine = in_process([&] { return random_jobs(keys, seed); });
    EXPECT_GT(machine.size(), 100'000U);
    EXPECT_EQ(difference(machine, with_engine), "") << "seed " << seed;
  }
}

TEST(LaxPlatform, RunsDoNotDependOnSleepingOrOnTheOrderOfUnits) {
  for (const char* const policy : {"lax", "mlfq"}) {
    const auto run = [&](const std::string& more) {
      std::vector<std::string> keys = engine({"blocks.lax.policy=" + std::string(policy)});
      if (!more.empty()) keys.push_back(more);
      return in_process([&] { return random_jobs(keys, 7, 10); });
    };
    const std::string base = run("");
    EXPECT_GT(base.size(), 5'000U);
    EXPECT_EQ(difference(base, run("run.sleep=0")), "") << policy;
    EXPECT_EQ(difference(base, run("run.shuffle=1")), "") << policy;
  }
}

#ifdef CASTOR_HAS_RTL_LAX
TEST(LaxPlatform, ModelRtlAndLockstepGiveTheSameCycles) {
  const auto run = [](const std::string& twin) {
    return in_process([&] { return random_jobs(engine({"blocks.lax.engine=" + twin}), 11, 20); });
  };
  const std::string model = run("model");
  EXPECT_GT(model.size(), 10'000U);
  EXPECT_EQ(difference(model, run("rtl")), "");
  EXPECT_EQ(difference(model, run("lockstep")), "");
}
#endif

// --- The worked example of the engine's document, with the platform's own delays -------------------------------------

// Runs the worked example: two slots, no parse time, six kernels of one TB each. A free slot goes to the kernel that is
// already parsed, so both policies act like the example's round robin. Starts differ from the example by less than 100
// cycles per TB, by which its bench offers slots late.
void worked_example(const std::string& policy, bool admit) {
  std::string kernels;
  const unsigned services[] = {20'000, 50'000, 25'000, 65'000, 10'000, 90'000};
  for (unsigned i = 0; i < 6; ++i) {
    kernels += "kernel k" + std::to_string(i) + "\n threads 64\n registers 16\n tbs 1\n service constant " +
               std::to_string(services[i]) + "\n";
  }
  Rig rig(kernels,
          engine({"chip.sms=2", "sm.tb_slots=1", "sm.tb_contexts=1", "parse.latency=0", "blocks.lax.update_period=7000",
                  "blocks.lax.policy=" + policy, std::string("blocks.lax.admit=") + (admit ? "1" : "0")}));
  namespace reg = lax::reg;
  for (unsigned i = 0; i < 6; ++i) {
    const auto kid = rig.driver->kid_of(rig.kernel("k" + std::to_string(i), 1).program, 64);
    rig.driver->write_register(reg::kKpt + reg::kKptStride * kid, services[i] << 8);
  }
  SubmitAll submit;
  SimulatedHost host(*rig.device, *rig.driver, submit);
  const base::Picoseconds zero = rig.device->now() + ps(10);
  const std::uint64_t arrivals[] = {0, 0, 10'000}, deadlines[] = {100'000, 170'000, 130'000};
  for (unsigned j = 0; j < 3; ++j) {
    HostJob job;
    job.arrival = zero + ps(arrivals[j]);
    job.deadline_ns = ns(deadlines[j]);
    job.kernels = {rig.kernel("k" + std::to_string(2 * j), 1), rig.kernel("k" + std::to_string(2 * j + 1), 1)};
    host.add(job);
  }
  ASSERT_EQ(host.run(), gpu::Outcome::kDone);
  const base::Clock clock(base::kilohertz(1500));
  const auto end = [&](unsigned job) {
    return static_cast<double>(clock.first_at_or_after(host.result(job).finished) - clock.first_at_or_after(zero));
  };
  if (admit) {
    EXPECT_NEAR(end(0), 70'122, 500);
    EXPECT_NEAR(end(1), 90'131, 500);
    EXPECT_EQ(host.result(2).end, HostJobResult::End::kRejected);
    EXPECT_NEAR(host.result(2).estimate, 260'018, 300);
    return;
  }
  EXPECT_NEAR(end(0), 75'127, 500);
  EXPECT_NEAR(end(1), 95'219, 500);
  EXPECT_NEAR(end(2), 165'228, 700);
  EXPECT_TRUE(host.result(0).met && host.result(1).met);
  EXPECT_FALSE(host.result(2).met);
}
TEST(LaxPlatform, WorkedExampleInRoundRobin) { worked_example("rr", false); }
TEST(LaxPlatform, WorkedExampleByLaxityWhereFreeSlotsGoToParsedKernels) { worked_example("lax", false); }
TEST(LaxPlatform, WorkedExampleWithAdmissionRefusesTheThirdJob) { worked_example("lax", true); }

// --- Driver ---------------------------------------------------------------------------------------------------------

TEST(LaxPlatform, WorkAddedToARunningJobIsPartOfIt) {
  Rig rig(kKernels, engine({}));
  const auto stream = rig.driver->create(ns(2'000'000));
  rig.driver->enqueue(stream, rig.kernel("slow", 1));
  const auto first = rig.driver->submit(stream);
  ASSERT_EQ(rig.device->advance_to(ps(20'000)), gpu::Outcome::kDone);  // it runs
  EXPECT_EQ(rig.driver->poll(stream).status, JobStatus::kAccepted);
  rig.driver->enqueue(stream, rig.kernel("short", 3));
  const auto added = rig.driver->submit(stream);
  ASSERT_EQ(rig.device->advance_until(added[0]), gpu::Outcome::kDone);
  rig.drain();
  EXPECT_EQ(rig.driver->poll(stream).status, JobStatus::kDone);
  ASSERT_EQ(rig.jobs().size(), 1U);
  EXPECT_EQ(rig.jobs()[0].kernels, 2U);
  EXPECT_EQ(rig.jobs()[0].tbs, 4U);
}

TEST(LaxPlatform, WorkAddedTooLateBecomesAJobOfItsOwn) {
  Rig rig(kKernels, engine({}));
  const auto stream = rig.driver->create(ns(500'000));
  rig.driver->enqueue(stream, rig.kernel("short", 1));
  const auto first = rig.driver->submit(stream);
  // The first job ends while the addition waits for the slot of its announcement.
  ASSERT_EQ(rig.device->advance_to(ps(6000 + 2000)), gpu::Outcome::kDone);
  rig.driver->enqueue(stream, rig.kernel("short", 5));
  const auto added = rig.driver->submit(stream);
  ASSERT_EQ(added.size(), 1U);
  std::uint64_t rounds = 0;
  while (rig.driver->busy(stream) && ++rounds < 1000) {
    ASSERT_EQ(rig.device->advance_to(rig.device->now() + ps(1000)), gpu::Outcome::kDone);
    static_cast<void>(rig.driver->poll(stream));
  }
  EXPECT_EQ(rig.driver->poll(stream).status, JobStatus::kDone);
  std::uint64_t tbs = 0;
  for (const JobRecord& job : rig.jobs()) tbs += job.tbs;
  EXPECT_EQ(tbs, 6U);
  EXPECT_EQ(rig.jobs().size(), 2U);
}

TEST(LaxPlatform, KernelTypesAreGivenAwayWhenAllAreTaken) {
  Rig rig(
      "kernel a\n threads 64\n registers 16\n tbs 1\n service constant 100\n"
      "kernel b\n threads 64\n registers 16\n tbs 1\n service constant 100\n"
      "kernel c\n threads 64\n registers 16\n tbs 1\n service constant 100\n",
      engine({"blocks.lax.num_kt=2"}));
  const auto a = rig.driver->kid_of(rig.kernel("a", 1).program, 64);
  const auto b = rig.driver->kid_of(rig.kernel("b", 1).program, 64);
  EXPECT_NE(a, b);
  EXPECT_EQ(rig.driver->kid_of(rig.kernel("a", 1).program, 64), a);
  namespace reg = lax::reg;
  rig.driver->write_register(reg::kKpt + reg::kKptStride * b, 500 << 8);
  EXPECT_EQ(rig.driver->kid_of(rig.kernel("c", 1).program, 64), b) << "the least recently used";
  EXPECT_EQ(rig.driver->read_register(reg::kKpt + reg::kKptStride * b), 0U) << "its profile is cleared";
}

TEST(LaxPlatform, KernelsWithoutAJobRunAndFreeTheirQueue) {
  Rig rig(kKernels, engine({}));
  std::vector<Ticket> tickets;
  for (unsigned i = 0; i < 3; ++i) {
    tickets.push_back(rig.device->submit(5, rig.kernel("short", 4)));
    ASSERT_EQ(rig.device->advance_until(tickets.back()), gpu::Outcome::kDone);
    rig.drain();
    ASSERT_EQ(rig.device->advance_to(rig.device->now() + ps(1000)), gpu::Outcome::kDone);
    EXPECT_EQ(rig.driver->read_register(lax::reg::kQState + 4 * 5), 0U) << "acknowledged by the adapter";
  }
  EXPECT_EQ(rig.driver->read_register(lax::reg::kErrStat), 0U);
}

TEST(LaxPlatform, ResetForgetsAllJobs) {
  Rig rig(kKernels, engine({}));
  const auto stream = rig.driver->create(ns(2'000'000));
  rig.driver->enqueue(stream, rig.kernel("slow", 500));
  static_cast<void>(rig.driver->submit(stream));
  ASSERT_EQ(rig.device->advance_to(ps(30'000)), gpu::Outcome::kDone);
  rig.device->reset();
  rig.driver = std::make_unique<JobDriver>(*rig.device);
  for (unsigned q = 0; q < 8; ++q) EXPECT_EQ(rig.driver->read_register(lax::reg::kQState + 4 * q), 0U);
  const auto again = rig.driver->create(ns(2'000'000));
  rig.driver->enqueue(again, rig.kernel("short", 5));
  const auto tickets = rig.driver->submit(again);
  ASSERT_EQ(rig.device->advance_until(tickets[0]), gpu::Outcome::kDone);
  rig.drain();
  EXPECT_EQ(rig.driver->poll(again).status, JobStatus::kDone);
}

TEST(LaxPlatform, AccessesThatTheEngineRefusesAreErrors) {
  Rig rig(kKernels, engine({}));
  namespace reg = lax::reg;
  EXPECT_THROW(rig.driver->write_register(reg::kId, 1), base::InputError);               // read-only
  EXPECT_THROW(rig.driver->write_register(reg::kUpdPeriod, 999), base::InputError);      // too short
  EXPECT_THROW(static_cast<void>(rig.driver->read_register(0x0074)), base::InputError);  // unmapped
  EXPECT_EQ(rig.driver->read_register(reg::kId), reg::kIdValue);
  EXPECT_EQ(rig.driver->read_register(reg::kParseLat), 3000U);
  EXPECT_EQ(rig.driver->read_register(reg::kUpdPeriod), 150'000U);
}

// --- Configuration --------------------------------------------------------------------------------------------------

std::string refusal(const std::vector<std::string>& keys, const std::string& machine = "gcn_apu") {
  try {
    gpu::TimingDevice::Options options;
    platforms::plug_blocks(platforms::load_machine(machine, keys), options);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(LaxPlatform, BadParametersAreNamed) {
  EXPECT_NE(refusal(engine({"blocks.lax.sel_width=3"})).find("SelWidth"), std::string::npos);
  EXPECT_NE(refusal(engine({"queue.count=100"})).find("NumQueues"), std::string::npos);
  EXPECT_NE(refusal(engine({"blocks.lax.prema_p=2"})).find("blocks.lax.prema_p"), std::string::npos);
  EXPECT_NE(refusal({"blocks.mias.enable=1"}).find("mias"), std::string::npos);
  EXPECT_NE(refusal(engine({}), "kepler_k20c_study").find("inspect"), std::string::npos);
  EXPECT_EQ(refusal(engine({})), "");
}

#ifdef CASTOR_HAS_RTL_LAX
TEST(LaxPlatform, RtlIsThereAtValuesThatNoSetHas) {
  EXPECT_EQ(refusal(engine({"blocks.lax.engine=rtl", "queue.count=8", "parse.lanes=2", "blocks.lax.max_kt=2",
                            "blocks.lax.num_kt=7", "blocks.lax.sel_width=2", "blocks.lax.vq_depth=4"})),
            "");
}
#endif

}  // namespace
}  // namespace castor::lax_test
