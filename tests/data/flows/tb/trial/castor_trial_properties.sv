// Properties of castor_trial, seen from inside it.
module castor_trial_properties #(
  parameter int unsigned Clients = 4,
  parameter int unsigned IdxW = 2,
  parameter int unsigned Width = 8
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic [Clients-1:0] req_i,
  input logic [IdxW-1:0]    turn_q,
  input logic [IdxW-1:0]    client_q,
  input logic               valid_q,
  input logic [Clients-1:0] written_q,
  input logic [Width+3:0]   sum_q
);
  logic               seen_q;
  logic [Clients-1:0] asked_q;

  initial seen_q = 1'b0;
  always_ff @(posedge clk_i) begin
    seen_q  <= 1'b1;
    asked_q <= rst_ni ? (asked_q | req_i) : '0;
  end

  always_ff @(posedge clk_i) begin
    assume_reset_first: assume (seen_q || !rst_ni);
    if (seen_q && rst_ni) begin
      turn_in_range:   assert (32'(turn_q) < Clients);
      client_in_range: assert (32'(client_q) < Clients);
      idle_is_zero:    assert (valid_q || client_q == '0);
      written_asked:   assert ((written_q & ~asked_q) == '0);
      all_written:     cover (&written_q);
    end
  end
endmodule

bind castor_trial castor_trial_properties #(.Clients(Clients), .IdxW(IdxW), .Width(Width)) u_properties (
  .clk_i, .rst_ni, .req_i, .turn_q, .client_q, .valid_q, .written_q, .sum_q
);
