// Test bench of castor_divider, verilated: compares it with the integer division of C++. It checks the quotient, the
// cycle of completion, and that the quotient stays until the next start. The properties of castor_divider_properties.sv
// are bound in and end the program if one fails.
#ifndef TB_RTL_COMMON_DIVIDER_DIVIDER_BENCH_H
#define TB_RTL_COMMON_DIVIDER_DIVIDER_BENCH_H

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace castor::tb {

template <class Rtl>
class DividerBench {
 public:
  DividerBench(const char* name, unsigned width, unsigned divisor_width)
      : name_(name), width_(width), divisor_width_(divisor_width), random_(1) {}

  // Divides all pairs of corner operands, then `count` random pairs. Returns whether all results were right.
  bool run(int count) {
    reset();
    for (const std::uint64_t dividend : corners(width_)) {
      for (const std::uint64_t divisor : corners(divisor_width_)) divide(dividend, divisor);
    }
    for (int i = 0; i < count; ++i) divide(draw(width_), draw(divisor_width_));
    std::printf("%s: %u / %u bits: %ld divisions, %ld of them broken off, %ld by 0, %ld wrong\n", name_, width_,
                divisor_width_, divisions_, broken_off_, by_zero_, wrong_);
    return wrong_ == 0;
  }

 private:
  static std::uint64_t mask(unsigned width) { return ~std::uint64_t{0} >> (64 - width); }

  // Returns 0, 1, 2, 3, the two greatest values, and values next to powers of two.
  static std::vector<std::uint64_t> corners(unsigned width) {
    std::vector<std::uint64_t> values = {0, 1, 2, 3, mask(width), mask(width) - 1};
    for (unsigned bit = 3; bit < width; bit += 7) {
      for (const std::int64_t off : {-1, 0, 1}) values.push_back((std::uint64_t{1} << bit) + off);
    }
    values.push_back(std::uint64_t{1} << (width - 1));
    return values;
  }

  // Returns a random operand; all lengths in bits are equally likely.
  std::uint64_t draw(unsigned width) { return random_() & mask(1 + random_() % width); }

  void cycle(bool start, std::uint64_t dividend, std::uint64_t divisor) {
    rtl_.start_i = start;
    rtl_.dividend_i = dividend & mask(width_);
    rtl_.divisor_i = divisor & mask(divisor_width_);
    for (const int level : {0, 1}) {
      rtl_.clk_i = level;
      rtl_.eval();
    }
  }

  // Simulates a cycle without a start; the operand inputs are random.
  void wait() { cycle(false, random_(), random_()); }

  void reset() {
    rtl_.rst_ni = 0;
    cycle(true, 3, 1);
    rtl_.rst_ni = 1;
    wait();
    expect(rtl_.last_o == 0, "last after reset", 0, 0);
  }

  void divide(std::uint64_t dividend, std::uint64_t divisor) {
    // Sometimes starts another division first, which this division interrupts at any step, including the last.
    if (random_() % 8 == 0) {
      ++broken_off_;
      cycle(true, draw(width_), draw(divisor_width_));
      for (unsigned left = random_() % width_; left > 0; --left) wait();
    }
    ++divisions_;
    cycle(true, dividend, divisor);
    for (unsigned step = 1; step <= width_; ++step) {
      expect((rtl_.last_o != 0) == (step == width_), "last", dividend, divisor);
      wait();
    }
    expect(rtl_.last_o == 0, "last behind the end", dividend, divisor);
    if (divisor == 0) {
      ++by_zero_;
      return;
    }
    for (unsigned left = random_() % 4;; --left) {
      expect(rtl_.quotient_o == dividend / divisor, "quotient", dividend, divisor);
      if (left == 0) break;
      wait();
    }
  }

  void expect(bool good, const char* what, std::uint64_t dividend, std::uint64_t divisor) {
    if (good) return;
    if (++wrong_ > 10) return;
    std::printf("%s: %s is wrong: %#llx / %#llx, quotient_o %#llx, last_o %d\n", name_, what,
                static_cast<unsigned long long>(dividend), static_cast<unsigned long long>(divisor),
                static_cast<unsigned long long>(rtl_.quotient_o), static_cast<int>(rtl_.last_o));
  }

  Rtl rtl_;
  const char* name_;
  unsigned width_, divisor_width_;
  std::mt19937_64 random_;
  long divisions_ = 0, broken_off_ = 0, by_zero_ = 0, wrong_ = 0;
};

}  // namespace castor::tb

#endif
