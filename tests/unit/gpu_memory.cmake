castor_tests(gpu_memory_tests KIND unit TIMEOUT 180
  SOURCES gpu_memory_map_test.cpp gpu_memory_timing_test.cpp gpu_memory_slice_test.cpp gpu_memory_l2_parts_test.cpp
          gpu_memory_crossbar_test.cpp gpu_memory_traffic_test.cpp gpu_memory_dram_test.cpp
          gpu_memory_protocol_test.cpp gpu_memory_tlb_test.cpp
  LIBS castor_platforms)
castor_script_test(gpu_outside_memory_test KIND unit COMMAND outside_memory)
castor_script_test(gpu_outside_memory_blocking_test KIND unit COMMAND outside_memory blocking)
