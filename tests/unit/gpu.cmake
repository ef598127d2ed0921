# The GPU and its parts, and the machines that describe it.
castor_tests(gpu_tests KIND unit
  SOURCES
    # the device interface, the functional machine
    gpu_store_test.cpp gpu_address_check_test.cpp gpu_printf_test.cpp gpu_launch_check_test.cpp gpu_memory_path_test.cpp
    gpu_thread_block_test.cpp gpu_functional_device_test.cpp gpu_functional_spin_test.cpp gpu_kernel_rows_test.cpp gpu_run_monitor_test.cpp
    gpu_execution_study_test.cpp gpu_launch_launcher_test.cpp gpu_functional_sync_test.cpp gpu_grid_barrier_test.cpp
    # machines
    machine_test.cpp machine_check_test.cpp machine_occupancy_test.cpp
    # the memory side
    gpu_lsu_timing_test.cpp gpu_lsu_coalescing_test.cpp gpu_lsu_l1_test.cpp gpu_lsu_random_test.cpp
    gpu_memory_map_test.cpp gpu_memory_timing_test.cpp gpu_memory_slice_test.cpp gpu_memory_l2_parts_test.cpp
    gpu_memory_crossbar_test.cpp gpu_memory_traffic_test.cpp gpu_memory_dram_test.cpp
    gpu_memory_protocol_test.cpp gpu_memory_tlb_test.cpp
    # replay, and what a run leaves behind
    gpu_replay_file_test.cpp gpu_replay_service_test.cpp gpu_replay_sm_test.cpp
    gpu_trace_timeline_test.cpp gpu_trace_waves_test.cpp gpu_trace_progress_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms nlohmann_json::nlohmann_json)

castor_tests(gpu_front_end_tests KIND unit
  SOURCES
    gpu_front_end_table_test.cpp gpu_front_end_dispatch_test.cpp gpu_front_end_packets_test.cpp
    gpu_front_end_random_test.cpp gpu_front_end_hooks_test.cpp gpu_front_end_hook_rules_test.cpp
    gpu_front_end_hook_registers_test.cpp
    gpu_front_end_fault_test.cpp gpu_front_end_jobs_test.cpp gpu_front_end_governors_test.cpp
    gpu_front_end_ports_test.cpp gpu_front_end_retire_test.cpp gpu_front_end_completion_test.cpp
    gpu_front_end_lanes_test.cpp gpu_front_end_job_table_test.cpp gpu_front_end_inspector_test.cpp
    gpu_front_end_registers_test.cpp gpu_front_end_dispatcher_test.cpp gpu_front_end_preemptor_test.cpp
    gpu_front_end_fault_unit_test.cpp gpu_front_end_parse_test.cpp gpu_front_end_heads_test.cpp
    gpu_front_end_release_test.cpp gpu_front_end_levels_test.cpp gpu_front_end_wait_report_test.cpp
    gpu_front_end_copy_plan_test.cpp gpu_front_end_launch_records_test.cpp gpu_front_end_mechanisms_test.cpp
    gpu_front_end_sync_network_test.cpp gpu_front_end_sync_test.cpp gpu_front_end_grid_starts_test.cpp
    gpu_front_end_pages_test.cpp gpu_front_end_page_allocator_test.cpp gpu_front_end_owned_test.cpp
    gpu_front_end_suspender_test.cpp
  LIBS castor_gpu castor_platforms)

# Programs on one SM; its parts, each by itself.
castor_tests(gpu_sm_program_tests KIND unit
  SOURCES
    gpu_sm_timing_test.cpp gpu_sm_program_test.cpp gpu_sm_block_test.cpp gpu_sm_filter_test.cpp
    gpu_sm_skip_check_test.cpp gpu_sm_hooks_test.cpp gpu_sm_tick_walls_test.cpp gpu_sm_mechanism_test.cpp
    gpu_sm_sync_test.cpp gpu_sm_sync_issue_test.cpp gpu_sm_mover_test.cpp gpu_sm_swap_test.cpp
    gpu_sm_swap_port_test.cpp gpu_sm_agent_jobs_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms)
