// Picks what is offered, and remembers what was taken.

module castor_@NAME@ #(
  parameter int unsigned NumLanes = @LANES@,
  parameter int unsigned Width    = @WIDTH@
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [NumLanes-1:0]       offer_valid_i,
  input  logic [NumLanes*Width-1:0] offer_i,
  input  logic [NumLanes-1:0]       taken_i,
  output logic [NumLanes-1:0]       pick_valid_o,
  output logic [NumLanes*Width-1:0] pick_o
);
  if (NumLanes < 1 || NumLanes > @MAX_LANES@) $error("castor_@NAME@: NumLanes is 1 to @MAX_LANES@");
  if (Width < 1 || Width > @MAX_WIDTH@) $error("castor_@NAME@: Width is 1 to @MAX_WIDTH@");

  logic [NumLanes-1:0] taken;
  logic [7:0]          count_q, count_d;
  logic [Width-1:0]    last_q, last_d;

  always_comb begin
    pick_valid_o = offer_valid_i;
    pick_o = '0;
    for (int unsigned i = 0; i < NumLanes; i = i + 1) begin
      if (offer_valid_i[i]) pick_o[i*Width +: Width] = offer_i[i*Width +: Width];
    end
  end

  always_comb begin
    taken = taken_i & offer_valid_i;
    count_d = count_q;
    last_d = last_q;
    if (taken != '0) count_d = count_q + 8'd1;
    for (int unsigned i = NumLanes; i > 0; i = i - 1) begin
      if (taken[i-1]) last_d = offer_i[(i-1)*Width +: Width];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      last_q <= '0;
    end else begin
      count_q <= count_d;
      last_q <= last_d;
    end
  end
endmodule
