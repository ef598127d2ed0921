# Rooms include only rooms below them.
castor_script_test(walls_hold KIND unit COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/walls.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(walls_find_forbidden_includes
  KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/walls.py" --self-test)
castor_script_test(references_lead_somewhere
  KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/references.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(references_that_lead_nowhere_are_found
  KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/references.py" --self-test)
# No class grows beyond its limit.
castor_script_test(classes_keep_their_size
  KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/class_sizes.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(classes_that_are_too_large_are_found
  KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/unit/class_sizes.py" --self-test)
# Which blocks run all their tests.
castor_script_test(changed_blocks_are_seen KIND unit COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/ladder.py" --self-test)
