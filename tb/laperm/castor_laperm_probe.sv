// Verilated top of LaPerm that brings out registers for test benches. The module reads the block by hierarchical names,
// so the RTL carries no test code. Words of tables without reset are shown only where the flags beside them mark them
// as valid.
module castor_laperm_probe;
  localparam int unsigned FetchWidth = $clog2(RefillMax + 2);
  localparam int unsigned TagsWidth  = $clog2(RefillMax + 1);

  for (genvar q = 0; q < NumLists; q++) begin : gen_list
    assign probe_in_memory_o[q*(OvfW+1) +: OvfW+1] = u_dut.u_memory.u_stored.some_q[q] ?
                                                     u_dut.u_memory.u_stored.u_table.mem_q[q] : '0;
    assign probe_oldest_o[q*OvfW +: OvfW] = u_dut.u_memory.moved_q[q] ? u_dut.u_memory.u_oldest.mem_q[q] : '0;
    assign probe_fetches_o[q*FetchWidth +: FetchWidth] = u_dut.u_memory.u_coming.some_q[q] ?
                                                         u_dut.u_memory.u_coming.u_table.mem_q[q] : '0;
  end

  for (genvar k = 0; k < NumKd; k++) begin : gen_kd
    assign probe_items_o[k*QcntW +: QcntW] = u_dut.u_items.some_q[k] ? u_dut.u_items.u_table.mem_q[k] : '0;
  end

  // Shows the SM's own set until the SM has recorded a backup set.
  for (genvar s = 0; s < NumSm; s++) begin : gen_sm
    assign probe_backup_o[s*SetWidth +: SetWidth] = u_dut.u_select.recorded_q[s] ?
                                                    u_dut.u_select.u_backup.mem_q[s] : SetWidth'(s / ClusterSize);
  end

  assign probe_listed_o     = u_dut.u_lists.listed_q;
  assign probe_begun_o      = u_dut.u_lists.part_q;
  assign probe_entries_o    = u_dut.u_sets.entries_q;
  assign probe_promised_o   = u_dut.u_sets.promised_q;
  assign probe_host_count_o = u_dut.u_host.count_q;
  assign probe_host_pos_o   = u_dut.host_pos_q;
  assign probe_fit_o        = u_dut.u_select.fit_q;
  assign probe_pk_valid_o   = u_dut.pk_v_q;
  assign probe_pk_entry_o   = u_dut.pk_v_q ? u_dut.pk_entry_q : '0;
  assign probe_pk_level_o   = u_dut.pk_v_q ? u_dut.pk_level_q : '0;
  assign probe_pk_sm_o      = u_dut.pk_v_q ? u_dut.pk_sm_q : '0;
  assign probe_tags_o       = TagsWidth'(u_dut.u_memory.tags);
  assign probe_rf_valid_o   = u_dut.u_memory.rf_v_q;
  assign probe_rf_list_o    = u_dut.u_memory.rf_v_q ? u_dut.u_memory.land_list_o : '0;
  assign probe_rf_entry_o   = u_dut.u_memory.rf_v_q ? u_dut.u_memory.rf_data_q : '0;
  assign probe_refill_set_o = u_dut.u_memory.rc_q;
  assign probe_wrote_o      = u_dut.u_memory.tn_q;
  assign probe_requested_o  = u_dut.u_memory.rq_v_q;
  assign probe_error_o      = u_dut.err_q;
endmodule
