// LaPerm with registers brought out for a bench: the top that is verilated. It reads the block by hierarchical name, so
// the RTL carries no test code. Of the tables without reset it shows what the marks beside them vouch for.
module castor_laperm_probe #(
  parameter int unsigned NumSm       = 13,
  parameter int unsigned ClusterSize = 1,
  parameter int unsigned LvlMax      = 4,
  parameter int unsigned BankDepth   = 128,
  parameter int unsigned NumKd       = 32,
  parameter int unsigned OvfW        = 18,
  parameter int unsigned RefillMax   = 4,
  parameter int unsigned QcntW       = 20,
  parameter int unsigned AgeiW       = 32,
  parameter int unsigned CntW        = 32,
  parameter int unsigned DimW        = 64,
  parameter int unsigned ParamW      = 32,
  localparam int unsigned NumSets      = (NumSm + ClusterSize - 1) / ClusterSize,
  localparam int unsigned NumLists     = NumSets * LvlMax,
  localparam int unsigned SmWidth      = $clog2(NumSm),
  localparam int unsigned KdWidth      = $clog2(NumKd),
  localparam int unsigned ListWidth    = (NumLists > 1) ? $clog2(NumLists) : 1,
  localparam int unsigned EntryWidth   = KdWidth + AgeiW + CntW + DimW + ParamW,
  localparam int unsigned SetWidth     = (NumSets > 1) ? $clog2(NumSets) : 1,
  localparam int unsigned FetchWidth   = $clog2(RefillMax + 2),
  localparam int unsigned EntriesWidth = $clog2(NumSets * BankDepth + 1),
  localparam int unsigned HostWidth    = $clog2(NumKd + 1),
  localparam int unsigned TagsWidth    = $clog2(RefillMax + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Static: they change only while nothing waits and nothing is pushed.
  input  logic [1:0] policy_i,
  input  logic [4:0] ovf_log2_i,

  // Kernels and groups.
  input  logic               push_valid_i,
  output logic               push_ready_o,
  input  logic [KdWidth-1:0] push_kd_i,
  input  logic [AgeiW-1:0]   push_agei_i,
  input  logic [CntW-1:0]    push_cnt_i,
  input  logic [DimW-1:0]    push_dim_i,
  input  logic [ParamW-1:0]  push_param_i,
  input  logic [3:0]         push_level_i,
  input  logic [SmWidth-1:0] push_sm_i,
  input  logic [6:0]         push_warps_i,
  input  logic [9:0]         push_regs_i,
  input  logic [9:0]         push_smem_i,

  // Room of the SM that is examined.
  output logic [SmWidth-1:0] scan_sm_o,
  input  logic               room_open_i,
  input  logic [5:0]         room_slots_i,
  input  logic [6:0]         room_warps_i,
  input  logic [9:0]         room_regs_i,
  input  logic [9:0]         room_smem_i,
  input  logic [NumKd-1:0]   kd_ok_i,

  // Thread blocks.
  output logic               pl_valid_o,
  input  logic               pl_taken_i,
  output logic [SmWidth-1:0] pl_sm_o,
  output logic [KdWidth-1:0] pl_kd_o,
  output logic [AgeiW-1:0]   pl_agei_o,
  output logic [3:0]         pl_level_o,
  output logic [CntW-1:0]    pl_pos_o,
  output logic               pl_last_o,
  output logic [DimW-1:0]    pl_dim_o,
  output logic [ParamW-1:0]  pl_param_o,
  output logic [1:0]         ev_stage_o,
  output logic               ev_backup_o,
  output logic               ev_starve_o,

  // Memory.
  output logic                  mem_valid_o,
  input  logic                  mem_ready_i,
  output logic                  mem_we_o,
  output logic [ListWidth-1:0]  mem_list_o,
  output logic [OvfW-1:0]       mem_idx_o,
  output logic [EntryWidth-1:0] mem_wdata_o,
  input  logic                  mem_rvalid_i,
  input  logic [EntryWidth-1:0] mem_rdata_i,

  output logic [NumKd-1:0] hold_o,
  output logic             waiting_o,
  output logic             ready_o,
  output logic [NumSm-1:0] fits_head_o,
  output logic [NumSm-1:0] bound_wait_o,
  output logic [1:0]       err_o,

  output logic [NumLists-1:0]             probe_listed_o,
  output logic [NumLists-1:0]             probe_begun_o,
  output logic [NumLists*(OvfW+1)-1:0]    probe_in_memory_o,
  output logic [NumLists*OvfW-1:0]        probe_oldest_o,
  output logic [NumLists*FetchWidth-1:0]  probe_fetches_o,
  output logic [NumSets*EntriesWidth-1:0] probe_entries_o,
  output logic [NumSets*FetchWidth-1:0]   probe_promised_o,
  output logic [HostWidth-1:0]            probe_host_count_o,
  output logic [CntW-1:0]                 probe_host_pos_o,
  output logic [NumKd*QcntW-1:0]          probe_items_o,
  output logic [NumSm*SetWidth-1:0]       probe_backup_o,
  output logic [NumSm-1:0]                probe_fit_o,
  output logic                            probe_pk_valid_o,
  output logic [EntryWidth-1:0]           probe_pk_entry_o,
  output logic [3:0]                      probe_pk_level_o,
  output logic [SmWidth-1:0]              probe_pk_sm_o,
  output logic [TagsWidth-1:0]            probe_tags_o,
  output logic                            probe_rf_valid_o,
  output logic [ListWidth-1:0]            probe_rf_list_o,
  output logic [EntryWidth-1:0]           probe_rf_entry_o,
  output logic [SetWidth-1:0]             probe_refill_set_o,
  output logic                            probe_wrote_o,
  output logic                            probe_requested_o,
  output logic [1:0]                      probe_error_o
);
  castor_laperm #(
    .NumSm       (NumSm),
    .ClusterSize (ClusterSize),
    .LvlMax      (LvlMax),
    .BankDepth   (BankDepth),
    .NumKd       (NumKd),
    .OvfW        (OvfW),
    .RefillMax   (RefillMax),
    .QcntW       (QcntW),
    .AgeiW       (AgeiW),
    .CntW        (CntW),
    .DimW        (DimW),
    .ParamW      (ParamW)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .policy_i,
    .ovf_log2_i,
    .push_valid_i,
    .push_ready_o,
    .push_kd_i,
    .push_agei_i,
    .push_cnt_i,
    .push_dim_i,
    .push_param_i,
    .push_level_i,
    .push_sm_i,
    .push_warps_i,
    .push_regs_i,
    .push_smem_i,
    .scan_sm_o,
    .room_open_i,
    .room_slots_i,
    .room_warps_i,
    .room_regs_i,
    .room_smem_i,
    .kd_ok_i,
    .pl_valid_o,
    .pl_taken_i,
    .pl_sm_o,
    .pl_kd_o,
    .pl_agei_o,
    .pl_level_o,
    .pl_pos_o,
    .pl_last_o,
    .pl_dim_o,
    .pl_param_o,
    .ev_stage_o,
    .ev_backup_o,
    .ev_starve_o,
    .mem_valid_o,
    .mem_ready_i,
    .mem_we_o,
    .mem_list_o,
    .mem_idx_o,
    .mem_wdata_o,
    .mem_rvalid_i,
    .mem_rdata_i,
    .hold_o,
    .waiting_o,
    .ready_o,
    .fits_head_o,
    .bound_wait_o,
    .err_o
  );

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

  // An SM that has chosen no backup set yet has its own.
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
