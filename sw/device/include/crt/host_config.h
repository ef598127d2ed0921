// Markers of CUDA C++.
#pragma once
#include "crt/host_defines.h"
