castor_tests(gpu_sm_program_tests KIND unit
  SOURCES gpu_sm_timing_test.cpp gpu_sm_program_test.cpp gpu_sm_block_test.cpp gpu_sm_filter_test.cpp
          gpu_sm_skip_check_test.cpp
          gpu_sm_hooks_test.cpp gpu_sm_tick_walls_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms)
castor_test(gpu_sm_warp_groups_test KIND unit SOURCES gpu_sm_warp_groups_test.cpp saws/reference.cpp
            LIBS castor_platforms)
# Parts of an SM, each by itself.
castor_tests(gpu_sm_parts_tests KIND unit
  SOURCES gpu_sm_clock_test.cpp gpu_sm_warp_table_test.cpp gpu_sm_pipelines_test.cpp gpu_sm_scoreboard_test.cpp
          gpu_sm_instruction_buffer_test.cpp gpu_sm_blocked_warps_test.cpp gpu_sm_fetch_stage_test.cpp
          gpu_sm_thread_blocks_test.cpp gpu_sm_fault_port_test.cpp gpu_sm_barriers_test.cpp
          gpu_sm_device_calls_test.cpp gpu_sm_control_unit_test.cpp gpu_sm_executor_test.cpp
          gpu_sm_issue_counter_test.cpp gpu_sm_pick_policy_test.cpp gpu_sm_issue_stage_test.cpp
          gpu_sm_hook_port_test.cpp gpu_sm_row_pool_test.cpp gpu_sm_filter_unit_test.cpp
          gpu_sm_tick_accounting_test.cpp gpu_sm_wait_report_test.cpp
  LIBS castor_platforms)
