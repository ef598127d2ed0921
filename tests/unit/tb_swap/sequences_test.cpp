#include "tb/tb_swap/sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "castor/tb_swap/engine.h"
#include "tb/tb_swap/cover/simultaneous_points.h"
#include "tests/common/sanitized.h"
#include "unit/tb_swap/parameter_sets.h"

// The stimulus keeps its promises: the contract of the block's inputs, values that fit, the same run for the same seed.

namespace castor::tb_swap::tb::sequences_test {
namespace {

using castor::tb::SequenceInfo;

/// Runs `cycles` cycles; `watch(cycle, in, out, restarted)` sees each: inputs of the edge, outputs, and whether the
/// block has been reset before.
template <class Watch>
void run(Sequence& sequence, const Params& params, unsigned cycles, Watch watch) {
  Engine engine(params);
  Inputs in;
  sequence.begin(in);
  bool restarted = true;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    if (sequence.over()) {
      engine.reset();
      in = {};
      sequence.begin(in);
      restarted = true;
    }
    twin::make_idle<Block>(in, params);
    sequence.drive(in);
    const Outputs out = engine.settle(in);
    sequence.react(in, out);
    watch(cycle, in, out, restarted);
    if (testing::Test::HasFatalFailure()) return;
    restarted = false;
    engine.clock(in);
  }
}

/// The contract of the surroundings, rule by rule.
class Contract {
 public:
  explicit Contract(const Params& params) : params_(params) {}

  void restart() {
    const Params params = params_;
    *this = Contract(params);
  }
  void see(const Inputs& in, const Outputs& out) {
    if (in.cfg_valid != 0) return start(in);
    if (!started_) {
      ASSERT_EQ(in.site_valid + in.ro_valid + in.job_valid, 0) << "before a kernel";
      return;
    }
    EXPECT_EQ(in.sm_id, kernel_.sm_id);
    if (in.site_valid != 0) {
      EXPECT_TRUE(busy_.empty() && in.job_valid == 0) << "a site is written while a job is there";
    }
    segment(in);
    loads(in, out);
    images(in, out);
    if (out.enter_valid != 0 && in.enter_ready != 0) enter(out);
    job(in, out);
  }

 private:
  void start(const Inputs& in) {
    EXPECT_TRUE(busy_.empty()) << "a kernel starts while a job is there";
    const auto within = [](unsigned value, unsigned least, unsigned most) { return value >= least && value <= most; };
    EXPECT_TRUE(within(in.cfg_warps, 1, 32) && within(in.cfg_regs, 1, params_.NumRegs) && in.cfg_simt >= 1);
    EXPECT_TRUE(within(in.cfg_slots, 1, params_.MaxTb));
    EXPECT_TRUE(within(in.cfg_rhomes, in.cfg_slots, params_.NumHomes));
    EXPECT_TRUE(within(in.cfg_shomes, in.cfg_slots, params_.NumHomes));
    EXPECT_LE(in.cfg_in_place + in.cfg_copies, int(params_.NumPlaces));
    EXPECT_LE(in.cfg_direction, 2);
    EXPECT_GE(in.cfg_threshold, 8);
    if (in.cfg_direction == 1) {
      EXPECT_LE(in.cfg_simt + in.cfg_warps * in.cfg_regs, 4096) << "longer than a place";
    }
    restart();
    started_ = true;
    kernel_ = in;
  }

  void segment(const Inputs& in) {
    if (in.ro_valid == 0 || in.ro_index >= params_.RoSegs) return;
    const bool back = restoring_.count(in.ro_slot) != 0;
    EXPECT_TRUE(busy_.count(in.ro_slot) == 0 || back) << "a segment of a thread block that moves";
    EXPECT_LT(in.ro_slot, kernel_.cfg_slots);
    auto& table = segments_[in.ro_slot];
    table.erase(in.ro_index);
    if (in.ro_lines == 0) return;
    EXPECT_LE(in.ro_first + in.ro_lines, kernel_.cfg_smem);
    for (const auto& [index, other] : table) {
      EXPECT_TRUE(in.ro_first + in.ro_lines <= other.first || other.second <= in.ro_first) << "segments overlap";
    }
    table[in.ro_index] = {in.ro_first, in.ro_first + in.ro_lines};
  }

  void loads(const Inputs& in, const Outputs& out) {
    if (in.load_done != 0) {
      ASSERT_FALSE(outstanding_.empty()) << "a load is performed that has not been accepted";
      restoring_.erase(outstanding_.front());
      outstanding_.erase(outstanding_.begin());
    }
    if (out.access_valid == 0 || in.access_ready == 0 || out.access_store != 0) return;
    const bool simt = out.access_type == AccessType::kSimt;
    if (simt && out.access_line == 0) {
      restoring_.insert(out.access_slot);
      segments_[out.access_slot].clear();
    }
    // The number of a context stands for the last SIMT line of its thread block.
    outstanding_.push_back(simt && out.access_line + 1U == kernel_.cfg_simt ? int(out.access_slot) : -1);
  }

  void images(const Inputs& in, const Outputs& out) {
    if (out.page_request == 0 || in.page_valid == 0) return;
    const U64 lines = kernel_.cfg_simt + U64{kernel_.cfg_warps} * kernel_.cfg_regs + kernel_.cfg_smem;
    EXPECT_LE(in.page_address + lines, U64{1} << 33U);
    const auto next = images_.lower_bound(in.page_address);
    EXPECT_TRUE(next == images_.end() || *next >= in.page_address + lines) << "images overlap";
    EXPECT_TRUE(next == images_.begin() || *std::prev(next) + lines <= in.page_address) << "images overlap";
    images_.insert(in.page_address);
  }

