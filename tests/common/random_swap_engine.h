#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/sync_support.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu::test {

/// A swap engine that does one job at a time. It stores the lines of a context to its image in random order, and loads
/// those of another one, which may come into the same context, in another order. Order and pauses follow from a seed.
/// Some lines are first copied to a place inside the SM and back. If a bit of the seed says so, a thread block that is
/// moved in gets the spare homes.
class RandomSwapEngine final : public SwapEngine {
 public:
  struct Options {
    std::uint64_t seed = 1;
    unsigned longest_pause = 3;  ///< most edges between two accesses
    unsigned enter_pause = 0;    ///< edges before `enter` of a job that moves nothing in
    bool spare = true;  ///< the engine has a spare register home, a spare shared home and a place inside the SM
  };
  explicit RandomSwapEngine(const Options& options) : options_(options) {}

  /// Images hold whole contexts: the control state and the predicates of a warp lie in SIMT lines.
  [[nodiscard]] static SwapLimits limits() {
    SwapLimits limits;
    limits.images = true;
    limits.warp_bytes = 80;
    limits.predicate_bytes = 32;
    return limits;
  }

  [[nodiscard]] const char* block() const override { return "shuttle"; }
  [[nodiscard]] SwapStorage storage() const override {
    SwapStorage storage;
    storage.register_homes = storage.shared_homes = storage.places = options_.spare ? 1 : 0;
    return storage;
  }
  void attach(const HookSite& site) override { state_ = mix(options_.seed * 1000 + site.sm); }
  void reset() override {
    phase_ = Phase::kIdle;
    out_ = {};
    out_.job_ready = true;
  }
  [[nodiscard]] Cycle quiet() const override {
    switch (phase_) {
      case Phase::kIdle:
      case Phase::kPage:
        return kForever;
      case Phase::kLines:
        if (pause_ != 0) return pause_ - 1;
        return out_.access ? 0 : kForever;
      default:
        return 0;
    }
  }
  void idle(Cycle n) override {
    if (phase_ == Phase::kLines && pause_ != 0) pause_ -= static_cast<unsigned>(n);
  }
  const SwapOut& settle(const SwapIn& /*in*/) override { return out_; }
  void clock(const SwapIn& in) override {
    if (in.configure) return configure(*in.configure);
    if (in.load_done) --loads_;
    switch (phase_) {
      case Phase::kIdle:
        if (in.job) begin(*in.job);
        break;
      case Phase::kPage:
        if (!in.page) break;
        image_ = *in.page;
        begin_lines();
        break;
      case Phase::kLines:
        advance(in.access_taken);
        break;
      case Phase::kPark:
        if (!in.park_ready) break;
        job_.fresh ? begin_enter() : begin_in();
        break;
      case Phase::kEnter:
        if (pause_ != 0) {
          --pause_;
          break;
        }
        if (!in.enter_ready) break;
        if (!job_.fresh) enter();
        phase_ = Phase::kIdle;
        ++jobs;
        break;
    }
    show();
  }
  void waits(WaitGraph& graph) const override {
    graph.say("does " + std::to_string(next_) + " of " + std::to_string(order_.size()) + " lines, phase " +
              std::to_string(static_cast<unsigned>(phase_)));
  }

  std::uint64_t jobs = 0;
  /// Lines that are left out, for tests of what finds that: line number `forgotten` of each context that moves out (or
  /// in, with `forgets_load`).
  std::uint32_t forgotten = ~0U;
  bool forgets_load = false;

 private:
  enum class Phase : std::uint8_t { kIdle, kPage, kLines, kPark, kEnter };

