// Tests of jobs in the front end: JOB packets, inputs of a job scheduler, verdicts, appends, errors, registers.
// Expected cycles come from docs/gpu/jobs.md, "Jobs", and docs/gpu/front-end.md, "Parsing".
#include <cstring>

#include "castor/gpu/front_end/launch_descriptor.h"
#include "castor/gpu/job_record.h"
#include "gpu_front_end_support.h"

namespace castor::gpu::gpu_front_end_jobs_test {
namespace {

using test::load;
using test::Logged;
using test::Rig;

constexpr Cycle kSubmit = 10;
constexpr unsigned kLatency = 50;  // of parsing
constexpr unsigned kWindow = 3;

Machine machine(const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys = {"parse.latency=50", "parse.select_scan=0"};
  keys.insert(keys.end(), more.begin(), more.end());
  return load(keys, "gcn_apu");
}

/// Job scheduler that accepts announcements, answers after a delay, picks round robin, and reports the end of a job one
/// cycle after its last kernel.
class Judge final : public JobScheduler {
 public:
  void attach(const HookSite& /*site*/) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override {
    if (!pending.empty() || !ends.empty()) return 0;
    return drop_at == kForever ? kForever : drop_at - std::min(drop_at, next);
  }
  void idle(Cycle n) override {
    EXPECT_LE(n, quiet());
    next += n;
  }
  [[nodiscard]] int window() const override { return kWindow; }
  [[nodiscard]] bool judges() const override { return true; }

  const JobOut& settle(const JobIn& in) override {
    out = {};
    out.beat_ready = in.now >= ready_from;
    for (std::size_t j = 1; j <= kMaxQueues && out.pick < 0; ++j) {
      const std::size_t queue = (last + j) % kMaxQueues;
      if ((*in.eligible)[queue]) out.pick = static_cast<int>(queue);
    }
    if (!pending.empty() && pending.front().first <= in.now) out.verdict = pending.front().second;
    dropping = !out.verdict && drop_at <= in.now;
    if (dropping) out.verdict = drop;
    if (!ends.empty() && ends.front().first < in.now) out.end = ends.front().second;
    if (in.ev.reg) out.reg = RegisterReply{in.ev.reg->offset == 4 ? RegisterError::kNone : RegisterError::kRefused, 77};
    return out;
  }
  void clock(const JobIn& in) override {
    next = in.now + 1;
    if (in.granted >= 0) last = static_cast<std::size_t>(in.granted);
    if (dropping) {
      drop_at = kForever;
    } else if (out.verdict) {
      pending.erase(pending.begin());
    }
    if (out.end) ends.erase(ends.begin());
    if (in.ev.completed) {
      completed.push_back(*in.ev.completed);
      const auto queue = in.ev.completed->queue;
      if (in.ev.completed->queue_empty) {
        live[queue] = false;
        ends.push_back({in.now, {queue, met, 5}});
      }
    }
    if (in.beat && out.beat_ready) take(*in.beat, in.now);
    if (in.ev.reg) accesses.push_back(*in.ev.reg);
  }

  std::vector<JobBeat> beats;
  std::vector<Cycle> beat_cycles;
  std::vector<RegisterAccess> accesses;
  std::vector<KernelEvent> completed;
  std::function<Verdict(const JobBeat& header)> answer;
  Cycle delay = 3, ready_from = 0;
  bool met = true;
  std::vector<std::pair<Cycle, Verdict>> pending;
  QueueMask live;            ///< queues whose job was accepted and has not ended
  Cycle drop_at = kForever;  ///< cycle of a verdict without a request
  Verdict drop;

