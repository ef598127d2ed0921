// Parse and dispatch selection: passes over the queues, SelWidth queues per cycle (docs/blocks/lax.md, "Cycle").
//
// The sets of eligible queues are latched in the first cycle of a pass. The result of a pass is the smallest {class,
// value, tie, queue} of the latched set; it is offered during the next pass. Group g has the queues from g*SelWidth on.
module castor_lax_select #(
  parameter int unsigned NumQueues = 128,
  parameter int unsigned SelWidth  = 16,
  localparam int unsigned QidWidth   = $clog2(NumQueues),
  localparam int unsigned NumGroups  = NumQueues / SelWidth,
  localparam int unsigned GroupWidth = (NumGroups > 1) ? $clog2(NumGroups) : 1
) (
  input  logic       clk_i,       // clock
  input  logic       rst_ni,      // synchronous reset, active low
  input  logic       soft_rst_i,  // software resets the engine at this edge
  input  logic       enable_i,    // 0: no queue is offered
  input  logic       preparse_i,  // kernels of Running jobs may be parsed, too
  input  logic [3:0] policy_i,    // RR, MLFQ: ties by turn; other policies: by arrival

  // Job states at the start of the cycle.
  input  logic [NumQueues-1:0] st0_i,  // job state of every queue, bit 0
  input  logic [NumQueues-1:0] st1_i,  // job state of every queue, bit 1
  input  logic [NumQueues-1:0] st2_i,  // job state of every queue, bit 2
  input  logic [NumQueues-1:0] pre_i,  // queues with a preemption request

  // Keys, and arrival numbers of the jobs.
  input  logic                 key_we_i,       // writes a key
  input  logic [QidWidth-1:0]  key_waddr_i,    // queue of that key
  input  castor_lax_pkg::key_t key_wdata_i,    // key that is written
  input  logic                 arrival_i,      // a job arrives in queue arrival_qid_i
  input  logic [QidWidth-1:0]  arrival_qid_i,  // queue in which the job arrives
  input  logic [QidWidth-1:0]  raddr_i,        // queue whose key and arrival number are read
  output castor_lax_pkg::key_t key_rdata_o,    // key of queue raddr_i
  output logic [15:0]          seq_rdata_o,    // arrival number of queue raddr_i

  input  logic [NumQueues-1:0] pe_vec_i,      // queues with a kernel to parse
  output logic                 psel_valid_o,  // a queue is offered to the parse lanes
  output logic [QidWidth-1:0]  psel_qid_o,    // queue offered to the parse lanes
  input  logic                 psel_grant_i,  // a parse lane accepts the offered queue
  input  logic [NumQueues-1:0] de_vec_i,      // queues with a TB that fits now
  output logic                 dsel_valid_o,  // a queue is offered to the dispatcher
  output logic [QidWidth-1:0]  dsel_qid_o,    // queue offered to the dispatcher
  input  logic                 dsel_grant_i,  // one TB of the offered queue is issued

  output logic                  parse_o,      // the parse grant is legal
  output logic                  bad_grant_o,  // a grant without an offer
  output logic [GroupWidth-1:0] group_o       // group that is compared in this cycle
);
  localparam logic [GroupWidth-1:0] LastGroup = GroupWidth'(NumGroups - 1);
  localparam int unsigned TieWidth  = 16 + QidWidth;
  localparam int unsigned KeyStride = 64;
  localparam int unsigned SeqStride = 16;

  // ---------------------------------------------------------------------------------------------------------------
  // Offers and grants. The p_ registers hold the result of the parse selection, the d_ registers that of dispatch.
  logic                p_valid_q, d_valid_q, p_drop_q, p_drop_d, parse;  // p_drop: a grant voids the parse result
  logic [QidWidth-1:0] p_qid_q, d_qid_q, rrptr_q, rrptr_d;  // p_qid, d_qid: offered queues; rrptr: last parse grant
  logic [15:0]         seq_ctr_q, seq_ctr_d, pseq_ctr_q, pseq_ctr_d;  // number of the next arrival, next parse grant

  assign psel_valid_o = enable_i && p_valid_q && pe_vec_i[p_qid_q] && !st2_i[p_qid_q] && st1_i[p_qid_q] &&
                        (preparse_i || !st0_i[p_qid_q]);
  assign dsel_valid_o = enable_i && d_valid_q && de_vec_i[d_qid_q] && !st2_i[d_qid_q] && st1_i[d_qid_q] &&
                        !st0_i[d_qid_q] && !pre_i[d_qid_q];
  assign psel_qid_o   = psel_valid_o ? p_qid_q : '0;
  assign dsel_qid_o   = dsel_valid_o ? d_qid_q : '0;
  assign parse        = psel_grant_i && psel_valid_o;
  assign parse_o      = parse;
  assign bad_grant_o  = (psel_grant_i && !psel_valid_o) || (dsel_grant_i && !dsel_valid_o);

  // ---------------------------------------------------------------------------------------------------------------
  // Tables by queue: key, arrival number, number of the latest parse grant (0 before the first grant).
  logic [GroupWidth-1:0]          group_q, group_d;  // group that is compared
  logic [SelWidth*KeyStride-1:0]  key_row;
  logic [SelWidth*SeqStride-1:0]  seq_row, pseq_row;
  logic [NumQueues-1:0]           pseq_set_q, pseq_set_d;  // queues that had a parse grant

  assign group_o = group_q;

  castor_table_row #(
    .Width      (castor_lax_pkg::KeyWidth),
    .Stride     (KeyStride),
    .Depth      (NumQueues),
    .RowEntries (SelWidth)
  ) u_key (
    .clk_i,
    .we_i    (key_we_i),
    .waddr_i (key_waddr_i),
    .wdata_i (key_wdata_i),
    .row_i   (group_q),
    .row_o   (key_row),
    .raddr_i (raddr_i),
    .rdata_o (key_rdata_o)
  );

  castor_table_row #(
    .Width      (16),
    .Stride     (SeqStride),
    .Depth      (NumQueues),
    .RowEntries (SelWidth)
  ) u_seq (
    .clk_i,
    .we_i    (arrival_i),
    .waddr_i (arrival_qid_i),
    .wdata_i (seq_ctr_q),
    .row_i   (group_q),
    .row_o   (seq_row),
    .raddr_i (raddr_i),
    .rdata_o (seq_rdata_o)
  );

  castor_table_row #(
    .Width      (16),
    .Stride     (SeqStride),
    .Depth      (NumQueues),
    .RowEntries (SelWidth)
  ) u_pseq (
    .clk_i,
    .we_i    (parse),
    .waddr_i (p_qid_q),
    .wdata_i (pseq_ctr_q),
    .row_i   (group_q),
    .row_o   (pseq_row),
    .raddr_i ({QidWidth{1'b0}}),
    .rdata_o ()
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Passes. The clocked process computes the next state, because it is wide and no output depends on it. A simulator
  // then computes it once per cycle, however often inputs change.
  //
  // The eligible sets shift down by one group per cycle, so the compared group is at the bottom. A tree finds the
  // group's smallest key: node n has the children 2n and 2n+1, and queues are the leaves. A pass during which a parse
  // grant occurs has no parse result, because it may have treated the granted queue as eligible.
  logic                                first, last, by_turn, pass_any;
  logic [NumQueues-1:0]                ep_q, ep, ed_q, ed;  // ep: eligible for parsing, ed: for dispatch
  logic [SelWidth-1:0]                 pseq_set;
  logic [castor_lax_pkg::KeyWidth-1:0] p_key [2*SelWidth], d_key [2*SelWidth];
  logic [TieWidth-1:0]                 p_tie [2*SelWidth], d_tie [2*SelWidth];
  logic [2*SelWidth-1:0]               p_any, d_any;
  // Whether there is a best queue so far.
  logic                                best_p_any_q, best_p_any, best_d_any_q, best_d_any;
  logic [castor_lax_pkg::KeyWidth-1:0] best_p_key_q, best_p_key, best_d_key_q, best_d_key;  // best queue so far: key
  logic [TieWidth-1:0]                 best_p_tie_q, best_p_tie, best_d_tie_q, best_d_tie;  // best: {tie, queue}

  assign first   = (group_q == '0);
  assign last    = (group_q == LastGroup);
  assign by_turn = (policy_i == castor_lax_pkg::PolicyRr) || (policy_i == castor_lax_pkg::PolicyMlfq);

  always_ff @(posedge clk_i) begin
    ep = ep_q;
    ed = ed_q;
    if (first) begin
      ep = pe_vec_i & ~st2_i & st1_i & (preparse_i ? '1 : ~st0_i);
      ed = de_vec_i & ~st2_i & st1_i & ~st0_i & ~pre_i;
    end
    pass_any = (ep[SelWidth-1:0] != '0) || (ed[SelWidth-1:0] != '0);

    // Best queues of the earlier groups of this pass.
    best_p_any = best_p_any_q && !first;
    best_p_key = best_p_key_q;
    best_p_tie = best_p_tie_q;
    best_d_any = best_d_any_q && !first;
    best_d_key = best_d_key_q;
    best_d_tie = best_d_tie_q;

    if (pass_any) begin
      pseq_set = SelWidth'(pseq_set_q >> (group_q * SelWidth));
      p_any    = {ep[SelWidth-1:0], {SelWidth{1'b0}}};
      d_any    = {ed[SelWidth-1:0], {SelWidth{1'b0}}};
      for (int unsigned e = 0; e < SelWidth; e++) begin
        p_key[SelWidth+e] = key_row[e*KeyStride +: castor_lax_pkg::KeyWidth];
        d_key[SelWidth+e] = key_row[e*KeyStride +: castor_lax_pkg::KeyWidth];
        p_tie[SelWidth+e] = {16'b0, QidWidth'(e)} | TieWidth'(group_q * SelWidth);
        d_tie[SelWidth+e] = {16'b0, QidWidth'(e)} | TieWidth'(group_q * SelWidth);
        if (by_turn) begin
          p_tie[SelWidth+e][QidWidth +: QidWidth] = p_tie[SelWidth+e][QidWidth-1:0] - rrptr_q - QidWidth'(1);
          d_tie[SelWidth+e][QidWidth +: 16] = (pseq_set[e] ? pseq_row[e*SeqStride +: 16] : 16'b0) - pseq_ctr_q;
        end else begin
          p_tie[SelWidth+e][QidWidth +: 16] = seq_row[e*SeqStride +: 16] - seq_ctr_q;
          d_tie[SelWidth+e][QidWidth +: 16] = seq_row[e*SeqStride +: 16] - seq_ctr_q;
        end
      end
      for (int unsigned n = SelWidth - 1; n >= 1; n--) begin
        p_any[n] = p_any[2*n] || p_any[2*n+1];
        p_key[n] = p_key[2*n];
        p_tie[n] = p_tie[2*n];
        if (p_any[2*n+1] && (!p_any[2*n] || p_key[2*n+1] < p_key[2*n] ||
                             (p_key[2*n+1] == p_key[2*n] && p_tie[2*n+1] < p_tie[2*n]))) begin
          p_key[n] = p_key[2*n+1];
          p_tie[n] = p_tie[2*n+1];
        end
        d_any[n] = d_any[2*n] || d_any[2*n+1];
        d_key[n] = d_key[2*n];
        d_tie[n] = d_tie[2*n];
        if (d_any[2*n+1] && (!d_any[2*n] || d_key[2*n+1] < d_key[2*n] ||
                             (d_key[2*n+1] == d_key[2*n] && d_tie[2*n+1] < d_tie[2*n]))) begin
          d_key[n] = d_key[2*n+1];
          d_tie[n] = d_tie[2*n+1];
        end
      end
      if (p_any[1] && (!best_p_any || p_key[1] < best_p_key || (p_key[1] == best_p_key && p_tie[1] < best_p_tie))) begin
        best_p_any = 1'b1;
        best_p_key = p_key[1];
        best_p_tie = p_tie[1];
      end
      if (d_any[1] && (!best_d_any || d_key[1] < best_d_key || (d_key[1] == best_d_key && d_tie[1] < best_d_tie))) begin
        best_d_any = 1'b1;
        best_d_key = d_key[1];
        best_d_tie = d_tie[1];
      end
    end

    if (!rst_ni) begin
      ep_q         <= '0;
      ed_q         <= '0;
      best_p_any_q <= 1'b0;
      best_p_key_q <= '0;
      best_p_tie_q <= '0;
      best_d_any_q <= 1'b0;
      best_d_key_q <= '0;
      best_d_tie_q <= '0;
      p_valid_q    <= 1'b0;
      p_qid_q      <= '0;
      d_valid_q    <= 1'b0;
      d_qid_q      <= '0;
    end else begin
      ep_q         <= ep >> SelWidth;
      ed_q         <= ed >> SelWidth;
      best_p_any_q <= best_p_any;
      best_p_key_q <= best_p_key;
      best_p_tie_q <= best_p_tie;
      best_d_any_q <= best_d_any;
      best_d_key_q <= best_d_key;
      best_d_tie_q <= best_d_tie;
      if (last) begin
        p_valid_q <= best_p_any && !parse && !p_drop_q;
        p_qid_q   <= best_p_tie[QidWidth-1:0];
        d_valid_q <= best_d_any;
        d_qid_q   <= best_d_tie[QidWidth-1:0];
      end else if (parse) begin
        p_valid_q <= 1'b0;
      end
      if (soft_rst_i) begin
        p_valid_q <= 1'b0;
        p_qid_q   <= '0;
        d_valid_q <= 1'b0;
        d_qid_q   <= '0;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Counters: compared group, round-robin pointer, number of the next arrival, number of the next parse grant.
  always_comb begin
    group_d    = last ? '0 : group_q + 1'b1;
    p_drop_d   = (p_drop_q || parse) && !last;
    rrptr_d    = rrptr_q;
    pseq_ctr_d = pseq_ctr_q;
    pseq_set_d = pseq_set_q;
    seq_ctr_d  = seq_ctr_q;
    if (parse) begin
      rrptr_d             = p_qid_q;
      pseq_ctr_d          = pseq_ctr_q + 16'd1;
      pseq_set_d[p_qid_q] = 1'b1;
    end
    if (arrival_i) begin
      seq_ctr_d = seq_ctr_q + 16'd1;
    end
    if (soft_rst_i) begin
      group_d    = '0;
      p_drop_d   = 1'b0;
      rrptr_d    = '1;
      pseq_ctr_d = '0;
      pseq_set_d = '0;
      seq_ctr_d  = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      group_q    <= '0;
      p_drop_q   <= 1'b0;
      rrptr_q    <= '1;
      pseq_ctr_q <= '0;
      pseq_set_q <= '0;
      seq_ctr_q  <= '0;
    end else begin
      group_q    <= group_d;
      p_drop_q   <= p_drop_d;
      rrptr_q    <= rrptr_d;
      pseq_ctr_q <= pseq_ctr_d;
      pseq_set_q <= pseq_set_d;
      seq_ctr_q  <= seq_ctr_d;
    end
  end
endmodule
