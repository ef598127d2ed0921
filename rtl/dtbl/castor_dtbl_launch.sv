// Launch half of DTBL: finds the kernel that a run of groups attaches to, allocates table entries for the groups, and
// counts completed thread blocks of each group.
//
// A run is a sequence of beats of one command with the same key. Completions have priority at the write port of the
// counts; a beat that needs the write port waits.
module castor_dtbl_launch #(
  parameter int unsigned NumKde   = 32,
  parameter int unsigned AgtSize  = 1024,
  parameter int unsigned HashMode = 0,
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
  output logic [KdWidth-1:0] key_idx_o,    // entry of the kernel table that is compared
  input  logic               key_valid_i,  // groups may attach to the kernel entry key_idx
  input  logic [76:0]        key_rd_i,     // key of the kernel entry key_idx
  output logic [NumKde-1:0]  hold_o,       // kernel entries that must not be released

  // Groups that attach to a kernel, and groups that become device kernels.
  output logic               att_valid_o,  // a group attaches to a kernel
  input  logic               att_ready_i,  // the attachment is accepted
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
  output logic [1:0]            err_o          // protocol errors: bit 0 framing, bit 1 completion
);
  localparam logic [KdWidth-1:0]    LastKd    = KdWidth'(NumKde - 1);
  localparam logic [IndexWidth-1:0] IndexMask = IndexWidth'(AgtSize - 1);

  castor_dtbl_pkg::launch_e st_q;  // state of the search for the kernel of a run
  logic [KdWidth-1:0]       ptr_q;  // kernel entry compared in Search, kernel of the run in Grant
  logic [76:0]              rk_q;  // key of the run; set when Search ends
  logic                     mid_q;  // inside a command: set by a beat that is not its last, cleared by the last
  logic [5:0]               ford_q;  // fallbacks of the command so far; cleared by its last beat
  logic [AgtSize-1:0]       busy_q;  // group table entries in use: set at allocation, cleared after the last TB
  logic                     cq_v_q;  // a completion of a group in the table, received in the last cycle, is counted now
  logic [IndexWidth-1:0]    cq_i_q;  // group table entry of that completion; 0 without one
  // Output register. o_v_q: valid; set by an accepted beat, cleared when the output is accepted. o_fb_q: it is a
  // fallback.
  logic                     o_v_q, o_fb_q;
  logic [KdWidth-1:0]       o_kd_q;  // output register: kernel entry; 0 for a fallback
  logic [31:0]              o_agei_q, o_cnt_q, o_param_q;  // output register: group reference, TBs, parameters / 16
  logic [63:0]              o_dim_q;  // output register: thread blocks per dimension
  logic [3:0]               o_level_q;  // output register: nesting level
  logic [4:0]               o_sm_q;  // output register: SM of the launching thread
  logic [5:0]               o_ord_q;  // output register: ordinal of a fallback in its command; 0 for an attachment
  logic                     rel_v_q;  // an entry was freed in the last cycle
  logic [IndexWidth-1:0]    rel_i_q;  // group table entry that was freed; 0 without one
  logic [IndexWidth:0]      used_q;  // number of bits set in busy_q
  logic [1:0]               err_q;  // errors of the last cycle

  // ---------------------------------------------------------------------------------------------------------------
  // Table entry of the group: a hash of the launching thread's number.
  logic [11:0]           tid;  // number of the launching thread in its SM; HashMode 1 XORs 79 x SM
  logic [IndexWidth-1:0] ind;  // group table entry of the launching thread
  logic                  ind_busy;

  assign tid      = {1'b0, agg_warp_i, agg_lane_i} ^ ((HashMode == 1) ? 12'd79 * 12'(agg_sm_i) : 12'd0);
  assign ind      = tid[IndexWidth-1:0] & IndexMask;
  assign ind_busy = busy_q[ind];

  // ---------------------------------------------------------------------------------------------------------------
  // Search for the kernel, and acceptance of beats. same_run: the beat has the key of the run. taken: the output
  // register is emptied. stall: the write port of the counts is busy. hit: the group gets a table entry.
  logic searching, granted, falling, match, same_run, taken, stall, accept, hit;

  assign searching = (st_q == castor_dtbl_pkg::LaunchSearch);
  assign granted   = (st_q == castor_dtbl_pkg::LaunchGrant);
  assign falling   = (st_q == castor_dtbl_pkg::LaunchFall);
  assign match     = searching && agg_valid_i && key_valid_i && (key_rd_i[31:0] == agg_key_i[31:0]) &&
                     (key_rd_i[76:32] == agg_key_i[76:32]);
  assign same_run  = (agg_key_i[31:0] == rk_q[31:0]) && (agg_key_i[76:32] == rk_q[76:32]);
  assign taken     = o_v_q && (o_fb_q ? fb_ready_i : att_ready_i);
  assign stall     = granted && cq_v_q && !ind_busy;
  assign accept    = agg_valid_i && !searching && same_run && (!o_v_q || taken) && !stall;
  assign hit       = accept && granted && !ind_busy;

  assign agg_ready_o = accept;
  assign key_idx_o   = ptr_q;

  always_comb begin
    hold_o = '0;
    if (granted || match) begin
      hold_o = NumKde'(1) << ptr_q;
    end
    if (att_valid_o) begin
      hold_o = hold_o | (NumKde'(1) << o_kd_q);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Output register: an attachment or a fallback.
  assign att_valid_o = o_v_q && !o_fb_q;
  assign att_kd_o    = att_valid_o ? o_kd_q : '0;
  assign att_agei_o  = att_valid_o ? o_agei_q : '0;
  assign att_dim_o   = att_valid_o ? o_dim_q : '0;
  assign att_cnt_o   = att_valid_o ? o_cnt_q : '0;
  assign att_param_o = att_valid_o ? o_param_q : '0;
  assign att_level_o = att_valid_o ? o_level_q : '0;
  assign att_sm_o    = att_valid_o ? o_sm_q : '0;
  assign fb_valid_o  = o_v_q && o_fb_q;
  assign fb_rec_o    = fb_valid_o ? o_agei_q[30:0] : '0;
  assign fb_ord_o    = fb_valid_o ? o_ord_q : '0;
  assign fb_level_o  = fb_valid_o ? o_level_q : '0;
  assign fb_sm_o     = fb_valid_o ? o_sm_q : '0;

  // ---------------------------------------------------------------------------------------------------------------
  // Thread blocks of each group that have not completed.
  // count: a completion is counted now. free: it was the last one of its group, so the table entry becomes free.
  logic        count, free, done_in_range;
  logic [31:0] left, left_less;  // thread blocks left in the group of cq_i_q, before and after this completion

  assign count         = cq_v_q && busy_q[cq_i_q];
  assign left_less     = left - 32'd1;
  assign free          = count && (left_less == '0);
  assign done_in_range = done_valid_i && (done_agei_i < 32'(AgtSize));

  castor_table_1r1w #(
    .Width (32),
    .Depth (AgtSize)
  ) u_left (
    .clk_i,
    .we_i    (count || hit),
    .waddr_i (count ? cq_i_q : ind),
    .wdata_i (count ? left_less : agg_cnt_i),
    .raddr_i (cq_i_q),
    .rdata_o (left)
  );

  assign rel_valid_o = rel_v_q;
  assign rel_idx_o   = rel_i_q;
  assign agt_used_o  = used_q;
  assign err_o       = err_q;

  // ---------------------------------------------------------------------------------------------------------------
  logic [5:0]  first_ord;  // fallbacks of the command before this beat
  logic [30:0] record;  // address / 16 of the group's record: 64 bytes before its parameters

  assign first_ord = agg_first_i ? '0 : ford_q;
  assign record    = agg_param_i[30:0] - 31'd4;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      st_q      <= castor_dtbl_pkg::LaunchSearch;
      ptr_q     <= '0;
      rk_q      <= '0;
      mid_q     <= 1'b0;
      ford_q    <= '0;
      busy_q    <= '0;
      cq_v_q    <= 1'b0;
      cq_i_q    <= '0;
      o_v_q     <= 1'b0;
      o_fb_q    <= 1'b0;
      o_kd_q    <= '0;
      o_agei_q  <= '0;
      o_dim_q   <= '0;
      o_cnt_q   <= '0;
      o_param_q <= '0;
      o_level_q <= '0;
      o_sm_q    <= '0;
      o_ord_q   <= '0;
      rel_v_q   <= 1'b0;
      rel_i_q   <= '0;
      used_q    <= '0;
      err_q     <= '0;
    end else begin
      // Completions of thread blocks.
      cq_v_q   <= done_in_range;
      cq_i_q   <= done_in_range ? done_agei_i[IndexWidth-1:0] : '0;
      rel_v_q  <= free;
      rel_i_q  <= free ? cq_i_q : '0;
      err_q[0] <= accept && (agg_first_i == mid_q);
      err_q[1] <= (cq_v_q && !count) || (done_valid_i && !done_agei_i[31] && !done_in_range);
      if (free) begin
        busy_q[cq_i_q] <= 1'b0;
      end
      if (hit) begin
        busy_q[ind] <= 1'b1;
      end
      // An allocation and a counted completion never fall into one cycle, because the counts have one write port.
      if (hit) begin
        used_q <= used_q + 1'b1;
      end else if (free) begin
        used_q <= used_q - 1'b1;
      end

      // Beats of launch commands.
      if (searching) begin
        if (match) begin
          st_q <= castor_dtbl_pkg::LaunchGrant;
          rk_q <= agg_key_i;
        end else if (agg_valid_i && ptr_q == LastKd) begin
          st_q  <= castor_dtbl_pkg::LaunchFall;
          rk_q  <= agg_key_i;
          ptr_q <= '0;
        end else if (agg_valid_i) begin
          ptr_q <= ptr_q + 1'b1;
        end
      end else if (agg_valid_i && !same_run) begin
        st_q  <= castor_dtbl_pkg::LaunchSearch;
        ptr_q <= '0;
      end else if (accept && agg_last_i) begin
        st_q  <= castor_dtbl_pkg::LaunchSearch;
        ptr_q <= '0;
      end
      if (accept) begin
        mid_q     <= !agg_last_i;
        ford_q    <= agg_last_i ? '0 : first_ord + 6'(falling);
        o_fb_q    <= falling;
        o_kd_q    <= granted ? ptr_q : '0;
        o_agei_q  <= hit ? 32'(ind) : {1'b1, record};
        o_dim_q   <= agg_dim_i;
        o_cnt_q   <= agg_cnt_i;
        o_param_q <= agg_param_i;
        o_level_q <= agg_level_i;
        o_sm_q    <= agg_sm_i;
        o_ord_q   <= falling ? first_ord + 6'd1 : '0;
      end
      o_v_q <= accept || (o_v_q && !taken);
    end
  end
endmodule
