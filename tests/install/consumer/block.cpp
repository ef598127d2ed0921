#include <castor/lax/engine.h>
#include <castor/lax/register_map.h>
#include <castor/twin/twin.h>

/// Runs the laxity engine without SystemC: reads its register ID, which is answered in the next cycle.
int main() {
  castor::twin::Model<castor::lax::Block> engine(castor::lax::Params{});
  castor::lax::Inputs in;
  in.reg_req = 1;
  in.reg_addr = castor::lax::reg::kId;
  if (engine.settle(in).reg_ack != 0) return 1;
  engine.clock(in);
  const castor::lax::Outputs& out = engine.settle(in);
  return out.reg_ack == 1 && out.reg_rdata == 0x4C415801 ? 0 : 2;
}
