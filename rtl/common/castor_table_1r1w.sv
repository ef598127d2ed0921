// Table with one read and one write port. A memory macro may replace it.
//
// A read is combinational and returns the contents at the start of the cycle; a write takes effect at the edge.
// There is no reset: contents are unknown until written. Addresses of Depth or above read as unknown and must not be
// written.
//
// Cost of one more unit of each parameter:
//   Width  one flip-flop per entry, or one column of a memory
//   Depth  one entry, and one input of every read port's multiplexer
module castor_table_1r1w #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned AddrWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,    // clock
  input  logic                 we_i,     // writes wdata_i at the edge
  input  logic [AddrWidth-1:0] waddr_i,  // entry that is written
  input  logic [Width-1:0]     wdata_i,  // data that is written
  input  logic [AddrWidth-1:0] raddr_i,  // entry that is read
  output logic [Width-1:0]     rdata_o   // the entry at raddr_i, in the same cycle
);
  if (Width < 1) begin : gen_bad_width
    $error("castor_table_1r1w: Width must be at least 1");
  end
  if (Depth < 1 || Depth > 65536) begin : gen_bad_depth
    $error("castor_table_1r1w: Depth must be 1..65536");
  end

  logic [Width-1:0] mem_q [Depth];

  assign rdata_o = mem_q[raddr_i];

  always_ff @(posedge clk_i) begin
    if (we_i) begin
      mem_q[waddr_i] <= wdata_i;
    end
  end
endmodule
