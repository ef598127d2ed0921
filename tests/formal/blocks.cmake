# A sample of the recorded proofs of every block that were quick: a verdict that is worse than tb/<block>/proofs.json has it,
# or a property that has gone, fails. `castor prove <block> --check` takes all.
set(CASTOR_QUICK_PROOF 2 CACHE STRING "Proofs recorded as done within so many seconds are tests")
set(sample --sample 12)
if(CASTOR_TEST_MATRIX)
  set(sample)
endif()
# These take half a minute and more to become a circuit, whatever is proven of them then.
set(campaign_proves lax laperm laperm_kmu)
if(CASTOR_TEST_MATRIX)
  set(campaign_proves)
endif()
foreach(block IN LISTS castor_blocks)
  if(block IN_LIST campaign_proves)
    continue()
  endif()
  if(TARGET castor AND EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/proofs.json")
    castor_script_test(prove_${block} KIND formal
      ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
      COMMAND "$<TARGET_FILE:castor>" prove ${block} --check --quick ${CASTOR_QUICK_PROOF} ${sample}
              --work "${PROJECT_BINARY_DIR}/tests/prove")
  endif()
endforeach()