 private:
  void take(const JobBeat& beat, Cycle now) {
    beats.push_back(beat);
    beat_cycles.push_back(now);
    if (beat.header) header = beat;
    if (beat.header ? beat.kernel_types != 0 : !beat.last) return;
    Verdict verdict;
    if (header.append && !live[header.queue]) {
      verdict = {0, false, 7, 0};
    } else if (answer) {
      verdict = answer(header);
    }
    verdict.queue = header.queue;
    if (verdict.accept) live[header.queue] = true;
    pending.push_back({now + delay, verdict});
  }
  Cycle next = 0;
  bool dropping = false;
  std::size_t last = kMaxQueues - 1;
  JobBeat header;
  std::vector<std::pair<Cycle, JobEnd>> ends;
  JobOut out;
};

class JobRig {
 public:
  explicit JobRig(const Machine& m, Judge* judge = nullptr, bool every_cycle = false, std::uint64_t shuffle = 0) {
    Rig::Options options;
    options.every_cycle = every_cycle;
    options.shuffle = shuffle;
    options.hooks.job_scheduler = judge;
    rig = std::make_unique<Rig>(m, options);
    program = rig->program("k");
    signals = *rig->store.allocate(4096, AllocationKind::kPool, "signals");
  }
  [[nodiscard]] JobPacket job(unsigned slot, std::vector<JobElement> list, unsigned kernels) const {
    JobPacket packet;
    packet.id = 100 + slot;
    packet.deadline = 1'000'000;
    packet.list = std::move(list);
    packet.kernels = static_cast<std::uint16_t>(kernels);
    packet.signal = signals + 8 * slot;
    return packet;
  }
  [[nodiscard]] KernelPacket kernel(std::uint8_t kid, std::uint32_t tbs) const {
    KernelPacket packet = Rig::kernel(program, tbs, 64);
    packet.kid = kid;
    return packet;
  }
  [[nodiscard]] JobSignal signal(unsigned slot) const {
    std::uint64_t word = 0;
    std::memcpy(&word, rig->store.host(signals + 8 * slot), sizeof word);
    return JobSignal::of(word);
  }
  [[nodiscard]] std::size_t placed(Ticket ticket) const {
    const auto all = rig->log.of("placed");
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const Logged& one) { return one.a == ticket; }));
  }

  std::unique_ptr<Rig> rig;
  ProgramHandle program = 0;
  std::uint64_t signals = 0;
};

std::uint32_t word_of(const PacketImage& image, unsigned index) {
  std::uint32_t word = 0;
  std::memcpy(&word, image.data() + 4 * index, 4);
  return word;
}

TEST(JobPackets, HaveTheDocumentedSixteenWords) {
  JobPacket job;
  job.append = true;
  job.id = 0xabcd1234;
  job.deadline = 450000;
  job.kernels = 0x0107;
  job.start = 0x123456789abcULL;
  job.list = {{5, 0x00fffffe}, {63, 1}, {0, 77}};
  job.signal = 0x1'0000'4008ULL;
  const PacketImage image = encode(job);
  EXPECT_EQ(word_of(image, 0) >> 16 & 0xff, 0x4aU);
  EXPECT_EQ(word_of(image, 0) >> 24 & 0xf, 3U);
  EXPECT_EQ(word_of(image, 0) >> 28, 1U);  // append
  EXPECT_EQ(word_of(image, 1), 0xabcd1234U);
  EXPECT_EQ(word_of(image, 2), 450000U);
  EXPECT_EQ(word_of(image, 3), 0x0107U);
  EXPECT_EQ(word_of(image, 4), 0x56789abcU);
  EXPECT_EQ(word_of(image, 5), 0x1234U);
  EXPECT_EQ(word_of(image, 6), 0x05fffffeU);
  EXPECT_EQ(word_of(image, 7), 0x3f000001U);
  EXPECT_EQ(word_of(image, 8), 0x0000004dU);
  for (unsigned unused = 9; unused < 14; ++unused) EXPECT_EQ(word_of(image, unused), 0U);
  EXPECT_EQ(word_of(image, 14), 0x00004008U);
  EXPECT_EQ(word_of(image, 15), 1U);

  const JobPacket again = decode_job(image.data());
  EXPECT_EQ(again.id, job.id);
  EXPECT_EQ(again.start, job.start);
  EXPECT_EQ(again.list.size(), 3U);
  EXPECT_EQ(again.list[1].kid, 63);
  EXPECT_EQ(again.list[0].tbs, 0xfffffeU);
  EXPECT_TRUE(again.append);
  EXPECT_FALSE(again.best_effort);
}

