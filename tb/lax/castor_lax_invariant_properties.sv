// Invariants of parts of the laxity engine on which other proofs rely (docs/blocks/lax.md, "Proofs").
`include "castor_assert.svh"

module castor_lax_sum_properties (
  input logic [4:0] length
);
  // The sum covers only slots of the list, and a list has at most MaxKt slots. The list stays valid at the end of the
  // sum, since it may be summed once more.
  `CASTOR_ASSERT(a4_sum_over_slots_of_the_list,
                 !(step_i || drain_i) || ((slot_q < length || !step_i) && length != '0 && length <= 5'(MaxKt)))
endmodule

bind castor_lax_sum castor_lax_sum_properties u_properties (.length(list_q[ListWidth-1 -: 5]));

module castor_lax_prema_properties;
  `CASTOR_ASSERT(a15_threshold_is_1_3_or_9, thr_q == 4'd1 || thr_q == 4'd3 || thr_q == 4'd9)
endmodule

bind castor_lax_prema castor_lax_prema_properties u_properties ();
