# Model against RTL for every block: 400,000 cycles of its first sequence at each of the four sets that every block has, and
# 200,000 of each further sequence that tb/<block>/ci_sequences.txt names at one of them.
foreach(block IN LISTS castor_blocks)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/rtl/${block}/parameter_sets.json")
    continue()
  endif()
  set(sequences "-")
  if(EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/ci_sequences.txt")
    file(STRINGS "${PROJECT_SOURCE_DIR}/tb/${block}/ci_sequences.txt" sequences REGEX "^[a-z]")
  endif()
  list(POP_FRONT sequences first)
  castor_lockstep_test(${block} SEQUENCES ${first} CYCLES 400000)
  foreach(sequence IN LISTS sequences)
    castor_sample(sets "${block} ${sequence}" 1 minimum odd default large)
    castor_lockstep_test(${block} SEQUENCES ${sequence} SETS ${sets} RUNS_ALONE)
  endforeach()
endforeach()

# Faults that were put in by hand: a sample of four, judged by the default run.
foreach(block IN LISTS castor_blocks)
  if(TARGET castor AND CASTOR_TEST_RTL AND EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/faults.json")
    castor_script_test(faults_${block} KIND lockstep
      ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
      COMMAND "$<TARGET_FILE:castor>" faults ${block} --sample 4 --work "${PROJECT_BINARY_DIR}/tests/faults")
  endif()
endforeach()

# Assumptions of all blocks: each is a check in the RTL objects.
if(CASTOR_TEST_RTL)
  castor_script_test(assumptions_are_checked KIND lockstep
    ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/lockstep/assumptions_test.py" "${CASTOR_VERILATOR}"
            "${PROJECT_SOURCE_DIR}" ${castor_blocks})
  if(TARGET castor_darsie AND TARGET castor_dtbl AND TARGET castor_laperm)
    castor_test(assumptions_test KIND lockstep SOURCES assumptions_test.cpp
                LIBS castor_darsie castor_dtbl castor_laperm nlohmann_json::nlohmann_json)
  endif()
endif()

# Probes against registers: of the example of a block elsewhere, and what the check finds.
if(CASTOR_TEST_RTL)
  set(check "${PROJECT_SOURCE_DIR}/tests/lockstep/probe_check")
  set(packer "${PROJECT_SOURCE_DIR}/platforms/examples/own_block")
  castor_script_test(registers_of_packer_are_probes KIND lockstep
    ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND "${Python3_EXECUTABLE}" -B "${check}.py" "${CASTOR_VERILATOR}" "${packer}/rtl" "${packer}/tb" packer
            --ports packer/ports.h blocks::packer::Block)
  castor_script_test(probe_check_test KIND lockstep
    ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND "${Python3_EXECUTABLE}" -B "${check}_test.py" "${CASTOR_VERILATOR}")
endif()
