#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tb/common/cover.h"

/// Classes that define cover points. A cover point has a name and a condition on a subject. A subject is the object
/// that a point observes: a cycle (inputs, outputs, probes, parameters, previous cycle), a scheduler in a cycle, an
/// event, or a pair of events. The block's BlockPoints computes the subjects and passes each subject to the tables for
/// its type. The tables count the hits.
namespace castor::tb {

/// Parameter features that a point requires, as a bit mask. The block defines the bits; the point exists only if all
/// its bits are set.
using Needs = std::uint32_t;

/// Destination of new points, and the features of the current parameters. A point that requires a missing feature is
/// not added.
struct CoverList {
  Cover& cover;
  Needs has = 0;

  [[nodiscard]] bool can(Needs needs) const { return (needs & ~has) == 0; }
};

/// Row of a point table: the point is hit by each subject for which `seen` returns true.
template <class Subject>
struct PointRow {
  std::string name;
  Needs needs;
  std::function<bool(const Subject&)> seen;
  bool long_run = false;
};

/// Table of cover points that each have a condition of their own.
template <class Subject>
class Points {
 public:
  Points(const CoverList& list, std::vector<PointRow<Subject>> rows) : cover_(list.cover), first_(cover_.size()) {
    for (PointRow<Subject>& row : rows) {
      if (!list.can(row.needs)) continue;
      cover_.add(std::move(row.name), row.long_run);
      seen_.push_back(std::move(row.seen));
    }
  }

  void see(const Subject& subject) {
    unsigned point = first_;
    for (const auto& seen : seen_) cover_.hit_if(point++, seen(subject));
  }

  /// Returns whether every point has been hit. A caller whose subjects are expensive to compute may then stop.
  [[nodiscard]] bool reached() const {
    for (unsigned i = 0; i < seen_.size(); ++i) {
      if (cover_.hits(first_ + i) == 0) return false;
    }
    return true;
  }

 private:
  Cover& cover_;
  unsigned first_;  // number of the table's first point; the table's other points have the following numbers
  std::vector<std::function<bool(const Subject&)>> seen_;
};

/// Table of cover points of which each subject hits exactly one: `which` returns its index. An index without a name has
/// no point.
template <class Subject>
class OneOf {
 public:
  using Which = std::function<std::size_t(const Subject&)>;

  OneOf(const CoverList& list, const std::vector<std::string>& names, Which which)
      : cover_(list.cover), which_(std::move(which)) {
    for (const std::string& name : names) numbers_.push_back(name.empty() ? kNone : cover_.add(name));
  }

  void see(const Subject& subject) {
    const std::size_t which = which_(subject);
    if (which < numbers_.size() && numbers_[which] != kNone) cover_.hit(numbers_[which]);
  }

 private:
  static constexpr unsigned kNone = ~0U;
  Cover& cover_;
  std::vector<unsigned> numbers_;
  Which which_;
};

/// Returns the names of all pairs, for OneOf. The index of a pair is first * (number of seconds) + second.
[[nodiscard]] inline std::vector<std::string> crossed(const std::vector<std::string>& firsts,
                                                      const std::vector<std::string>& seconds) {
  std::vector<std::string> names;
  for (const std::string& first : firsts) {
    for (const std::string& second : seconds) names.push_back(first + second);
  }
  return names;
}

/// State transitions of a state machine, one point each. The states are an enumeration with names. A transition that is
/// not listed is impossible.
template <class State>
class Arcs {
 public:
  struct Arc {
    State from, to;
    Needs needs = 0;
  };

  /// `silent` transitions are allowed but have no point.
  Arcs(const CoverList& list, const std::vector<Arc>& arcs, const std::vector<Arc>& silent = {})
      : cover_(list.cover), numbers_(kStates * kStates, kImpossible) {
    for (const Arc& arc : arcs) {
      if (list.can(arc.needs)) numbers_[place(number(arc.from), number(arc.to))] = cover_.add(name(arc.from, arc.to));
    }
    for (const Arc& arc : silent) numbers_[place(number(arc.from), number(arc.to))] = kSilent;
  }

  /// Returns whether `state` is the number of a state.
  [[nodiscard]] static bool exists(unsigned state) { return state < kStates; }
  /// Records a transition; exists() must hold for both numbers.
  void see(unsigned from, unsigned to) {
    const unsigned point = numbers_[place(from, to)];
    if (point == kImpossible) {
      cover_.impossible(name(static_cast<State>(from), static_cast<State>(to)));
    } else if (point != kSilent) {
      cover_.hit(point);
    }
  }
  void see(State from, State to) { see(number(from), number(to)); }

 private:
  static constexpr std::size_t kStates = std::size(enum_names(State{}));
  static constexpr unsigned kImpossible = ~0U, kSilent = ~0U - 1;