  void enter(const Outputs& out) {
    busy_.erase(out.enter_slot);
    if (out.enter_new != 0) segments_[out.enter_slot].clear();
    if (out.enter_free != 0) images_.erase(out.enter_address);
  }

  void job(const Inputs& in, const Outputs& out) {
    if (waits_) {
      EXPECT_TRUE(in.job_valid != 0 && in.job_slot == job_.job_slot && in.job_gid == job_.job_gid &&
                  in.job_entry == job_.job_entry)
          << "a job changes while it waits";
    }
    waits_ = in.job_valid != 0 && out.job_ready == 0;
    job_ = in;
    if (in.job_valid == 0 || waits_) return;
    EXPECT_LT(in.job_slot, kernel_.cfg_slots);
    EXPECT_TRUE(busy_.insert(in.job_slot).second) << "two jobs for one context";
  }

  Params params_;
  bool started_ = false, waits_ = false;
  Inputs kernel_, job_;
  std::set<unsigned> busy_;       // contexts with a job
  std::set<int> restoring_;       // contexts whose table may be written as SIMT lines are loaded
  std::vector<int> outstanding_;  // loads; a context for a last SIMT line, else -1
  std::map<unsigned, std::map<unsigned, std::pair<int, int>>> segments_;
  std::set<U64> images_;
};

class TbSwapSequences : public testing::TestWithParam<test::ParameterSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, TbSwapSequences, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(TbSwapSequences, ContractIsKeptWherePromised) {
  const Params& params = GetParam().params;
  for (const SequenceInfo& info : sequences().infos()) {
    if (!info.keeps_contract) continue;
    for (std::uint64_t seed = 1; seed <= (info.name == "random" ? unless_sanitized(6U, 2U) : 1U); ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      Contract contract(params);
      const auto sequence = sequences().make(info.name, params, seed);
      run(*sequence, params, unless_sanitized(4000U, 1000U),
          [&](unsigned cycle, const Inputs& in, const Outputs& out, bool restarted) {
            SCOPED_TRACE("cycle " + std::to_string(cycle));
            if (restarted) contract.restart();
            contract.see(in, out);
          });
      if (HasFailure()) return;
    }
  }
}

TEST_P(TbSwapSequences, InputsFitTheirPorts) {
  const Params& params = GetParam().params;
  for (const SequenceInfo& info : sequences().infos()) {
    SCOPED_TRACE(info.name);
    const auto sequence = sequences().make(info.name, params, 3);
    run(*sequence, params, 800, [&](unsigned cycle, const Inputs& in, const Outputs&, bool) {
      Block::each_input(
          [&](const twin::Port& port, auto member, auto) {
            const auto& field = in.*member;
            using Field = std::decay_t<decltype(field)>;
            if constexpr (twin::is_bits<Field>) {
              ASSERT_TRUE(field.without(Field::ones(port.shape.bits)).none()) << port.name << ", cycle " << cycle;
            } else {
              ASSERT_EQ(field & ~twin::mask(port.shape.bits), 0U) << port.name << ", cycle " << cycle;
            }
          },
          params);
    });
    if (HasFatalFailure()) return;
  }
}

/// Returns a digest of the inputs of a run.
std::uint64_t digest(std::string_view name, const Params& params, std::uint64_t seed) {
  const auto sequence = sequences().make(name, params, seed);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto fold = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3ULL; };
  run(*sequence, params, 500, [&](unsigned, const Inputs& in, const Outputs&, bool) {
    Block::each_input(
        [&](const twin::Port&, auto member, auto) {
          const auto& field = in.*member;
          if constexpr (twin::is_bits<std::decay_t<decltype(field)>>) {
            fold(field.word(0));
          } else {
            fold(field);
          }
        },
        params);
  });
  return hash;
}

TEST_P(TbSwapSequences, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
  for (const SequenceInfo& info : sequences().infos()) {
    const std::uint64_t first = digest(info.name, GetParam().params, 7);
    EXPECT_EQ(first, digest(info.name, GetParam().params, 7)) << info.name;
    EXPECT_NE(first, digest(info.name, GetParam().params, 8)) << info.name;
  }
}

// Kernels end and new ones begin: nothing hangs.
TEST_P(TbSwapSequences, KernelsComeToTheirEnd) {
  const Params& params = GetParam().params;
  for (const char* name : {"busy", "exchanges", "to_memory", "throttled", "read_only", "last_store_waits"}) {
    const auto sequence = sequences().make(name, params, 1);
    unsigned kernels = 0;
    run(*sequence, params, 40'000, [&](unsigned, const Inputs& in, const Outputs&, bool) { kernels += in.cfg_valid; });
    EXPECT_GT(kernels, 2U) << name;
  }
}

TEST(TbSwapSequence, EveryProbeIsInATableOfSimultaneousEventsOrHasAReason) {
  EXPECT_THAT((castor::tb::forgotten_registers<Block, Edge>(SimultaneousPoints::rows(), SimultaneousPoints::alone())),
              testing::IsEmpty());
}

}  // namespace
}  // namespace castor::tb_swap::tb::sequences_test
