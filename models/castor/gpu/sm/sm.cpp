#include "castor/gpu/sm/sm.h"

#include "castor/gpu/sm/sm_steps.h"

namespace castor::gpu {

template class BasicSm<SmMechanisms>;

}  // namespace castor::gpu
