castor_tests(workloads_tests KIND unit
  SOURCES workloads/stream_test.cpp workloads/lax_test.cpp workloads/schedulers_test.cpp workloads/claims_test.cpp
          workloads/saws_claims_test.cpp workloads/darsie_claims_test.cpp workloads/cdp_claims_test.cpp workloads/dtbl_claims_test.cpp
          workloads/laperm_claims_test.cpp workloads/laperm_footprint_test.cpp
          workloads/fidelity_test.cpp
  LIBS castor_workloads "$<LINK_LIBRARY:WHOLE_ARCHIVE,castor_platforms>")
# A device per process: SystemC elaborates once.
castor_tests(workloads_host_tests KIND unit ISOLATED
  SOURCES workloads/replay_host_test.cpp workloads/device_host_test.cpp
  LIBS castor_workloads castor_platforms
  DEPENDS castor_blocks castor_block_models)

# What machines' files say of their keys, beside the values of the fidelity experiment.
castor_script_test(fidelity_keys KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/unit/fidelity_keys_test.py" "${PROJECT_SOURCE_DIR}")
