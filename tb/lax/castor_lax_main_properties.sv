// Properties of the main machine of the laxity engine (docs/blocks/lax.md, "Arithmetic").
`include "castor_assert.svh"

module castor_lax_main_properties (
  input logic [7:0]             min_wg,
  input logic                   bypass_en,
  input logic [31:0]            deadline,
  input logic                   fits
);
  // A6: no division is by 0. A rate is only computed after completions were counted, and isolated times are at least 1.
  `CASTOR_ASSERT(a6_least_completions_not_zero, min_wg != '0)
  `CASTOR_ASSERT(a6_rate_division_not_by_zero, !(div_start && f_q == castor_lax_pkg::KMul) || div_den != '0)
  `CASTOR_ASSERT(a6_new_rate_not_zero, !refresh_o || tpw_o != '0)
  `CASTOR_ASSERT(a6_isolated_time_not_zero, !iso_we_o || iso_o != '0)

  // A10: an accepted job can meet its deadline after all work ahead, computed without saturation of the sum, or it is
  // an exception. The bypass is an exception only while no admitted job waits for a kernel of its own to start.
  logic [63:0] finish;
  logic        exempt, bypassed, nobody_waits;

  always_comb begin
    nobody_waits = 1'b1;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if ({st2_i[q], st1_i[q], st0_i[q]} == castor_lax_pkg::StReady && !open_i[q]) begin
        nobody_waits = 1'b0;
      end
    end
  end

  assign finish = {24'b0, tot_q} + {32'b0, work_q} + {32'b0, dur_q};
  assign bypassed = bypass_en && fits && nobody_waits && {32'b0, work_q} + {32'b0, dur_q} < {32'b0, deadline};
  assign exempt   = (deadline == castor_lax_pkg::Inf) || !act_q || bypassed;

  `CASTOR_ASSERT(a10_accepted_meets_the_deadline,
                 !(verdict_o && accept_o) || exempt || finish < {32'b0, deadline})
  `CASTOR_ASSERT(a10_verdict_of_an_admission, !(verdict_o && accept_o) ||
                 (ph_q == castor_lax_pkg::PhAdm && f_q == castor_lax_pkg::VKey && reason_o == '0))

  // A4: a visit latches a list that was submitted.
  `CASTOR_ASSERT(a4_visited_list_in_range, !(f_q == castor_lax_pkg::VOpen && visit) ||
                 (list_i[ListWidth-1 -: 5] != '0 && list_i[ListWidth-1 -: 5] <= 5'(MaxKt)))

  // Cover statements: each activity of the machine is reachable, so that the assertions above do not hold vacuously.
  logic by_test;  // the comparison with the deadline decides the verdict

  assign by_test = verdict_o && !drop_o && act_q && deadline != castor_lax_pkg::Inf && tot_q != '0;

  `CASTOR_COVER(alone_rate_refreshed, refresh_o)
  `CASTOR_COVER(alone_update_ends, upd_done_o)
  `CASTOR_COVER(alone_update_makes_a_key, key_we_o && f_q == castor_lax_pkg::VKey && ph_q == castor_lax_pkg::PhUpd)
  `CASTOR_COVER(alone_token_grows, token_we_o && f_q == castor_lax_pkg::VTok)
  `CASTOR_COVER(alone_job_dropped, drop_o)
  `CASTOR_COVER(alone_accepted_behind_others, by_test && accept_o && finish < {32'b0, deadline})
  `CASTOR_COVER(alone_accepted_by_bypass, by_test && accept_o && finish >= {32'b0, deadline})
  `CASTOR_COVER(alone_refused_by_the_sum, by_test && reason_o == castor_lax_pkg::ReasonMiss)
  `CASTOR_COVER(alone_refused_as_late, by_test && reason_o == castor_lax_pkg::ReasonExpired)
  `CASTOR_COVER(alone_bypass_refused_while_others_wait, by_test && !accept_o && bypass_en && fits && !nobody_waits &&
                {32'b0, work_q} + {32'b0, dur_q} < {32'b0, deadline})
  `CASTOR_COVER(alone_preemption, preempt_o)
  `CASTOR_COVER(alone_ranking_without_preemption, f_q == castor_lax_pkg::R3 && pre_clear_all_o)
endmodule

bind castor_lax_main castor_lax_main_properties u_properties (
  .min_wg(config_i.min_wg), .bypass_en(config_i.bypass_en), .deadline(job_q.deadline), .fits(job_q.fits)
);
