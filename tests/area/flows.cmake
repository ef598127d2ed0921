# castor area on the trial block.

if(NOT TARGET castor)
  return()
endif()

castor_script_test(area_flow KIND area
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/area/area_test.py" "$<TARGET_FILE:castor>")

# Every block of the ladder that has recorded its figures, at the smallest set: no drift.
# lax takes a minute and a half for its memories as registers and as macros.
castor_unless_matrix(left_out lax)
set(blocks ${castor_blocks})
list(REMOVE_ITEM blocks ${left_out})
foreach(block IN LISTS blocks)
  if(EXISTS "${PROJECT_SOURCE_DIR}/rtl/${block}/area.json")
    castor_script_test(area_${block} KIND area
      COMMAND castor area ${block} --params minimum --check --work "${PROJECT_BINARY_DIR}/tests/area")
  endif()
endforeach()

# What decisions are compared with: round-robin arbiters.
castor_script_test(area_yardstick KIND area
  COMMAND castor area arbiter --check --root "${PROJECT_SOURCE_DIR}/tests/area/yardstick" --work "${PROJECT_BINARY_DIR}/tests/area")
