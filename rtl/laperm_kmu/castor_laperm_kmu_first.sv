// Finds the first set bit at or above a position, with wrap-around. Combinational, without a serial chain over the
// bits.
module castor_laperm_kmu_first #(
  parameter int unsigned Num = 13,
  localparam int unsigned Width = (Num > 1) ? $clog2(Num) : 1
) (
  input  logic [Num-1:0]   bits_i,  // bits that are searched
  input  logic [Width-1:0] from_i,  // position at which the search begins
  output logic [Width-1:0] first_o  // first set bit; 0 if no bit is set
);
  logic [Num-1:0] above, candidates, first;

  assign above      = bits_i & ({Num{1'b1}} << from_i);
  assign candidates = (above != '0) ? above : bits_i;
  assign first      = candidates & (~candidates + 1'b1);  // lowest set bit of candidates

  always_comb begin
    first_o = '0;
    for (int unsigned i = 0; i < Num; i++) begin
      if (first[i]) begin
        first_o |= Width'(i);
      end
    end
  end
endmodule
