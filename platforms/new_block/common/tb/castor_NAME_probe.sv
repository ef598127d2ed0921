// The verilated top: the block, with the registers that a bench may look at as outputs, probe_<name>_o.

module castor_@NAME@_probe #(
  parameter int unsigned NumLanes = @LANES@,
  parameter int unsigned Width    = @WIDTH@
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [NumLanes-1:0]       offer_valid_i,
  input  logic [NumLanes*Width-1:0] offer_i,
  input  logic [NumLanes-1:0]       taken_i,
  output logic [NumLanes-1:0]       pick_valid_o,
  output logic [NumLanes*Width-1:0] pick_o,
  output logic [7:0]                probe_count_o,
  output logic [Width-1:0]          probe_last_o
);
  castor_@NAME@ #(
    .NumLanes(NumLanes),
    .Width(Width)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .offer_valid_i,
    .offer_i,
    .taken_i,
    .pick_valid_o,
    .pick_o
  );

  assign probe_count_o = u_dut.count_q;
  assign probe_last_o  = u_dut.last_q;
endmodule
