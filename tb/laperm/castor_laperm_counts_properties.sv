// Properties of the counter table (docs/blocks/laperm.md, "Invariants"): each counter counts correctly, as long as its
// user neither decrements it below 0 nor increments it above its maximum. The module keeps a copy of each written word
// and compares every read with it.
`include "castor_assert.svh"

module castor_laperm_counts_properties;
  // `words`: copies of the table's words; `known`: words that have been written; `count`: reference counters.
  logic [Num*Width-1:0] words, count;
  logic [Num-1:0]       known, counted;
  logic                 kept_to_q;  // the users have kept within the limits of all counters since reset
  logic                 up_right, down_right, shown, wrong;

  always_comb begin
    up_right   = 1'b1;
    down_right = 1'b1;
    shown      = 1'b1;
    wrong      = 1'b0;
    for (int unsigned i = 0; i < Num; i++) begin
      counted[i] = some_q[i] == (count[i*Width+:Width] != '0) &&
                   (!some_q[i] || (known[i] && words[i*Width+:Width] == count[i*Width+:Width]));
      if (32'(up_idx_i) == i) begin
        up_right = !known[i] || up_word == words[i*Width+:Width];
        shown    = up_count_o == count[i*Width+:Width];
        wrong    = wrong || (up && count[i*Width+:Width] == '1);
      end
      if (32'(down_idx_i) == i) begin
        down_right = !known[i] || down_word == words[i*Width+:Width];
        wrong      = wrong || (down && count[i*Width+:Width] == '0);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    kept_to_q <= !rst_ni || (kept_to_q && !wrong);
    for (int unsigned i = 0; i < Num; i++) begin
      count[i*Width+:Width] <= !rst_ni ? '0 : count[i*Width+:Width] + Width'(up_i && 32'(up_idx_i) == i) -
                                              Width'(down_i && 32'(down_idx_i) == i);
      known[i] <= rst_ni && (known[i] || (up && 32'(up_idx_i) == i) || (down && 32'(down_idx_i) == i));
      if (down && 32'(down_idx_i) == i) begin
        words[i*Width+:Width] <= down_word - Width'(1);
      end else if (up && 32'(up_idx_i) == i) begin
        words[i*Width+:Width] <= up_count_o + Width'(1);
      end
    end
  end

  `CASTOR_ASSERT(counters_that_go_up_are_as_written, up_right)
  `CASTOR_ASSERT(counters_that_go_down_are_as_written, down_right)
  `CASTOR_ASSERT(counters_count, !kept_to_q || (counted == '1 && shown))
endmodule

bind castor_laperm_counts castor_laperm_counts_properties u_properties ();
