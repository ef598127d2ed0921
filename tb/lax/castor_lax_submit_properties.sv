// Properties of the submit machine of the laxity engine (docs/blocks/lax.md, "Cycle").
//
// A4, conservation of thread blocks, step by step. The counts of the beats are staged. A new job's list equals the
// stage. An append adds each staged slot once. A completion subtracts one (castor_lax_properties.sv). There are no
// other writes of lists. Sums are compared only while no count saturates.
`include "castor_assert.svh"

module castor_lax_submit_properties (
  input logic [23:0]                add_n
);
  localparam int unsigned SumWidth = 30;

  logic [SumWidth-1:0]    staged, held, after, brought_q;
  logic [MaxKt*MaxKt-1:0] twins, list_twins, new_twins;
  logic                   full, staged_full, full_q;

  always_comb begin
    staged      = '0;
    held        = '0;
    after       = '0;
    full        = 1'b0;
    staged_full = 1'b0;
    for (int unsigned s = 0; s < MaxKt; s++) begin
      if (5'(s) < sc_q) begin
        staged      = staged + SumWidth'(stage_q[s*SlotWidth +: 24]);
        staged_full = staged_full || (stage_q[s*SlotWidth +: 24] == '1);
      end
      if (5'(s) < list_i[ListWidth-1 -: 5]) begin
        held = held + SumWidth'(list_i[s*SlotWidth +: 24]);
      end
      if (5'(s) < list_o[ListWidth-1 -: 5]) begin
        after = after + SumWidth'(list_o[s*SlotWidth +: 24]);
        full  = full || (list_o[s*SlotWidth +: 24] == '1);
      end
    end
  end

  always_comb begin
    twins      = '0;
    list_twins = '0;
    new_twins  = '0;
    for (int unsigned a = 0; a < MaxKt; a++) begin
      for (int unsigned b = 0; b < MaxKt; b++) begin
        if (a < b) begin
          twins[a*MaxKt+b]      = (5'(b) < sc_q) && (stage_q[a*SlotWidth+24 +: KidWidth] ==
                                                     stage_q[b*SlotWidth+24 +: KidWidth]);
          list_twins[a*MaxKt+b] = (5'(b) < list_i[ListWidth-1 -: 5]) && (list_i[a*SlotWidth+24 +: KidWidth] ==
                                                                         list_i[b*SlotWidth+24 +: KidWidth]);
          new_twins[a*MaxKt+b]  = (5'(b) < list_o[ListWidth-1 -: 5]) && (list_o[a*SlotWidth+24 +: KidWidth] ==
                                                                         list_o[b*SlotWidth+24 +: KidWidth]);
        end
      end
    end
  end

  // Sum of the thread blocks of all staged beats. A saturated slot may hold fewer.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || taken_o) begin
      brought_q <= '0;
      full_q    <= 1'b0;
    end else begin
      if (beat && !beat_bad_kid && (beat_known || sc_q < 5'(MaxKt))) begin
        brought_q <= brought_q + SumWidth'(wl_numwg_i);
      end
      full_q <= full_q || staged_full;
    end
  end

  `CASTOR_ASSERT(a4_stage_in_range, sc_q <= 5'(MaxKt))
  `CASTOR_ASSERT(a4_stage_has_each_kind_once, twins == '0)
  `CASTOR_ASSERT(a4_stage_holds_the_beats, full_q || staged_full || staged == brought_q)
  `CASTOR_ASSERT(a4_new_list_is_the_stage, !new_job_o || (list_we_o && after == staged))
  `CASTOR_ASSERT(a4_append_adds_a_slot,
                 !(list_we_o && sub_q == castor_lax_pkg::SMrg && list_twins == '0 &&
                   list_i[ListWidth-1 -: 5] < 5'(MaxKt)) || full || after == held + SumWidth'(add_n))
  `CASTOR_ASSERT(a4_append_stays_in_the_stage,
                 !(sub_q == castor_lax_pkg::SChk || sub_q == castor_lax_pkg::SMrg) || ai_q < sc_q)
  `CASTOR_ASSERT(a4_list_has_each_kind_once,
                 !(list_we_o && (new_job_o || list_twins == '0)) || new_twins == '0)
  // An append reads the list of a live job, which has at most MaxKt slots. A completion has priority on the read port.
  `CASTOR_ASSERT(a4_list_in_range,
                 !(sub_q == castor_lax_pkg::SChk || sub_q == castor_lax_pkg::SMrg) || wgc_valid_i ||
                     list_i[ListWidth-1 -: 5] <= 5'(MaxKt))
  `CASTOR_ASSERT(a4_no_list_with_a_refusal, !(verdict_o && list_we_o))

  // Lists stay in range, step by step. From the first read on, `met_*_q` hold length and kernel types of the list that
  // is appended to; no other state machine writes them. The first pass counts the staged slots whose type is missing
  // from the list. The second pass adds them, so the list must have room for them.
  logic                      met_q, looks;
  logic [4:0]                met_length_q, unknown_before, unknown_after;
  logic [MaxKt*KidWidth-1:0] met_kinds_q, kinds, new_kinds;
  logic [MaxKt-1:0]          unknown;

  assign looks = (sub_q == castor_lax_pkg::SChk || sub_q == castor_lax_pkg::SMrg) && !wgc_valid_i;

  always_comb begin
    unknown        = '0;
    unknown_before = '0;
    unknown_after  = '0;
    for (int unsigned s = 0; s < MaxKt; s++) begin
      kinds[s*KidWidth +: KidWidth]     = list_i[s*SlotWidth+24 +: KidWidth];
      new_kinds[s*KidWidth +: KidWidth] = list_o[s*SlotWidth+24 +: KidWidth];
      unknown[s]                        = (5'(s) < sc_q);
      for (int unsigned t = 0; t < MaxKt; t++) begin
        if (5'(t) < met_length_q && met_kinds_q[t*KidWidth +: KidWidth] == stage_q[s*SlotWidth+24 +: KidWidth]) begin
          unknown[s] = 1'b0;
        end
      end
      if (5'(s) < ai_q) begin
        unknown_before = unknown_before + 5'(unknown[s]);
      end else begin
        unknown_after = unknown_after + 5'(unknown[s]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    met_q <= rst_ni && (looks || (met_q && (sub_q == castor_lax_pkg::SChk || sub_q == castor_lax_pkg::SMrg)));
    if (looks) begin
      met_length_q <= list_we_o ? list_o[ListWidth-1 -: 5] : list_i[ListWidth-1 -: 5];
      met_kinds_q  <= list_we_o ? new_kinds : kinds;
    end
  end

  `CASTOR_ASSERT(a4_stage_of_a_good_list_not_empty,
                 sub_q == castor_lax_pkg::SIdle || !nonzero_q || bad_kid_q || sc_q != '0)
  `CASTOR_ASSERT(a4_list_stays_while_it_is_appended_to,
                 !(looks && met_q) || (list_i[ListWidth-1 -: 5] == met_length_q && kinds == met_kinds_q))
  `CASTOR_ASSERT(a4_append_finds_room,
                 (sub_q != castor_lax_pkg::SChk || (met_q ? an_q == unknown_before : an_q == '0 && ai_q == '0)) &&
                     (sub_q != castor_lax_pkg::SMrg ||
                      (met_q && 6'(met_length_q) + 6'(unknown_after) <= 6'(MaxKt))) &&
                     (!(sub_q == castor_lax_pkg::SChk || sub_q == castor_lax_pkg::SMrg) ||
                      (sc_q != '0 && sc_q <= 5'(MaxKt) && ai_q < sc_q)))
  `CASTOR_ASSERT(a4_written_list_in_range,
                 !list_we_o || (list_o[ListWidth-1 -: 5] != '0 && list_o[ListWidth-1 -: 5] <= 5'(MaxKt)))

  `CASTOR_COVER(alone_new_job, new_job_o)
  `CASTOR_COVER(alone_beat_of_a_staged_kind, beat && beat_known)
  `CASTOR_COVER(alone_append_to_a_slot, list_we_o && sub_q == castor_lax_pkg::SMrg && after > held &&
                list_o[ListWidth-1 -: 5] == list_i[ListWidth-1 -: 5])
  `CASTOR_COVER(alone_append_of_a_slot, list_we_o && sub_q == castor_lax_pkg::SMrg &&
                list_o[ListWidth-1 -: 5] > list_i[ListWidth-1 -: 5])
  `CASTOR_COVER(alone_append_too_long, verdict_o && sub_q == castor_lax_pkg::SVer && too_long_q)
  `CASTOR_COVER(alone_completion_during_an_append, wgc_valid_i && sub_q == castor_lax_pkg::SMrg && met_q)
endmodule

bind castor_lax_submit castor_lax_submit_properties u_properties (.add_n(add[23:0]));