castor_tests(gpu_sm_parts_tests KIND unit
  SOURCES
    gpu_sm_clock_test.cpp gpu_sm_warp_table_test.cpp gpu_sm_pipelines_test.cpp gpu_sm_scoreboard_test.cpp
    gpu_sm_instruction_buffer_test.cpp gpu_sm_blocked_warps_test.cpp gpu_sm_fetch_stage_test.cpp
    gpu_sm_thread_blocks_test.cpp gpu_sm_fault_port_test.cpp gpu_sm_barriers_test.cpp
    gpu_sm_device_calls_test.cpp gpu_sm_control_unit_test.cpp gpu_sm_executor_test.cpp
    gpu_sm_issue_counter_test.cpp gpu_sm_pick_policy_test.cpp gpu_sm_issue_stage_test.cpp
    gpu_sm_hook_port_test.cpp gpu_sm_row_pool_test.cpp gpu_sm_filter_unit_test.cpp
    gpu_sm_filter_moved_test.cpp gpu_sm_swap_sites_test.cpp gpu_sm_swap_layout_test.cpp
    gpu_sm_segment_table_test.cpp
    gpu_sm_tick_accounting_test.cpp gpu_sm_wait_report_test.cpp gpu_sm_l1_lines_test.cpp
  LIBS castor_platforms)
castor_test(gpu_sm_warp_groups_test KIND unit SOURCES gpu_sm_warp_groups_test.cpp saws/reference.cpp LIBS castor_platforms)

# Whole devices, one per process: SystemC elaborates once. Groups of thread blocks, with and without the block that attaches
# them; launches, with and without the one that orders them. Machines with one load its model.so.
castor_tests(gpu_device_tests KIND unit ISOLATED EVERY_COMPILER
  SOURCES
    gpu_replay_whole_test.cpp gpu_replay_preempt_test.cpp
    gpu_launch_latency_test.cpp gpu_launch_pool_test.cpp gpu_launch_rules_test.cpp gpu_launch_order_test.cpp
    gpu_launch_random_test.cpp gpu_launch_fault_test.cpp
    gpu_launch_group_test.cpp gpu_launch_group_life_test.cpp gpu_launch_group_rules_test.cpp
    gpu_launch_group_timing_test.cpp gpu_launch_source_order_test.cpp gpu_moved_governor_test.cpp
    gpu_moved_placing_test.cpp gpu_moved_blocks_test.cpp
    gpu_fits_head_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms castor_hookup
  DEPENDS castor_blocks castor_block_models)
castor_test(gpu_cycle_process_test KIND unit ISOLATED SOURCES gpu_cycle_process_test.cpp LIBS castor_gpu)
castor_test(gpu_report_actions_test KIND unit ISOLATED SOURCES gpu_report_actions_test.cpp LIBS castor_platforms)
castor_script_test(gpu_outside_memory_test KIND unit COMMAND outside_memory)
castor_script_test(gpu_outside_memory_blocking_test KIND unit COMMAND outside_memory blocking)

castor_script_test(timeline_checker_finds_faults KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/platform/check_timeline.py" --self-test)
castor_script_test(machine_document_is_up_to_date KIND unit
  COMMAND castor_machines_document "${PROJECT_SOURCE_DIR}/docs/machines.md")
castor_script_test(statistics_document_is_up_to_date KIND unit
  COMMAND castor_statistics_document "${PROJECT_SOURCE_DIR}/docs/statistics.md")
# A key that no code reads promises something that nothing keeps.
castor_script_test(machine_keys_have_readers KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/keys_have_readers.py" "${PROJECT_SOURCE_DIR}")
castor_script_test(machine_keys_without_readers_are_found KIND rules
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/unit/keys_have_readers.py" "${PROJECT_SOURCE_DIR}" --self-test)