TEST(Jobs, WithoutASchedulerAreAcceptedAtTheEndOfTheirSlot) {
  JobRig unit(machine());
  Rig& rig = *unit.rig;
  rig.submit(2, unit.job(0, {{1, 4}}, 1), kSubmit);
  const Ticket kernel = rig.submit(2, unit.kernel(1, 4), kSubmit);
  rig.run();
  // The slot is visible from the cycle after the doorbell on and takes `parse.latency` cycles. The kernel is visible
  // one cycle later.
  const Cycle slot_end = kSubmit + 1 + kLatency;
  EXPECT_EQ(rig.log.cycle("granted", kernel), slot_end + 1);
  EXPECT_EQ(rig.log.cycle("written", kernel), slot_end + 1 + kLatency);
  EXPECT_EQ(unit.placed(kernel), 4U);
  const JobSignal end = unit.signal(0);
  EXPECT_EQ(end.status, JobStatus::kDone);
  EXPECT_EQ(end.value, rig.log.cycle("completed", kernel) - kSubmit);
  ASSERT_EQ(rig.front_end->job_records().size(), 1U);
  const JobRecord& record = rig.front_end->job_records()[0];
  EXPECT_EQ(record.id, 100U);
  EXPECT_EQ(record.judged, slot_end);
  EXPECT_EQ(record.start, kSubmit);
  EXPECT_EQ(record.done, rig.log.cycle("completed", kernel));
  EXPECT_EQ(record.tbs, 4U);
  EXPECT_TRUE(record.met);
}

TEST(Jobs, ThatEndBehindTheirDeadlineAreLate) {
  JobRig unit(machine());
  JobPacket packet = unit.job(0, {{1, 1}}, 1);
  packet.deadline = 120;  // shorter than two slots and the service time
  unit.rig->submit(0, packet, kSubmit);
  unit.rig->submit(0, unit.kernel(1, 1), kSubmit);
  unit.rig->run();
  EXPECT_EQ(unit.signal(0).status, JobStatus::kDoneLate);
  EXPECT_FALSE(unit.rig->front_end->job_records()[0].met);
  EXPECT_EQ(unit.rig->statistic("front_end.jobs_ended"), 1U);
  EXPECT_EQ(unit.rig->statistic("front_end.jobs_met"), 0U);
}

TEST(Jobs, TakeOneLaneSlotEach) {
  JobRig unit(machine({"parse.lanes=1"}));
  std::vector<Ticket> kernels;
  for (unsigned queue = 0; queue < 3; ++queue) {
    unit.rig->submit(queue, unit.job(queue, {{1, 1}}, 1), kSubmit);
    kernels.push_back(unit.rig->submit(queue, unit.kernel(1, 1), kSubmit));
  }
  unit.rig->run();
  EXPECT_EQ(unit.rig->statistic("front_end.inspections"), 3U);
  // With one lane, three announcements precede the first kernel. A lane freed in cycle c is granted from c + 1 on.
  const Cycle first = kSubmit + 1 + 3 * (kLatency + 1);
  EXPECT_EQ(unit.rig->log.cycle("granted", kernels[0]), first);
  EXPECT_EQ(unit.rig->log.cycle("granted", kernels[1]), first + kLatency + 1);
}

