// What the clock period of a decision is measured with: NumSched round-robin arbiters of NumLocal requests each. The
// requests are registered, as is the turn; a grant is a function of both.
module castor_arbiter #(
  parameter int unsigned NumSched = 4,
  parameter int unsigned NumLocal = 16,
  localparam int unsigned IndexWidth = $clog2(NumLocal)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [NumSched*NumLocal-1:0]   req_i,
  input  logic [NumSched-1:0]            ack_i,  // the grant is taken: the turn goes on behind it
  output logic [NumSched-1:0]            valid_o,
  output logic [NumSched*IndexWidth-1:0] idx_o
);
  for (genvar s = 0; s < NumSched; s++) begin : gen_arbiter
    logic [NumLocal-1:0]   req_q, behind_q, candidates, grant;
    logic [IndexWidth-1:0] idx;

    always_comb begin
      candidates = ((req_q & behind_q) != '0) ? req_q & behind_q : req_q;
      grant      = candidates & (~candidates + 1'b1);
      idx        = '0;
      for (int unsigned b = 0; b < IndexWidth; b++) begin
        for (int unsigned i = 0; i < NumLocal; i++) begin
          if (((i >> b) & 1) != 0) begin
            idx[b] |= grant[i];
          end
        end
      end
    end

    assign valid_o[s]                        = (req_q != '0);
    assign idx_o[s*IndexWidth +: IndexWidth] = idx;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        req_q    <= '0;
        behind_q <= '0;
      end else begin
        req_q <= req_i[s*NumLocal +: NumLocal];
        if (ack_i[s] && valid_o[s]) begin
          behind_q <= ~((grant << 1) - 1'b1);
        end
      end
    end
  end
endmodule
