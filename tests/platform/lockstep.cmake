# What a difference between model and RTL leaves behind on a machine.
if(NOT TARGET castor_runtime OR NOT TARGET castor_platforms OR NOT CASTOR_BUILD_RTL)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_executable(castor_faulty_blocks "${CMAKE_CURRENT_SOURCE_DIR}/platform/lockstep/faulty_blocks.cpp")
set_target_properties(castor_faulty_blocks PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform")
target_link_libraries(castor_faulty_blocks PRIVATE castor_runtime castor_platforms castor_options)
castor_script_test(lockstep_window KIND platform TIMEOUT 120
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/lockstep_window_test.py"
          "$<TARGET_FILE:castor_faulty_blocks>")
if(TARGET castor_platform_tests)
  add_dependencies(castor_platform_tests castor_faulty_blocks)
endif()
