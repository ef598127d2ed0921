// Selection of the queues that are offered (docs/blocks/lax.md, "Cycle").

#include "castor/lax/selection.h"

#include <algorithm>

namespace castor::lax {

Selection::Selection(const Params& params)
    : params_(params), groups_(params.groups()), words_((params.NumQueues + 63) / 64), passed_(groups_) {}

bool Selection::parse_eligible(const State& s, unsigned q) {
  const JobState state = s.job_state(q);
  return state == JobState::kReady || (s.config.preparse != 0 && state == JobState::kRunning);
}

bool Selection::offers_parse(const State& s, const QueueBits& pe_vec) {
  return s.config.enable != 0 && s.p.valid != 0 && pe_vec[s.p.q] && parse_eligible(s, s.p.q);
}

bool Selection::offers_dispatch(const State& s, const QueueBits& de_vec) {
  return s.config.enable != 0 && s.d.valid != 0 && de_vec[s.d.q] && s.job_state(s.d.q) == JobState::kReady &&
         !s.pre[s.d.q];
}

void Selection::freeze(State& s, const Inputs& in) const {
  const U64 running_too = s.config.preparse != 0 ? ~U64{0} : 0;
  for (unsigned w = 0; w < words_; ++w) {
    const U64 live = s.st1.word(w) & ~s.st2.word(w);
    const U64 ready = live & ~s.st0.word(w);
    s.ep.set_word(w, in.pe_vec.word(w) & (ready | (live & running_too)));
    s.ed.set_word(w, in.de_vec.word(w) & ready & ~s.pre.word(w));
  }
  s.best_p = Best{};
  s.best_d = Best{};
}

void Selection::compare(Best& best, U64 key, unsigned q, U16 tie) {
  const bool less = key != best.key ? key < best.key : (tie != best.tie ? tie < best.tie : q < best.q);
  if (best.valid == 0 || less) best = Best{1, static_cast<U8>(q), tie, key};
}

void Selection::compare_group(State& s) const {
  const bool round_robin = s.config.policy == Policy::kRr || s.config.policy == Policy::kMlfq;
  const unsigned first = s.g * params_.SelWidth;
  const unsigned width = std::min(params_.SelWidth, 64U);
  for (unsigned base = first; base < first + params_.SelWidth; base += 64) {
    for (U64 left = (s.ep.word(base / 64) >> (base % 64)) & twin::mask(width); left != 0; left &= left - 1) {
      const unsigned q = base + static_cast<unsigned>(__builtin_ctzll(left));
      const unsigned distance = (q - s.rrptr - 1) & (params_.NumQueues - 1);
      compare(s.best_p, s.key[q], q, static_cast<U16>(round_robin ? distance : s.seq[q] - s.seq_ctr));
    }
    for (U64 left = (s.ed.word(base / 64) >> (base % 64)) & twin::mask(width); left != 0; left &= left - 1) {
      const unsigned q = base + static_cast<unsigned>(__builtin_ctzll(left));
      compare(s.best_d, s.key[q], q, static_cast<U16>(round_robin ? s.pseq[q] - s.pseq_ctr : s.seq[q] - s.seq_ctr));
    }
  }
}

void Selection::step(State& s, const Inputs& in, base::Cycle steady, Edge& edge) {
  if ((in.psel_grant | in.dsel_grant) != 0) {
    edge.parse_granted = in.psel_grant != 0 && offers_parse(s, in.pe_vec);
    if ((in.psel_grant != 0 && !edge.parse_granted) || (in.dsel_grant != 0 && !offers_dispatch(s, in.de_vec))) {
      edge.err |= err::kGrant;
    }
  }
  if (s.g == 0) freeze(s, in);
  // After two passes without a change, each group of a pass gives the same result as in the previous pass.
  if (steady > 2U * groups_) {
    s.best_p = passed_[s.g].p;
    s.best_d = passed_[s.g].d;
  } else {
    compare_group(s);
    passed_[s.g] = Passed{s.best_p, s.best_d};
  }

  const U8 granted = s.p.q;
  if (s.g + 1U < groups_) {
    ++s.g;
    if (edge.parse_granted) {
      s.p_drop = 1;
      s.p = Best{};
    }
  } else {
    s.p = edge.parse_granted || s.p_drop != 0 ? Best{} : s.best_p;
    s.d = s.best_d;
    s.p_drop = 0;
    s.g = 0;
  }
  if (edge.parse_granted) {
    s.rrptr = granted;
    s.pseq[granted] = s.pseq_ctr++;
  }
}

}  // namespace castor::lax
