// The warp schedulers with registers brought out for a bench: the top that is verilated. It reads the block by
// hierarchical name, so the RTL carries no test code. Vectors over warps are in the order of the hardware warps here.
module castor_saws_probe #(
  parameter int unsigned NumSched  = 4,
  parameter int unsigned NumWarps  = 64,
  parameter int unsigned MaxCta    = 32,
  parameter int unsigned EvqDepth  = 4,
  parameter int unsigned PFloor    = 1,
  parameter int unsigned InitOrder = 0,
  parameter int unsigned DemoteAt  = 0,
  parameter int unsigned SawsEn    = 1,
  localparam int unsigned NumLocal   = NumWarps / NumSched,
  localparam int unsigned IndexWidth = (NumLocal > 1) ? $clog2(NumLocal) : 1,
  localparam int unsigned PosWidth   = $clog2(NumLocal + 1),
  localparam int unsigned CtaWidth   = (MaxCta > 1) ? $clog2(MaxCta) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic       kernel_start_i,
  input  logic [1:0] mode_sel_i,
  input  logic       toggle_en_i,

  input  logic                cta_valid_i,
  input  logic                cta_free_i,
  input  logic [CtaWidth-1:0] cta_id_i,
  input  logic [NumWarps-1:0] cta_wmask_i,

  input  logic [NumSched-1:0]            wev_valid_i,
  input  logic [NumSched-1:0]            wev_exit_i,
  input  logic [NumSched*IndexWidth-1:0] wev_idx_i,
  output logic [NumSched-1:0]            wev_ready_o,
  input  logic [NumWarps-1:0]            unblock_i,

  input  logic [NumWarps-1:0]            w_ready_i,
  output logic [NumSched-1:0]            issue_valid_o,
  output logic [NumSched*IndexWidth-1:0] issue_idx_o,
  input  logic [NumSched-1:0]            issue_ack_i,

  output logic       mode_saws_o,
  output logic [2:0] err_o,

  output logic                         probe_mode_o,
  output logic [1:0]                   probe_selected_o,
  output logic                         probe_toggling_o,
  output logic [1:0]                   probe_turn_o,
  output logic [MaxCta-1:0]            probe_cta_used_o,
  output logic [MaxCta-1:0]            probe_toggle_o,
  output logic [NumWarps-1:0]          probe_allocated_o,
  output logic [NumWarps-1:0]          probe_live_o,
  output logic [NumWarps-1:0]          probe_blocked_o,
  output logic [NumWarps*CtaWidth-1:0] probe_warp_cta_o,
  output logic [NumWarps*PosWidth-1:0] probe_position_o,
  output logic [NumSched*PosWidth-1:0] probe_pointer_o,
  output logic [NumSched-1:0]          probe_greedy_o,
  output logic [NumSched*PosWidth-1:0] probe_length_o,
  output logic [NumSched*5-1:0]        probe_waiting_o,
  output logic [NumSched*8-1:0]        probe_oldest_o,
  output logic [2:0]                   probe_error_o
);
  castor_saws #(
    .NumSched  (NumSched),
    .NumWarps  (NumWarps),
    .MaxCta    (MaxCta),
    .EvqDepth  (EvqDepth),
    .PFloor    (PFloor),
    .InitOrder (InitOrder),
    .DemoteAt  (DemoteAt),
    .SawsEn    (SawsEn)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .kernel_start_i,
    .mode_sel_i,
    .toggle_en_i,
    .cta_valid_i,
    .cta_free_i,
    .cta_id_i,
    .cta_wmask_i,
    .wev_valid_i,
    .wev_exit_i,
    .wev_idx_i,
    .wev_ready_o,
    .unblock_i,
    .w_ready_i,
    .issue_valid_o,
    .issue_idx_o,
    .issue_ack_i,
    .mode_saws_o,
    .err_o
  );

  assign probe_mode_o     = u_dut.mode;
  assign probe_selected_o = u_dut.selected;
  assign probe_toggling_o = u_dut.toggling;
  assign probe_turn_o     = u_dut.turn;
  assign probe_cta_used_o = u_dut.used_q;
  assign probe_toggle_o   = u_dut.toggle;
  assign probe_pointer_o  = u_dut.pointer;
  assign probe_greedy_o   = u_dut.greedy;
  assign probe_length_o   = u_dut.length;
  assign probe_waiting_o  = u_dut.waiting;
  assign probe_error_o    = err_o;

  // The oldest message of each queue, 0 where none waits.
  if (SawsEn != 0) begin : gen_oldest
    for (genvar s = 0; s < NumSched; s++) begin : gen_queue
      assign probe_oldest_o[s*8 +: 8] =
          u_dut.gen_saws.u_scu.waiting[s] ?
          {u_dut.gen_saws.u_scu.head_dead[s], u_dut.gen_saws.u_scu.head_all_blocked[s],
           u_dut.gen_saws.u_scu.head_hit[s], 5'(u_dut.gen_saws.u_scu.head_cta[s*CtaWidth +: CtaWidth])} : '0;
    end
  end else begin : gen_no_oldest
    assign probe_oldest_o = '0;
  end

  for (genvar s = 0; s < NumSched; s++) begin : gen_sched
    for (genvar i = 0; i < NumLocal; i++) begin : gen_warp
      assign probe_allocated_o[i*NumSched+s] = u_dut.allocated[s*NumLocal+i];
      assign probe_live_o[i*NumSched+s]      = u_dut.live[s*NumLocal+i];
      assign probe_blocked_o[i*NumSched+s]   = u_dut.blocked[s*NumLocal+i];
      for (genvar b = 0; b < CtaWidth; b++) begin : gen_cta
        assign probe_warp_cta_o[(i*NumSched+s)*CtaWidth+b] = u_dut.warp_cta[(s*CtaWidth+b)*NumLocal+i];
      end
      for (genvar b = 0; b < PosWidth; b++) begin : gen_position
        assign probe_position_o[(i*NumSched+s)*PosWidth+b] = u_dut.pos[(s*PosWidth+b)*NumLocal+i];
      end
    end
  end
endmodule
