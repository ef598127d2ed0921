// Properties of the queue: every rule in the header comment of castor_fifo.sv, checked against a minimal reference
// queue.
`include "castor_assert.svh"

module castor_fifo_properties;
  // Reference queue: contents, with the head at position 0, and number of entries. A pop shifts all entries down by
  // one; a push fills the first free position.
  logic [Depth*Width-1:0] waiting_q, waiting_d;
  logic [CountWidth-1:0]  held_q, held_d;
  logic                   popped, pushed;

  assign popped = pop_i && held_q != '0;
  assign pushed = push_i && (held_q != CountWidth'(Depth) || pop_i);

  always_comb begin
    waiting_d = waiting_q;
    held_d    = held_q;
    if (popped) begin
      waiting_d = waiting_d >> Width;
      held_d    = held_d - 1'b1;
    end
    if (pushed) begin
      for (int unsigned e = 0; e < Depth; e++) begin
        if (held_d == CountWidth'(e)) begin
          waiting_d[e*Width +: Width] = data_i;
        end
      end
      held_d = held_d + 1'b1;
    end
    if (clear_i) begin
      held_d = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    waiting_q <= waiting_d;
    held_q    <= rst_ni ? held_d : '0;
  end

  `CASTOR_ASSERT(count_is_what_is_held, count_o == held_q)
  `CASTOR_ASSERT(empty_if_nothing_is_held, empty_o == (held_q == '0))
  `CASTOR_ASSERT(full_if_every_place_is_held, full_o == (held_q == CountWidth'(Depth)))
  `CASTOR_ASSERT(head_is_what_waits_longest, held_q == '0 || data_o == waiting_q[Width-1:0])
  `CASTOR_ASSERT(head_is_0_while_empty, held_q != '0 || data_o == '0)
  `CASTOR_ASSERT_STABLE(head_waits_for_a_pop, !empty_o, pop_i || clear_i, data_o, Width)

  // Fill levels at which a push and a pop were simultaneous, one bit per level.
  logic [Depth:0] met_q, met_d;

  always_comb begin
    met_d = met_q;
    for (int unsigned fill = 0; fill <= Depth; fill++) begin
      if (!clear_i && push_i && pop_i && count_o == CountWidth'(fill)) begin
        met_d[fill] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    met_q <= rst_ni ? met_d : '0;
  end

  // Cover statements: the assumptions of the proofs must leave these situations reachable.
  `CASTOR_COVER(push_meets_pop_at_every_fill, met_q == '1)
  `CASTOR_COVER(push_is_lost, !clear_i && push_i && !pop_i && full_o)
  `CASTOR_COVER(full_queue_is_cleared, clear_i && push_i && pop_i && full_o)
endmodule

bind castor_fifo castor_fifo_properties u_properties ();
