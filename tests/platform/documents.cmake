# Tests of the commands in README and guides.

if(NOT TARGET castor OR NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime OR CASTOR_SANITIZE OR NOT CASTOR_TEST_RTL)
  return()
endif()

# Each document is typed once: here, or from an installed package (install_documents).
set(cases Documents.test_readme Documents.test_guide_to_running Documents.test_what_is_left_out_is_in_the_documents)
if(CASTOR_TEST_MATRIX)
  set(cases)
endif()
castor_script_test(documents_typed_as_they_stand KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/documents_test.py" "${PROJECT_BINARY_DIR}" ${cases})
