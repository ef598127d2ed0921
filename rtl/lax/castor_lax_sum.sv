// Time of a work list: the sum of TBs times cycles per TB over the slots of the list, one slot per cycle
// (docs/blocks/lax.md, "Arithmetic"). The register between multiplier and accumulator takes one more cycle to drain.
// While no list is summed, another user can use the multiplier.
module castor_lax_sum #(
  parameter int unsigned MaxKt    = 8,
  parameter int unsigned KidWidth = 6,
  localparam int unsigned SlotWidth = KidWidth + 24,
  localparam int unsigned ListWidth = MaxKt * SlotWidth + 5
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  input  logic                 load_i,   // latches a list and starts with its first slot
  input  logic [ListWidth-1:0] list_i,   // kernel types and TBs; number of slots on top
  input  logic                 again_i,  // starts again with the same list
  input  logic                 step_i,   // multiplies the current slot and advances
  output logic [KidWidth-1:0]  kid_o,    // kernel type of the current slot
  output logic [23:0]          n_o,      // TBs of the current slot
  input  logic [31:0]          rate_i,   // cycles per TB of kernel type kid_o, 8 fraction bits
  output logic                 last_o,   // the current slot is the last one
  input  logic                 drain_i,  // adds the product of the last slot

  output logic [31:0] time_o,          // sum in cycles, valid after the drain
  output logic [31:0] drained_time_o,  // sum in cycles, valid in the cycle of the drain

  input  logic        borrow_i,    // another user uses the multiplier
  input  logic [23:0] borrow_n_i,  // factor of that user: a count
  input  logic [31:0] borrow_t_i,  // factor of that user: a time
  output logic [55:0] product_o    // product of this cycle, of that user or of the slot
);
  logic [ListWidth-1:0] list_q, list_d;  // list that is summed
  logic [4:0]           slot_q, slot_d;  // current slot
  logic [55:0]          product_q, product_d;  // product of the previous slot
  logic [59:0]          acc_q, acc_d, acc_sum;  // sum of the earlier products

  always_comb begin
    kid_o = '0;
    n_o   = '0;
    for (int unsigned s = 0; s < MaxKt; s++) begin
      if (5'(s) == slot_q) begin
        kid_o = list_q[s*SlotWidth+24 +: KidWidth];
        n_o   = list_q[s*SlotWidth +: 24];
      end
    end
  end

  assign last_o         = (slot_q + 5'd1 == list_q[ListWidth-1 -: 5]);
  assign product_o      = {32'b0, borrow_i ? borrow_n_i : n_o} * {24'b0, borrow_i ? borrow_t_i : rate_i};
  assign acc_sum        = acc_q + {4'b0, product_q};
  assign time_o         = castor_lax_pkg::sat52(acc_q[59:8]);
  assign drained_time_o = castor_lax_pkg::sat52(acc_sum[59:8]);

  always_comb begin
    list_d    = load_i ? list_i : list_q;
    slot_d    = slot_q;
    product_d = product_q;
    acc_d     = acc_q;
    if (load_i || again_i) begin
      slot_d    = '0;
      product_d = '0;
      acc_d     = '0;
    end else if (step_i) begin
      slot_d    = slot_q + 5'd1;
      product_d = product_o;
      acc_d     = acc_sum;
    end else if (drain_i) begin
      product_d = '0;
      acc_d     = acc_sum;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      list_q    <= '0;
      slot_q    <= '0;
      product_q <= '0;
      acc_q     <= '0;
    end else begin
      list_q    <= list_d;
      slot_q    <= slot_d;
      product_q <= product_d;
      acc_q     <= acc_d;
    end
  end
endmodule
