// Properties of the table: every rule in the header comment of castor_table_1r1w.sv. A proof may choose any entry as
// the watched entry, so a property of the watched entry holds for all entries.
`include "castor_assert.svh"

module castor_table_1r1w_properties;
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

  `CASTOR_ASSUME(write_in_range, !we_i || 32'(waddr_i) < Depth)

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

  // Cover statements: the assumptions of the proof must leave these situations reachable.
  `CASTOR_COVER(last_entry_is_read, written_q && raddr_i == watched_q && 32'(watched_q) == Depth - 1)
  `CASTOR_COVER(read_meets_write, written_q && raddr_i == watched_q && we_i && waddr_i == watched_q)
endmodule

bind castor_table_1r1w castor_table_1r1w_properties u_properties ();
