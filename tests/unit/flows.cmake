# Tests of the flows over RTL (rtl/synthesis): the parsers of other tools' output, and the way in which tools are run.
# The tests run no tool but the interpreter.
foreach(part IN ITEMS netlist proofs tree evidence ports)
  castor_script_test(flows_${part} KIND rules
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/unit/flows/${part}_test.py" "${PROJECT_SOURCE_DIR}")
endforeach()

# Every rung of a block is recorded on these sources and tools, or docs/campaign.md lists it as due.
if(TARGET castor)
  castor_script_test(evidence_is_fresh_or_due KIND platform ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND castor evidence --check)
endif()
