// Messages of one scheduler that wait for the broadcast, oldest at the bottom (docs/blocks/saws.md, "Cycle"). When a
// thread block is freed, its messages stay, marked to do nothing. All entries are compared with the freed thread block
// at once, so they are registers that shift, not a memory.
module castor_saws_queue #(
  parameter int unsigned CtaWidth = 5,
  parameter int unsigned Depth    = 4,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,          // clock
  input  logic                  rst_ni,         // synchronous reset, active low
  input  logic                  start_i,        // empty the queue
  input  logic                  push_i,         // only while there is room
  input  logic [CtaWidth-1:0]   cta_i,          // thread block of the message
  input  logic                  hit_i,          // it is a first hit
  input  logic                  all_blocked_i,  // all live warps of it on the scheduler are blocked
  input  logic                  pop_i,          // only while there is a message
  input  logic                  free_i,         // a thread block is freed
  input  logic [CtaWidth-1:0]   free_cta_i,     // which
  output logic [CtaWidth-1:0]   cta_o,          // thread block of the oldest message
  output logic                  hit_o,          // that is a first hit
  output logic                  all_blocked_o,  // all live warps of it on its scheduler were blocked
  output logic                  dead_o,         // its thread block is freed: it does nothing
  output logic [CountWidth-1:0] count_o         // messages that wait
);
  if (Depth < 1 || Depth > 16) begin : gen_bad_depth
    $error("castor_saws_queue: Depth must be 1..16");
  end

  localparam int unsigned EntryWidth = CtaWidth + 3;  // dead, all blocked, hit, thread block

  logic [Depth*EntryWidth-1:0] entries_q, entries_d;
  logic [CountWidth-1:0]       count_q, count_d;

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

  // Entries beyond the count mean nothing and need no reset.
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
