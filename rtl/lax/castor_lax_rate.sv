// Refresh of a kernel type's rate: its counters, latched as the window closes, become a dividend and a divisor; the
// quotient and the old rate become the new one (docs/blocks/lax.md, "Arithmetic").
module castor_lax_rate #(
  parameter int unsigned InflightWidth = 8
) (
  input  logic       clk_i,         // clock
  input  logic       rst_ni,        // synchronous reset, active low
  input  logic [1:0] rate_mode_i,
  input  logic [2:0] ewma_shift_i,
  input  logic [2:0] leak_i,

  // First cycle: the counters, and the time since the window opened.
  input  logic                     sample_i,
  input  logic [23:0]              cnt_i,
  input  logic [47:0]              window_i,
  input  logic [47:0]              kact_i,
  input  logic [47:0]              kins_i,
  input  logic [InflightWidth-1:0] inflight_i,

  // Second cycle: the caller multiplies instances in flight by the clipped window.
  input  logic                     accumulate_i,
  output logic [InflightWidth-1:0] inflight_o,
  output logic [31:0]              window_o,
  input  logic [47:0]              product_i,
  output logic [31:0]              dividend_o,
  output logic [23:0]              divisor_o,
  output logic                     clipped_o,     // the time is longer than the dividend can tell

  // Last cycle: the quotient is there.
  input  logic [31:0]           quotient_i,
  input  logic                  valid_i,     // there is an old rate
  input  logic [31:0]           tpw_i,
  output logic [31:0]           tpw_o,
  output castor_lax_pkg::snap_t snap_o
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
