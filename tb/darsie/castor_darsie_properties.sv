// Properties of the block DARSIE (docs/blocks/darsie.md, "Cycle"). Names begin with the number of the invariant.
//
// The properties of the first part hold for any surroundings. The properties of the second part assume that the
// streaming multiprocessor keeps its contract, as far as ports and state can express it. A leader issues once, with the
// tags of its verdict. A held warp does nothing. A warp that stops has passed all versions.
`include "castor_assert.svh"

module castor_darsie_properties;
  // Whether warp w has a row pending, in use, or to be read; the rows of warp w are bits w*NumRows to
  // w*NumRows+NumRows-1.
  logic [NumWarps-1:0] pends, has_refs, lings;

  for (genvar w = 0; w < NumWarps; w++) begin : gen_any
    assign pends[w]    = (pend[w*NumRows +: NumRows] != '0);
    assign has_refs[w] = (refs[w*NumRows +: NumRows] != '0);
    assign lings[w]    = (ling[w*NumRows +: NumRows] != '0);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Properties that hold for any surroundings.
  `CASTOR_ASSERT(i1_skipped_warps_are_held_eligible_and_in_the_majority,
                 (f_skip_o & ~(f_hold_o & f_elig_i & maj)) == '0)
  `CASTOR_ASSERT(i10_majority_lives, (maj & ~live) == '0)

  logic [NumWarps-1:0] maj_past_q, may_rise_q;

  always_ff @(posedge clk_i) begin
    maj_past_q <= maj;
    may_rise_q <= barred | {NumWarps{launch}};
    if (!rst_ni) begin
      maj_past_q <= '0;
      may_rise_q <= '0;
    end
  end

  `CASTOR_ASSERT(i10_majority_rises_by_launch_and_barrier_alone, (maj & ~maj_past_q & ~may_rise_q) == '0)

  // A row that an election assigns has been written back. No warp of the row's thread block has the row pending, holds
  // it, or still has to read it.
  logic elected_is_free, dead_is_clear, unowned;

  always_comb begin
    elected_is_free = !elected || ((d_new & ~wb[d_tb*NumRows +: NumRows]) == '0 && d_new != '0);
    dead_is_clear   = 1'b1;
    unowned         = 1'b1;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      if (elected && d_team[w]) begin
        elected_is_free = elected_is_free && (d_new & (pend[w*NumRows +: NumRows] | refs[w*NumRows +: NumRows] |
                                                       ling[w*NumRows +: NumRows])) == '0;
      end
      if (!live[w]) begin
        dead_is_clear = dead_is_clear && !pends[w] && !has_refs[w] && !lings[w] && !miss[w] && !lat[w] && !stop[w] &&
                        !cpy[w];
      end
    end
    for (int unsigned t = 0; t < NumTbs; t++) begin
      unowned = unowned && (tl[t] || (team[t*NumWarps +: NumWarps] == '0 && !en[t]));
    end
  end

  `CASTOR_ASSERT(i5_elected_rows_are_free, elected_is_free)
  `CASTOR_ASSERT(dead_warps_are_clear, dead_is_clear)
  `CASTOR_ASSERT(warps_are_of_launched_thread_blocks, unowned)
  `CASTOR_ASSERT(pointers_are_in_range, 32'(rrf) < NumWarps && 32'(rrt) < NumTbs)
  `CASTOR_ASSERT(no_copy_is_zero, cp_valid_o || (cp_warp_o == '0 && cp_row_o == '0 && cp_slot_o == '0))
  `CASTOR_ASSERT(no_leader_no_tags, elected || d_tag_o == '0)
  `CASTOR_ASSERT(what_waits_for_nothing_is_zero,
                 ((two | lr0 | lr1 | lld | lgl) & ~lat) == '0 && (lt0 & ~{TagWidth{lat}}) == '0 &&
                     (lt1 & ~{TagWidth{lat}}) == '0)

  // A squash also squashes all younger instructions, and there is at most one leader. Operand rows are 0 where no
  // operand is in a row.
  logic squash_goes_on, one_leader, operands_zero;

  always_comb begin
    logic dropped, led;
    dropped        = 1'b0;
    led            = 1'b0;
    squash_goes_on = 1'b1;
    one_leader     = 1'b1;
    operands_zero  = 1'b1;
    for (int unsigned s = 0; s < DecW; s++) begin
      if (d_valid_i[s]) begin
        squash_goes_on = squash_goes_on && (!dropped || d_act_o[s*2 +: 2] == castor_darsie_pkg::ActSquash);
        one_leader     = one_leader && !(led && d_act_o[s*2 +: 2] == castor_darsie_pkg::ActLead);
        dropped        = dropped || (d_act_o[s*2 +: 2] == castor_darsie_pkg::ActSquash);
        led            = led || (d_act_o[s*2 +: 2] == castor_darsie_pkg::ActLead);
      end else begin
        one_leader = one_leader && (d_act_o[s*2 +: 2] == '0);
      end
    end
    one_leader = one_leader && (led == elected);
    for (int unsigned a = 0; a < NumIss * NumSrc; a++) begin
      operands_zero = operands_zero && (i_sren_o[a] || i_srow_o[a*RowW +: RowW] == '0);
    end
  end

  `CASTOR_ASSERT(squash_takes_all_younger_ones_along, squash_goes_on)
  `CASTOR_ASSERT(one_leader_at_most, one_leader)
  `CASTOR_ASSERT(operands_without_a_row_are_zero, operands_zero)

  // I17: a clock edge without events and without pending work changes no register.
  logic                        idle, idle_past_q;
  localparam int unsigned StateWidth = NumWarps * (12 + TbWidth + 2 * TagWidth + 3 * NumRows) + NumTbs * (5 + NumPst) +
                                       3 * NumTbs * NumRows + WarpWidth + TbWidth + 1;
  logic [StateWidth-1:0]       now, past_q;

  assign idle = !lnch_valid_i && !retire_valid_i && ev_store_i == '0 && !ev_global_i && br_i == '0 && leave_i == '0 &&
                exit_i == '0 && bar_i == '0 && d_valid_i == '0 && i_valid_i == '0 && wb_valid_i == '0 && !cp_ack_i &&
                (f_elig_i & maj & (ready | probe)) == '0 && (miss & ~f_elig_i) == '0 && meet == '0 && copied == '0 &&
                (cp_valid_o || (cpy & has_refs) == '0) && (live & oc_idle_i & lings) == '0 && err_o == '0;
  assign now  = {live, tb, maj, miss, lat, two, lt0, lt1, lr0, lr1, lld, lgl, stop, tk, cpy, pend, refs,
                 ling, tl, en, sync, synced, noel, pv, wb, inv, nosk, rrf, rrt, cp_valid_o};

  always_ff @(posedge clk_i) begin
    past_q      <= now;
    idle_past_q <= idle && rst_ni;
  end

  `CASTOR_ASSERT(i17_idle_edges_change_nothing, !idle_past_q || (now == past_q && err_o == '0))

  // ---------------------------------------------------------------------------------------------------------------
  // The contract. A row is `due` from the leader's verdict until the leader issues. `number_q` holds the register of
  // each row.
  logic [NumWarps*NumRows-1:0]  due_q, due_d;
  logic [NumRows*SlotWidth-1:0] number_q [NumTbs];
  logic [NumWarps-1:0]          dues;  // warps with due rows at the start of the cycle
  // Warps with rows that are still due after this cycle's issues; a leader may issue in the cycle of its warp's branch.
  logic [NumWarps-1:0]          dues_left;
  logic                         issue_told, written_issued, ref_slots;

  for (genvar w = 0; w < NumWarps; w++) begin : gen_due
    assign dues[w] = (due_q[w*NumRows +: NumRows] != '0);
  end

  always_comb begin
    logic [WarpWidth-1:0] warp;
    logic [NumRows-1:0]   here;
    logic [TagWidth-1:0]  tag;
    logic [TbWidth-1:0]   t;
    logic [1:0]           dv;
    issue_told     = 1'b1;
    written_issued = 1'b1;
    due_d          = due_q;
    dues_left      = '0;
    warp           = '0;
    here           = '0;
    tag            = '0;
    t              = '0;
    dv             = '0;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      for (int unsigned b = 0; b < TbWidth; b++) begin
        t[b] = tb[b*NumWarps+w];
      end
      for (int unsigned p = 0; p < NumIss; p++) begin
        warp = i_warp_i[p*WarpWidth +: WarpWidth];
        dv   = i_dv_i[p*2 +: 2];
        if (i_valid_i[p] && i_lead_i[p] && warp == WarpWidth'(w)) begin
          here       = due_d[w*NumRows +: NumRows];
          issue_told = issue_told && dv != '0 && maj[w] && !(dv == 2'b11 && i_tag_i[p*2*TagWidth +: TagWidth] ==
                                                  i_tag_i[p*2*TagWidth+TagWidth +: TagWidth]) &&
                       !(dv == 2'b11 && i_dst_i[p*2*SlotWidth +: SlotWidth] ==
                                            i_dst_i[p*2*SlotWidth+SlotWidth +: SlotWidth]);
          for (int unsigned a = 0; a < 2; a++) begin
            tag = i_tag_i[(p*2+a)*TagWidth +: TagWidth];
            if (dv[a]) begin
              issue_told = issue_told && 32'(tag) < NumRows;
              for (int unsigned k = 0; k < NumRows; k++) begin
                if (tag == TagWidth'(k)) begin
                  issue_told = issue_told && here[k] &&
                               number_q[t][k*SlotWidth +: SlotWidth] == i_dst_i[(p*2+a)*SlotWidth +: SlotWidth];
                  due_d[w*NumRows+k] = 1'b0;
                end
              end
            end
          end
        end
      end
      dues_left[w] = (due_d[w*NumRows +: NumRows] != '0);
      if (elected && d_warp[w]) begin
        due_d[w*NumRows +: NumRows] = due_d[w*NumRows +: NumRows] | d_new;
      end
      for (int unsigned p = 0; p < NumWb; p++) begin
        for (int unsigned k = 0; k < NumRows; k++) begin
          if (wb_valid_i[p] && wb_tag_i[p*TagWidth +: TagWidth] == TagWidth'(k) &&
              wb_tb_i[p*TbWidth +: TbWidth] == t && due_q[w*NumRows+k]) begin
            written_issued = 1'b0;
          end
        end
      end
      // Warps of a stopped kernel exit in any state.
      if (exit_i[w]) begin
        due_d[w*NumRows +: NumRows] = '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    due_q <= rst_ni ? due_d : '0;
    for (int unsigned k = 0; k < NumRows; k++) begin
      if (elected && d_tag_o[TagWidth-1:0] == TagWidth'(k)) begin
        number_q[d_tb][k*SlotWidth +: SlotWidth] <= e_dst[SlotWidth-1:0];
      end
      if (elected && e_two && d_tag_o[TagWidth +: TagWidth] == TagWidth'(k)) begin
        number_q[d_tb][k*SlotWidth +: SlotWidth] <= e_dst[SlotWidth +: SlotWidth];
      end
    end
  end

  logic [NumWarps-1:0] held, syncing;
  logic [NumTbs-1:0]   stopped;

  assign held = stop | lat | cpy;

  always_comb begin
    syncing = '0;
    stopped = '0;
    for (int unsigned t = 0; t < NumTbs; t++) begin
      stopped[t] = ((team[t*NumWarps +: NumWarps] & stop) != '0);
      if (sync[t]) begin
        syncing = syncing | team[t*NumWarps +: NumWarps];
      end
    end
  end

  // A warp decodes the instruction that the leader executed. The version that the warp has to pass therefore consists
  // of all rows of one election.
  logic [NumRows-1:0] mates_q [NumTbs*NumRows];
  logic               as_led;

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < NumRows; k++) begin
      if (elected && d_new[k]) begin
        mates_q[32'(d_tb)*NumRows+k] <= d_new;
      end
    end
  end

  always_comb begin
    as_led = 1'b1;
    for (int unsigned k = 0; k < NumRows; k++) begin
      as_led = as_led && (!d_old[k] || mates_q[32'(d_tb)*NumRows+k] == d_old);
    end
  end

  `CASTOR_ASSUME(what_is_decoded_was_led_so, as_led)

  // A PC names one execution: a warp that is probed at the PC of an entry has not passed the version that the leader at
  // this PC has made. So the entry's rows still hold this version: the rows of one election with the entry's load
  // class.
  logic one_execution, entry_current;

  always_comb begin
    logic [TbWidth-1:0]  t;
    logic [TagWidth-1:0] tag0, tag1;
    logic [NumRows-1:0]  both;
    t             = '0;
    tag0          = '0;
    tag1          = '0;
    both          = '0;
    one_execution = 1'b1;
    entry_current = 1'b1;
    for (int unsigned g = 0; g < PstRd; g++) begin
      t    = g_tb[g*TbWidth +: TbWidth];
      tag0 = g_tag0[g*TagWidth +: TagWidth];
      tag1 = g_tag1[g*TagWidth +: TagWidth];
      both = NumRows'(1) << tag0;
      if (g_two[g]) begin
        both = both | (NumRows'(1) << tag1);
      end
      if ((g_latch[g] || g_skip[g]) && (g_warps[g*NumWarps +: NumWarps] & probe) != '0) begin
        entry_current = entry_current && mates_q[32'(t)*NumRows+32'(tag0)] == both &&
                        g_ld[g] == ld[32'(t)*NumRows+32'(tag0)] && g_gl[g] == gl[32'(t)*NumRows+32'(tag0)];
      end
      for (int unsigned w = 0; w < NumWarps; w++) begin
        if ((g_latch[g] || g_skip[g]) && g_warps[g*NumWarps+w] && probe[w]) begin
          one_execution = one_execution && pend[w*NumRows+32'(tag0)] && (!g_two[g] || pend[w*NumRows+32'(tag1)]);
        end
      end
    end
  end

  `CASTOR_ASSUME(a_pc_names_one_execution, one_execution)
  `CASTOR_ASSUME(an_entry_has_the_version_in_its_rows, entry_current)
  `CASTOR_ASSUME(leaders_issue_once_with_their_tags, issue_told)
  `CASTOR_ASSUME(rows_are_written_after_the_issue, written_issued)
  `CASTOR_ASSUME(held_warps_do_nothing, ((br_i | d_warp) & held) == '0)
  `CASTOR_ASSUME(one_event_per_warp, (maj & br_i & exit_i) == '0 && (maj & br_i & leave_i) == '0 &&
                                      (maj & exit_i & leave_i) == '0 && (maj & d_warp & (br_i | exit_i | leave_i)) == '0 &&
                                      (maj & barred & (br_i | leave_i | d_warp)) == '0)
  `CASTOR_ASSUME(eligible_warps_have_no_event, (f_elig_i & (br_i | exit_i | leave_i | barred | d_warp | dues)) == '0)
  `CASTOR_ASSUME(everything_has_issued_at_events, ((br_i | leave_i | barred) & dues_left) == '0)
  `CASTOR_ASSUME(all_is_passed_at_branches_and_barriers, ((br_i | barred) & pends) == '0)
  `CASTOR_ASSUME(nobody_waits_at_barriers, (barred & (stop | lat)) == '0)
  `CASTOR_ASSUME(no_branch_beside_a_synchronisation_point, (maj & br_i & syncing) == '0)
  `CASTOR_ASSUME(destinations_of_a_leader_differ,
                 !(elected && e_two) || e_dst[SlotWidth-1:0] != e_dst[SlotWidth +: SlotWidth])
  `CASTOR_ASSUME(who_parks_has_passed_everything,
                 !(why == castor_darsie_pkg::WhySetSync || why == castor_darsie_pkg::WhyPark) || (d_warp & pends) == '0)
  `CASTOR_ASSUME(nobody_is_elected_behind_a_branch,
                 !(why == castor_darsie_pkg::WhyLead || why == castor_darsie_pkg::WhySetSync) ||
                     ((d_team & stop) == '0 && (d_team & maj & br_i) == '0))

  // ---------------------------------------------------------------------------------------------------------------
  // Properties that hold if the surroundings keep the contract.
  logic one_row, rows_known, apart, waits_for_pending, nothing_stale, skips_fresh, meeting_passed, synced_stand;

  always_comb begin
    logic [TbWidth-1:0]  t;
    logic [TagWidth-1:0] tag0, tag1;
    t                 = '0;
    tag0              = '0;
    tag1              = '0;
    one_row           = 1'b1;
    rows_known        = 1'b1;
    apart             = 1'b1;
    waits_for_pending = 1'b1;
    nothing_stale     = 1'b1;
    skips_fresh       = 1'b1;
    meeting_passed    = 1'b1;
    synced_stand      = 1'b1;
    for (int unsigned w = 0; w < NumWarps; w++) begin
      for (int unsigned b = 0; b < TbWidth; b++) begin
        t[b] = tb[b*NumWarps+w];
      end
      for (int unsigned b = 0; b < TagWidth; b++) begin
        tag0[b] = lt0[b*NumWarps+w];
        tag1[b] = lt1[b*NumWarps+w];
      end
      apart = apart && (pend[w*NumRows +: NumRows] & refs[w*NumRows +: NumRows]) == '0;
      for (int unsigned k = 0; k < NumRows; k++) begin
        if (live[w] && (pend[w*NumRows+k] || refs[w*NumRows+k])) begin
          rows_known = rows_known && k < 32'(rows[t*CountWidth +: CountWidth]);
        end
        for (int unsigned j = 0; j < k; j++) begin
          if (live[w] && refs[w*NumRows+k] && refs[w*NumRows+j]) begin
            one_row = one_row && (number_q[t][k*SlotWidth +: SlotWidth] != number_q[t][j*SlotWidth +: SlotWidth]);
          end
        end
        if (lat[w] && (tag0 == TagWidth'(k) || (two[w] && tag1 == TagWidth'(k)))) begin
          waits_for_pending = waits_for_pending && pend[w*NumRows+k];
          nothing_stale     = nothing_stale && !inv[t*NumRows+k];
        end
      end
    end
    for (int unsigned g = 0; g < PstRd; g++) begin
      t = g_tb[g*TbWidth +: TbWidth];
      if (g_skip[g]) begin
        skips_fresh = skips_fresh && !inv[t*NumRows+32'(g_tag0[g*TagWidth +: TagWidth])] &&
                      !(g_two[g] && inv[t*NumRows+32'(g_tag1[g*TagWidth +: TagWidth])]);
      end
    end
    for (int unsigned u = 0; u < NumTbs; u++) begin
      if (meet[u]) begin
        meeting_passed = meeting_passed && ((team[u*NumWarps +: NumWarps] & pends) == '0);
      end
      synced_stand = synced_stand && !(sync[u] && noel[u]);
    end
  end

  `CASTOR_ASSERT(i2_one_row_per_register, one_row)
  `CASTOR_ASSERT(i2_rows_of_the_launch, rows_known)
  `CASTOR_ASSERT(i3_pending_warps_are_in_the_majority, (pends & ~maj) == '0)
  `CASTOR_ASSERT(i3_holders_of_rows_are_in_the_majority_or_copy, (has_refs & ~(maj | cpy)) == '0)
  `CASTOR_ASSERT(i3_rows_are_passed_or_pending, apart)
  `CASTOR_ASSERT(i6_waiting_warps_are_in_the_majority, (lat & ~maj) == '0)
  `CASTOR_ASSERT(i6_waiting_warps_have_the_version_to_pass, waits_for_pending)
  `CASTOR_ASSERT(i6_no_warp_waits_for_a_stale_load, nothing_stale)
  `CASTOR_ASSERT(i7_nothing_is_pending_at_a_meeting, meeting_passed)
  `CASTOR_ASSERT(i11_stopped_warps_are_in_the_majority, (stop & ~maj) == '0)
  `CASTOR_ASSERT(i11_reasons_to_be_held_exclude_each_other,
                 (stop & lat) == '0 && (stop & cpy) == '0 && (lat & cpy) == '0 && (maj & cpy) == '0)
  `CASTOR_ASSERT(i12_no_skip_of_a_stale_load, skips_fresh)
  `CASTOR_ASSERT(stopped_warps_have_passed_everything, (stop & pends) == '0)
  `CASTOR_ASSERT(no_synchronisation_point_without_elections, synced_stand)
  `CASTOR_ASSERT(leaders_that_have_not_issued_are_in_the_majority, (dues & ~maj) == '0)

  // ---------------------------------------------------------------------------------------------------------------
  // Cover statements: the assumptions of the proofs must leave every action of the block reachable.
  `CASTOR_COVER(stopped_warp_exits, (exit_i & stop) != '0)
  `CASTOR_COVER(waiting_warp_exits, (exit_i & lat) != '0)
  `CASTOR_COVER(copying_warp_exits, (exit_i & cpy) != '0)
  `CASTOR_COVER(leader_exits_before_it_has_issued, (exit_i & dues) != '0)
  `CASTOR_COVER(thread_block_launched_at_the_edge_of_its_retirement, launch && retire && tl == '1)
  `CASTOR_COVER(skip_by_probe, (f_skip_o & probe) != '0)
  `CASTOR_COVER(skip_after_waiting, (f_skip_o & lat) != '0)
  `CASTOR_COVER(skip_of_two_registers, (g_skip & g_two) != '0)
  `CASTOR_COVER(skip_of_several_warps, (f_skip_o & (f_skip_o - NumWarps'(1))) != '0)
  `CASTOR_COVER(probe_begins_to_wait, g_latch != '0)
  `CASTOR_COVER(probe_finds_nothing, missed != '0)
  `CASTOR_COVER(rest_executes_stale_load_privately, why == castor_darsie_pkg::WhyNosk)
  `CASTOR_COVER(last_one_executes_stale_load_privately, why == castor_darsie_pkg::WhyLast)
  `CASTOR_COVER(stale_load_is_led_again, why == castor_darsie_pkg::WhyRelead)
  `CASTOR_COVER(no_row_to_lead_a_stale_load_again, why == castor_darsie_pkg::WhyNoRow)
  `CASTOR_COVER(decoded_instruction_waits, why == castor_darsie_pkg::WhyLatch)
  `CASTOR_COVER(alone_in_the_majority, why == castor_darsie_pkg::WhyAlone)
  `CASTOR_COVER(elections_are_off, why == castor_darsie_pkg::WhyNoElect)
  `CASTOR_COVER(parked_at_a_synchronisation_point, why == castor_darsie_pkg::WhyPark)
  `CASTOR_COVER(leader_elected, why == castor_darsie_pkg::WhyLead)
  `CASTOR_COVER(leader_elected_with_two_registers, why == castor_darsie_pkg::WhyLead && e_two)
  `CASTOR_COVER(elections_go_off, why == castor_darsie_pkg::WhySetNoElect)
  `CASTOR_COVER(synchronisation_point_opens, why == castor_darsie_pkg::WhySetSync)
  `CASTOR_COVER(synchronisation_point_is_complete, meet_sync)
  `CASTOR_COVER(meeting_is_complete, meet != '0 && !meet_sync)
  `CASTOR_COVER(warp_copies_a_row, cp_valid_o && cp_ack_i)
  `CASTOR_COVER(warp_has_nothing_left_to_copy, copied != '0)
  `CASTOR_COVER(barrier_completes, bar != '0)
  `CASTOR_COVER(operand_in_a_row, i_sren_o != '0)
  `CASTOR_COVER(row_lingers, lings != '0)
  `CASTOR_COVER(waiting_warp_loses_a_load, ev_store_i != '0 && (lat & lld) != '0)
  `CASTOR_COVER(refused_launch, err_o[0])
  `CASTOR_COVER(refused_retirement, err_o[1])
  `CASTOR_COVER(write_back_of_a_written_row, err_o[2])
  `CASTOR_COVER(illegal_mark, err_o[3])
  `CASTOR_COVER(event_of_no_warp, err_o[4])
  `CASTOR_COVER(acknowledge_of_no_copy, err_o[7])
endmodule

bind castor_darsie castor_darsie_properties u_properties ();
