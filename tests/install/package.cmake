# A project outside, built against an installed Castor.
castor_script_test(install_package
  KIND install
  TIMEOUT 600
  COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/install/run.sh" "${PROJECT_BINARY_DIR}" "${CMAKE_CXX_COMPILER}")
# Among the longest, so they begin first.
set_tests_properties(install_package PROPERTIES COST 1000)

# Castor as a subdirectory of another project.
castor_script_test(install_subproject
  KIND install
  TIMEOUT 120
  COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/install/subproject.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CXX_COMPILER}")

# Blocks outside Castor's tree: an example, the skeletons of castor new-block, and the guide that is typed as it stands. The
# tree's own blocks take no part.
if(NOT CASTOR_TEST_HOUSE STREQUAL "with_blocks" AND CASTOR_TEST_RTL AND TARGET castor AND NOT CASTOR_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(test IN ITEMS own_block new_block guide experiment documents)
    castor_script_test(install_${test}
      KIND install
      TIMEOUT 900
      COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/install/${test}_test.py" "${PROJECT_BINARY_DIR}")
    set_tests_properties(install_${test} PROPERTIES COST 1000)
  endforeach()
endif()
