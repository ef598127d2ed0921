# The count at the end of tests/run.sh is itself checked: it is what everything else is judged by.
castor_script_test(summary_counts_what_happened
  KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/summary_test.py" "${CMAKE_CURRENT_SOURCE_DIR}/summarise.py")

# So is what decides that a run of a test says nothing.
castor_script_test(leak_checker_may_crash_once
  KIND rules
  COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/unit/leaks_checked_test.sh" "${CMAKE_CURRENT_SOURCE_DIR}/common/leaks_checked.sh")

# And the bookkeeping of the campaign.
castor_script_test(campaign_keeps_its_books KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/unit/campaign_test.py" "${PROJECT_SOURCE_DIR}")
