// Properties of the warp schedulers as a whole (docs/blocks/saws.md, "Theory of operation" and "Cycle"). The properties
// of the synchronization control unit are in castor_saws_scu_properties.sv. Names begin with the number of the
// invariant. Each property covers all schedulers, warps and thread blocks. The surroundings may do anything.
`include "castor_assert.svh"

module castor_saws_properties;
  // Position and thread block of each warp: element s*NumLocal+i is local warp i of scheduler s.
  logic [NumWarps*PosWidth-1:0] p;
  logic [NumWarps*CtaWidth-1:0] k;

  for (genvar s = 0; s < NumSched; s++) begin : gen_sched
    for (genvar i = 0; i < NumLocal; i++) begin : gen_warp
      for (genvar b = 0; b < PosWidth; b++) begin : gen_position
        assign p[(s*NumLocal+i)*PosWidth+b] = pos[(s*PosWidth+b)*NumLocal+i];
      end
      for (genvar b = 0; b < CtaWidth; b++) begin : gen_cta
        assign k[(s*NumLocal+i)*CtaWidth+b] = warp_cta[(s*CtaWidth+b)*NumLocal+i];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Q1: the warps of a thread block share a position, and different thread blocks have different positions. The
  // positions are 0..length-1.
  logic              shared, in_range, complete, free_clear, slot_used, live_allocated, blocked_live;
  logic [MaxCta-1:0] held;  // thread blocks that have a warp

  always_comb begin
    logic there;
    there          = 1'b0;
    shared         = 1'b1;
    in_range       = 1'b1;
    complete       = 1'b1;
    free_clear     = 1'b1;
    slot_used      = 1'b1;
    live_allocated = ((live & ~allocated) == '0);
    blocked_live   = ((blocked & ~live) == '0);
    held           = '0;
    for (int unsigned s = 0; s < NumSched; s++) begin
      for (int unsigned i = s * NumLocal; i < (s + 1) * NumLocal; i++) begin
        for (int unsigned j = s * NumLocal; j < (s + 1) * NumLocal; j++) begin
          if (allocated[i] && allocated[j]) begin
            shared = shared && ((k[i*CtaWidth +: CtaWidth] == k[j*CtaWidth +: CtaWidth]) ==
                                (p[i*PosWidth +: PosWidth] == p[j*PosWidth +: PosWidth]));
          end
        end
        if (allocated[i]) begin
          in_range = in_range && (p[i*PosWidth +: PosWidth] < length[s*PosWidth +: PosWidth]);
        end else begin
          free_clear = free_clear && (p[i*PosWidth +: PosWidth] == '0) && (k[i*CtaWidth +: CtaWidth] == '0);
        end
      end
      for (int unsigned v = 0; v < NumLocal; v++) begin
        there = 1'b0;
        for (int unsigned i = s * NumLocal; i < (s + 1) * NumLocal; i++) begin
          there = there || (allocated[i] && p[i*PosWidth +: PosWidth] == PosWidth'(v));
        end
        complete = complete && (there == (PosWidth'(v) < length[s*PosWidth +: PosWidth]));
      end
    end
    for (int unsigned i = 0; i < NumWarps; i++) begin
      for (int unsigned c = 0; c < MaxCta; c++) begin
        if (allocated[i] && k[i*CtaWidth +: CtaWidth] == CtaWidth'(c)) begin
          held[c] = 1'b1;
        end
      end
      slot_used = slot_used && (!allocated[i] || 32'(k[i*CtaWidth +: CtaWidth]) < MaxCta);
    end
  end

  `CASTOR_ASSERT(q1_positions_shared_by_a_thread_block_alone, shared)
  `CASTOR_ASSERT(q1_positions_below_length, in_range)
  `CASTOR_ASSERT(q1_no_position_left_out, complete)
  `CASTOR_ASSERT(q1_free_slots_are_clear, free_clear)
  `CASTOR_ASSERT(q1_warps_of_slots_in_use, slot_used && held == used_q)
  `CASTOR_ASSERT(q1_live_warps_are_allocated, live_allocated)
  `CASTOR_ASSERT(q1_blocked_warps_are_live, blocked_live)

  // ---------------------------------------------------------------------------------------------------------------
  // Q2: range of the promotion register. In GTO mode the same register holds the greedy warp's number.
  logic register_low, register_high, greedy_warp;

  always_comb begin
    register_low  = 1'b1;
    register_high = 1'b1;
    greedy_warp   = 1'b1;
    for (int unsigned s = 0; s < NumSched; s++) begin
      if (mode) begin
        register_low  = register_low && (PFloor == 0 || pointer[s*PosWidth +: PosWidth] != '0);
        register_high = register_high && (pointer[s*PosWidth +: PosWidth] <= length[s*PosWidth +: PosWidth] ||
                                          pointer[s*PosWidth +: PosWidth] == PosWidth'(1));
      end else begin
        greedy_warp = greedy_warp && (32'(pointer[s*PosWidth +: PosWidth]) < NumLocal);
      end
    end
  end

  `CASTOR_ASSERT(q2_register_not_below_floor, register_low)
  `CASTOR_ASSERT(q2_register_not_above_length, register_high)
  `CASTOR_ASSERT(q2_greedy_pointer_names_a_warp, greedy_warp)
  `CASTOR_ASSERT(q2_nothing_greedy_in_saws_mode, !(mode && greedy != '0))

  // ---------------------------------------------------------------------------------------------------------------
  // Q3: the picked warp can issue, and no warp that can issue has a smaller key. In GTO mode the greedy warp has
  // priority.
  logic pick_there, pick_can, pick_least, pick_greedy, no_pick_is_zero;

  always_comb begin
    logic [NumLocal-1:0]   can;
    logic [IndexWidth-1:0] idx;
    logic [PosWidth-1:0]   least;
    logic                  stays;  // the greedy warp is picked
    can             = '0;
    idx             = '0;
    least           = '0;
    stays           = 1'b0;
    pick_there      = 1'b1;
    pick_can        = 1'b1;
    pick_least      = 1'b1;
    pick_greedy     = 1'b1;
    no_pick_is_zero = 1'b1;
    for (int unsigned s = 0; s < NumSched; s++) begin
      can   = ready[s*NumLocal +: NumLocal] & allocated[s*NumLocal +: NumLocal];
      idx   = issue_idx_o[s*IndexWidth +: IndexWidth];
      stays = 1'b0;
      least = '0;
      for (int unsigned i = 0; i < NumLocal; i++) begin
        if (idx == IndexWidth'(i)) begin
          least    = p[(s*NumLocal+i)*PosWidth +: PosWidth];
          pick_can = pick_can && (!issue_valid_o[s] || can[i]);
        end
        if (!mode && greedy[s] && pointer[s*PosWidth +: PosWidth] == PosWidth'(i) && can[i]) begin
          stays = 1'b1;
        end
      end
      pick_there      = pick_there && (issue_valid_o[s] == (can != '0));
      no_pick_is_zero = no_pick_is_zero && (issue_valid_o[s] || idx == '0);
      pick_greedy     = pick_greedy && (!stays || PosWidth'(idx) == pointer[s*PosWidth +: PosWidth]);
      for (int unsigned i = 0; i < NumLocal; i++) begin
        if (can[i] && !stays) begin
          pick_least = pick_least && ({p[(s*NumLocal+i)*PosWidth +: PosWidth], IndexWidth'(i)} >= {least, idx});
        end
      end
    end
  end

  `CASTOR_ASSERT(q3_pick_if_a_warp_can_issue, pick_there)
  `CASTOR_ASSERT(q3_pick_can_issue, pick_can)
  `CASTOR_ASSERT(q3_no_smaller_key_than_the_pick, pick_least)
  `CASTOR_ASSERT(q3_greedy_warp_is_picked_in_gto_mode, pick_greedy)
  `CASTOR_ASSERT(q3_index_is_zero_without_a_pick, no_pick_is_zero)

  // ---------------------------------------------------------------------------------------------------------------
  // Q4: a stretch is a period in which a thread block has blocked warps. It begins with exactly one first hit and
  // contains no other. Exception: an exit may end a stretch in the cycle in which the next one begins.
  logic hit_at_most_once, hit_begins, hit_not_inside;

  always_comb begin
    logic       was, exits;
    logic [2:0] hits, arrivals;
    was              = 1'b0;
    exits            = 1'b0;
    hits             = '0;
    arrivals         = '0;
    hit_at_most_once = 1'b1;
    hit_begins       = 1'b1;
    hit_not_inside   = 1'b1;
    for (int unsigned c = 0; c < MaxCta; c++) begin
      was      = 1'b0;
      exits    = 1'b0;
      hits     = '0;
      arrivals = '0;
      for (int unsigned i = 0; i < NumWarps; i++) begin
        was = was || (blocked[i] && !unblock[i] && k[i*CtaWidth +: CtaWidth] == CtaWidth'(c));
      end
      for (int unsigned s = 0; s < NumSched; s++) begin
        if (event_cta[s*CtaWidth +: CtaWidth] == CtaWidth'(c)) begin
          hits     = hits + 3'(first_hit[s]);
          arrivals = arrivals + 3'(blocks[s]);
          exits    = exits || (wev_valid_i[s] && wev_exit_i[s] && !bad[s]);
        end
      end
      hit_at_most_once = hit_at_most_once && (hits <= 3'd1);
      hit_begins       = hit_begins && (was || (hits != '0) == (arrivals != '0));
      hit_not_inside   = hit_not_inside && (!was || exits || hits == '0);
    end
  end

  `CASTOR_ASSERT(q4_one_first_hit_per_cycle_and_thread_block, hit_at_most_once)
  `CASTOR_ASSERT(q4_stretch_begins_with_a_first_hit, hit_begins)
  `CASTOR_ASSERT(q4_no_first_hit_inside_a_stretch, hit_not_inside)

  // ---------------------------------------------------------------------------------------------------------------
  // Q6 and Q7: effect of a promotion on the list, checked in the following cycle.
  logic [NumWarps*PosWidth-1:0] p_past_q;
  logic [NumWarps-1:0]          member_past_q;
  logic [NumSched-1:0]          promote_past_q;
  logic [NumSched*PosWidth-1:0] pointer_past_q;
  logic                         others_keep_order, others_move_by_one, promoted_rises, above_stays;

  always_ff @(posedge clk_i) begin
    p_past_q       <= p;
    member_past_q  <= member;
    pointer_past_q <= pointer;
    promote_past_q <= (rst_ni && !kernel_start_i) ? promote : '0;
  end

  always_comb begin
    logic [PosWidth-1:0] was, is;
    was                = '0;
    is                 = '0;
    others_keep_order  = 1'b1;
    others_move_by_one = 1'b1;
    promoted_rises     = 1'b1;
    above_stays        = 1'b1;
    for (int unsigned s = 0; s < NumSched; s++) begin
      for (int unsigned i = s * NumLocal; i < (s + 1) * NumLocal; i++) begin
        was = p_past_q[i*PosWidth +: PosWidth];
        is  = p[i*PosWidth +: PosWidth];
        if (promote_past_q[s] && allocated[i]) begin
          if (member_past_q[i]) begin
            promoted_rises = promoted_rises && (is <= was);
          end else begin
            others_move_by_one = others_move_by_one && (is == was || is == was + PosWidth'(1));
            for (int unsigned j = s * NumLocal; j < (s + 1) * NumLocal; j++) begin
              if (allocated[j] && !member_past_q[j]) begin
                others_keep_order = others_keep_order && ((was < p_past_q[j*PosWidth +: PosWidth]) ==
                                                          (is < p[j*PosWidth +: PosWidth]));
              end
            end
          end
          above_stays = above_stays && (was >= pointer_past_q[s*PosWidth +: PosWidth] || is == was);
        end
      end
    end
  end

  `CASTOR_ASSERT(q6_promotion_keeps_the_order_of_others, others_keep_order)
  `CASTOR_ASSERT(q6_promotion_moves_others_down_by_one_at_most, others_move_by_one)
  `CASTOR_ASSERT(q6_promotion_moves_its_thread_block_up, promoted_rises)
  `CASTOR_ASSERT(q7_promotion_moves_nothing_above_the_register, above_stays)

  // ---------------------------------------------------------------------------------------------------------------
  // Q8: in GTO mode positions are in order of age, so the pick rule above gives GTO. older_q[c*MaxCta+d]: c was placed
  // before d.
  logic [MaxCta*MaxCta-1:0] older_q, older_d;
  logic                     by_age;

  always_comb begin
    older_d = older_q;
    for (int unsigned c = 0; c < MaxCta; c++) begin
      for (int unsigned d = 0; d < MaxCta; d++) begin
        if (alloc && cta_id_i == CtaWidth'(d)) begin
          older_d[c*MaxCta+d] = used_q[c];
        end
        if (alloc && cta_id_i == CtaWidth'(c)) begin
          older_d[c*MaxCta+d] = 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    older_q <= older_d;
  end

  // The ages are a total order of the resident thread blocks.
  logic one_older, orderly;

  always_comb begin
    one_older = 1'b1;
    orderly   = 1'b1;
    for (int unsigned c = 0; c < MaxCta; c++) begin
      for (int unsigned d = 0; d < MaxCta; d++) begin
        if (c != d && used_q[c] && used_q[d]) begin
          one_older = one_older && (older_q[c*MaxCta+d] != older_q[d*MaxCta+c]);
          for (int unsigned e = 0; e < MaxCta; e++) begin
            orderly = orderly && (!used_q[e] || e == c || e == d || !older_q[c*MaxCta+d] || !older_q[d*MaxCta+e] ||
                                  older_q[c*MaxCta+e]);
          end
        end
      end
    end
  end

  `CASTOR_ASSERT(q8_of_two_thread_blocks_one_is_older, one_older)
  `CASTOR_ASSERT(q8_ages_are_an_order, orderly)

  always_comb begin
    by_age = 1'b1;
    for (int unsigned s = 0; s < NumSched; s++) begin
      for (int unsigned i = s * NumLocal; i < (s + 1) * NumLocal; i++) begin
        for (int unsigned j = s * NumLocal; j < (s + 1) * NumLocal; j++) begin
          for (int unsigned c = 0; c < MaxCta; c++) begin
            for (int unsigned d = 0; d < MaxCta; d++) begin
              if (!mode && c != d && allocated[i] && k[i*CtaWidth +: CtaWidth] == CtaWidth'(c) && allocated[j] &&
                  k[j*CtaWidth +: CtaWidth] == CtaWidth'(d)) begin
                by_age = by_age && ((p[i*PosWidth +: PosWidth] < p[j*PosWidth +: PosWidth]) == older_q[c*MaxCta+d]);
              end
            end
          end
        end
      end
    end
  end

  `CASTOR_ASSERT(q8_positions_are_ages_in_gto_mode, by_age)

  // ---------------------------------------------------------------------------------------------------------------
  // Q11: a message is lost only if an event occurred while wev_ready was 0.
  `CASTOR_ASSERT(q11_nothing_lost_with_room, !lost || (wev_valid_i & ~wev_ready_o) != '0)

  // Cover statements: the assumptions of the proofs must leave every action of the schedulers reachable.
  logic mode_past_q;

  always_ff @(posedge clk_i) begin
    mode_past_q <= mode || !rst_ni || kernel_start_i;
  end

  `CASTOR_COVER(thread_block_placed, alloc)
  `CASTOR_COVER(thread_block_freed_in_saws_mode, free && mode)
  `CASTOR_COVER(thread_block_in_both_schedulers,
                length[PosWidth-1:0] != '0 && length[NumSched*PosWidth-1 -: PosWidth] != '0)
  `CASTOR_COVER(greedy_warp_stays, !mode && (issue_valid_o & greedy) != '0)
  `CASTOR_COVER(pick_in_saws_mode, mode && issue_valid_o != '0)
  `CASTOR_COVER(first_hit_in_gto_mode, !mode && first_hit != '0)
  `CASTOR_COVER(first_hit_in_saws_mode, mode && first_hit != '0)
  `CASTOR_COVER(hit_inside_a_stretch, (blocks & ~first_hit) != '0)
  `CASTOR_COVER(warp_is_released, (blocked & unblock) != '0)
  `CASTOR_COVER(warp_exits, (wev_valid_i & wev_exit_i & ~bad) != '0)
  `CASTOR_COVER(event_of_no_warp, bad != '0)
  `CASTOR_COVER(mode_switches_in_a_kernel, mode && !mode_past_q)
  `CASTOR_COVER(promotion_moves_a_thread_block, promote_past_q != '0 && p_past_q != p)
  `CASTOR_COVER(every_warp_allocated_in_saws_mode, mode && allocated == '1)
  `CASTOR_COVER(free_in_gto_mode, free && !mode && greedy != '0)
endmodule

bind castor_saws castor_saws_properties u_properties ();
