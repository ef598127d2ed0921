// Refresh of a kernel type's rate. Counters latched at the end of the window give dividend and divisor; the quotient
// and the old rate give the new rate (docs/blocks/lax.md, "Rates"). An external divider computes the quotient.
module castor_lax_rate #(
  parameter int unsigned InflightWidth = 8
) (
  input  logic       clk_i,         // clock
  input  logic       rst_ni,        // synchronous reset, active low
  input  logic [1:0] rate_mode_i,   // 0 Wall, 1 Active, 2 Instance, 3 PeakHold
  input  logic [2:0] ewma_shift_i,  // the rate moves by its difference to the quotient / 2^ewma_shift
  input  logic [2:0] leak_i,        // PeakHold: the rate rises by at most 1 / 2^leak of itself

  // First cycle: counters, and time since the window opened.
  input  logic                     sample_i,    // first cycle: the window closes; the five inputs below are latched
  input  logic [23:0]              cnt_i,       // completions in the open window
  input  logic [47:0]              window_i,    // cycles since the window opened
  input  logic [47:0]              kact_i,      // active time of the open window, as stored
  input  logic [47:0]              kins_i,      // instance time of the open window, as stored
  input  logic [InflightWidth-1:0] inflight_i,  // instances of the kernel type in flight

  // Second cycle: the user multiplies the instances in flight by the clipped window.
  input  logic                     accumulate_i,  // second cycle: product_i is valid
  output logic [InflightWidth-1:0] inflight_o,    // instances in flight as sampled
  output logic [31:0]              window_o,      // length of the window, clipped to 32 bits
  input  logic [47:0]              product_i,     // inflight_o * window_o in this cycle
  output logic [31:0]              dividend_o,    // time chosen by rate_mode_i, clipped to 32 bits
  output logic [23:0]              divisor_o,     // sampled number of completions
  output logic                     clipped_o,     // the time exceeds 32 bits

  // Last cycle: the quotient is valid.
  input  logic [31:0]           quotient_i,  // measured cycles per TB, 8 fraction bits
  input  logic                  valid_i,     // there is an old rate
  input  logic [31:0]           tpw_i,       // old rate
  output logic [31:0]           tpw_o,       // new rate, at least 1
  output castor_lax_pkg::snap_t snap_o       // counters from which the rate was computed
);
  // Sampled values: completions (cnt_q), window, active time (act_q), instance time (ins_q), instances in flight. The
  // second cycle completes active and instance time.
  logic [23:0]              cnt_q, cnt_d;
  logic [47:0]              window_q, window_d, act_q, act_d, ins_q, ins_d, act_time, ins_time, measured;
  logic [InflightWidth-1:0] inflight_q, inflight_d;

  // Instances still in flight count until the end of the window.
  assign act_time = act_q + ((inflight_q != '0) ? window_q : '0);
  assign ins_time = ins_q + product_i;

  always_comb begin
    cnt_d      = cnt_q;
    window_d   = window_q;
    act_d      = act_q;
    ins_d      = ins_q;
    inflight_d = inflight_q;
    if (sample_i) begin
      cnt_d      = cnt_i;
      window_d   = window_i;
      act_d      = kact_i;
      ins_d      = kins_i;
      inflight_d = inflight_i;
    end else if (accumulate_i) begin
      act_d = act_time;
      ins_d = ins_time;
    end
  end

  always_comb begin
    case (rate_mode_i)
      castor_lax_pkg::RateWall:     measured = window_q;
      castor_lax_pkg::RateInstance: measured = ins_time;
      default:                      measured = act_time;
    endcase
  end

  assign inflight_o = inflight_q;
  assign window_o   = castor_lax_pkg::clip48(window_q);
  assign dividend_o = castor_lax_pkg::clip48(measured);
  assign divisor_o  = cnt_q;
  assign clipped_o  = accumulate_i && (measured[47:32] != '0);
  assign snap_o     = {{8'b0, cnt_q}, castor_lax_pkg::clip48(act_q), castor_lax_pkg::clip48(ins_q), window_o};

  logic [32:0] raised, difference;
  logic [31:0] ceiling, rate;

  assign raised     = {1'b0, tpw_i} + {1'b0, tpw_i >> leak_i};
  assign ceiling    = raised[32] ? castor_lax_pkg::Inf : raised[31:0];
  assign difference = $signed({1'b0, quotient_i} - {1'b0, tpw_i}) >>> ewma_shift_i;

  always_comb begin
    if (!valid_i) begin
      rate = quotient_i;
    end else if (rate_mode_i == castor_lax_pkg::RatePeakhold) begin
      rate = (quotient_i < ceiling) ? quotient_i : ceiling;
    end else begin
      rate = tpw_i + difference[31:0];
    end
  end

  assign tpw_o = (rate == '0) ? 32'd1 : rate;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cnt_q      <= '0;
      window_q   <= '0;
      act_q      <= '0;
      ins_q      <= '0;
      inflight_q <= '0;
    end else begin
      cnt_q      <= cnt_d;
      window_q   <= window_d;
      act_q      <= act_d;
      ins_q      <= ins_d;
      inflight_q <= inflight_d;
    end
  end
endmodule
