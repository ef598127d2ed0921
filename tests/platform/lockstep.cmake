# Tests of the files that a difference between model and RTL leaves, on a machine: RTL with the fault of
# tb/<block>/lockstep_fault.json.
if(NOT TARGET castor_runtime OR NOT TARGET castor_platforms OR NOT CASTOR_TEST_RTL)
  return()
endif()
add_executable(castor_meet "${CMAKE_CURRENT_SOURCE_DIR}/platform/lockstep/meet.cpp")
set_target_properties(castor_meet PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform")
target_link_libraries(castor_meet PRIVATE castor_runtime castor_platforms castor_options)
add_dependencies(castor_meet castor_blocks)
castor_test_needs_(platform castor_meet)
set(faulty)
foreach(block IN LISTS castor_blocks)
  if(EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/lockstep_fault.json")
    list(APPEND faulty ${block})
  endif()
endforeach()
castor_sample(faulty lockstep_window 1 ${faulty})
foreach(block IN LISTS faulty)
  castor_script_test(lockstep_window_${block} KIND platform ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/lockstep_window_test.py"
            "$<TARGET_FILE:castor_meet>" ${block})
endforeach()
