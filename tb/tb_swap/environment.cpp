#include "tb/tb_swap/environment.h"

#include <algorithm>

namespace castor::tb_swap::tb {
namespace {

constexpr base::Cycle kNoMoreLoads = 40;  // cycles without a load after which held loads are performed
constexpr unsigned kStep = 4;             // accesses resume this many requests below the threshold

}  // namespace

Environment::Environment(const Params& params, const Knobs& knobs, std::uint64_t seed)
    : params_(params),
      knobs_(knobs),
      random_(seed ^ 0x7462'7377'6170ULL),
      edges_(params, seed),
      commander_(params_, knobs_, random_, edges_),
      rule_breaker_(params_, knobs_, random_, edges_) {
  forget();
}

void Environment::forget() {
  started_ = false;
  sites_.clear();
  job_.reset();
  restores_.clear();
  loads_.clear();
  page_due_.reset();
  early_ = false;
  stalled_ = 0;
  rest_ = 0;
  resting_ = false;
  over_at_ = cycle_ + 1 + below(1 + knobs_.over);
}

void Environment::begin(Inputs& in) {
  edges_.draw();
  forget();
  in = {};
  in.sm_id = static_cast<U8>(edges_.any(&Inputs::sm_id, below(30)));
}

void Environment::start_kernel(Inputs& in) {
  const Kernel kernel = draw_kernel(params_, knobs_, random_, edges_);
  kernel.show(in);
  commander_.start(kernel, cycle_);
  sites_.assign(kernel.sites.begin(), kernel.sites.end());
  started_ = true;
  job_.reset();
  restores_.clear();
  loads_.clear();
  page_due_.reset();
  early_ = false;
}

/// Writes a site or a segment: the sites come before the first job.
void Environment::write_tables(Inputs& in) {
  if (!sites_.empty() && chance(kAlways / 2)) {
    in.site_valid = 1;
    in.site_index = static_cast<U8>(sites_.front().site);
    in.site_mask = sites_.front().mask;
    sites_.pop_front();
  }
  std::optional<SegmentWrite> write;
  if (!restores_.empty()) {
    if (chance(kAlways / 2)) {
      write = restores_.front();
      restores_.pop_front();
      restored_ = cycle_;
    }
  } else if (chance(knobs_.segment)) {
    write = commander_.next_segment();
  }
  if (!write) return;
  in.ro_valid = 1;
  in.ro_slot = static_cast<U8>(write->slot);
  in.ro_index = static_cast<U8>(write->index);
  in.ro_lines = static_cast<U16>(write->segment.lines);
  in.ro_first = static_cast<U16>(write->segment.first);
  in.ro_address = write->segment.address;
}

void Environment::offer_job(Inputs& in) {
  if (!job_ && sites_.empty() && in.site_valid == 0 && chance(knobs_.job)) job_ = commander_.next_job(cycle_);
  if (job_) job_->show(in);
}

/// Draws the number of requests without a reply: few, or next to the numbers at which accesses pause and resume.
void Environment::draw_outstanding(Inputs& in) {
  if (!chance(knobs_.retarget)) return;
  const unsigned threshold = commander_.kernel().threshold;
  unsigned number = below(kStep + 1);
  if (chance(knobs_.busy)) {
    const unsigned near[] = {threshold - kStep - 1, threshold - kStep, threshold - kStep + 1,
                             threshold - 1,         threshold,         threshold + 1};
    number = chance(kAlways / 8) ? static_cast<unsigned>(edges_.any(&Inputs::outstanding, below(200)))
                                 : near[below(std::size(near))];
  }
  in.outstanding = static_cast<U16>(std::min(number, 1023U));
}

void Environment::drive(Inputs& in) {
  ++cycle_;
  resting_ = rest_ > 0;
  if (resting_) {
    --rest_;
    return;
  }
  const bool ends = started_ ? commander_.over() && sites_.empty() : chance(kAlways / 4);
  if (ends || (started_ && chance(knobs_.restart))) {
    start_kernel(in);
  } else if (started_) {
    write_tables(in);
    offer_job(in);
  }
  in.local_room = started_ && commander_.local_room() ? 1 : 0;
  draw_outstanding(in);
}

void Environment::react(Inputs& in, const Outputs& out) {
  if (resting_) return;
  in.parked_ready = chance(knobs_.parked_ready) ? 1 : 0;
  in.enter_ready = chance(knobs_.enter_ready) ? 1 : 0;
  if (in.cfg_valid != 0) {
    if (chance(kAlways / 2)) rule_breaker_.drive_ignored(in);
    if (knobs_.break_rule != 0 && chance(kAlways / 4)) rule_breaker_.constants(in);
  } else {
    grant_image(in, out);
    follow_access(in, out);
    perform_load(in, out);
    if (job_ && out.job_ready != 0) job_.reset();
    if (out.parked_valid != 0 && in.parked_ready != 0) commander_.park(out);
    if (out.enter_valid != 0 && in.enter_ready != 0) commander_.enter(out, cycle_);
  }
  if (in.cfg_valid == 0 && started_ && sites_.empty() && chance(knobs_.break_rule)) rule_breaker_.break_a_rule(in, out);
  if (in.cfg_valid == 0 && started_ && in.ro_valid == 0 && chance(knobs_.far_segment)) rule_breaker_.segment(in);
  if (!job_ && chance(knobs_.rest)) rest_ = 1 + below(knobs_.rest_cycles);
}

void Environment::grant_image(Inputs& in, const Outputs& out) {
  if (out.page_request == 0) {
    page_due_.reset();
    if (chance(knobs_.stray_page)) {
      in.page_valid = 1;
      in.page_address = edges_.any(&Inputs::page_address, random_());
    }
    return;
  }
  if (!page_due_) page_due_ = cycle_ + below(1 + knobs_.page_delay);
  if (*page_due_ > cycle_ || !chance(knobs_.page)) return;
  in.page_valid = 1;
  in.page_address = commander_.take_image();
}

/// Returns whether the access is accepted. The last store of a thread block can be held up: it is on the port as the
/// entry is offered.
bool Environment::accepts(const Outputs& out) {
  const bool last = out.access_valid != 0 && out.access_store != 0 && out.parked_valid != 0;
  if (last && stalled_ < knobs_.last_stall) {
    ++stalled_;
    return false;
  }
  if (!last) stalled_ = 0;
  return chance(out.access_local != 0 && knobs_.local_access != 0 ? knobs_.local_access : knobs_.access);
}

void Environment::follow_access(Inputs& in, const Outputs& out) {
  in.access_ready = accepts(out) ? 1 : 0;
  if (out.access_valid == 0 || in.access_ready == 0 || out.access_store != 0) return;
  const bool simt = out.access_type == AccessType::kSimt;
  if (simt && out.access_line == 0 && out.access_slot < params_.MaxTb) {
    const Segments& segments = commander_.incoming(out.access_slot);
    for (unsigned i = 0; i < segments.size(); ++i) {
      if (segments[i].lines != 0) restores_.push_back({out.access_slot, i, segments[i]});
    }
    if (restores_.size() > 1 && chance(kAlways / 2)) std::swap(restores_.front(), restores_.back());
  }
  last_load_ = cycle_;
  if (early_) {
    early_ = false;
    return;
  }
  loads_.push_back({cycle_ + 1 + below(1 + knobs_.delay), simt && out.access_line + 1U == commander_.kernel().simt});
}

void Environment::perform_load(Inputs& in, const Outputs& out) {
  const bool waits = out.access_valid != 0 && out.access_store == 0 && in.access_ready == 0;
  if (waits && loads_.empty() && !early_ && chance(knobs_.early_load)) {
    in.load_done = 1;
    early_ = true;
    return;
  }
  if (loads_.empty() || loads_.front().due > cycle_) return;
  if (knobs_.hold && cycle_ < last_load_ + kNoMoreLoads) return;
  if (loads_.front().last_simt && (!restores_.empty() || restored_ == cycle_)) return;
  in.load_done = 1;
  loads_.pop_front();
}

}  // namespace castor::tb_swap::tb
