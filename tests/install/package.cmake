# A project outside, built against an installed Castor.
castor_script_test(install_package
  KIND install
  TIMEOUT 600
  COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/install/run.sh" "${PROJECT_BINARY_DIR}" "${CMAKE_CXX_COMPILER}")
set_tests_properties(install_package PROPERTIES RUN_SERIAL ON)

# Castor as a subdirectory of another project.
castor_script_test(install_subproject
  KIND install
  TIMEOUT 120
  COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/install/subproject.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CXX_COMPILER}")
