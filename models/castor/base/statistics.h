#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace castor::base {

class StatisticGroup;

/// Name, unit and meaning of a statistic, given where the statistic is declared and used by reports and documents. The
/// three texts must live as long as the statistic (string literals).
struct StatisticInfo {
  const char* name;     // lower_snake, unique in its group
  const char* unit;     // "cycles", "bytes", "" for a plain count
  const char* meaning;  // one line
};

/// A number that a report prints. A statistic registers itself with its group, which must outlive it. It is not copied
/// or moved.
class Statistic {
 public:
  Statistic(StatisticGroup& group, StatisticInfo info);
  Statistic(const Statistic&) = delete;
  Statistic& operator=(const Statistic&) = delete;
  virtual ~Statistic();

  [[nodiscard]] const StatisticInfo& info() const { return info_; }
  /// True for whole numbers, which reports print from `integer()`; others from `real()`.
  [[nodiscard]] virtual bool is_integer() const = 0;
  [[nodiscard]] virtual std::uint64_t integer() const = 0;
  [[nodiscard]] virtual double real() const = 0;
  virtual void reset() = 0;

  /// Returns the number of integers of which `integer()` is composed, such as the elements of an array; 0 if it is a
  /// single number. Reports and the hash include all parts.
  [[nodiscard]] virtual std::size_t parts() const { return 0; }
  [[nodiscard]] virtual std::uint64_t part(std::size_t /*index*/) const { return 0; }
  /// Returns the name of a part; empty if parts are numbered.
  [[nodiscard]] virtual std::string part_name(std::size_t /*index*/) const { return {}; }

 private:
  StatisticGroup& group_;
  StatisticInfo info_;
};

/// An event count. Incrementing costs one addition.
class Counter final : public Statistic {
 public:
  using Statistic::Statistic;

  Counter& operator++() {
    ++value_;
    return *this;
  }
  Counter& operator+=(std::uint64_t amount) {
    value_ += amount;
    return *this;
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] bool is_integer() const override { return true; }
  [[nodiscard]] std::uint64_t integer() const override { return value_; }
  [[nodiscard]] double real() const override { return static_cast<double>(value_); }
  void reset() override { value_ = 0; }

 private:
  std::uint64_t value_ = 0;
};

/// Event counts by index, for example one per entry of the kernel table. `integer()` is their sum. JSON shows an array.
/// Text shows the sum, then one line "name[index]" for each count that is not 0.
class CounterArray final : public Statistic {
 public:
  CounterArray(StatisticGroup& group, StatisticInfo info, std::size_t size);

  /// Returns the count at `index` for the caller to add to; `index` must be below the size (not checked).
  std::uint64_t& operator[](std::size_t index) { return values_[index]; }
  [[nodiscard]] std::uint64_t value(std::size_t index) const { return values_[index]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  [[nodiscard]] bool is_integer() const override { return true; }
  [[nodiscard]] std::uint64_t integer() const override;
  [[nodiscard]] double real() const override { return static_cast<double>(integer()); }
  void reset() override;
  [[nodiscard]] std::size_t parts() const override { return values_.size(); }
  [[nodiscard]] std::uint64_t part(std::size_t index) const override { return values_[index]; }

 private:
  std::vector<std::uint64_t> values_;
};

/// Distribution of recorded values in power-of-two bins. Bin 0 holds 0, bin k holds 2^(k-1) .. 2^k - 1, the last bin
/// also all larger values. `integer()` is the number of recorded values. Parts: this number, the sum of the values
/// (modulo 2^64), the largest value, then the bins, each named by its lowest value. `record` costs a few instructions
/// and allocates nothing.
class Histogram final : public Statistic {
 public:
  /// `bins`: number of bins, 2 to 65.
  Histogram(StatisticGroup& group, StatisticInfo info, std::size_t bins = 16);

