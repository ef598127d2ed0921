// Homes of one type of storage (registers or shared memory): the free list, and the home of each context.
//
// A home is the storage of one thread block. Free homes belong to no context and to no parked thread block. give_i and
// take_i are never 1 together.
//
// Cost of one more unit of each parameter:
//   MaxTb     6 flip-flops, and one input of the multiplexer that reads a home
//   NumHomes  one flip-flop (free list), and one input of the search
module castor_tb_swap_homes #(
  parameter int unsigned MaxTb    = 32,
  parameter int unsigned NumHomes = 64,
  localparam int unsigned SlotWidth = (MaxTb > 1) ? $clog2(MaxTb) : 1
) (
  input  logic                 clk_i,         // clock
  input  logic                 rst_ni,        // synchronous reset, active low
  input  logic                 load_i,        // a kernel starts: context t gets home t; overrides all other writes
  input  logic [6:0]           load_first_i,  // first spare home of that kernel
  input  logic [6:0]           load_end_i,    // end of its spare homes, exclusive
  input  logic [SlotWidth-1:0] slot_i,        // context whose home is read
  output logic [5:0]           home_o,        // home of that context
  output logic                 some_free_o,   // a home is free
  output logic [5:0]           free_home_o,   // free home with the lowest number; 0 if there is none
  input  logic                 give_i,        // home_o becomes free
  input  logic                 take_i,        // free_home_o is taken
  input  logic                 write_i,       // the context write_slot_i gets the home write_home_i
  input  logic [SlotWidth-1:0] write_slot_i,  // context that gets a home
  input  logic [5:0]           write_home_i,  // home of that context
  output logic [NumHomes-1:0]  free_o,        // free homes
  output logic [MaxTb*6-1:0]   homes_o        // home of each context, context t at [6t +: 6]
);
  localparam int unsigned HomeWidth = (NumHomes > 1) ? $clog2(NumHomes) : 1;

  logic [NumHomes-1:0]  free_q;  // spare homes: loaded at a kernel's start, cleared by take_i, set by give_i
  logic [MaxTb*6-1:0]   home_q;  // home of each context: loaded at a kernel's start, written when the next TB moves in
  logic [MaxTb*6-1:0]   numbers;  // context t at home t
  logic [HomeWidth-1:0] lowest;

  always_comb begin
    for (int unsigned t = 0; t < MaxTb; t++) begin
      numbers[t*6 +: 6] = 6'(t);
    end
  end

  castor_tb_swap_lowest #(
    .Num (NumHomes)
  ) u_lowest (
    .bits_i   (free_q),
    .lowest_o (lowest)
  );

  assign free_o      = free_q;
  assign homes_o     = home_q;
  assign some_free_o = (free_q != '0);
  assign free_home_o = 6'(lowest);
  assign home_o      = (32'(slot_i) < MaxTb) ? home_q[32'(slot_i)*6 +: 6] : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      free_q <= '0;
      home_q <= '0;
    end else if (load_i) begin
      free_q <= ({NumHomes{1'b1}} << load_first_i) & ~({NumHomes{1'b1}} << load_end_i);
      home_q <= numbers;
    end else begin
      if (give_i) begin
        free_q <= free_q | (NumHomes'(1) << home_o);
      end else if (take_i) begin
        free_q <= free_q & (free_q - 1'b1);
      end
      if (write_i && 32'(write_slot_i) < MaxTb) begin
        home_q[32'(write_slot_i)*6 +: 6] <= write_home_i;
      end
    end
  end
endmodule