TEST(Jobs, AreAnnouncedBeatByBeat) {
  Judge judge;
  judge.ready_from = 60;  // no announcement is accepted before
  JobRig unit(machine(), &judge);
  JobPacket packet = unit.job(0, {{7, 100}, {9, 3}}, 2);
  packet.start = 4321;
  unit.rig->submit(5, packet, kSubmit);
  unit.rig->submit(5, unit.kernel(7, 100), kSubmit);
  unit.rig->submit(5, unit.kernel(9, 3), kSubmit);
  unit.rig->run();
  ASSERT_EQ(judge.beats.size(), 3U);
  const JobBeat& header = judge.beats[0];
  EXPECT_TRUE(header.header);
  EXPECT_EQ(header.queue, 5);
  EXPECT_EQ(header.deadline, 1'000'000U);
  EXPECT_EQ(header.start, 4321U);
  EXPECT_EQ(header.kernel_types, 2);
  EXPECT_FALSE(header.append);
  EXPECT_FALSE(header.own);
  EXPECT_TRUE(header.fits);  // 100 TBs of one warp; 8 SMs hold 40 each
  EXPECT_EQ(judge.beats[1].kid, 7);
  EXPECT_EQ(judge.beats[1].groups, 100U);
  EXPECT_FALSE(judge.beats[1].last);
  EXPECT_EQ(judge.beats[2].kid, 9);
  EXPECT_TRUE(judge.beats[2].last);
  EXPECT_EQ(judge.beat_cycles, (std::vector<Cycle>{60, 61, 62}));
  ASSERT_EQ(judge.completed.size(), 2U);
  EXPECT_FALSE(judge.completed[0].queue_empty);
  EXPECT_TRUE(judge.completed[1].queue_empty);
  EXPECT_EQ(judge.completed[0].kid, 7);
  EXPECT_EQ(unit.signal(0).status, JobStatus::kDone);
  EXPECT_EQ(unit.signal(0).value, 5U);  // value that the scheduler reports
}

TEST(Jobs, WhoseFirstKernelDoesNotFitEntirelySaySo) {
  Judge judge;
  JobRig unit(machine(), &judge);
  unit.rig->submit(0, unit.job(0, {{7, 321}}, 1), kSubmit);
  unit.rig->submit(0, unit.kernel(7, 321), kSubmit);  // 8 SMs hold 40 TBs of one warp each
  unit.rig->submit(1, unit.job(1, {{7, 320}}, 1), kSubmit);
  unit.rig->submit(1, unit.kernel(7, 320), kSubmit);
  unit.rig->run();
  ASSERT_GE(judge.beats.size(), 3U);
  EXPECT_FALSE(judge.beats[0].fits);
  EXPECT_TRUE(judge.beats[2].fits);
}

TEST(Jobs, WaitForAVerdictBehindTheirSlot) {
  Judge judge;
  judge.delay = 500;
  JobRig unit(machine(), &judge);
  unit.rig->submit(0, unit.job(0, {{7, 1}}, 1), kSubmit);
  const Ticket kernel = unit.rig->submit(0, unit.kernel(7, 1), kSubmit);
  unit.rig->run();
  EXPECT_EQ(unit.rig->log.cycle("granted", kernel), judge.beat_cycles.back() + 501);
}

TEST(Jobs, ThatAreRefusedAreDiscarded) {
  Judge judge;
  judge.answer = [](const JobBeat& header) { return Verdict{0, header.queue != 1, 1, 999}; };
  JobRig unit(machine(), &judge);
  Rig& rig = *unit.rig;
  rig.front_end->host().collect_notices(true);
  rig.submit(1, unit.job(1, {{7, 3}}, 2), kSubmit);
  const Ticket first = rig.submit(1, unit.kernel(7, 2), kSubmit);
  const Ticket second = rig.submit(1, unit.kernel(7, 1), kSubmit);
  rig.submit(1, EventRecordPacket{9, 1}, kSubmit);
  rig.submit(2, unit.job(2, {{7, 1}}, 1), kSubmit);
  rig.submit(2, EventWaitPacket{9, 1}, kSubmit);  // in the queue of the refused job: it does not block other queues
  const Ticket other = rig.submit(2, unit.kernel(7, 1), kSubmit);
  rig.run();
  EXPECT_EQ(unit.placed(first) + unit.placed(second), 0U);
  EXPECT_EQ(unit.placed(other), 1U);
  EXPECT_TRUE(rig.front_end->host().shown(first) && rig.front_end->host().shown(second));
  EXPECT_EQ(unit.signal(1).status, JobStatus::kRejected);
  EXPECT_EQ(unit.signal(1).reason, 1);
  EXPECT_EQ(unit.signal(1).value, 999U);
  EXPECT_EQ(unit.signal(2).status, JobStatus::kDone);
  EXPECT_EQ(rig.statistic("front_end.kernels_discarded"), 2U);
  unsigned discarded = 0;
  for (const Notice& notice : rig.front_end->host().take_notices()) discarded += notice.discarded ? 1 : 0;
  EXPECT_EQ(discarded, 2U);
}

