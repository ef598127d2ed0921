# The whole timing GPU against the closed forms and rules of docs/gpu.md, "Closed forms" and "Invariants". Every case is
# a process of its own and takes less than two seconds.

if(NOT TARGET castor_gpu OR NOT TARGET castor_ptx OR NOT TARGET castor_compiler OR NOT TARGET castor_platforms)
  return()
endif()
add_library(castor_timing_rig STATIC EXCLUDE_FROM_ALL
  "${CMAKE_CURRENT_SOURCE_DIR}/platform/timing/rig.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/platform/timing/deviations.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/platform/timing/random_program.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/platform/timing/small_queues.cpp")
target_include_directories(castor_timing_rig PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/models"
                                                     "${PROJECT_SOURCE_DIR}/sw" "${PROJECT_SOURCE_DIR}")
target_link_libraries(castor_timing_rig PUBLIC castor_ptx castor_compiler castor_platforms castor_gpu
                                               nlohmann_json::nlohmann_json
                                        PRIVATE GTest::gtest castor_options)
foreach(name IN ITEMS bad_input bandwidth determinism front hooks latency order statistics waiting watchdog)
  castor_test(timing_${name}_test KIND platform ISOLATED TIMEOUT 600
              SOURCES timing/${name}_test.cpp
              LIBS castor_timing_rig)
endforeach()
