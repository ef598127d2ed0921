// The launcher's choice of the next kernel with registers brought out for a bench: the top that is verilated. It reads
// the block by hierarchical name, so the RTL carries no test code. What means something in some states is 0 in others.
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
