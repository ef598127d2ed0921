#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/sync_support.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu::test {

/// A swap engine that does one job at a time. It stores the lines of a context to its image in random order, and loads
/// those of another one, which may come into the same context, in another order. Order and pauses follow from a seed.
/// With `live` it moves only the registers that are live at the site of the job; the lines of an image lie side by
/// side.
///
/// With spare storage (SwapKernel) most thread blocks of an agent's jobs stay in the SM: in their homes, with their
/// SIMT lines in a place, or with one home and a copy of the rest. A bit of the seed says whether a thread block that
/// comes from memory gets other homes.
///
/// With `segments` it moves no line that a read-only segment covers to memory or to a place, and loads it from global
/// memory. The segments of a thread block that comes in are known when its SIMT lines are there, so other lines follow.
class RandomSwapEngine final : public SwapEngine {
 public:
  struct Options {
    std::uint64_t seed = 1;
    unsigned longest_pause = 3;  ///< most edges between two accesses
    unsigned enter_pause = 0;    ///< edges before `enter` of a job that moves nothing in
    bool live = false;           ///< registers that are dead at the site of a job are not moved
    std::uint8_t homes = 64;     ///< SwapStorage::register_homes and shared_homes; 0 = nothing stays in the SM
    std::uint8_t places = 24;    ///< SwapStorage::places
    std::uint8_t queue = 16;     ///< SwapStorage::queue
    std::uint8_t segments = 0;   ///< SwapStorage::segments
  };
  explicit RandomSwapEngine(const Options& options) : options_(options) {}

  /// Images hold whole contexts: the control state and the predicates of a warp lie in SIMT lines.
  [[nodiscard]] static SwapLimits limits() {
    SwapLimits limits;
    limits.images = true;
    limits.warp_bytes = 80 + 32;
    return limits;
  }

