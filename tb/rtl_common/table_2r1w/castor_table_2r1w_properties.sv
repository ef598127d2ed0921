// Properties of the table: every rule in the header comment of castor_table_2r1w.sv. A proof may choose any entry as
// the watched entry, so a property of the watched entry holds for all entries.
`include "castor_assert.svh"

module castor_table_2r1w_properties;
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
      watched_q <= raddr_a_i;
      written_q <= 1'b0;
    end else if (we_i && waddr_i == watched_q) begin
      value_q   <= wdata_i;
      written_q <= 1'b1;
    end
  end

  `CASTOR_ASSERT(read_a_is_what_was_written_last, !(written_q && raddr_a_i == watched_q) || rdata_a_o == value_q)
  `CASTOR_ASSERT(read_b_is_what_was_written_last, !(written_q && raddr_b_i == watched_q) || rdata_b_o == value_q)

  // Cover statements: the assumptions of the proofs must leave these situations reachable.
  `CASTOR_COVER(last_entry_is_read_by_b_alone, written_q && raddr_a_i != raddr_b_i && raddr_b_i == watched_q &&
                                                   32'(watched_q) == Depth - 1)
  `CASTOR_COVER(both_reads_meet_the_write, written_q && raddr_a_i == watched_q && raddr_b_i == watched_q && we_i &&
                                               waddr_i == watched_q)
endmodule

bind castor_table_2r1w castor_table_2r1w_properties u_properties ();
