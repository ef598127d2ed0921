castor_tests(gpu_lsu_tests KIND unit
  SOURCES gpu_lsu_timing_test.cpp gpu_lsu_coalescing_test.cpp gpu_lsu_l1_test.cpp gpu_lsu_random_test.cpp
  LIBS castor_platforms)
