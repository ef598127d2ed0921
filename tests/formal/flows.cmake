# castor prove on the trial block.

if(NOT TARGET castor)
  return()
endif()

castor_script_test(prove_flow KIND formal
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/formal/prove_test.py" "$<TARGET_FILE:castor>")
