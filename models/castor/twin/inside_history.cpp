#include "castor/twin/inside_history.h"

#include <cerrno>
#include <fstream>

#include "castor/base/dump_text.h"
#include "castor/base/output_file.h"

namespace castor::twin {

void InsideHistory::apply(std::string_view changes, State& state) {
  base::each_change(changes, [&state](std::string_view line, std::size_t at) {
    CASTOR_ASSERT(at != std::string_view::npos);
    state[std::string(line.substr(at))] = line;
  });
}

void InsideHistory::append(const State& state, std::string& text) {
  for (const auto& change : state) text.append(change.second).append("\n");
}

void InsideHistory::look(std::uint64_t picoseconds) {
  CASTOR_ASSERT(kept_.empty() || kept_.back().first < picoseconds);
  kept_.emplace_back(picoseconds, inside_.changes());
  if (read_) apply(kept_.back().second, unread_);
  if (kept_.size() <= moments_) return;
  apply(kept_.front().second, before_);
  kept_.pop_front();
}

const std::string& InsideHistory::changes() {
  if (!read_) {
    read_ = true;
    unread_ = before_;
    for (const auto& moment : kept_) apply(moment.second, unread_);
  }
  text_.clear();
  for (const auto& [identifier, change] : unread_) {  // skips a signal that has returned to its old value
    std::string& told = told_[identifier];
    if (told == change) continue;
    told = change;
    text_.append(change).append("\n");
  }
  unread_.clear();
  return text_;
}

void InsideHistory::write(const std::string& path, std::uint64_t from) const {
  errno = 0;
  std::ofstream file(path);
  State state = before_;
  auto moment = kept_.begin();
  for (; moment != kept_.end() && moment->first <= from; ++moment) apply(moment->second, state);
  std::string text;
  append(state, text);
  file << "$timescale 1ps $end\n" << inside_.declarations() << "$enddefinitions $end\n#" << from << '\n' << text;
  for (; moment != kept_.end(); ++moment) file << '#' << moment->first << '\n' << moment->second;
  file.close();
  if (!file) throw base::cannot_write(path);
}

}  // namespace castor::twin
