// Table with three read and three write ports: shared adders around flops rather than an adder for every entry.
//
// A read is combinational and shows what the table holds at the start of the cycle; a write takes effect at the edge.
// If several ports write one entry, c beats b and b beats a. There is no reset: contents are unknown until written.
// Addresses from Depth on read as unknown and must not be written. An unused port is tied off and costs nothing.
module castor_table_3r3w #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned AddrWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic                 we_a_i,
  input  logic [AddrWidth-1:0] waddr_a_i,
  input  logic [Width-1:0]     wdata_a_i,
  input  logic                 we_b_i,
  input  logic [AddrWidth-1:0] waddr_b_i,
  input  logic [Width-1:0]     wdata_b_i,
  input  logic                 we_c_i,
  input  logic [AddrWidth-1:0] waddr_c_i,
  input  logic [Width-1:0]     wdata_c_i,
  input  logic [AddrWidth-1:0] raddr_a_i,
  output logic [Width-1:0]     rdata_a_o,
  input  logic [AddrWidth-1:0] raddr_b_i,
  output logic [Width-1:0]     rdata_b_o,
  input  logic [AddrWidth-1:0] raddr_c_i,
  output logic [Width-1:0]     rdata_c_o
);
  if (Width < 1) begin : gen_bad_width
    $error("castor_table_3r3w: Width must be at least 1");
  end
  if (Depth < 1 || Depth > 65536) begin : gen_bad_depth
    $error("castor_table_3r3w: Depth must be 1..65536");
  end

  logic [Width-1:0] mem_q [Depth];

  assign rdata_a_o = mem_q[raddr_a_i];
  assign rdata_b_o = mem_q[raddr_b_i];
  assign rdata_c_o = mem_q[raddr_c_i];

  always_ff @(posedge clk_i) begin
    if (we_a_i) begin
      mem_q[waddr_a_i] <= wdata_a_i;
    end
    if (we_b_i) begin
      mem_q[waddr_b_i] <= wdata_b_i;
    end
    if (we_c_i) begin
      mem_q[waddr_c_i] <= wdata_c_i;
    end
  end
endmodule
