// Decode side of DARSIE, without state: finds the redundant ones among the decoded instructions of a warp, and gives
// the verdict on the first redundant one (docs/blocks/darsie.md, "Cycle").
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
  // Decoded instructions of one warp. None is valid if the number of the warp is out of range.
  input  logic [DecW-1:0]             valid_i,   // slot s holds an instruction of the warp
  input  logic [DecW*2-1:0]           mark_i,    // mark by slot: 0 V, 1 CR, 2 DR; 3 acts as 0
  input  logic [DecW*2-1:0]           ndst_i,    // number of destinations by slot; 3 acts as 0
  input  logic [DecW*2*SlotWidth-1:0] dst_i,     // register numbers of the destinations
  input  logic [DecW*2-1:0]           ldkind_i,  // by slot: 0 no load, 1 load within the TB, 2 global load

  // State of the decoded warp and of its thread block. Masks have one bit per warp, or per row of the thread block.
  input  logic [NumWarps-1:0]           warp_i,      // the decoded warp, one bit; 0 if no warp is decoded
  input  logic                          maj_i,       // the warp is in the majority
  input  logic [NumRows-1:0]            pend_i,      // rows of versions not passed by the warp; 0 outside the majority
  input  logic [NumWarps-1:0]           team_i,      // live warps of the warp's thread block
  input  logic [NumWarps-1:0]           team_maj_i,  // majority of the warp's thread block
  input  logic                          prom_i,      // mark 1 (CR) is redundant in this thread block
  input  logic                          noel_i,      // no elections until the region ends
  input  logic                          sync_i,      // a synchronisation point is open
  input  logic                          synced_i,    // a synchronisation point has completed since the last election
  input  logic [TagWidth:0]             rows_i,      // number of rows of the thread block
  input  logic [SlotWidth:0]            slots_i,     // registers 0..slots_i-1 can be renamed
  input  logic [SeqWidth-1:0]           ctr_i,       // sequence number of the next election
  input  logic [NumRows-1:0]            wb_i,        // rows that are written back
  input  logic [NumRows-1:0]            inv_i,       // rows stale for warps that have not passed them
  input  logic [NumRows-1:0]            nosk_i,      // stale rows whose instruction all other warps execute privately
  input  logic [SlotWidth*NumRows-1:0]  slot_i,      // register number of every row, in bit planes
  input  logic [SeqWidth*NumRows-1:0]   seq_i,       // sequence number of every row, in bit planes
  input  logic [NumWarps*NumRows-1:0]   pends_i,     // of all warps: rows of versions that the warp has not passed
  input  logic [NumWarps*NumRows-1:0]   refs_i,      // of all warps: rows that hold registers of the warp
  input  logic [NumWarps*NumRows-1:0]   lings_i,     // of all warps: rows that the warp dropped but may still read

  output logic [DecW*2-1:0]          act_o,      // verdict by slot: 0 PASS, 1 LEAD, 2 PRIV, 3 SQUASH
  output logic [2*TagWidth-1:0]      tag_o,      // rows given to the leader, by destination
  output castor_darsie_pkg::why_e    why_o,      // reason of the verdict; WhyNone without a redundant instruction
  output logic [DecWidth-1:0]        slot_o,     // slot of the first redundant instruction, the judged one
  output logic                       lead_o,     // the warp is elected leader of a new version
  output logic                       relead_o,   // the warp is elected leader to write a stale version again
  output logic                       two_o,      // the judged instruction has two destinations
  output logic                       ld_o,       // the judged instruction is a load
  output logic                       gl_o,       // the judged instruction is a global load
  output logic [NumRows-1:0]         new_o,      // rows that the election takes
  output logic [NumRows-1:0]         old_o,      // rows of the oldest pending version of the destination
  output logic [TagWidth-1:0]        v0_o,       // row of that version for the first destination
  output logic [TagWidth-1:0]        v1_o,       // row of that version for the second destination; 0 if there is none
  output logic [NumWarps-1:0]        waiting_o,  // stale version: other warps of the TB that have not passed it
  output logic [SeqWidth-1:0]        seq_o       // sequence number of the election
);
  // Returns the numbers of all rows in bit planes: bit b*NumRows+k is bit b of the number k.
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
  // Finds the redundant instructions, and the slot of the first one.
  logic [DecW-1:0]      red;  // slots with a redundant instruction
  logic                 any;
  logic [SlotWidth-1:0] dst0, dst1;  // destination registers of the first redundant instruction

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
  // The verdict on the first redundant instruction.
  logic [NumRows-1:0]         k0, k1;  // free rows for the first and second destination, one bit each
  castor_darsie_pkg::act_e    act;  // verdict on the first redundant instruction

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
      // Finds the oldest pending version of the destination. The age of a row is ctr - seq; the search goes through the
      // bits of the ages, highest bit first.
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
          // If no row is pending for the second destination, v1 is row 0.
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
      // Finds free rows, if an election may need them.
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
  // Verdicts by slot. A SQUASH squashes all younger instructions, and a second redundant instruction is squashed, too.
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
