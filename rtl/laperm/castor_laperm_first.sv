// Finds the first set bit at or above a position, with wrap-around. Combinational.
module castor_laperm_first #(
  parameter int unsigned Num = 13,
  localparam int unsigned Width = (Num > 1) ? $clog2(Num) : 1
) (
  input  logic [Num-1:0]   bits_i,  // bits that are searched
  input  logic [Width-1:0] from_i,  // position at which the search begins
  output logic [Width-1:0] first_o  // first set bit; 0 if no bit is set
);
  logic [Num-1:0] above;  // set bits at or above from_i

  assign above = bits_i & ~((Num'(1) << from_i) - 1'b1);

  always_comb begin
    first_o = '0;
    for (int unsigned i = Num; i > 0; i--) begin
      if (bits_i[i-1]) begin
        first_o = Width'(i - 1);
      end
    end
    for (int unsigned i = Num; i > 0; i--) begin
      if (above[i-1]) begin
        first_o = Width'(i - 1);
      end
    end
  end
endmodule
