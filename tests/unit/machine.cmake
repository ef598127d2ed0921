castor_tests(machine_tests KIND unit
  SOURCES machine_test.cpp machine_check_test.cpp machine_occupancy_test.cpp
  LIBS castor_platforms)
castor_script_test(machine_document_is_up_to_date KIND unit
  COMMAND castor_machines_document "${PROJECT_SOURCE_DIR}/docs/machines.md")
castor_script_test(statistics_document_is_up_to_date KIND unit
  COMMAND castor_statistics_document "${PROJECT_SOURCE_DIR}/docs/statistics.md")
# A key that no code reads promises something that nothing keeps.
castor_script_test(machine_keys_have_readers KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/keys_have_readers.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(machine_keys_without_readers_are_found KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/keys_have_readers.py" "${PROJECT_SOURCE_DIR}" --self-test)
