// Dispatch half of DTBL: keeps the pool of groups of each kernel entry, the order of the marked kernel entries, and the
// item (a kernel's native thread blocks, or a group) whose thread blocks are offered.
//
// A cycle has five steps: memory port, reply, placement, push, next item. A push sees the pool after the placement of
// the same cycle. An item that is pushed while nothing is distributed is selected in the same cycle.
//
// The tables have no reset. The pool of an entry that is not marked is empty, whatever its table row holds; the row of
// a marked entry has been written.
module castor_dtbl_dispatch #(
  parameter int unsigned NumKde  = 32,
  parameter int unsigned AgtSize = 1024,
  localparam int unsigned KdWidth    = (NumKde > 1) ? $clog2(NumKde) : 1,
  localparam int unsigned IndexWidth = (AgtSize > 1) ? $clog2(AgtSize) : 1,
  localparam int unsigned CountWidth = $clog2(NumKde + 1)
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Groups that attach, and kernels that become resident.
  input  logic               push_valid_i,  // a group attaches, or a kernel becomes resident
  output logic               push_ready_o,  // the push is accepted
  input  logic               push_group_i,  // 1: a group attaches, 0: a kernel becomes resident
  input  logic [KdWidth-1:0] push_kd_i,     // kernel entry of the push
  input  logic [31:0]        push_agei_i,   // reference of the group: table entry or record
  input  logic [63:0]        push_dim_i,    // thread blocks of the group or kernel: {z 16, y 16, x 32}
  input  logic [31:0]        push_param_i,  // address of the group's parameters / 16

  // Placement of thread blocks.
  input  logic [NumKde-1:0]  fits_i,       // the next TB of the kernel entry fits some SM
  output logic               pl_valid_o,   // a thread block is offered
  input  logic               pl_taken_i,   // the offered thread block is placed
  output logic [KdWidth-1:0] pl_kd_o,      // kernel entry of the offered thread block
  output logic [31:0]        pl_agei_o,    // group of the offered thread block; all ones: native
  output logic [31:0]        pl_pos_o,     // position of the thread block in its kernel or group
  output logic [63:0]        pl_dim_o,     // TBs of the kernel or group: {z 16, y 16, x 32}
  output logic [31:0]        pl_param_o,   // parameter address / 16 of the group; native: 0
  output logic               pl_last_o,    // last thread block of its kernel or group
  output logic               cur_valid_o,  // thread blocks of a kernel or group are distributed
  output logic [KdWidth-1:0] cur_kd_o,     // kernel entry that is being distributed
  output logic [NumKde-1:0]  hold_o,       // kernel entries that must not be released

  // Memory port: reads of group records, and writes of links between records.
  output logic        mem_valid_o,  // memory request
  input  logic        mem_ready_i,  // the memory request is accepted
  output logic        mem_write_o,  // 1: write 4 bytes (a link), 0: read a record
  output logic [39:0] mem_addr_o,   // byte address of the request
  output logic [31:0] mem_wdata_o,  // data of a write
  input  logic        rsp_valid_i,  // reply to the read
  input  logic [63:0] rsp_dim_i,    // record: thread blocks of the group per dimension
  input  logic [31:0] rsp_next_i,   // record: reference of the next group in the pool

  output logic [2:0] err_o  // protocol errors: bit 0 push, bit 1 reply, bit 2 taken
);
  localparam int unsigned NumKdePow2 = 2 ** KdWidth;

  castor_dtbl_pkg::item_e st_q;  // state of the item that is being distributed
  // mark_q: the kernel has thread blocks to place. Set by a push, cleared after the last one is placed.
  // first_q: native thread blocks are among them. Set by the push of a kernel, cleared after the last native one.
  logic [NumKde-1:0]      mark_q, first_q;
  logic [KdWidth-1:0]     kd_q;  // kernel entry of the item
  logic [31:0]            agei_q;  // group reference of the item; None: native thread blocks of the kernel
  logic [63:0]            ob_dim_q;  // item in memory: thread blocks per dimension, set by the reply
  logic [31:0]            ob_nxt_q;  // item in memory: next group of the pool, set by the reply or by an attachment
  logic                   ob_nv_q;  // ob_nxt_q was set by an attachment, so the reply must not overwrite it
  logic                   lw_v_q;  // a link write waits for memory; set by an attachment, cleared when accepted
  logic [30:0]            lw_rec_q;  // link write: address / 16 of the record
  logic [31:0]            lw_data_q;  // link write: reference of the attached group
  logic                   ro_q;  // a read was offered in the last cycle and not accepted, so it keeps the port
  logic [2:0]             err_q;  // errors of the last cycle
  logic [63:0]            od;  // indices of the next thread block in the item; probes only
  logic [31:0]            pos;  // position of the next thread block in the item
  logic [KdWidth-1:0]     fq_head;  // slot of the oldest entry in the ring; probes only
  logic [CountWidth-1:0]  fq_count;  // number of entries in the ring; probes only

  // ---------------------------------------------------------------------------------------------------------------
  // The item that is being distributed.
  // native: the item is native thread blocks of a kernel. off_chip: the item is a group in memory. last: the item is at
  // its last thread block. dim, param, nxt: size, parameters and next group of the item. kdim: size of the kernel.
  // ldim, lparam, lnext: size, parameters and next group, read from the table of groups.
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
  // Memory port: a read that was offered keeps the port; otherwise a link write has priority over a read.
  logic rd, mem_taken, reply;  // rd: a read is offered; mem_taken: a request is accepted; reply: a valid reply

  assign rd          = (st_q == castor_dtbl_pkg::ItemReq) && (ro_q || !lw_v_q);
  assign mem_valid_o = rd || lw_v_q;
  assign mem_write_o = lw_v_q && !rd;
  assign mem_addr_o  = rd ? {5'd0, agei_q[30:0], 4'd0} : lw_v_q ? {5'd0, lw_rec_q, 4'd0} + 40'h38 : '0;
  assign mem_wdata_o = mem_write_o ? lw_data_q : '0;
  assign mem_taken   = mem_valid_o && mem_ready_i;
  assign reply       = rsp_valid_i && (st_q == castor_dtbl_pkg::ItemWait);

  // ---------------------------------------------------------------------------------------------------------------
  // Placement.
  // place: the offered thread block is placed. place_last: it is the last one of the item. finish: no item follows.
  // follow: the group that follows the item. nagei_*: first group, lagei_*: last group in the pool of a kernel.
  logic [NumKdePow2-1:0] fits, marks, firsts;  // fits_i, mark_q and first_q padded to a power of two
  logic                  place, place_last, finish;
  logic [31:0]           follow, nagei_kd, nagei_push, nagei_head, lagei_kd, lagei_push;
  logic                  follow_none, follow_off;  // follow_none: no group follows; follow_off: `follow` is in memory

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
  // Push. It uses marks, pools and the current item as they are after this cycle's placement.
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
  // Next item: from the oldest marked entry in the ring or, if the ring is empty, from the entry pushed now. No other
  // step of this cycle changes the first item (native thread blocks, or first group of the pool) of an entry in the
  // ring.
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

  // First group of each pool. Port a is written by a placement, port b by a push.
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

      // The item. Memory request, reply and placement happen in different states. The next item follows a finished one.
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

      // The record of an item in memory. A link from an attachment is newer than the link in the reply.
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

      // Link writes. While one waits, push_ready_o is 0, so no other one can be added.
      if (lw_v_q && mem_taken && !rd) begin
        lw_v_q <= 1'b0;
      end
      if (link_off_chip) begin
        lw_v_q    <= 1'b1;
        lw_rec_q  <= lagei_push[30:0];
        lw_data_q <= push_agei_i;
      end

      // Marks of the kernel entries.
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
