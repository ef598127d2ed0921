// Forwards to driver_types.h, which declares the types of device code.
#pragma once
#define __DEVICE_TYPES_H__
#include "driver_types.h"
