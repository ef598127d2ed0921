# The count at the end of tests/run.sh is itself checked: it is what everything else is judged by.
castor_script_test(summary_counts_what_happened
  KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/summary_test.py" "${CMAKE_CURRENT_SOURCE_DIR}/summarise.py")
