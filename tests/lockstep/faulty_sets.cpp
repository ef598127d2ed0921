// The registry of a program whose RTL has a fault.

#include <Vfault_total.h>
#include <Vfault_total___024root.h>

#include "castor/twin/rtl.h"
#include "castor/twin/rtl_sets.h"
#include "tests/twin/turnstile/ports.h"

namespace castor::twin {

template <>
const std::vector<RtlSet<turnstile::Block>>& rtl_sets<turnstile::Block>() {
  using Block = turnstile::Block;
  static const std::vector<RtlSet<Block>> sets{
      {"odd", {37, 3, 7}, [](const Block::Params& params, const RtlOptions& options) -> std::unique_ptr<Twin<Block>> {
         return std::make_unique<Rtl<Block, Vfault_total>>(params, options);
       }}};
  return sets;
}

}  // namespace castor::twin
