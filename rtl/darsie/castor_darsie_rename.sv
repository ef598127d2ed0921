// Register map of each warp: rows of versions that the warp has not passed (pend), rows that hold its registers (ref),
// and rows that it dropped but may still read (ling). It looks up operands at issue and requests the copies for warps
// that left the majority (docs/blocks/darsie.md, "Cycle"). Row k of warp w is bit w*NumRows+k of a mask.
//
// The register numbers of a thread block's rows are stored in bit planes and read together. The clocked process
// computes the next state, because no output depends on it.
module castor_darsie_rename #(
  parameter int unsigned NumWarps = 64,
  parameter int unsigned NumTbs   = 32,
  parameter int unsigned NumRows  = 32,
  parameter int unsigned NumSlots = 32,
  parameter int unsigned PstRd    = 2,
  parameter int unsigned NumIss   = 8,
  parameter int unsigned NumSrc   = 6,
  parameter int unsigned RowW     = 11,
  localparam int unsigned WarpWidth = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned TbWidth   = (NumTbs > 1) ? $clog2(NumTbs) : 1,
  localparam int unsigned TagWidth  = (NumRows > 1) ? $clog2(NumRows) : 1,
  localparam int unsigned SlotWidth = (NumSlots > 1) ? $clog2(NumSlots) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Warps and rows at the start of the cycle.
  input  logic [NumWarps-1:0]         live_i,  // warps that have not exited
  input  logic [TbWidth*NumWarps-1:0] tb_i,    // thread block slot of every warp, in bit planes
  input  logic [NumWarps-1:0]         cpy_i,   // warps whose registers are copied out of rows
  input  logic [NumTbs*NumRows-1:0]   wb_i,    // rows written back, of all thread blocks
  input  logic [NumTbs*RowW-1:0]      base_i,  // physical register of the first row, by thread block

  // Fetch groups that skip.
  input  logic [PstRd-1:0]          skip_i,        // group g skips at this edge
  input  logic [PstRd*NumWarps-1:0] skip_warps_i,  // warps of group g
  input  logic [PstRd*TbWidth-1:0]  skip_tb_i,     // thread block of group g
  input  logic [PstRd-1:0]          skip_two_i,    // the skipped version has two rows
  input  logic [PstRd*TagWidth-1:0] skip_tag0_i,   // first row of the version
  input  logic [PstRd*TagWidth-1:0] skip_tag1_i,   // second row of the version, if there is one

  // Decode, for one thread block. Masks of rows are of that thread block.
  input  logic [TbWidth-1:0]           d_tb_i,        // thread block whose warp is decoded
  output logic [SlotWidth*NumRows-1:0] d_slot_o,      // register number of every row of d_tb_i, in bit planes
  input  logic [NumWarps-1:0]          drop_warps_i,  // warps that no longer have the rows drop_i pending
  input  logic [NumRows-1:0]           drop_i,        // rows of the version that these warps give up
  input  logic                         elected_i,     // a leader is elected at this edge
  input  logic [NumWarps-1:0]          heirs_i,       // warps for which the new rows become pending
  input  logic [NumRows-1:0]           new0_i,        // new row for the first destination, one bit
  input  logic [NumRows-1:0]           new1_i,        // new row for the second destination, one bit; 0 if there is none
  input  logic [SlotWidth-1:0]         new0_slot_i,   // register number of new0_i
  input  logic [SlotWidth-1:0]         new1_slot_i,   // register number of new1_i

  // Issue. Only valid for live warps.
  input  logic [NumIss-1:0]                  i_valid_i,  // port p: an instruction issues
  input  logic [NumIss*WarpWidth-1:0]        i_warp_i,   // warp of the issued instruction
  input  logic [NumIss-1:0]                  i_lead_i,   // the instruction was decoded as LEAD
  input  logic [NumIss*2*TagWidth-1:0]       i_tag_i,    // LEAD: rows given at decode
  input  logic [NumIss*2-1:0]                i_dv_i,     // the instruction has destination a
  input  logic [NumIss*2*SlotWidth-1:0]      i_dst_i,    // register numbers of the destinations
  input  logic [NumIss*NumSrc-1:0]           i_sv_i,     // the instruction has source a
  input  logic [NumIss*NumSrc*SlotWidth-1:0] i_src_i,    // register numbers of the sources
  output logic [NumIss*NumSrc-1:0]           i_sren_o,   // source a is read from the row i_srow
  output logic [NumIss*NumSrc*RowW-1:0]      i_srow_o,   // physical register of that row
  input  logic [NumWarps-1:0]                oc_idle_i,  // the warp has no operands left to collect

  // Events.
  input  logic [NumWarps-1:0] leave_i,   // the warp leaves the majority
  input  logic [NumWarps-1:0] barred_i,  // warps of thread blocks whose barrier completes
  input  logic [NumWarps-1:0] exit_i,    // live warps that exit

  // Copies of rows into registers of warps.
  input  logic                 cp_ack_i,    // the requested copy is done
  output logic                 cp_valid_o,  // request to copy a row into a warp's own register
  output logic [WarpWidth-1:0] cp_warp_o,   // warp whose register is written
  output logic [RowW-1:0]      cp_row_o,    // physical register of the row that is copied
  output logic [SlotWidth-1:0] cp_slot_o,   // number of the register that is written
  output logic [NumWarps-1:0]  copied_o,    // warps in cpy_i that have no row left to copy

  output logic [NumWarps*NumRows-1:0] pend_o,  // rows of versions that the warp has not passed
  output logic [NumWarps*NumRows-1:0] ref_o,   // rows that hold registers of the warp
  output logic [NumWarps*NumRows-1:0] ling_o,  // rows that the warp dropped but may still read
  output logic [WarpWidth-1:0]        cpw_o,   // warp of the requested copy; 0 without a request
  output logic [TagWidth-1:0]         cpk_o    // row of the requested copy; 0 without a request
);
  localparam int unsigned PlanesWidth = SlotWidth * NumRows;
  localparam int unsigned PaddedWarps = (NumWarps + 7) / 8 * 8;

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

  // Returns the rows in `rows` whose register number is `slot`. `planes` has the register numbers in bit planes.
  function automatic logic [NumRows-1:0] rows_of(input logic [NumRows-1:0] rows, input logic [PlanesWidth-1:0] planes,
                                                 input logic [SlotWidth-1:0] slot);
    rows_of = rows;
    for (int unsigned b = 0; b < SlotWidth; b++) begin
      rows_of = rows_of & ~(planes[b*NumRows +: NumRows] ^ {NumRows{slot[b]}});
    end
  endfunction

  // One bit per warp and row.
  // pend_q: set for the heirs by an election; cleared by a skip, a private verdict, leave, barrier or exit of the warp.
  // ref_q: set by a skip, and by the issue of a leader; cleared by a newer write of the register, a copy, or exit.
  // ling_q: set when ref_q is cleared; cleared when the warp has no operands left to collect (oc_idle_i), or by exit.
  logic [NumWarps*NumRows-1:0] pend_q, ref_q, ling_q;
  logic [PlanesWidth-1:0]      slot_q [NumTbs];  // numbers of each TB's rows, in bit planes; set by an election
  logic                        cpv_q;  // a copy is requested; cleared by cp_ack_i
  logic [WarpWidth-1:0]        cpw_q;  // warp of the requested copy
  logic [TagWidth-1:0]         cpk_q;  // row of the requested copy

  assign pend_o   = pend_q;
  assign ref_o    = ref_q;
  assign ling_o   = ling_q;
  assign cpw_o    = cpw_q;
  assign cpk_o    = cpk_q;
  assign d_slot_o = slot_q[d_tb_i];

  // ---------------------------------------------------------------------------------------------------------------
  // Operands: a source register is read from the lowest row that holds it for the warp (ref), if there is such a row.
  always_comb begin
    logic [NumRows-1:0]     refs, rows;
    logic [TbWidth-1:0]     tb;
    logic [PlanesWidth-1:0] planes;
    logic [RowW-1:0]        base;
    logic [TagWidth-1:0]    tag;
    refs     = '0;
    rows     = '0;
    tb       = '0;
    planes   = '0;
    base     = '0;
    tag      = '0;
    i_sren_o = '0;
    i_srow_o = '0;
    for (int unsigned p = 0; p < NumIss; p++) begin
      if (i_valid_i[p]) begin
        refs = ref_q[i_warp_i[p*WarpWidth +: WarpWidth]*NumRows +: NumRows];
        if (refs != '0) begin
          for (int unsigned b = 0; b < TbWidth; b++) begin
            tb[b] = tb_i[b*NumWarps+32'(i_warp_i[p*WarpWidth +: WarpWidth])];
          end
          planes = slot_q[tb];
          base   = base_i[tb*RowW +: RowW];
          for (int unsigned a = 0; a < NumSrc; a++) begin
            if (i_sv_i[p*NumSrc+a]) begin
              rows = rows_of(refs, planes, i_src_i[(p*NumSrc+a)*SlotWidth +: SlotWidth]);
              if (rows != '0) begin
                rows = rows & (~rows + NumRows'(1));
                for (int unsigned b = 0; b < TagWidth; b++) begin
                  tag[b] = ((rows & Number[b*NumRows +: NumRows]) != '0);
                end
                i_sren_o[p*NumSrc+a]                = 1'b1;
                i_srow_o[(p*NumSrc+a)*RowW +: RowW] = base + RowW'(tag);
              end
            end
          end
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Copies: picks the lowest copying warp that has a written-back row, and its lowest such row. Depends on registers
  // only.
  logic                 pick;  // a row can be copied: requested at the next edge
  logic [WarpWidth-1:0] pick_warp;
  logic [TagWidth-1:0]  pick_row;
  logic [NumWarps-1:0]  copied;

  always_comb begin
    logic [NumRows-1:0]     rows, here;
    logic [TbWidth-1:0]     tb;
    logic [PaddedWarps-1:0] copying;
    rows      = '0;
    copying   = PaddedWarps'(cpy_i);
    here      = '0;
    tb        = '0;
    pick      = 1'b0;
    pick_warp = '0;
    pick_row  = '0;
    copied    = '0;
    if (cpy_i != '0) begin
      for (int unsigned h = PaddedWarps; h > 0; h = h - 8) begin
        if (copying[h-8 +: 8] != '0) begin
          for (int unsigned w = (h > NumWarps) ? NumWarps : h; w > h - 8; w--) begin
            if (copying[w-1]) begin
              for (int unsigned b = 0; b < TbWidth; b++) begin
                tb[b] = tb_i[b*NumWarps+(w-1)];
              end
              here        = ref_q[(w-1)*NumRows +: NumRows];
              copied[w-1] = (here == '0);
              here        = here & wb_i[tb*NumRows +: NumRows];
              if (here != '0) begin
                pick      = 1'b1;
                pick_warp = WarpWidth'(w - 1);
                rows      = here;
              end
            end
          end
        end
      end
      rows = rows & (~rows + NumRows'(1));
      for (int unsigned b = 0; b < TagWidth; b++) begin
        pick_row[b] = ((rows & Number[b*NumRows +: NumRows]) != '0);
      end
    end
  end

  assign copied_o   = copied;
  assign cp_valid_o = cpv_q;

  always_comb begin
    logic [TbWidth-1:0]     tb;
    logic [PlanesWidth-1:0] planes;
    tb        = '0;
    planes    = '0;
    cp_warp_o = '0;
    cp_row_o  = '0;
    cp_slot_o = '0;
    if (cpv_q) begin
      for (int unsigned b = 0; b < TbWidth; b++) begin
        tb[b] = tb_i[b*NumWarps+32'(cpw_q)];
      end
      planes    = slot_q[tb];
      cp_warp_o = cpw_q;
      cp_row_o  = base_i[tb*RowW +: RowW] + RowW'(cpk_q);
      for (int unsigned b = 0; b < SlotWidth; b++) begin
        cp_slot_o[b] = planes[b*NumRows+32'(cpk_q)];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Next state. First computes the rows that each skip group and issue port adds to and removes from the map of a warp;
  // then applies them to each warp concerned.
  logic [NumWarps*NumRows-1:0] refs;
  logic [NumRows-1:0]          now, was, tags, pending;
  logic [PlanesWidth-1:0]      planes, slots;
  logic [TbWidth-1:0]          tb;
  logic [SlotWidth-1:0]        number;
  logic [PstRd*NumRows-1:0]    skip_gain, skip_lose;
  logic [NumIss*NumRows-1:0]   issue_gain, issue_lose;
  logic [NumWarps-1:0]         ends;
  logic [PaddedWarps-1:0]      passes, issues, changes;

  always_ff @(posedge clk_i) begin
    skip_gain  = '0;
    skip_lose  = '0;
    issue_gain = '0;
    issue_lose = '0;
    passes     = PaddedWarps'(drop_warps_i) | PaddedWarps'(heirs_i);
    issues     = '0;
    for (int unsigned g = 0; g < PstRd; g++) begin
      if (skip_i[g]) begin
        passes = passes | PaddedWarps'(skip_warps_i[g*NumWarps +: NumWarps]);
        planes = slot_q[skip_tb_i[g*TbWidth +: TbWidth]];
        tags   = NumRows'(1) << skip_tag0_i[g*TagWidth +: TagWidth];
        for (int unsigned b = 0; b < SlotWidth; b++) begin
          number[b] = ((tags & planes[b*NumRows +: NumRows]) != '0);
        end
        skip_gain[g*NumRows +: NumRows] = tags;
        skip_lose[g*NumRows +: NumRows] = rows_of({NumRows{1'b1}}, planes, number);
        if (skip_two_i[g]) begin
          tags = NumRows'(1) << skip_tag1_i[g*TagWidth +: TagWidth];
          for (int unsigned b = 0; b < SlotWidth; b++) begin
            number[b] = ((tags & planes[b*NumRows +: NumRows]) != '0);
          end
          skip_gain[g*NumRows +: NumRows] = skip_gain[g*NumRows +: NumRows] | tags;
          skip_lose[g*NumRows +: NumRows] =
              skip_lose[g*NumRows +: NumRows] | rows_of({NumRows{1'b1}}, planes, number);
        end
      end
    end
    for (int unsigned p = 0; p < NumIss; p++) begin
      if (i_valid_i[p] && i_dv_i[p*2 +: 2] != '0) begin
        issues = issues | (PaddedWarps'(1) << i_warp_i[p*WarpWidth +: WarpWidth]);
        for (int unsigned b = 0; b < TbWidth; b++) begin
          tb[b] = tb_i[b*NumWarps+32'(i_warp_i[p*WarpWidth +: WarpWidth])];
        end
        planes = slot_q[tb];
        for (int unsigned a = 0; a < 2; a++) begin
          if (i_dv_i[p*2+a]) begin
            issue_lose[p*NumRows +: NumRows] =
                issue_lose[p*NumRows +: NumRows] |
                rows_of({NumRows{1'b1}}, planes, i_dst_i[(p*2+a)*SlotWidth +: SlotWidth]);
            if (i_lead_i[p]) begin
              issue_gain[p*NumRows +: NumRows] =
                  issue_gain[p*NumRows +: NumRows] | (NumRows'(1) << i_tag_i[(p*2+a)*TagWidth +: TagWidth]);
            end
          end
        end
      end
    end

    // Skips and verdicts. The loop skips groups of eight warps without changes, to speed up simulation.
    refs = ref_q;
    for (int unsigned h = 0; h < PaddedWarps; h = h + 8) begin
      if (passes[h +: 8] != '0) begin
        for (int unsigned w = h; w < h + 8 && w < NumWarps; w++) begin
          if (passes[w]) begin
            pending = pend_q[w*NumRows +: NumRows];
            for (int unsigned g = 0; g < PstRd; g++) begin
              if (skip_i[g] && skip_warps_i[g*NumWarps+w]) begin
                refs[w*NumRows +: NumRows] =
                    (refs[w*NumRows +: NumRows] & ~skip_lose[g*NumRows +: NumRows]) | skip_gain[g*NumRows +: NumRows];
                pending = pending & ~skip_gain[g*NumRows +: NumRows];
              end
            end
            if (drop_warps_i[w]) begin
              pending = pending & ~drop_i;
            end
            if (heirs_i[w]) begin
              pending = pending | new0_i | new1_i;
            end
            pend_q[w*NumRows +: NumRows] <= pending;
          end
        end
      end
    end
    // Issues are applied in the order of the ports.
    for (int unsigned h = 0; h < PaddedWarps; h = h + 8) begin
      if (issues[h +: 8] != '0) begin
        for (int unsigned w = h; w < h + 8 && w < NumWarps; w++) begin
          if (issues[w]) begin
            now = refs[w*NumRows +: NumRows];
            for (int unsigned p = 0; p < NumIss; p++) begin
              if (i_valid_i[p] && i_warp_i[p*WarpWidth +: WarpWidth] == WarpWidth'(w)) begin
                now = (now & ~issue_lose[p*NumRows +: NumRows]) | issue_gain[p*NumRows +: NumRows];
              end
            end
            refs[w*NumRows +: NumRows] = now;
          end
        end
      end
    end
    // Warps whose set of referenced rows may change: the warp decodes or issues an instruction, a copy for it is
    // acknowledged, or it leaves the majority, completes a barrier or exits. A row that a warp gives up is freed only
    // when the warp has read its operands.
    ends    = leave_i | barred_i | exit_i;
    changes = passes | issues | PaddedWarps'(ends);
    if (cp_ack_i && cpv_q) begin
      changes = changes | (PaddedWarps'(1) << cpw_q);
    end
    if (ling_q != '0) begin
      changes = changes | PaddedWarps'(oc_idle_i);
    end
    for (int unsigned h = 0; h < PaddedWarps; h = h + 8) begin
      if (changes[h +: 8] != '0) begin
        for (int unsigned w = h; w < h + 8 && w < NumWarps; w++) begin
          if (changes[w]) begin
            was = ref_q[w*NumRows +: NumRows];
            now = refs[w*NumRows +: NumRows];
            if (cp_ack_i && cpv_q && cpw_q == WarpWidth'(w)) begin
              now = now & ~(NumRows'(1) << cpk_q);
            end
            if (exit_i[w]) begin
              now = '0;
            end
            ref_q[w*NumRows +: NumRows] <= now;
            if (ends[w]) begin
              pend_q[w*NumRows +: NumRows] <= '0;
            end
            if (oc_idle_i[w] || exit_i[w]) begin
              ling_q[w*NumRows +: NumRows] <= '0;
            end else if (live_i[w]) begin
              ling_q[w*NumRows +: NumRows] <= ling_q[w*NumRows +: NumRows] | (was & ~now);
            end
          end
        end
      end
    end
    if (cpv_q) begin
      if (cp_ack_i) begin
        cpv_q <= 1'b0;
        cpw_q <= '0;
        cpk_q <= '0;
      end
    end else if (pick) begin
      cpv_q <= 1'b1;
      cpw_q <= pick_warp;
      cpk_q <= pick_row;
    end
    if (!rst_ni) begin
      pend_q <= '0;
      ref_q  <= '0;
      ling_q <= '0;
      cpv_q  <= 1'b0;
      cpw_q  <= '0;
      cpk_q  <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    slots = slot_q[d_tb_i];
    for (int unsigned b = 0; b < SlotWidth; b++) begin
      slots[b*NumRows +: NumRows] = (slots[b*NumRows +: NumRows] & ~(new0_i | new1_i)) |
                                    (new0_i & {NumRows{new0_slot_i[b]}}) | (new1_i & {NumRows{new1_slot_i[b]}});
    end
    if (!rst_ni) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        slot_q[t] <= '0;
      end
    end else if (elected_i) begin
      slot_q[d_tb_i] <= slots;
    end
  end
endmodule
