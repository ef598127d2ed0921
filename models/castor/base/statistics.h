#pragma once

#include <cstdint>
#include <functional>
#include <string>
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

  /// One line per statistic, "path value unit  # meaning", in order of declaration.
  [[nodiscard]] std::string text() const;
  /// JSON object: groups are objects, statistics are numbers; a value that is no finite number is null.
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
  std::vector<StatisticGroup*> groups_;
};

}  // namespace castor::base
