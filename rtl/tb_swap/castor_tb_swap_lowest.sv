// Finds the lowest set bit of a vector. Combinational: a search in parts of 64 bits, without a serial chain over the
// bits.
//
// Cost of one more unit of Num: one input of the search tree.
module castor_tb_swap_lowest #(
  parameter int unsigned Num = 64,
  localparam int unsigned Width = (Num > 1) ? $clog2(Num) : 1
) (
  input  logic [Num-1:0]   bits_i,   // bits that are searched
  output logic [Width-1:0] lowest_o  // number of the lowest set bit; 0 if no bit is set
);
  localparam int unsigned NumParts = (Num + 63) / 64;

  logic [NumParts*64-1:0] padded;
  logic [63:0]            part, one;  // lowest part that has a set bit, and its lowest set bit alone
  logic [1:0]             number;  // number of that part
  logic [5:0]             position;

  assign padded = (NumParts * 64)'(bits_i);

  always_comb begin
    part   = padded[(NumParts-1)*64 +: 64];
    number = 2'(NumParts - 1);
    for (int unsigned p = NumParts - 1; p > 0; p--) begin
      if (padded[(p-1)*64 +: 64] != '0) begin
        part   = padded[(p-1)*64 +: 64];
        number = 2'(p - 1);
      end
    end
  end

  assign one = part & (~part + 64'd1);

  assign position[0] = |(one & 64'hAAAA_AAAA_AAAA_AAAA);
  assign position[1] = |(one & 64'hCCCC_CCCC_CCCC_CCCC);
  assign position[2] = |(one & 64'hF0F0_F0F0_F0F0_F0F0);
  assign position[3] = |(one & 64'hFF00_FF00_FF00_FF00);
  assign position[4] = |(one & 64'hFFFF_0000_FFFF_0000);
  assign position[5] = |(one & 64'hFFFF_FFFF_0000_0000);

  assign lowest_o = (part == '0) ? '0 : Width'({number, position});
endmodule
