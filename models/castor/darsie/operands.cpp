#include "castor/darsie/operands.h"

#include "castor/darsie/masks.h"

namespace castor::darsie {

void Operands::find_rows(const View& view, const Rows& rows, Outputs& out) {
  const Inputs& in = view.in;
  const State& state = view.state;
  const unsigned sources = view.params.NumSrc, warps = view.params.NumWarps;
  const auto register_mask = static_cast<U16>(twin::mask(view.params.RowW));
  for_each_bit(shown_, [&](unsigned p) {
    for_each_bit(out.i_sren[p], [&](unsigned a) { out.i_srow[p * sources + a] = 0; });
    out.i_sren[p] = 0;
  });
  shown_ = 0;
  for_each_bit(in.i_valid, [&](unsigned p) {
    const unsigned w = in.i_warp[p];
    if (w >= warps || !has(state.live, w)) return;
    const U32 ref = state.versions[w].ref;
    if (ref == 0) return;
    const unsigned t = state.tb[w], base = state.tbs[t].base;
    unsigned reads = 0;
    for_each_bit(in.i_sv[p], [&](unsigned a) {
      const unsigned source = p * sources + a;
      const U32 found = ref & rows.of(t, in.i_src[source]);
      if (found == 0) return;
      reads |= 1U << a;
      out.i_srow[source] = static_cast<U16>((base + lowest(found)) & register_mask);
    });
    if (reads == 0) return;
    out.i_sren[p] = static_cast<U8>(reads);
    shown_ |= static_cast<U16>(1U << p);
  });
}

void Operands::count(const Outputs& out, Counters& counters) const {
  for_each_bit(shown_, [&](unsigned p) { counters.row_lookups += count_bits(out.i_sren[p]); });
}

}  // namespace castor::darsie
