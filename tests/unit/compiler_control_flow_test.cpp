// Reconvergence points, liveness and dead code.

#include "compiler/control_flow.h"
#include "compiler/intervals.h"
#include "compiler/lower.h"
#include "compiler_shadow.h"
#include "compiler_support.h"

namespace castor::compiler::test::compiler_control_flow_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;
using Graph = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint32_t kNone = kNoIndex;

std::vector<std::uint32_t> solve(const Graph& graph, const std::vector<std::uint32_t>& exits,
                                 const std::vector<std::uint32_t>& stops = {},
                                 const std::vector<std::uint32_t>& faults = {}) {
  PathEnds ends(graph.size());
  for (const std::uint32_t e : exits) ends.exits[e] = true;
  for (const std::uint32_t s : stops) ends.stops[s] = true;
  for (const std::uint32_t f : faults) ends.faults[f] = true;
  return post_dominators(graph, ends);
}

TEST(PostDominators, IfElse) { EXPECT_THAT(solve({{1, 2}, {3}, {3}, {}}, {3}), ElementsAre(3, 3, 3, kNone)); }

TEST(PostDominators, IfWithoutElse) { EXPECT_THAT(solve({{1, 2}, {2}, {}}, {2}), ElementsAre(2, 2, kNone)); }

TEST(PostDominators, LoopWithBreak) {
  // 0 -> 1 head; 1 -> 2 body, 4 behind; 2 -> 3, 4 (break); 3 -> 1.
  EXPECT_THAT(solve({{1}, {2, 4}, {3, 4}, {1}, {}}, {4}), ElementsAre(1, 4, 4, 1, kNone));
}

TEST(PostDominators, BreakThroughExtraWork) {
  // The break leaves the loop through block 4. Both paths reconverge at 5.
  EXPECT_THAT(solve({{1}, {2, 5}, {3, 4}, {1}, {5}, {}}, {5}), ElementsAre(1, 5, 5, 1, 5, kNone));
}

TEST(PostDominators, UnstructuredJumpIntoElse) {
  // 0 -> 1, 2; 1 -> 2, 3; 2 -> 3.
  EXPECT_THAT(solve({{1, 2}, {2, 3}, {3}, {}}, {3}), ElementsAre(3, 3, 3, kNone));
}

TEST(PostDominators, LoopWithTwoEntries) {
  // 0 -> 1, 2; 1 -> 2; 2 -> 1, 3.
  EXPECT_THAT(solve({{1, 2}, {2}, {1, 3}, {}}, {3}), ElementsAre(2, 2, 3, kNone));
}

TEST(PostDominators, SeveralReturnsMeetNowhere) {
  // 0 -> 1 (returns), 2; 2 -> 3, 4; 3 -> 4; 4 returns.
  EXPECT_THAT(solve({{1, 2}, {}, {3, 4}, {4}, {}}, {1, 4}), ElementsAre(kNone, kNone, 4, 4, kNone));
}

TEST(PostDominators, ATrapDoesNotKeepTheOthersApart) {
  // 0 -> 1 (trap), 2; 2 -> 3 (trap), 4; 4 -> 0 or 5.
  EXPECT_THAT(solve({{1, 2}, {}, {3, 4}, {}, {0, 5}, {}}, {5}, {1, 3}), ElementsAre(2, kNone, 4, kNone, 5, kNone));
}

TEST(PostDominators, ATrapBesideAnExitThatLanesMayPassDoesNotKeepTheOthersApart) {
  // 0 -> 1, 2; 1 -> 2 or 3 (trap); 2 -> 0, or leaves.
  EXPECT_THAT(solve({{1, 2}, {2, 3}, {0}, {}}, {}, {2}, {3}), ElementsAre(2, 2, kNone, kNone));
}

TEST(PostDominators, OnlyTraps) { EXPECT_THAT(solve({{1, 2}, {3}, {3}, {}}, {}, {3}), ElementsAre(3, 3, 3, kNone)); }

TEST(PostDominators, EndlessLoopBesideAReturn) {
  // 0 -> 1, 3; 1 <-> 2 for ever; 3 returns.
  const auto result = solve({{1, 3}, {2}, {1}, {}}, {3});
  EXPECT_EQ(result[0], 3U);
  EXPECT_EQ(result[3], kNone);
}

TEST(PostDominators, PathsInsideAnEndlessLoopMeet) {
  // 0 -> 1, 2; 1 -> 3; 2 -> 3; 3 -> 0.
  const auto result = solve({{1, 2}, {3}, {3}, {0}}, {});
  EXPECT_EQ(result[0], 3U);
  EXPECT_EQ(result[1], 3U);
  EXPECT_EQ(result[2], 3U);
}

