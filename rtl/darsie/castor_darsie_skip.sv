// Fetch side of DARSIE: the PC skip table, with a bank of entries for each thread block, and the groups of warps that
// probe the table or skip (docs/blocks/darsie.md, "Cycle").
//
// A group is a set of warps of one thread block: warps that wait for the same version, which is written, or warps that
// probe the table with the same PC. Groups are formed in round-robin order from warp rrf on, PstRd per cycle.
//
// Each group compares a PC with a whole bank, so PCs and tags are flip-flops of this module, not a table of rtl/common.
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
  input  logic [NumWarps-1:0]     f_elig_i,  // the warp may probe the skip table or skip now
  input  logic [NumWarps*PcW-1:0] f_pc_i,    // next PC of each warp

  // Warps at the start of the cycle.
  input  logic [NumWarps-1:0]          maj_i,    // warps in the majority
  input  logic [NumWarps-1:0]          probe_i,  // warps that probe the skip table when they are eligible
  input  logic [NumWarps-1:0]          ready_i,  // waiting warps all of whose rows are written
  input  logic [TbWidth*NumWarps-1:0]  tb_i,     // thread block slot of every warp, in bit planes
  input  logic [NumTbs*NumWarps-1:0]   team_i,   // live warps of each thread block
  input  logic [NumWarps-1:0]          two_i,    // the version that the warp waits for has two rows
  input  logic [TagWidth*NumWarps-1:0] lt0_i,    // first row of that version, in bit planes
  input  logic [TagWidth*NumWarps-1:0] lt1_i,    // second row of that version, in bit planes; 0 if there is none
  input  logic [NumWarps*NumRows-1:0]  pend_i,   // rows of versions that the warp has not passed
  input  logic [NumTbs*NumRows-1:0]    wb_i,     // rows written back

  // Groups. A group skips, begins to wait, or misses.
  output logic [PstRd-1:0]          skip_o,      // group g skips: the PCs of its warps advance at this edge
  output logic [PstRd-1:0]          latch_o,     // group g begins to wait for its version
  output logic [PstRd*NumWarps-1:0] warps_o,     // warps of group g
  output logic [PstRd*TbWidth-1:0]  group_tb_o,  // thread block of group g
  output logic [PstRd-1:0]          two_o,       // the version of group g has two rows
  output logic [PstRd*TagWidth-1:0] tag0_o,      // first row of the version
  output logic [PstRd*TagWidth-1:0] tag1_o,      // second row of the version; 0 if there is none
  output logic [PstRd-1:0]          wb0_o,       // the first row was written before this cycle
  output logic [PstRd-1:0]          wb1_o,       // the second row, if there is one, was written before this cycle
  output logic [PstRd-1:0]          ld_o,        // the skip table entry of group g is of a load
  output logic [PstRd-1:0]          gl_o,        // the skip table entry of group g is of a global load
  output logic [NumWarps-1:0]       skipped_o,   // warps of all groups that skip
  output logic [NumWarps-1:0]       missed_o,    // warps of groups that miss in the skip table

  // A new entry, and events that invalidate entries.
  input  logic                write_i,       // a leader is elected: entry ptr of its thread block is written
  input  logic [TbWidth-1:0]  write_tb_i,    // thread block of the leader
  input  logic [PcW-1:0]      write_pc_i,    // PC of the leader's instruction
  input  logic                write_two_i,   // the instruction has two destinations
  input  logic [TagWidth-1:0] write_tag0_i,  // row of the first destination
  input  logic [TagWidth-1:0] write_tag1_i,  // row of the second destination; 0 if there is none
  input  logic                write_ld_i,    // the instruction is a load
  input  logic                write_gl_i,    // the instruction is a global load
  input  logic [NumTbs-1:0]   ev_store_i,    // a warp of the TB issues a store
  input  logic                ev_global_i,   // an operation that threads of other SMs can observe
  input  logic [NumTbs-1:0]   region_end_i,  // thread blocks whose region ends: all entries become invalid
  input  logic                launch_i,      // a thread block starts
  input  logic [TbWidth-1:0]  launch_tb_i,   // slot of that thread block; its entries become invalid, ptr becomes 0

  output logic [NumTbs-1:0]            entries_o,  // thread blocks with a valid entry
  output logic [NumTbs*NumPst-1:0]     pv_o,       // valid entries
  output logic [NumTbs*NumPst-1:0]     pld_o,      // valid entries of loads
  output logic [NumTbs*NumPst-1:0]     pgl_o,      // valid entries of global loads
  output logic [NumTbs*EntryWidth-1:0] ptr_o,      // entry that is written next, by thread block
  output logic [WarpWidth-1:0]         rrf_o       // warp at which the search for groups begins
);
  localparam int unsigned AddrWidth  = (NumTbs * NumPst > 1) ? $clog2(NumTbs * NumPst) : 1;
  localparam int unsigned StoreWidth = 2 * TagWidth + 1;
  localparam int unsigned PaddedWarps = (NumWarps + 7) / 8 * 8;

  // Returns the numbers of all warps in bit planes: bit b*NumWarps+w is bit b of the number w.
  function automatic logic [WarpWidth*NumWarps-1:0] numbers();
    numbers = '0;
    for (int unsigned b = 0; b < WarpWidth; b++) begin
      for (int unsigned w = 0; w < NumWarps; w++) begin
        numbers[b*NumWarps+w] = (((w >> b) & 1) != 0);
      end
    end
  endfunction

  localparam logic [WarpWidth*NumWarps-1:0] Number = numbers();

  // pv_q: the entry is valid. Set by an election; cleared at the end of a region, at launch and, for loads, by stores.
  // pld_q, pgl_q: the entry is valid and of a load, of a global load.
  logic [NumTbs*NumPst-1:0]     pv_q, pld_q, pgl_q;
  logic [NumTbs*EntryWidth-1:0] ptr_q;  // entry that is written next, by thread block
  logic [WarpWidth-1:0]         rrf_q, rrf_d;  // warp at which the search for groups begins (rrf_o)
  logic [PcW-1:0]               pc_q  [NumTbs*NumPst];  // PC of each entry
  logic [StoreWidth-1:0]        tag_q [NumTbs*NumPst];  // rows of each entry: {two, second row, first row}

  assign pv_o  = pv_q;
  assign pld_o = pld_q;
  assign pgl_o = pgl_q;
  assign ptr_o = ptr_q;
  assign rrf_o = rrf_q;

  for (genvar t = 0; t < NumTbs; t++) begin : gen_entries
    assign entries_o[t] = (pv_q[t*NumPst +: NumPst] != '0);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Forms the groups and looks up their entries.
  always_comb begin
    // rest: warps that are in no group yet. first: the first of them, one bit. found: warps of the current group.
    logic [NumWarps-1:0]    rest, first, found;
    logic [PaddedWarps-1:0] asked;  // copy of found, padded so that a simulator can skip groups of eight warps
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
        // The first remaining warp in round-robin order, and its thread block.
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
          // The group: all ready warps of the thread block that wait for the same version.
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
          // The group: all probing warps of the thread block with the same PC. The lowest matching entry counts.
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
  // Entries. The clocked process computes the next state, because no output depends on it.
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

  // PCs and tags have no reset, because they matter only while their entry is valid.
  always_ff @(posedge clk_i) begin
    place = AddrWidth'(write_tb_i * NumPst) + AddrWidth'(ptr_q[write_tb_i*EntryWidth +: EntryWidth]);
    if (write_i) begin
      pc_q[place]  <= write_pc_i;
      tag_q[place] <= {write_two_i, write_tag1_i, write_tag0_i};
    end
  end
endmodule
