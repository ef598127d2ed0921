// Properties of the choice of the next kernel (docs/blocks/laperm_kmu.md, "Invariants"). Names begin with the number of
// the invariant.
//
// The properties refer to ports: the sources that were ready in the cycles before an offer, and the sources that were
// taken. The module derives its own copies of the two rotations from the taken sources. The surroundings may do
// anything.
`include "castor_assert.svh"

module castor_laperm_kmu_properties (
  input logic                  searches,
  input logic [SmWidth-1:0]    next_sm,
  input logic [QueueWidth-1:0] next_hq
);
  // ---------------------------------------------------------------------------------------------------------------
  // Ready inputs of previous cycles: entry 0 is the previous cycle, entry k the cycle k before it.
  localparam int unsigned Depth = LvlMax + 1;

  logic [Depth*NumLists-1:0] lists_q;
  logic [Depth-1:0]          susp_q;
  logic [NumHq-1:0]          hosts_q;
  logic                      before_q, valid_q, granted_q;
  logic [1:0]                kind_q;
  logic [IndexWidth-1:0]     idx_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      lists_q   <= '0;
      susp_q    <= '0;
      hosts_q   <= '0;
      before_q  <= 1'b0;
      valid_q   <= 1'b0;
      granted_q <= 1'b0;
      kind_q    <= '0;
      idx_q     <= '0;
    end else begin
      lists_q   <= {lists_q[(Depth-1)*NumLists-1:0], list_rdy_i};
      susp_q    <= {susp_q[Depth-2:0], susp_rdy_i};
      hosts_q   <= host_rdy_i;
      before_q  <= 1'b1;
      valid_q   <= pick_valid_o;
      granted_q <= pick_valid_o && pick_grant_i;
      kind_q    <= pick_kind_o;
      idx_q     <= pick_idx_o;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Offer: class, SM and level of a list, and whether its source was ready in the previous cycle.
  logic [NumPow2-1:0] old_lists, old_hosts;
  logic               begins, is_list, is_suspended, is_host, was_ready, last_was_ready;
  logic [SmWidth-1:0] sm;
  logic [3:0]         level;

  assign begins       = pick_valid_o && !valid_q;
  assign is_list      = pick_valid_o && (pick_kind_o == 2'd1);
  assign is_suspended = pick_valid_o && (pick_kind_o == 2'd2);
  assign is_host      = pick_valid_o && (pick_kind_o == 2'd3);
  assign old_lists    = NumPow2'(lists_q[NumLists-1:0]);
  assign old_hosts    = NumPow2'(hosts_q);
  assign was_ready    = is_list ? old_lists[pick_idx_o] : is_host ? old_hosts[pick_idx_o] : susp_q[0];
  // Whether the source of the previous cycle's offer was ready in that cycle.
  assign last_was_ready = (kind_q == 2'd1) ? old_lists[idx_q] : (kind_q == 2'd3) ? old_hosts[idx_q] : susp_q[0];

  always_comb begin
    sm    = '0;
    level = '0;
    for (int unsigned s = 0; s < NumSm; s++) begin
      for (int unsigned l = 1; l <= LvlMax; l++) begin
        if (is_list && (pick_idx_o == IndexWidth'(s * LvlMax + l - 1))) begin
          sm    = SmWidth'(s);
          level = 4'(l);
        end
      end
    end
  end

  `CASTOR_ASSERT(k1_offer_was_ready_in_the_cycle_before, !pick_valid_o || was_ready)
  `CASTOR_ASSERT(k1_index_is_in_range,
                 (!is_list || level != '0) && (!is_suspended || pick_idx_o == '0) &&
                 (!is_host || 32'(pick_idx_o) < NumHq))
  `CASTOR_ASSERT(nothing_is_zero, pick_valid_o || (pick_kind_o == '0 && pick_idx_o == '0))
  `CASTOR_ASSERT(offer_has_a_kind, pick_valid_o == (pick_kind_o != '0))

  // ---------------------------------------------------------------------------------------------------------------
  // K2: an offer stays until it is taken or its source is not ready. Then a cycle without an offer follows.
  `CASTOR_ASSERT(k2_offer_stands,
                 !valid_q || granted_q || !last_was_ready ||
                 (pick_valid_o && pick_kind_o == kind_q && pick_idx_o == idx_q))
  `CASTOR_ASSERT(k2_offer_ends, !valid_q || (!granted_q && last_was_ready) || !pick_valid_o)

  // ---------------------------------------------------------------------------------------------------------------
  // The search: the visit begins LvlMax - level + 2 cycles before the offer of a list. Each higher level was not ready
  // in the cycle in which it was examined.
  logic [3:0] searched_q;
  logic       skipped_one, visit_was_right;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      searched_q <= '0;
    end else begin
      searched_q <= searches ? searched_q + 1'b1 : '0;
    end
  end

  always_comb begin
    skipped_one = 1'b0;
    for (int unsigned s = 0; s < NumSm; s++) begin
      for (int unsigned l = 1; l <= LvlMax; l++) begin
        for (int unsigned j = 1; l + j <= LvlMax; j++) begin
          if (is_list && pick_idx_o == IndexWidth'(s * LvlMax + l - 1) && lists_q[j*NumLists+s*LvlMax+l+j-1]) begin
            skipped_one = 1'b1;
          end
        end
      end
    end
  end

  `CASTOR_ASSERT(k1_search_of_as_many_cycles_as_levels, !searches || 32'(searched_q) < LvlMax)
  `CASTOR_ASSERT(k1_one_search_cycle_for_each_level,
                 !(begins && is_list) || 32'(searched_q) == LvlMax - 32'(level) + 1)
  `CASTOR_ASSERT(k3_no_higher_level_was_ready, !begins || !skipped_one)

  // ---------------------------------------------------------------------------------------------------------------
  // Rotations and priorities of the sources.
  logic [SmWidth-1:0]    turn_q;
  logic [QueueWidth-1:0] host_turn_q;
  logic                  host_was_right, list_was_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q      <= '0;
      host_turn_q <= '0;
    end else if (pick_grant_i && is_list) begin
      turn_q <= (32'(sm) + 1 == NumSm) ? '0 : sm + 1'b1;
    end else if (pick_grant_i && is_host) begin
      host_turn_q <= (32'(pick_idx_o) + 1 == NumHq) ? '0 : QueueWidth'(pick_idx_o) + 1'b1;
    end
  end

  // Checks the cycle of the visit: a list of the SM was ready, no SM earlier in the rotation was ready, and no
  // suspended block was ready.
  always_comb begin
    visit_was_right = 1'b1;
    for (int unsigned l = 1; l <= LvlMax; l++) begin
      for (int unsigned s = 0; s < NumSm; s++) begin
        if (is_list && level == 4'(l) && sm == SmWidth'(s)) begin
          visit_was_right = (lists_q[(LvlMax-l+1)*NumLists+s*LvlMax +: LvlMax] != '0) && !susp_q[LvlMax-l+1];
          for (int unsigned x = 0; x < NumSm; x++) begin
            if (lists_q[(LvlMax-l+1)*NumLists+x*LvlMax +: LvlMax] != '0 &&
                ((x + NumSm - 32'(turn_q)) % NumSm < (s + NumSm - 32'(turn_q)) % NumSm)) begin
              visit_was_right = 1'b0;
            end
          end
        end
      end
    end
  end

  always_comb begin
    host_was_right = 1'b1;
    for (int unsigned q = 0; q < NumHq; q++) begin
      if (hosts_q[q] &&
          ((q + NumHq - 32'(host_turn_q)) % NumHq < (32'(pick_idx_o) + NumHq - 32'(host_turn_q)) % NumHq)) begin
        host_was_right = 1'b0;
      end
    end
  end

  assign list_was_ready = (lists_q[NumLists-1:0] != '0);

  `CASTOR_ASSERT(k1_turns_move_with_what_is_taken, next_sm == turn_q && next_hq == host_turn_q)
  `CASTOR_ASSERT(k4_visit_in_turn, !begins || visit_was_right)
  `CASTOR_ASSERT(k4_queue_in_turn, !(begins && is_host) || host_was_right)
  `CASTOR_ASSERT(k5_queue_only_without_launches, !(begins && is_host) || (!list_was_ready && !susp_q[0]))

  // An SM that is always ready is not passed over twice for the same other SM. Once the other SM's launch has been
  // taken, the waiting SM has priority over it.
  // [w * NumSm + s]: a launch of s was taken while w was ready and w has had no launch taken since
  logic [NumSm*NumSm-1:0] served_q;
  logic                   twice;

  always_comb begin
    twice = 1'b0;
    for (int unsigned w = 0; w < NumSm; w++) begin
      for (int unsigned s = 0; s < NumSm; s++) begin
        if (w != s && is_list && pick_grant_i && sm == SmWidth'(s) && served_q[w*NumSm+s] &&
            (list_rdy_i[w*LvlMax +: LvlMax] != '0)) begin
          twice = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < NumSm; w++) begin
      for (int unsigned s = 0; s < NumSm; s++) begin
        if (!rst_ni || (list_rdy_i[w*LvlMax +: LvlMax] == '0) || (is_list && pick_grant_i && sm == SmWidth'(w))) begin
          served_q[w*NumSm+s] <= 1'b0;
        end else if (is_list && pick_grant_i && sm == SmWidth'(s)) begin
          served_q[w*NumSm+s] <= 1'b1;
        end
      end
    end
  end

  `CASTOR_ASSERT(k1_no_ready_sm_is_passed_over_twice, !twice)

  // ---------------------------------------------------------------------------------------------------------------
  // K6: while the ready inputs do not change, a ready source is offered soon. The longest delay is the rest of an
  // unsuccessful search, a visit and a search.
  localparam int unsigned Soon = 2 * LvlMax + 1;

  logic [5:0] still_q;
  logic       same, some;

  assign same = before_q && (list_rdy_i == lists_q[NumLists-1:0]) && (susp_rdy_i == susp_q[0]) &&
                (host_rdy_i == hosts_q);
  assign some = (list_rdy_i != '0) || susp_rdy_i || (host_rdy_i != '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || pick_valid_o || !some) begin
      still_q <= '0;
    end else begin
      still_q <= same ? still_q + 1'b1 : 6'd1;
    end
  end

  `CASTOR_ASSERT(k6_offered_soon, pick_valid_o || !same || 32'(still_q) < Soon)

  // ---------------------------------------------------------------------------------------------------------------
  `CASTOR_COVER(list_taken, is_list && pick_grant_i)
  `CASTOR_COVER(list_of_the_highest_level_taken, is_list && pick_grant_i && 32'(level) == LvlMax)
  `CASTOR_COVER(list_of_level_1_taken, is_list && pick_grant_i && level == 4'd1)
  `CASTOR_COVER(suspended_block_taken, is_suspended && pick_grant_i)
  `CASTOR_COVER(queue_taken, is_host && pick_grant_i)
  `CASTOR_COVER(offer_waits, pick_valid_o && valid_q)
  `CASTOR_COVER(offer_withdrawn, valid_q && !granted_q && !pick_valid_o)
  `CASTOR_COVER(turn_wraps, is_list && pick_grant_i && 32'(sm) + 1 == NumSm)
  `CASTOR_COVER(an_sm_is_passed_over, begins && is_list && sm != turn_q)
  `CASTOR_COVER(longest_wait, !pick_valid_o && same && 32'(still_q) == Soon - 1)
endmodule

bind castor_laperm_kmu castor_laperm_kmu_properties u_properties (
  .searches(state_q == StSearch), .next_sm(next_sm_q), .next_hq(next_hq_q)
);