TEST(Jobs, AppendsAreAnnouncedWhileTheJobRuns) {
  Judge judge;
  JobRig unit(machine(), &judge);
  Rig& rig = *unit.rig;
  rig.service = 2000;
  rig.submit(3, unit.job(0, {{7, 1}}, 1), kSubmit);
  rig.submit(3, unit.kernel(7, 1), kSubmit);
  JobPacket more = unit.job(1, {{8, 2}}, 1);
  more.append = true;
  rig.submit(3, more, 400);  // the first kernel runs
  const Ticket added = rig.submit(3, unit.kernel(8, 2), 400);
  rig.run();
  ASSERT_EQ(judge.beats.size(), 4U);
  EXPECT_TRUE(judge.beats[2].append);
  EXPECT_LT(judge.beat_cycles[2], 500U);
  ASSERT_EQ(judge.completed.size(), 2U);
  EXPECT_FALSE(judge.completed[0].queue_empty);
  EXPECT_TRUE(judge.completed[1].queue_empty);
  EXPECT_EQ(unit.placed(added), 2U);
  EXPECT_EQ(unit.signal(1).status, JobStatus::kAccepted);
  EXPECT_EQ(unit.signal(0).status, JobStatus::kDone);
  EXPECT_EQ(rig.statistic("front_end.jobs_ended"), 1U);
}

