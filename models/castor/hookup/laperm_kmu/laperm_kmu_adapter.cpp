#include "castor/hookup/laperm_kmu/laperm_kmu_adapter.h"

#include <utility>

namespace castor::hookup {

using laperm_kmu::Inputs;
using laperm_kmu::Outputs;

LapermKmuAdapter::LapermKmuAdapter(std::unique_ptr<twin::Twin<laperm_kmu::Block>> twin, bool by_sm)
    : kmu_(std::move(twin)), by_sm_(by_sm) {}

LapermKmuAdapter::~LapermKmuAdapter() = default;

void LapermKmuAdapter::attach(const gpu::HookSite& site) {
  statistics_ = std::make_unique<LapermKmuStatistics>(*site.statistics);
}

void LapermKmuAdapter::reset() {
  kmu_.reset();
  out_.pick.reset();
  changed_ = false;
}

void LapermKmuAdapter::present(const gpu::SourceIn& in) {
  Inputs& to = kmu_.in;
  for (unsigned sm = 0; sm < in.lists.size; ++sm) to.list_rdy[sm] = in.lists[sm];
  to.susp_rdy = in.returns ? 1 : 0;
  for (unsigned word = 0; word < laperm_kmu::QueueBits::kWords; ++word) to.host_rdy.set_word(word, 0);
  const gpu::QueueMask& queues = *in.eligible;
  for (std::size_t queue = queues._Find_first(); queue < queues.size(); queue = queues._Find_next(queue)) {
    to.host_rdy.set(static_cast<unsigned>(queue));
  }
}

const gpu::SourceOut& LapermKmuAdapter::settle(const gpu::SourceIn& in) {
  present(in);
  kmu_.look();
  const Outputs& out = kmu_.out();
  out_.pick.reset();
  if (out.pick_valid == 0) return out_;
  gpu::SourcePick pick;
  if (out.pick_kind == laperm_kmu::kList) {
    pick.sm = out.pick_idx / kmu_.params().LvlMax;
    pick.level = out.pick_idx % kmu_.params().LvlMax + 1;
  } else {
    pick.kind = out.pick_kind == laperm_kmu::kHost ? gpu::SourcePick::Kind::kQueue : gpu::SourcePick::Kind::kReturn;
    pick.queue = out.pick_idx;
  }
  out_.pick = pick;
  return out_;
}

void LapermKmuAdapter::clock(const gpu::SourceIn& in) {
  present(in);
  kmu_.in.pick_grant = in.granted ? 1 : 0;
  const bool offered = out_.pick.has_value();
  const Edge edge = kmu_.edge([this](const Inputs& seen, const Outputs& out) {
    if (statistics_) statistics_->cycle(seen, out, kmu_.params());
  });
  changed_ = false;
  if (edge == Edge::kSkipped) return;
  kmu_.make_idle();
  changed_ = (kmu_.registered().pick_valid != 0) != offered;
}

}  // namespace castor::hookup
