// First-in first-out queue of any depth.
//
// The head is read combinationally from registers and is 0 while the queue is empty. A push into a full queue without a
// pop is ignored, and so is a pop of an empty queue: users must check full_o and empty_o. An entry pushed into the
// empty queue is the head in the next cycle. clear_i empties the queue and overrides push and pop.
//
// Cost of one more unit of each parameter:
//   Width  one flip-flop per entry
//   Depth  one entry of Width flip-flops, and one input of the head's multiplexer
module castor_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,    // clock
  input  logic                  rst_ni,   // synchronous reset, active low
  input  logic                  clear_i,  // empties the queue; overrides push and pop
  input  logic                  push_i,   // data_i is appended at the edge
  input  logic [Width-1:0]      data_i,   // entry that is pushed
  input  logic                  pop_i,    // the head is removed at the edge
  output logic [Width-1:0]      data_o,   // head of the queue, 0 while the queue is empty
  output logic                  empty_o,  // the queue is empty
  output logic                  full_o,   // the queue holds Depth entries
  output logic [CountWidth-1:0] count_o   // number of entries in the queue
);
  if (Width < 1) begin : gen_bad_width
    $error("castor_fifo: Width must be at least 1");
  end
  if (Depth < 2 || Depth > 65536) begin : gen_bad_depth
    $error("castor_fifo: Depth must be 2..65536");
  end

  localparam int unsigned PointerWidth = $clog2(Depth);
  localparam logic [PointerWidth-1:0] Last = PointerWidth'(Depth - 1);

  logic [PointerWidth-1:0] head_q, head_d, tail_q, tail_d;
  logic [CountWidth-1:0]   count_q, count_d;
  logic [Width-1:0]        head_data;
  logic                    push, pop;

  assign empty_o = (count_q == '0);
  assign full_o  = (count_q == CountWidth'(Depth));
  assign count_o = count_q;
  assign pop     = pop_i && !empty_o;
  assign push    = push_i && (!full_o || pop);
  assign data_o  = empty_o ? '0 : head_data;

  castor_table_1r1w #(
    .Width (Width),
    .Depth (Depth)
  ) u_table (
    .clk_i,
    .we_i    (push),
    .waddr_i (tail_q),
    .wdata_i (data_i),
    .raddr_i (head_q),
    .rdata_o (head_data)
  );

  always_comb begin
    head_d  = head_q;
    tail_d  = tail_q;
    count_d = count_q;
    if (pop) begin
      head_d = (head_q == Last) ? '0 : head_q + 1'b1;
    end
    if (push) begin
      tail_d = (tail_q == Last) ? '0 : tail_q + 1'b1;
    end
    if (push && !pop) begin
      count_d = count_q + 1'b1;
    end else if (pop && !push) begin
      count_d = count_q - 1'b1;
    end
    if (clear_i) begin
      head_d  = '0;
      tail_d  = '0;
      count_d = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      head_q  <= head_d;
      tail_q  <= tail_d;
      count_q <= count_d;
    end
  end
endmodule
