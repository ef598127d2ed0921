// Properties of the table: every rule in the header comment of castor_table_3r3w.sv. A proof may choose any entry as
// the watched entry, so a property of the watched entry holds for all entries.
`include "castor_assert.svh"

module castor_table_3r3w_properties;
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

  `CASTOR_ASSUME(write_a_in_range, !we_a_i || 32'(waddr_a_i) < Depth)
  `CASTOR_ASSUME(write_b_in_range, !we_b_i || 32'(waddr_b_i) < Depth)
  `CASTOR_ASSUME(write_c_in_range, !we_c_i || 32'(waddr_c_i) < Depth)

  logic a_hits, b_hits, c_hits;

  assign a_hits = we_a_i && waddr_a_i == watched_q;
  assign b_hits = we_b_i && waddr_b_i == watched_q;
  assign c_hits = we_c_i && waddr_c_i == watched_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      watched_q <= raddr_a_i;
      written_q <= 1'b0;
    end else if (a_hits || b_hits || c_hits) begin
      value_q   <= c_hits ? wdata_c_i : b_hits ? wdata_b_i : wdata_a_i;
      written_q <= 1'b1;
    end
  end

  `CASTOR_ASSERT(read_a_is_what_was_written_last, !(written_q && raddr_a_i == watched_q) || rdata_a_o == value_q)
  `CASTOR_ASSERT(read_b_is_what_was_written_last, !(written_q && raddr_b_i == watched_q) || rdata_b_o == value_q)
  `CASTOR_ASSERT(read_c_is_what_was_written_last, !(written_q && raddr_c_i == watched_q) || rdata_c_o == value_q)

  // Cover statements: the assumptions of the proofs must leave these situations reachable. `met_q` shows which writes
  // hit the watched entry simultaneously in the previous cycle: each pair, and all three.
  logic [3:0] met_q;

  always_ff @(posedge clk_i) begin
    met_q <= rst_ni ? {a_hits && b_hits && c_hits, a_hits && c_hits, b_hits && c_hits, a_hits && b_hits} : '0;
  end

  `CASTOR_COVER(read_after_a_met_b, met_q == 4'b0001 && raddr_a_i == watched_q)
  `CASTOR_COVER(read_after_b_met_c, met_q == 4'b0010 && raddr_b_i == watched_q)
  `CASTOR_COVER(read_after_a_met_c, met_q == 4'b0100 && raddr_c_i == watched_q)
  `CASTOR_COVER(read_after_all_three_met, met_q == '1 && raddr_a_i == watched_q && 32'(watched_q) == Depth - 1)
  `CASTOR_COVER(reads_meet_writes, written_q && raddr_a_i == watched_q && raddr_b_i == watched_q &&
                                       raddr_c_i == watched_q && b_hits)
endmodule

bind castor_table_3r3w castor_table_3r3w_properties u_properties ();
