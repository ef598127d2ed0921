// Operations across the lanes of a CUDA warp (PTX ISA, "vote", "match", "redux", "activemask", "shfl", "elect"). A
// 64-lane warp holds two CUDA warps, one per half; no operation crosses the halves.
//
// Forms with `.sync` have a member mask with the participating lanes. All member lanes that have not exited must
// execute the operation together, and each lane must be a member of its own mask. Any violation is a fault.

#include "castor/isa/instructions/select.h"

namespace castor::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;

template <class F>
inline void for_each_lane(u32 lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctz(lanes)));
}

/// Checks the member masks of one half in source row `which` and records faults in `args`.
void check_members(LaneArgs& args, unsigned half, const u32* members) {
  const u32 executing = half_mask(args.mask, half);
  const u32 live = args.context != nullptr ? half_mask(args.context->live, half) : executing;
  u32 checked = 0;  // last mask checked; in most warps all lanes have the same mask
  bool any = false;
  for_each_lane(executing, [&](unsigned lane) {
    const u32 mask = members[lane];
    LaneFault fault = LaneFault::kNone;
    if ((mask >> lane & 1) == 0)
      fault = LaneFault::kSyncMaskSelf;
    else if ((!any || mask != checked) && (mask & live & ~executing) != 0)
      fault = LaneFault::kSyncMaskInactive;
    checked = mask;
    any = true;
    if (fault != LaneFault::kNone && args.fault == LaneFault::kNone) args.fault = fault;
  });
}

/// Returns true if the form has no mask, or if all executing lanes of one half have the same member mask, which is then
/// checked. `members` becomes the member lanes that execute. This common case allows one computation for all lanes.
template <int MaskSource>
bool same_members(LaneArgs& args, unsigned half, u32& members) {
  const u32 executing = half_mask(args.mask, half);
  members = executing;
  if constexpr (MaskSource >= 0) {
    if (executing == 0) return true;
    const u32* const named = source<u32>(args, MaskSource, half);
    const u32 first = named[__builtin_ctz(executing)];
    u32 differ = 0;
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) differ |= in_mask<4>(executing, i) ? named[i] ^ first : 0u;
    if (differ != 0) return false;
    if (first != executing) check_members(args, half, named);
    members = first & executing;
  }
  return true;
}

/// Runs f(lane, members) for the executing lanes of one half. `members` are the executing lanes in the lane's member
/// mask, or all executing lanes for forms without a mask (`MaskSource` < 0).
template <int MaskSource, class F>
void with_members(LaneArgs& args, unsigned half, F f) {
  const u32 executing = half_mask(args.mask, half);
  if constexpr (MaskSource < 0) {
    for_each_lane(executing, [&](unsigned lane) { f(lane, executing); });
  } else {
    const u32* const members = source<u32>(args, MaskSource, half);
    check_members(args, half, members);
    for_each_lane(executing, [&](unsigned lane) { f(lane, members[lane] & executing); });
  }
}

/// Writes the results of all lanes after all sources have been read, because rows may overlap.
inline void store(const Record& record, LaneArgs& args, const u32* results) {
  if (record.dst == kNoOperand) return;
  for (unsigned half = 0; half < args.halves; ++half)
    blend_half(half_mask(args.mask, half), destination<u32>(args, half), results + std::size_t{32} * half);
}

enum class Vote { kAll, kAny, kUniform, kBallot };

template <Vote Kind, int MaskSource>
void vote(const Record& record, LaneArgs& args) {
  const LaneMask predicate = predicate_source(record, args.predicates, 0);
  LaneMask result = 0;
  u32 ballot[kMaxLanes] = {};
  const auto holds = [](u32 votes, u32 members) {
    return Kind == Vote::kAll ? votes == members : Kind == Vote::kAny ? votes != 0 : votes == 0 || votes == members;
  };
  for (unsigned half = 0; half < args.halves; ++half) {
    const u32 yes = half_mask(predicate, half);
    u32 members = 0;
    if (same_members<MaskSource>(args, half, members)) {
      const u32 votes = yes & members;
      for (unsigned i = 0; i < 32; ++i) ballot[32 * half + i] = votes;
      if (holds(votes, members)) result |= LaneMask{0xffffffffu} << (32 * half);
      continue;
    }
    with_members<MaskSource>(args, half, [&](unsigned lane, u32 named) {
      const u32 votes = yes & named;
      ballot[32 * half + lane] = votes;
      if (holds(votes, named)) result |= LaneMask{1} << (32 * half + lane);
    });
  }
  if constexpr (Kind == Vote::kBallot)
    store(record, args, ballot);
  else
    write_predicate(record, args.predicates, 0, result, args.mask);
}
template <int MaskSource>
LaneFn select_vote(const Match& match) {
  if (match.has("all")) return &vote<Vote::kAll, MaskSource>;
  if (match.has("any")) return &vote<Vote::kAny, MaskSource>;
  if (match.has("uni")) return &vote<Vote::kUniform, MaskSource>;
  return &vote<Vote::kBallot, MaskSource>;
}

