#include "castor/hookup/darsie/compared/uniform_vector.h"

#include <algorithm>

namespace castor::hookup {

void UniformVector::attach(const gpu::HookSite& site) {
  ComparedSystem::attach(site);
  statistics_ = std::make_unique<UniformVectorStatistics>(*site.statistics);
}

void UniformVector::reset() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  tb_of_ = {};
  uses_ = 0;
  issued_.clear();
  issued_.reserve(gpu::kMaxIssue);
  out_ = {};
}

bool UniformVector::is_candidate(const IssueValues& values) {
  constexpr std::uint8_t kRedundant = 2;
  return values.arithmetic && values.full && values.mark == kRedundant && values.results == 1 &&
         values.sources <= kSources && values.uniform == (1U << values.sources) - 1;
}

UniformVector::Entry* UniformVector::find(unsigned warp, const IssueValues& values) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.pc == values.pc && entry.valid && entry.tb == tb_of_[warp] && entry.sources == values.sources &&
           std::equal(values.value, values.value + values.sources, entry.value.begin());
  });
  return found == entries_.end() ? nullptr : &*found;
}

UniformVector::Entry& UniformVector::victim() {
  Entry& oldest = *std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return (a.valid ? a.used : 0) < (b.valid ? b.used : 0);
  });
  if (oldest.valid) ++statistics_->evictions;
  return oldest;
}

bool UniformVector::hits(unsigned warp, const IssueValues& values) {
  const Entry* const entry = find(warp, values);
  return entry != nullptr && now_ > entry->written;
}

const gpu::FetchOut& UniformVector::settle(const gpu::FetchIn& in) {
  now_ = in.now;
  return out_;
}

bool UniformVector::issue(const gpu::StudyIssue& issue) {
  issued_.push_back({issue.warp, issue_values(*sm_, issue)});
  const IssueValues& values = issued_.back().values;
  return is_candidate(values) && hits(issue.warp, values);
}

// Updates the buffer for an instruction. It hits or misses as it did at its issue: entries that were filled since then,
// by other instructions of the tick, are not written yet.
void UniformVector::look_up(const Issued& issued) {
  const auto& [warp, values] = issued;
  ++(hits(warp, values) ? statistics_->hits : statistics_->misses);
  Entry* entry = find(warp, values);
  if (entry == nullptr) {
    entry = &victim();
    *entry = {};
    entry->valid = true;
    entry->tb = tb_of_[warp];
    entry->sources = values.sources;
    std::copy_n(values.value, values.sources, entry->value.begin());
    entry->pc = values.pc;
    entry->written = values.written;
  }
  entry->used = ++uses_;
}

void UniformVector::clock(const gpu::FetchIn& in) {
  // All instructions of a tick see the entries of earlier ticks; an entry of this tick does not hit before its
  // write-back.
  for (const Issued& issued : issued_) {
    if (is_candidate(issued.values)) look_up(issued);
  }
  issued_.clear();
  if (!in.start) return;
  for (Entry& entry : entries_) entry.valid = entry.valid && entry.tb != in.start->tb;
  for (gpu::WarpMask left = in.start->warps; left != 0; left &= left - 1) {
    tb_of_[static_cast<unsigned>(__builtin_ctzll(left))] = in.start->tb;
  }
}

}  // namespace castor::hookup
