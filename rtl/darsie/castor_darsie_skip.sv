// Fetch side: the PC skip table, a bank of entries for each thread block, and the groups of warps that it serves
// (docs/blocks/darsie.md, "Cycle").
//
// A group is warps of one thread block: those that wait for the same version and can have it, or those that are probed
// with the same PC. Groups are formed from the first warp behind the pointer on; each takes its warps from the rest.
//
// PCs and tags are searched, a whole bank for each group, so they are flops of this part and no table of rtl/common.
module castor_darsie_skip #(
  parameter int unsigned NumWarps = 64,
  parameter int unsigned NumTbs   = 32,
  parameter int unsigned NumPst   = 8,
  parameter int unsigned NumRows  = 32,
  parameter int unsigned PstRd    = 2,
  parameter int unsigned PcW      = 48,
  parameter int unsigned StoreInv = 1,
  localparam int unsigned WarpWidth  = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned TbWidth    = (NumTbs > 1) ? $clog2(NumTbs) : 1,
  localparam int unsigned TagWidth   = (NumRows > 1) ? $clog2(NumRows) : 1,
  localparam int unsigned EntryWidth = (NumPst > 1) ? $clog2(NumPst) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Fetch.
  input  logic [NumWarps-1:0]     f_elig_i,  // may be skipped now
  input  logic [NumWarps*PcW-1:0] f_pc_i,    // their next PC

  // Warps, as the cycle began.
  input  logic [NumWarps-1:0]          maj_i,    // warps in the majority
  input  logic [NumWarps-1:0]          probe_i,  // warps that probe the skip table once they are eligible
  input  logic [NumWarps-1:0]          ready_i,  // waiting warps whose rows are all written
  input  logic [TbWidth*NumWarps-1:0]  tb_i,     // thread block slot of every warp, in bit planes
  input  logic [NumTbs*NumWarps-1:0]   team_i,   // live warps of each thread block
  input  logic [NumWarps-1:0]          two_i,    // of a waiting warp: its version has two rows
  input  logic [TagWidth*NumWarps-1:0] lt0_i,    // its first row, in bit planes
  input  logic [TagWidth*NumWarps-1:0] lt1_i,    // its second row, in bit planes; 0 if there is none
  input  logic [NumWarps*NumRows-1:0]  pend_i,   // rows of versions that the warp has not passed
  input  logic [NumTbs*NumRows-1:0]    wb_i,     // rows written back

  // Groups. A group skips, begins to wait, or has found nothing.
  output logic [PstRd-1:0]          skip_o,      // the group skips: its PCs move on at this edge
  output logic [PstRd-1:0]          latch_o,     // the group begins to wait for the version
  output logic [PstRd*NumWarps-1:0] warps_o,     // warps of the group
  output logic [PstRd*TbWidth-1:0]  group_tb_o,  // its thread block
  output logic [PstRd-1:0]          two_o,       // the version has two rows
  output logic [PstRd*TagWidth-1:0] tag0_o,      // its first row
  output logic [PstRd*TagWidth-1:0] tag1_o,      // its second row; 0 if there is none
  output logic [PstRd-1:0]          wb0_o,       // the first row was written before this cycle
  output logic [PstRd-1:0]          wb1_o,       // the second row was, if there is one
  output logic [PstRd-1:0]          ld_o,        // of an entry: its version is the result of a load
  output logic [PstRd-1:0]          gl_o,        // of a global load
  output logic [NumWarps-1:0]       skipped_o,   // warps of all groups that skip
  output logic [NumWarps-1:0]       missed_o,    // warps of groups that have found nothing

  // A new entry, and entries that fall.
  input  logic                write_i,       // a leader is elected: entry ptr of its thread block is written
  input  logic [TbWidth-1:0]  write_tb_i,    // that thread block
  input  logic [PcW-1:0]      write_pc_i,    // PC of the instruction
  input  logic                write_two_i,   // it has two destinations
  input  logic [TagWidth-1:0] write_tag0_i,  // row of the first
  input  logic [TagWidth-1:0] write_tag1_i,  // row of the second; 0 if there is none
  input  logic                write_ld_i,    // it is a load
  input  logic                write_gl_i,    // it is a global load
  input  logic [NumTbs-1:0]   ev_store_i,    // store of a warp of the TB
  input  logic                ev_global_i,   // global communication
  input  logic [NumTbs-1:0]   region_end_i,  // thread blocks whose entries all become invalid
  input  logic                launch_i,      // a thread block starts
  input  logic [TbWidth-1:0]  launch_tb_i,   // its slot: its entries become invalid, ptr is 0

  output logic [NumTbs-1:0]            entries_o,  // thread blocks with an entry
  output logic [NumTbs*NumPst-1:0]     pv_o,       // entries that are valid
  output logic [NumTbs*NumPst-1:0]     pld_o,      // entries of loads
  output logic [NumTbs*NumPst-1:0]     pgl_o,      // entries of global loads
  output logic [NumTbs*EntryWidth-1:0] ptr_o,      // entry written next, by thread block
  output logic [WarpWidth-1:0]         rrf_o       // warp with which the search for groups begins
);
  localparam int unsigned AddrWidth  = (NumTbs * NumPst > 1) ? $clog2(NumTbs * NumPst) : 1;
  localparam int unsigned StoreWidth = 2 * TagWidth + 1;
  localparam int unsigned PaddedWarps = (NumWarps + 7) / 8 * 8;

  // Bit b*NumWarps+w: bit b of the number w.
  function automatic logic [WarpWidth*NumWarps-1:0] numbers();
    numbers = '0;
    for (int unsigned b = 0; b < WarpWidth; b++) begin
      for (int unsigned w = 0; w < NumWarps; w++) begin
        numbers[b*NumWarps+w] = (((w >> b) & 1) != 0);
      end
    end
  endfunction

  localparam logic [WarpWidth*NumWarps-1:0] Number = numbers();

  logic [NumTbs*NumPst-1:0]     pv_q, pld_q, pgl_q;
  logic [NumTbs*EntryWidth-1:0] ptr_q;
  logic [WarpWidth-1:0]         rrf_q, rrf_d;
  logic [PcW-1:0]               pc_q  [NumTbs*NumPst];
  logic [StoreWidth-1:0]        tag_q [NumTbs*NumPst];

  assign pv_o  = pv_q;
  assign pld_o = pld_q;
  assign pgl_o = pgl_q;
  assign ptr_o = ptr_q;
  assign rrf_o = rrf_q;

  for (genvar t = 0; t < NumTbs; t++) begin : gen_entries
    assign entries_o[t] = (pv_q[t*NumPst +: NumPst] != '0);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Groups.
  always_comb begin
    logic [NumWarps-1:0]    rest, first, found;
    logic [PaddedWarps-1:0] asked;  // found, in eights of which most are empty
    logic [WarpWidth-1:0]  warp;
    logic [TbWidth-1:0]    tb;
    logic [AddrWidth-1:0]  bank;
    logic [PcW-1:0]        pc;
    logic                  ready, hit, two, wb0, wb1;
    logic [TagWidth-1:0]   tag0, tag1;
    skip_o     = '0;
    latch_o    = '0;
    warps_o    = '0;
    group_tb_o = '0;
    two_o      = '0;
    tag0_o     = '0;
    tag1_o     = '0;
    wb0_o      = '0;
    wb1_o      = '0;
    ld_o       = '0;
    gl_o       = '0;
    skipped_o  = '0;
    missed_o   = '0;
    rrf_d      = rrf_q;
    first      = '0;
    found      = '0;
    asked      = '0;
    warp       = '0;
    tb         = '0;
    bank       = '0;
    pc         = '0;
    ready      = 1'b0;
    hit        = 1'b0;
    two        = 1'b0;
    wb0        = 1'b0;
    wb1        = 1'b0;
    tag0       = '0;
    tag1       = '0;
    rest       = f_elig_i & maj_i & (ready_i | probe_i);
    for (int unsigned g = 0; g < PstRd; g++) begin
      if (rest != '0) begin
        // The first of the rest, and its thread block.
        first = rest & ~((NumWarps'(1) << rrf_q) - NumWarps'(1));
        if (first == '0) begin
          first = rest;
        end
        first = first & (~first + NumWarps'(1));
        for (int unsigned b = 0; b < WarpWidth; b++) begin
          warp[b] = ((first & Number[b*NumWarps +: NumWarps]) != '0);
        end
        for (int unsigned b = 0; b < TbWidth; b++) begin
          tb[b] = ((first & tb_i[b*NumWarps +: NumWarps]) != '0);
        end
        found = rest & team_i[tb*NumWarps +: NumWarps];
        ready = ((first & ready_i) != '0);
        hit   = 1'b0;
        tag0  = '0;
        tag1  = '0;
        if (ready) begin
          // Those that wait for the same version.
          two = ((first & two_i) != '0);
          hit = 1'b1;
          for (int unsigned b = 0; b < TagWidth; b++) begin
            tag0[b] = ((first & lt0_i[b*NumWarps +: NumWarps]) != '0);
            tag1[b] = two && ((first & lt1_i[b*NumWarps +: NumWarps]) != '0);
          end
          found = found & ready_i;
          for (int unsigned b = 0; b < TagWidth; b++) begin
            found = found & ~(lt0_i[b*NumWarps +: NumWarps] ^ {NumWarps{tag0[b]}});
          end
          wb0 = 1'b1;
          wb1 = 1'b1;
        end else begin
          // Those with the same PC, and the lowest entry for it.
          pc    = f_pc_i[warp*PcW +: PcW];
          found = found & probe_i;
          asked = PaddedWarps'(found);
          for (int unsigned h = 0; h < PaddedWarps; h = h + 8) begin
            if (asked[h +: 8] != '0) begin
              for (int unsigned w = h; w < h + 8 && w < NumWarps; w++) begin
                if (asked[w]) begin
                  asked[w] = (f_pc_i[w*PcW +: PcW] == pc);
                end
              end
            end
          end
          found = NumWarps'(asked);
          two  = 1'b0;
          bank = AddrWidth'(tb * NumPst);
          for (int unsigned e = NumPst; e > 0; e--) begin
            if (pv_q[bank+AddrWidth'(e-1)] && pc_q[bank+AddrWidth'(e-1)] == pc) begin
              hit               = 1'b1;
              {two, tag1, tag0} = tag_q[bank+AddrWidth'(e-1)];
              ld_o[g]           = pld_q[bank+AddrWidth'(e-1)];
              gl_o[g]           = pgl_q[bank+AddrWidth'(e-1)];
            end
          end
          hit = hit && pend_i[warp*NumRows+32'(tag0)];
          wb0 = wb_i[tb*NumRows+32'(tag0)];
          wb1 = two && wb_i[tb*NumRows+32'(tag1)];
        end
        skip_o[g]                          = hit && wb0 && (wb1 || !two);
        latch_o[g]                         = hit && !skip_o[g];
        warps_o[g*NumWarps +: NumWarps]    = found;
        group_tb_o[g*TbWidth +: TbWidth]   = tb;
        two_o[g]                           = two;
        tag0_o[g*TagWidth +: TagWidth]     = tag0;
        tag1_o[g*TagWidth +: TagWidth]     = tag1;
        wb0_o[g]                           = wb0;
        wb1_o[g]                           = wb1;
        if (skip_o[g]) begin
          skipped_o = skipped_o | found;
        end
        if (!hit) begin
          missed_o = missed_o | found;
        end
        rest  = rest & ~found;
        rrf_d = (warp == WarpWidth'(NumWarps - 1)) ? '0 : warp + WarpWidth'(1);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Entries. The next state is computed in the clocked process: no output needs it.
  logic [NumTbs*NumPst-1:0]     pv, pld, pgl;
  logic [NumTbs*EntryWidth-1:0] ptr;
  logic [EntryWidth-1:0]        entry;
  logic [AddrWidth-1:0]         place;

  always_ff @(posedge clk_i) begin
    pv    = pv_q;
    pld   = pld_q;
    pgl   = pgl_q;
    ptr   = ptr_q;
    entry = ptr_q[write_tb_i*EntryWidth +: EntryWidth];
    if (StoreInv != 0 && ev_store_i != '0) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        if (ev_store_i[t]) begin
          pv[t*NumPst +: NumPst] = pv[t*NumPst +: NumPst] & ~pld_q[t*NumPst +: NumPst];
        end
      end
    end
    if (ev_global_i) begin
      pv = pv & ~pgl_q;
    end
    if (write_i) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        if (write_tb_i == TbWidth'(t)) begin
          for (int unsigned e = 0; e < NumPst; e++) begin
            if (entry == EntryWidth'(e)) begin
              pv[t*NumPst+e]  = 1'b1;
              pld[t*NumPst+e] = write_ld_i;
              pgl[t*NumPst+e] = write_gl_i;
            end
          end
          ptr[t*EntryWidth +: EntryWidth] =
              (entry == EntryWidth'(NumPst - 1)) ? '0 : entry + EntryWidth'(1);
        end
      end
    end
    if (region_end_i != '0 || launch_i) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        if (region_end_i[t] || (launch_i && launch_tb_i == TbWidth'(t))) begin
          pv[t*NumPst +: NumPst] = '0;
        end
        if (launch_i && launch_tb_i == TbWidth'(t)) begin
          ptr[t*EntryWidth +: EntryWidth] = '0;
        end
      end
    end
    pld = pld & pv;
    pgl = pgl & pv;

    if (!rst_ni) begin
      pv_q  <= '0;
      pld_q <= '0;
      pgl_q <= '0;
      ptr_q <= '0;
      rrf_q <= '0;
    end else begin
      pv_q  <= pv;
      pld_q <= pld;
      pgl_q <= pgl;
      ptr_q <= ptr;
      rrf_q <= rrf_d;
    end
  end

  // PCs and tags have no reset: they are read while their entry is valid.
  always_ff @(posedge clk_i) begin
    place = AddrWidth'(write_tb_i * NumPst) + AddrWidth'(ptr_q[write_tb_i*EntryWidth +: EntryWidth]);
    if (write_i) begin
      pc_q[place]  <= write_pc_i;
      tag_q[place] <= {write_two_i, write_tag1_i, write_tag0_i};
    end
  end
endmodule
