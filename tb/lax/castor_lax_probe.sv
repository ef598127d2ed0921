// Verilated top of the laxity engine that brings out registers for test benches. The module reads the engine by
// hierarchical names, so the RTL carries no test code.
module castor_lax_probe;
  assign probe_main_state_o    = u_dut.f_q;
  assign probe_submit_state_o  = u_dut.sub_q;
  assign probe_job_state0_o    = u_dut.st0_q;
  assign probe_job_state1_o    = u_dut.st1_q;
  assign probe_job_state2_o    = u_dut.st2_q;
  assign probe_open_o          = u_dut.open_q;
  assign probe_preempted_o     = u_dut.pre_q;
  assign probe_kernel_type_o   = u_dut.k_q;
  assign probe_queue_o         = u_dut.q_q;
  assign probe_total_o         = u_dut.tot_q;
  assign probe_update_timer_o  = u_dut.utmr_q;
  assign probe_prema_timer_o   = u_dut.ptmr_q;
  assign probe_group_o         = 8'(u_dut.g_q);
  assign probe_verdict_count_o = 9'(u_dut.verdict_count);
  assign probe_pend_count_o    = 9'(u_dut.pend_count);
  assign probe_done_count_o    = 9'(u_dut.done_count);
  assign probe_pend_oldest_o   = u_dut.pend_qid;
  assign probe_done_oldest_o   = {u_dut.done_met, 8'(u_dut.done_qid)};
  assign probe_enable_o        = u_dut.config_q.enable;
  assign probe_update_period_o = u_dut.config_q.upd_period;
  assign probe_prema_period_o  = u_dut.config_q.prema_period;
  assign probe_update_waits_o  = u_dut.upd_pend;
  assign probe_prema_waits_o   = u_dut.prema_pend;
  assign probe_errors_o        = u_dut.u_registers.err_stat_q;
  assign probe_phase_o         = u_dut.f_visit ? u_dut.ph_q : '0;
  assign probe_turn_o          = u_dut.u_main.turn_q;
  assign probe_update_start_o  = u_dut.u_main.upd_t_q;
  assign probe_update_length_o = u_dut.u_main.upd_dt_q;
  assign probe_threshold_o     = u_dut.u_main.thr;

  // Rows of tables without reset, shown in the cycle in which the main machine reads them.
  logic open_type, open_window, open_job;

  assign open_type   = (u_dut.f_q == castor_lax_pkg::KOpen);
  assign open_window = open_type && u_dut.table_kt;
  assign open_job    = (u_dut.f_q == castor_lax_pkg::VOpen) && (u_dut.ph_q == castor_lax_pkg::PhUpd) &&
                       !u_dut.st2_q[u_dut.q_q] && u_dut.st1_q[u_dut.q_q];

  assign probe_row_rate_o      = (open_type && u_dut.table_valid) ? u_dut.table_tpw : '0;
  assign probe_row_count_o     = open_window ? u_dut.table_cnt : '0;
  assign probe_row_active_o    = open_window ? u_dut.table_kact : '0;
  assign probe_row_instances_o = open_window ? u_dut.table_kins : '0;
  assign probe_row_window_o    = open_window ? u_dut.table_t_ref : '0;
  assign probe_row_in_flight_o = open_window ? 9'(u_dut.table_inflight) : '0;
  assign probe_row_profile_o   = open_type ? u_dut.table_tpw_iso : '0;
  assign probe_row_snapshot_o  = (open_type && u_dut.table_snv) ? u_dut.table_snap : '0;
  assign probe_row_isolated_o  = open_job ? u_dut.table_iso : '0;
  assign probe_row_token_o     = open_job ? u_dut.table_token : '0;
  assign probe_row_start_o     = open_job ? u_dut.table_job.start : '0;
  assign probe_row_deadline_o  = open_job ? u_dut.table_job.deadline : '0;
  assign probe_row_slots_o     = open_job ? {u_dut.table_job.fits, u_dut.table_list[MaxKt*(KidWidth+24) +: 5]} : '0;
  assign probe_row_done_o      = open_job ? u_dut.u_wgdone.mem_q[u_dut.q_q] : '0;
  assign probe_row_record_o    = open_job ? u_dut.table_rec : '0;
  assign probe_row_key_o       = open_job ? u_dut.u_select.u_key.mem_q[u_dut.q_q] : '0;
  assign probe_row_arrival_o   = open_job ? u_dut.u_select.u_seq.mem_q[u_dut.q_q] : '0;
  assign probe_row_grant_o     = (open_job && u_dut.u_select.pseq_set_q[u_dut.q_q]) ?
                                 u_dut.u_select.u_pseq.mem_q[u_dut.q_q] : '0;
  assign probe_row_priority_o  = open_job ? u_dut.table_qprio : '0;
  assign probe_slot_type_o     = (u_dut.f_q == castor_lax_pkg::VMac) ? u_dut.u_main.slot_kid : '0;
  assign probe_slot_groups_o   = (u_dut.f_q == castor_lax_pkg::VMac) ? u_dut.u_main.slot_n : '0;
  assign probe_types_rated_o   = u_dut.u_profile.valid_q;
  assign probe_types_seen_o    = u_dut.u_profile.kt_q;
  assign probe_types_sampled_o = u_dut.u_profile.snv_q;

  // The header registers are valid while the submit machine is not idle.
  logic takes_header;

  assign takes_header            = (u_dut.sub_q != castor_lax_pkg::SIdle);
  assign probe_submit_queue_o    = takes_header ? u_dut.u_submit.qid_q : '0;
  assign probe_submit_deadline_o = takes_header ? u_dut.u_submit.job_q.deadline : '0;
  assign probe_submit_start_o    = takes_header ? u_dut.u_submit.job_q.start : '0;
  assign probe_submit_flags_o    = takes_header ? {u_dut.u_submit.nonzero_q, u_dut.u_submit.overflow_q,
                                                   u_dut.u_submit.bad_kid_q, u_dut.u_submit.job_q.fits,
                                                   u_dut.u_submit.append_q} : '0;
  assign probe_submit_beats_o    = takes_header ? {u_dut.u_submit.sc_q, u_dut.u_submit.bc_q,
                                                   u_dut.u_submit.nkt_q} : '0;

  assign probe_parse_offer_o    = {u_dut.u_select.p_valid_q,
                                   u_dut.u_select.p_valid_q ? 8'(u_dut.u_select.p_qid_q) : 8'd0};
  assign probe_dispatch_offer_o = {u_dut.u_select.d_valid_q,
                                   u_dut.u_select.d_valid_q ? 8'(u_dut.u_select.d_qid_q) : 8'd0};
  assign probe_parse_dropped_o  = u_dut.u_select.p_drop_q;
  assign probe_last_granted_o   = u_dut.u_select.rrptr_q;
  assign probe_arrivals_o       = u_dut.u_select.seq_ctr_q;
  assign probe_grants_o         = u_dut.u_select.pseq_ctr_q;

  assign probe_control_o        = {u_dut.config_q.preparse, u_dut.config_q.inspect_mode, u_dut.config_q.leak,
                                   u_dut.config_q.ewma_shift, u_dut.config_q.drop_expired, u_dut.config_q.bypass_en,
                                   u_dut.config_q.init_prio, u_dut.config_q.prio_class_en, u_dut.config_q.warm_policy,
                                   u_dut.config_q.rate_mode, u_dut.config_q.policy, u_dut.config_q.freeze, 1'b0,
                                   u_dut.config_q.admit_en, u_dut.config_q.enable};
  assign probe_min_groups_o     = u_dut.config_q.min_wg;
  assign probe_parse_latency_o  = u_dut.config_q.parse_lat;
  assign probe_context_speed_o  = u_dut.config_q.ckpt_bw;
  assign probe_prema_priority_o = u_dut.config_q.prema_p;
  assign probe_interrupts_o     = u_dut.u_registers.irq_stat_q;
  assign probe_irq_enable_o     = u_dut.u_registers.irq_en_q;
  assign probe_now_high_o       = u_dut.u_registers.now_high_q;
  assign probe_counters_o       = u_dut.u_registers.counters;

  // Number of edges since the last event that matters to the selection or a state machine, saturating. The skipping of
  // idle cycles (Block::quiet) reads it.
  localparam logic [9:0] MostRest = '1;
  logic                 moves;
  logic [9:0]           rest_q;
  logic [NumQueues-1:0] pe_vec_q, de_vec_q;

  assign moves = ks_valid_i || ki_valid_i || wgc_valid_i || kd_valid_i || js_valid_i || wl_valid_i || psel_grant_i ||
                 dsel_grant_i || reg_req_i || reg_ack_o || u_dut.f_q != castor_lax_pkg::Idle ||
                 u_dut.sub_q > castor_lax_pkg::SList || pe_vec_i != pe_vec_q || de_vec_i != de_vec_q;
  assign probe_rest_o = rest_q;

  always_ff @(posedge clk_i) begin
    pe_vec_q <= pe_vec_i;
    de_vec_q <= de_vec_i;
    if (!rst_ni || moves) begin
      rest_q <= '0;
    end else if (rest_q != MostRest) begin
      rest_q <= rest_q + 10'd1;
    end
  end
endmodule
