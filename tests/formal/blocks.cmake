# A sample of the recorded proofs of every block that were quick: a verdict that is worse than tb/<block>/proofs.json has it,
# or a property that has gone, fails. `castor prove <block> --check` takes all.
set(CASTOR_QUICK_PROOF 2 CACHE STRING "Proofs recorded as done within so many seconds are tests")
castor_unless_matrix(sample --sample 12)
# These take half a minute and more to become a circuit, whatever is proven of them then.
castor_unless_matrix(left_out lax laperm laperm_kmu)
set(blocks ${castor_blocks})
list(REMOVE_ITEM blocks ${left_out})
foreach(block IN LISTS blocks)
  if(TARGET castor AND EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/proofs.json")
    castor_script_test(prove_${block} KIND formal
      ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
      COMMAND "$<TARGET_FILE:castor>" prove ${block} --check --quick ${CASTOR_QUICK_PROOF} ${sample}
              --work "${PROJECT_BINARY_DIR}/tests/prove")
  endif()
endforeach()
