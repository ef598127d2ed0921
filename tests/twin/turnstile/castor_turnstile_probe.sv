// The verilated top: the block, with the registers that a bench may look at as outputs.

module castor_turnstile_probe #(
  parameter int unsigned NumPorts = 96,
  parameter int unsigned NumWays  = 3,
  parameter int unsigned Depth    = 5,
  localparam int unsigned PortW   = (NumPorts > 1) ? $clog2(NumPorts) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [47:0]           now_i,
  input  logic [NumPorts-1:0]   req_i,
  input  logic                  pick_grant_i,
  input  logic [NumWays*4-1:0]  weight_i,
  input  logic                  out_ready_i,
  input  logic                  reg_req_i,
  input  logic                  reg_we_i,
  input  logic [15:0]           reg_addr_i,
  input  logic [31:0]           reg_wdata_i,
  output logic                  pick_valid_o,
  output logic [PortW-1:0]      pick_port_o,
  output logic                  out_valid_o,
  output logic [PortW-1:0]      out_port_o,
  output logic [3:0]            out_weight_o,
  output logic [15:0]           out_stamp_o,
  output logic [NumWays*12-1:0] total_o,
  output logic                  beat_o,
  output logic                  reg_ack_o,
  output logic [1:0]            reg_err_o,
  output logic [31:0]           reg_rdata_o,
  output logic [1:0]            probe_level_o,
  output logic [4:0]            probe_count_o,
  output logic [PortW-1:0]      probe_pointer_o,
  output logic [NumPorts-1:0]   probe_served_o,
  output logic [15:0]           probe_timer_o,
  output logic [15:0]           probe_period_o,
  output logic                  probe_beating_o
);

  castor_turnstile #(
    .NumPorts(NumPorts),
    .NumWays(NumWays),
    .Depth(Depth)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .now_i,
    .req_i,
    .pick_grant_i,
    .weight_i,
    .out_ready_i,
    .reg_req_i,
    .reg_we_i,
    .reg_addr_i,
    .reg_wdata_i,
    .pick_valid_o,
    .pick_port_o,
    .out_valid_o,
    .out_port_o,
    .out_weight_o,
    .out_stamp_o,
    .total_o,
    .beat_o,
    .reg_ack_o,
    .reg_err_o,
    .reg_rdata_o
  );

  assign probe_level_o   = u_dut.level_q;
  assign probe_count_o   = u_dut.count_q;
  assign probe_pointer_o = u_dut.pointer_q;
  assign probe_served_o  = u_dut.served_q;
  assign probe_timer_o   = u_dut.timer_q;
  assign probe_period_o  = u_dut.period_q;
  assign probe_beating_o = u_dut.beat_q;
endmodule
