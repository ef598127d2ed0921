// Dynamic thread block launch (DTBL): groups of thread blocks that a running kernel launches join the pool of a kernel
// that is resident already (docs/blocks/dtbl.md).
//
// Two halves: the launch half finds the kernel and an entry for each group, the dispatch half keeps the pools and offers
// thread blocks. A group goes from the one to the other as soon as the second can take it; a kernel that becomes
// resident gives way to it. What both halves have is called launch_ and dispatch_.
//
// What parameters cost (docs/blocks/dtbl.md, "Area"):
//   NumKde    133 bits of memory (row of the pool, ring) and 2 flip-flops each; a bit of every choice of a kernel
//   AgtSize   160 bits of memory and a flip-flop (busy) each
//   HashMode  gates of the hash
module castor_dtbl #(
  parameter int unsigned NumKde   = 32,    // entries of the kernel table, 1..256
  parameter int unsigned AgtSize  = 1024,  // entries of the table of groups, 1..2048, a power of two
  parameter int unsigned HashMode = 0,     // 1: the number of the multiprocessor is part of the hash
  localparam int unsigned KdWidth    = (NumKde > 1) ? $clog2(NumKde) : 1,
  localparam int unsigned IndexWidth = (AgtSize > 1) ? $clog2(AgtSize) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Groups of launch commands.
  input  logic        agg_valid_i,  // a group is launched: one beat
  output logic        agg_ready_o,  // the beat is taken
  input  logic        agg_first_i,  // first beat of its command
  input  logic        agg_last_i,   // last beat of its command
  input  logic [4:0]  agg_sm_i,     // SM of the launching thread
  input  logic [5:0]  agg_warp_i,   // its warp slot
  input  logic [4:0]  agg_lane_i,   // its lane
  input  logic [76:0] agg_key_i,    // {shared 16, z 7, y 11, x 11, pc 32}
  input  logic [63:0] agg_dim_i,    // thread blocks: {z 16, y 16, x 32}
  input  logic [31:0] agg_cnt_i,    // their number
  input  logic [31:0] agg_param_i,  // address of its parameters / 16
  input  logic [3:0]  agg_level_i,  // level of nesting, passed on

  // Kernel table.
  output logic [KdWidth-1:0] key_idx_o,      // kernel entry looked at
  input  logic               key_valid_i,    // kernel entry key_idx may be attached to
  input  logic [76:0]        key_rd_i,       // its key
  output logic [NumKde-1:0]  launch_hold_o,  // being attached to: not released

  // Groups that have found a kernel, and groups that become one.
  output logic               att_valid_o,  // a group attaches to a kernel
  output logic               att_ready_o,  // no link waits: what attaches is taken
  output logic [KdWidth-1:0] att_kd_o,     // its kernel entry
  output logic [31:0]        att_agei_o,   // the group: table entry or record
  output logic [63:0]        att_dim_o,    // its thread blocks per dimension
  output logic [31:0]        att_cnt_o,    // their number
  output logic [31:0]        att_param_o,  // address of its parameters / 16
  output logic [3:0]         att_level_o,  // level of nesting
  output logic [4:0]         att_sm_o,     // SM of the launching thread
  output logic               fb_valid_o,   // a group becomes a device kernel
  input  logic               fb_ready_i,   // the fallback shown is taken
  output logic [30:0]        fb_rec_o,     // address of its record / 16
  output logic [5:0]         fb_ord_o,     // how many so far in its command
  output logic [3:0]         fb_level_o,   // level of nesting
  output logic [4:0]         fb_sm_o,      // SM of the launching thread

  // Completions of thread blocks.
  input  logic                  done_valid_i,  // a thread block has completed
  input  logic [31:0]           done_agei_i,   // its group
  output logic                  rel_valid_o,   // a table entry is free again
  output logic [IndexWidth-1:0] rel_idx_o,     // which
  output logic [IndexWidth:0]   agt_used_o,    // table entries in use
  output logic [1:0]            launch_err_o,  // 0 frame, 1 completion

  // Kernels whose entry is being written.
  input  logic               push_valid_i,  // a kernel whose entry is being written
  output logic               push_ready_o,  // a kernel may be pushed
  input  logic [KdWidth-1:0] push_kd_i,     // that entry
  input  logic [63:0]        push_dim_i,    // its grid: {z 16, y 16, x 32}

  // Thread blocks.
  input  logic [NumKde-1:0]  fits_i,           // the entry's next TB fits some SM
  output logic               pl_valid_o,       // a thread block is offered
  input  logic               pl_taken_i,       // the thread block offered is placed
  output logic [KdWidth-1:0] pl_kd_o,          // its kernel entry
  output logic [31:0]        pl_agei_o,        // its group; all ones: native
  output logic [31:0]        pl_pos_o,         // its number in kernel or group
  output logic [63:0]        pl_dim_o,         // TBs of kernel or group: {z, y, x}
  output logic [31:0]        pl_param_o,       // parameters of the group; native: 0
  output logic               pl_last_o,        // last of kernel or group
  output logic               cur_valid_o,      // a kernel or group is distributed
  output logic [KdWidth-1:0] cur_kd_o,         // its kernel entry
  output logic [NumKde-1:0]  dispatch_hold_o,  // marked: something waits for an SM

  // Memory.
  output logic        mem_valid_o,  // a request to memory
  input  logic        mem_ready_i,  // the memory request is taken
  output logic        mem_write_o,  // 1: write 4 bytes, 0: read a record
  output logic [39:0] mem_addr_o,   // byte address
  output logic [31:0] mem_wdata_o,  // data of a write
  input  logic        rsp_valid_i,  // reply of the read
  input  logic [63:0] rsp_dim_i,    // record: thread blocks of the group
  input  logic [31:0] rsp_next_i,   // record: the group behind it

  output logic [2:0] dispatch_err_o  // 0 push, 1 reply, 2 taken
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