// The last kernel ends in every cycle around the announcement of an append: the job ends once, and the append is either
// part of it or refused with its kernels.
TEST(Jobs, AppendsRaceWithTheEndOfTheirJob) {
  unsigned accepted = 0, late = 0;
  for (Cycle service = 150; service < 330; service += 3) {
    Judge judge;
    judge.delay = 1;
    JobRig unit(machine(), &judge);
    Rig& rig = *unit.rig;
    rig.service = service;
    rig.submit(3, unit.job(0, {{7, 1}}, 1), kSubmit);
    rig.submit(3, unit.kernel(7, 1), kSubmit);
    JobPacket more = unit.job(1, {{8, 2}}, 1);
    more.append = true;
    rig.submit(3, more, 300);
    const Ticket added = rig.submit(3, unit.kernel(8, 2), 300);
    rig.run();
    ASSERT_TRUE(rig.front_end->idle()) << "service " << service << "\n" << rig.front_end->waiting();
    EXPECT_EQ(unit.signal(0).status, JobStatus::kDone);
    EXPECT_EQ(rig.statistic("front_end.jobs_ended"), 1U);
    const bool in_time = unit.signal(1).status == JobStatus::kAccepted;
    EXPECT_TRUE(in_time || unit.signal(1).status == JobStatus::kRejected);
    EXPECT_EQ(unit.placed(added), in_time ? 2U : 0U) << service;
    ++(in_time ? accepted : late);
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_GT(late, 0U);
}

TEST(Jobs, ThatAreGivenUpLaterAreDropped) {
  Judge judge;
  JobRig unit(machine({"parse.latency=200"}), &judge);
  Rig& rig = *unit.rig;
  rig.submit(4, unit.job(0, {{7, 2}}, 2), kSubmit);
  const Ticket first = rig.submit(4, unit.kernel(7, 1), kSubmit);
  const Ticket second = rig.submit(4, unit.kernel(7, 1), kSubmit);
  judge.drop_at = 300;  // the first kernel is being parsed
  judge.drop = {4, false, 2, 0};
  rig.run();
  EXPECT_TRUE(rig.front_end->idle()) << rig.front_end->waiting();
  EXPECT_EQ(unit.placed(first) + unit.placed(second), 0U);
  EXPECT_EQ(unit.signal(0).status, JobStatus::kRejected);
  EXPECT_EQ(unit.signal(0).reason, 2);
  EXPECT_EQ(rig.statistic("front_end.kernels_discarded"), 1U);
}

TEST(Jobs, InvalidPacketsStopTheirQueueAndReachNoScheduler) {
  for (const bool no_signal : {false, true}) {
    Judge judge;
    JobRig unit(machine(), &judge);
    Rig& rig = *unit.rig;
    JobPacket bad = unit.job(0, {{7, 1}}, 1);
    if (no_signal) {
      bad.signal = 0;
    } else {
      bad.subtype = 0x4b;
    }
    rig.submit(6, bad, kSubmit);
    const Ticket kernel = rig.submit(6, unit.kernel(7, 1), kSubmit);
    rig.submit(6, unit.job(2, {{7, 1}}, 1), 5000);
    rig.submit(7, unit.job(1, {{7, 1}}, 1), kSubmit);
    rig.submit(7, unit.kernel(7, 1), kSubmit);
    rig.run();
    EXPECT_TRUE(rig.front_end->idle());
    EXPECT_EQ(unit.placed(kernel), 0U);
    EXPECT_EQ(unit.signal(0).status, no_signal ? JobStatus::kPending : JobStatus::kError);
    EXPECT_EQ(unit.signal(1).status, JobStatus::kDone);
    EXPECT_EQ(unit.signal(2).status, JobStatus::kPending);  // the queue stays in error
    ASSERT_EQ(judge.beats.size(), 2U);
    EXPECT_EQ(judge.beats[0].queue, 7);
    EXPECT_EQ(rig.statistic("front_end.queue_errors"), 1U);
  }
}

TEST(Jobs, KernelsThatNobodyAnnouncedAreAnnouncedByTheFrontEnd) {
  Judge judge;
  JobRig unit(machine(), &judge);
  Rig& rig = *unit.rig;
  rig.submit(0, unit.kernel(3, 5), kSubmit);
  rig.submit(0, unit.kernel(4, 1), kSubmit);
  rig.submit(0, unit.kernel(3, 2), kSubmit);
  rig.run();
  ASSERT_EQ(judge.beats.size(), 3U);
  EXPECT_TRUE(judge.beats[0].own);
  EXPECT_EQ(judge.beats[0].deadline, JobPacket::kNoDeadline);
  EXPECT_EQ(judge.beats[0].start, kSubmit);
  EXPECT_EQ(judge.beats[1].groups, 7U);
  EXPECT_EQ(judge.beats[2].groups, 1U);
  EXPECT_EQ(rig.statistic("front_end.kernels_completed"), 3U);
  EXPECT_EQ(rig.statistic("front_end.inspections"), 1U);
}

TEST(Jobs, OwnAnnouncementsThatAreRefusedAreRepeatedAfterARegisterAccess) {
  Judge judge;
  bool enabled = false;
  judge.answer = [&](const JobBeat& /*header*/) { return Verdict{0, enabled, 7, 0}; };
  JobRig unit(machine(), &judge);
  Rig& rig = *unit.rig;
  const Ticket kernel = rig.submit(0, unit.kernel(3, 5), kSubmit);
  rig.run(5000);
  EXPECT_EQ(rig.statistic("front_end.inspections"), 1U);
  EXPECT_EQ(unit.placed(kernel), 0U);
  enabled = true;
  rig.now = 5000;
  rig.front_end->access_register({kWindow, true, 4, 1}, 5000, false);
  rig.run();
  EXPECT_EQ(unit.placed(kernel), 5U);
}

TEST(Jobs, WalkedQueuesNeedNoList) {
  Judge judge;
  JobRig unit(machine({"inspect=walk"}), &judge);
  unit.rig->submit(0, unit.job(0, {}, 3), kSubmit);
  unit.rig->submit(0, unit.kernel(2, 10), kSubmit);
  unit.rig->submit(0, unit.kernel(6, 4), kSubmit);
  unit.rig->submit(0, unit.kernel(2, 1), kSubmit);
  unit.rig->run();
  ASSERT_EQ(judge.beats.size(), 3U);
  EXPECT_EQ(judge.beats[0].kernel_types, 2);
  EXPECT_EQ(judge.beats[1].kid, 2);
  EXPECT_EQ(judge.beats[1].groups, 11U);
  EXPECT_EQ(judge.beats[2].kid, 6);
  EXPECT_EQ(judge.beats[2].groups, 4U);
  EXPECT_EQ(unit.signal(0).status, JobStatus::kDone);
}

TEST(Jobs, OnMachinesWithoutAnInspectorTakeNoLane) {
  JobRig unit(load({"parse.latency=50"}));
  unit.rig->submit(0, unit.job(0, {{2, 3}}, 1), kSubmit);
  const Ticket kernel = unit.rig->submit(0, unit.kernel(2, 3), kSubmit);
  unit.rig->run();
  EXPECT_EQ(unit.rig->statistic("front_end.inspections"), 0U);
  EXPECT_EQ(unit.rig->log.cycle("granted", kernel), kSubmit + 2);
  EXPECT_EQ(unit.signal(0).status, JobStatus::kDone);
}

TEST(Registers, AreServedInOrderByTheHookOfTheirWindow) {
  Judge judge;
  JobRig unit(machine(), &judge);
  FrontEnd& front_end = *unit.rig->front_end;
  const auto read = front_end.access_register({kWindow, false, 4, 0}, 20, true);
  front_end.access_register({kWindow, true, 8, 55}, 20, false);
  const auto nobody = front_end.access_register({kWindow + 1, false, 4, 0}, 20, true);
  unit.rig->run_until([] { return false; }, 40);
  ASSERT_EQ(judge.accesses.size(), 2U);
  EXPECT_EQ(judge.accesses[0].offset, 4U);
  EXPECT_EQ(judge.accesses[1].value, 55U);
  const auto reply = front_end.register_reply(read);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->error, RegisterError::kNone);
  EXPECT_EQ(reply->value, 77U);
  EXPECT_FALSE(front_end.register_reply(read).has_value());
  EXPECT_EQ(front_end.register_reply(nobody).value_or(RegisterReply{}).error, RegisterError::kNoBlock);
  EXPECT_EQ(unit.rig->statistic("front_end.register_errors"), 2U);
}

