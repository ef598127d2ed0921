#pragma once

#include <functional>
#include <map>
#include <set>

#include "gpu_sm_support.h"

// Fetch filters made by hand, and marks for them.
namespace castor::gpu::test {

inline unsigned lowest(std::uint64_t mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

/// A filter without outputs that records its inputs. Tests add outputs.
class Filter : public FetchFilter {
 public:
  void attach(const HookSite& site) override { site_ = site; }
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return sleeps ? kForever : 0; }
  void idle(Cycle n) override { idled += n; }
  const FetchOut& settle(const FetchIn& in) override {
    out = {};
    if (early) early(out);
    if (in.pc != nullptr && decide) decide(in, out);
    return out;
  }
  void clock(const FetchIn& in) override {
    ++clocked;
    if (in.start) starts.emplace_back(in.now, *in.start);
    if (in.retire) retires.emplace_back(in.now, *in.retire);
    for (WarpMask left = in.exit; left != 0; left &= left - 1) exits.emplace_back(in.now, lowest(left));
    for (const RowEvent& row : in.written) written.emplace_back(in.now, row.tag);
    for (WarpMask left = in.branch; left != 0; left &= left - 1) {
      branches.emplace_back(lowest(left), (in.taken >> lowest(left) & 1) != 0);
    }
    leaves |= in.leave;
    if (in.barrier != 0) barriers.emplace_back(in.now, in.barrier_join);
    if (in.stores != 0) stores.push_back(in.now);
    if (in.global_op) global_ops.push_back(in.now);
    if (see) see(in);
  }
  bool sleeps = true;
  FetchOut out;
  std::function<void(FetchOut&)> early;                   ///< outputs that depend on state only
  std::function<void(const FetchIn&, FetchOut&)> decide;  ///< all other outputs
  std::function<void(const FetchIn&)> see;
  std::uint64_t clocked = 0, idled = 0;
  std::vector<std::pair<Cycle, TbStartEvent>> starts;
  std::vector<std::pair<Cycle, unsigned>> retires, exits, written;
  std::vector<std::pair<unsigned, bool>> branches;
  std::vector<std::pair<Cycle, WarpMask>> barriers;
  std::vector<Cycle> stores, global_ops;
  WarpMask leaves = 0;
  HookSite site_;
};

/// One warp of a TB computes what all would, the others skip it: as much of a skip table as straight code needs. Each
/// marked instruction has a row (two for 64 bits) of its own. A warp that diverges gets its registers back by copies.
class Sharing : public Filter {
 public:
  Sharing() {
    early = [this](FetchOut& o) {
      o.hold = held();
      if (copying != 0) {
        const unsigned w = lowest(copying);
        for (const auto& [reg, row] : ref[w]) {
          o.copy = CopyRequest{static_cast<std::uint8_t>(w), static_cast<std::uint16_t>(row), reg};
          break;
        }
      }
    };
    decide = [this](const FetchIn& in, FetchOut& o) { choose(in, o); };
    see = [this](const FetchIn& in) { advance(in); };
  }
  std::uint64_t skips = 0, squashes = 0, copies = 0;

