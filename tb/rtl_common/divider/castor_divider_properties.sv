// Properties of the divider: every rule in the header comment of castor_divider.sv. A division by 0 has no defined
// quotient and takes as many cycles as any other division.
//
// At small widths the quotient is compared with a product. At any width each step is proven: `left` is below the
// divisor. `left` is the dividend bits used so far, less divisor * quotient bits found so far. Each step shifts one
// more bit into both numbers, so left' = 2 * left + dividend bit - divisor * quotient bit (Horner's rule). After the
// last step, `left` equals dividend - divisor * quotient. Only one quotient gives a difference in 0..divisor - 1.
`include "castor_assert.svh"

module castor_divider_properties (
  input logic [DivisorWidth-1:0] rtl_divisor_q,
  input logic [DivisorWidth-1:0] rtl_remainder_q,
  input logic [StepWidth-1:0]    rtl_steps_q
);
  localparam int unsigned AgeWidth  = $clog2(Width + 2);
  localparam int unsigned LeftWidth = DivisorWidth + 2;

  // Cycles since the last start. 0: no start since reset; Width + 1: the division is complete.
  logic [AgeWidth-1:0]     age_q, age_d;
  logic [DivisorWidth-1:0] divisor_q;
  logic                    divides, done;

  assign divides = age_q != '0 && divisor_q != '0;
  assign done    = age_q == AgeWidth'(Width + 1);

  always_comb begin
    age_d = age_q;
    if (start_i) begin
      age_d = AgeWidth'(1);
    end else if (age_q != '0 && !done) begin
      age_d = age_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    age_q <= rst_ni ? age_d : '0;
    if (start_i) begin
      divisor_q <= divisor_i;
    end
  end

  // Reference steps. `rest_q` holds the unused dividend bits, aligned to the top; `to_go_q` is the mask of their
  // positions.
  logic [Width-1:0]     rest_q, to_go_q, before_q;
  logic [LeftWidth-1:0] left, left_q;
  logic                 bit_q, stepped_q, rested_q;

  assign left = stepped_q ? {left_q[LeftWidth-2:0], bit_q} - (quotient_o[0] ? LeftWidth'(divisor_q) : '0) : left_q;

  always_ff @(posedge clk_i) begin
    stepped_q <= rst_ni && !start_i && age_q != '0 && !done;
    rested_q  <= rst_ni && !start_i && done;
    before_q  <= quotient_o;
    bit_q     <= rest_q[Width-1];
    left_q    <= start_i ? '0 : left;
    rest_q    <= start_i ? dividend_i : done ? rest_q : rest_q << 1;
    to_go_q   <= start_i ? '1 : done ? to_go_q : to_go_q << 1;
  end

  logic last_is_right, bits_in_order, quotient_stays, step_is_right;

  assign last_is_right  = last_o == (age_q == AgeWidth'(Width));
  assign bits_in_order  = !stepped_q || quotient_o[Width-1:1] == before_q[Width-2:0];
  assign quotient_stays = !rested_q || quotient_o == before_q;
  assign step_is_right  = !divides || left < LeftWidth'(divisor_q);

  // These claims are inductive: together with the values of the RTL's registers, they follow from the previous cycle.
  // The assertion is not clocked, since Yosys would put a register between the signals and the claim. A proof would
  // then have to derive the contents of that register.
  logic reset_seen_q, registers_agree;
  initial reset_seen_q = 1'b0;

  always_ff @(posedge clk_i) begin
    reset_seen_q <= reset_seen_q || !rst_ni;
  end

  assign registers_agree = (age_q == '0) ? rtl_steps_q == '0
                                         : 32'(age_q) + 32'(rtl_steps_q) == Width + 1 && rtl_divisor_q == divisor_q &&
                                           to_go_q == {Width{1'b1}} << (age_q - 1'b1) &&
                                           (quotient_o & to_go_q) == rest_q && (rest_q & ~to_go_q) == '0 &&
                                           (!divides || left == LeftWidth'(rtl_remainder_q));

  always_comb begin
    if (reset_seen_q) begin
      every_step : assert (registers_agree && last_is_right && bits_in_order && quotient_stays && step_is_right);
    end
  end

  if (Width <= 5) begin : gen_small
    localparam int unsigned ProductWidth = Width + DivisorWidth;

    logic [ProductWidth-1:0] dividend_q, product;

    always_ff @(posedge clk_i) begin
      dividend_q <= start_i ? ProductWidth'(dividend_i) : dividend_q;
    end

    assign product = ProductWidth'(quotient_o) * ProductWidth'(divisor_q);

    `CASTOR_ASSERT(last_in_the_last_cycle, last_is_right)
    `CASTOR_ASSERT(quotient_bits_stay_in_order, bits_in_order)
    `CASTOR_ASSERT_STABLE(quotient_stays_until_the_next_start, done, start_i, quotient_o, Width)
    `CASTOR_ASSERT(each_step_leaves_less_than_the_divisor, step_is_right)
    `CASTOR_ASSERT(dividend_is_the_product_and_less_than_the_divisor,
                   !(done && divides) || (product <= dividend_q && dividend_q - product < ProductWidth'(divisor_q)))
    `CASTOR_ASSERT(left_is_the_dividend_without_the_product,
                   !(done && divides) || ProductWidth'(left) == dividend_q - product)

    // Cover statements: the assumptions of the proofs must leave these situations reachable.
    `CASTOR_COVER(start_in_the_last_cycle, start_i && last_o)
    `CASTOR_COVER(quotient_of_ones, done && divides && quotient_o == '1)
  end
endmodule

bind castor_divider castor_divider_properties u_properties (
  .rtl_divisor_q(divisor_q), .rtl_remainder_q(remainder_q), .rtl_steps_q(steps_q)
);
