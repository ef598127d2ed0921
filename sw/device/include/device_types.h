// Types of device code; see driver_types.h.
#pragma once
#define __DEVICE_TYPES_H__
#include "driver_types.h"