 private:
  struct Version {
    std::vector<unsigned> rows, registers;
    unsigned missing = 0;  ///< rows not written back
  };
  // No warp is fetched before it is known whether a leader has executed its next instruction.
  [[nodiscard]] WarpMask held() const { return copying | ~passing; }
  void choose(const FetchIn& in, FetchOut& o) {
    for (WarpMask left = in.eligible & ~passing & ~copying; left != 0; left &= left - 1) {
      const unsigned w = lowest(left);
      const auto found = versions.find(in.pc[w]);
      if (found != versions.end() && found->second.missing == 0) o.skip |= WarpMask{1} << w;
    }
    bool elected = false;
    for (unsigned s = 0; s < in.decode.count; ++s) {
      const DecodeSlot& slot = in.decode.slot[s];
      if (slot.mark == 0 || (left_ >> in.decode.warp & 1) != 0) continue;
      if (elected || versions.count(in.decode.pc + 8 * s) != 0 || next_row + slot.ndst > rows) {
        if (versions.count(in.decode.pc + 8 * s) == 0 && !elected)
          continue;  // no free row: each warp executes
                     // privately
        for (unsigned i = s; i < in.decode.count; ++i) o.act[i] = DecodeAct::kSquash;
        break;
      }
      elected = true;
      o.act[s] = DecodeAct::kLead;
      for (unsigned i = 0; i < slot.ndst; ++i) o.tag[i] = static_cast<std::uint8_t>(next_row + i);
    }
    for (std::size_t i = 0; i < in.issued.size; ++i) {
      const IssueSlot& slot = in.issued[i];
      for (unsigned k = 0; k < slot.nsrc; ++k) {
        const auto found = ref[slot.warp].find(slot.src[k]);
        o.rename[i].src_row[k] =
            static_cast<std::int16_t>(found == ref[slot.warp].end() ? -1 : static_cast<int>(found->second));
      }
    }
  }
  void advance(const FetchIn& in) {
    const WarpMask before = held();
    apply(in);
    // Quiet while no warp waits and the outputs have not changed.
    sleeps = held() == before && copying == 0 && (in.eligible & ~passing) == 0;
  }
  void apply(const FetchIn& in) {
    if (in.start) {
      base = in.start->base;
      rows = in.start->rows;
    }
    for (const RowEvent& row : in.written) {
      for (auto& [pc, version] : versions) {
        for (const unsigned r : version.rows) version.missing -= r == base + row.tag ? 1 : 0;
      }
    }
    for (WarpMask left = out.skip; left != 0; left &= left - 1) {
      const unsigned w = lowest(left);
      const Version& version = versions.at(in.pc[w]);
      for (std::size_t i = 0; i < version.rows.size(); ++i) {
        ref[w][static_cast<std::uint8_t>(version.registers[i])] = version.rows[i];
      }
      ++skips;
    }
    for (unsigned s = 0; s < in.decode.count; ++s) {
      if (out.act[s] == DecodeAct::kSquash) {
        ++squashes;
        break;
      }
      if (out.act[s] != DecodeAct::kLead) continue;
      Version& version = versions[in.decode.pc + 8 * s];
      for (unsigned i = 0; i < in.decode.slot[s].ndst; ++i) {
        version.rows.push_back(base + out.tag[i]);
        version.registers.push_back(in.decode.slot[s].dst[i]);
      }
      version.missing = in.decode.slot[s].ndst;
      next_row += in.decode.slot[s].ndst;
    }
    for (const IssueSlot& slot : in.issued) {
      for (unsigned i = 0; i < slot.ndst; ++i) {
        ref[slot.warp].erase(slot.dst[i]);
        if (slot.lead) ref[slot.warp][slot.dst[i]] = base + slot.tag[i];
      }
    }
    if (in.copy_ack) {
      ++copies;
      auto& mine = ref[out.copy->warp];
      mine.erase(mine.begin());
    }
    for (WarpMask left = in.leave & ~left_; left != 0; left &= left - 1) copying |= left & (~left + 1);
    left_ |= in.leave;
    for (WarpMask left = copying; left != 0; left &= left - 1) {
      if (ref[lowest(left)].empty()) copying &= ~(left & (~left + 1));
    }
    passing = 0;
    for (WarpMask left = in.eligible; left != 0; left &= left - 1) {
      const unsigned w = lowest(left);
      if ((left_ >> w & 1) != 0 || versions.count(in.pc[w]) == 0) passing |= WarpMask{1} << w;
    }
  }
  unsigned base = 0, rows = 0, next_row = 0;
  WarpMask passing = 0, copying = 0, left_ = 0;  ///< passing: may be fetched
  std::map<std::uint64_t, Version> versions;
  std::map<std::uint8_t, unsigned> ref[64];
};

constexpr unsigned kThreads = 128;
inline const char* const kBuffer = ".shared .align 4 .b8 buffer[64];";
inline const char* const kShort =
    "mov.u32 %r9, buffer; mov.u32 %r1, 4; add.u32 %r2, %r1, %r1; st.shared.u32 [%r9], %r2; ret;";

/// Marks the instructions of straight code that are equal for all threads of a block: arithmetic and loads on such
/// registers.
inline std::shared_ptr<isa::Program> marked(const isa::Program& program, unsigned* count = nullptr) {
  auto result = std::make_shared<isa::Program>(program);
  result->marks.assign(program.code.size(), 0);
  result->renamed_registers = std::min(program.registers, 32U);
  std::set<unsigned> same;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const isa::Record& record = program.code[i];
    const isa::RegisterUse& use = program.uses[i];
    const bool load = record.kind == isa::Kind::kMemory && record.memory.kind == isa::MemoryKind::kLoad;
    bool uniform = (record.kind == isa::Kind::kLane || load) && record.guard == isa::kNoGuard && use.dst != 0 &&
                   use.dst <= 2 && use.predicates_read == 0 && use.predicates_written == 0;
    bool reads = load;
    for (unsigned k = 0; k < 4; ++k) {
      reads = reads || record.src[k] != isa::kNoOperand;
      for (unsigned r = 0; r < use.src[k]; ++r) uniform = uniform && same.count(record.src[k] + r) != 0;
    }
    uniform = uniform && reads;
    for (unsigned r = 0; r < use.dst; ++r) {
      if (uniform) same.insert(record.dst + r);
      if (!uniform) same.erase(record.dst + r);
    }
    if (uniform) result->marks[i] = 2;
    if (uniform && count != nullptr) ++*count;
  }
  return result;
}

inline const char* const kUniform = R"(
  ld.param.u64 %rd0, [out];
  mov.u32 %r1, 17; mov.u32 %r2, 23;
  mad.lo.u32 %r3, %r1, %r2, 5; xor.b32 %r4, %r3, %r1; add.u32 %r5, %r4, %r2; mul.wide.u32 %rd1, %r5, 3;
  ld.global.u32 %r6, [%rd0]; ld.global.u64 %rd2, [%rd0+8];
  add.u64 %rd3, %rd1, %rd2; cvt.u32.u64 %r7, %rd3; add.u32 %r8, %r7, %r6;
  mov.u32 %r10, %tid.x; mul.wide.u32 %rd4, %r10, 4; add.u64 %rd4, %rd4, %rd0;
)";

}  // namespace castor::gpu::test