  [[nodiscard]] static unsigned number(State state) { return static_cast<unsigned>(state); }
  [[nodiscard]] static std::size_t place(unsigned from, unsigned to) { return from * kStates + to; }
  [[nodiscard]] static std::string name(State from, State to) {
    return std::string(enum_names(State{})[number(from)]) + " -> " + enum_names(State{})[number(to)];
  }

  Cover& cover_;
  std::vector<unsigned> numbers_;
};

/// An event that changes a register.
template <class Subject>
struct EventRow {
  std::string name;
  std::string on;  ///< name of the probe of the changed register
  Needs needs;
  std::function<bool(const Subject&)> seen;
};
/// A pair of events that cannot be simultaneous, with the reason.
struct Apart {
  std::string first, second, reason;
};

/// Cover points for each pair of simultaneous events on one register: "FIRST meets SECOND on REGISTER". A pair that
/// cannot be simultaneous is waived with its reason, and is recorded as impossible if it occurs.
template <class Subject>
class Simultaneous {
 public:
  Simultaneous(const CoverList& list, const std::vector<EventRow<Subject>>& rows, const std::vector<Apart>& apart = {})
      : cover_(list.cover) {
    for (const EventRow<Subject>& row : rows) {
      if (list.can(row.needs)) events_.push_back(row);
    }
    for (std::size_t second = 0; second < events_.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        if (events_[first].on != events_[second].on) continue;
        pairs_.push_back({first, second, 0, false});
        pairs_.back().point = cover_.add(name(pairs_.back()));
        for (const Apart& two : apart) {
          const bool these = (two.first == events_[first].name && two.second == events_[second].name) ||
                             (two.second == events_[first].name && two.first == events_[second].name);
          if (!these) continue;
          cover_.waive(name(pairs_.back()), two.reason);
          pairs_.back().apart = true;
        }
      }
    }
    happen_.resize(events_.size());
  }

  void see(const Subject& subject) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      happen_[i] = events_[i].seen(subject) ? 1 : 0;
      number += happen_[i];
    }
    if (number < 2) return;
    for (const Pair& pair : pairs_) {
      if (happen_[pair.first] == 0 || happen_[pair.second] == 0) continue;
      cover_.hit(pair.point);
      if (pair.apart) cover_.impossible(name(pair));
    }
  }

 private:
  struct Pair {
    std::size_t first, second;
    unsigned point;
    bool apart;
  };
  [[nodiscard]] std::string name(const Pair& pair) const {
    return events_[pair.first].name + " meets " + events_[pair.second].name + " on " + events_[pair.second].on;
  }

  Cover& cover_;
  std::vector<EventRow<Subject>> events_;
  std::vector<Pair> pairs_;
  std::vector<unsigned char> happen_;
};

/// Returns the block's probes that no event in `rows` changes and that have no entry in `reasons`, i.e. registers that
/// are missing in the table of events.
template <class Block, class Subject>
[[nodiscard]] std::vector<std::string> forgotten_registers(
    const std::vector<EventRow<Subject>>& rows, const std::vector<std::pair<std::string, std::string>>& reasons) {
  std::vector<std::string> forgotten;
  Block::each_probe(
      [&](const auto& port, auto, auto) {
        const auto moves = [&](const EventRow<Subject>& row) { return row.on == port.name; };
        const auto explains = [&](const auto& reason) { return reason.first == port.name && !reason.second.empty(); };
        if (std::none_of(rows.begin(), rows.end(), moves) && std::none_of(reasons.begin(), reasons.end(), explains)) {
          forgotten.emplace_back(port.name);
        }
      },
      typename Block::Params{});
  return forgotten;
}

/// Cover points for the limits of a counter or level: "NAME at its least", "NAME at its most", and "NAME wraps" for a
/// counter that wraps. A value outside the limits is impossible.
template <class Subject>
class Range {
 public:
  enum class Ends : std::uint8_t { kStays, kWraps };
  using Value = std::function<std::uint64_t(const Subject&)>;

  Range(const CoverList& list, const std::string& name, std::uint64_t least, std::uint64_t most, Ends ends, Value value)
      : cover_(list.cover), name_(name), least_(least), most_(most), value_(std::move(value)) {
    at_least_ = cover_.add(name + " at its least");
    at_most_ = cover_.add(name + " at its most");
    if (ends == Ends::kWraps) wraps_ = cover_.add(name + " wraps");
  }

  void see(const Subject& subject) {
    const std::uint64_t value = value_(subject);
    if (value < least_ || value > most_) cover_.impossible(name_ + " out of its range");
    cover_.hit_if(at_least_, value == least_);
    cover_.hit_if(at_most_, value == most_);
    if (wraps_ && last_) cover_.hit_if(*wraps_, *last_ == most_ && value == least_ && least_ != most_);
    last_ = value;
  }

 private:
  Cover& cover_;
  std::string name_;
  std::uint64_t least_, most_;
  Value value_;
  unsigned at_least_ = 0, at_most_ = 0;
  std::optional<unsigned> wraps_;
  std::optional<std::uint64_t> last_;
};

}  // namespace castor::tb
