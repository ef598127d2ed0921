// Verilated top of the launcher's choice of the next kernel that brings out registers for test benches. The module
// reads the block by hierarchical names, so the RTL carries no test code. A register that is meaningful only in some
// states is shown as 0 in the others.
module castor_laperm_kmu_probe;
  logic searches, offers;

  assign searches = (u_dut.state_q == 2'd1);
  assign offers   = (u_dut.state_q == 2'd2);

  assign probe_state_o   = u_dut.state_q;
  assign probe_next_sm_o = u_dut.next_sm_q;
  assign probe_next_hq_o = u_dut.next_hq_q;
  assign probe_sm_o      = (searches || (offers && u_dut.kind_q == 2'd1)) ? u_dut.sm_q : '0;
  assign probe_level_o   = searches ? u_dut.level_q : '0;
  assign probe_kind_o    = offers ? u_dut.kind_q : '0;
  assign probe_index_o   = offers ? u_dut.idx_q : '0;
endmodule
