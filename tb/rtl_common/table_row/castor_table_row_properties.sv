// Properties of the table: every rule in the header comment of castor_table_row.sv. A proof may choose any entry as the
// watched entry, so a property of the watched entry holds for all entries.
`include "castor_assert.svh"

module castor_table_row_properties;
  // Reset of the registers below; the table itself has no reset.
  logic rst_ni;
  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
  end

  // Watched entry, the last value written to it, and whether it has been written.
  logic [AddrWidth-1:0] watched_q;
  logic [Width-1:0]     value_q;
  logic                 written_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      watched_q <= raddr_i;
      written_q <= 1'b0;
    end else if (we_i && waddr_i == watched_q) begin
      value_q   <= wdata_i;
      written_q <= 1'b1;
    end
  end

  `CASTOR_ASSERT(read_is_what_was_written_last, !(written_q && raddr_i == watched_q) || rdata_o == value_q)

  // Watched entry as row_o shows it. A table with a single row shows this entry for every value of row_i.
  logic [Width-1:0] shown;
  logic             row_is_watched, gaps_are_0;

  assign row_is_watched = (Depth == RowEntries) || 32'(row_i) == 32'(watched_q) >> $clog2(RowEntries);

  always_comb begin
    shown      = '0;
    gaps_are_0 = 1'b1;
    for (int unsigned e = 0; e < RowEntries; e++) begin
      if ((32'(watched_q) & (RowEntries - 1)) == e) begin
        shown = row_o[e*Stride +: Width];
      end
      for (int unsigned b = Width; b < Stride; b++) begin
        gaps_are_0 = gaps_are_0 && !row_o[e*Stride+b];
      end
    end
  end

  `CASTOR_ASSERT(row_shows_what_was_written_last, !(written_q && row_is_watched) || shown == value_q)
  `CASTOR_ASSERT(gaps_in_a_row_are_0, gaps_are_0)

  // Cover statements: the assumptions of the proofs must leave these situations reachable.
  `CASTOR_COVER(row_of_last_entry_is_read, written_q && row_is_watched && 32'(watched_q) == Depth - 1)
  `CASTOR_COVER(reads_meet_the_write, written_q && row_is_watched && raddr_i == watched_q && we_i &&
                                          waddr_i == watched_q)
endmodule

bind castor_table_row castor_table_row_properties u_properties ();