  static std::uint64_t mix(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 27U) * 0x94d049bb133111ebULL;
    return x ^ x >> 31U;
  }
  std::uint64_t draw(std::uint64_t below) {
    state_ = mix(state_);
    return state_ % below;
  }

  void configure(const SwapKernel& kernel) {
    kernel_ = kernel;
    for (unsigned i = 0; i < registers_of_.size(); ++i) {
      registers_of_[i] = shared_of_[i] = static_cast<std::uint8_t>(i);
    }
    spare_registers_ = spare_shared_ = kernel.slots;
  }
  void begin(const SwapJob& job) {
    job_ = job;
    home_ = registers_of_[job.slot];
    shared_home_ = shared_of_[job.slot];
    stores_ = job.out;
    if (job.out) {
      phase_ = Phase::kPage;
      return;
    }
    if (job.fresh) return begin_enter();  // into a vacant context
    begin_in();
  }
  void begin_enter() {
    phase_ = Phase::kEnter;
    pause_ = options_.enter_pause;
  }
  void begin_in() {
    stores_ = false;
    image_ = job_.entry.word[0];
    if (options_.spare && draw(2) != 0) {
      home_ = spare_registers_;
      shared_home_ = spare_shared_;
    }
    begin_lines();
  }
  void enter() {
    if (home_ == registers_of_[job_.slot]) return;
    std::swap(registers_of_[job_.slot], spare_registers_);
    std::swap(shared_of_[job_.slot], spare_shared_);
  }
  void begin_lines() {
    order_.clear();
    const unsigned lines = kernel_.simt_lines + kernel_.warps * kernel_.registers + kernel_.shared_lines;
    for (std::uint32_t line = 0; line < lines; ++line) {
      if (line != forgotten || stores_ == forgets_load) order_.push_back(line);
    }
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[draw(i)]);
    next_ = 0;
    phase_ = Phase::kLines;
    begin_line();
  }
  void begin_line() {
    pause_ = static_cast<unsigned>(draw(options_.longest_pause + 1));
    copies_ = stores_ && options_.spare && draw(8) == 0 ? 2 : 0;
    blocks_ = draw(2) != 0;
  }
  void advance(bool taken) {
    if (pause_ != 0) {
      --pause_;
      return;
    }
    if (taken) {
      if (!out_.access->store) ++loads_;
      if (copies_ != 0) {
        --copies_;
      } else if (++next_ < order_.size()) {
        begin_line();
      }
    }
    if (next_ == order_.size() && loads_ == 0) phase_ = stores_ ? Phase::kPark : Phase::kEnter;
  }
  [[nodiscard]] SwapAccess access() const {
    SwapAccess access;
    std::uint32_t line = order_[next_];
    access.slot = job_.slot;
    access.store = stores_;
    access.address = image_ + std::uint64_t{line} * kSwapLineBytes;
    if (copies_ != 0) {  // copies the line to the place inside the SM and back
      access.local = true;
      access.store = copies_ == 2;
      access.address = 5;
    }
    if (line < kernel_.simt_lines) {
      access.line = static_cast<std::uint16_t>(line);
      return access;
    }
    line -= kernel_.simt_lines;
    if (line < kernel_.warps * kernel_.registers) {
      access.type = SwapAccess::Type::kRegister;
      access.warp = static_cast<std::uint8_t>(line / kernel_.registers);
      access.reg = static_cast<std::uint8_t>(line % kernel_.registers);
      access.home = home_;
      return access;
    }
    access.type = SwapAccess::Type::kShared;
    access.line = static_cast<std::uint16_t>(line - kernel_.warps * kernel_.registers);
    access.home = shared_home_;
    return access;
  }
  void show() {
    out_ = {};
    out_.job_ready = phase_ == Phase::kIdle;
    if (phase_ == Phase::kPage) out_.page_request = job_.slot;
    // The copy back must be performed before the line is stored.
    if (phase_ == Phase::kLines && pause_ == 0 && next_ < order_.size() && (!stores_ || loads_ == 0)) {
      out_.access = access();
      out_.block_memory = blocks_ && !out_.access->local;
    }
    if (phase_ == Phase::kPark) {
      out_.parked = SwapParked{job_.slot, false, {}};
      out_.parked->entry.word[0] = image_;
    }
    if (phase_ == Phase::kEnter && pause_ == 0) {
      out_.enter = SwapEnter{job_.slot, job_.fresh, job_.in_gid, home_, shared_home_, {}};
      if (!job_.fresh) out_.enter->free = image_;
    }
  }

  const Options options_;
  std::uint64_t state_ = 0;  // state of the random generator
  SwapKernel kernel_;
  Phase phase_ = Phase::kIdle;
  SwapJob job_;
  bool stores_ = false;                      // the part of the job that moves out
  std::uint64_t image_ = 0;                  // device address of the image of the job
  std::vector<std::uint32_t> order_;         // lines of the job's context
  std::size_t next_ = 0;                     // index of the next line in order_
  unsigned pause_ = 0;                       // edges before the next access
  unsigned copies_ = 0;                      // copies of the line inside the SM that precede the access
  bool blocks_ = false;                      // no memory instruction issues beside the access
  unsigned loads_ = 0;                       // loads that have not been performed
  std::uint8_t home_ = 0, shared_home_ = 0;  // homes of the job
  std::array<std::uint8_t, 64> registers_of_{}, shared_of_{};  // [context] its homes
  std::uint8_t spare_registers_ = 0, spare_shared_ = 0;
  SwapOut out_;
};

}  // namespace castor::gpu::test
