// Table with one write port, one read port for a row of entries, and one read port for a single entry. The number of an
// entry is row * RowEntries + position in the row.
//
// Each position of the row has a multiplexer over the rows, so reading a row costs no more than reading one entry.
// Entry e of the row is row_o[e*Stride +: Width]; bits from Width to Stride - 1 are 0. A Stride that is a power of two
// makes simulation fast. Reads are combinational and return the contents at the start of the cycle; a write takes
// effect at the edge. Without a reset, contents are unknown until written. RowEntries and the number of rows are powers
// of two.
//
// Cost of one more unit of each parameter:
//   Width       one flip-flop per entry, or one column of a memory
//   Stride      nothing: the bits above Width are 0
//   Depth       one entry; the multiplexer of each position has Depth / RowEntries inputs
//   RowEntries  one multiplexer over the rows
module castor_table_row #(
  parameter int unsigned Width      = 8,
  parameter int unsigned Stride     = 8,
  parameter int unsigned Depth      = 8,
  parameter int unsigned RowEntries = 4,
  localparam int unsigned AddrWidth = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned RowWidth  = (Depth > RowEntries) ? $clog2(Depth / RowEntries) : 1
) (
  input  logic                         clk_i,    // clock
  input  logic                         we_i,     // writes wdata_i at the edge
  input  logic [AddrWidth-1:0]         waddr_i,  // entry that is written
  input  logic [Width-1:0]             wdata_i,  // data that is written
  input  logic [RowWidth-1:0]          row_i,    // row that is read
  output logic [RowEntries*Stride-1:0] row_o,    // entries of the row, entry e at [e*Stride +: Width]
  input  logic [AddrWidth-1:0]         raddr_i,  // entry that is read
  output logic [Width-1:0]             rdata_o   // the entry at raddr_i, in the same cycle
);
  if (Width < 1 || Stride < Width) begin : gen_bad_width
    $error("castor_table_row: Width must be 1..Stride");
  end
  if (Depth < 2 || Depth > 65536 || Depth != 2 ** $clog2(Depth)) begin : gen_bad_depth
    $error("castor_table_row: Depth must be a power of two, 2..65536");
  end
  if (RowEntries < 1 || RowEntries > Depth || RowEntries != 2 ** $clog2(RowEntries)) begin : gen_bad_row
    $error("castor_table_row: RowEntries must be a power of two, 1..Depth");
  end

  logic [Width-1:0]     mem_q [Depth];
  logic [AddrWidth-1:0] first;

  // A table of one row ignores row_i.
  assign first   = (Depth > RowEntries) ? (AddrWidth'(row_i) << $clog2(RowEntries)) : '0;
  assign rdata_o = mem_q[raddr_i];

  always_comb begin
    row_o = '0;
    for (int unsigned e = 0; e < RowEntries; e++) begin
      row_o[e*Stride +: Width] = mem_q[first | AddrWidth'(e)];
    end
  end

  always_ff @(posedge clk_i) begin
    if (we_i) begin
      mem_q[waddr_i] <= wdata_i;
    end
  end
endmodule
