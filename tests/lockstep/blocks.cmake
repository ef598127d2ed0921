# Model against RTL for every block. Whole ladder: 200,000 cycles at four sets, with the sequences that
# tb/<block>/ci_sequences.txt names. Sample: the block's first sequence at the set minimum.
foreach(block IN LISTS castor_blocks)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/rtl/${block}/parameter_sets.json")
    continue()
  endif()
  if(block IN_LIST castor_sampled)
    castor_lockstep_test(${block} SETS minimum CYCLES 50000)
    continue()
  endif()
  set(sequences "")
  if(EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/ci_sequences.txt")
    file(STRINGS "${PROJECT_SOURCE_DIR}/tb/${block}/ci_sequences.txt" sequences REGEX "^[a-z]")
  endif()
  castor_lockstep_test(${block} SEQUENCES ${sequences})
endforeach()

# Faults that were put in by hand: of those that the default run finds within 50,000 cycles, the eight that it finds last.
foreach(block IN LISTS castor_ladder)
  if(TARGET castor AND CASTOR_TEST_RTL AND EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/faults.json")
    castor_script_test(faults_${block} KIND lockstep TIMEOUT 300
      ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
      COMMAND "$<TARGET_FILE:castor>" faults ${block} --quick 8 --work "${PROJECT_BINARY_DIR}/tests/faults")
  endif()
endforeach()

# Probes against registers: of the example of a block elsewhere, and what the check finds.
if(CASTOR_TEST_RTL)
  set(check "${PROJECT_SOURCE_DIR}/tests/lockstep/probe_check")
  set(packer "${PROJECT_SOURCE_DIR}/platforms/examples/own_block")
  castor_script_test(registers_of_packer_are_probes KIND lockstep TIMEOUT 120
    COMMAND python3 -B "${check}.py" "${CASTOR_VERILATOR}" "${packer}/rtl" "${packer}/tb" packer)
  castor_script_test(probe_check_test KIND lockstep TIMEOUT 120
    COMMAND python3 -B "${check}_test.py" "${CASTOR_VERILATOR}")
endif()
