// Forwards to nvToolsExt.h, which declares the annotations for profilers.
#pragma once
#include "../nvToolsExt.h"