// Random jobs, appends, refusals and kernels without a job: the same events whether the front end sleeps or not, and in
// any order of units.
TEST(Jobs, DoNotDependOnSleepingOrOrder) {
  const auto run = [](bool scheduled, bool every_cycle, std::uint64_t shuffle) {
    Judge judge;
    judge.answer = [](const JobBeat& header) {
      return Verdict{0, header.append || header.own || header.start % 5 != 0, 1, 3};
    };
    judge.delay = 70;
    JobRig unit(machine({"parse.select_scan=16"}), scheduled ? &judge : nullptr, every_cycle, shuffle);
    Rig& rig = *unit.rig;
    base::Xoshiro256 random(5);
    Cycle visible = kSubmit;
    for (unsigned i = 0; i < 60; ++i) {
      visible += random.below(150);
      const auto queue = static_cast<unsigned>(random.below(7));
      const auto kernels = 1 + static_cast<unsigned>(random.below(3));
      const auto tbs = 1 + static_cast<std::uint32_t>(random.below(30));
      if (random.below(5) != 0) {
        JobPacket packet = unit.job(i, {{1, kernels * tbs}}, kernels);
        packet.append = random.below(4) == 0;
        rig.submit(queue, packet, visible);
      } else if (!scheduled) {
        continue;
      }
      for (unsigned k = 0; k < kernels; ++k) rig.submit(queue, unit.kernel(1, tbs), visible);
    }
    rig.run();
    EXPECT_TRUE(rig.front_end->idle()) << rig.front_end->waiting();
    for (unsigned i = 0; i < 60; ++i) {
      const std::uint64_t word = unit.signal(i).word();
      rig.log.add({"signal", 0, i, word, 0});
    }
    std::sort(rig.log.events.begin(), rig.log.events.end());
    return std::make_pair(rig.log.events, rig.statistics());
  };
  for (const bool scheduled : {false, true}) {
    const auto base = run(scheduled, false, 0);
    EXPECT_GT(base.first.size(), 500U);
    EXPECT_EQ(base, run(scheduled, true, 0));
    EXPECT_EQ(base, run(scheduled, false, 17));
    EXPECT_EQ(base, run(scheduled, true, 18));
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_jobs_test
