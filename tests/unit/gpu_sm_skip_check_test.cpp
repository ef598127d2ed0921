// Tests of check.skips: values that warps skip or read because of a fetch filter are compared with those that they
// would have computed themselves.
#include "gpu_sm_filter_support.h"

namespace castor::gpu::gpu_sm_skip_check_test {
namespace {

using test::kThreads;
using test::kUniform;
using test::marked;
using test::Rig;
using test::Sharing;

const char* const kEnd = "add.u32 %r9, %r8, %r10; add.u32 %r9, %r9, %r4; st.global.u32 [%rd4+256], %r9; ret;";
// Every warp diverges: values computed before must be copied to its own registers.
const char* const kDiverge = R"(
    and.b32 %r11, %r10, 1; setp.eq.u32 %p0, %r11, 0;
    @%p0 bra EVEN;
    add.u32 %r9, %r8, %r3; bra DONE;
  EVEN:
    add.u32 %r9, %r5, %r6;
  DONE:
    add.u32 %r9, %r9, %r4; st.global.u32 [%rd4+256], %r9; ret;)";

/// Runs a block of 128 threads with the check; `edit` changes marks.
struct Checked {
  explicit Checked(
      Sharing& filter, const std::string& body,
      const std::function<void(isa::Program&)>& edit = [](isa::Program& /*program*/) {})
      : rig(test::machine("pascal_titanx_study", {"icache.ideal=1", "check.skips=1"}), hooks(filter)) {
    const std::uint64_t out = rig.store->allocate(4096, AllocationKind::kHeap).value();
    std::memset(rig.store->host(out), 0, 4096);
    const std::uint32_t input[] = {1000, 0, 7, 3, 11, 12, 13, 14};
    std::memcpy(rig.store->host(out), input, sizeof input);
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &out, 8);
    const std::shared_ptr<isa::Program> program = marked(*rig.load(body, {1}, {kThreads}).program);
    edit(*program);
    test::Kernel& kernel = rig.hold(program, {1}, {kThreads}, 0, parameters);
    kernel.context.fit = 2;
    rig.start(kernel);
    EXPECT_TRUE(rig.run(1)) << rig.sm.waiting();
    for (unsigned i = 0; i < 5; ++i) rig.cycle();
  }
  static SmHooks hooks(FetchFilter& filter) {
    SmHooks result;
    result.fetch_filter = &filter;
    return result;
  }
  [[nodiscard]] std::uint64_t checked() const {
    return rig.sm.mechanism<FilterUnit>()->counters().of_entry(0).checked_skips;
  }
  /// Returns the message of the only fault, which must come from the check.
  [[nodiscard]] std::string fault() const {
    if (rig.faults.empty()) return "no fault";
    EXPECT_EQ(rig.faults.front().kind, FaultKind::kWrongSkip);
    EXPECT_EQ(rig.faults.front().kernel, "k");
    return rig.faults.front().message;
  }
  Rig rig;
};

TEST(SkipCheck, SaysNothingOfAFilterThatIsRight) {
  for (const std::string body : {kEnd, kDiverge}) {
    Sharing filter;
    const Checked run(filter, kUniform + body);
    EXPECT_TRUE(run.rig.faults.empty()) << run.fault();
    EXPECT_GT(filter.skips, 20U);
    EXPECT_EQ(run.checked(), filter.skips);
    EXPECT_EQ(run.rig.sm.mechanism<FilterUnit>()->counters().of_entry(0).copies, filter.copies);
    EXPECT_EQ(run.rig.sm.mechanism<FilterUnit>()->counters().of_entry(0).tbs_with_pool, 1U);
  }
}

// tid.x is not the same in all warps of a block of one dimension.
TEST(SkipCheck, FindsAResultThatIsTheLeadersOnly) {
  Sharing filter;
  const Checked wrong(filter, std::string(kUniform) + kEnd, [](isa::Program& program) {
    for (std::uint32_t pc = 0; pc < program.spellings.size(); ++pc) {
      if (program.spellings[pc].find("%tid.x") != std::string::npos) program.marks[pc] = 2;
    }
  });
  EXPECT_THAT(wrong.fault(),
              testing::MatchesRegex(
                  "check\\.skips: record [0-9]+ of warp [1-3] \\(SM 0, slot [1-3], cycle [0-9]+\\) is "
                  "skipped and takes its leader's value of R[0-9]+: lane 0 has 0x0, not 0x[246]0; the leader was warp "
                  "0\n.*in kernel 'k' \\(test\\.ptx:[0-9]+\\), block \\(0,0,0\\), thread "
                  "\\((32|64|96),0,0\\)\n.*instruction: mov\\.u32 R[0-9]+, %tid\\.x"));
}

