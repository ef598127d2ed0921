// Round-robin pick among the requests: the first at or above the turn, else the lowest.
module castor_trial_arbiter #(
  parameter int unsigned Clients = 4,
  localparam int unsigned IdxW = $clog2(Clients)
) (
  input  logic [Clients-1:0] req_i,
  input  logic [IdxW-1:0]    turn_i,
  output logic               any_o,
  output logic [IdxW-1:0]    pick_o
);
  always_comb begin
    any_o  = |req_i;
    pick_o = '0;
    for (int unsigned i = Clients; i > 0; i--) begin
      if (req_i[i-1]) pick_o = IdxW'(i - 1);
    end
    for (int unsigned i = Clients; i > 0; i--) begin
      if (req_i[i-1] && IdxW'(i - 1) >= turn_i) pick_o = IdxW'(i - 1);
    end
  end
endmodule
