// Properties of the main machine of the laxity engine (docs/blocks/lax.md, "Arithmetic").
`include "castor_assert.svh"

module castor_lax_main_properties (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic [7:0]             min_wg,
  input logic                   bypass_en,
  input castor_lax_pkg::main_e  f_q,
  input castor_lax_pkg::phase_e ph_q,
  input logic                   div_start,
  input logic [31:0]            div_den,
  input logic                   refresh_o,
  input logic [31:0]            tpw_o,
  input logic                   iso_we_o,
  input logic [31:0]            iso_o,
  input logic                   verdict_o,
  input logic                   accept_o,
  input logic [2:0]             reason_o,
  input logic [31:0]            deadline,
  input logic                   fits,
  input logic [39:0]            tot_q,
  input logic [31:0]            work_q,
  input logic [31:0]            dur_q,
  input logic                   act_q
);
  // A6: neither division is by 0: completions are counted before a rate is made, isolated times are at least 1.
  `CASTOR_ASSERT(a6_least_completions_not_zero, min_wg != '0)
  `CASTOR_ASSERT(a6_rate_division_not_by_zero, !(div_start && f_q == castor_lax_pkg::KMul) || div_den != '0)
  `CASTOR_ASSERT(a6_new_rate_not_zero, !refresh_o || tpw_o != '0)
  `CASTOR_ASSERT(a6_isolated_time_not_zero, !iso_we_o || iso_o != '0)

  // A10: an accepted job can meet its deadline behind all that is ahead, computed without saturation of the sum, or one
  // of the exceptions holds.
  logic [63:0] finish;
  logic        exempt;

  assign finish = {24'b0, tot_q} + {32'b0, work_q} + {32'b0, dur_q};
  assign exempt = (deadline == castor_lax_pkg::Inf) || !act_q ||
                  (bypass_en && fits &&
                   {32'b0, work_q} + {32'b0, dur_q} < {32'b0, deadline});

  `CASTOR_ASSERT(a10_accepted_meets_the_deadline,
                 !(verdict_o && accept_o) || exempt || finish < {32'b0, deadline})
  `CASTOR_ASSERT(a10_verdict_of_an_admission, !(verdict_o && accept_o) ||
                 (ph_q == castor_lax_pkg::PhAdm && f_q == castor_lax_pkg::VKey && reason_o == '0))
endmodule

bind castor_lax_main castor_lax_main_properties u_properties (
  .clk_i, .rst_ni, .min_wg(config_i.min_wg), .bypass_en(config_i.bypass_en), .f_q, .ph_q, .div_start, .div_den,
  .refresh_o, .tpw_o, .iso_we_o, .iso_o, .verdict_o, .accept_o, .reason_o, .deadline(job_q.deadline),
  .fits(job_q.fits), .tot_q, .work_q, .dur_q, .act_q
);
