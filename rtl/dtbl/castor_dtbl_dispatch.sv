// Dispatch half: pools of groups attached to the entries of the kernel table, the order in which marked entries are
// distributed, and the item whose thread blocks are offered.
//
// A cycle has five steps: memory port, reply, placement, push, next item. A push sees the pool as a placement of the
// same cycle leaves it, and an item pushed while nothing is distributed is selected in that very cycle.
//
// Tables without reset: an entry that is not marked has an empty pool whatever its row says, and rows of marked ones
// have been written.
module castor_dtbl_dispatch #(
  parameter int unsigned NumKde  = 32,
  parameter int unsigned AgtSize = 1024,
  localparam int unsigned KdWidth    = (NumKde > 1) ? $clog2(NumKde) : 1,
  localparam int unsigned IndexWidth = (AgtSize > 1) ? $clog2(AgtSize) : 1,
  localparam int unsigned CountWidth = $clog2(NumKde + 1)
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Groups that attach, and kernels whose entry is being written.
  input  logic               push_valid_i,  // a kernel whose entry is being written
  output logic               push_ready_o,  // a kernel may be pushed
  input  logic               push_group_i,  // a group is pushed, not a kernel
  input  logic [KdWidth-1:0] push_kd_i,     // that entry
  input  logic [31:0]        push_agei_i,   // the group: table entry or record
  input  logic [63:0]        push_dim_i,    // its grid: {z 16, y 16, x 32}
  input  logic [31:0]        push_param_i,  // address of its parameters / 16

  // Thread blocks.
  input  logic [NumKde-1:0]  fits_i,       // the entry's next TB fits some SM
  output logic               pl_valid_o,   // a thread block is offered
  input  logic               pl_taken_i,   // the thread block offered is placed
  output logic [KdWidth-1:0] pl_kd_o,      // its kernel entry
  output logic [31:0]        pl_agei_o,    // its group; all ones: native
  output logic [31:0]        pl_pos_o,     // its number in kernel or group
  output logic [63:0]        pl_dim_o,     // TBs of kernel or group: {z, y, x}
  output logic [31:0]        pl_param_o,   // parameters of the group; native: 0
  output logic               pl_last_o,    // last of kernel or group
  output logic               cur_valid_o,  // a kernel or group is distributed
  output logic [KdWidth-1:0] cur_kd_o,     // its kernel entry
  output logic [NumKde-1:0]  hold_o,       // kernel entries not to be released

  // Memory.
  output logic        mem_valid_o,  // a request to memory
  input  logic        mem_ready_i,  // the memory request is taken
  output logic        mem_write_o,  // 1: write 4 bytes, 0: read a record
  output logic [39:0] mem_addr_o,   // byte address
  output logic [31:0] mem_wdata_o,  // data of a write
  input  logic        rsp_valid_i,  // reply of the read
  input  logic [63:0] rsp_dim_i,    // record: thread blocks of the group
  input  logic [31:0] rsp_next_i,   // record: the group behind it

  output logic [2:0] err_o  // errors of the dispatch half, a bit each
);
  localparam int unsigned NumKdePow2 = 2 ** KdWidth;

  castor_dtbl_pkg::item_e st_q;
  logic [NumKde-1:0]      mark_q, first_q;
  logic [KdWidth-1:0]     kd_q;
  logic [31:0]            agei_q;
  logic [63:0]            ob_dim_q;
  logic [31:0]            ob_nxt_q;
  logic                   ob_nv_q;
  logic                   lw_v_q;
  logic [30:0]            lw_rec_q;
  logic [31:0]            lw_data_q;
  logic                   ro_q;
  logic [2:0]             err_q;
  logic [63:0]            od;
  logic [31:0]            pos;
  logic [KdWidth-1:0]     fq_head;
  logic [CountWidth-1:0]  fq_count;

  // ---------------------------------------------------------------------------------------------------------------
  // The item that is being distributed.
  logic        native, off_chip, last, running;
  logic [63:0] dim, kdim, ldim;
  logic [31:0] param, nxt, lparam, lnext;

  assign running  = (st_q == castor_dtbl_pkg::ItemRun);
  assign native   = (agei_q == castor_dtbl_pkg::None);
  assign off_chip = agei_q[31] && !native;
  assign dim      = native ? kdim : off_chip ? ob_dim_q : ldim;
  assign param    = native ? '0 : off_chip ? {1'b0, agei_q[30:0]} + 32'd4 : lparam;
  assign nxt      = off_chip ? ob_nxt_q : lnext;

  // ---------------------------------------------------------------------------------------------------------------
  // Memory port: a read that was offered stays, else a link write goes first.
  logic rd, mem_taken, reply;

  assign rd          = (st_q == castor_dtbl_pkg::ItemReq) && (ro_q || !lw_v_q);
  assign mem_valid_o = rd || lw_v_q;
  assign mem_write_o = lw_v_q && !rd;
  assign mem_addr_o  = rd ? {5'd0, agei_q[30:0], 4'd0} : lw_v_q ? {5'd0, lw_rec_q, 4'd0} + 40'h38 : '0;
  assign mem_wdata_o = mem_write_o ? lw_data_q : '0;
  assign mem_taken   = mem_valid_o && mem_ready_i;
  assign reply       = rsp_valid_i && (st_q == castor_dtbl_pkg::ItemWait);

  // ---------------------------------------------------------------------------------------------------------------
  // Placement.
  logic [NumKdePow2-1:0] fits, marks, firsts;
  logic                  place, place_last, finish;
  logic [31:0]           follow, nagei_kd, nagei_push, nagei_head, lagei_kd, lagei_push;
  logic                  follow_none, follow_off;

  assign fits        = NumKdePow2'(fits_i);
  assign marks       = NumKdePow2'(mark_q);
  assign firsts      = NumKdePow2'(first_q);
  assign pl_valid_o  = running && fits[kd_q];
  assign pl_kd_o     = pl_valid_o ? kd_q : '0;
  assign pl_agei_o   = pl_valid_o ? agei_q : '0;
  assign pl_pos_o    = pl_valid_o ? pos : '0;
  assign pl_dim_o    = pl_valid_o ? dim : '0;
  assign pl_param_o  = pl_valid_o ? param : '0;
  assign pl_last_o   = pl_valid_o && last;
  assign cur_valid_o = running;
  assign cur_kd_o    = running ? kd_q : '0;
  assign hold_o      = mark_q;

  assign place       = pl_valid_o && pl_taken_i;
  assign place_last  = place && last;
  assign follow      = native ? nagei_kd : (agei_q == lagei_kd) ? castor_dtbl_pkg::None : nxt;
  assign follow_none = (follow == castor_dtbl_pkg::None);
  assign follow_off  = follow[31] && !follow_none;
  assign finish      = place_last && follow_none;

  // ---------------------------------------------------------------------------------------------------------------
  // Push. Marks, pools and the current item are those that the placement leaves behind.
  logic        push, push_kernel, push_bad, push_group, push_here, push_marked, pool_empty, enqueue;
  logic        push_off, tail_off, tail_current, forward, link_on_chip, link_off_chip, current_free;
  logic [31:0] pool, current;

  assign push_ready_o  = !lw_v_q;
  assign push          = push_valid_i && push_ready_o;
  assign push_here     = place_last && (push_kd_i == kd_q);
  assign push_marked   = marks[push_kd_i] && !(finish && push_here);
  assign pool          = push_here ? follow : nagei_push;
  assign pool_empty    = !push_marked || (pool == castor_dtbl_pkg::None);
  assign push_kernel   = push && !push_group_i && !push_marked;
  assign push_bad      = push && !push_group_i && push_marked;
  assign push_group    = push && push_group_i;
  assign push_off      = push_agei_i[31];
  assign tail_off      = lagei_push[31];
  assign current       = place_last ? follow : agei_q;
  assign current_free  = finish || (st_q == castor_dtbl_pkg::ItemFree);
  assign tail_current  = !current_free && (current == lagei_push);
  assign link_on_chip  = push_group && !pool_empty && !tail_off;
  assign forward       = push_group && !pool_empty && tail_off && tail_current;
  assign link_off_chip = push_group && !pool_empty && tail_off && !tail_current;
  assign enqueue       = push_kernel || (push_group && !push_marked);

  // ---------------------------------------------------------------------------------------------------------------
  // Next item: the oldest marked entry, or the one pushed now if there is none. No step of this cycle touches what an
  // entry in the ring gives: its pool begins with the same group, or its native thread blocks come first.
  logic               fq_empty, next, next_off;
  logic [KdWidth-1:0] fq_kd, next_kd;
  logic [31:0]        next_agei;

  assign next     = current_free && (!fq_empty || enqueue);
  assign next_kd  = fq_empty ? push_kd_i : fq_kd;
  assign next_off = next_agei[31] && (next_agei != castor_dtbl_pkg::None);

  always_comb begin
    if (fq_empty) begin
      next_agei = push_group_i ? push_agei_i : castor_dtbl_pkg::None;
    end else begin
      next_agei = firsts[fq_kd] ? castor_dtbl_pkg::None : nagei_head;
    end
  end

  castor_dtbl_ring #(
    .NumKde (NumKde)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .push_i    (enqueue),
    .push_kd_i (push_kd_i),
    .pop_i     (next),
    .empty_o   (fq_empty),
    .head_kd_o (fq_kd),
    .head_o    (fq_head),
    .count_o   (fq_count)
  );

  castor_dtbl_odometer u_odometer (
    .clk_i,
    .rst_ni,
    .start_i (next || (place_last && !follow_none)),
    .step_i  (place && !last),
    .dim_i   (dim),
    .last_o  (last),
    .od_o    (od),
    .pos_o   (pos)
  );

  // First group of each pool: the placement writes it at a, a push at b.
  castor_table_3r3w #(
    .Width (32),
    .Depth (NumKde)
  ) u_nagei (
    .clk_i,
    .we_a_i    (place_last),
    .waddr_a_i (kd_q),
    .wdata_a_i (follow),
    .we_b_i    (push_kernel || (push_group && pool_empty)),
    .waddr_b_i (push_kd_i),
    .wdata_b_i (push_group_i ? push_agei_i : castor_dtbl_pkg::None),
    .we_c_i    (1'b0),
    .waddr_c_i ('0),
    .wdata_c_i ('0),
    .raddr_a_i (kd_q),
    .rdata_a_o (nagei_kd),
    .raddr_b_i (push_kd_i),
    .rdata_b_o (nagei_push),
    .raddr_c_i (fq_kd),
    .rdata_c_o (nagei_head)
  );

  castor_table_2r1w #(
    .Width (32),
    .Depth (NumKde)
  ) u_lagei (
    .clk_i,
    .we_i      (push_group),
    .waddr_i   (push_kd_i),
    .wdata_i   (push_agei_i),
    .raddr_a_i (kd_q),
    .rdata_a_o (lagei_kd),
    .raddr_b_i (push_kd_i),
    .rdata_b_o (lagei_push)
  );

  castor_table_1r1w #(
    .Width (64),
    .Depth (NumKde)
  ) u_kdim (
    .clk_i,
    .we_i    (push_kernel),
    .waddr_i (push_kd_i),
    .wdata_i (push_dim_i),
    .raddr_i (kd_q),
    .rdata_o (kdim)
  );

  castor_dtbl_bank #(
    .AgtSize (AgtSize)
  ) u_bank (
    .clk_i,
    .we_i         (push_group && !push_off),
    .waddr_i      (push_agei_i[IndexWidth-1:0]),
    .wdim_i       (push_dim_i),
    .wparam_i     (push_param_i),
    .link_we_i    (link_on_chip),
    .link_waddr_i (lagei_push[IndexWidth-1:0]),
    .link_wdata_i (push_agei_i),
    .raddr_i      (agei_q[IndexWidth-1:0]),
    .rdim_o       (ldim),
    .rparam_o     (lparam),
    .rnext_o      (lnext)
  );

  // ---------------------------------------------------------------------------------------------------------------
  assign err_o = err_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      st_q      <= castor_dtbl_pkg::ItemFree;
      mark_q    <= '0;
      first_q   <= '0;
      kd_q      <= '0;
      agei_q    <= castor_dtbl_pkg::None;
      ob_dim_q  <= '0;
      ob_nxt_q  <= '0;
      ob_nv_q   <= 1'b0;
      lw_v_q    <= 1'b0;
      lw_rec_q  <= '0;
      lw_data_q <= '0;
      ro_q      <= 1'b0;
      err_q     <= '0;
    end else begin
      err_q <= {pl_taken_i && !pl_valid_o, rsp_valid_i && !reply, push_bad};
      ro_q  <= rd && !mem_ready_i;

      // The item. Memory, reply and placement are of different states; the next item follows a finished one.
      if (next) begin
        kd_q   <= next_kd;
        agei_q <= next_agei;
        st_q   <= next_off ? castor_dtbl_pkg::ItemReq : castor_dtbl_pkg::ItemRun;
      end else if (finish) begin
        st_q <= castor_dtbl_pkg::ItemFree;
      end else if (place_last) begin
        agei_q <= follow;
        st_q   <= follow_off ? castor_dtbl_pkg::ItemReq : castor_dtbl_pkg::ItemRun;
      end else if (rd && mem_ready_i) begin
        st_q <= castor_dtbl_pkg::ItemWait;
      end else if (reply) begin
        st_q <= castor_dtbl_pkg::ItemRun;
      end

      // The record of an item in memory. What an attach has linked is newer than what the reply says.
      if (reply) begin
        ob_dim_q <= rsp_dim_i;
        if (!ob_nv_q) begin
          ob_nxt_q <= rsp_next_i;
        end
      end
      if (next && next_off || !next && place_last && follow_off) begin
        ob_nv_q <= 1'b0;
      end
      if (forward) begin
        ob_nxt_q <= push_agei_i;
        ob_nv_q  <= 1'b1;
      end

      // Link writes: none is pushed while one waits.
      if (lw_v_q && mem_taken && !rd) begin
        lw_v_q <= 1'b0;
      end
      if (link_off_chip) begin
        lw_v_q    <= 1'b1;
        lw_rec_q  <= lagei_push[30:0];
        lw_data_q <= push_agei_i;
      end

      // Marks.
      if (place_last) begin
        if (native) begin
          first_q[kd_q] <= 1'b0;
        end
        if (follow_none) begin
          mark_q[kd_q] <= 1'b0;
        end
      end
      if (enqueue) begin
        mark_q[push_kd_i]  <= 1'b1;
        first_q[push_kd_i] <= !push_group_i;
      end
    end
  end
endmodule
