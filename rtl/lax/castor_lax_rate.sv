// Refresh of a kernel type's rate: its counters, latched as the window closes, become a dividend and a divisor; the
// quotient and the old rate become the new one (docs/blocks/lax.md, "Arithmetic").
module castor_lax_rate #(
  parameter int unsigned InflightWidth = 8
) (
  input  logic       clk_i,         // clock
  input  logic       rst_ni,        // synchronous reset, active low
  input  logic [1:0] rate_mode_i,   // 0 Wall, 1 Active, 2 Instance, 3 PeakHold
  input  logic [2:0] ewma_shift_i,  // the rate moves by the difference / 2^this
  input  logic [2:0] leak_i,        // PeakHold: the rate rises by 1 / 2^this at most

  // First cycle: the counters, and the time since the window opened.
  input  logic                     sample_i,    // the window closes: the five inputs below are latched
  input  logic [23:0]              cnt_i,       // completions in the window
  input  logic [47:0]              window_i,    // cycles since it opened
  input  logic [47:0]              kact_i,      // active time, relative to the window
  input  logic [47:0]              kins_i,      // time of the instances, likewise
  input  logic [InflightWidth-1:0] inflight_i,  // instances in flight

  // Second cycle: the caller multiplies instances in flight by the clipped window.
  input  logic                     accumulate_i,  // this is the second cycle
  output logic [InflightWidth-1:0] inflight_o,    // instances in flight as sampled
  output logic [31:0]              window_o,      // length of the window, clipped to 32 bits
  input  logic [47:0]              product_i,     // inflight_o * window_o, of this cycle
  output logic [31:0]              dividend_o,    // time that rate_mode_i chooses, clipped to 32 bits
  output logic [23:0]              divisor_o,     // completions as sampled
  output logic                     clipped_o,     // the time is longer than the dividend can tell

  // Last cycle: the quotient is there.
  input  logic [31:0]           quotient_i,  // cycles per TB measured, 8 fraction bits
  input  logic                  valid_i,     // there is an old rate
  input  logic [31:0]           tpw_i,       // that rate
  output logic [31:0]           tpw_o,       // new rate, at least 1
  output castor_lax_pkg::snap_t snap_o       // counters that it was made of
);
  logic [23:0]              cnt_q, cnt_d;
  logic [47:0]              window_q, window_d, act_q, act_d, ins_q, ins_d, act_time, ins_time, measured;
  logic [InflightWidth-1:0] inflight_q, inflight_d;

  // Instances still in flight count up to now.
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
