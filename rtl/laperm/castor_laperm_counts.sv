// Counters of which one goes up and one goes down in a cycle: two adders around a table. Which counters are not 0 is in
// flops, so the table needs no reset. A counter that goes both up and down stays.
module castor_laperm_counts #(
  parameter int unsigned Num   = 32,
  parameter int unsigned Width = 20,
  localparam int unsigned IndexWidth = (Num > 1) ? $clog2(Num) : 1
) (
  input  logic                  clk_i,       // clock
  input  logic                  rst_ni,      // synchronous reset, active low
  input  logic                  up_i,        // a counter goes up
  input  logic [IndexWidth-1:0] up_idx_i,    // which
  output logic [Width-1:0]      up_count_o,  // as the cycle began
  input  logic                  down_i,      // not of a counter that is 0
  input  logic [IndexWidth-1:0] down_idx_i,  // which
  output logic [Num-1:0]        some_o       // not 0
);
  localparam int unsigned NumPow2 = 2 ** IndexWidth;

  logic [Num-1:0]     some_q;
  logic [NumPow2-1:0] some;
  logic [Width-1:0]   up_word, down_word;
  logic               up, down;

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
