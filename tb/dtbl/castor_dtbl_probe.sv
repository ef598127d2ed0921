// Verilated top of DTBL that brings out registers for test benches. The module reads the block by hierarchical names,
// so the RTL carries no test code. Tables without reset are shown only where they have been written. The row of the
// entry being distributed is shown as far as its mark bits validate it.
module castor_dtbl_probe;
  // Conditions under which the table words of kd_q are valid.
  logic marked, pool, native, linked;

  assign marked = u_dut.u_dispatch.marks[u_dut.u_dispatch.kd_q];
  assign pool   = marked && (u_dut.u_dispatch.nagei_kd != castor_dtbl_pkg::None);
  assign native = u_dut.u_dispatch.firsts[u_dut.u_dispatch.kd_q];
  assign linked = (u_dut.u_dispatch.st_q == castor_dtbl_pkg::ItemRun) && !u_dut.u_dispatch.agei_q[31] &&
                  (u_dut.u_dispatch.agei_q != u_dut.u_dispatch.lagei_kd);

  assign probe_launch_state_o   = u_dut.u_launch.st_q;
  assign probe_run_key_o        = u_dut.u_launch.rk_q;
  assign probe_in_command_o     = u_dut.u_launch.mid_q;
  assign probe_fallbacks_o      = u_dut.u_launch.ford_q;
  assign probe_busy_o           = u_dut.u_launch.busy_q;
  assign probe_done_valid_o     = u_dut.u_launch.cq_v_q;
  assign probe_done_age_o       = u_dut.u_launch.cq_i_q;
  assign probe_done_left_o      = u_dut.u_launch.count ? u_dut.u_launch.left : '0;
  assign probe_out_valid_o      = u_dut.u_launch.o_v_q;
  assign probe_out_fallback_o   = u_dut.u_launch.o_v_q && u_dut.u_launch.o_fb_q;
  assign probe_released_o       = rel_valid_o;
  assign probe_launch_error_o   = launch_err_o;
  assign probe_dispatch_state_o = u_dut.u_dispatch.st_q;
  assign probe_first_o          = u_dut.u_dispatch.first_q;
  assign probe_queue_head_o     = u_dut.u_dispatch.fq_head;
  assign probe_queue_count_o    = u_dut.u_dispatch.fq_count;
  assign probe_queue_oldest_o   = u_dut.u_dispatch.fq_empty ? '0 : u_dut.u_dispatch.fq_kd;
  assign probe_cur_kd_o         = u_dut.u_dispatch.kd_q;
  assign probe_cur_agei_o       = u_dut.u_dispatch.agei_q;
  assign probe_cur_od_o         = u_dut.u_dispatch.od;
  assign probe_cur_pos_o        = u_dut.u_dispatch.pos;
  assign probe_row_nagei_o      = marked ? u_dut.u_dispatch.nagei_kd : '0;
  assign probe_row_lagei_o      = pool ? u_dut.u_dispatch.lagei_kd : '0;
  assign probe_row_kdim_o       = native ? u_dut.u_dispatch.kdim : '0;
  assign probe_row_next_o       = linked ? u_dut.u_dispatch.lnext : '0;
  assign probe_record_dim_o     = u_dut.u_dispatch.ob_dim_q;
  assign probe_record_next_o    = u_dut.u_dispatch.ob_nxt_q;
  assign probe_record_linked_o  = u_dut.u_dispatch.ob_nv_q;
  assign probe_link_valid_o     = u_dut.u_dispatch.lw_v_q;
  assign probe_link_rec_o       = u_dut.u_dispatch.lw_v_q ? u_dut.u_dispatch.lw_rec_q : '0;
  assign probe_link_data_o      = u_dut.u_dispatch.lw_v_q ? u_dut.u_dispatch.lw_data_q : '0;
  assign probe_read_stays_o     = u_dut.u_dispatch.ro_q;
  assign probe_dispatch_error_o = dispatch_err_o;
endmodule
