// Properties of the profiling table of the laxity engine (docs/blocks/lax.md, "Arithmetic"). The kernel type `pick_q`
// is arbitrary: it gets its value during reset and keeps it.
`include "castor_assert.svh"

module castor_lax_profile_properties (
  input logic [23:0]         wgc_cnt
);
  logic [KidWidth-1:0] pick_q;
  logic [23:0]         cnt_q, base;

  // A5: a count is incremented only by legal completions of its kernel type. It is cleared when a window opens and when
  // software clears the entry.
  assign base = ((sample_i || clear_i) && kid_i == pick_q) ? '0 : cnt_q;

  always_ff @(posedge clk_i) begin
    pick_q <= rst_ni ? pick_q : wgc_kid_i;
    if (!rst_ni || soft_rst_i) begin
      cnt_q <= '0;
    end else if (wgc_i && wgc_kid_i == pick_q && base != '1) begin
      cnt_q <= base + 24'd1;
    end else begin
      cnt_q <= base;
    end
  end

  `CASTOR_ASSERT(a5_counts_its_completions_only, kid_i != pick_q || cnt_o == cnt_q)
  `CASTOR_ASSERT(a5_completions_see_their_count, wgc_kid_i != pick_q || wgc_cnt == cnt_q)
  `CASTOR_ASSERT(a5_full_counter_is_told, !(wgc_i && wgc_kid_i == pick_q) || cnt_full_o == (base == '1))

  // A6: a valid rate is not 0.
  `CASTOR_ASSERT(a6_written_rate_not_zero, !tpw_we_i || tpw_wdata_i != '0)
  `CASTOR_ASSERT(a6_valid_rate_not_zero, kid_i != pick_q || !valid_o || tpw_o != '0)

  // Cover statements: a window is closed with a count above 1; the count is read and cleared afterwards.
  `CASTOR_COVER(alone_window_closed, sample_i && kid_i == pick_q && cnt_q > 24'd1)
  `CASTOR_COVER(alone_count_after_a_window, cnt_q == 24'd1 && kid_i == pick_q && valid_o)
  `CASTOR_COVER(alone_counts_forgotten, clear_i && kid_i == pick_q && cnt_q != '0)
endmodule

bind castor_lax_profile castor_lax_profile_properties u_properties (
  .wgc_cnt(cnt_zero_q[wgc_kid_i] ? 24'd0 : cnt_wgc_entry)
);
