// State of the renaming rows of each thread block: written back, load, stale, sequence number (docs/blocks/darsie.md,
// "Cycle"). Row k of thread block t is bit t*NumRows+k of a mask.
//
// The sequence numbers of a thread block's rows are stored in bit planes and read together. The clocked process
// computes the next state, because no output depends on it.
module castor_darsie_rows #(
  parameter int unsigned NumTbs   = 32,
  parameter int unsigned NumRows  = 32,
  parameter int unsigned NumWb    = 16,
  parameter int unsigned StoreInv = 1,
  localparam int unsigned TbWidth  = (NumTbs > 1) ? $clog2(NumTbs) : 1,
  localparam int unsigned TagWidth = (NumRows > 1) ? $clog2(NumRows) : 1,
  localparam int unsigned SeqWidth = $clog2(NumRows) + 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Write-backs to rows whose numbers are in range.
  input  logic [NumWb-1:0]          wb_valid_i,  // port p: the result of a LEAD instruction is written to a row
  input  logic [NumWb*TbWidth-1:0]  wb_tb_i,     // TB slot of the written row
  input  logic [NumWb*TagWidth-1:0] wb_tag_i,    // row that is written
  output logic                      bad_wb_o,    // a write-back hits a row that is already written back

  input  logic [NumTbs-1:0] ev_store_i,   // a warp of the TB issues a store
  input  logic              ev_global_i,  // an operation that threads of other SMs can observe

  // Decode, for one thread block. Masks have one bit per row of that thread block.
  input  logic [TbWidth-1:0]          d_tb_i,     // thread block whose warp is decoded
  input  logic                        elected_i,  // a leader is elected at this edge
  input  logic [NumRows-1:0]          rows_i,     // rows that the election takes
  input  logic [SeqWidth-1:0]         seq_i,      // sequence number of the election
  input  logic                        ld_i,       // the elected instruction is a load
  input  logic                        gl_i,       // the elected instruction is a global load
  input  logic [NumRows-1:0]          give_up_i,  // stale rows that warps from now on execute privately (verdict NoRow)
  output logic [SeqWidth*NumRows-1:0] d_seq_o,    // sequence number of every row of d_tb_i, in bit planes

  input  logic               launch_i,     // a thread block starts
  input  logic [TbWidth-1:0] launch_tb_i,  // slot of that thread block; all its rows become free

  output logic [NumTbs*NumRows-1:0] wb_o,   // rows written back
  output logic [NumTbs*NumRows-1:0] ld_o,   // rows that hold the result of a load
  output logic [NumTbs*NumRows-1:0] gl_o,   // rows that hold the result of a global load
  output logic [NumTbs*NumRows-1:0] inv_o,  // rows stale for warps that have not passed them
  output logic [NumTbs*NumRows-1:0] nosk_o  // stale rows whose instruction all other warps execute privately
);
  // One bit per row. An election clears wb_q, inv_q and nosk_q of its rows, and writes ld_q and gl_q.
  // wb_q: set by a write-back and at launch. ld_q, gl_q: the row holds the result of a load, of a global load.
  // inv_q: set for loads by a store of the thread block, and for global loads by global communication.
  // nosk_q: set by the verdict NoRow.
  logic [NumTbs*NumRows-1:0]   wb_q, ld_q, gl_q, inv_q, nosk_q;
  logic [SeqWidth*NumRows-1:0] seq_q [NumTbs];  // sequence numbers of each TB's rows, in bit planes; set by an election

  assign wb_o    = wb_q;
  assign ld_o    = ld_q;
  assign gl_o    = gl_q;
  assign inv_o   = inv_q;
  assign nosk_o  = nosk_q;
  assign d_seq_o = seq_q[d_tb_i];

  always_comb begin
    bad_wb_o = 1'b0;
    for (int unsigned p = 0; p < NumWb; p++) begin
      if (wb_valid_i[p]) begin
        bad_wb_o = bad_wb_o || wb_q[wb_tb_i[p*TbWidth +: TbWidth]*NumRows+32'(wb_tag_i[p*TagWidth +: TagWidth])];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Next state.
  logic [NumTbs*NumRows-1:0]   wb, inv;
  logic [SeqWidth*NumRows-1:0] seq;

  always_ff @(posedge clk_i) begin
    wb  = wb_q;
    inv = inv_q;
    for (int unsigned p = 0; p < NumWb; p++) begin
      if (wb_valid_i[p]) begin
        wb[wb_tb_i[p*TbWidth +: TbWidth]*NumRows+32'(wb_tag_i[p*TagWidth +: TagWidth])] = 1'b1;
      end
    end
    if (StoreInv != 0 && ev_store_i != '0) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        if (ev_store_i[t]) begin
          inv[t*NumRows +: NumRows] = inv[t*NumRows +: NumRows] | ld_q[t*NumRows +: NumRows];
        end
      end
    end
    if (ev_global_i) begin
      inv = inv | gl_q;
    end
    // A launch and an election never concern the same thread block: a slot being launched has no warps yet.
    if (launch_i || elected_i || give_up_i != '0) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        if (d_tb_i == TbWidth'(t)) begin
          if (elected_i) begin
            wb[t*NumRows +: NumRows]      = wb[t*NumRows +: NumRows] & ~rows_i;
            inv[t*NumRows +: NumRows]     = inv[t*NumRows +: NumRows] & ~rows_i;
            nosk_q[t*NumRows +: NumRows] <= nosk_q[t*NumRows +: NumRows] & ~rows_i;
            ld_q[t*NumRows +: NumRows]   <= (ld_q[t*NumRows +: NumRows] & ~rows_i) | (rows_i & {NumRows{ld_i}});
            gl_q[t*NumRows +: NumRows]   <= (gl_q[t*NumRows +: NumRows] & ~rows_i) | (rows_i & {NumRows{gl_i}});
          end else begin
            nosk_q[t*NumRows +: NumRows] <= nosk_q[t*NumRows +: NumRows] | give_up_i;
          end
        end
        if (launch_i && launch_tb_i == TbWidth'(t)) begin
          wb[t*NumRows +: NumRows]      = '1;
          inv[t*NumRows +: NumRows]     = '0;
          nosk_q[t*NumRows +: NumRows] <= '0;
          ld_q[t*NumRows +: NumRows]   <= '0;
          gl_q[t*NumRows +: NumRows]   <= '0;
        end
      end
    end
    wb_q  <= wb;
    inv_q <= inv;
    if (!rst_ni) begin
      wb_q   <= '0;
      ld_q   <= '0;
      gl_q   <= '0;
      inv_q  <= '0;
      nosk_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    seq = seq_q[d_tb_i];
    for (int unsigned b = 0; b < SeqWidth; b++) begin
      seq[b*NumRows +: NumRows] = (seq[b*NumRows +: NumRows] & ~rows_i) | (rows_i & {NumRows{seq_i[b]}});
    end
    if (!rst_ni) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        seq_q[t] <= '0;
      end
    end else if (elected_i) begin
      seq_q[d_tb_i] <= seq;
    end
  end
endmodule
