# Tests of the CUDA features that work: the programs in cuda/, and the page docs/cuda.md.

if(NOT TARGET castor OR NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime OR CASTOR_SANITIZE)
  return()
endif()

castor_unless_matrix(sample --sample 12)
castor_script_test(cuda_document_is_up_to_date KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/cuda/document.py"
          "$<TARGET_FILE:Castor::castor-cc>" "$<TARGET_FILE:castor>" "${PROJECT_SOURCE_DIR}/docs/cuda.md" ${sample})
