// Properties of the table: all that the head of castor_table_2r1w.sv says. The watched entry can be any, so what holds
// of it holds of all.
`include "castor_assert.svh"

module castor_table_2r1w_properties;
  // The table has no reset. This one is that of the registers below.
  logic rst_ni;
  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
  end

  // The last value written to the watched entry.
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

  // The proofs exclude none of this.
  `CASTOR_COVER(last_entry_is_read_by_b_alone, written_q && raddr_a_i != raddr_b_i && raddr_b_i == watched_q &&
                                                   32'(watched_q) == Depth - 1)
  `CASTOR_COVER(both_reads_meet_the_write, written_q && raddr_a_i == watched_q && raddr_b_i == watched_q && we_i &&
                                               waddr_i == watched_q)
endmodule

bind castor_table_2r1w castor_table_2r1w_properties u_properties ();
