#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace castor::base {

class StatisticGroup;

/// What every statistic carries from where it is declared: name, unit and meaning. Reports and documents take them
/// from here. All three must live as long as the statistic (string literals).
struct StatisticInfo {
  const char* name;     // lower_snake, unique in its group
  const char* unit;     // "cycles", "bytes", "" for a plain count
  const char* meaning;  // one line
};

/// A number that a report prints. Registers itself with its group, which must outlive it; it is not copied or moved.
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

  /// Whole numbers that `integer()` is made of, such as the elements of an array; none for a plain number. Reports and
  /// the hash hold them all.
  [[nodiscard]] virtual std::size_t parts() const { return 0; }
  [[nodiscard]] virtual std::uint64_t part(std::size_t /*index*/) const { return 0; }
  /// Name of a part; empty if parts are numbered.
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

/// Event counts by index, such as the kernel table's entries. `integer()` is their sum. In JSON an array; in text one
/// line "name[index]" for each that is not 0, behind the sum.
class CounterArray final : public Statistic {
 public:
  CounterArray(StatisticGroup& group, StatisticInfo info, std::size_t size);

  /// The count of an index, to be added to; `index` below the size (not checked).
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

/// How often which values came, in power-of-two bins: bin 0 holds 0, bin k holds 2^(k-1) .. 2^k - 1, the last bin all
/// above too. `integer()` is how many came. Parts: their number, their sum (modulo 2^64), the largest, then the bins,
/// named by their lowest value. `record` costs a few instructions and allocates nothing.
class Histogram final : public Statistic {
 public:
  /// `bins`: 2 to 65.
  Histogram(StatisticGroup& group, StatisticInfo info, std::size_t bins = 16);

  /// `value` came `times` times.
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

/// Sum of the statistics of one path in all groups below `over` whose names start with `prefix`: the total of a GPU
/// over its SMs. Computed when it is read; of arrays and histograms the sum of `integer()`. Not reset.
class Total final : public Statistic {
 public:
  /// Sums up "<prefix>*.<path>"; `over` must outlive the total. Groups without such a statistic count 0.
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

/// A value computed from others when it is read, such as a rate. Not reset.
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

/// A named set of statistics and of further groups: the tree that a report walks. A group registers itself with its
/// parent, which must outlive it; it is not copied or moved. Not thread-safe.
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

  /// Statistic of a dotted path below this group ("sm0.issued"), nullptr if there is none.
  [[nodiscard]] const Statistic* find(const std::string& path) const;
  /// Sets all below to zero.
  void reset();

  /// One line per statistic, "path value unit  # meaning", in order of declaration; parts that are not 0 follow.
  [[nodiscard]] std::string text() const;
  /// JSON object: groups are objects, statistics are numbers, or arrays or objects of their parts; a value that is no
  /// finite number is null.
  [[nodiscard]] std::string json(int indent = 2) const;
  /// JSON object with the same shape whose leaves are {"unit": ..., "meaning": ...}.
  [[nodiscard]] std::string json_legend(int indent = 2) const;
  /// Hash over all paths and whole-number values below: equal runs have equal hashes.
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
