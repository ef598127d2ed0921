// DTBL with registers brought out for a bench: the top that is verilated. It reads the block by hierarchical name, so the
// RTL carries no test code. Of the tables without reset it shows the words that have been written: the row of the entry
// that is being distributed as far as its marks vouch for it.
module castor_dtbl_probe #(
  parameter int unsigned NumKde   = 32,
  parameter int unsigned AgtSize  = 1024,
  parameter int unsigned HashMode = 0,
  localparam int unsigned KdWidth    = (NumKde > 1) ? $clog2(NumKde) : 1,
  localparam int unsigned IndexWidth = (AgtSize > 1) ? $clog2(AgtSize) : 1,
  localparam int unsigned CountWidth = $clog2(NumKde + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Groups of launch commands.
  input  logic        agg_valid_i,
  output logic        agg_ready_o,
  input  logic        agg_first_i,
  input  logic        agg_last_i,
  input  logic [4:0]  agg_sm_i,
  input  logic [5:0]  agg_warp_i,
  input  logic [4:0]  agg_lane_i,
  input  logic [76:0] agg_key_i,
  input  logic [63:0] agg_dim_i,
  input  logic [31:0] agg_cnt_i,
  input  logic [31:0] agg_param_i,
  input  logic [3:0]  agg_level_i,

  // Kernel table.
  output logic [KdWidth-1:0] key_idx_o,
  input  logic               key_valid_i,
  input  logic [76:0]        key_rd_i,
  output logic [NumKde-1:0]  launch_hold_o,

  // Groups that have found a kernel, and groups that become one.
  output logic               att_valid_o,
  output logic               att_ready_o,
  output logic [KdWidth-1:0] att_kd_o,
  output logic [31:0]        att_agei_o,
  output logic [63:0]        att_dim_o,
  output logic [31:0]        att_cnt_o,
  output logic [31:0]        att_param_o,
  output logic [3:0]         att_level_o,
  output logic [4:0]         att_sm_o,
  output logic               fb_valid_o,
  input  logic               fb_ready_i,
  output logic [30:0]        fb_rec_o,
  output logic [5:0]         fb_ord_o,
  output logic [3:0]         fb_level_o,
  output logic [4:0]         fb_sm_o,

  // Completions of thread blocks.
  input  logic                  done_valid_i,
  input  logic [31:0]           done_agei_i,
  output logic                  rel_valid_o,
  output logic [IndexWidth-1:0] rel_idx_o,
  output logic [IndexWidth:0]   agt_used_o,
  output logic [1:0]            launch_err_o,

  // Kernels whose entry is being written.
  input  logic               push_valid_i,
  output logic               push_ready_o,
  input  logic [KdWidth-1:0] push_kd_i,
  input  logic [63:0]        push_dim_i,

  // Thread blocks.
  input  logic [NumKde-1:0]  fits_i,
  output logic               pl_valid_o,
  input  logic               pl_taken_i,
  output logic [KdWidth-1:0] pl_kd_o,
  output logic [31:0]        pl_agei_o,
  output logic [31:0]        pl_pos_o,
  output logic [63:0]        pl_dim_o,
  output logic [31:0]        pl_param_o,
  output logic               pl_last_o,
  output logic               cur_valid_o,
  output logic [KdWidth-1:0] cur_kd_o,
  output logic [NumKde-1:0]  dispatch_hold_o,

  // Memory.
  output logic        mem_valid_o,
  input  logic        mem_ready_i,
  output logic        mem_write_o,
  output logic [39:0] mem_addr_o,
  output logic [31:0] mem_wdata_o,
  input  logic        rsp_valid_i,
  input  logic [63:0] rsp_dim_i,
  input  logic [31:0] rsp_next_i,

  output logic [2:0] dispatch_err_o,

  output logic [1:0]            probe_launch_state_o,
  output logic [76:0]           probe_run_key_o,
  output logic                  probe_in_command_o,
  output logic [5:0]            probe_fallbacks_o,
  output logic [AgtSize-1:0]    probe_busy_o,
  output logic                  probe_done_valid_o,
  output logic [IndexWidth-1:0] probe_done_age_o,
  output logic [31:0]           probe_done_left_o,
  output logic                  probe_out_valid_o,
  output logic                  probe_out_fallback_o,
  output logic                  probe_released_o,
  output logic [1:0]            probe_launch_error_o,
  output logic [1:0]            probe_dispatch_state_o,
  output logic [NumKde-1:0]     probe_first_o,
  output logic [KdWidth-1:0]    probe_queue_head_o,
  output logic [CountWidth-1:0] probe_queue_count_o,
  output logic [KdWidth-1:0]    probe_queue_oldest_o,
  output logic [KdWidth-1:0]    probe_cur_kd_o,
  output logic [31:0]           probe_cur_agei_o,
  output logic [63:0]           probe_cur_od_o,
  output logic [31:0]           probe_cur_pos_o,
  output logic [31:0]           probe_row_nagei_o,
  output logic [31:0]           probe_row_lagei_o,
  output logic [63:0]           probe_row_kdim_o,
  output logic [31:0]           probe_row_next_o,
  output logic [63:0]           probe_record_dim_o,
  output logic [31:0]           probe_record_next_o,
  output logic                  probe_record_linked_o,
  output logic                  probe_link_valid_o,
  output logic [30:0]           probe_link_rec_o,
  output logic [31:0]           probe_link_data_o,
  output logic                  probe_read_stays_o,
  output logic [2:0]            probe_dispatch_error_o
);
  castor_dtbl #(
    .NumKde   (NumKde),
    .AgtSize  (AgtSize),
    .HashMode (HashMode)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .agg_valid_i,
    .agg_ready_o,
    .agg_first_i,
    .agg_last_i,
    .agg_sm_i,
    .agg_warp_i,
    .agg_lane_i,
    .agg_key_i,
    .agg_dim_i,
    .agg_cnt_i,
    .agg_param_i,
    .agg_level_i,
    .key_idx_o,
    .key_valid_i,
    .key_rd_i,
    .launch_hold_o,
    .att_valid_o,
    .att_ready_o,
    .att_kd_o,
    .att_agei_o,
    .att_dim_o,
    .att_cnt_o,
    .att_param_o,
    .att_level_o,
    .att_sm_o,
    .fb_valid_o,
    .fb_ready_i,
    .fb_rec_o,
    .fb_ord_o,
    .fb_level_o,
    .fb_sm_o,
    .done_valid_i,
    .done_agei_i,
    .rel_valid_o,
    .rel_idx_o,
    .agt_used_o,
    .launch_err_o,
    .push_valid_i,
    .push_ready_o,
    .push_kd_i,
    .push_dim_i,
    .fits_i,
    .pl_valid_o,
    .pl_taken_i,
    .pl_kd_o,
    .pl_agei_o,
    .pl_pos_o,
    .pl_dim_o,
    .pl_param_o,
    .pl_last_o,
    .cur_valid_o,
    .cur_kd_o,
    .dispatch_hold_o,
    .mem_valid_o,
    .mem_ready_i,
    .mem_write_o,
    .mem_addr_o,
    .mem_wdata_o,
    .rsp_valid_i,
    .rsp_dim_i,
    .rsp_next_i,
    .dispatch_err_o
  );

  // What the words shown depend on.
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
