// Properties of the selection of the laxity engine (docs/blocks/lax.md, "Cycle"). The queue `pick_q` is arbitrary: it
// gets its value during reset and keeps it. Its key and tie are recorded in the cycle in which its group is compared.
// If no key is written during the pass, they equal the values at the start of the pass.
`include "castor_assert.svh"

module castor_lax_select_properties;
  localparam int unsigned RankWidth = 50 + TieWidth;

  logic [QidWidth-1:0]  pick_q;
  logic                 p_in_q, p_in, d_in_q, d_in, p_seen_q, d_seen_q, here;
  logic [49:0]          key;
  logic [15:0]          p_tie, d_tie, seq, pseq;
  logic [RankWidth-1:0] p_rank_q, d_rank_q;

  // Membership of pick_q in the eligible sets, which are frozen in the first cycle of a pass.
  assign p_in = first ? (pe_vec_i[pick_q] && !st2_i[pick_q] && st1_i[pick_q] && (preparse_i || !st0_i[pick_q]))
                      : p_in_q;
  assign d_in = first ? (de_vec_i[pick_q] && !st2_i[pick_q] && st1_i[pick_q] && !st0_i[pick_q] && !pre_i[pick_q])
                      : d_in_q;
  assign here = (pick_q / QidWidth'(SelWidth) == QidWidth'(group_q)) || (NumGroups == 1);

  always_comb begin
    key  = '0;
    seq  = '0;
    pseq = '0;
    for (int unsigned e = 0; e < SelWidth; e++) begin
      if (QidWidth'(e) == (pick_q & QidWidth'(SelWidth - 1))) begin
        key  = key_row[e*64 +: 50];
        seq  = seq_row[e*16 +: 16];
        pseq = pseq_set_q[pick_q] ? pseq_row[e*16 +: 16] : '0;
      end
    end
    p_tie = by_turn ? {{(16-QidWidth){1'b0}}, QidWidth'(pick_q - rrptr_q - QidWidth'(1))} : seq - seq_ctr_q;
    d_tie = by_turn ? pseq - pseq_ctr_q : seq - seq_ctr_q;
  end

  always_ff @(posedge clk_i) begin
    pick_q <= rst_ni ? pick_q : QidWidth'(pe_vec_i);
    p_in_q <= p_in;
    d_in_q <= d_in;
    if (!rst_ni || soft_rst_i) begin
      p_seen_q <= 1'b0;
      d_seen_q <= 1'b0;
    end else begin
      p_seen_q <= (p_seen_q && !first) || (here && p_in);
      d_seen_q <= (d_seen_q && !first) || (here && d_in);
    end
    if (here) begin
      p_rank_q <= {key, p_tie, pick_q};
      d_rank_q <= {key, d_tie, pick_q};
    end
  end

  // A8: the best queue so far ranks no later than any eligible queue compared so far. At the end of the pass these are
  // all eligible queues.
  `CASTOR_ASSERT(a8_parse_result_is_the_least,
                 !p_seen_q || (best_p_any_q && {best_p_key_q, best_p_tie_q} <= p_rank_q))
  `CASTOR_ASSERT(a8_dispatch_result_is_the_least,
                 !d_seen_q || (best_d_any_q && {best_d_key_q, best_d_tie_q} <= d_rank_q))
  // The best queue is an eligible queue.
  `CASTOR_ASSERT(a8_parse_result_was_eligible,
                 !(best_p_any_q && best_p_tie_q[QidWidth-1:0] == pick_q && !first) || p_seen_q)
  `CASTOR_ASSERT(a8_dispatch_result_was_eligible,
                 !(best_d_any_q && best_d_tie_q[QidWidth-1:0] == pick_q && !first) || d_seen_q)
  // A9: class 3 never wins over a smaller class.
  `CASTOR_ASSERT(a9_parse_class, !p_seen_q || best_p_key_q[49:48] <= p_rank_q[RankWidth-1 -: 2])
  `CASTOR_ASSERT(a9_dispatch_class, !d_seen_q || best_d_key_q[49:48] <= d_rank_q[RankWidth-1 -: 2])

  // A8: the offer is the result of the last completed pass, until the next pass ends. In the cycle after the last cycle
  // of a pass, the best queue is the result. A pass with a parse grant has no parse result, and a grant uses up the
  // current parse result.
  logic                ended_q;  // a pass ended in the previous cycle
  logic                granted_q;  // a grant occurred in an earlier cycle of the current pass
  logic                spoilt_q;  // a grant occurred in the pass that ended
  logic                p_result, p_result_q, d_result, d_result_q;
  logic [QidWidth-1:0] p_result_qid, p_result_qid_q, d_result_qid, d_result_qid_q;

  assign p_result     = ended_q ? best_p_any_q && !spoilt_q : p_result_q;
  assign d_result     = ended_q ? best_d_any_q : d_result_q;
  assign p_result_qid = ended_q ? best_p_tie_q[QidWidth-1:0] : p_result_qid_q;
  assign d_result_qid = ended_q ? best_d_tie_q[QidWidth-1:0] : d_result_qid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || soft_rst_i) begin
      ended_q    <= 1'b0;
      granted_q  <= 1'b0;
      spoilt_q   <= 1'b0;
      p_result_q <= 1'b0;
      d_result_q <= 1'b0;
    end else begin
      ended_q    <= last;
      granted_q  <= !last && (granted_q || parse);
      spoilt_q   <= granted_q || parse;
      p_result_q <= p_result && !parse;
      d_result_q <= d_result;
    end
    p_result_qid_q <= p_result_qid;
    d_result_qid_q <= d_result_qid;
  end

  `CASTOR_ASSERT(a8_parse_offer_is_the_latest_result,
                 p_valid_q == p_result && (!p_valid_q || p_qid_q == p_result_qid))
  `CASTOR_ASSERT(a8_dispatch_offer_is_the_latest_result,
                 d_valid_q == d_result && (!d_valid_q || d_qid_q == d_result_qid))
  // The result is offered if and only if its queue is still eligible.
  `CASTOR_ASSERT(a8_parse_result_is_offered,
                 psel_valid_o == (enable_i && p_result && pe_vec_i[p_result_qid] && !st2_i[p_result_qid] &&
                                  st1_i[p_result_qid] && (preparse_i || !st0_i[p_result_qid])) &&
                     (!psel_valid_o || psel_qid_o == p_result_qid))
  `CASTOR_ASSERT(a8_dispatch_result_is_offered,
                 dsel_valid_o == (enable_i && d_result && de_vec_i[d_result_qid] && !st2_i[d_result_qid] &&
                                  st1_i[d_result_qid] && !st0_i[d_result_qid] && !pre_i[d_result_qid]) &&
                     (!dsel_valid_o || dsel_qid_o == d_result_qid))

  `CASTOR_COVER(alone_parse_grant_spoils_a_pass, ended_q && spoilt_q && best_p_any_q)
  `CASTOR_COVER(alone_result_of_another_group, ended_q && best_d_any_q && best_p_any_q && d_seen_q && p_seen_q &&
                best_d_tie_q[QidWidth-1:0] != best_p_tie_q[QidWidth-1:0])
  `CASTOR_COVER(alone_both_offered, psel_valid_o && dsel_valid_o && psel_qid_o != dsel_qid_o)
  `CASTOR_COVER(alone_offer_no_longer_eligible, d_valid_q && enable_i && !dsel_valid_o)
endmodule

bind castor_lax_select castor_lax_select_properties u_properties ();
