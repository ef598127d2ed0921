# Tests that need a process per case run under a main of their own, which is itself checked with cases of every ending.
# The sample is no test: most of its cases fail.
add_executable(isolated_sample "${CMAKE_CURRENT_SOURCE_DIR}/unit/isolated_sample.cpp")
target_link_libraries(isolated_sample PRIVATE castor_test_isolated_main castor_gpu castor_options)
castor_test_needs_(unit isolated_sample)
castor_script_test(isolated_cases_fail_alone
  KIND unit
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/isolated_test.py" $<TARGET_FILE:isolated_sample>
          "${CMAKE_CURRENT_SOURCE_DIR}/summarise.py")
