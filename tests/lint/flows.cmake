# castor lint: on the trial block, and without a warning on every block and on what they share.

if(NOT TARGET castor)
  return()
endif()

castor_script_test(lint_flow KIND lint
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/lint/lint_test.py" "$<TARGET_FILE:castor>")
castor_script_test(lint_rtl KIND lint COMMAND castor lint --work "${PROJECT_BINARY_DIR}/tests/lint")
