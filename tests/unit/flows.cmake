# What the flows over RTL read: liberty, Yosys' statistics, OpenSTA's and ABC's reports, file lists, binds.

castor_script_test(flows_parsing KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/unit/flows_test.py" "${PROJECT_SOURCE_DIR}")

castor_script_test(port_completion KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/unit/ports_test.py" "${PROJECT_SOURCE_DIR}")

# Every rung of a block is recorded on these sources and tools, or docs/campaign.md lists it as due.
if(TARGET castor)
  castor_script_test(evidence_is_fresh_or_due KIND platform ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND castor evidence --check)
endif()
