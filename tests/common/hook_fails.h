#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "castor/base/error.h"

// EXPECT_HOOK_FAILS(statement, text): the statement throws base::Error, as a broken rule of a hook does, and its
// message has the text, a regular expression. It runs in a child process, so what it leaves behind is not seen.
#define EXPECT_HOOK_FAILS(statement, text)                          \
  EXPECT_EXIT(                                                      \
      try { statement; } catch (const castor::base::Error& error) { \
        std::fputs(error.what(), stderr);                           \
        std::_Exit(3);                                              \
      },                                                            \
      testing::ExitedWithCode(3), text)
