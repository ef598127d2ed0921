# The whole timing GPU against the closed forms and rules of docs/gpu/closed-forms.md, "Closed forms" and "Invariants".
# Every case is a process of its own and takes less than two seconds.

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
castor_cold(castor_timing_rig RUNS_BRIEFLY)
castor_unity(castor_timing_rig 4)
castor_tests(timing_tests KIND platform ISOLATED
  SOURCES timing/bad_input_test.cpp timing/bandwidth_test.cpp timing/determinism_test.cpp timing/front_test.cpp
          timing/hooks_test.cpp timing/latency_test.cpp timing/order_test.cpp timing/retire_test.cpp
          timing/shared_test.cpp timing/statistics_test.cpp timing/sync_test.cpp timing/sync_program_test.cpp
          timing/swap_program_test.cpp timing/swap_sites_test.cpp
          timing/swap_spare_test.cpp timing/swap_segments_test.cpp
          timing/hook_watch_test.cpp timing/waiting_test.cpp
          timing/watchdog_test.cpp
  LIBS castor_timing_rig)

# Hooks in a shared object that links nothing of the GPU.
castor_test_object(castor_test_hooks_module hooks_module
  SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/platform/timing/hooks_module.cpp" LIBS castor_twin castor_base)
if(NOT CASTOR_SANITIZE)  # the sanitizers' own functions are in the program
  target_link_options(castor_test_hooks_module PRIVATE LINKER:--no-undefined)
endif()
castor_test(timing_hooks_module_test KIND platform ISOLATED
            SOURCES timing/hooks_module_test.cpp
            LIBS castor_timing_rig ${CMAKE_DL_LIBS}
            DEPENDS castor_test_hooks_module)
