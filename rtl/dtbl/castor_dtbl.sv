// Dynamic thread block launch (DTBL): groups of thread blocks that a running kernel launches join the pool of a kernel
// that is already resident (docs/blocks/dtbl.md).
//
// The launch half finds the kernel and a table entry for each group. The dispatch half keeps the pools of groups and
// offers thread blocks for placement. A group moves to the dispatch half as soon as that half accepts it, with priority
// over a kernel that becomes resident. The prefixes launch_ and dispatch_ distinguish ports that both halves have.
//
// Cost of one more unit of each parameter (docs/blocks/dtbl.md, "Area"):
//   NumKde    133 bits of memory (pool row, ring) and 2 flip-flops; one bit of every choice of a kernel
//   AgtSize   160 bits of memory and one flip-flop (busy)
//   HashMode  the gates of the hash function
module castor_dtbl #(
  parameter int unsigned NumKde   = 32,    // entries of the kernel table, 1..256
  parameter int unsigned AgtSize  = 1024,  // entries of the table of groups, 1..2048, a power of two
  parameter int unsigned HashMode = 0,     // 1: the number of the multiprocessor is part of the hash
  localparam int unsigned KdWidth    = (NumKde > 1) ? $clog2(NumKde) : 1,
  localparam int unsigned IndexWidth = (AgtSize > 1) ? $clog2(AgtSize) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Launch commands: one beat per group.
  input  logic        agg_valid_i,  // a thread launches a group: the beat is valid
  output logic        agg_ready_o,  // the beat is accepted
  input  logic        agg_first_i,  // first beat of its launch command
  input  logic        agg_last_i,   // last beat of its launch command
  input  logic [4:0]  agg_sm_i,     // SM of the launching thread
  input  logic [5:0]  agg_warp_i,   // warp slot of the launching thread
  input  logic [4:0]  agg_lane_i,   // lane of the launching thread
  input  logic [76:0] agg_key_i,    // key of the group: {shared 16, z 7, y 11, x 11, pc 32}
  input  logic [63:0] agg_dim_i,    // thread blocks of the group per dimension: {z 16, y 16, x 32}
  input  logic [31:0] agg_cnt_i,    // number of thread blocks of the group
  input  logic [31:0] agg_param_i,  // address of the group's parameters / 16
  input  logic [3:0]  agg_level_i,  // nesting level of the launch, passed on

  // Kernel table.
  output logic [KdWidth-1:0] key_idx_o,      // entry of the kernel table that is compared
  input  logic               key_valid_i,    // groups may attach to the kernel entry key_idx
  input  logic [76:0]        key_rd_i,       // key of the kernel entry key_idx
  output logic [NumKde-1:0]  launch_hold_o,  // kernel entries that must not be released: groups attach

  // Groups that attach to a kernel, and groups that become device kernels.
  output logic               att_valid_o,  // a group attaches to a kernel
  output logic               att_ready_o,  // the attachment is accepted: no link write waits
  output logic [KdWidth-1:0] att_kd_o,     // kernel entry that the group attaches to
  output logic [31:0]        att_agei_o,   // reference of the group: table entry or record
  output logic [63:0]        att_dim_o,    // thread blocks of the group per dimension
  output logic [31:0]        att_cnt_o,    // number of thread blocks of the group
  output logic [31:0]        att_param_o,  // address of the group's parameters / 16
  output logic [3:0]         att_level_o,  // nesting level of the group
  output logic [4:0]         att_sm_o,     // SM of the launching thread
  output logic               fb_valid_o,   // a group becomes a device kernel (fallback)
  input  logic               fb_ready_i,   // the fallback is accepted
  output logic [30:0]        fb_rec_o,     // address of the group's record / 16
  output logic [5:0]         fb_ord_o,     // number of fallbacks in the command, this one included
  output logic [3:0]         fb_level_o,   // nesting level of the group
  output logic [4:0]         fb_sm_o,      // SM of the launching thread

  // Completions of thread blocks.
  input  logic                  done_valid_i,  // a thread block has completed
  input  logic [31:0]           done_agei_i,   // reference of the completed thread block's group
  output logic                  rel_valid_o,   // a group table entry has been freed
  output logic [IndexWidth-1:0] rel_idx_o,     // group table entry that has been freed
  output logic [IndexWidth:0]   agt_used_o,    // number of group table entries in use
  output logic [1:0]            launch_err_o,  // protocol errors: bit 0 framing, bit 1 completion

  // Kernels that become resident.
  input  logic               push_valid_i,  // a kernel becomes resident: its entry is being written
  output logic               push_ready_o,  // a kernel may be pushed
  input  logic [KdWidth-1:0] push_kd_i,     // kernel entry that is being written
  input  logic [63:0]        push_dim_i,    // grid of the kernel: {z 16, y 16, x 32}

  // Placement of thread blocks.
  input  logic [NumKde-1:0]  fits_i,           // the next TB of the kernel entry fits some SM
  output logic               pl_valid_o,       // a thread block is offered
  input  logic               pl_taken_i,       // the offered thread block is placed
  output logic [KdWidth-1:0] pl_kd_o,          // kernel entry of the offered thread block
  output logic [31:0]        pl_agei_o,        // group of the offered thread block; all ones: native
  output logic [31:0]        pl_pos_o,         // position of the thread block in its kernel or group
  output logic [63:0]        pl_dim_o,         // TBs of the kernel or group: {z 16, y 16, x 32}
  output logic [31:0]        pl_param_o,       // parameter address / 16 of the group; native: 0
  output logic               pl_last_o,        // last thread block of its kernel or group
  output logic               cur_valid_o,      // thread blocks of a kernel or group are distributed
  output logic [KdWidth-1:0] cur_kd_o,         // kernel entry that is being distributed
  output logic [NumKde-1:0]  dispatch_hold_o,  // kernel entries with thread blocks not yet placed

  // Memory port: reads of group records, and writes of links between records.
  output logic        mem_valid_o,  // memory request
  input  logic        mem_ready_i,  // the memory request is accepted
  output logic        mem_write_o,  // 1: write 4 bytes (a link), 0: read a record
  output logic [39:0] mem_addr_o,   // byte address of the request
  output logic [31:0] mem_wdata_o,  // data of a write
  input  logic        rsp_valid_i,  // reply to the read
  input  logic [63:0] rsp_dim_i,    // record: thread blocks of the group per dimension
  input  logic [31:0] rsp_next_i,   // record: reference of the next group in the pool

  output logic [2:0] dispatch_err_o  // protocol errors: bit 0 push, bit 1 reply, bit 2 taken
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
