# castor mutate on a sample of the contract's test block.
if(NOT CASTOR_TEST_RTL OR NOT TARGET castor)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

castor_script_test(mutate_flow KIND mutation TIMEOUT 600
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/mutation/mutate_test.py" "$<TARGET_FILE:castor>")
castor_test_needs_(mutation castor castor_bench_turnstile)
