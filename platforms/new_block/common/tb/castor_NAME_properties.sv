// Properties of the block, bound into it: Verilator checks them in every run, castor prove in all of them. Write claims
// with the macros of castor_assert.svh: CASTOR_ASSERT, CASTOR_ASSUME, CASTOR_COVER, CASTOR_ASSERT_STABLE. Assertions in
// any other form (assert property, |->) are a syntax error of Yosys, with which castor prove works.
`include "castor_assert.svh"

module castor_@NAME@_properties #(
  parameter int unsigned NumLanes = @LANES@,
  parameter int unsigned Width    = @WIDTH@
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic [NumLanes-1:0]       offer_valid_i,
  input logic [NumLanes*Width-1:0] offer_i,
  input logic [NumLanes-1:0]       taken_i,
  input logic [NumLanes-1:0]       pick_valid_o,
  input logic [NumLanes*Width-1:0] pick_o,
  input logic [7:0]                count_q
);
  // The pick of a lane is its offer, or nothing.
  logic picks_offers;
  always_comb begin
    picks_offers = 1'b1;
    for (int unsigned i = 0; i < NumLanes; i = i + 1) begin
      if (pick_valid_o[i]) begin
        picks_offers = picks_offers && offer_valid_i[i] && (pick_o[i*Width +: Width] == offer_i[i*Width +: Width]);
      end else begin
        picks_offers = picks_offers && (pick_o[i*Width +: Width] == '0);
      end
    end
  end
  `CASTOR_ASSERT(pick_is_an_offer, picks_offers)

  // Registers of its own let a claim speak of the cycle before.
  logic       idle_q;
  logic [7:0] count_past_q;
  always_ff @(posedge clk_i) begin
    idle_q <= rst_ni && (taken_i & pick_valid_o) == '0;
    count_past_q <= count_q;
  end
  `CASTOR_ASSERT(counts_only_what_is_taken, !idle_q || count_q == count_past_q)

  `CASTOR_COVER(pick_is_taken, (taken_i & pick_valid_o) != '0)
endmodule

bind castor_@NAME@ castor_@NAME@_properties #(
  .NumLanes(NumLanes), .Width(Width)
) u_properties (
  .clk_i, .rst_ni, .offer_valid_i, .offer_i, .taken_i, .pick_valid_o, .pick_o, .count_q
);
