// Forwards to crt/host_defines.h, which defines the markers of CUDA C++.
#pragma once
#include "crt/host_defines.h"
