// The verilated top: the block, with the registers that a bench may look at as outputs.

module castor_packer_probe;
  assign probe_sm_o  = u_dut.sm_q;
  assign probe_run_o = u_dut.run_q;
endmodule
