#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "castor/base/error.h"

// EXPECT_HOOK_FAILS(statement, text): expects that the statement throws base::Error, as a violated rule of a hook does,
// and that its message matches the regular expression `text`. The statement runs in a child process, so it has no other
// effects.
#define EXPECT_HOOK_FAILS(statement, text)                          \
  EXPECT_EXIT(                                                      \
      try { statement; } catch (const castor::base::Error& error) { \
        std::fputs(error.what(), stderr);                           \
        std::_Exit(3);                                              \
      },                                                            \
      testing::ExitedWithCode(3), text)
