#pragma once
#include "crt/host_defines.h"
