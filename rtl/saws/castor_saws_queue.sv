// Queue of one scheduler's messages that wait for broadcast; the oldest is entry 0 (docs/blocks/saws.md, "Cycle"). When
// a thread block is freed, its messages stay in the queue, marked dead. All entries are compared with the freed thread
// block at once, so the queue is a shift register, not a memory.
module castor_saws_queue #(
  parameter int unsigned CtaWidth = 5,
  parameter int unsigned Depth    = 4,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,          // clock
  input  logic                  rst_ni,         // synchronous reset, active low
  input  logic                  start_i,        // empties the queue
  input  logic                  push_i,         // appends a message; not while the queue is full
  input  logic [CtaWidth-1:0]   cta_i,          // thread block of the message
  input  logic                  hit_i,          // the message carries a first hit
  input  logic                  all_blocked_i,  // all live warps of the thread block on this scheduler are blocked
  input  logic                  pop_i,          // removes the oldest message; not while the queue is empty
  input  logic                  free_i,         // a thread block is freed
  input  logic [CtaWidth-1:0]   free_cta_i,     // thread block that is freed
  output logic [CtaWidth-1:0]   cta_o,          // thread block of the oldest message
  output logic                  hit_o,          // the oldest message carries a first hit
  output logic                  all_blocked_o,  // all live warps of its thread block on its scheduler were blocked
  output logic                  dead_o,         // the thread block of the oldest message was freed; the message is void
  output logic [CountWidth-1:0] count_o         // number of messages in the queue
);
  if (Depth < 1 || Depth > 16) begin : gen_bad_depth
    $error("castor_saws_queue: Depth must be 1..16");
  end

  localparam int unsigned EntryWidth = CtaWidth + 3;  // entry: {dead, all blocked, first hit, thread block}

  logic [Depth*EntryWidth-1:0] entries_q, entries_d;  // entry 0 is the oldest message
  logic [CountWidth-1:0]       count_q, count_d;  // number of messages in the queue

  assign {dead_o, all_blocked_o, hit_o, cta_o} = entries_q[EntryWidth-1:0];
  assign count_o = count_q;

  always_comb begin
    entries_d = entries_q;
    count_d   = count_q;
    if (free_i) begin
      for (int unsigned e = 0; e < Depth; e++) begin
        if (entries_q[e*EntryWidth +: CtaWidth] == free_cta_i) begin
          entries_d[e*EntryWidth+EntryWidth-1] = 1'b1;
        end
      end
    end
    if (pop_i) begin
      entries_d = entries_d >> EntryWidth;
      count_d   = count_q - CountWidth'(1);
    end
    if (push_i) begin
      for (int unsigned e = 0; e < Depth; e++) begin
        if (count_d == CountWidth'(e)) begin
          entries_d[e*EntryWidth +: EntryWidth] = {1'b0, all_blocked_i, hit_i, cta_i};
        end
      end
      count_d = count_d + CountWidth'(1);
    end
  end

  // Entries at or above the count have no meaning, so they need no reset.
  always_ff @(posedge clk_i) begin
    entries_q <= entries_d;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      count_q <= '0;
    end else begin
      count_q <= count_d;
    end
  end
endmodule
