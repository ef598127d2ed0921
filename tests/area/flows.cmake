# castor area on the trial block.

if(NOT TARGET castor)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

castor_script_test(area_flow KIND area TIMEOUT 300
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/area/area_test.py" "$<TARGET_FILE:castor>")

# Every block that has recorded its figures, at the smallest set: no drift.
file(GLOB recorded RELATIVE "${PROJECT_SOURCE_DIR}/rtl" CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/rtl/*/area.json")
foreach(file IN LISTS recorded)
  cmake_path(GET file PARENT_PATH block)
  castor_script_test(area_${block} KIND area TIMEOUT 600
    COMMAND castor area ${block} --params minimum --check --work "${PROJECT_BINARY_DIR}/tests/area")
endforeach()

# What decisions are compared with: round-robin arbiters.
castor_script_test(area_yardstick KIND area TIMEOUT 120
  COMMAND castor area arbiter --check --root "${PROJECT_SOURCE_DIR}/tests/area/yardstick" --work "${PROJECT_BINARY_DIR}/tests/area")
