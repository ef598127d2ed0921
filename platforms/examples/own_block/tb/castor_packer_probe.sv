// Top module for Verilator: contains the block as u_dut, and drives the probe outputs with the block's registers. Its
// ports are generated from ports.h at build time.

module castor_packer_probe;
  assign probe_sm_o  = u_dut.sm_q;
  assign probe_run_o = u_dut.run_q;
endmodule
