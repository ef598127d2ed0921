// Table of read-only segments: lines of a thread block's shared memory that equal lines of global memory.
//
// Each context has RoSegs segments. A segment is a range of lines of shared memory and the address of the equal range
// of global memory. The table has no reset, so memory macros may replace it; a valid bit tells which segments have
// lines. The machine that moves thread blocks out skips covered lines, the other one loads them from global memory. A
// line that several segments cover belongs to the first of them.
//
// Cost of one more unit of each parameter:
//   MaxTb   55 bits of table and one flip-flop (valid bit) per segment
//   RoSegs  two tables of MaxTb rows, and 4 comparators of 12 bits
module castor_tb_swap_segments #(
  parameter int unsigned MaxTb  = 32,
  parameter int unsigned RoSegs = 2,
  localparam int unsigned SlotWidth = (MaxTb > 1) ? $clog2(MaxTb) : 1
) (
  input  logic                 clk_i,         // clock
  input  logic                 rst_ni,        // synchronous reset, active low
  input  logic                 clear_i,       // a kernel starts: no segment has lines; overrides all else
  input  logic                 enable_i,      // thread blocks of the kernel may have segments
  input  logic                 drop_i,        // drops all segments of a context
  input  logic [SlotWidth-1:0] drop_slot_i,   // that context
  input  logic                 write_i,       // writes a segment; overrides drop_i
  input  logic [SlotWidth-1:0] slot_i,        // its context
  input  logic [1:0]           index_i,       // its number; RoSegs or above: ignored
  input  logic [10:0]          lines_i,       // number of lines; 0: the segment is dropped
  input  logic [10:0]          first_i,       // first line of shared memory
  input  logic [32:0]          address_i,     // address of the equal line of global memory
  input  logic                 out_read_i,    // the machine that moves thread blocks out looks a line up
  input  logic [SlotWidth-1:0] out_slot_i,    // context of that line
  input  logic [11:0]          out_line_i,    // that line
  output logic                 out_covered_o,  // a segment covers the line; 0 while out_read_i is 0
  output logic [11:0]          out_end_o,     // line behind the segment; 0 if none covers the line
  input  logic                 in_read_i,     // the machine that moves thread blocks in looks a line up
  input  logic [SlotWidth-1:0] in_slot_i,     // context of that line
  input  logic [11:0]          in_line_i,     // that line
  output logic                 in_covered_o,  // a segment covers the line; 0 while in_read_i is 0
  output logic [32:0]          in_address_o   // address of the equal line; 0 if no segment covers the line
);
  logic [RoSegs-1:0]    out_covers, in_covers;
  logic [RoSegs*12-1:0] out_ends;
  logic [RoSegs*33-1:0] in_addresses;

  for (genvar s = 0; s < RoSegs; s++) begin : gen_segment
    logic [MaxTb-1:0] valid_q;  // contexts whose segment has lines: set by a write, cleared when it is dropped
    logic             we;
    logic [21:0]      out_range, in_range;  // {lines 11, first 11} of the machines' contexts
    logic [32:0]      in_global;  // address of the first line
    logic [10:0]      out_first, in_first;
    logic [11:0]      out_end, in_end;

    assign we = write_i && !clear_i && (32'(index_i) == s) && (32'(slot_i) < MaxTb);

    castor_table_2r1w #(
      .Width (22),
      .Depth (MaxTb)
    ) u_ranges (
      .clk_i,
      .we_i      (we),
      .waddr_i   (slot_i),
      .wdata_i   ({lines_i, first_i}),
      .raddr_a_i (out_slot_i),
      .rdata_a_o (out_range),
      .raddr_b_i (in_slot_i),
      .rdata_b_o (in_range)
    );

    castor_table_1r1w #(
      .Width (33),
      .Depth (MaxTb)
    ) u_addresses (
      .clk_i,
      .we_i    (we),
      .waddr_i (slot_i),
      .wdata_i (address_i),
      .raddr_i (in_slot_i),
      .rdata_o (in_global)
    );

    assign out_first = out_range[10:0];
    assign out_end   = {1'b0, out_range[21:11]} + {1'b0, out_first};
    assign in_first  = in_range[10:0];
    assign in_end    = {1'b0, in_range[21:11]} + {1'b0, in_first};

    assign out_covers[s] = out_read_i && enable_i && 1'(valid_q >> out_slot_i) &&
                           (out_line_i >= {1'b0, out_first}) && (out_line_i < out_end);
    assign in_covers[s]  = in_read_i && enable_i && 1'(valid_q >> in_slot_i) &&
                           (in_line_i >= {1'b0, in_first}) && (in_line_i < in_end);
    assign out_ends[s*12 +: 12]     = out_end;
    assign in_addresses[s*33 +: 33] = in_global + (33'(in_line_i) - 33'(in_first));

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        valid_q <= '0;
      end else if (clear_i) begin
        valid_q <= '0;
      end else begin
        if (drop_i) begin
          valid_q <= valid_q & ~(MaxTb'(1) << drop_slot_i);
        end
        if (we) begin
          valid_q[slot_i] <= (lines_i != '0);
        end
      end
    end
  end

  assign out_covered_o = (out_covers != '0);
  assign in_covered_o  = (in_covers != '0);

  always_comb begin
    out_end_o    = '0;
    in_address_o = '0;
    for (int unsigned s = RoSegs; s > 0; s--) begin
      if (out_covers[s-1]) begin
        out_end_o = out_ends[(s-1)*12 +: 12];
      end
      if (in_covers[s-1]) begin
        in_address_o = in_addresses[(s-1)*33 +: 33];
      end
    end
  end
endmodule