void active_mask(const Record& record, LaneArgs& args) {
  u32 out[kMaxLanes];
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) out[lane] = half_mask(args.mask, lane / 32);
  store(record, args, out);
}

/// Computes d = the member lanes with the same value (match.any), or all member lanes if all values are equal, else 0
/// (match.all).
template <class T, bool All>
void match_values(const Record& record, LaneArgs& args) {
  u32 out[kMaxLanes] = {};
  LaneMask same = 0;
  for (unsigned half = 0; half < args.halves; ++half) {
    const T* const a = source<T>(args, 0, half);
    with_members<1>(args, half, [&](unsigned lane, u32 members) {
      u32 equal = 0;
      for_each_lane(members, [&](unsigned other) { equal |= a[other] == a[lane] ? u32{1} << other : 0; });
      const bool everywhere = equal == members;
      out[32 * half + lane] = All && !everywhere ? 0 : equal;
      if (everywhere) same |= LaneMask{1} << (32 * half + lane);
    });
  }
  store(record, args, out);
  if constexpr (All) write_predicate(record, args.predicates, 0, same, args.mask);
}
template <bool All>
LaneFn select_match(const Match& match) {
  return bits(match.type("t")) == 64 ? &match_values<u64, All> : &match_values<u32, All>;
}

enum class Shuffle { kUp, kDown, kButterfly, kIndex };

/// Computes the source lane as PTX defines: c holds a clamp in bits 0-4 and the segment mask in bits 8-12.
template <Shuffle Mode, int MaskSource>
void shuffle(const Record& record, LaneArgs& args) {
  u32 out[kMaxLanes];
  LaneMask in_range = 0;
  for (unsigned half = 0; half < args.halves; ++half) {
    u32 members = 0;
    if (!same_members<MaskSource>(args, half, members)) {
      if constexpr (MaskSource >= 0) check_members(args, half, source<u32>(args, MaskSource, half));
    }
    const u32* const a = source<u32>(args, 0, half);
    const u32* const b = source<u32>(args, 1, half);
    const u32* const c = source<u32>(args, 2, half);
    u32 from[32];
    u32 valid_bits = 0;
    CASTOR_LANE_LOOP
    for (unsigned i = 0; i < 32; ++i) {
      const auto lane = static_cast<s32>(i);
      const auto delta = static_cast<s32>(b[i] & 31);
      const auto clamp = static_cast<s32>(c[i] & 31);
      const auto segment = static_cast<s32>(c[i] >> 8 & 31);
      const s32 lowest = lane & segment;
      const s32 limit = lowest | (clamp & ~segment);
      const s32 other = Mode == Shuffle::kUp          ? lane - delta
                        : Mode == Shuffle::kDown      ? lane + delta
                        : Mode == Shuffle::kButterfly ? lane ^ delta
                                                      : lowest | (delta & ~segment);
      const bool valid = Mode == Shuffle::kUp ? other >= limit : other <= limit;
      from[i] = static_cast<u32>(valid ? other : lane) & 31;
      valid_bits |= valid ? kLaneBits32.bit[i] : 0u;
    }
    for (unsigned i = 0; i < 32; ++i) out[32 * half + i] = a[from[i]];
    in_range |= LaneMask{valid_bits} << (32 * half);
  }
  store(record, args, out);
  write_predicate(record, args.predicates, 0, in_range, args.mask);
}
template <int MaskSource>
LaneFn select_shuffle(const Match& match) {
  if (match.has("up")) return &shuffle<Shuffle::kUp, MaskSource>;
  if (match.has("down")) return &shuffle<Shuffle::kDown, MaskSource>;
  if (match.has("bfly")) return &shuffle<Shuffle::kButterfly, MaskSource>;
  return &shuffle<Shuffle::kIndex, MaskSource>;
}

struct ReduceAdd {
  static u32 of(u32 a, u32 b) { return a + b; }
};
struct ReduceAnd {
  static u32 of(u32 a, u32 b) { return a & b; }
};
struct ReduceOr {
  static u32 of(u32 a, u32 b) { return a | b; }
};
struct ReduceXor {
  static u32 of(u32 a, u32 b) { return a ^ b; }
};
template <class T>
struct ReduceMin {
  static u32 of(u32 a, u32 b) { return static_cast<T>(b) < static_cast<T>(a) ? b : a; }
};
template <class T>
struct ReduceMax {
  static u32 of(u32 a, u32 b) { return static_cast<T>(a) < static_cast<T>(b) ? b : a; }
};