// For loads the addresses are compared.
TEST(SkipCheck, FindsALoadFromAnotherAddress) {
  Sharing filter;
  const Checked run(filter, std::string(kUniform) + "ld.global.u32 %r12, [%rd4]; add.u32 %r8, %r8, %r12;" + kEnd,
                    [](isa::Program& program) {
                      std::uint32_t last = 0;
                      for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
                        const isa::Record& record = program.code[pc];
                        if (record.kind == isa::Kind::kMemory && record.memory.kind == isa::MemoryKind::kLoad)
                          last = pc;
                      }
                      program.marks[last] = 2;
                    });
  EXPECT_THAT(run.fault(), testing::ContainsRegex("is skipped; in lane 0 its leader, warp 0, loads from 0x[0-9a-f]+, "
                                                  "not 0x[0-9a-f]+\n.*instruction: ld\\.global\\.u32"));
}

// A filter that does not rename a source: the warp's own register does not have the value.
TEST(SkipCheck, FindsAReadOfARegisterWhoseValueLiesInARow) {
  struct Forgets : Sharing {
    Forgets() {
      decide = [right = decide](const FetchIn& in, FetchOut& o) {
        right(in, o);
        for (IssueRename& rename : o.rename) rename = {};
      };
    }
  } filter;
  const Checked run(filter, std::string(kUniform) + kEnd);
  EXPECT_THAT(run.fault(), testing::ContainsRegex("reads its own R[0-9]+, but its value is only in a pool row"));
}

// A filter that renames a source to a wrong row.
TEST(SkipCheck, FindsAnOperandOfTheWrongRow) {
  struct Confuses : Sharing {
    Confuses() {
      decide = [this, right = decide](const FetchIn& in, FetchOut& o) {
        right(in, o);
        for (std::size_t i = 0; i < in.issued.size; ++i) {
          std::int16_t& row = o.rename[i].src_row[0];
          if (in.issued[i].nsrc == 2 && row > 0) row = static_cast<std::int16_t>(row ^ 1);
        }
      };
    }
  } filter;
  const Checked run(filter, std::string(kUniform) + kEnd);
  EXPECT_THAT(run.fault(), testing::ContainsRegex("reads R[0-9]+: lane [0-9]+ has 0x[0-9a-f]+, not 0x[0-9a-f]+"));
}

// A filter that copies too few registers, or wrong rows.
TEST(SkipCheck, FindsCopiesThatAreMissingOrWrong) {
  for (const bool wrong : {false, true}) {
    struct Copies : Sharing {
      explicit Copies(bool other) {
        early = [other, right = early](FetchOut& o) {
          right(o);
          if (!o.copy) return;
          if (other) o.copy->row = static_cast<std::uint16_t>(o.copy->row ^ 1);
          if (!other) o.copy->slot = 30;
        };
      }
    } filter(wrong);
    const Checked run(filter, std::string(kUniform) + kDiverge);
    EXPECT_THAT(run.fault(),
                testing::ContainsRegex(wrong ? "comes after a copy of R[0-9]+: lane 0 has 0x"
                                             : "copy of R30|reads its own R[0-9]+, but its value is only in"));
  }
}

// A filter that skips instructions no warp has executed.
TEST(SkipCheck, FindsSkipsWithoutALeader) {
  struct Skips : Sharing {
    Skips() {
      sleeps = false;
      early = [this](FetchOut& o) { o.hold = done ? 0 : 2; };
      decide = [this](const FetchIn& in, FetchOut& o) { o.skip = done ? 0 : in.eligible & 2; };
      see = [this](const FetchIn& in) { done = done || (in.eligible & 2) != 0; };
    }
    bool done = false;
  } filter;
  const Checked run(filter, std::string(kUniform) + kEnd);
  EXPECT_THAT(run.fault(), testing::HasSubstr("is skipped, but no leader has executed it"));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_skip_check_test
