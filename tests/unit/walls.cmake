# Rooms include only rooms below them.
castor_script_test(walls_hold KIND rules COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/walls.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(walls_find_forbidden_includes
  KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/walls.py" --self-test)
castor_script_test(references_lead_somewhere
  KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/references.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(references_that_lead_nowhere_are_found
  KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/references.py" --self-test)
# No class grows beyond its limit.
castor_script_test(classes_keep_their_size
  KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/class_sizes.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(classes_that_are_too_large_are_found
  KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/class_sizes.py" --self-test)