template <class Op>
void reduce(const Record& record, LaneArgs& args) {
  u32 out[kMaxLanes] = {};
  for (unsigned half = 0; half < args.halves; ++half) {
    const u32* const a = source<u32>(args, 0, half);
    const auto value_of = [a](u32 members) {
      u32 value = a[__builtin_ctz(members)];
      for_each_lane(members & (members - 1), [&](unsigned other) { value = Op::of(value, a[other]); });
      return value;
    };
    u32 same = 0;
    if (same_members<1>(args, half, same)) {
      const u32 value = same == 0 ? 0 : value_of(same);
      for (unsigned i = 0; i < 32; ++i) out[32 * half + i] = value;
      continue;
    }
    with_members<1>(args, half,
                    [&](unsigned lane, u32 members) { out[32 * half + lane] = members == 0 ? 0 : value_of(members); });
  }
  store(record, args, out);
}
LaneFn select_reduce(const Match& match) {
  const bool is_signed = match.type("t") == Type::kS32;
  if (match.has("add")) return &reduce<ReduceAdd>;
  if (match.has("min")) return is_signed ? &reduce<ReduceMin<s32>> : &reduce<ReduceMin<u32>>;
  if (match.has("max")) return is_signed ? &reduce<ReduceMax<s32>> : &reduce<ReduceMax<u32>>;
  if (match.has("and")) return &reduce<ReduceAnd>;
  if (match.has("or")) return &reduce<ReduceOr>;
  return &reduce<ReduceXor>;
}

/// Elects the lowest member lane.
void elect(const Record& record, LaneArgs& args) {
  u32 out[kMaxLanes] = {};
  LaneMask elected = 0;
  for (unsigned half = 0; half < args.halves; ++half) {
    const u32* const members_of = source<u32>(args, 0, half);
    check_members(args, half, members_of);
    for_each_lane(half_mask(args.mask, half), [&](unsigned lane) {
      const u32 members = members_of[lane] & half_mask(args.mask, half);
      const unsigned leader = members == 0 ? lane : static_cast<unsigned>(__builtin_ctz(members));
      out[32 * half + lane] = leader;
      if (leader == lane) elected |= LaneMask{1} << (32 * half + lane);
    });
  }
  store(record, args, out);
  write_predicate(record, args.predicates, 0, elected, args.mask);
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(warp) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  const auto add = [&](const char* syntax, const char* operands, LaneFn (*select)(const Match&), const char* meaning,
                       TimingClass timing) {
    table.add({syntax, operands, timing, Kind::kLane, select, nullptr, meaning});
  };
  const auto vote = [&](const char* syntax, const char* operands, LaneFn (*select)(const Match&), const char* meaning) {
    add(syntax, operands, select, meaning, TimingClass::kVote);
  };
  const auto row = [&](const char* syntax, const char* operands, LaneFn (*select)(const Match&), const char* meaning) {
    add(syntax, operands, select, meaning, TimingClass::kShuffle);
  };
  vote("vote.{all|any|uni}.pred", "=p:pred, a:pred", select_vote<-1>,
       "whether all, any, or all or none of the lanes have a");
  vote("vote.ballot.b32", "=d:b32, a:pred", select_vote<-1>, "mask of the lanes that have a");
  vote("vote.sync.{all|any|uni}.pred", "=p:pred, a:pred, members:b32", select_vote<0>,
       "whether all, any, or all or none of the named lanes have a");
  vote("vote.sync.ballot.b32", "=d:b32, a:pred, members:b32", select_vote<0>, "mask of the named lanes that have a");
  vote("activemask.b32", "=d:b32", always<active_mask>, "mask of the lanes that execute");
  vote("match.any.sync.{t:b32|b64}", "=d:b32, a:t, members:b32", select_match<false>,
       "mask of the named lanes with the same a");
  vote("match.all.sync.{t:b32|b64}", "=d:b32|, a:t, members:b32", select_match<true>,
       "mask of the named lanes if all have the same a, else 0; p = they have");
  row("shfl.{up|down|bfly|idx}.b32", "=d:b32|, a:b32, b:b32, c:b32", select_shuffle<-1>,
      "a of another lane; p = that lane is in the segment");
  row("shfl.sync.{up|down|bfly|idx}.b32", "=d:b32|, a:b32, b:b32, c:b32, members:b32", select_shuffle<3>,
      "a of another lane; p = that lane is in the segment");
  row("redux.sync.{add|min|max}.{t:u32|s32}", "=d:t, a:t, members:b32", select_reduce,
      "sum, minimum or maximum over the named lanes");
  row("redux.sync.{and|or|xor}.{t:b32}", "=d:t, a:t, members:b32", select_reduce, "logic over the named lanes");
  vote("elect.sync", "=d:b32|, members:b32", always<elect>, "the lowest named lane; p = it is this one");
}
