# Tests of timeline, waves, progress, summary and report in a user's way; and of the worked example of docs/gpu.md.

if(NOT TARGET castor OR NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime)
  return()
endif()

castor_script_test(looking KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/looking_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_SOURCE_DIR}")

castor_script_test(walk KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/walk_test.py" "$<TARGET_FILE:castor>"
          "${PROJECT_SOURCE_DIR}")
