#pragma once

#include <array>
#include <string>
#include <vector>

#include "castor/darsie/counters.h"
#include "castor/darsie/ports.h"
#include "castor/twin/twin.h"

/// Reference machine with the rules of a DARSIE cycle written down one after the other, readable and slow
/// (docs/blocks/darsie.md, "Cycle"). Tests of the stimulus run against it, and the engine is compared with it register
/// by register.
namespace castor::darsie::literal {

/// Rules that can be switched off, one at a time. Some test must notice each.
struct Rules {
  bool free_only_if_written = true;  ///< a row that its leader has not written is not free
  bool oldest_first = true;          ///< a warp takes the oldest version of a register that it has not passed
  bool linger = true;                ///< a row is not free while reads of it may be outstanding
  bool region_end_clears = true;     ///< the end of a region empties the skip table
  bool meet = true;                  ///< warps of the majority wait for each other at branches
  bool stale = true;                 ///< a store makes loads stale for warps that have not passed them
  bool drop = true;                  ///< ... and ends the waits for them
  bool copy_out = true;              ///< a warp that leaves the majority copies its renamed registers
  bool pend_in_match = true;         ///< an entry counts only for a warp that has not passed the instance
};

/// All registers, in one type so that whole states can be compared.
struct State {
  template <std::size_t N>
  using PerWarp = std::array<U64, N>;
  static constexpr unsigned kW = 64, kT = 32, kE = 16, kK = 32;

  PerWarp<kW> live{}, tb{}, maj{}, miss{}, lat{}, two{}, lt0{}, lt1{}, lr0{}, lr1{}, lld{}, lgl{}, stop{}, tk{}, cpy{};
  PerWarp<kW> pend{}, ref{}, ling{};  // bit = row
  std::array<U64, kT> tl{}, en{}, prom{}, base{}, rows{}, slots{}, ctr{}, sync{}, synced{}, noel{}, ptr{};
  std::array<U64, kT> pv{}, pld{}, pgl{};               // bit = entry
  std::array<U64, kT> wb{}, ld{}, gl{}, inv{}, nosk{};  // bit = row
  std::array<std::array<U64, kE>, kT> pc{}, ptwo{}, ptag0{}, ptag1{};
  std::array<std::array<U64, kK>, kT> slot{}, seq{};
  U64 rrf = 0, rrt = 0, cpv = 0, cpw = 0, cpk = 0, err = 0;
};

/// Why a redundant instruction got its verdict.
enum class Why : std::uint8_t {
  kNone,
  kNosk,
  kLast,
  kRelead,
  kNoRow,
  kLatch,
  kAlone,
  kNoElect,
  kPark,
  kLead,
  kSetNoElect,
  kSetSync
};
inline constexpr const char* kWhyNames[] = {"",      "Nosk",    "Last", "Relead", "NoRow",      "Latch",
                                            "Alone", "NoElect", "Park", "Lead",   "SetNoElect", "SetSync"};

class Machine final : public twin::Twin<Block> {
 public:
  explicit Machine(const Params& params, const Rules& rules = {}) : Twin(params), rules_(rules) {}

  const Outputs& settle(const Inputs& in) override;
  void clock(const Inputs& in) override;
  void reset() override;
  [[nodiscard]] base::Cycle quiet() const override;
  void idle(base::Cycle /*n*/) override {}
  [[nodiscard]] Probes probes() const override;

  [[nodiscard]] const State& state() const { return state_; }
  /// Events since construction, by the words of docs/blocks/darsie.md, "Statistics".
  [[nodiscard]] const Counters& counters() const { return counted_; }
  /// Returns the reason of the verdict in the cycle that was settled last.
  [[nodiscard]] Why why() const { return decision_.why; }
  /// Returns the fetch groups of the same cycle in order, such as "SKIP{w1,w2} MISS{w0}".
  [[nodiscard]] std::string groups_text() const;

 private:
  enum class Kind : std::uint8_t { kSkip, kLatch, kMiss };
  struct Group {
    Kind kind;
    unsigned first;  ///< warp that was elected
    U64 warps;
    unsigned two, tag0, tag1;
    unsigned entry;
  };
  struct Decision {
    Why why = Why::kNone;
    unsigned warp = 0, place = 0, ndst = 0, v0 = 0, v1 = 0, k0 = 0, k1 = 0;
    unsigned second = 0;  ///< further redundant instructions of the decode group
  };

  /// Returns the warps of TB t.
  [[nodiscard]] U64 warps_of(unsigned t) const { return warps_of_[t]; }
  [[nodiscard]] U64 majority_of(unsigned t) const { return majority_of_[t]; }
  void count_warps();
  [[nodiscard]] bool complete(unsigned t) const;
  [[nodiscard]] bool probes_table(unsigned w) const;
  [[nodiscard]] bool ready(unsigned w) const;
  [[nodiscard]] Group probe_group(const Inputs& in, unsigned r, U64 rest) const;
  void find_groups(const Inputs& in);
  [[nodiscard]] bool redundant(const Inputs& in, unsigned s) const;
  void decide(const Inputs& in);
  [[nodiscard]] unsigned verdict(const Inputs& in, unsigned s);
  [[nodiscard]] U64 free_rows(unsigned t) const;
  void read_operands(const Inputs& in);

  void count();
  void write_back(const Inputs& in);
  void memory(const Inputs& in);
  void move_groups(const Inputs& in);
  void move_decode(const Inputs& in);
  void elect(const Inputs& in, bool again);
  void drop(const Inputs& in);
  void issue(const Inputs& in);
  void completion();
  void branches_and_leaves(const Inputs& in);
  void barriers(const Inputs& in);
  void copies(const Inputs& in);
  void exits(const Inputs& in);
  void linger(const Inputs& in);
  void tbs(const Inputs& in);
  void region_end(unsigned t);
  [[nodiscard]] U64 errors(const Inputs& in) const;
  [[nodiscard]] bool launches(const Inputs& in, bool slot_free) const;

  Rules rules_;
  State state_;                                            // plain names
  State next_;                                             // primed names
  std::array<U64, State::kT> warps_of_{}, majority_of_{};  // of state_
  Inputs levels_;
  Outputs out_;
  std::vector<Group> groups_;
  Decision decision_;
  Counters counted_;
};

}  // namespace castor::darsie::literal
