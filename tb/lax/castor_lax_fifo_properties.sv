// Properties of the queues of the laxity engine (docs/blocks/lax.md, "Proofs"). They hold for any sequence of pushes
// and pops.
`include "castor_assert.svh"

module castor_lax_fifo_properties;
  localparam int unsigned SumWidth = CountWidth + 2;

  logic [SumWidth-1:0] sum, wrapped;

  assign sum     = SumWidth'(head_q) + SumWidth'(count_q);
  assign wrapped = (sum >= SumWidth'(Depth)) ? sum - SumWidth'(Depth) : sum;

  `CASTOR_ASSERT(a11_queue_pointers_agree,
                 SumWidth'(head_q) < SumWidth'(Depth) && SumWidth'(tail_q) < SumWidth'(Depth) &&
                     SumWidth'(count_q) <= SumWidth'(Depth) && wrapped == SumWidth'(tail_q))

  // The head of the queue stays until it is popped.
  logic             kept_q;
  logic [Width-1:0] head_data_q;

  always_ff @(posedge clk_i) begin
    kept_q      <= rst_ni && !clear_i && !pop_i && count_q != '0;
    head_data_q <= data_o;
  end

  `CASTOR_ASSERT(a11_queue_keeps_its_head, !kept_q || (count_q != '0 && data_o == head_data_q))
endmodule

bind castor_fifo castor_lax_fifo_properties u_properties ();
