// Empty: clang includes this file for sm_70 and newer; castor_cuda/shuffle.h defines match and redux for every target.
#pragma once
