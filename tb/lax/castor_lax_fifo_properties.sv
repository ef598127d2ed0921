// Properties of the queues of the laxity engine (docs/blocks/lax.md, "Proofs"): they hold whatever is pushed and popped.
`include "castor_assert.svh"

module castor_lax_fifo_properties #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned CountWidth   = $clog2(Depth + 1),
  localparam int unsigned PointerWidth = $clog2(Depth)
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    clear_i,
  input logic                    pop_i,
  input logic [PointerWidth-1:0] head_q,
  input logic [PointerWidth-1:0] tail_q,
  input logic [CountWidth-1:0]   count_q,
  input logic [Width-1:0]        data_o
);
  localparam int unsigned SumWidth = CountWidth + 2;

  logic [SumWidth-1:0] sum, wrapped;

  assign sum     = SumWidth'(head_q) + SumWidth'(count_q);
  assign wrapped = (sum >= SumWidth'(Depth)) ? sum - SumWidth'(Depth) : sum;

  `CASTOR_ASSERT(a11_queue_pointers_agree,
                 SumWidth'(head_q) < SumWidth'(Depth) && SumWidth'(tail_q) < SumWidth'(Depth) &&
                     SumWidth'(count_q) <= SumWidth'(Depth) && wrapped == SumWidth'(tail_q))

  // What waits at the head stays there until it is taken.
  logic             kept_q;
  logic [Width-1:0] head_data_q;

  always_ff @(posedge clk_i) begin
    kept_q      <= rst_ni && !clear_i && !pop_i && count_q != '0;
    head_data_q <= data_o;
  end

  `CASTOR_ASSERT(a11_queue_keeps_its_head, !kept_q || (count_q != '0 && data_o == head_data_q))
endmodule

bind castor_fifo castor_lax_fifo_properties #(.Width(Width), .Depth(Depth)) u_properties (
  .clk_i, .rst_ni, .clear_i, .pop_i, .head_q, .tail_q, .count_q, .data_o
);
