// Table with three read and three write ports, made of flip-flops. A few adders at its ports can serve all entries.
//
// A read is combinational and returns the contents at the start of the cycle; a write takes effect at the edge.
// If several ports write one entry, port c overrides b, and b overrides a. There is no reset: contents are unknown
// until written. Addresses of Depth or above read as unknown and must not be written. A tied-off port costs nothing.
//
// Cost of one more unit of each parameter:
//   Width  one flip-flop per entry, or one column of a memory
//   Depth  one entry, and one input of every read port's multiplexer
module castor_table_3r3w #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned AddrWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,      // clock
  input  logic                 we_a_i,     // port a writes wdata_a_i at the edge
  input  logic [AddrWidth-1:0] waddr_a_i,  // entry that port a writes
  input  logic [Width-1:0]     wdata_a_i,  // data that port a writes
  input  logic                 we_b_i,     // port b writes wdata_b_i at the edge
  input  logic [AddrWidth-1:0] waddr_b_i,  // entry that port b writes
  input  logic [Width-1:0]     wdata_b_i,  // data that port b writes
  input  logic                 we_c_i,     // port c writes wdata_c_i at the edge
  input  logic [AddrWidth-1:0] waddr_c_i,  // entry that port c writes
  input  logic [Width-1:0]     wdata_c_i,  // data that port c writes
  input  logic [AddrWidth-1:0] raddr_a_i,  // entry that port a reads
  output logic [Width-1:0]     rdata_a_o,  // the entry at raddr_a_i, in the same cycle
  input  logic [AddrWidth-1:0] raddr_b_i,  // entry that port b reads
  output logic [Width-1:0]     rdata_b_o,  // the entry at raddr_b_i, in the same cycle
  input  logic [AddrWidth-1:0] raddr_c_i,  // entry that port c reads
  output logic [Width-1:0]     rdata_c_o   // the entry at raddr_c_i, in the same cycle
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
