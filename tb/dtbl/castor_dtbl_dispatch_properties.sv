// Properties of the dispatch half (docs/blocks/dtbl.md, "Invariants"). Names begin with the number of the invariant.
// Assumption about the surroundings: no group has the reserved reference "no group".
`include "castor_assert.svh"

module castor_dtbl_dispatch_properties;
  logic free, run, req, waits;

  assign free  = (st_q == castor_dtbl_pkg::ItemFree);
  assign run   = (st_q == castor_dtbl_pkg::ItemRun);
  assign req   = (st_q == castor_dtbl_pkg::ItemReq);
  assign waits = (st_q == castor_dtbl_pkg::ItemWait);

  `CASTOR_ASSUME(a_no_group_is_none, !(push_valid_i && push_group_i) || push_agei_i != castor_dtbl_pkg::None)
  `CASTOR_ASSUME(a_push_of_an_entry, 32'(push_kd_i) < NumKde)

  // ---------------------------------------------------------------------------------------------------------------
  // V2: each marked kernel is either in hand or in the ring, exactly once.
  logic [CountWidth-1:0] number;

  always_comb begin
    number = '0;
    for (int unsigned k = 0; k < NumKde; k++) begin
      number = number + CountWidth'(mark_q[k]);
    end
  end

  `CASTOR_ASSERT(v2_nothing_is_marked_while_nothing_is_in_hand, !free || mark_q == '0)
  `CASTOR_ASSERT(v2_what_is_in_hand_is_marked, free || mark_q[kd_q])
  `CASTOR_ASSERT(v2_the_oldest_in_the_ring_is_marked, fq_empty || mark_q[fq_kd])
  `CASTOR_ASSERT(v2_what_is_in_hand_is_not_in_the_ring, free || fq_empty || fq_kd != kd_q)
  `CASTOR_ASSERT(v2_each_mark_has_a_place, number == fq_count + CountWidth'(!free))
  `CASTOR_ASSERT(v2_ring_does_not_overflow, 32'(fq_count) < NumKde || (NumKde == 1 && fq_empty))
  `CASTOR_ASSERT(native_thread_blocks_are_of_marked_entries, (first_q & ~mark_q) == '0)

  // V7: `first` rises only when a kernel is pushed, so it falls once per residency.
  logic [NumKde-1:0] first_before_q;
  logic              kernel_q;

  always_ff @(posedge clk_i) begin
    first_before_q <= rst_ni ? first_q : '0;
    kernel_q       <= rst_ni && push_valid_i && push_ready_o && !push_group_i;
  end

  `CASTOR_ASSERT(v7_first_rises_with_a_kernel, kernel_q || (first_q & ~first_before_q) == '0)

  // ---------------------------------------------------------------------------------------------------------------
  // Properties of the item in hand.
  `CASTOR_ASSERT(item_without_group_is_native, free || agei_q != castor_dtbl_pkg::None || first_q[kd_q])
  `CASTOR_ASSERT(read_is_of_a_record, !(req || waits) || (agei_q[31] && agei_q != castor_dtbl_pkg::None))
  `CASTOR_ASSERT(read_stays_before_it_is_taken_alone, !ro_q || req)

  // ---------------------------------------------------------------------------------------------------------------
  // V8: a link into a record is written before the record is read. V9: requests stay until they are accepted.
  `CASTOR_ASSERT(v8_link_goes_before_the_read_of_its_record, !(rd && lw_v_q) || lw_rec_q != agei_q[30:0])
  `CASTOR_ASSERT(v8_no_link_into_the_record_in_hand, !link_off_chip || free || finish || place_last ||
                                                     lagei_push != agei_q)
  `CASTOR_ASSERT_STABLE(v9_request_stays, mem_valid_o, mem_ready_i, ({mem_write_o, mem_addr_o, mem_wdata_o}), 73)
  `CASTOR_ASSERT(v9_nothing_is_pushed_while_a_link_waits, push_ready_o != lw_v_q)
  `CASTOR_ASSERT(one_link_at_a_time, {31'd0, link_on_chip} + {31'd0, link_off_chip} + {31'd0, forward} <= 32'd1)

  // ---------------------------------------------------------------------------------------------------------------
  // V3: no group is linked after it has left. One arbitrary group of one kernel entry is followed from its push to the
  // placement of its last thread block. Meanwhile it is not pushed again.
  logic [KdWidth-1:0] kernel_watched_q;
  logic [31:0]        group_watched_q;
  logic               alive_q, pushed, gone, linked;

  assign pushed = push_valid_i && push_ready_o && push_group_i && push_kd_i == kernel_watched_q &&
                  push_agei_i == group_watched_q;
  assign gone   = place_last && agei_q == group_watched_q && kd_q == kernel_watched_q;
  assign linked = (link_on_chip || link_off_chip || forward) && push_kd_i == kernel_watched_q &&
                  lagei_push == group_watched_q;

  always_ff @(posedge clk_i) begin
    kernel_watched_q <= rst_ni ? kernel_watched_q : push_kd_i;
    group_watched_q  <= rst_ni ? group_watched_q : rsp_next_i;
    alive_q          <= rst_ni && (pushed || (alive_q && !gone));
  end

  // First and last group of the watched kernel's pool, as the tables hold them once they have been written.
  logic [31:0] head_q, tail_q;
  logic        head_written_q, tail_written_q, pool;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_written_q <= 1'b0;
      tail_written_q <= 1'b0;
    end
    if (place_last && kd_q == kernel_watched_q) begin
      head_q <= follow;
    end
    if ((push_kernel || (push_group && pool_empty)) && push_kd_i == kernel_watched_q) begin
      head_q         <= push_group ? push_agei_i : castor_dtbl_pkg::None;
      head_written_q <= rst_ni;
    end
    if (push_group && push_kd_i == kernel_watched_q) begin
      tail_q         <= push_agei_i;
      tail_written_q <= rst_ni;
    end
  end

  assign pool = mark_q[kernel_watched_q] && head_q != castor_dtbl_pkg::None;

  `CASTOR_ASSERT(v3_head_is_the_one_of_the_table, !head_written_q ||
                 ((push_kd_i != kernel_watched_q || nagei_push == head_q) &&
                  (kd_q != kernel_watched_q || nagei_kd == head_q) &&
                  (fq_kd != kernel_watched_q || nagei_head == head_q)))
  `CASTOR_ASSERT(v3_tail_is_the_one_of_the_table, !tail_written_q ||
                 ((push_kd_i != kernel_watched_q || lagei_push == tail_q) &&
                  (kd_q != kernel_watched_q || lagei_kd == tail_q)))
  `CASTOR_ASSERT(v3_marked_kernel_has_rows, !mark_q[kernel_watched_q] || (head_written_q && (!pool || tail_written_q)))
  `CASTOR_ASSERT(v3_kernel_without_native_thread_blocks_has_a_pool,
                 !mark_q[kernel_watched_q] || first_q[kernel_watched_q] || pool)
  `CASTOR_ASSERT(v3_group_in_hand_is_the_head,
                 free || kd_q != kernel_watched_q || agei_q == castor_dtbl_pkg::None || agei_q == head_q)
  `CASTOR_ASSERT(v3_tail_of_a_pool_waits, !pool || tail_q != group_watched_q || alive_q)
  `CASTOR_CHOICE(a_watched_group_is_one, group_watched_q != castor_dtbl_pkg::None)
`ifdef YOSYS
  `CASTOR_ASSUME(a_group_is_pushed_once, !(pushed && alive_q))
`else
  // A simulator follows every group, not only the watched group.
  logic         alive [logic [KdWidth+31:0]];
  logic         pushed_again;

  assign pushed_again = push_valid_i && push_ready_o && push_group_i && (alive.exists({push_kd_i, push_agei_i}) != 0);

  always_ff @(posedge clk_i) begin
    if (place_last) begin
      alive.delete({kd_q, agei_q});
    end
    if (push_valid_i && push_ready_o && push_group_i) begin
      alive[{push_kd_i, push_agei_i}] = 1'b1;
    end
    if (!rst_ni) begin
      alive.delete();
    end
  end

  `CASTOR_ASSUME(a_group_is_pushed_once, !pushed_again)
`endif
  `CASTOR_ASSERT(v3_only_waiting_groups_are_linked, !linked || (alive_q && !gone))

  // Cover statements: the assumptions of the proofs must leave these situations reachable.
  `CASTOR_COVER(attached_as_the_last_thread_block_goes, finish && enqueue && push_group_i && push_kd_i == kd_q)
  `CASTOR_COVER(selected_as_it_is_pushed, next && fq_empty)
  `CASTOR_COVER(link_before_the_reply, forward && waits)
  `CASTOR_COVER(link_beside_the_reply, forward && waits && rsp_valid_i)
  `CASTOR_COVER(reply_after_a_link, waits && rsp_valid_i && ob_nv_q)
  `CASTOR_COVER(link_while_a_read_is_on_the_port, rd && lw_v_q)
  `CASTOR_COVER(read_waits_for_its_own_link, req && lw_v_q && lw_rec_q == agei_q[30:0])
  `CASTOR_COVER(watched_group_is_linked, linked)
  `CASTOR_COVER(watched_group_goes_and_comes_again, pushed && !alive_q && mark_q[kernel_watched_q])
  `CASTOR_COVER(taken_without_an_offer, pl_taken_i && !pl_valid_o)
  `CASTOR_COVER(kernel_refused, err_o[0])
endmodule

bind castor_dtbl_dispatch castor_dtbl_dispatch_properties u_properties ();
