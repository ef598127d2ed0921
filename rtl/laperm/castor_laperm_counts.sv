// Array of counters. In each cycle one counter can be incremented and one decremented; if both are the same counter, it
// keeps its value. Two adders serve a table of all counters. Flip-flops say which counters are not 0, so the table
// needs no reset.
module castor_laperm_counts #(
  parameter int unsigned Num   = 32,
  parameter int unsigned Width = 20,
  localparam int unsigned IndexWidth = (Num > 1) ? $clog2(Num) : 1
) (
  input  logic                  clk_i,       // clock
  input  logic                  rst_ni,      // synchronous reset, active low
  input  logic                  up_i,        // counter up_idx_i is incremented
  input  logic [IndexWidth-1:0] up_idx_i,    // counter that is incremented
  output logic [Width-1:0]      up_count_o,  // value of counter up_idx_i at the start of the cycle
  input  logic                  down_i,      // counter down_idx_i is decremented; it must not be 0
  input  logic [IndexWidth-1:0] down_idx_i,  // counter that is decremented
  output logic [Num-1:0]        some_o       // counters that are not 0
);
  localparam int unsigned NumPow2 = 2 ** IndexWidth;

  logic [Num-1:0]     some_q;  // counters that are not 0
  logic [NumPow2-1:0] some;
  logic [Width-1:0]   up_word, down_word;
  logic               up, down;  // up_i and down_i, unless both are for the same counter

  assign some       = NumPow2'(some_q);
  assign some_o     = some_q;
  assign up_count_o = some[up_idx_i] ? up_word : '0;
  assign up         = up_i && !(down_i && (up_idx_i == down_idx_i));
  assign down       = down_i && !(up_i && (up_idx_i == down_idx_i));

  castor_table_3r3w #(
    .Width (Width),
    .Depth (Num)
  ) u_table (
    .clk_i,
    .we_a_i    (up),
    .waddr_a_i (up_idx_i),
    .wdata_a_i (up_count_o + 1'b1),
    .we_b_i    (down),
    .waddr_b_i (down_idx_i),
    .wdata_b_i (down_word - 1'b1),
    .we_c_i    (1'b0),
    .waddr_c_i ('0),
    .wdata_c_i ('0),
    .raddr_a_i (up_idx_i),
    .rdata_a_o (up_word),
    .raddr_b_i (down_idx_i),
    .rdata_b_o (down_word),
    .raddr_c_i ('0),
    .rdata_c_o ()
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      some_q <= '0;
    end else begin
      if (down && (down_word == Width'(1))) begin
        some_q[down_idx_i] <= 1'b0;
      end
      if (up) begin
        some_q[up_idx_i] <= 1'b1;
      end
    end
  end
endmodule
