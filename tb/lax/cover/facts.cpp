#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

Needs features(const Params& p, const castor::tb::Peek& peek) {
  Needs all = 0;
  const auto add = [&all](bool there, Needs feature) { all |= there ? feature : 0; };
  add(p.NumKt > 1, has::kTypes);
  add(p.MaxKt > 1, has::kLists);
  add(p.NumKt > p.MaxKt, has::kOverfull);
  add(p.NumKt != 256, has::kUnknownTypes);
  add(overruns(p), has::kOverruns);
  add(p.NumQueues <= 128, has::kFewQueues);
  add(static_cast<bool>(peek), has::kPeek);
  return all;
}

}  // namespace castor::lax::tb
