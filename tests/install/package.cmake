# A project outside, built against an installed Castor.
castor_script_test(install_package
  KIND install
  COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/install/run.sh" "${PROJECT_BINARY_DIR}" "${CMAKE_CXX_COMPILER}")
# Among the longest, so they begin first.

# Castor as a subdirectory of another project.
castor_script_test(install_subproject
  KIND install
  COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/install/subproject.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CXX_COMPILER}")

# Blocks outside Castor's tree: an example, the skeletons of castor new-block, and the guide that is typed as it stands. Of
# the skeletons, and of the documents that the tree types too, a sample.
if(CASTOR_TEST_RTL AND TARGET castor AND NOT CASTOR_SANITIZE)
  castor_unless_matrix(cases_of_documents Documents.test_guide_to_looking Documents.test_guide_to_python)
  # The guide gives a skeleton on the hook dispatch every command.
  castor_unless_matrix(cases_of_own_block OwnBlock.test_is_listed_beside_the_blocks_of_castor
      OwnBlock.test_runs_on_a_machine_as_model_as_rtl_and_in_lockstep
      OwnBlock.test_keys_and_claims_are_those_of_its_registration)
  castor_sample(hooks new_block 1 fetch_filter governors issue job_scheduler launch sources swap sync)
  list(TRANSFORM hooks REPLACE "(.+)" "NewBlock.test_skeleton_on_hook_\\1_changes_nothing")
  castor_unless_matrix(cases_of_new_block ${hooks} NewBlock.test_what_is_wrong_with_a_request_is_said_in_one_line)
  foreach(test IN ITEMS own_block new_block guide experiment documents)
    castor_script_test(install_${test}
      KIND install
      COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/install/${test}_test.py" "${PROJECT_BINARY_DIR}"
              ${cases_of_${test}})
  endforeach()
endif()

# An installation is whole after a build of a part. Ninja says what a target makes.
if(CMAKE_GENERATOR STREQUAL "Ninja")
  castor_script_test(install_complete
    KIND install
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/install/complete_test.py" "${PROJECT_BINARY_DIR}")
endif()
