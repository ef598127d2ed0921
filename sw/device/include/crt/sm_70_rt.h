// clang includes this file for sm_70 and up; match and redux are defined in castor_cuda/shuffle.h for every target.
#pragma once
