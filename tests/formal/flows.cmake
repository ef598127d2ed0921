# castor prove on the trial block.

if(NOT TARGET castor)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

castor_script_test(prove_flow KIND formal TIMEOUT 300
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/formal/prove_test.py" "$<TARGET_FILE:castor>")
