// Properties of the launch half (docs/blocks/dtbl.md, "Invariants"). Names begin with the number of the invariant.
// Assumptions about the surroundings: a group has thread blocks, and key_valid is 1 only for an entry with a kernel.
`include "castor_assert.svh"

module castor_dtbl_launch_properties;
  logic searching, granted, falling;

  assign searching = (st_q == castor_dtbl_pkg::LaunchSearch);
  assign granted   = (st_q == castor_dtbl_pkg::LaunchGrant);
  assign falling   = (st_q == castor_dtbl_pkg::LaunchFall);

  `CASTOR_ASSUME(a_group_has_thread_blocks, !agg_valid_i || agg_cnt_i != '0)

  // ---------------------------------------------------------------------------------------------------------------
  // Properties of the search.
  logic was_searching_q, beat_q;

  always_ff @(posedge clk_i) begin
    was_searching_q <= rst_ni && searching;
    beat_q          <= agg_valid_i;
  end

  `CASTOR_ASSERT(search_has_three_states, searching || granted || falling)
  `CASTOR_ASSERT(search_begins_at_the_first_entry, !searching || was_searching_q || ptr_q == '0)
  `CASTOR_ASSERT(search_points_nowhere_while_runs_fall_back, !falling || ptr_q == '0)
  `CASTOR_ASSERT(search_stays_in_the_table, 32'(ptr_q) < NumKde)
  `CASTOR_ASSERT(search_takes_no_beat, !searching || !agg_ready_o)
  `CASTOR_ASSERT(beat_taken_has_the_key_of_the_run, !agg_ready_o || (agg_valid_i && agg_key_i == rk_q))

  // ---------------------------------------------------------------------------------------------------------------
  // V4: group table entries in use. One arbitrary entry is followed: its count is the group's thread blocks minus its
  // completions.
  logic [IndexWidth:0]   number;
  logic [IndexWidth-1:0] entry_q;
  logic [31:0]           left_q;
  logic                  entry_busy, entry_freed_q;

  always_comb begin
    number = '0;
    for (int unsigned i = 0; i < AgtSize; i++) begin
      number = number + (IndexWidth + 1)'(busy_q[i]);
    end
  end

  assign entry_busy = busy_q[entry_q];

  always_ff @(posedge clk_i) begin
    // The watched entry is chosen while reset is active.
    entry_q       <= rst_ni ? entry_q : IndexWidth'(agg_cnt_i);
    entry_freed_q <= rst_ni && free && cq_i_q == entry_q;
    if (rst_ni && count && cq_i_q == entry_q) begin
      left_q <= left_q - 32'd1;
    end
    if (rst_ni && hit && ind == entry_q) begin
      left_q <= agg_cnt_i;
    end
  end

  `CASTOR_ASSERT(v4_used_is_the_number_of_entries_in_use, used_q == number)
  `CASTOR_ASSERT(v4_entry_in_use_has_thread_blocks_left, !entry_busy || left_q != '0)
  `CASTOR_ASSERT(v4_count_is_that_of_the_table, !(count && cq_i_q == entry_q) || left == left_q)
  `CASTOR_ASSERT(v4_released_entry_is_free, !rel_v_q || !busy_q[rel_i_q])
  `CASTOR_ASSERT(v4_release_is_told_once, rel_v_q || !entry_freed_q)
  `CASTOR_ASSERT(v4_no_entry_is_given_twice, !hit || !busy_q[ind])
  `CASTOR_ASSERT(one_writer_of_the_counts, !(count && hit))

  // ---------------------------------------------------------------------------------------------------------------
  // V5: a kernel table entry has a kernel from its match in the search until the group has left. All entries that are
  // not held may get and lose kernels at any time.
  logic [NumKde-1:0] written_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q <= '0;
    end else begin
      // Free inputs of the proof select which entries are released and written. The bits of agg_sm_i serve for this,
      // since no property reads the SM number.
      written_q <= (written_q | NumKde'(agg_sm_i[4:2])) & ~(NumKde'(agg_sm_i[2:0]) & ~hold_o);
    end
  end

  `CASTOR_CHOICE(a_key_is_valid_of_written_entries, !key_valid_i || written_q[ptr_q])
`ifndef YOSYS
  // A simulator sees one kernel entry per cycle, and only during the search for a group's key; in idle cycles the key
  // inputs do not change. An entry that was valid and has been held since is not given to another kernel. If it is
  // valid, it still has the same key. It may have become invalid, since its kernel may have been stopped.
  logic                       looked_at;
  logic [NumKde-1:0]          valid_and_held_q;
  logic [$bits(key_rd_i)-1:0] key_q [NumKde];

  assign looked_at = key_valid_i && agg_valid_i && searching;

  always_ff @(posedge clk_i) begin
    valid_and_held_q <= rst_ni ? (valid_and_held_q | (NumKde'(looked_at) << ptr_q)) & hold_o : '0;
    if (looked_at) begin
      key_q[ptr_q] <= key_rd_i;
    end
  end

  `CASTOR_ASSUME(a_held_entry_keeps_its_key, !looked_at || !valid_and_held_q[ptr_q] || key_rd_i == key_q[ptr_q])
`endif
  `CASTOR_ASSERT(v5_granted_entry_has_a_kernel, !granted || written_q[ptr_q])
  `CASTOR_ASSERT(v5_entry_of_an_attachment_has_a_kernel, !att_valid_o || written_q[att_kd_o])
  `CASTOR_ASSERT(v5_match_holds_its_entry, !match || hold_o[ptr_q])
  `CASTOR_ASSERT(v5_match_is_of_equal_keys, !match || (agg_key_i == key_rd_i && key_valid_i))

  // ---------------------------------------------------------------------------------------------------------------
  // V9: outputs stay until they are accepted.
  `CASTOR_ASSERT_STABLE(v9_attachment_stays, att_valid_o, att_ready_i,
                        ({att_kd_o, att_agei_o, att_dim_o, att_cnt_o, att_param_o, att_level_o, att_sm_o}),
                        KdWidth + 169)
  `CASTOR_ASSERT_STABLE(v9_fallback_stays, fb_valid_o, fb_ready_i, ({fb_rec_o, fb_ord_o, fb_level_o, fb_sm_o}), 46)
  `CASTOR_ASSERT(attachment_or_fallback, !(att_valid_o && fb_valid_o))

  // Cover statements: the assumptions of the proofs must leave these situations reachable.
  `CASTOR_COVER(match_of_an_entry_that_nothing_else_holds, match && !att_valid_o)
  `CASTOR_COVER(all_entries_in_use, busy_q == '1)
  `CASTOR_COVER(freed_as_it_is_wanted, free && agg_ready_o && granted && ind == cq_i_q)
  `CASTOR_COVER(completion_before_a_group, stall && agg_valid_i && agg_key_i == rk_q)
  `CASTOR_COVER(group_of_a_run_falls_back, fb_valid_o && fb_ord_o == 6'd2)
  `CASTOR_COVER(another_key_in_a_command, agg_valid_i && beat_q && !searching && agg_key_i != rk_q)
  `CASTOR_COVER(completion_of_nothing, err_o[1])
endmodule

bind castor_dtbl_launch castor_dtbl_launch_properties u_properties ();
