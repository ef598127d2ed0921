// Dynamic thread block launch (DTBL): groups of thread blocks that a running kernel launches join the pool of a kernel
// that is resident already (docs/blocks/dtbl.md).
//
// Two halves: the launch half finds the kernel and an entry for each group, the dispatch half keeps the pools and offers
// thread blocks. A group goes from the one to the other as soon as the second can take it; a kernel that becomes
// resident gives way to it. What both halves have is called launch_ and dispatch_.
module castor_dtbl #(
  parameter int unsigned NumKde   = 32,    // entries of the kernel table, 1..256
  parameter int unsigned AgtSize  = 1024,  // entries of the table of groups, 1..2048, a power of two
  parameter int unsigned HashMode = 0,     // 1: the number of the multiprocessor is part of the hash
  localparam int unsigned KdWidth    = (NumKde > 1) ? $clog2(NumKde) : 1,
  localparam int unsigned IndexWidth = (AgtSize > 1) ? $clog2(AgtSize) : 1
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

  output logic [2:0] dispatch_err_o
);
  if (NumKde < 1 || NumKde > 256) begin : gen_bad_num_kde
    $error("castor_dtbl: NumKde must be 1..256");
  end
  if (AgtSize < 1 || AgtSize > 2048 || AgtSize != 2 ** $clog2(AgtSize)) begin : gen_bad_agt_size
    $error("castor_dtbl: AgtSize must be a power of two, 1..2048");
  end
  if (HashMode > 1) begin : gen_bad_hash_mode
    $error("castor_dtbl: HashMode must be 0 or 1");
  end

  assign push_ready_o = att_ready_o && !att_valid_o;

  castor_dtbl_launch #(
    .NumKde   (NumKde),
    .AgtSize  (AgtSize),
    .HashMode (HashMode)
  ) u_launch (
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
    .hold_o (launch_hold_o),
    .att_valid_o,
    .att_ready_i (att_ready_o),
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
    .err_o (launch_err_o)
  );

  castor_dtbl_dispatch #(
    .NumKde  (NumKde),
    .AgtSize (AgtSize)
  ) u_dispatch (
    .clk_i,
    .rst_ni,
    .push_valid_i (att_valid_o || push_valid_i),
    .push_ready_o (att_ready_o),
    .push_group_i (att_valid_o),
    .push_kd_i    (att_valid_o ? att_kd_o : push_kd_i),
    .push_agei_i  (att_valid_o ? att_agei_o : castor_dtbl_pkg::None),
    .push_dim_i   (att_valid_o ? att_dim_o : push_dim_i),
    .push_param_i (att_param_o),
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
    .hold_o (dispatch_hold_o),
    .mem_valid_o,
    .mem_ready_i,
    .mem_write_o,
    .mem_addr_o,
    .mem_wdata_o,
    .rsp_valid_i,
    .rsp_dim_i,
    .rsp_next_i,
    .err_o (dispatch_err_o)
  );
endmodule
