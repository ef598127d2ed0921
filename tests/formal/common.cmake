# The modules that blocks share, rtl/common: all their properties proven. Faults put in by hand:
# tests/campaign.sh faults-common.

if(NOT TARGET castor)
  return()
endif()

castor_script_test(prove_common KIND formal
  COMMAND castor prove common --work "${PROJECT_BINARY_DIR}/tests/prove_common")
castor_script_test(common_flow KIND formal
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/formal/common_test.py" "$<TARGET_FILE:castor>")
