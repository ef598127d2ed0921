// Properties of the synchronization control unit (docs/blocks/saws.md, "Cycle"). Names begin with the number of the
// invariant.
//
// One message is watched. The scheduler `pick_q` is arbitrary: it gets its value during reset and keeps it. A message
// that enters its queue is watched if toggle_en_i is 1. This input has a meaning only at a kernel start, so any message
// may be watched.
`include "castor_assert.svh"

module castor_saws_scu_properties;
  // ---------------------------------------------------------------------------------------------------------------
  // Q8: only a kernel start changes the mode back to GTO. A message, or a kernel start that selects SAWS, changes it to
  // SAWS.
  logic       run_q;  // the previous cycle had neither reset nor kernel start
  logic       mode_past_q, switch_past_q;
  logic [1:0] selected_past_q;

  always_ff @(posedge clk_i) begin
    run_q           <= rst_ni && !kernel_start_i;
    mode_past_q     <= mode_q;
    switch_past_q   <= switch_o;
    selected_past_q <= selected_q;
  end

  `CASTOR_ASSERT(q8_no_way_back_within_a_kernel, !(run_q && mode_past_q) || mode_q)
  `CASTOR_ASSERT(q8_switch_by_a_message_alone, !(run_q && !mode_past_q && mode_q) || switch_past_q)
  `CASTOR_ASSERT(q8_switch_once, !(switch_o && mode_q))
  `CASTOR_ASSERT(q8_nothing_selected_within_a_kernel, !run_q || selected_q == selected_past_q)

  // ---------------------------------------------------------------------------------------------------------------
  // Q9: with toggling, the first hit of a thread block promotes, and then every other hit. odd_q[c]: the number of hits
  // since the thread block was placed is odd. Without toggling, every hit promotes.
  logic [MaxCta-1:0] odd_q, odd_d;
  logic              every_other, every;

  always_comb begin
    odd_d       = odd_q;
    every_other = 1'b1;
    every       = 1'b1;
    for (int unsigned s = 0; s < NumSched; s++) begin
      for (int unsigned c = 0; c < MaxCta; c++) begin
        if (first_hit_i[s] && event_cta_i[s*CtaWidth +: CtaWidth] == CtaWidth'(c)) begin
          odd_d[c]    = !odd_d[c];
          every_other = every_other && (promotes[s] != odd_q[c]);
        end
      end
      every = every && (promotes[s] == first_hit_i[s]);
    end
    for (int unsigned c = 0; c < MaxCta; c++) begin
      if (alloc_i && cta_id_i == CtaWidth'(c)) begin
        odd_d[c] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    odd_q <= (!rst_ni || kernel_start_i) ? '0 : odd_d;
  end

  `CASTOR_ASSERT(q9_every_other_hit_promotes, !toggling_q || every_other)
  `CASTOR_ASSERT(q9_every_hit_promotes_without_toggling, toggling_q || every)
  `CASTOR_ASSERT(q9_toggle_counts_hits, toggle_q == (toggling_q ? ~odd_q : '1))

  // ---------------------------------------------------------------------------------------------------------------
  // Q11: message queues.
  logic counts_in_range, pushes_legal, pops_legal;

  always_comb begin
    counts_in_range = 1'b1;
    pushes_legal    = 1'b1;
    pops_legal      = 1'b1;
    for (int unsigned s = 0; s < NumSched; s++) begin
      counts_in_range = counts_in_range && (waiting_o[s*5 +: 5] <= 5'(EvqDepth));
      pushes_legal    = pushes_legal && (!push[s] || waiting_o[s*5 +: 5] < 5'(EvqDepth));
      pops_legal      = pops_legal && (!pop[s] || waiting_o[s*5 +: 5] != '0);
    end
  end

  `CASTOR_ASSERT(q11_counts_in_range, counts_in_range)
  `CASTOR_ASSERT(q11_no_message_into_a_full_queue, pushes_legal)
  `CASTOR_ASSERT(q11_no_message_out_of_an_empty_queue, pops_legal)
  `CASTOR_ASSERT(q11_one_message_per_cycle, (pop & (pop - NumSched'(1))) == '0)
  `CASTOR_ASSERT(q11_operations_of_the_surroundings_first, !(cta_valid_i && (pop != '0 || switch_o)))

  // Q11: the watched message. place_q: its position in the queue, counted from 1; 0: no message is watched. age_q:
  // cycles of waiting, without the cycles in which an operation of the surroundings had priority.
  localparam int unsigned Bound = NumSched * EvqDepth + 1;

  logic [TurnWidth-1:0] pick_q, distance;
  logic [4:0]           place_q, place_d, count;
  logic [CtaWidth-1:0]  cta_q, event_cta;
  logic                 hit_q, all_blocked_q, dead_q, begins, arrives;
  logic [6:0]           age_q, to_go;

  always_comb begin
    count     = '0;
    event_cta = '0;
    for (int unsigned s = 0; s < NumSched; s++) begin
      if (pick_q == TurnWidth'(s)) begin
        count     = waiting_o[s*5 +: 5];
        event_cta = event_cta_i[s*CtaWidth +: CtaWidth];
      end
    end
  end

  assign begins   = (place_q == '0) && push[pick_q] && toggle_en_i;
  assign arrives  = (place_q == 5'd1) && pop[pick_q];
  assign distance = (NumSched > 1) ? pick_q - turn_q : '0;
  assign to_go    = 7'(NumSched) * (7'(place_q) - 7'd1) + 7'(distance) + 7'd1 + 7'(!mode_q);

  always_comb begin
    place_d = place_q;
    if (begins) begin
      place_d = count - 5'(pop[pick_q]) + 5'd1;
    end else if (place_q != '0 && pop[pick_q]) begin
      place_d = place_q - 5'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    pick_q  <= rst_ni ? pick_q : TurnWidth'(event_cta_i);
    place_q <= (!rst_ni || kernel_start_i) ? '0 : place_d;
    if (begins) begin
      cta_q         <= event_cta;
      hit_q         <= promotes[pick_q];
      all_blocked_q <= all_blocked_i[pick_q];
      dead_q        <= 1'b0;
      age_q         <= '0;
    end else begin
      dead_q <= dead_q || (free_i && cta_id_i == cta_q);
      age_q  <= (cta_valid_i || place_q == '0) ? age_q : age_q + 7'd1;
    end
  end

  `CASTOR_ASSERT(q11_watched_message_is_in_its_queue, place_q <= count)
  `CASTOR_ASSERT(q11_broadcast_is_the_message, !arrives || cta_o == cta_q)
  `CASTOR_ASSERT(q11_broadcast_promotes_on_all_other_schedulers,
                 !arrives || promote_o == ((hit_q && !dead_q) ? ~(NumSched'(1) << pick_q) : '0))
  `CASTOR_ASSERT(q11_broadcast_demotes_on_its_own_scheduler,
                 !arrives || demote_o == ((!dead_q && (all_blocked_q || (hit_q && DemoteAt == 1))) ?
                                          NumSched'(1) << pick_q : '0))
  `CASTOR_ASSERT(q11_broadcast_within_the_bound, place_q == '0 || age_q + to_go <= 7'(Bound))
  `CASTOR_ASSERT(q11_list_operations_by_broadcast_alone, pop != '0 || (promote_o == '0 && demote_o == '0))

  // ---------------------------------------------------------------------------------------------------------------
  // Q13: while plain GTO is selected, all outputs of this unit equal the constants of a block without the unit.
  `CASTOR_ASSERT(q13_unit_at_rest_while_gto_is_selected,
                 selected_q != '0 || (!mode_q && waiting_o == '0 && wev_ready_o == '1 && !lost_o && !switch_o &&
                                      promote_o == '0 && demote_o == '0 && cta_o == '0))

  // Cover statements: the assumptions of the proofs must leave these situations reachable.
  `CASTOR_COVER(mode_switch, switch_o)
  `CASTOR_COVER(hit_that_promotes_nothing, toggling_q && (first_hit_i & ~promotes) != '0)
  `CASTOR_COVER(queue_full, wev_ready_o != '1)
  `CASTOR_COVER(broadcast_promotes, promote_o != '0)
  `CASTOR_COVER(broadcast_demotes, demote_o != '0)
  `CASTOR_COVER(demotion_as_all_are_blocked, arrives && all_blocked_q && demote_o != '0)
  `CASTOR_COVER(watched_message_arrives, arrives && !dead_q)
  `CASTOR_COVER(watched_message_arrives_dead, arrives && dead_q)
  `CASTOR_COVER(message_lost, lost_o)
  `CASTOR_COVER(watched_message_waits_longest, arrives && age_q == 7'(Bound - 1))
endmodule

bind castor_saws_scu castor_saws_scu_properties u_properties ();
