#include "tb/saws/cover_points.h"

namespace castor::saws::tb {

CoverPoints::CoverPoints(castor::tb::Cover& cover, const Params& params, const castor::tb::Peek& /*peek*/)
    : BlockPoints(params),
      kernels_({cover, features(params)}),
      picks_({cover, features(params)}),
      messages_({cover, features(params)}),
      events_({cover, features(params)}),
      ctas_({cover, features(params)}),
      simultaneous_({cover, features(params)}),
      errors_({cover, features(params)},
              {{"two kinds of error in one cycle", 0, [](unsigned errors) { return (errors & (errors - 1U)) != 0; }}}) {
  for (unsigned w = 0; w < params.NumWarps; ++w) on_[w % params.NumSched] |= U64{1} << w;
}

void CoverPoints::see(const castor::tb::Cycle<Block>& cycle) {
  const Now now{cycle, on_};
  picks_.see(now);
  simultaneous_.see(now);
  if (now.in.kernel_start != 0) {
    kernels_.see(now, queues_);
    queues_.clear();
    messages_.restart();
    started_ = true;
    freed_ = ~0U;
    return;
  }
  messages_.see(now, queues_);
  EventPoints::Result events = events_.see(now, queues_, started_);
  if (now.operates() && ctas_.see(now, queues_, freed_)) events.errors |= kErrorCta;
  if (events.errors != 0) errors_.see(events.errors);
  for (unsigned s = 0; s < now.params.NumSched; ++s) {
    if (events.queued[s]) queues_.of[s].push_back(*events.queued[s]);
  }
  freed_ = now.frees() ? now.in.cta_id : ~0U;
}

}  // namespace castor::saws::tb
