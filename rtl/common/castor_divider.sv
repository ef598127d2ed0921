// Restoring divider, one quotient bit per cycle.
//
// If start_i is 1 in cycle s, quotient_o holds floor(dividend / divisor) from cycle s + Width + 1 until the next start.
// last_o is 1 in the last cycle of the division, s + Width. The divisor must not be 0. A start during a division aborts
// that division and begins a new one.
//
// Cost of one more unit of each parameter:
//   Width         one flip-flop, and one cycle per division
//   DivisorWidth  2 flip-flops, and one bit of the subtractor
module castor_divider #(
  parameter int unsigned Width        = 40,
  parameter int unsigned DivisorWidth = 32
) (
  input  logic                    clk_i,       // clock
  input  logic                    rst_ni,      // synchronous reset, active low
  input  logic                    start_i,     // loads the operands at the edge
  input  logic [Width-1:0]        dividend_i,  // dividend, in the cycle of start_i
  input  logic [DivisorWidth-1:0] divisor_i,   // divisor, in the cycle of start_i, not 0
  output logic                    last_o,      // last cycle of the division
  output logic [Width-1:0]        quotient_o   // quotient, from Width + 1 cycles after start_i to the next start
);
  if (Width < 2 || Width > 64) begin : gen_bad_width
    $error("castor_divider: Width must be 2..64");
  end
  if (DivisorWidth < 1 || DivisorWidth > 63) begin : gen_bad_divisor_width
    $error("castor_divider: DivisorWidth must be 1..63");
  end

  localparam int unsigned StepWidth = $clog2(Width + 1);

  // shift_q: dividend bits leave at the top while quotient bits enter at the bottom. steps_q: cycles left, 0 when idle.
  logic [Width-1:0]        shift_q, shift_d;
  logic [DivisorWidth-1:0] divisor_q, divisor_d;
  logic [DivisorWidth-1:0] remainder_q, remainder_d;
  logic [StepWidth-1:0]    steps_q, steps_d;
  logic [DivisorWidth:0]   partial, difference;

  assign partial    = {remainder_q, shift_q[Width-1]};
  assign difference = partial - {1'b0, divisor_q};
  assign last_o     = (steps_q == StepWidth'(1));
  assign quotient_o = shift_q;

  always_comb begin
    shift_d     = shift_q;
    divisor_d   = divisor_q;
    remainder_d = remainder_q;
    steps_d     = steps_q;
    if (start_i) begin
      shift_d     = dividend_i;
      divisor_d   = divisor_i;
      remainder_d = '0;
      steps_d     = StepWidth'(Width);
    end else if (steps_q != '0) begin
      // The partial remainder is below twice the divisor, so the difference is negative exactly if its top bit is set.
      remainder_d = difference[DivisorWidth] ? partial[DivisorWidth-1:0] : difference[DivisorWidth-1:0];
      shift_d     = {shift_q[Width-2:0], !difference[DivisorWidth]};
      steps_d     = steps_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      shift_q     <= '0;
      divisor_q   <= '0;
      remainder_q <= '0;
      steps_q     <= '0;
    end else begin
      shift_q     <= shift_d;
      divisor_q   <= divisor_d;
      remainder_q <= remainder_d;
      steps_q     <= steps_d;
    end
  end
endmodule
