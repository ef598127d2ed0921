castor_test(gpu_memory_map_test KIND unit SOURCES gpu_memory_map_test.cpp LIBS castor_platforms)
castor_test(gpu_memory_timing_test KIND unit SOURCES gpu_memory_timing_test.cpp LIBS castor_platforms)
castor_test(gpu_memory_traffic_test KIND unit TIMEOUT 180 SOURCES gpu_memory_traffic_test.cpp LIBS castor_platforms)
castor_test(gpu_memory_dram_test KIND unit SOURCES gpu_memory_dram_test.cpp LIBS castor_platforms)
