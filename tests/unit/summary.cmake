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

# Faults in production code that this check finds (tests/check_faults.py): the script, and the list. A build knows the
# tests of its own steps only.
castor_script_test(faults_of_the_check_are_judged KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/unit/check_faults_test.py" "${PROJECT_SOURCE_DIR}")
set(steps)
if(CASTOR_SANITIZE AND CASTOR_TEST_UNIT STREQUAL "all")
  set(steps "${PROJECT_BINARY_DIR}" rules unit)
elseif(CASTOR_TEST_RTL AND NOT CASTOR_SANITIZE)
  set(steps "${PROJECT_BINARY_DIR}" tests)
endif()
castor_script_test(faults_of_the_check_are_in_the_tree KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/check_faults.py" --check ${steps})

# A source of tests that no list names is never run.
castor_script_test(test_sources_are_listed KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/unit/sources_are_listed.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(test_sources_that_are_not_listed_are_found KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/unit/sources_are_listed.py" --self-test)

# No verdict depends on luck.
castor_script_test(draws_of_tests_repeat KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/unit/draws_repeat.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(draws_of_tests_that_do_not_repeat_are_found KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/unit/draws_repeat.py" --self-test)
