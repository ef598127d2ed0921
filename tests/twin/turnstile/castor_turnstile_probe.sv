// The verilated top: the block, with the registers that a bench may look at as outputs.

module castor_turnstile_probe;
  assign probe_level_o   = u_dut.level_q;
  assign probe_count_o   = u_dut.count_q;
  assign probe_pointer_o = u_dut.pointer_q;
  assign probe_served_o  = u_dut.served_q;
  assign probe_timer_o   = u_dut.timer_q;
  assign probe_period_o  = u_dut.period_q;
  assign probe_beating_o = u_dut.beat_q;
endmodule
