castor_tests(gpu_tests KIND unit
  SOURCES gpu_store_test.cpp gpu_address_check_test.cpp gpu_printf_test.cpp gpu_launch_check_test.cpp gpu_memory_path_test.cpp
          gpu_thread_block_test.cpp gpu_functional_device_test.cpp gpu_lookout_test.cpp gpu_affine_probe_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms)
castor_test(gpu_cycle_process_test KIND unit ISOLATED SOURCES gpu_cycle_process_test.cpp LIBS castor_gpu)
castor_tests(gpu_launch_tests KIND unit
  SOURCES gpu_launch_launcher_test.cpp
  LIBS castor_platforms)
# A device per process: SystemC elaborates once.
castor_tests(gpu_launch_device_tests KIND unit ISOLATED
  SOURCES gpu_launch_latency_test.cpp gpu_launch_pool_test.cpp gpu_launch_rules_test.cpp
          gpu_launch_order_test.cpp gpu_launch_random_test.cpp gpu_launch_fault_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms)
# Groups, with and without the block that attaches them; launches, with and without the one that orders them. Machines
# with one load its model.so.
castor_tests(gpu_launch_group_tests KIND unit ISOLATED TIMEOUT 600
  SOURCES gpu_launch_group_test.cpp gpu_launch_group_timing_test.cpp gpu_launch_source_order_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms castor_hookup)