/// Compares with post-dominance by definition: p post-dominates b if every path from b to an exit passes p.
TEST(PostDominators, AgreeWithTheDefinitionOnRandomGraphs) {
  std::mt19937 random(11);
  for (unsigned round = 0; round < 400; ++round) {
    const std::uint32_t n = 2 + random() % 9;
    Graph graph(n);
    for (std::uint32_t b = 0; b + 1 < n; ++b) {
      graph[b].push_back(random() % n);
      if (random() % 2 == 0) {
        const std::uint32_t other = random() % n;
        if (other != graph[b][0]) graph[b].push_back(other);
      }
    }
    const auto result = solve(graph, {n - 1});
    const auto reaches = [&](std::uint32_t from, std::uint32_t without) {
      std::vector<bool> seen(n, false);
      std::vector<std::uint32_t> work;
      if (from != without) work.push_back(from);
      while (!work.empty()) {
        const std::uint32_t b = work.back();
        work.pop_back();
        if (b == n - 1) return true;
        if (seen[b]) continue;
        seen[b] = true;
        for (const std::uint32_t s : graph[b])
          if (s != without) work.push_back(s);
      }
      return false;
    };
    for (std::uint32_t b = 0; b < n; ++b) {
      if (!reaches(b, kNone)) continue;
      std::vector<std::uint32_t> all;
      for (std::uint32_t p = 0; p < n; ++p)
        if (p != b && !reaches(b, p)) all.push_back(p);
      // The immediate post-dominator is the one that all others post-dominate.
      std::uint32_t immediate = kNone;
      for (const std::uint32_t p : all)
        if (std::all_of(all.begin(), all.end(), [&](std::uint32_t q) { return q == p || !reaches(p, q); }))
          immediate = p;
      ASSERT_EQ(result[b], immediate) << "round " << round << ", block " << b;
    }
  }
}

isa::Program compiled(const std::string& body) { return inspect(module_of(kernel(body)), "k", {}); }

const isa::Record& nth_branch(const isa::Program& program, unsigned which) {
  for (const isa::Record& record : program.code)
    if (record.kind == isa::Kind::kBranch && record.guard != isa::kNoGuard && which-- == 0) return record;
  ADD_FAILURE() << "no such branch";
  return program.code[0];
}

std::uint32_t first_with(const isa::Program& program, const std::string& text) {
  for (std::uint32_t i = 0; i < program.spellings.size(); ++i)
    if (program.spellings[i].find(text) != std::string::npos) return i;
  ADD_FAILURE() << "no " << text;
  return 0;
}

TEST(ControlFlow, BranchesCarryTargetAndMeetingPoint) {
  const isa::Program program = compiled(R"(
    setp.lt.u32 %p1, %r2, 5;
    @%p1 bra A;
    add.u32 %r3, %r3, 1;
    bra B;
A:  sub.u32 %r3, %r3, 2;
B:  xor.b32 %r3, %r3, 3;
)");
  const isa::Record& branch = nth_branch(program, 0);
  EXPECT_EQ(branch.branch.target, first_with(program, "sub.u32"));
  EXPECT_EQ(branch.branch.reconvergence, first_with(program, "xor.b32"));
}

TEST(ControlFlow, ReturnsInBothArmsMeetNowhere) {
  const isa::Program program = compiled(R"(
    setp.lt.u32 %p1, %r2, 5;
    @%p1 bra A;
    st.global.u32 [%rd1], %r2;
    ret;
A:  add.u32 %r3, %r3, 1;
)");
  EXPECT_EQ(nth_branch(program, 0).branch.reconvergence, isa::kNoPc);
}

TEST(ControlFlow, AssertionsDoNotKeepLoopsApart) {
  const std::string text =
      kernel(R"(
LOOP:
    setp.eq.u32 %p1, %r2, 1000;
    @%p1 bra BAD;
    setp.lt.u32 %p2, %r3, %r2;
    add.u32 %r3, %r3, 1;
    @%p2 bra LOOP;
    bra END;
BAD:
    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
      st.param.b64 [a+0], 0; st.param.b64 [b+0], 0; st.param.b32 [c+0], 0; st.param.b64 [d+0], 0; st.param.b64 [e+0], 1;
      call.uni __assertfail, (a, b, c, d, e); }
END:
    xor.b32 %r3, %r3, 5;
)",
             ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 "
             "d, .param .b64 e);\n");
  const isa::Program program = inspect(module_of(text), "k", {});
  EXPECT_EQ(nth_branch(program, 0).branch.reconvergence, first_with(program, "setp.lt.u32"));
  // The lanes that leave the loop reconverge at its exit, in `bra END`.
  const std::uint32_t back = first_with(program, "add.u32") + 1;
  ASSERT_EQ(program.code[back].branch.target, 4U);
  EXPECT_EQ(program.code[back].branch.reconvergence, back + 1);
}

TEST(ControlFlow, DropsWhatCannotBeReached) {
  const isa::Program program = compiled(R"(
    bra END;
    mul.lo.u32 %r3, %r3, 77;
MIDDLE:
    mul.lo.u32 %r3, %r3, 78;
    bra MIDDLE;
END:
)");
  EXPECT_THAT(program.spellings, Not(testing::Contains(testing::HasSubstr("mul.lo"))));
  EXPECT_THAT(program.spellings, Not(testing::Contains(testing::HasSubstr("bra"))));
}

