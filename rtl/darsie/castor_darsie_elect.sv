// Decode side: which of a warp's instructions are redundant, and the verdict on the first of them
// (docs/blocks/darsie.md, "Cycle"). No state.
module castor_darsie_elect #(
  parameter int unsigned NumWarps = 64,
  parameter int unsigned NumRows  = 32,
  parameter int unsigned NumSlots = 32,
  parameter int unsigned DecW     = 2,
  parameter int unsigned LoadSkip = 1,
  parameter int unsigned SkipEn   = 1,
  localparam int unsigned TagWidth  = (NumRows > 1) ? $clog2(NumRows) : 1,
  localparam int unsigned SlotWidth = (NumSlots > 1) ? $clog2(NumSlots) : 1,
  localparam int unsigned SeqWidth  = $clog2(NumRows) + 1,
  localparam int unsigned DecWidth  = (DecW > 1) ? $clog2(DecW) : 1
) (
  // Instructions of one warp, valid ones of a warp in range.
  input  logic [DecW-1:0]             valid_i,   // slot s has an instruction of the warp
  input  logic [DecW*2-1:0]           mark_i,    // 0 V, 1 CR, 2 DR; 3 acts as 0
  input  logic [DecW*2-1:0]           ndst_i,    // destinations; 3 acts as 0
  input  logic [DecW*2*SlotWidth-1:0] dst_i,     // their register numbers
  input  logic [DecW*2-1:0]           ldkind_i,  // 0 none, 1 TB load, 2 global load

  // The warp and its thread block. Masks are over warps, or over the thread block's rows.
  input  logic [NumWarps-1:0]           warp_i,      // the warp that is decoded, one bit; 0 if none is
  input  logic                          maj_i,       // it is in the majority
  input  logic [NumRows-1:0]            pend_i,      // rows of versions that it has not passed; 0 outside the majority
  input  logic [NumWarps-1:0]           team_i,      // live warps of its thread block
  input  logic [NumWarps-1:0]           team_maj_i,  // those in the majority
  input  logic                          prom_i,      // mark 1 is redundant in this thread block
  input  logic                          noel_i,      // no elections until the region ends
  input  logic                          sync_i,      // a synchronisation point is open
  input  logic                          synced_i,    // passed one, and no election since
  input  logic [TagWidth:0]             rows_i,      // rows that the thread block has
  input  logic [SlotWidth:0]            slots_i,     // registers 0..this-1 are renamed
  input  logic [SeqWidth-1:0]           ctr_i,       // sequence number of the next election
  input  logic [NumRows-1:0]            wb_i,        // rows that are written back
  input  logic [NumRows-1:0]            inv_i,       // rows stale for warps that have not passed them
  input  logic [NumRows-1:0]            nosk_i,      // stale rows whose instruction the rest executes privately
  input  logic [SlotWidth*NumRows-1:0]  slot_i,      // register number of every row, in bit planes
  input  logic [SeqWidth*NumRows-1:0]   seq_i,       // sequence number of every row, in bit planes
  input  logic [NumWarps*NumRows-1:0]   pends_i,     // of all warps: rows not passed yet
  input  logic [NumWarps*NumRows-1:0]   refs_i,      // of all warps: rows that hold their registers
  input  logic [NumWarps*NumRows-1:0]   lings_i,     // of all warps: rows dropped that may still be read

  output logic [DecW*2-1:0]          act_o,      // per slot: 0 PASS, 1 LEAD, 2 PRIV, 3 SQUASH
  output logic [2*TagWidth-1:0]      tag_o,      // rows of a leader, by destination
  output castor_darsie_pkg::why_e    why_o,      // reason of the verdict; WhyNone without a redundant instruction
  output logic [DecWidth-1:0]        slot_o,     // slot of the first redundant instruction, the one judged
  output logic                       lead_o,     // elected for a new version, or
  output logic                       relead_o,   // to write a stale one again
  output logic                       two_o,      // the instruction judged has two destinations
  output logic                       ld_o,       // it is a load
  output logic                       gl_o,       // it is a global load
  output logic [NumRows-1:0]         new_o,      // rows of the election
  output logic [NumRows-1:0]         old_o,      // rows of the pending version that was found
  output logic [TagWidth-1:0]        v0_o,       // the row of that version for the first destination
  output logic [TagWidth-1:0]        v1_o,       // the row for the second; 0 if there is none
  output logic [NumWarps-1:0]        waiting_o,  // stale version: other warps of the thread block not past it
  output logic [SeqWidth-1:0]        seq_o       // sequence number of the election
);
  // Bit b*NumRows+k: bit b of the number k.
  function automatic logic [TagWidth*NumRows-1:0] numbers();
    numbers = '0;
    for (int unsigned b = 0; b < TagWidth; b++) begin
      for (int unsigned k = 0; k < NumRows; k++) begin
        numbers[b*NumRows+k] = (((k >> b) & 1) != 0);
      end
    end
  endfunction

  localparam logic [TagWidth*NumRows-1:0] Number = numbers();

  // ---------------------------------------------------------------------------------------------------------------
  // Redundant instructions, and the first of them.
  logic [DecW-1:0]      red;
  logic                 any;
  logic [SlotWidth-1:0] dst0, dst1;

  always_comb begin
    logic [1:0] mark, ndst;
    logic       in_set;
    red    = '0;
    any    = 1'b0;
    slot_o = '0;
    dst0   = '0;
    dst1   = '0;
    two_o  = 1'b0;
    ld_o   = 1'b0;
    gl_o   = 1'b0;
    mark   = '0;
    ndst   = '0;
    in_set = 1'b0;
    if (SkipEn != 0 && maj_i && valid_i != '0) begin
      for (int unsigned s = DecW; s > 0; s--) begin
        mark     = mark_i[(s-1)*2 +: 2];
        ndst     = ndst_i[(s-1)*2 +: 2];
        in_set   = ({1'b0, dst_i[(s-1)*2*SlotWidth +: SlotWidth]} < slots_i) &&
                   (ndst == 2'd1 || {1'b0, dst_i[(s-1)*2*SlotWidth+SlotWidth +: SlotWidth]} < slots_i);
        red[s-1] = valid_i[s-1] && (mark == 2'd2 || (mark == 2'd1 && prom_i)) && (ndst == 2'd1 || ndst == 2'd2) &&
                   in_set && (LoadSkip != 0 || ldkind_i[(s-1)*2 +: 2] == 2'd0);
        if (red[s-1]) begin
          any    = 1'b1;
          slot_o = DecWidth'(s - 1);
          dst0   = dst_i[(s-1)*2*SlotWidth +: SlotWidth];
          dst1   = dst_i[(s-1)*2*SlotWidth+SlotWidth +: SlotWidth];
          two_o  = (ndst == 2'd2);
          ld_o   = (ldkind_i[(s-1)*2 +: 2] != 2'd0);
          gl_o   = ldkind_i[(s-1)*2+1];
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The verdict.
  logic [NumRows-1:0]         k0, k1;
  castor_darsie_pkg::act_e    act;

  always_comb begin
    logic [NumRows-1:0]          same0, same1, left, high, carry, plane, used, free, v0, v1;
    logic [SeqWidth*NumRows-1:0] age;
    logic                        room, stale;
    logic [NumWarps-1:0]         others;
    same0     = pend_i;
    same1     = pend_i;
    left      = '0;
    high      = '0;
    carry     = '1;
    age       = '0;
    plane     = '0;
    used      = '0;
    free      = '0;
    v0        = '0;
    v1        = '0;
    k0        = '0;
    k1        = '0;
    room      = 1'b0;
    stale     = 1'b0;
    others    = '0;
    waiting_o = '0;
    v0_o      = '0;
    v1_o      = '0;
    seq_o     = ctr_i;
    act       = castor_darsie_pkg::ActPass;
    why_o     = castor_darsie_pkg::WhyNone;
    if (any) begin
      // The oldest pending version of the destination: age by age's highest bit first. Ages are ctr - seq.
      for (int unsigned b = 0; b < SlotWidth; b++) begin
        same0 = same0 & ~(slot_i[b*NumRows +: NumRows] ^ {NumRows{dst0[b]}});
        same1 = same1 & ~(slot_i[b*NumRows +: NumRows] ^ {NumRows{dst1[b]}});
      end
      if (same0 != '0) begin
        for (int unsigned b = 0; b < SeqWidth; b++) begin
          plane                    = ~seq_i[b*NumRows +: NumRows];
          age[b*NumRows +: NumRows] = plane ^ {NumRows{ctr_i[b]}} ^ carry;
          carry                    = (plane & {NumRows{ctr_i[b]}}) | (carry & (plane | {NumRows{ctr_i[b]}}));
        end
        left = same0;
        for (int unsigned b = SeqWidth; b > 0; b--) begin
          high = left & age[(b-1)*NumRows +: NumRows];
          if (high != '0) begin
            left = high;
          end
        end
        v0 = left & (~left + NumRows'(1));
        for (int unsigned b = 0; b < TagWidth; b++) begin
          v0_o[b] = ((v0 & Number[b*NumRows +: NumRows]) != '0);
        end
        for (int unsigned b = 0; b < SeqWidth; b++) begin
          seq_o[b] = ((v0 & seq_i[b*NumRows +: NumRows]) != '0);
        end
        if (two_o) begin
          for (int unsigned b = 0; b < SeqWidth; b++) begin
            same1 = same1 & ~(seq_i[b*NumRows +: NumRows] ^ {NumRows{seq_o[b]}});
          end
          // Without one it is row 0.
          v1 = (same1 == '0) ? NumRows'(1) : same1 & (~same1 + NumRows'(1));
          for (int unsigned b = 0; b < TagWidth; b++) begin
            v1_o[b] = ((v1 & Number[b*NumRows +: NumRows]) != '0);
          end
        end
        stale = ((v0 & inv_i) != '0);
        if (stale) begin
          for (int unsigned w = 0; w < NumWarps; w++) begin
            if (team_i[w]) begin
              waiting_o[w] = ((pends_i[w*NumRows +: NumRows] & v0) != '0);
            end
          end
          waiting_o = waiting_o & ~warp_i;
        end
      end
      // Free rows, where they are asked for.
      if (same0 == '0 || stale) begin
        for (int unsigned w = 0; w < NumWarps; w++) begin
          if (team_i[w]) begin
            used = used | pends_i[w*NumRows +: NumRows] | refs_i[w*NumRows +: NumRows] |
                   lings_i[w*NumRows +: NumRows];
          end
        end
        for (int unsigned k = 0; k < NumRows; k++) begin
          free[k] = (k < 32'(rows_i)) && wb_i[k] && !used[k];
        end
        k0   = free & (~free + NumRows'(1));
        free = free & ~k0;
        k1   = two_o ? free & (~free + NumRows'(1)) : '0;
        room = (k0 != '0) && (!two_o || k1 != '0);
      end
      others = team_maj_i & ~warp_i;
      if (same0 != '0) begin
        if ((v0 & nosk_i) != '0) begin
          why_o = castor_darsie_pkg::WhyNosk;
        end else if (!stale) begin
          why_o = castor_darsie_pkg::WhyLatch;
        end else if (waiting_o == '0) begin
          why_o = castor_darsie_pkg::WhyLast;
        end else if (room && !noel_i) begin
          why_o = castor_darsie_pkg::WhyRelead;
        end else begin
          why_o = castor_darsie_pkg::WhyNoRow;
        end
      end else if (others == '0) begin
        why_o = castor_darsie_pkg::WhyAlone;
      end else if (noel_i) begin
        why_o = castor_darsie_pkg::WhyNoElect;
      end else if (sync_i) begin
        why_o = castor_darsie_pkg::WhyPark;
      end else if (room) begin
        why_o = castor_darsie_pkg::WhyLead;
      end else if (synced_i) begin
        why_o = castor_darsie_pkg::WhySetNoElect;
      end else begin
        why_o = castor_darsie_pkg::WhySetSync;
      end
      unique case (why_o)
        castor_darsie_pkg::WhyLead, castor_darsie_pkg::WhyRelead: act = castor_darsie_pkg::ActLead;
        castor_darsie_pkg::WhyLatch, castor_darsie_pkg::WhyPark, castor_darsie_pkg::WhySetSync:
          act = castor_darsie_pkg::ActSquash;
        default: act = castor_darsie_pkg::ActPriv;
      endcase
    end
    old_o    = v0 | v1;
    lead_o   = (why_o == castor_darsie_pkg::WhyLead);
    relead_o = (why_o == castor_darsie_pkg::WhyRelead);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // What decode is told: a squash takes all younger ones along, and so does a second redundant instruction.
  always_comb begin
    logic dropped, seen;
    dropped = 1'b0;
    seen    = 1'b0;
    act_o   = '0;
    tag_o   = '0;
    new_o   = '0;
    if (any) begin
      for (int unsigned s = 0; s < DecW; s++) begin
        if (valid_i[s]) begin
          dropped          = dropped || (seen && red[s]);
          act_o[s*2 +: 2]  = dropped ? castor_darsie_pkg::ActSquash :
                             (red[s] ? act : castor_darsie_pkg::ActPass);
          dropped          = dropped || (act_o[s*2 +: 2] == castor_darsie_pkg::ActSquash);
          seen             = seen || red[s];
        end
      end
      if (act == castor_darsie_pkg::ActLead) begin
        new_o = k0 | k1;
        for (int unsigned b = 0; b < TagWidth; b++) begin
          tag_o[b]          = ((k0 & Number[b*NumRows +: NumRows]) != '0);
          tag_o[TagWidth+b] = ((k1 & Number[b*NumRows +: NumRows]) != '0);
        end
      end
    end
  end
endmodule
