// State of each thread block slot: values given at launch, and state of its elections (docs/blocks/darsie.md, "Cycle").
// The clocked process computes the next state, because no output depends on it.
module castor_darsie_tbs #(
  parameter int unsigned NumTbs   = 32,
  parameter int unsigned NumRows  = 32,
  parameter int unsigned NumSlots = 32,
  parameter int unsigned RowW     = 11,
  localparam int unsigned TbWidth   = (NumTbs > 1) ? $clog2(NumTbs) : 1,
  localparam int unsigned TagWidth  = (NumRows > 1) ? $clog2(NumRows) : 1,
  localparam int unsigned SlotWidth = (NumSlots > 1) ? $clog2(NumSlots) : 1,
  localparam int unsigned SeqWidth  = $clog2(NumRows) + 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Legal launches and retirements.
  input  logic                 launch_i,          // a thread block starts
  input  logic [TbWidth-1:0]   launch_tb_i,       // slot of the launched thread block
  input  logic                 launch_en_i,       // 1: redundant instructions of the thread block may be skipped
  input  logic                 launch_promote_i,  // the shape of the thread block makes mark 1 (CR) redundant
  input  logic [RowW-1:0]      launch_base_i,     // physical register of the thread block's first row
  input  logic [TagWidth:0]    launch_rows_i,     // number of rows of the thread block
  input  logic [SlotWidth:0]   launch_slots_i,    // registers 0..launch_slots_i-1 can be renamed
  input  logic                 retire_i,          // a thread block slot becomes free
  input  logic [TbWidth-1:0]   retire_tb_i,       // slot that becomes free

  // Decode, for one thread block.
  input  logic [TbWidth-1:0]   d_tb_i,      // thread block whose warp is decoded
  input  logic                 lead_i,      // a leader is elected and takes the next sequence number
  input  logic                 alone_i,     // the decoded warp is alone in the majority: closes a synchronisation point
  input  logic                 no_elect_i,  // no row is free even after a synchronisation point: sets noel
  input  logic                 set_sync_i,  // no row is free: opens a synchronisation point

  // Completed synchronisation points, barriers, and ends of regions.
  input  logic [NumTbs-1:0]    synced_i,      // thread blocks whose synchronisation point completes
  input  logic [NumTbs-1:0]    bar_i,         // thread blocks whose barrier completes
  input  logic [NumTbs-1:0]    region_end_i,  // thread blocks whose region ends, by a branch or a barrier

  output logic [NumTbs-1:0]               tl_o,      // thread block slots in use
  output logic [NumTbs-1:0]               en_o,      // redundant instructions of the thread block may be skipped
  output logic [NumTbs-1:0]               prom_o,    // mark 1 (CR) is redundant in the thread block
  output logic [NumTbs*RowW-1:0]          base_o,    // physical register of the thread block's first row
  output logic [NumTbs*(TagWidth+1)-1:0]  rows_o,    // number of rows of the thread block
  output logic [NumTbs*(SlotWidth+1)-1:0] slots_o,   // registers 0..slots-1 can be renamed
  output logic [NumTbs*SeqWidth-1:0]      ctr_o,     // sequence number of the thread block's next election
  output logic [NumTbs-1:0]               sync_o,    // a synchronisation point is open
  output logic [NumTbs-1:0]               synced_o,  // a synchronisation point has completed since the last election
  output logic [NumTbs-1:0]               noel_o     // no elections until the region ends
);
  localparam int unsigned CountWidth = TagWidth + 1;
  localparam int unsigned LimitWidth = SlotWidth + 1;

  // tl_q: set at launch, cleared at retirement. en_q, prom_q: set at launch.
  // sync_q: set by the verdict SetSync; cleared by completion, a barrier, or a warp that is alone in the majority.
  // synced_q: set by completion of a synchronisation point; cleared by the verdicts Lead and SetNoElect, and at the end
  // of a region.
  // noel_q: set by the verdict SetNoElect; cleared at the end of a region.
  logic [NumTbs-1:0]            tl_q, en_q, prom_q, sync_q, synced_q, noel_q;
  logic [NumTbs*RowW-1:0]       base_q;  // physical register of the first row; set at launch
  logic [NumTbs*CountWidth-1:0] rows_q;  // number of rows; set at launch
  logic [NumTbs*LimitWidth-1:0] slots_q;  // registers 0..slots_q-1 can be renamed; set at launch
  // ctr_q: sequence number of the next election; 0 at launch, incremented by each election.
  logic [NumTbs*SeqWidth-1:0]   ctr_q;

  assign tl_o     = tl_q;
  assign en_o     = en_q;
  assign prom_o   = prom_q;
  assign base_o   = base_q;
  assign rows_o   = rows_q;
  assign slots_o  = slots_q;
  assign ctr_o    = ctr_q;
  assign sync_o   = sync_q;
  assign synced_o = synced_q;
  assign noel_o   = noel_q;

  logic [NumTbs-1:0] d_tb, launch_tb, tl, en, sync, synced, noel;

  always_ff @(posedge clk_i) begin
    tl        = tl_q;
    en        = en_q;
    sync      = sync_q;
    synced    = synced_q;
    noel      = noel_q;
    d_tb      = NumTbs'(1) << d_tb_i;
    launch_tb = launch_i ? NumTbs'(1) << launch_tb_i : '0;
    // Decode.
    if (alone_i) begin
      sync = sync & ~d_tb;
    end
    if (set_sync_i) begin
      sync = sync | d_tb;
    end
    if (no_elect_i) begin
      noel   = noel | d_tb;
      synced = synced & ~d_tb;
    end
    if (lead_i) begin
      synced = synced & ~d_tb;
    end
    // Meeting and barriers.
    sync   = sync & ~synced_i & ~bar_i;
    synced = (synced | synced_i) & ~region_end_i;
    noel   = noel & ~region_end_i;
    // Retirement and launch.
    if (retire_i) begin
      tl = tl & ~(NumTbs'(1) << retire_tb_i);
      en = en & ~(NumTbs'(1) << retire_tb_i);
    end
    tl     = tl | launch_tb;
    en     = (en & ~launch_tb) | (launch_tb & {NumTbs{launch_en_i}});
    sync   = sync & ~launch_tb;
    synced = synced & ~launch_tb;
    noel   = noel & ~launch_tb;

    if (!rst_ni) begin
      tl_q     <= '0;
      en_q     <= '0;
      prom_q   <= '0;
      sync_q   <= '0;
      synced_q <= '0;
      noel_q   <= '0;
      base_q   <= '0;
      rows_q   <= '0;
      slots_q  <= '0;
      ctr_q    <= '0;
    end else begin
      tl_q     <= tl;
      en_q     <= en;
      prom_q   <= (prom_q & ~launch_tb) | (launch_tb & {NumTbs{launch_promote_i}});
      sync_q   <= sync;
      synced_q <= synced;
      noel_q   <= noel;
      if (launch_i || lead_i) begin
        for (int unsigned t = 0; t < NumTbs; t++) begin
          if (lead_i && d_tb[t]) begin
            ctr_q[t*SeqWidth +: SeqWidth] <= ctr_q[t*SeqWidth +: SeqWidth] + SeqWidth'(1);
          end
          if (launch_tb[t]) begin
            base_q[t*RowW +: RowW]              <= launch_base_i;
            rows_q[t*CountWidth +: CountWidth]  <= launch_rows_i;
            slots_q[t*LimitWidth +: LimitWidth] <= launch_slots_i;
            ctr_q[t*SeqWidth +: SeqWidth]       <= '0;
          end
        end
      end
    end
  end
endmodule
