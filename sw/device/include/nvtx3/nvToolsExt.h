// Annotations for profilers; see nvToolsExt.h.
#pragma once
#include "../nvToolsExt.h"
