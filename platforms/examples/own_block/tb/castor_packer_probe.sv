// The verilated top: the block, with the registers that a bench may look at as outputs.

module castor_packer_probe #(
  parameter int unsigned NumSms = 15,
  localparam int unsigned SmW   = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [NumSms-1:0] fits_i,
  input  logic [7:0]        depth_i,
  input  logic              place_grant_i,
  output logic              place_valid_o,
  output logic [SmW-1:0]    place_sm_o,
  output logic [SmW-1:0]    probe_sm_o,
  output logic [7:0]        probe_run_o
);
  castor_packer #(
    .NumSms(NumSms)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .fits_i,
    .depth_i,
    .place_grant_i,
    .place_valid_o,
    .place_sm_o
  );

  assign probe_sm_o  = u_dut.sm_q;
  assign probe_run_o = u_dut.run_q;
endmodule
