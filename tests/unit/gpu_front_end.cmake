castor_tests(gpu_front_end_tests KIND unit
  SOURCES gpu_front_end_table_test.cpp gpu_front_end_dispatch_test.cpp gpu_front_end_packets_test.cpp
          gpu_front_end_random_test.cpp gpu_front_end_hooks_test.cpp gpu_front_end_hook_rules_test.cpp
          gpu_front_end_fault_test.cpp gpu_front_end_jobs_test.cpp gpu_front_end_governors_test.cpp
          gpu_front_end_ports_test.cpp gpu_front_end_retire_test.cpp gpu_front_end_completion_test.cpp
          gpu_front_end_lanes_test.cpp gpu_front_end_job_table_test.cpp gpu_front_end_inspector_test.cpp
          gpu_front_end_registers_test.cpp gpu_front_end_dispatcher_test.cpp gpu_front_end_preemptor_test.cpp
          gpu_front_end_fault_unit_test.cpp gpu_front_end_parse_test.cpp gpu_front_end_heads_test.cpp
          gpu_front_end_release_test.cpp gpu_front_end_levels_test.cpp gpu_front_end_wait_report_test.cpp
          gpu_front_end_copy_plan_test.cpp gpu_front_end_launch_records_test.cpp
  LIBS castor_gpu castor_platforms)