  /// Records `value` as if it had occurred `times` times.
  void record(std::uint64_t value, std::uint64_t times = 1) {
    const std::size_t bin = value == 0 ? 0 : 64 - static_cast<std::size_t>(__builtin_clzll(value));
    bins_[bin < bins_.size() ? bin : bins_.size() - 1] += times;
    count_ += times;
    sum_ += value * times;
    if (value > largest_ && times != 0) largest_ = value;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t largest() const { return largest_; }
  [[nodiscard]] std::uint64_t bin(std::size_t index) const { return bins_[index]; }
  [[nodiscard]] std::size_t bins() const { return bins_.size(); }

  [[nodiscard]] bool is_integer() const override { return true; }
  [[nodiscard]] std::uint64_t integer() const override { return count_; }
  [[nodiscard]] double real() const override { return static_cast<double>(count_); }
  void reset() override;
  [[nodiscard]] std::size_t parts() const override { return 3 + bins_.size(); }
  [[nodiscard]] std::uint64_t part(std::size_t index) const override;
  [[nodiscard]] std::string part_name(std::size_t index) const override;

 private:
  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0, sum_ = 0, largest_ = 0;
};

/// Sum of one statistic over several groups: the statistics at the same path in all groups of `over` whose names start
/// with `prefix`. Example: the total of a GPU over its SMs. The sum is computed on reading, from `integer()` of arrays
/// and histograms. `reset` has no effect on it.
class Total final : public Statistic {
 public:
  /// Sums "<prefix>*.<path>"; `over` must outlive the total. Groups without this statistic count 0.
  Total(StatisticGroup& group, StatisticInfo info, const StatisticGroup& over, std::string prefix, std::string path)
      : Statistic(group, info), over_(over), prefix_(std::move(prefix)), path_(std::move(path)) {}

  [[nodiscard]] bool is_integer() const override { return true; }
  [[nodiscard]] std::uint64_t integer() const override;
  [[nodiscard]] double real() const override { return static_cast<double>(integer()); }
  void reset() override {}

 private:
  const StatisticGroup& over_;
  std::string prefix_, path_;
};

/// A value computed from other statistics on reading, such as a rate. `reset` has no effect on it.
class Formula final : public Statistic {
 public:
  Formula(StatisticGroup& group, StatisticInfo info, std::function<double()> compute);

  [[nodiscard]] bool is_integer() const override { return false; }
  [[nodiscard]] std::uint64_t integer() const override;
  [[nodiscard]] double real() const override { return compute_(); }
  void reset() override {}

 private:
  std::function<double()> compute_;
};

/// A named set of statistics and of nested groups: the tree that a report walks. A group registers itself with its
/// parent, which must outlive it. It is not copied or moved. Not thread-safe.
class StatisticGroup {
 public:
  explicit StatisticGroup(std::string name) : name_(std::move(name)) {}
  StatisticGroup(StatisticGroup& parent, std::string name);
  StatisticGroup(const StatisticGroup&) = delete;
  StatisticGroup& operator=(const StatisticGroup&) = delete;
  ~StatisticGroup();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Statistic*>& statistics() const { return statistics_; }
  [[nodiscard]] const std::vector<StatisticGroup*>& groups() const { return groups_; }

  /// Returns the statistic at a dotted path below this group ("sm0.issued"), nullptr if it does not exist.
  [[nodiscard]] const Statistic* find(const std::string& path) const;
  /// Sets all statistics below this group to zero.
  void reset();

  /// Returns one line per statistic, "path value unit  # meaning", in order of declaration, each followed by its parts
  /// that are not 0.
  [[nodiscard]] std::string text() const;
  /// Returns a JSON object: groups are objects; statistics are numbers, or arrays or objects of their parts. A value
  /// that is no finite number is null.
  [[nodiscard]] std::string json(int indent = 2) const;
  /// Returns a JSON object of the same shape, whose leaves are {"unit": ..., "meaning": ...}.
  [[nodiscard]] std::string json_legend(int indent = 2) const;
  /// Returns a hash of all paths and whole-number values below this group: equal runs have equal hashes.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  friend class Statistic;
  void add(Statistic* statistic);
  void remove(const Statistic* statistic);

  std::string name_;
  StatisticGroup* parent_ = nullptr;
  std::vector<Statistic*> statistics_;
  std::unordered_set<std::string_view> names_;
  std::vector<StatisticGroup*> groups_;
};

}  // namespace castor::base