  [[nodiscard]] const char* block() const override { return "shuttle"; }
  [[nodiscard]] SwapStorage storage() const override {
    SwapStorage storage;
    storage.register_homes = storage.shared_homes = options_.homes;
    storage.places = options_.places;
    storage.queue = options_.queue;
    storage.segments = options_.segments;
    return storage;
  }
  void attach(const HookSite& site) override { state_ = mix(options_.seed * 1000 + site.sm); }
  void reset() override {
    phase_ = Phase::kIdle;
    live_ = {};
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
        return out_.access || (next_ == order_.size() && loads_ == 0) ? 0 : kForever;
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
    if (in.sites) live_[in.sites->site] = in.sites->live;
    if (in.segment) segments_.at(in.segment->slot).at(in.segment->index) = *in.segment;
    if (in.load_done) --loads_;
    switch (phase_) {
      case Phase::kIdle:
        if (in.job) begin(*in.job, in.local_room);
        break;
      case Phase::kPage:
        if (!in.page) break;
        to_.image = *in.page;
        begin_lines();
        break;
      case Phase::kLines:
        advance(in.access_taken);
        break;
      case Phase::kPark:
        if (!in.park_ready) break;
        segments_[job_.slot] = {};
        begin_in();
        break;
      case Phase::kEnter:
        if (pause_ != 0) {
          --pause_;
          break;
        }
        if (!in.enter_ready) break;
        enter();
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
  /// Where the context of a thread block is. kMemory: in its image. kHomes: in its homes, with its SIMT lines in a
  /// place. kCopy: SIMT lines and registers (shared memory) in a place, shared memory (registers) in its home.
  enum class Kind : std::uint8_t { kMemory, kHomes, kCopy };
  struct Where {
    Kind kind = Kind::kMemory;
    std::uint8_t site = SwapJob::kAllRegisters, place = 0, register_home = 0, shared_home = 0;
    std::uint64_t image = 0;

    [[nodiscard]] SwapEntry pack() const {
      SwapEntry entry;
      entry.word[0] = image;
      entry.word[1] = static_cast<std::uint64_t>(kind) | std::uint64_t{site} << 8U | std::uint64_t{place} << 16U |
                      std::uint64_t{register_home} << 24U | std::uint64_t{shared_home} << 32U;
      return entry;
    }
    [[nodiscard]] static Where unpack(const SwapEntry& entry) {
      const auto byte = [&entry](unsigned at) { return static_cast<std::uint8_t>(entry.word[1] >> at); };
      return {static_cast<Kind>(byte(0)), byte(8), byte(16), byte(24), byte(32), entry.word[0]};
    }
  };
  /// Homes or places that no thread block has.
  using Spare = std::vector<std::uint8_t>;

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
  std::uint8_t take(Spare& spare) {
    std::swap(spare[draw(spare.size())], spare.back());
    const std::uint8_t one = spare.back();
    spare.pop_back();
    return one;
  }
  static Spare numbers(unsigned from, unsigned to) {
    Spare spare;
    for (unsigned i = from; i < to; ++i) spare.push_back(static_cast<std::uint8_t>(i));
    return spare;
  }

  void configure(const SwapKernel& kernel) {
    kernel_ = kernel;
    live_ = {};
    live_[SwapJob::kAllRegisters].fill(~std::uint64_t{0});
    segments_ = {};
    for (unsigned i = 0; i < registers_of_.size(); ++i) {
      registers_of_[i] = shared_of_[i] = static_cast<std::uint8_t>(i);
    }
    spare_registers_ = numbers(kernel.slots, kernel.register_homes);
    spare_shared_ = numbers(kernel.slots, kernel.shared_homes);
    spare_in_place_ = numbers(0, kernel.in_place);
    spare_copies_ = numbers(kernel.in_place, kernel.in_place + kernel.copies);
  }
  /// Returns whether the registers (shared memory) of a context are in its home.
  [[nodiscard]] bool in_home(const Where& where, bool registers) const {
    const SwapDirection copied = registers ? SwapDirection::kRegisters : SwapDirection::kShared;
    return where.kind == Kind::kHomes || (where.kind == Kind::kCopy && kernel_.direction != copied);
  }
  /// Returns where the thread block that moves out can go. If it keeps a home, the context needs another one: that of
  /// the thread block that comes in, or a spare one.
  [[nodiscard]] Kind choose(bool room) {
    if (!room || draw(8) == 0) return Kind::kMemory;
    const bool registers = !spare_registers_.empty() || (!job_.fresh && in_home(Where::unpack(job_.entry), true));
    const bool shared = !spare_shared_.empty() || (!job_.fresh && in_home(Where::unpack(job_.entry), false));
    if (!spare_in_place_.empty() && registers && shared) return Kind::kHomes;
    const bool home = kernel_.direction == SwapDirection::kRegisters ? shared : registers;
    return !spare_copies_.empty() && home && copied_lines() <= kernel_.copy_lines ? Kind::kCopy : Kind::kMemory;
  }
  /// Returns the lines of the thread block that moves out in a place of a copy.
  [[nodiscard]] unsigned copied_lines() const {
    if (kernel_.direction == SwapDirection::kShared) return unsigned{kernel_.simt_lines} + kernel_.shared_lines;
    unsigned live = 0;
    for (unsigned reg = 0; reg < kernel_.registers; ++reg) {
      live += static_cast<unsigned>(live_[to_.site][reg / 64] >> reg % 64 & 1);
    }
    return kernel_.simt_lines + kernel_.warps * live;
  }
  void begin(const SwapJob& job, bool room) {
    job_ = job;
    home_ = registers_of_[job.slot];
    shared_home_ = shared_of_[job.slot];
    stores_ = job.out;
    if (!job.out) {
      segments_[job.slot] = {};
      return begin_in();
    }
    to_ = {};
    to_.site = options_.live ? job.site : SwapJob::kAllRegisters;
    to_.kind = choose(room);
    if (to_.kind == Kind::kMemory) {
      phase_ = Phase::kPage;
      return;
    }
    to_.place = take(to_.kind == Kind::kHomes ? spare_in_place_ : spare_copies_);
    to_.register_home = home_;
    to_.shared_home = shared_home_;
    begin_lines();
  }
  /// Returns the home of the thread block that comes in: its own one, or else a spare one or that of the context.
  [[nodiscard]] std::uint8_t choose_home(bool registers, std::uint8_t old) {
    Spare& spare = registers ? spare_registers_ : spare_shared_;
    const bool kept = job_.out && in_home(to_, registers);
    if (!job_.fresh && in_home(from_, registers)) {
      if (!kept) spare.push_back(old);
      return registers ? from_.register_home : from_.shared_home;
    }
    if (!kept && (spare.empty() || job_.fresh || draw(2) == 0)) return old;
    const std::uint8_t home = take(spare);
    if (!kept) spare.push_back(old);
    return home;
  }
  void begin_in() {
    stores_ = false;
    if (!job_.fresh) from_ = Where::unpack(job_.entry);
    home_ = choose_home(true, home_);
    shared_home_ = choose_home(false, shared_home_);
    if (!job_.fresh) return begin_lines();
    phase_ = Phase::kEnter;
    pause_ = options_.enter_pause;
  }
  void enter() {
    registers_of_[job_.slot] = home_;
    shared_of_[job_.slot] = shared_home_;
    if (job_.fresh || from_.kind == Kind::kMemory) return;
    (from_.kind == Kind::kHomes ? spare_in_place_ : spare_copies_).push_back(from_.place);
  }

  /// Returns where the part of the job that is being done moves its lines to or from.
  [[nodiscard]] const Where& where() const { return stores_ ? to_ : from_; }
  void begin_lines() {
    lines_.clear();
    at_.clear();
    stored_ = 0;
    const bool simt_first = !stores_ && options_.segments != 0;
    add_lines(0, simt_first ? kernel_.simt_lines : all_lines());
  }
  [[nodiscard]] std::uint32_t all_lines() const {
    return kernel_.simt_lines + std::uint32_t{kernel_.warps} * kernel_.registers + kernel_.shared_lines;
  }
  /// Begins to move lines `from` to `end` - 1 of the context.
  void add_lines(std::uint32_t from, std::uint32_t end) {
    order_.clear();
    added_ = end;
    for (std::uint32_t line = from; line < end; ++line) {
      if (!moves(line)) continue;
      if (line != forgotten || stores_ == forgets_load) order_.push_back(static_cast<std::uint32_t>(lines_.size()));
      lines_.push_back(line);
      at_.push_back(covering(line) == nullptr ? stored_++ : 0);
    }
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[draw(i)]);
    next_ = 0;
    phase_ = Phase::kLines;
    begin_line();
  }
  /// Returns the segment that covers a line of the context; null if none does.
  [[nodiscard]] const ReadOnlySegment* covering(std::uint32_t line) const {
    const std::uint32_t before = all_lines() - kernel_.shared_lines;
    for (const ReadOnlySegment& one : segments_[job_.slot]) {
      if (line >= before + one.first && line < before + one.first + one.lines) return &one;
    }
    return nullptr;
  }
  /// Returns whether a line of the context is moved: not those of dead registers, nor lines that stay in a home, nor
  /// those of segments outwards.
  [[nodiscard]] bool moves(std::uint32_t line) const {
    const std::uint32_t registers = std::uint32_t{kernel_.warps} * kernel_.registers;
    if (line < kernel_.simt_lines) return true;
    if (line >= kernel_.simt_lines + registers) {
      return !in_home(where(), false) && (!stores_ || covering(line) == nullptr);
    }
    const std::uint32_t reg = (line - kernel_.simt_lines) % kernel_.registers;
    return !in_home(where(), true) && (live_[where().site][reg / 64] >> reg % 64 & 1) != 0;
  }
  void begin_line() {
    pause_ = static_cast<unsigned>(draw(options_.longest_pause + 1));
    blocks_ = draw(2) != 0;
  }
  void advance(bool taken) {
    if (pause_ != 0) {
      --pause_;
      return;
    }
    if (taken) {
      if (!out_.access->store) ++loads_;
      if (++next_ < order_.size()) begin_line();
    }
    if (next_ != order_.size() || loads_ != 0) return;
    if (added_ != all_lines()) return add_lines(added_, all_lines());
    phase_ = stores_ ? Phase::kPark : Phase::kEnter;
  }
  [[nodiscard]] SwapAccess access() const {
    SwapAccess access;
    std::uint32_t line = lines_[order_[next_]];
    access.slot = job_.slot;
    access.store = stores_;
    access.local = where().kind != Kind::kMemory;
    access.address = access.local ? std::uint64_t{where().place} * kPlaceLines + at_[order_[next_]]
                                  : where().image + std::uint64_t{at_[order_[next_]]} * kSwapLineBytes;
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
    if (const ReadOnlySegment* const segment = stores_ ? nullptr : covering(lines_[order_[next_]])) {
      access.type = SwapAccess::Type::kReadOnly;
      access.local = false;
      access.address = segment->address + std::uint64_t{access.line - unsigned{segment->first}} * kSwapLineBytes;
    }
    return access;
  }
  void show() {
    out_ = {};
    out_.job_ready = phase_ == Phase::kIdle;
    if (phase_ == Phase::kPage) out_.page_request = job_.slot;
    if (phase_ == Phase::kLines && pause_ == 0 && next_ < order_.size()) {
      out_.access = access();
      out_.block_memory = blocks_ && !out_.access->local;
    }
    if (phase_ == Phase::kPark) out_.parked = SwapParked{job_.slot, to_.kind != Kind::kMemory, to_.pack()};
    if (phase_ == Phase::kEnter && pause_ == 0) {
      out_.enter = SwapEnter{job_.slot, job_.fresh, job_.in_gid, home_, shared_home_, {}};
      if (!job_.fresh && from_.kind == Kind::kMemory) out_.enter->free = from_.image;
    }
  }

  const Options options_;
  std::uint64_t state_ = 0;  // state of the random generator
  SwapKernel kernel_;
  Phase phase_ = Phase::kIdle;
  SwapJob job_;
  bool stores_ = false;                                   // the part of the job that moves out
  Where to_, from_;                                       // contexts of the job: of the part that moves out, and in
  std::array<std::array<std::uint64_t, 4>, 128> live_{};  // [site] live registers
  std::vector<std::uint32_t> lines_;                      // lines that are moved: numbers in the context
  std::vector<std::uint32_t> order_;                      // indices of lines_, in the order of the accesses
  std::vector<std::uint32_t> at_;                         // of lines_: line of the image or place
  std::uint32_t stored_ = 0;                              // lines of the image or place
  std::uint32_t added_ = 0;                               // lines of the context before this one are in lines_
  std::array<std::array<ReadOnlySegment, 8>, 64> segments_{};  // [context] its read-only segments
  std::size_t next_ = 0;                                       // index of the next line in order_
  unsigned pause_ = 0;                                         // edges before the next access
  bool blocks_ = false;                                        // no memory instruction issues beside the access
  unsigned loads_ = 0;                                         // loads that have not been performed
  std::uint8_t home_ = 0, shared_home_ = 0;                    // homes of the job
  std::array<std::uint8_t, 64> registers_of_{}, shared_of_{};  // [context] its homes
  Spare spare_registers_, spare_shared_, spare_in_place_, spare_copies_;
  SwapOut out_;
};

}  // namespace castor::gpu::test
