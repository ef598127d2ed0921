// Places thread blocks on one SM after another.
//
// A thread block goes to the same SM as the previous one, as long as it fits there and the SM has not received depth_i
// thread blocks in a row. Otherwise it goes to the next SM in circular order that can take it; the same SM comes last.

module castor_packer #(
  parameter int unsigned NumSms = 15,
  localparam int unsigned SmW   = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input  logic              clk_i,          // clock
  input  logic              rst_ni,         // synchronous reset, active low
  input  logic [NumSms-1:0] fits_i,         // SMs that take the next thread block
  input  logic [7:0]        depth_i,        // thread blocks in a row for an SM; 0 = until it is full
  input  logic              place_grant_i,  // the thread block goes to the SM offered
  output logic              place_valid_o,  // an SM is offered
  output logic [SmW-1:0]    place_sm_o      // SM that is offered
);
  if (NumSms < 1 || NumSms > 64) $error("castor_packer: NumSms is 1 to 64");

  // sm_q: SM of the last thread block placed; updated with each grant, reset to the highest SM.
  // run_q: thread blocks placed on sm_q in a row, saturating at 255; set to 1 when the row restarts, reset to 0.
  logic [SmW-1:0]    sm_q, sm_d;
  logic [7:0]        run_q, run_d;
  logic              here, stay, place;
  logic [NumSms-1:0] behind, candidates;

  always_comb begin
    here = 1'b0;
    behind = '0;
    for (int unsigned i = 0; i < NumSms; i = i + 1) begin
      if (SmW'(i) == sm_q) here = fits_i[i];
      if (SmW'(i) > sm_q) behind[i] = fits_i[i];
    end
    stay = (run_q != 8'd0) && here && (depth_i == 8'd0 || run_q < depth_i);
    candidates = (behind != '0) ? behind : fits_i;
    place_valid_o = (fits_i != '0);
    place_sm_o = '0;
    if (stay) begin
      place_sm_o = sm_q;
    end else begin
      for (int unsigned i = NumSms; i > 0; i = i - 1) begin
        if (candidates[i-1]) place_sm_o = SmW'(i - 1);
      end
    end
    place = place_grant_i && place_valid_o;
    sm_d = place ? place_sm_o : sm_q;
    run_d = run_q;
    if (place) run_d = !stay ? 8'd1 : (run_q == 8'd255) ? 8'd255 : run_q + 8'd1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sm_q <= SmW'(NumSms - 1);
      run_q <= 8'd0;
    end else begin
      sm_q <= sm_d;
      run_q <= run_d;
    end
  end
endmodule
