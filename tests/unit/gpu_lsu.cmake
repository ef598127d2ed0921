castor_test(gpu_lsu_timing_test KIND unit SOURCES gpu_lsu_timing_test.cpp LIBS castor_platforms)
castor_test(gpu_lsu_coalescing_test KIND unit SOURCES gpu_lsu_coalescing_test.cpp LIBS castor_platforms)
castor_test(gpu_lsu_l1_test KIND unit SOURCES gpu_lsu_l1_test.cpp LIBS castor_platforms)
castor_test(gpu_lsu_random_test KIND unit SOURCES gpu_lsu_random_test.cpp LIBS castor_platforms)
