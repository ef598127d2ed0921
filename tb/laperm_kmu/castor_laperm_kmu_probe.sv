// The launcher's choice of the next kernel with registers brought out for a bench: the top that is verilated. It reads
// the block by hierarchical name, so the RTL carries no test code. What means something in some states is 0 in others.
module castor_laperm_kmu_probe #(
  parameter int unsigned NumSm  = 13,
  parameter int unsigned LvlMax = 4,
  parameter int unsigned NumHq  = 32,
  localparam int unsigned NumLists   = NumSm * LvlMax,
  localparam int unsigned NumSources = (NumLists > NumHq) ? NumLists : NumHq,
  localparam int unsigned IndexWidth = (NumSources > 1) ? $clog2(NumSources) : 1,
  localparam int unsigned SmWidth    = $clog2(NumSm),
  localparam int unsigned QueueWidth = (NumHq > 1) ? $clog2(NumHq) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // What could be taken: only while an entry of the kernel table is free.
  input  logic [NumLists-1:0] list_rdy_i,
  input  logic                susp_rdy_i,
  input  logic [NumHq-1:0]    host_rdy_i,

  output logic                  pick_valid_o,
  output logic [1:0]            pick_kind_o,
  output logic [IndexWidth-1:0] pick_idx_o,
  input  logic                  pick_grant_i,

  output logic [1:0]            probe_state_o,
  output logic [SmWidth-1:0]    probe_next_sm_o,
  output logic [QueueWidth-1:0] probe_next_hq_o,
  output logic [SmWidth-1:0]    probe_sm_o,
  output logic [3:0]            probe_level_o,
  output logic [1:0]            probe_kind_o,
  output logic [IndexWidth-1:0] probe_index_o
);
  castor_laperm_kmu #(
    .NumSm  (NumSm),
    .LvlMax (LvlMax),
    .NumHq  (NumHq)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .list_rdy_i,
    .susp_rdy_i,
    .host_rdy_i,
    .pick_valid_o,
    .pick_kind_o,
    .pick_idx_o,
    .pick_grant_i
  );

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
