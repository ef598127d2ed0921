# The Python package castor (platforms/python), its example and its guide.

if(NOT TARGET castor OR NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime)
  return()
endif()

castor_script_test(python_package KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/python_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_SOURCE_DIR}")
