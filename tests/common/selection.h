#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

/// Handles `--castor_source=NAME`, which selects the cases of NAME.cpp in a program of several sources. GoogleTest's
/// own filter takes precedence. Must be called after GoogleTest has read the command line. Ends the program with exit
/// code 2 if NAME.cpp has no case.
inline void select_source(int argc, char** argv) {
  constexpr const char* kOption = "--castor_source=";
  std::string source;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind(kOption, 0) == 0) source = "/" + argument.substr(std::string(kOption).size()) + ".cpp";
  }
  if (source.empty() || GTEST_FLAG_GET(filter) != "*") return;
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string file = std::string("/") + test.file();
      if (file.size() < source.size() || file.compare(file.size() - source.size(), source.size(), source) != 0)
        continue;
      filter += (filter.empty() ? "" : ":") + std::string(suite.name()) + "." + test.name();
    }
  }
  if (filter.empty()) {
    std::cerr << "no case stands in " << source.substr(1) << '\n';
    std::exit(2);
  }
  GTEST_FLAG_SET(filter, filter);
}