TEST(ControlFlow, EndlessLoopsCompile) {
  const isa::Program program = inspect(module_of(kernel("LOOP: add.u32 %r3, %r3, 1;\n bra LOOP;\n")), "k", {});
  EXPECT_EQ(program.code.back().kind, isa::Kind::kBranch);
  EXPECT_EQ(program.code.back().branch.target + 2, program.code.size());
}

TEST(ControlFlow, BranchTablesHoldRecords) {
  const isa::Program program = compiled(R"(
    rem.u32 %r4, %r2, 3;
TABLE: .branchtargets A, B, A;
    brx.idx %r4, TABLE;
A:  sub.u32 %r3, %r3, 1;
B:  xor.b32 %r3, %r3, 10;
)");
  ASSERT_EQ(program.branch_tables.size(), 1U);
  const std::uint32_t a = first_with(program, "sub.u32");
  const std::uint32_t b = first_with(program, "xor.b32");
  EXPECT_THAT(program.branch_tables[0], ElementsAre(a, b, a));
  const std::uint32_t at = first_with(program, "brx.idx");
  EXPECT_EQ(program.code[at].branch.reconvergence, b);
}

// Liveness.

struct Lowered {
  isa::Module module;
  Linked linked;
  Code code;
};

/// Returns the live ranges of the named registers as text "begin-end begin-end", in instructions relative to the first
/// one of the body.
std::string lives(const std::string& body, const std::string& name, bool predicates = false) {
  const isa::Module module = module_of(kernel(body));
  const isa::LinkOptions options;
  const Linked linked = link(module, "k", options, false, 8);
  Code code = Lowering(linked, 0).run();
  build_control_flow(code);
  const Intervals intervals = live_intervals(code, predicates);
  constexpr int kPrologue = 4;  // instructions that kernel() puts first
  std::string text;
  const auto& registers = code.function->registers;
  for (std::uint32_t id = 0; id < registers.size(); ++id)
    if (registers[id].name == name)
      for (const Segment& s : intervals[id].active)
        text += (text.empty() ? "" : " ") + std::to_string(static_cast<int>(s.begin) / 2 - kPrologue) + "-" +
                std::to_string((static_cast<int>(s.end) - 1) / 2 - kPrologue);
  return text;
}

TEST(Liveness, EndsAtTheLastUse) {
  EXPECT_EQ(lives("add.u32 %r10, %r2, 1;\n add.u32 %r11, %r10, 1;\n add.u32 %r3, %r11, %r10;\n sub.u32 %r3, %r3, 1;\n",
                  "%r10"),
            "0-2");
}

TEST(Liveness, HasAHoleBetweenTwoValues) {
  EXPECT_EQ(lives("add.u32 %r10, %r2, 1;\n add.u32 %r3, %r10, 1;\n sub.u32 %r3, %r3, 1;\n sub.u32 %r3, %r3, 1;\n"
                  "add.u32 %r10, %r2, 9;\n add.u32 %r3, %r10, %r3;\n",
                  "%r10"),
            "0-1 4-5");
}

TEST(Liveness, AGuardedWriteDoesNotEndTheOldValue) {
  EXPECT_EQ(lives("add.u32 %r10, %r2, 1;\n setp.eq.u32 %p1, %r2, 1;\n @%p1 mov.u32 %r10, 5;\n add.u32 %r3, %r10, 1;\n",
                  "%r10"),
            "0-3");
}

TEST(Liveness, AGuardedFirstWriteBeginsALife) {
  EXPECT_EQ(
      lives("setp.eq.u32 %p1, %r2, 1;\n sub.u32 %r3, %r3, 1;\n @%p1 mov.u32 %r10, 5;\n @%p1 add.u32 %r3, %r10, 1;\n",
            "%r10"),
      "2-3");
}

TEST(Liveness, AValueReadInALoopLivesToItsEnd) {
  EXPECT_EQ(
      lives("add.u32 %r10, %r2, 1;\nLOOP: add.u32 %r3, %r3, %r10;\n setp.lt.u32 %p1, %r3, 99;\n sub.u32 %r3, %r3, 1;\n"
            " @%p1 bra LOOP;\n sub.u32 %r3, %r3, 1;\n",
            "%r10"),
      "0-4");
}

TEST(Liveness, PredicatesLikewise) {
  EXPECT_EQ(
      lives("setp.eq.u32 %p1, %r2, 1;\n sub.u32 %r3, %r3, 1;\n @%p1 sub.u32 %r3, %r3, 1;\n sub.u32 %r3, %r3, 1;\n",
            "%p1", true),
      "0-2");
}

}  // namespace
}  // namespace castor::compiler::test::compiler_control_flow_test
