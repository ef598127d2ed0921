# Tests of the `castor` command, and of its messages about bad input.

if(NOT TARGET castor OR NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime)
  return()
endif()

foreach(part IN ITEMS run programs bad_input lists marks)
  castor_script_test(cli_${part} KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/cli/${part}_test.py" "$<TARGET_FILE:castor>"
            "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_SOURCE_DIR}/platforms/configs")
endforeach()
castor_script_test(command_line KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/command_line_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:Castor::castor-cc>")
castor_script_test(requests KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/requests_test.py" "$<TARGET_FILE:castor>"
          "${PROJECT_BINARY_DIR}")
castor_script_test(full_disk KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/full_disk_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:Castor::castor-cc>")
castor_script_test(kernels_report KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/kernels_report_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:Castor::castor-cc>")
