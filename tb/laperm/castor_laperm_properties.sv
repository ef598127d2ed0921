// Properties of the scheduler LaPerm (docs/blocks/laperm.md, "Invariants"). Names begin with the number of the
// invariant.
//
// The properties describe ports and the actions of the block in a cycle: insertions, writes, reads and removals of
// items. From these actions the module derives its own copies of the registers that the rules mention. A table inside
// the block is visible only where the block reads it. The block's flags are compared with these copies. The properties
// of the list and counter modules cover the storage of lists and counts.
//
// Assumptions about the surroundings: policy and size of the lists in memory stay constant while an item waits. A reply
// is an item that memory holds, and comes after its read was accepted.
`include "castor_assert.svh"

module castor_laperm_properties #(
  localparam int unsigned EntriesW = $clog2(NumSets * BankDepth + 1),
  localparam int unsigned FetchW   = $clog2(RefillMax + 2),
  localparam int unsigned TagW     = $clog2(RefillMax + 1),
  localparam int unsigned HostW    = $clog2(NumKd + 1)
) (
  // Flags of sets, and set and list of the item in hand.
  input logic [NumSets-1:0]   filled,  // the set has entries on chip
  input logic [NumSets-1:0]   roomy,  // the set has a free slot after this cycle's insertions
  input logic [CntW-1:0]      host_pos,  // thread blocks placed of the head of queue 0
  input logic [SetWidth-1:0]  hand_set,
  input logic [ListWidth-1:0] hand_list,
  // From the properties of the lists on chip: number of entries of each list, the entries, oldest first, and whether
  // the rules for the lists were kept.
  input logic [NumLists*EntriesW-1:0]                     listed_number,
  input logic [NumLists*NumSets*BankDepth*EntryWidth-1:0] listed_entries,
  input logic                                             lists_kept_q,
  // From the properties of the counters: entries of each list in memory, reads of each list from request to insertion,
  // items of each kernel, and whether the limits of the counters were kept.
  input logic [NumLists*(OvfW+1)-1:0] in_memory,
  input logic [NumLists*FetchW-1:0]   fetches,
  input logic [NumKd*QcntW-1:0]       items,
  input logic                         stored_kept_q,
  input logic                         reads_kept_q,
  input logic                         items_kept_q,
  // Registers of the lists in memory: number of reads in flight, first set in the refill order, whether the last
  // request was a write.
  input logic [$clog2((RefillMax > 1 ? RefillMax : 2)+1)-1:0] tags_there,
  input logic [SetWidth-1:0]                                  first_set_there,
  input logic                                                 wrote_there,
  // Parked item.
  input logic               parked,
  input logic [KdWidth-1:0] parked_kd,
  input logic [3:0]         parked_level,
  input logic [SmWidth-1:0] parked_sm
);
  logic tb_pri, adaptive;

  assign tb_pri   = (policy_i == 2'd1);
  assign adaptive = (policy_i == 2'd3 || policy_i == 2'd0);

  // The first cycle after reset has no previous cycle.
  logic before_q;

  always_ff @(posedge clk_i) begin
    before_q <= rst_ni;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Assumptions about the surroundings.
  logic       free_q;
  logic [1:0] policy_q;
  logic [4:0] ovf_log2_q;

  always_ff @(posedge clk_i) begin
    policy_q   <= policy_i;
    ovf_log2_q <= ovf_log2_i;
    free_q     <= !rst_ni;
  end

  `CASTOR_ASSUME(a_settings_stay_while_something_waits,
                 free_q || !before_q || (policy_i == policy_q && ovf_log2_i == ovf_log2_q) ||
                 (!waiting_o && !push_valid_i))

  // ---------------------------------------------------------------------------------------------------------------
  // Copies of the registers that the rules mention.
  logic [NumLists*CntW-1:0]     position;
  logic [NumLists*OvfW-1:0]     oldest;
  logic [NumSets*EntriesW-1:0]  entries;
  logic [NumSets*FetchW-1:0]    promised;
  logic [HostW-1:0]             host_count;
  logic [NumSm*SetWidth-1:0]        backup;
  logic [NumSm-1:0]             fit;
  logic                         pk_valid, rf_valid, wrote;
  logic [EntryWidth-1:0]            rf_entry;
  logic [3:0]                   pk_level;
  logic [SmWidth-1:0]               pk_sm;
  logic [TagW-1:0]              tags;
  logic [ListWidth-1:0]             rf_list;
  logic [SetWidth-1:0]              refill_set;

  assign fit      = fits_head_o;
  assign pk_valid = parked;
  assign pk_level = parked ? parked_level : '0;
  assign pk_sm    = parked ? parked_sm : '0;
  assign rf_valid = land;
  assign rf_list  = land ? land_list : '0;
  assign rf_entry = land ? land_entry : '0;

  logic                places, ends, refused;
  logic [NumLists-1:0] from;  // thread blocks of the list's head are placed in this cycle
  logic [31:0]         fetch_list;
  logic [31:0]         room;  // capacity of a list in memory, in entries

  assign places = pl_valid_o && pl_taken_i;
  assign ends   = places && pl_last_o;

  always_comb begin
    for (int unsigned q = 0; q < NumLists; q++) begin
      from[q] = places && ev_stage_o != 2'd2 && 32'(cand_list) == q;
    end
    // Highest list with entries in memory of the set that is read.
    fetch_list = 32'(fetch_set) * LvlMax;
    for (int unsigned c = 0; c < NumSets; c++) begin
      for (int unsigned l = 0; l < LvlMax; l++) begin
        if (32'(fetch_set) == c && stored[c*LvlMax+l]) begin
          fetch_list = c * LvlMax + l;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      position   <= '0;
      oldest     <= '0;
      entries    <= '0;
      promised   <= '0;
      host_count <= '0;
      tags       <= '0;
      refill_set <= '0;
      wrote      <= 1'b0;
      for (int unsigned s = 0; s < NumSm; s++) begin
        backup[s*SetWidth+:SetWidth] <= SetWidth'(s / ClusterSize);
      end
    end else begin
      for (int unsigned q = 0; q < NumLists; q++) begin
        if (from[q]) begin
          position[q*CntW+:CntW] <= pl_last_o ? '0 : position[q*CntW+:CntW] + 1'b1;
        end
        if (fetch && fetch_list == q) begin
          oldest[q*OvfW+:OvfW] <= OvfW'((32'(oldest[q*OvfW+:OvfW]) + 1) & (room - 1));
        end
      end
      for (int unsigned c = 0; c < NumSets; c++) begin
        entries[c*EntriesW+:EntriesW] <= entries[c*EntriesW+:EntriesW] + EntriesW'(insert && 32'(hand_set) == c) +
                                         EntriesW'(land && 32'(land_set) == c) -
                                         EntriesW'(ends && ev_stage_o != 2'd2 && 32'(cand_set) == c);
        promised[c*FetchW+:FetchW] <= promised[c*FetchW+:FetchW] + FetchW'(fetch && 32'(fetch_set) == c) -
                                      FetchW'(land && 32'(land_set) == c);
      end
      host_count <= host_count + HostW'(host_put) - HostW'(ends && ev_stage_o == 2'd2);
      for (int unsigned s = 0; s < NumSm; s++) begin
        if (ev_backup_o && 32'(scan_sm_o) == s) begin
          backup[s*SetWidth+:SetWidth] <= cand_set;
        end
      end
      tags <= tags + TagW'(fetch) - TagW'(mem_rvalid_i && tags != '0);
      if (written || fetch) begin
        wrote <= written;
      end
      if (fetch) begin
        refill_set <= (32'(fetch_set) == NumSets - 1) ? '0 : fetch_set + 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Values of sets and lists, extended to 32 bits.
  logic [31:0] limit;
  logic [31:0] number[NumSets], slots[NumSets], fetched[NumSets], in_lists[NumSets], on_chip[NumSets];
  logic [31:0] memory[NumLists], first[NumLists], reads[NumLists];
  logic [NumSets-1:0] has, busy;
  logic [31:0] all_fetches, all_waiting, all_items;

  assign limit = tb_pri ? NumSets * BankDepth : BankDepth;
  assign room  = (ovf_log2_i == 5'd0) ? 32'd0 : (32'd1 << ((32'(ovf_log2_i) < OvfW) ? 32'(ovf_log2_i) : OvfW));

  always_comb begin
    all_fetches = '0;
    all_waiting = 32'(host_count) + 32'(pk_valid);
    all_items   = '0;
    for (int unsigned q = 0; q < NumLists; q++) begin
      memory[q] = 32'(in_memory[q*(OvfW+1)+:OvfW+1]);
      first[q]  = 32'(oldest[q*OvfW+:OvfW]);
      reads[q]  = 32'(fetches[q*FetchW+:FetchW]);
    end
    for (int unsigned c = 0; c < NumSets; c++) begin
      number[c]   = 32'(entries[c*EntriesW+:EntriesW]);
      slots[c]    = 32'(promised[c*FetchW+:FetchW]);
      fetched[c]  = '0;
      in_lists[c] = '0;
      on_chip[c]  = '0;
      for (int unsigned l = 0; l < LvlMax; l++) begin
        fetched[c]  = fetched[c] + reads[c*LvlMax+l];
        in_lists[c] = in_lists[c] + memory[c*LvlMax+l];
        on_chip[c]  = on_chip[c] + 32'(listed[c*LvlMax+l]);
      end
      has[c]      = (number[c] != '0);
      busy[c]     = has[c] || in_lists[c] != '0 || fetched[c] != '0;
      all_fetches = all_fetches + fetched[c];
      all_waiting = all_waiting + number[c] + in_lists[c] + fetched[c];
    end
    for (int unsigned k = 0; k < NumKd; k++) begin
      all_items = all_items + 32'(items[k*QcntW+:QcntW]);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Set that is examined, and the list whose head is the candidate.
  logic [31:0] own, backup_set, chosen_set, chosen_level, chosen_list;
  logic        found, stage_1, stage_2, stage_3;

  assign stage_1 = (ev_stage_o == 2'd1);
  assign stage_2 = (ev_stage_o == 2'd2);
  assign stage_3 = (ev_stage_o == 2'd3);

  always_comb begin
    own        = '0;
    backup_set = '0;
    for (int unsigned s = 0; s < NumSm; s++) begin
      if (32'(scan_sm_o) == s) begin
        own        = tb_pri ? 32'd0 : s / ClusterSize;
        backup_set = 32'(backup[s*SetWidth+:SetWidth]);
      end
    end
    // The recorded backup set if it has entries, else the next set upwards with entries.
    chosen_set = own;
    found      = 1'b0;
    if (stage_3) begin
      for (int unsigned c = 0; c < NumSets; c++) begin
        if (c == backup_set && has[c]) begin
          chosen_set = c;
          found      = 1'b1;
        end
      end
      for (int unsigned i = 0; i < 2 * NumSets; i++) begin
        if (!found && i > own && i < own + NumSets && has[i%NumSets]) begin
          chosen_set = i % NumSets;
          found      = 1'b1;
        end
      end
    end
    chosen_level = '0;
    for (int unsigned c = 0; c < NumSets; c++) begin
      for (int unsigned l = 0; l < LvlMax; l++) begin
        if (c == chosen_set && listed[c*LvlMax+l]) begin
          chosen_level = l + 1;
        end
      end
    end
    chosen_list = chosen_set * LvlMax + chosen_level - 1;
  end

  logic own_busy, own_has, chosen_has;
  logic [CntW-1:0] chosen_position, cand_position;

  always_comb begin
    own_busy        = 1'b0;
    own_has         = 1'b0;
    chosen_has      = 1'b0;
    chosen_position = '0;
    cand_position   = '0;
    for (int unsigned c = 0; c < NumSets; c++) begin
      own_busy   = own_busy || (c == own && busy[c]);
      own_has    = own_has || (c == own && has[c]);
      chosen_has = chosen_has || (c == chosen_set && has[c]);
    end
    for (int unsigned q = 0; q < NumLists; q++) begin
      if (q == chosen_list) begin
        chosen_position = position[q*CntW+:CntW];
      end
      if (q == 32'(cand_list)) begin
        cand_position = position[q*CntW+:CntW];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // W1, W2, W3, W5: the order of the stages. W9: one thread block per cycle, on the SM that is examined.
  `CASTOR_ASSERT(w1_dynamic_thread_blocks_stay_at_home, !pl_valid_o || adaptive || pl_level_o == '0 || stage_1)
  `CASTOR_ASSERT(w1_stage_1_is_of_the_own_set, !stage_1 || own_has)
  `CASTOR_ASSERT(w2_level_0_is_stage_2, !pl_valid_o || (pl_level_o == '0) == stage_2)
  `CASTOR_ASSERT(w2_stage_2_without_own_items, !stage_2 || (!own_busy && host_count != '0))
  `CASTOR_ASSERT(w2_starved_has_items_in_memory_only, !ev_starve_o || (own_busy && !own_has && ev_stage_o == '0))
  `CASTOR_ASSERT(w3_stage_3_without_own_items, !stage_3 || (!own_busy && host_count == '0))
  `CASTOR_ASSERT(w3_stage_3_is_adaptive, !stage_3 || adaptive)
  `CASTOR_ASSERT(w3_stage_3_is_of_a_set_with_entries, !stage_3 || chosen_has)
  `CASTOR_ASSERT(w3_backup_is_chosen_in_stage_3, !ev_backup_o || stage_3)
  `CASTOR_ASSERT(w3_backup_is_new_if_it_is_another, !stage_3 || ev_backup_o == (chosen_set != backup_set))
  `CASTOR_ASSERT(w5_candidate_is_the_head_of_that_list,
                 !(stage_1 || stage_3) || (32'(cand_set) == chosen_set && 32'(cand_list) == chosen_list))
  `CASTOR_ASSERT(w5_highest_level_goes_first, !pl_valid_o || stage_2 || 32'(pl_level_o) == chosen_level)
  `CASTOR_ASSERT(no_stage_is_left_out, !room_open_i || !waiting_o || ev_stage_o != '0 || ev_starve_o ||
                                       (!own_busy && host_count == '0 && (!adaptive || has == '0)))
  `CASTOR_ASSERT(closed_sm_has_no_candidate, room_open_i || (ev_stage_o == '0 && !ev_starve_o))
  `CASTOR_ASSERT(w9_offer_is_for_the_sm_that_is_looked_at, !pl_valid_o || pl_sm_o == scan_sm_o)
  `CASTOR_ASSERT(w9_offer_has_a_candidate, !pl_valid_o || ev_stage_o != '0)
  `CASTOR_ASSERT(offer_has_room, !pl_valid_o || (room_open_i && room_slots_i != '0 && kd_ok_i[pl_kd_o]))
  `CASTOR_ASSERT(offer_is_of_a_kernel_that_waits, !pl_valid_o || hold_o[pl_kd_o])
  `CASTOR_ASSERT(payload_of_no_offer_is_0, pl_valid_o || ({pl_sm_o, pl_kd_o, pl_agei_o, pl_level_o, pl_pos_o, pl_last_o,
                                                          pl_dim_o, pl_param_o} == '0))

  // ---------------------------------------------------------------------------------------------------------------
  // W4: positions count up from 0 and belong to the heads of the lists.
  logic                     ends_q, moves_q;
  logic [NumLists-1:0]      from_q, listed_q;
  logic                     host_q;
  logic [NumLists*CntW-1:0] position_q;
  logic [CntW-1:0]          host_pos_q;
  logic [NumLists-1:0]      position_right;

  always_comb begin
    for (int unsigned q = 0; q < NumLists; q++) begin
      position_right[q] = position[q*CntW+:CntW] ==
                          (!from_q[q] ? position_q[q*CntW+:CntW] :
                           ends_q ? CntW'(0) : position_q[q*CntW+:CntW] + CntW'(1)) &&
                          (listed[q] || position[q*CntW+:CntW] == '0) &&
                          (listed[q] || !listed_q[q] || (from_q[q] && ends_q));
    end
  end

  always_ff @(posedge clk_i) begin
    moves_q    <= pl_valid_o && pl_taken_i;
    ends_q     <= pl_last_o;
    from_q     <= from;
    host_q     <= stage_2;
    listed_q   <= listed;
    position_q <= position;
    host_pos_q <= host_pos;
  end

  `CASTOR_ASSERT(w4_offer_is_the_next_of_the_head,
                 !pl_valid_o || pl_pos_o == (stage_2 ? host_pos : chosen_position))
  `CASTOR_ASSERT(w4_positions_move_with_placements, !before_q || position_right == '1)
  `CASTOR_ASSERT(w4_position_of_queue_0_moves_with_placements,
                 !before_q || host_pos == (!(moves_q && host_q) ? host_pos_q :
                                           ends_q ? CntW'(0) : host_pos_q + CntW'(1)))
  `CASTOR_ASSERT(w4_empty_queue_0_is_at_0, host_count != '0 || host_pos == '0)

  // ---------------------------------------------------------------------------------------------------------------
  // W6: slots of sets. W7: each waiting item is in exactly one place. W11: reads in flight.
  logic [NumSets-1:0] fits_in, lists_agree, promises, elsewhere;

  always_comb begin
    for (int unsigned c = 0; c < NumSets; c++) begin
      fits_in[c]     = number[c] + slots[c] <= limit;
      lists_agree[c] = (on_chip[c] != '0) == has[c] && on_chip[c] <= number[c];
      promises[c]    = slots[c] == fetched[c];
      elsewhere[c]   = c != 0 && tb_pri && busy[c];
    end
  end

  `CASTOR_ASSERT(w6_sets_do_not_overflow, fits_in == '1)
  `CASTOR_ASSERT(w6_set_has_entries_where_a_list_has, lists_agree == '1)
  `CASTOR_ASSERT(w6_tb_pri_has_one_set, elsewhere == '0)
  `CASTOR_ASSERT(w6_queue_0_does_not_overflow, 32'(host_count) <= NumKd)
  `CASTOR_ASSERT(w11_slots_are_promised_to_reads, promises == '1)
  `CASTOR_ASSERT(w11_reads_are_under_way_or_back, all_fetches == 32'(tags) + 32'(rf_valid))
  `CASTOR_ASSERT(w11_no_more_reads_than_there_may_be, 32'(tags) <= RefillMax)

  logic [NumKd-1:0] counted;
  logic             reply_fetched;

  always_comb begin
    for (int unsigned k = 0; k < NumKd; k++) begin
      counted[k] = (items[k*QcntW+:QcntW] != '0);
    end
    reply_fetched = !rf_valid;
    for (int unsigned q = 0; q < NumLists; q++) begin
      reply_fetched = reply_fetched || (32'(rf_list) == q && reads[q] != '0);
    end
  end

  `CASTOR_ASSERT(w7_items_are_somewhere_once, all_items == all_waiting)
  `CASTOR_ASSERT(w7_hold_is_of_kernels_with_items, hold_o == counted)
  `CASTOR_ASSERT(w7_waiting_is_any_hold, waiting_o == (hold_o != '0))
  `CASTOR_ASSERT(w7_parked_item_holds_its_kernel, !pk_valid || hold_o[parked_kd])
  `CASTOR_ASSERT(w7_reply_holds_its_kernel, !rf_valid || hold_o[rf_entry[EntryWidth-1-:KdWidth]])
  `CASTOR_ASSERT(w11_reply_was_fetched, reply_fetched)

  // ---------------------------------------------------------------------------------------------------------------
  // W10: no pushed item enters the chip before older items of its list.
  logic        in_hand, behind, behind_q;
  logic [31:0] level, set_in_hand, expected, expected_q, set_q, now_in_set;

  always_comb begin
    refused = push_cnt_i == '0 || 32'(push_kd_i) >= NumKd || (push_level_i != '0 && 32'(push_sm_i) >= NumSm);
    for (int unsigned k = 0; k < NumKd; k++) begin
      refused = refused || (32'(push_kd_i) == k && items[k*QcntW+:QcntW] == '1);
    end
    in_hand     = pk_valid || (push_valid_i && push_ready_o && !refused);
    level       = pk_valid ? 32'(pk_level) : 32'(push_level_i);
    level       = (level > LvlMax) ? LvlMax : level;
    set_in_hand = tb_pri ? 32'd0 : (pk_valid ? 32'(pk_sm) : 32'(push_sm_i)) / ClusterSize;
    behind      = 1'b0;
    expected    = '0;
    now_in_set  = '0;
    for (int unsigned c = 0; c < NumSets; c++) begin
      for (int unsigned l = 0; l < LvlMax; l++) begin
        if (c == set_in_hand && l + 1 == level && in_hand) begin
          behind = memory[c*LvlMax+l] != '0 || reads[c*LvlMax+l] != '0;
        end
      end
      if (c == set_in_hand) begin
        expected = number[c] + 32'(rf_valid && 32'(rf_list) / LvlMax == c) -
                   32'(pl_valid_o && pl_taken_i && pl_last_o && !stage_2 && chosen_set == c);
      end
      if (c == set_q) begin
        now_in_set = number[c];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    behind_q   <= behind;
    set_q      <= set_in_hand;
    expected_q <= expected;
  end

  `CASTOR_ASSERT(w10_no_item_overtakes_its_list, !before_q || !behind_q || now_in_set == expected_q)

  // ---------------------------------------------------------------------------------------------------------------
  // The block's flags agree with the register copies.
  logic [NumLists-1:0] stored_right, coming_right;
  logic [NumSets-1:0]  filled_right, full_right, roomy_right;
  logic [QcntW-1:0]    items_of_push;

  always_comb begin
    for (int unsigned q = 0; q < NumLists; q++) begin
      stored_right[q] = stored[q] == (memory[q] != '0);
      coming_right[q] = coming[q] == (reads[q] != '0);
    end
    for (int unsigned c = 0; c < NumSets; c++) begin
      filled_right[c] = filled[c] == has[c];
      full_right[c]   = full[c] == (number[c] + slots[c] >= limit);
      roomy_right[c]  = roomy[c] == (number[c] + slots[c] + 32'(insert && 32'(hand_set) == c) < limit);
    end
    items_of_push = '0;
    for (int unsigned k = 0; k < NumKd; k++) begin
      if (32'(push_kd_i) == k) begin
        items_of_push = items[k*QcntW+:QcntW];
      end
    end
  end

  `CASTOR_ASSERT(flags_of_lists_in_memory, stored_right == '1)
  `CASTOR_ASSERT(flags_of_reads, coming_right == '1)
  `CASTOR_ASSERT(flags_of_sets_with_entries, filled_right == '1)
  `CASTOR_ASSERT(flags_of_full_sets, full_right == '1)
  `CASTOR_ASSERT(flags_of_sets_with_room, roomy_right == '1)
  `CASTOR_ASSERT(flags_of_queue_0, host_empty == (host_count == '0) && host_full == (32'(host_count) == NumKd))
  `CASTOR_ASSERT(push_is_taken_unless_it_is_wrong, push_good == (push_valid_i && push_ready_o && !refused))
  `CASTOR_ASSERT(items_of_any_kernel, 32'(push_kd_i) >= NumKd || push_items == items_of_push)
  `CASTOR_ASSERT(reply_is_of_the_set_of_its_list, !land || 32'(land_set) == 32'(land_list) / LvlMax)

  // Destination of the item in hand, and start of reads from memory.
  logic               over, room_left, no_request, possible_before, possible;
  logic [NumSets-1:0] wanted, wanted_before;
  logic [31:0]        next_set;
  logic               next_found;

  always_comb begin
    over      = behind;
    room_left = 1'b0;
    for (int unsigned c = 0; c < NumSets; c++) begin
      if (c == set_in_hand && number[c] + slots[c] >= limit) begin
        over = 1'b1;
      end
      for (int unsigned l = 0; l < LvlMax; l++) begin
        if (c == set_in_hand && l + 1 == level && memory[c*LvlMax+l] < room) begin
          room_left = 1'b1;
        end
      end
      wanted_before[c] = number[c] + slots[c] < limit && in_lists[c] != '0;
      wanted[c]        = number[c] + slots[c] + 32'(insert && 32'(hand_set) == c) < limit && in_lists[c] != '0;
    end
    no_request      = !mem_valid_o && 32'(tags) < RefillMax;
    possible_before = no_request && wanted_before != '0;
    possible        = no_request && wanted != '0;
    next_set        = '0;
    next_found      = 1'b0;
    for (int unsigned i = 0; i < 2 * NumSets; i++) begin
      if (!next_found && i >= 32'(refill_set) && wanted[i%NumSets]) begin
        next_set   = i % NumSets;
        next_found = 1'b1;
      end
    end
  end

  `CASTOR_ASSERT(item_of_level_0_goes_to_queue_0, host_put == (in_hand && level == '0 && 32'(host_count) < NumKd))
  `CASTOR_ASSERT(item_goes_on_chip, insert == (in_hand && level != '0 && !over && !rf_valid))
  `CASTOR_ASSERT(item_goes_to_memory, written == (in_hand && level != '0 && over && !mem_valid_o && room_left &&
                                                  !(wrote && possible_before)))
  `CASTOR_ASSERT(item_goes_to_its_list, !(insert || written) || (32'(hand_set) == set_in_hand &&
                                                                 32'(hand_list) == set_in_hand * LvlMax + level - 1))
  `CASTOR_ASSERT(memory_is_read_when_it_can_be, fetch == (possible && !written))
  `CASTOR_ASSERT(sets_are_read_in_turn, !fetch || 32'(fetch_set) == next_set)

  // ---------------------------------------------------------------------------------------------------------------
  // W8: the recorded backup set stays while it has entries on chip.
  logic [NumSm*SetWidth-1:0] backup_q;
  logic [NumSets-1:0]    has_q;
  logic [31:0]           scan_q;
  logic                  chose_q, waiting_q;
  logic [NumSm-1:0]      kept, in_range;

  always_ff @(posedge clk_i) begin
    backup_q  <= backup;
    has_q     <= has;
    scan_q    <= 32'(scan_sm_o);
    chose_q   <= ev_backup_o;
    waiting_q <= waiting_o;
  end

  always_comb begin
    for (int unsigned s = 0; s < NumSm; s++) begin
      kept[s] = backup[s*SetWidth+:SetWidth] == backup_q[s*SetWidth+:SetWidth] || (chose_q && scan_q == s);
      for (int unsigned c = 0; c < NumSets; c++) begin
        if (32'(backup_q[s*SetWidth+:SetWidth]) == c && backup[s*SetWidth+:SetWidth] != backup_q[s*SetWidth+:SetWidth] && has_q[c]) begin
          kept[s] = 1'b0;
        end
      end
      in_range[s] = 32'(backup[s*SetWidth+:SetWidth]) < NumSets;
    end
  end

  `CASTOR_ASSERT(w8_backup_set_stays_while_it_has_entries, !before_q || kept == '1)
  `CASTOR_ASSERT(backup_set_is_a_set, in_range == '1)
  `CASTOR_ASSERT(w9_rotation_goes_on_while_something_waits,
                 !before_q || 32'(scan_sm_o) == (!waiting_q ? scan_q : (scan_q + 1 == NumSm) ? 32'd0 : scan_q + 1))

  // Result of each SM's last examination (fits_head).
  logic             open_q, found_q;
  logic [NumSm-1:0] fit_q, fit_expected;

  always_ff @(posedge clk_i) begin
    open_q  <= room_open_i;
    found_q <= ev_stage_o == '0 || pl_valid_o;
    fit_q   <= fit;
  end

  always_comb begin
    for (int unsigned s = 0; s < NumSm; s++) begin
      fit_expected[s] = !waiting_q || ((open_q && scan_q == s) ? found_q : fit_q[s]);
    end
  end

  `CASTOR_ASSERT(last_look_stays, !before_q || fit == fit_expected)

  // ---------------------------------------------------------------------------------------------------------------
  // W12: requests stay until they are accepted, and access each list in memory as a ring.
  logic in_ring, lists_fit, entry_is_0;

  always_comb begin
    in_ring   = 1'b1;
    lists_fit = 1'b1;
    for (int unsigned q = 0; q < NumLists; q++) begin
      if (mem_valid_o && 32'(mem_list_o) == q) begin
        in_ring = mem_we_o ? memory[q] != '0 && 32'(mem_idx_o) == ((first[q] + memory[q] - 1) & (room - 1)) :
                             reads[q] != '0 && first[q] == ((32'(mem_idx_o) + 1) & (room - 1));
      end
      lists_fit = lists_fit && memory[q] <= room;
    end
    entry_is_0 = (mem_wdata_o == '0);
  end

  `CASTOR_ASSERT_STABLE(w12_request_stays, mem_valid_o, mem_ready_i, ({mem_we_o, mem_list_o, mem_idx_o, mem_wdata_o}),
                        1 + ListWidth + OvfW + EntryWidth)
  `CASTOR_ASSERT(w12_requests_go_round, in_ring)
  `CASTOR_ASSERT(w12_lists_in_memory_do_not_overflow, lists_fit)
  `CASTOR_ASSERT(w12_requests_are_of_lists,
                 32'(mem_list_o) < NumLists && (mem_valid_o || {mem_list_o, mem_idx_o} == '0))
  `CASTOR_ASSERT(data_of_no_write_is_0, (mem_valid_o && mem_we_o) || entry_is_0)
  `CASTOR_ASSERT(last_request_is_remembered, !mem_valid_o || wrote == mem_we_o)
  `CASTOR_ASSERT(refill_looks_at_a_set_first, 32'(refill_set) < NumSets)

  // Number of each kernel's items in memory, from the first cycle of a write to the reply.
  logic [QcntW-1:0]  stored_q[NumKd];
  logic [EntryWidth-1:0] reply_q;
  logic              shown_q, writes_now, replies, replies_q, reply_known;

  assign writes_now = mem_valid_o && mem_we_o && !shown_q;
  assign replies    = mem_rvalid_i && tags != '0;

  always_comb begin
    reply_known = 1'b0;
    for (int unsigned k = 0; k < NumKd; k++) begin
      reply_known = reply_known || (32'(mem_rdata_i[EntryWidth-1-:KdWidth]) == k && stored_q[k] != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    shown_q   <= rst_ni && mem_valid_o && !mem_ready_i;
    reply_q   <= mem_rdata_i;
    replies_q <= replies;
    for (int unsigned k = 0; k < NumKd; k++) begin
      stored_q[k] <= !rst_ni ? '0 : stored_q[k] +
                     QcntW'(writes_now && 32'(mem_wdata_o[EntryWidth-1-:KdWidth]) == k) -
                     QcntW'(replies && 32'(mem_rdata_i[EntryWidth-1-:KdWidth]) == k);
    end
  end

  `CASTOR_ASSUME(a_reply_is_an_item_in_memory,
                 !replies || (reply_known && mem_rdata_i[ParamW+DimW+:CntW] != '0))
  `CASTOR_ASSUME(a_reply_comes_after_its_read_was_taken, !replies || tags != TagW'(mem_valid_o && !mem_we_o))

  `CASTOR_ASSERT(w12_reply_is_kept_for_a_cycle,
                 !before_q || (rf_valid == replies_q && (!rf_valid || rf_entry == reply_q)))

  // ---------------------------------------------------------------------------------------------------------------
  // Properties of the other outputs.
  logic [NumSm-1:0] bound;
  logic             refused_q, no_read_q;

  always_comb begin
    for (int unsigned s = 0; s < NumSm; s++) begin
      bound[s] = !tb_pri && busy[s/ClusterSize];
    end
  end

  always_ff @(posedge clk_i) begin
    refused_q <= push_valid_i && push_ready_o && refused;
    no_read_q <= mem_rvalid_i && tags == '0;
  end

  `CASTOR_ASSERT(push_is_taken_while_nothing_is_parked, push_ready_o != pk_valid)
  `CASTOR_ASSERT(bound_items_wait, bound_wait_o == bound)
  `CASTOR_ASSERT(ready_is_what_is_on_chip, ready_o == (has != '0 || host_count != '0))
  `CASTOR_ASSERT(wrong_push_is_told, !before_q || err_o[0] == refused_q)
  `CASTOR_ASSERT(reply_of_nothing_is_told, !before_q || err_o[1] == no_read_q)

  // ---------------------------------------------------------------------------------------------------------------
  // Copies of waiting items, one by one: the kernels of the entries of queue 0, oldest first, the lists of the reads in
  // flight, and the request to memory. The entries of the lists on chip and the counters are kept by their own
  // properties modules. Those copies are correct while no missing item is removed and no excess item is inserted.
  localparam int unsigned NumSlots = NumSets * BankDepth;

  logic [NumKd*KdWidth-1:0]       host_kds;
  logic [RefillMax*ListWidth-1:0] read_lists;
  logic [ListWidth-1:0]           read_list_q;
  logic [ListWidth-1:0]           request_list_q;
  logic [OvfW-1:0]            request_idx_q;

  logic [KdWidth-1:0] hand_kd;
  logic [31:0]    host_left, tags_left;

  assign hand_kd   = parked ? parked_kd : push_kd_i;
  assign host_left = 32'(host_count) - 32'(ends && stage_2);
  assign tags_left = 32'(tags) - 32'(replies);

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumKd; i++) begin
      if (host_put && host_left == i) begin
        host_kds[i*KdWidth+:KdWidth] <= hand_kd;
      end else if (ends && stage_2 && i + 1 < NumKd) begin
        host_kds[i*KdWidth+:KdWidth] <= host_kds[((i+1)%NumKd)*KdWidth+:KdWidth];
      end
    end
    for (int unsigned i = 0; i < RefillMax; i++) begin
      if (fetch && tags_left == i) begin
        read_lists[i*ListWidth+:ListWidth] <= ListWidth'(fetch_list);
      end else if (replies && i + 1 < RefillMax) begin
        read_lists[i*ListWidth+:ListWidth] <= read_lists[((i+1)%RefillMax)*ListWidth+:ListWidth];
      end
    end
    if (replies) begin
      read_list_q <= read_lists[ListWidth-1:0];
    end
    for (int unsigned q = 0; q < NumLists; q++) begin
      if (written && 32'(hand_list) == q) begin
        request_list_q <= hand_list;
        request_idx_q  <= OvfW'((first[q] + memory[q]) & (room - 1));
      end else if (!written && fetch && fetch_list == q) begin
        request_list_q <= ListWidth'(fetch_list);
        request_idx_q  <= OvfW'(first[q] & (room - 1));
      end
    end
  end

  logic items_right, room_right;

  always_comb begin
    room_right = 1'b1;
    for (int unsigned q = 0; q < NumLists; q++) begin
      room_right = room_right && (!written || 32'(hand_list) != q || memory[q] < room);
    end
    items_right = hold_o == counted && (32'(push_kd_i) >= NumKd || push_items == items_of_push);
  end

  `CASTOR_ASSERT(kept_positions, !pl_valid_o || stage_2 || pl_pos_o == cand_position)
  `CASTOR_ASSERT(kept_queue_0, host_empty || host_head[EntryWidth-1-:KdWidth] == host_kds[KdWidth-1:0])
  `CASTOR_ASSERT(kept_items_of_kernels, !items_kept_q || items_right)
  `CASTOR_ASSERT(kept_lists_in_memory, !stored_kept_q || stored_right == '1)
  `CASTOR_ASSERT(kept_room_of_lists_in_memory, !stored_kept_q || room_right)
  `CASTOR_ASSERT(kept_reads_of_lists, !reads_kept_q || coming_right == '1)
  `CASTOR_ASSERT(kept_reads_under_way, 32'(tags_there) == 32'(tags) && first_set_there == refill_set &&
                                       wrote_there == wrote && bad_reply == (mem_rvalid_i && tags == '0))
  `CASTOR_ASSERT(kept_list_of_a_reply, !rf_valid || rf_list == read_list_q)
  `CASTOR_ASSERT(kept_request, !stored_kept_q || !mem_valid_o || (mem_list_o == request_list_q &&
                                                                  mem_idx_o == request_idx_q))

  // Each of the next two assertions is a conjunction, since none of its parts is inductive alone; the whole conjunction
  // is. The first: the numbers agree as long as no kernel has lost an item. The second: each kernel has as many items
  // as its items in queues, in hand, in memory and in flight, so no kernel loses an item.
  logic [NumSets-1:0]  sets_whole;
  logic [NumLists-1:0] lists_whole;
  logic [NumKd-1:0]    kernels_whole;
  logic [31:0]         sum, memory_sum, kernel_sum;
  logic                request_whole;

  always_comb begin
    memory_sum = 32'(tags);
    for (int unsigned c = 0; c < NumSets; c++) begin
      sum = '0;
      for (int unsigned l = 0; l < LvlMax; l++) begin
        sum = sum + 32'(listed_number[(c*LvlMax+l)*EntriesW+:EntriesW]);
      end
      sets_whole[c] = number[c] == sum && number[c] + slots[c] <= limit && slots[c] == fetched[c] && !elsewhere[c];
    end
    for (int unsigned q = 0; q < NumLists; q++) begin
      sum = 32'(rf_valid && 32'(rf_list) == q);
      for (int unsigned i = 0; i < RefillMax; i++) begin
        sum = sum + 32'(i < 32'(tags) && 32'(read_lists[i*ListWidth+:ListWidth]) == q);
      end
      lists_whole[q] = reads[q] == sum && memory[q] <= room &&
                       (listed[q] || position[q*CntW+:CntW] == '0) &&
                       listed[q] == (listed_number[q*EntriesW+:EntriesW] != '0);
      memory_sum     = memory_sum + memory[q];
    end
    kernel_sum = '0;
    for (int unsigned k = 0; k < NumKd; k++) begin
      sum        = 32'(stored_q[k]) + 32'(writes_now && 32'(mem_wdata_o[EntryWidth-1-:KdWidth]) == k);
      kernel_sum = kernel_sum + sum;
      sum        = sum + 32'(pk_valid && 32'(parked_kd) == k) + 32'(rf_valid && 32'(rf_entry[EntryWidth-1-:KdWidth]) == k);
      for (int unsigned i = 0; i < NumKd; i++) begin
        sum = sum + 32'(i < 32'(host_count) && 32'(host_kds[i*KdWidth+:KdWidth]) == k);
      end
      for (int unsigned q = 0; q < NumLists; q++) begin
        for (int unsigned i = 0; i < NumSlots; i++) begin
          sum = sum + 32'(i < 32'(listed_number[q*EntriesW+:EntriesW]) &&
                          32'(listed_entries[(q*NumSlots+i+1)*EntryWidth-1-:KdWidth]) == k);
        end
      end
      kernels_whole[k] = 32'(items[k*QcntW+:QcntW]) == sum && 32'(stored_q[k]) <= sum;
    end
    request_whole = in_ring;
    for (int unsigned i = 0; i < RefillMax; i++) begin
      if (mem_valid_o && !mem_we_o && i + 1 == 32'(tags)) begin
        request_whole = request_whole && read_lists[i*ListWidth+:ListWidth] == mem_list_o;
      end
    end
    request_whole = request_whole && (!mem_valid_o || mem_we_o || tags != '0);
  end

  `CASTOR_ASSERT(w7_numbers_agree,
                 !items_kept_q || (lists_kept_q && stored_kept_q && reads_kept_q && sets_whole == '1 &&
                                   lists_whole == '1 && request_whole && all_items == all_waiting &&
                                   32'(tags) <= RefillMax))
  `CASTOR_ASSERT(w7_each_kernel_has_its_items, items_kept_q && kernels_whole == '1 && kernel_sum == memory_sum)

  // Cover statements: the assumptions of the proofs must leave these situations reachable.
  `CASTOR_COVER(placed_in_stage_1, pl_valid_o && pl_taken_i && stage_1)
  `CASTOR_COVER(placed_in_stage_2, pl_valid_o && pl_taken_i && stage_2)
  `CASTOR_COVER(placed_in_stage_3, pl_valid_o && pl_taken_i && stage_3)
  `CASTOR_COVER(another_backup_set, ev_backup_o)
  `CASTOR_COVER(starved, ev_starve_o)
  `CASTOR_COVER(candidate_does_not_fit, ev_stage_o != '0 && !pl_valid_o)
  `CASTOR_COVER(write_to_memory, mem_valid_o && mem_we_o)
  `CASTOR_COVER(read_of_memory, mem_valid_o && !mem_we_o)
  `CASTOR_COVER(reply_beside_a_push, rf_valid && push_valid_i && push_ready_o)
  `CASTOR_COVER(item_behind_others, behind)
  `CASTOR_COVER(parked_at_queue_0, pk_valid && pk_level == '0)
  `CASTOR_COVER(pushed_as_the_last_item_goes, pl_valid_o && pl_taken_i && pl_last_o && in_hand && all_items == 32'd1)
  `CASTOR_COVER(push_refused, err_o[0])
  `CASTOR_COVER(reply_refused, err_o[1])
endmodule

// Yosys connects a wire with such a name to the register inside; simulators find the register by its hierarchical path.
`ifdef YOSYS
bind castor_laperm (* hierconn *)
  logic [NumLists*$clog2(NumSets*BankDepth+1)-1:0] \u_lists.u_properties.number ;
bind castor_laperm (* hierconn *)
  logic [NumLists*NumSets*BankDepth*EntryWidth-1:0] \u_lists.u_properties.queue ;
bind castor_laperm (* hierconn *)
  logic \u_lists.u_properties.kept_to_q ;
bind castor_laperm (* hierconn *)
  logic [NumLists*(OvfW+1)-1:0] \u_memory.u_stored.u_properties.count ;
bind castor_laperm (* hierconn *)
  logic [NumLists*$clog2(RefillMax+2)-1:0] \u_memory.u_coming.u_properties.count ;
bind castor_laperm (* hierconn *)
  logic [NumKd*QcntW-1:0] \u_items.u_properties.count ;
bind castor_laperm (* hierconn *)
  logic \u_memory.u_stored.u_properties.kept_to_q ;
bind castor_laperm (* hierconn *)
  logic \u_memory.u_coming.u_properties.kept_to_q ;
bind castor_laperm (* hierconn *)
  logic \u_items.u_properties.kept_to_q ;
bind castor_laperm (* hierconn *)
  logic [$clog2((RefillMax > 1 ? RefillMax : 2)+1)-1:0] \u_memory.tags ;
bind castor_laperm (* hierconn *)
  logic [SetWidth-1:0] \u_memory.rc_q ;
bind castor_laperm (* hierconn *)
  logic \u_memory.tn_q ;
`endif

bind castor_laperm castor_laperm_properties u_properties (
  .filled(has), .roomy(room), .host_pos(host_pos_q), .hand_set(set), .hand_list(list),
  .listed_number(u_lists.u_properties.number), .listed_entries(u_lists.u_properties.queue),
  .lists_kept_q(u_lists.u_properties.kept_to_q), .in_memory(u_memory.u_stored.u_properties.count),
  .fetches(u_memory.u_coming.u_properties.count), .items(u_items.u_properties.count),
  .stored_kept_q(u_memory.u_stored.u_properties.kept_to_q), .reads_kept_q(u_memory.u_coming.u_properties.kept_to_q),
  .items_kept_q(u_items.u_properties.kept_to_q), .tags_there(u_memory.tags), .first_set_there(u_memory.rc_q),
  .wrote_there(u_memory.tn_q), .parked(pk_v_q), .parked_kd(pk_entry_q[EntryWidth-1-:KdWidth]),
  .parked_level(pk_level_q), .parked_sm(pk_sm_q)
);
