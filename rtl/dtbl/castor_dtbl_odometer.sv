// Counter of the next thread block in its item: three indices, of which x counts fastest, and the position. A dimension
// of 0 acts as 1.
module castor_dtbl_odometer (
  input  logic        clk_i,    // clock
  input  logic        rst_ni,   // synchronous reset, active low
  input  logic        start_i,  // moves to the first thread block; overrides step_i
  input  logic        step_i,   // moves to the next thread block
  input  logic [63:0] dim_i,    // thread blocks of the item per dimension: {z 16, y 16, x 32}
  output logic        last_o,   // the current thread block is the last of its item
  output logic [63:0] od_o,     // indices of the current thread block: {z 16, y 16, x 32}
  output logic [31:0] pos_o     // position of the current thread block in the item
);
  logic [63:0] od_q;  // indices of the current thread block: {z 16, y 16, x 32}
  logic [31:0] pos_q;  // position of the current thread block
  logic        ex, ey, ez;  // the x, y, z index has its last value

  assign ex     = ({1'b0, od_q[31:0]} + 33'd1 >= {1'b0, dim_i[31:0]});
  assign ey     = ({1'b0, od_q[47:32]} + 17'd1 >= {1'b0, dim_i[47:32]});
  assign ez     = ({1'b0, od_q[63:48]} + 17'd1 >= {1'b0, dim_i[63:48]});
  assign last_o = ex && ey && ez;
  assign od_o   = od_q;
  assign pos_o  = pos_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      od_q  <= '0;
      pos_q <= '0;
    end else if (step_i) begin
      pos_q <= pos_q + 32'd1;
      if (!ex) begin
        od_q[31:0] <= od_q[31:0] + 32'd1;
      end else begin
        od_q[31:0] <= '0;
        if (!ey) begin
          od_q[47:32] <= od_q[47:32] + 16'd1;
        end else begin
          od_q[47:32] <= '0;
          od_q[63:48] <= od_q[63:48] + 16'd1;
        end
      end
    end
  end
endmodule
