#include "castor/gpu/front_end/front_end_steps.h"

namespace castor::gpu {

template class BasicFrontEnd<FrontEndMechanisms>;

}  // namespace castor::gpu
