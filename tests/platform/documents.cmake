# README and guides as they stand.

if(NOT TARGET castor OR NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime OR CASTOR_SANITIZE OR NOT CASTOR_TEST_RTL)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

castor_script_test(documents_typed_as_they_stand KIND platform TIMEOUT 900
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/documents_test.py" "${PROJECT_BINARY_DIR}")
set_tests_properties(documents_typed_as_they_stand PROPERTIES COST 500)
