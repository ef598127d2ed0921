// Types of device code; see driver_types.h.
#pragma once
#include "driver_types.h"
