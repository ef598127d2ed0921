// Timers of the periodic update and of the PREMA ranking (docs/blocks/lax.md, "Cycle"). A tick is pending until the
// main machine consumes it. A second update tick is lost while one is pending.
module castor_lax_timers (
  input  logic        clk_i,           // clock
  input  logic        rst_ni,          // synchronous reset, active low
  input  logic        soft_rst_i,      // software resets the engine at this edge
  input  logic        enable_i,        // 0: the timers are held at 0
  input  logic        freeze_i,        // 1: no update ticks
  input  logic        prema_i,         // the policy is PREMA
  input  logic [23:0] upd_period_i,    // cycles between update ticks
  input  logic [23:0] prema_period_i,  // cycles between PREMA ticks
  input  logic        upd_take_i,      // the pending update tick is consumed
  input  logic        prema_take_i,    // the pending PREMA tick is consumed
  output logic        upd_pend_o,      // an update tick is pending
  output logic        prema_pend_o,    // a PREMA tick is pending
  output logic        overrun_o,       // an update tick is lost, because one is already pending
  output logic [23:0] utmr_o,          // cycles since the last update tick
  output logic [23:0] ptmr_o           // cycles since the last PREMA tick
);
  // utmr_q, ptmr_q: cycles since the last update tick and PREMA tick; 0 while disabled.
  // upd_pend_q, prema_pend_q: the tick is pending; set by the timer, cleared when the main machine consumes the tick.
  logic [23:0] utmr_q, utmr_d, ptmr_q, ptmr_d;
  logic        upd_pend_q, upd_pend_d, prema_pend_q, prema_pend_d;

  assign upd_pend_o   = upd_pend_q;
  assign prema_pend_o = prema_pend_q;
  assign utmr_o       = utmr_q;
  assign ptmr_o       = ptmr_q;

  always_comb begin
    upd_pend_d   = upd_pend_q && !upd_take_i;
    prema_pend_d = prema_pend_q && !prema_take_i;
    overrun_o    = 1'b0;
    utmr_d       = '0;
    ptmr_d       = '0;
    if (enable_i) begin
      utmr_d = utmr_q + 24'd1;
      ptmr_d = ptmr_q + 24'd1;
      if ({1'b0, utmr_q} + 25'd1 >= {1'b0, upd_period_i}) begin
        utmr_d = '0;
        if (!freeze_i) begin
          overrun_o  = upd_pend_d;
          upd_pend_d = 1'b1;
        end
      end
      if ({1'b0, ptmr_q} + 25'd1 >= {1'b0, prema_period_i}) begin
        ptmr_d = '0;
        if (prema_i) begin
          prema_pend_d = 1'b1;
        end
      end
    end
    if (soft_rst_i) begin
      upd_pend_d   = 1'b0;
      prema_pend_d = 1'b0;
      utmr_d       = '0;
      ptmr_d       = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      utmr_q       <= '0;
      ptmr_q       <= '0;
      upd_pend_q   <= 1'b0;
      prema_pend_q <= 1'b0;
    end else begin
      utmr_q       <= utmr_d;
      ptmr_q       <= ptmr_d;
      upd_pend_q   <= upd_pend_d;
      prema_pend_q <= prema_pend_d;
    end
  end
endmodule
