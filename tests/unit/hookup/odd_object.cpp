// Objects that do not match their file name. ODD: 1 built for another version, 2 the model of another block, 3 without
// the function that returns the registration.

#include "castor/base/shared_object.h"

#if ODD != 3
extern "C" const castor::base::ObjectHeader* castor_model_object();
extern "C" const castor::base::ObjectHeader* castor_model_object() {
#if ODD == 1
  static const castor::base::ObjectHeader header{"castor 0.0.1 headers 000000000000", "model", "odd"};
#else
  static const castor::base::ObjectHeader header{castor::base::kAbi, "model", "even"};
#endif
  return &header;
}
#endif
