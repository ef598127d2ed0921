# castor mutate on a sample of the contract's test block.
if(NOT CASTOR_TEST_RTL OR NOT TARGET castor)
  return()
endif()

castor_script_test(mutate_flow KIND mutation
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/mutation/mutate_test.py" "$<TARGET_FILE:castor>")
castor_test_needs_(mutation castor castor_bench_turnstile)
