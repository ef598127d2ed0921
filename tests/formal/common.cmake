# The modules that blocks share, rtl/common: their properties proven. Faults put in by hand:
# tests/campaign.sh faults-common.

if(NOT TARGET castor)
  return()
endif()

# Each at two of its sets; with CASTOR_TEST_MATRIX, and in tests/campaign.sh proofs-common, at all.
file(GLOB benches CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tb/rtl_common/*/parameter_sets.json")
foreach(bench IN LISTS benches)
  cmake_path(GET bench PARENT_PATH module)
  cmake_path(GET module FILENAME module)
  file(READ "${bench}" json)
  string(JSON count LENGTH "${json}")
  math(EXPR last "${count} - 1")
  set(sets)
  foreach(i RANGE ${last})
    string(JSON set MEMBER "${json}" ${i})
    list(APPEND sets ${set})
  endforeach()
  castor_sample(sets "${module} sets" 2 ${sets})
  foreach(set IN LISTS sets)
    castor_script_test(prove_common_${module}_${set} KIND formal
      COMMAND castor prove ${module} --params ${set} --work "${PROJECT_BINARY_DIR}/tests/prove_common_${module}_${set}")
  endforeach()
endforeach()
castor_script_test(common_flow KIND formal
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/formal/common_test.py" "$<TARGET_FILE:castor>")
