#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "castor/base/rng.h"

namespace castor::gpu::timing_test {

/// A random kernel whose threads work on private bytes in lines that they share with many others: loads of all kinds,
/// stores, atomics, reductions, in global, shared and local memory, with guards, branches, fences and barriers, some
/// loads used late. What a thread sees follows from its program order alone.
///
/// Global memory: unit j of thread t is the 8 bytes at p0 + 8 (j T + place(t)), T threads. Result word of thread t at
/// p1 + 4 t. With `racy`, threads also work on words of all (p2), and results follow from the order of performance.
class RandomProgram {
 public:
  struct Size {
    unsigned blocks = 4, threads = 64;  ///< powers of two
    unsigned steps = 40, rounds = 2;
    bool racy = false;
  };
  RandomProgram(std::uint64_t seed, const Size& size);

  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] const std::string& declarations() const { return declarations_; }
  [[nodiscard]] unsigned total() const { return size_.blocks * size_.threads; }
  [[nodiscard]] std::size_t global_bytes() const { return std::size_t{kGlobal} * 8 * total(); }
  static constexpr unsigned kRacyWords = 64;

  /// Runs all threads one after the other on `global`; returns their results.
  [[nodiscard]] std::vector<std::uint32_t> reference(std::vector<std::uint8_t>& global) const;

 private:
  static constexpr unsigned kGlobal = 6, kShared = 3, kLocal = 4;  ///< units of a thread
  static constexpr unsigned kValues = 8;                           ///< registers for loads that are used late

  enum class Op : std::uint8_t { kLoad, kStore, kAtomic, kReduction, kUse, kNothing };
  enum class Where : std::uint8_t { kGlobalUnit, kSharedUnit, kLocalUnit };
  struct Step {
    Op op = Op::kNothing;
    Where where = Where::kGlobalUnit;
    unsigned unit = 0, offset = 0, bytes = 4;
    unsigned value = 0;  ///< register of a load
    std::uint32_t constant = 0;
    int guard_bit = -1;   ///< bit of the thread's number; -1 = all
    unsigned atomic = 0;  ///< add, exch, xor, max
  };

  void emit(const Step& step, bool branched);
  void emit_racy();
  [[nodiscard]] Step random_step();
  [[nodiscard]] unsigned place(unsigned thread) const { return (thread * multiplier_) & (total() - 1); }

  Size size_;
  base::Xoshiro256 random_;
  unsigned multiplier_ = 1;
  unsigned labels_ = 0;
  std::vector<Step> steps_;
  std::string body_, declarations_;
};

}  // namespace castor::gpu::timing_test
