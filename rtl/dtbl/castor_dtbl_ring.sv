// Ring buffer of the marked kernel entries that are not being distributed, oldest first. An entry pushed into the empty
// ring can be popped in the same cycle; it is written to its slot nevertheless, and the head advances. The ring has a
// slot for every kernel entry and cannot overflow.
module castor_dtbl_ring #(
  parameter int unsigned NumKde = 32,
  localparam int unsigned KdWidth    = (NumKde > 1) ? $clog2(NumKde) : 1,
  localparam int unsigned CountWidth = $clog2(NumKde + 1)
) (
  input  logic                  clk_i,      // clock
  input  logic                  rst_ni,     // synchronous reset, active low
  input  logic                  push_i,     // a kernel entry is appended
  input  logic [KdWidth-1:0]    push_kd_i,  // kernel entry that is appended
  input  logic                  pop_i,      // removes the oldest entry; needs a non-empty ring or push_i
  output logic                  empty_o,    // the ring was empty at the start of the cycle
  output logic [KdWidth-1:0]    head_kd_o,  // oldest kernel entry at the start of the cycle
  output logic [KdWidth-1:0]    head_o,     // slot of the oldest entry
  output logic [CountWidth-1:0] count_o     // number of entries in the ring
);
  localparam logic [KdWidth-1:0] Last = KdWidth'(NumKde - 1);

  logic [KdWidth-1:0]    head_q, tail;  // head_q: slot of the oldest entry; tail: slot of the next push
  logic [KdWidth:0]      sum;  // head + count, before the wrap-around
  logic [CountWidth-1:0] count_q;  // number of entries in the ring

  assign empty_o = (count_q == '0);
  assign head_o  = head_q;
  assign count_o = count_q;
  assign sum     = {1'b0, head_q} + (KdWidth + 1)'(count_q);
  assign tail    = (sum > {1'b0, Last}) ? KdWidth'(sum - (KdWidth + 1)'(NumKde)) : KdWidth'(sum);

  castor_table_1r1w #(
    .Width (KdWidth),
    .Depth (NumKde)
  ) u_table (
    .clk_i,
    .we_i    (push_i),
    .waddr_i (tail),
    .wdata_i (push_kd_i),
    .raddr_i (head_q),
    .rdata_o (head_kd_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      count_q <= '0;
    end else begin
      if (pop_i) begin
        head_q <= (head_q == Last) ? '0 : head_q + 1'b1;
      end
      if (push_i && !pop_i) begin
        count_q <= count_q + 1'b1;
      end else if (pop_i && !push_i) begin
        count_q <= count_q - 1'b1;
      end
    end
  end
endmodule
