#include "castor/hookup/darsie/compared/uniform_vector.h"

#include <algorithm>

namespace castor::hookup {

void UniformVector::attach(const gpu::HookSite& site) {
  site.terms->fetch = false;
  site.terms->values = true;
  statistics_ = std::make_unique<UniformVectorStatistics>(*site.statistics);
}

void UniformVector::reset() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  tb_of_ = {};
  uses_ = 0;
  out_ = {};
}

bool UniformVector::is_candidate(const gpu::IssueValues& values) {
  constexpr std::uint8_t kRedundant = 2;
  return values.arithmetic && values.full && values.mark == kRedundant && values.results == 1 &&
         values.sources <= kSources && values.uniform == (1U << values.sources) - 1;
}

UniformVector::Entry* UniformVector::find(unsigned warp, const gpu::IssueValues& values) {
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

const gpu::FetchOut& UniformVector::settle(const gpu::FetchIn& in) {
  for (std::size_t i = 0; i < in.values.size; ++i) {
    const gpu::IssueValues& values = in.values[i];
    const Entry* const entry = is_candidate(values) ? find(in.issued[i].warp, values) : nullptr;
    out_.rename[i].reuse = entry != nullptr && in.now > entry->written;
  }
  return out_;
}

// Updates the buffer for an instruction. No entry has been filled since `settle`, so hit or miss is as in `settle`.
void UniformVector::look_up(unsigned warp, const gpu::IssueValues& values, gpu::Cycle now) {
  Entry* entry = find(warp, values);
  const bool hit = entry != nullptr && now > entry->written;
  ++(hit ? statistics_->hits : statistics_->misses);
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
  for (std::size_t i = 0; i < in.values.size; ++i) {
    if (is_candidate(in.values[i])) look_up(in.issued[i].warp, in.values[i], in.now);
  }
  if (!in.start) return;
  for (Entry& entry : entries_) entry.valid = entry.valid && entry.tb != in.start->tb;
  for (gpu::WarpMask left = in.start->warps; left != 0; left &= left - 1) {
    tb_of_[static_cast<unsigned>(__builtin_ctzll(left))] = in.start->tb;
  }
}

}  // namespace castor::hookup
