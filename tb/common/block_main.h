#pragma once

#include "tb/common/cosim.h"

namespace castor::tb {

/// Body of castor_cosim_<block>: `castor cosim` for one block, as a small program of its own. Exit codes 0, 1, 2.
int block_main(int argc, char** argv, const BlockEntry& block);

}  // namespace castor::tb
