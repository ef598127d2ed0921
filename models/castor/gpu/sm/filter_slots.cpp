#include "castor/gpu/sm/filter_slots.h"

#include <algorithm>
#include <iterator>

#include "castor/base/error.h"

namespace castor::gpu {

IssueSlot FilterSlots::slot_of(unsigned w, std::uint32_t pc) const {
  const WarpState& warp = warps_[w];
  const Decoded& decoded = warp.decoded[pc];
  const FilterDecoder::Verdict& verdict = decoder_.verdict(w, pc);
  const unsigned slots = pools_[warp.tb].slots;
  IssueSlot slot;
  slot.warp = static_cast<std::uint8_t>(w);
  slot.lead = verdict.lead;
  std::copy(std::begin(verdict.tag), std::end(verdict.tag), std::begin(slot.tag));
  if (!terms_.marked && decoded.dst_count > 2) return slot;
  for (unsigned i = 0; i < decoded.dst_count && decoded.dst + i < slots; ++i) {
    CASTOR_ASSERT_AT(clock_.now(), slot.ndst < 2, "an instruction writes more than two registers that can be renamed");
    slot.dst[slot.ndst++] = static_cast<std::uint8_t>(decoded.dst + i);
  }
  for (unsigned i = 0; terms_.marked && i < decoded.source_count; ++i) {
    if (decoded.sources[i] >= slots) continue;
    CASTOR_ASSERT_AT(clock_.now(), slot.nsrc < kMaxOperands,
                     "an instruction reads more than %u registers that can be renamed", kMaxOperands);
    slot.src[slot.nsrc++] = decoded.sources[i];
  }
  return slot;
}

void FilterSlots::find(const Picks& picks, FetchIn& in) {
  for (unsigned which = 0; which < machine_.issue.per_warp; ++which) {
    for (unsigned s = 0; s < machine_.schedulers; ++s) {
      for (unsigned j = 0; j < machine_.issue.warps; ++j) {
        if (picks[s][j] < 0) continue;
        const unsigned w = static_cast<std::uint8_t>(picks[s][j]);
        if ((pools_.warps() & warp_bit(w)) == 0) continue;
        if (which == 1 && (buffer_.size(w) < 2 || buffer_.pool(w) >= UnitPool::kControl)) continue;
        const std::uint32_t pc = warps_[w].pc + which;
        pcs_[count_] = pc;
        places_[w][which] = static_cast<std::uint8_t>(count_);
        slots_[count_++] = slot_of(w, pc);
      }
    }
  }
  in.issued = {slots_.data(), count_};
}

void FilterSlots::take(const FetchOut& said) { std::copy_n(std::begin(said.rename), count_, renames_.begin()); }

unsigned FilterSlots::index_of(unsigned w, std::uint32_t pc) const {
  for (const unsigned place : places_[w]) {
    if (place < count_ && slots_[place].warp == w && pcs_[place] == pc) return place;
  }
  CASTOR_ASSERT_AT(clock_.now(), false, "warp %u issues an instruction that its fetch filter has not decoded", w);
  return 0;
}

const IssueSlot& FilterSlots::issue(unsigned w, std::uint32_t pc) {
  return issued_slots_[issued_count_++] = slots_[index_of(w, pc)];
}

const IssueRename& FilterSlots::rename(unsigned w, std::uint32_t pc) const { return renames_[index_of(w, pc)]; }

void FilterSlots::report_issued(FetchIn& in) const { in.issued = {issued_slots_.data(), issued_count_}; }

}  // namespace castor::gpu
