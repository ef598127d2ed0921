#include "platforms/experiments/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "castor/base/hash.h"

namespace castor::platforms::experiments {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Estimate::Estimate(const std::vector<Run*>& runs) {
  for (const Run* const run : runs) {
    Guess& guess = guesses_.emplace_back();
    for (const auto& [name, value] : run->parameters.items()) {
      guess.parameters.push_back(base::Hash().add(name).add(value.dump()).value());
    }
    std::sort(guess.parameters.begin(), guess.parameters.end());
  }
}

void Estimate::finished(std::size_t run, double seconds) {
  const std::vector<std::uint64_t> own = guesses_[run].parameters;
  for (Guess& guess : guesses_) {
    std::vector<std::uint64_t> both;
    std::set_intersection(own.begin(), own.end(), guess.parameters.begin(), guess.parameters.end(),
                          std::back_inserter(both));
    if (guess.count != 0 && both.size() < guess.common) continue;
    if (both.size() > guess.common) guess.count = 0;
    if (guess.count == 0) guess.seconds = 0;
    guess.common = both.size();
    guess.seconds += seconds;
    ++guess.count;
  }
}

double Estimate::seconds_of(std::size_t run) const {
  const Guess& guess = guesses_[run];
  return guess.count == 0 ? 0 : guess.seconds / static_cast<double>(guess.count);
}

std::string duration_text(double seconds) {
  const auto all = static_cast<unsigned long long>(std::llround(std::max(0.0, seconds)));
  const auto text = [](unsigned long long value, const char* unit) { return std::to_string(value) + unit; };
  if (all < 60) return text(all, " s");
  if (all < 3600) return text(all / 60, " min ") + text(all % 60, " s");
  return text(all / 3600, " h ") + text(all % 3600 / 60, " min");
}

ProgressLine::ProgressLine(std::string name, const std::vector<Run*>& left, std::size_t there, unsigned workers)
    : name_(std::move(name)),
      there_(there),
      workers_(std::max(1U, workers)),
      estimate_(left),
      states_(left.size(), State::kWaiting),
      began_(left.size()) {}

void ProgressLine::started(std::size_t run) {
  states_[run] = State::kRunning;
  began_[run] = seconds_now();
}

void ProgressLine::finished(std::size_t run) {
  states_[run] = State::kOver;
  estimate_.finished(run, seconds_now() - began_[run]);
}

void ProgressLine::show() const {
  const auto over = static_cast<std::size_t>(std::count(states_.begin(), states_.end(), State::kOver));
  std::string line = name_ + ": " + std::to_string(over) + " of " + std::to_string(states_.size()) + " runs";
  if (there_ != 0) line += " (" + std::to_string(there_) + " were there)";
  if (over != 0 && over != states_.size()) {
    double work = 0, longest = 0;
    const double now = seconds_now();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] == State::kOver) continue;
      const double gone = states_[i] == State::kRunning ? now - began_[i] : 0;
      const double left = std::max(0.0, estimate_.seconds_of(i) - gone);
      work += left;
      longest = std::max(longest, left);
    }
    line += ", about " + duration_text(std::max(longest, work / workers_)) + " left";
  }
  std::fprintf(stderr, "\r%s\033[K", line.c_str());  // the escape sequence clears the rest of the previous line
}

}  // namespace castor::platforms::experiments
