// A block for the tests of the flows: clients post words, a round robin takes one client's word per cycle, keeps it in a
// table and adds it to a sum.
module castor_trial #(
  parameter int unsigned Clients = 4,
  parameter int unsigned Width   = 8,
  localparam int unsigned IdxW = $clog2(Clients)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [Clients-1:0]       req_i,
  input  logic [Clients*Width-1:0] data_i,
  input  logic [IdxW-1:0]          read_i,
  output logic                     valid_o,
  output logic [IdxW-1:0]          client_o,
  output logic [Width-1:0]         word_o,
  output logic [Width+3:0]         sum_o
);
  if (Clients < 2 || Clients > 64) begin : gen_clients_range
    $error("castor_trial: Clients must be 2..64");
  end

  logic                 any;
  logic [IdxW-1:0]      pick, turn_q, turn_d, client_q;
  logic                 valid_q;
  logic [Width+3:0]     sum_q, sum_d;
  logic [Width-1:0]     word;
  logic [Clients-1:0]   written_q, written_d;
  logic [Width-1:0]     table_q [Clients];

  castor_trial_arbiter #(.Clients(Clients)) u_arbiter (
    .req_i (req_i), .turn_i (turn_q), .any_o (any), .pick_o (pick)
  );

  always_comb begin
    word      = data_i[pick*Width +: Width];
    turn_d    = turn_q;
    sum_d     = sum_q;
    written_d = written_q;
    if (any) begin
      turn_d          = (pick == IdxW'(Clients - 1)) ? '0 : pick + 1'b1;
      sum_d           = sum_q + {4'b0, word};
      written_d[pick] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q    <= '0;
      sum_q     <= '0;
      valid_q   <= 1'b0;
      client_q  <= '0;
      written_q <= '0;
    end else begin
      turn_q    <= turn_d;
      sum_q     <= sum_d;
      valid_q   <= any;
      client_q  <= any ? pick : '0;
      written_q <= written_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (any) table_q[pick] <= word;
  end

  assign valid_o  = valid_q;
  assign client_o = client_q;
  assign word_o   = written_q[read_i] ? table_q[read_i] : '0;
  assign sum_o    = sum_q;
endmodule
