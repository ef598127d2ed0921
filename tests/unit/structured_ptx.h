#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace castor::test {

/// Random structured kernels: assignments, loads from shared and global memory, ifs with and without else, counted
/// loops that may be left early, guarded writes, 64-bit values, barriers where all warps of the block come to them.
/// Variables start from everything that can differ or be the same between warps. Every kernel ends.
///
/// Kernel `k(.u64 out, .u64 in, .u32 n)`: `in` points to 256 words; thread t of the block stores one word, made of all
/// variables, at out[t]. The text begins with its directives. One seed gives one kernel, which may be another one with
/// another compiler of this header (the order of operands).
class StructuredKernel {
 public:
  struct Options {
    unsigned statements = 40;   ///< about so many
    unsigned vector_share = 3;  ///< of ten, how many conditions differ between warps
    bool sync = false;          ///< some barriers are grid barriers, in the kernel or in a function
  };

  explicit StructuredKernel(std::uint64_t seed) : StructuredKernel(seed, Options{}) {}
  StructuredKernel(std::uint64_t seed, const Options& options) : random_(seed), options_(options) {}

  std::string text() {
    left_ = options_.statements;
    std::string body;
    while (left_ > 0) body += statement(0, true);
    return head() + body + tail();
  }

 private:
  static constexpr const char* kMeet = R"(.func (.param .b32 result) meet(.param .b32 value)
{
  .reg .b32 %t<4>;
  ld.param.b32 %t0, [value]; add.u32 %t1, %t0, 3; mul.lo.u32 %t2, %t0, 7;
  tb.gridsync;
  mad.lo.u32 %t3, %t1, 5, %t0; st.param.b32 [result], %t3; ret;
}
)";
  static constexpr unsigned kVariables = 14;  // %r10 ..., of which loops do not write
  static constexpr unsigned kSeeds = 8;       // that are set before the first statement

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string variable() { return "%r" + std::to_string(10 + below(kVariables)); }
  std::string operand() { return below(4) == 0 ? std::to_string(below(9)) : variable(); }
  std::string fresh(const char* prefix, unsigned& counter) { return prefix + std::to_string(counter++); }

  std::string head() {
    std::string text = R"(.version 7.0
.target sm_70
.address_size 64
)" + std::string(options_.sync ? kMeet : "") +
                       R"(.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{
  .shared .align 8 .b8 area[1024];
  .reg .pred %p<400>;
  .reg .b32 %r<900>;
  .reg .b64 %rd<900>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
  mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
  and.b32 %r7, %r6, 255; shl.b32 %r7, %r7, 2; mov.u32 %r8, area; add.u32 %r7, %r8, %r7;
  mul.lo.u32 %r9, %r6, 7; st.shared.u32 [%r7], %r9;
  bar.sync 0;
  mov.u32 %r10, %tid.x; mov.u32 %r11, %tid.y; mov.u32 %r12, %ctaid.x; ld.param.u32 %r13, [n];
  mov.u32 %r14, 5; mov.u32 %r15, %ntid.x; mov.u32 %r16, %laneid; shr.u32 %r17, %r6, 5;
)";
    for (unsigned v = kSeeds; v < kVariables; ++v)
      text += "  mov.u32 %r" + std::to_string(10 + v) + ", " + std::to_string(below(7)) + ";\n";
    return text;
  }

  std::string tail() {
    std::string text = "  mov.u32 %r800, 0;\n";
    for (unsigned v = 0; v < kVariables; ++v)
      text += "  mad.lo.u32 %r800, %r800, 31, %r" + std::to_string(10 + v) + ";\n";
    text += R"(  mul.wide.u32 %rd800, %r6, 4;
  add.s64 %rd800, %rd1, %rd800;
  st.global.u32 [%rd800], %r800;
  ret;
}
)";
    return text;
  }

  /// Returns a random statement. `common`: all warps of the block execute it together, so it may contain a barrier.
  std::string statement(unsigned depth, bool common) {
    if (left_ > 0) --left_;
    switch (below(14)) {
      case 0:
      case 1:
        return depth < 3 ? branch(depth, common) : assignment();
      case 2:
        return depth < 3 ? loop(depth, common) : assignment();
      case 3:
      case 4:
        return common ? barrier() : assignment();
      case 5:
        return load();
      case 6:
        return guarded();
      case 7:
        return wide();
      default:
        return assignment();
    }
  }

  std::string barrier() {
    if (!options_.sync) return "  bar.sync 0;\n";
    switch (below(4)) {
      case 0:
        return "  bar.sync 0;\n";
      case 1:
        return "  { .param .b32 to; .param .b32 from; st.param.b32 [to], " + variable() +
               "; call.uni (from), meet, (to); ld.param.b32 " + variable() + ", [from]; }\n";
      default:
        return "  tb.gridsync;\n";
    }
  }

  std::string assignment() {
    static const char* const kOperations[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "and.b32", "min.u32"};
    if (below(6) == 0) return "  mov.u32 " + variable() + ", " + operand() + ";\n";
    return std::string("  ") + kOperations[below(6)] + " " + variable() + ", " + variable() + ", " + operand() + ";\n";
  }

  std::string load() {
    const std::string index = fresh("%r", next_);
    const std::string text =
        "  and.b32 " + index + ", " + variable() + ", 63; shl.b32 " + index + ", " + index + ", 2;\n";
    if (below(2) == 0)
      return text + "  add.u32 " + index + ", %r8, " + index + "; ld.shared.u32 " + variable() + ", [" + index + "];\n";
    const std::string address = fresh("%rd", next_wide_);
    return text + "  cvt.u64.u32 " + address + ", " + index + "; add.s64 " + address + ", %rd2, " + address +
           "; ld.global.u32 " + variable() + ", [" + address + "];\n";
  }

  std::string guarded() {
    const std::string p = fresh("%p", next_predicate_);
    return "  setp.lt.u32 " + p + ", " + variable() + ", " + operand() + ";\n  " + (below(2) == 0 ? "@" : "@!") + p +
           " add.u32 " + variable() + ", " + variable() + ", " + operand() + ";\n  selp.u32 " + variable() + ", " +
           variable() + ", " + operand() + ", " + p + ";\n";
  }

  std::string wide() {
    const std::string value = fresh("%rd", next_wide_);
    return "  mul.wide.u32 " + value + ", " + variable() + ", " + operand() + "; add.s64 " + value + ", " + value +
           ", 77; cvt.u32.u64 " + variable() + ", " + value + ";\n";
  }

  /// Sets a predicate; `common` becomes false unless all warps of the block agree.
  std::string condition(const std::string& p, bool& common) {
    static const char* const kCommon[] = {"%r4", "%ctaid.x", "%r5"};
    const std::string limit = std::to_string(below(6));
    const std::string source = fresh("%r", next_);
    if (below(10) < options_.vector_share) {
      common = false;
      return "  shr.u32 " + source + ", %r6, 5; xor.b32 " + source + ", " + source + ", " + variable() + "; and.b32 " +
             source + ", " + source + ", 7; setp.lt.u32 " + p + ", " + source + ", " + limit + ";\n";
    }
    if (below(2) == 0)
      return std::string("  mov.u32 ") + source + ", " + kCommon[below(3)] + "; setp.gt.u32 " + p + ", " + source +
             ", " + limit + ";\n";
    common = false;
    return "  and.b32 " + source + ", " + variable() + ", 7; setp.lt.u32 " + p + ", " + source + ", " + limit + ";\n";
  }

  std::string block(unsigned depth, bool common) {
    std::string text;
    for (unsigned i = 0, n = 1 + below(4); i < n; ++i) text += statement(depth, common);
    return text;
  }

  std::string branch(unsigned depth, bool common) {
    const std::string p = fresh("%p", next_predicate_);
    const std::string other = fresh("L", next_label_);
    const std::string end = fresh("L", next_label_);
    std::string text = condition(p, common);  // before the block: it says whether that is common
    text += "  @" + p + " bra " + other + ";\n";
    text += block(depth + 1, common);
    const bool has_else = below(3) != 0;
    if (has_else) text += "  bra " + end + ";\n";
    text += other + ":\n";
    if (has_else) text += block(depth + 1, common) + end + ":\n";
    return text;
  }

  std::string loop(unsigned depth, bool common) {
    const std::string p = fresh("%p", next_predicate_);
    const std::string count = fresh("%r", next_);
    const std::string head = fresh("L", next_label_);
    const std::string end = fresh("L", next_label_);
    std::string text = "  mov.u32 " + count + ", 0;\n" + head + ":\n";
    const bool early = below(2) == 0;
    if (early) {
      const std::string stop = fresh("%p", next_predicate_);
      text += condition(stop, common);
      text += "  @" + stop + " bra " + end + ";\n";
    }
    text += block(depth + 1, common);
    // Counters are variables, too: values are computed from them after the loop.
    text += "  add.u32 " + count + ", " + count + ", 1; setp.lt.u32 " + p + ", " + count + ", " +
            std::to_string(1 + below(4)) + ";\n  @" + p + " bra " + head + ";\n" + end + ":\n";
    return text + "  add.u32 " + variable() + ", " + count + ", " + operand() + ";\n";
  }

  std::mt19937_64 random_;
  Options options_;
  unsigned left_ = 0;
  unsigned next_ = 30, next_wide_ = 10, next_predicate_ = 0, next_label_ = 0;
};

}  // namespace castor::test
