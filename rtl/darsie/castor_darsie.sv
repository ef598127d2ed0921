// DARSIE: one warp of a thread block executes a redundant instruction, and the other warps skip it. This block has the
// skip tables, majorities, renaming rows and register copies of one streaming multiprocessor (docs/blocks/darsie.md).
//
// Cost of one more unit of each parameter (docs/blocks/darsie.md, "Area"):
//   NumWarps  3 NumRows + 12 flip-flops, one thread block number and two row numbers
//   NumTbs    one skip table and one table of rows: NumPst (PcW + 14) + 16 NumRows flip-flops at the defaults
//   NumPst    PcW + 4 flip-flops and two row numbers in every thread block; 8 instead of 4 entries cost 7.3 kGE at the
//             parameter set `small`
//   NumRows   16 flip-flops in every thread block and 3 in every warp, at the defaults
//   NumSlots  log2(NumSlots) flip-flops in every row, and decoding gates
//   PstRd     one read port of the skip tables; the second one costs 7.2 kGE at `small`
//   DecW      gates of one election, no flip-flop
//   NumIss    gates of NumSrc row look-ups, no flip-flop
//   NumSrc    gates of one row look-up in every issue port, no flip-flop
//   NumWb     gates of one comparison with all rows, no flip-flop
//   PcW       one bit of every skip table entry
//   RowW      one bit of every thread block's base, and of NumIss * NumSrc adders
//   StoreInv  0 saves gates, no flip-flop
//   LoadSkip  0 saves gates, no flip-flop
//   SkipEn    0 saves the comparison of PCs
module castor_darsie #(
  parameter int unsigned NumWarps = 64,  // warp slots, 1..64
  parameter int unsigned NumTbs   = 32,  // thread block slots, 1..32
  parameter int unsigned NumPst   = 8,   // entries of the skip table per thread block, 1..16
  parameter int unsigned NumRows  = 32,  // maximum number of renaming rows per thread block, 1..32
  parameter int unsigned NumSlots = 32,  // register numbers that may be renamed, 1..32
  parameter int unsigned PstRd    = 2,   // groups of warps served per cycle, 1..4
  parameter int unsigned DecW     = 2,   // instructions of one warp decoded per cycle, 1..4
  parameter int unsigned NumIss   = 8,   // issue ports, 1..16
  parameter int unsigned NumSrc   = 6,   // source registers per instruction, 1..8
  parameter int unsigned NumWb    = 16,  // write-backs to renaming rows per cycle, 1..16
  parameter int unsigned PcW      = 48,  // bits of a PC, 8..64
  parameter int unsigned RowW     = 11,  // bits of the number of a physical register, 1..16
  parameter int unsigned StoreInv = 1,   // 0: stores of a thread block do not make its loads stale
  parameter int unsigned LoadSkip = 1,   // 0: loads are never skipped
  parameter int unsigned SkipEn   = 1,   // 0: nothing is skipped; only meetings at branches remain
  localparam int unsigned WarpWidth = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned TbWidth   = (NumTbs > 1) ? $clog2(NumTbs) : 1,
  localparam int unsigned TagWidth  = (NumRows > 1) ? $clog2(NumRows) : 1,
  localparam int unsigned SlotWidth = (NumSlots > 1) ? $clog2(NumSlots) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Launch and retirement of thread blocks.
  input  logic                lnch_valid_i,    // a TB starts
  input  logic [TbWidth-1:0]  lnch_tb_i,       // TB slot of the launched TB
  input  logic [NumWarps-1:0] lnch_warps_i,    // warp slots of the launched TB
  input  logic [NumWarps-1:0] lnch_full_i,     // warps of the launched TB that have 32 threads
  input  logic                lnch_en_i,       // 1: redundant instructions of the TB may be skipped
  input  logic                lnch_promote_i,  // shape of the TB makes mark 1 (CR) redundant
  input  logic [RowW-1:0]     lnch_base_i,     // physical register of the TB's first row
  input  logic [TagWidth:0]   lnch_rows_i,     // rows of the TB, 0..NumRows
  input  logic [SlotWidth:0]  lnch_slots_i,    // registers 0..lnch_slots-1 can be renamed
  input  logic                retire_valid_i,  // a TB slot becomes free
  input  logic [TbWidth-1:0]  retire_tb_i,     // TB slot that becomes free

  // Fetch.
  input  logic [NumWarps-1:0]     f_elig_i,  // the warp may probe the skip table or skip now
  input  logic [NumWarps*PcW-1:0] f_pc_i,    // next PC of each warp
  output logic [NumWarps-1:0]     f_hold_o,  // fetch must not pick the warp
  output logic [NumWarps-1:0]     f_skip_o,  // the warp skips: its PC grows by 8 at this edge

  // Decode.
  input  logic [DecW-1:0]             d_valid_i,   // slot s: the instruction at d_pc + 8s is decoded
  input  logic [WarpWidth-1:0]        d_warp_i,    // warp of all decoded instructions
  input  logic [PcW-1:0]              d_pc_i,      // PC of slot 0
  input  logic [DecW*2-1:0]           d_mark_i,    // mark by slot: 0 V, 1 CR, 2 DR; 3 acts as 0
  input  logic [DecW*2-1:0]           d_ndst_i,    // number of destinations by slot; 3 acts as 0
  input  logic [DecW*2*SlotWidth-1:0] d_dst_i,     // register numbers of the destinations
  input  logic [DecW*2-1:0]           d_ldkind_i,  // by slot: 0 no load, 1 load within the TB, 2 global load
  output logic [DecW*2-1:0]           d_act_o,     // verdict by slot: 0 PASS, 1 LEAD, 2 PRIV, 3 SQUASH
  output logic [2*TagWidth-1:0]       d_tag_o,     // rows given to the LEAD instruction

  // Issue, write-back, operands.
  input  logic [NumIss-1:0]                  i_valid_i,   // port p: an instruction issues
  input  logic [NumIss*WarpWidth-1:0]        i_warp_i,    // warp of the issued instruction
  input  logic [NumIss-1:0]                  i_lead_i,    // the instruction was decoded as LEAD
  input  logic [NumIss*2*TagWidth-1:0]       i_tag_i,     // LEAD: rows given at decode
  input  logic [NumIss*2-1:0]                i_dv_i,      // the instruction has destination a
  input  logic [NumIss*2*SlotWidth-1:0]      i_dst_i,     // register numbers of the destinations
  input  logic [NumIss*NumSrc-1:0]           i_sv_i,      // the instruction has source a
  input  logic [NumIss*NumSrc*SlotWidth-1:0] i_src_i,     // register numbers of the sources
  output logic [NumIss*NumSrc-1:0]           i_sren_o,    // source a is read from the row i_srow
  output logic [NumIss*NumSrc*RowW-1:0]      i_srow_o,    // physical register of that row
  input  logic [NumWb-1:0]                   wb_valid_i,  // port p: a LEAD instruction's result is written to a row
  input  logic [NumWb*TbWidth-1:0]           wb_tb_i,     // TB slot of the written row
  input  logic [NumWb*TagWidth-1:0]          wb_tag_i,    // row that is written
  input  logic [NumWarps-1:0]                oc_idle_i,   // the warp has no operands left to collect

  // Events.
  input  logic [NumTbs-1:0]   ev_store_i,   // a warp of the TB issues a store
  input  logic                ev_global_i,  // an operation that threads of other SMs can observe
  input  logic [NumWarps-1:0] br_i,         // the warp has resolved a uniform branch
  input  logic [NumWarps-1:0] br_taken_i,   // outcome of that branch, 1 taken
  input  logic [NumWarps-1:0] leave_i,      // the warp leaves the majority
  input  logic [NumTbs-1:0]   bar_i,        // a barrier of the TB completes
  input  logic [NumWarps-1:0] bar_join_i,   // at that barrier the warp may join the majority
  input  logic [NumWarps-1:0] exit_i,       // the warp exits

  // Copies.
  output logic                 cp_valid_o,  // request to copy a row into a warp's own register
  output logic [WarpWidth-1:0] cp_warp_o,   // warp whose register is written
  output logic [RowW-1:0]      cp_row_o,    // physical register of the row that is copied
  output logic [SlotWidth-1:0] cp_slot_o,   // number of the register that is written
  input  logic                 cp_ack_i,    // the requested copy is done

  output logic [NumWarps-1:0] maj_o,  // majority of each TB
  output logic [7:0]          err_o   // errors of the last edge (docs/blocks/darsie.md, "Breaking the rules")
);
  if (NumWarps < 1 || NumWarps > 64) begin : gen_bad_num_warps
    $error("castor_darsie: NumWarps must be 1..64");
  end
  if (NumTbs < 1 || NumTbs > 32) begin : gen_bad_num_tbs
    $error("castor_darsie: NumTbs must be 1..32");
  end
  if (NumPst < 1 || NumPst > 16) begin : gen_bad_num_pst
    $error("castor_darsie: NumPst must be 1..16");
  end
  if (NumRows < 1 || NumRows > 32) begin : gen_bad_num_rows
    $error("castor_darsie: NumRows must be 1..32");
  end
  if (NumSlots < 1 || NumSlots > 32) begin : gen_bad_num_slots
    $error("castor_darsie: NumSlots must be 1..32");
  end
  if (PstRd < 1 || PstRd > 4) begin : gen_bad_pst_rd
    $error("castor_darsie: PstRd must be 1..4");
  end
  if (DecW < 1 || DecW > 4) begin : gen_bad_dec_w
    $error("castor_darsie: DecW must be 1..4");
  end
  if (NumIss < 1 || NumIss > 16) begin : gen_bad_num_iss
    $error("castor_darsie: NumIss must be 1..16");
  end
  if (NumSrc < 1 || NumSrc > 8) begin : gen_bad_num_src
    $error("castor_darsie: NumSrc must be 1..8");
  end
  if (NumWb < 1 || NumWb > 16) begin : gen_bad_num_wb
    $error("castor_darsie: NumWb must be 1..16");
  end
  if (PcW < 8 || PcW > 64) begin : gen_bad_pc_w
    $error("castor_darsie: PcW must be 8..64");
  end
  if (RowW < 1 || RowW > 16) begin : gen_bad_row_w
    $error("castor_darsie: RowW must be 1..16");
  end
  if (StoreInv > 1 || LoadSkip > 1 || SkipEn > 1) begin : gen_bad_switch
    $error("castor_darsie: StoreInv, LoadSkip and SkipEn must be 0 or 1");
  end

  localparam int unsigned SeqWidth    = $clog2(NumRows) + 1;
  localparam int unsigned DecWidth    = (DecW > 1) ? $clog2(DecW) : 1;
  localparam int unsigned EntryWidth  = (NumPst > 1) ? $clog2(NumPst) : 1;
  localparam int unsigned CountWidth  = TagWidth + 1;
  localparam int unsigned LimitWidth  = SlotWidth + 1;
  localparam int unsigned NumWarpPow2 = 2 ** WarpWidth;
  localparam int unsigned NumTbPow2   = 2 ** TbWidth;

  // ---------------------------------------------------------------------------------------------------------------
  // State at the start of the cycle: outputs of the parts below, of the same names.
  logic [NumTbs*NumWarps-1:0]   team;  // live warps of each thread block
  logic [NumWarps-1:0]          live, maj, miss, lat, two, lr0, lr1, lld, lgl, stop, tk, cpy, held, probe, ready;
  logic [TbWidth*NumWarps-1:0]  tb;
  logic [TagWidth*NumWarps-1:0] lt0, lt1;
  logic [NumWarps*NumRows-1:0]  pend, refs, ling;
  logic [NumTbs*NumRows-1:0]    wb, ld, gl, inv, nosk;
  logic [NumTbs-1:0]            tl, en, prom, sync, synced, noel, entries;
  logic [NumTbs*RowW-1:0]       base;
  logic [NumTbs*CountWidth-1:0] rows;
  logic [NumTbs*LimitWidth-1:0] slots;
  logic [NumTbs*SeqWidth-1:0]   ctr;
  logic [NumTbs*NumPst-1:0]     pv, pld, pgl;
  logic [NumTbs*EntryWidth-1:0] ptr;
  logic [WarpWidth-1:0]         rrf, cpw;
  logic [TbWidth-1:0]           rrt;
  logic [TagWidth-1:0]          cpk;

  // ---------------------------------------------------------------------------------------------------------------
  // Launch and retirement; illegal ones are ignored. A TB slot can retire and be launched again at the same edge.
  logic                 launch, retire;
  logic [NumTbPow2-1:0] launched, retires;

  always_comb begin
    launched = NumTbPow2'(tl);
    retire   = 1'b0;
    retires  = '0;
    if (retire_valid_i && launched[retire_tb_i]) begin
      retire = (team[retire_tb_i*NumWarps +: NumWarps] == '0);
    end
    if (retire) begin
      retires = NumTbPow2'(1) << retire_tb_i;
    end
    launch = lnch_valid_i && (32'(lnch_tb_i) < NumTbs) && (!launched[lnch_tb_i] || retires[lnch_tb_i]) &&
             (lnch_warps_i != '0) && ((lnch_warps_i & live) == '0) && ((lnch_full_i & ~lnch_warps_i) == '0) &&
             (32'(lnch_rows_i) <= NumRows) && (32'(lnch_slots_i) <= NumSlots);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Decode, issue and write-back ports: drops items with a number out of range, and issues of warps that are not live.
  logic [NumWarpPow2-1:0] live_padded;
  logic [DecW-1:0]        d_valid;
  logic [NumIss-1:0]      i_valid;
  logic [NumWb-1:0]       wb_valid;
  logic                   bad_wb;

  assign live_padded = NumWarpPow2'(live);
  assign d_valid     = (32'(d_warp_i) < NumWarps) ? d_valid_i : '0;

  always_comb begin
    i_valid  = '0;
    wb_valid = '0;
    for (int unsigned p = 0; p < NumIss; p++) begin
      i_valid[p] = i_valid_i[p] && live_padded[i_warp_i[p*WarpWidth +: WarpWidth]];
    end
    for (int unsigned p = 0; p < NumWb; p++) begin
      wb_valid[p] = wb_valid_i[p] && (32'(wb_tb_i[p*TbWidth +: TbWidth]) < NumTbs) &&
                    (32'(wb_tag_i[p*TagWidth +: TagWidth]) < NumRows);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Fetch: results of the groups (g_*) that probe the skip table.
  logic [PstRd-1:0]          g_skip, g_latch, g_two, g_wb0, g_wb1, g_ld, g_gl;
  logic [PstRd*NumWarps-1:0] g_warps;
  logic [PstRd*TbWidth-1:0]  g_tb;
  logic [PstRd*TagWidth-1:0] g_tag0, g_tag1;
  logic [NumWarps-1:0]       skipped, missed;
  logic [NumTbs-1:0]         region_end, meet, sync_done, bar;
  logic                      meet_sync;

  assign f_hold_o = held | probe;
  assign f_skip_o = skipped;
  assign maj_o    = maj;

  // ---------------------------------------------------------------------------------------------------------------
  // Decode: the decoded warp, its thread block (d_*), and the election (e_*) with its verdict.
  logic [NumWarps-1:0]           d_warp, d_team, d_peers, parks, reprobes;
  logic [NumRows-1:0]            d_pend, d_new, d_old;
  logic [SlotWidth*NumRows-1:0]  d_slots;
  logic [SeqWidth*NumRows-1:0]   d_seqs;
  logic [TbWidth-1:0]            d_tb;
  logic                          d_maj, lead, relead, elected, e_two, e_ld, e_gl;
  logic [DecWidth-1:0]           e_slot;
  castor_darsie_pkg::why_e       why;
  logic [TagWidth-1:0]           v0, v1;
  logic [NumWarps-1:0]           waiting, heirs, drops;
  logic [SeqWidth-1:0]           e_seq;
  logic [NumRows-1:0]            new0, new1;
  logic [2*SlotWidth-1:0]        e_dst;
  logic [PcW-1:0]                e_pc;
  logic                          latches, drops_old, alone, no_elect, set_sync, v_wb0, v_wb1, v_ld, v_gl;
  logic [NumRows-1:0]            d_give_up;

  always_comb begin
    d_warp = '0;
    d_maj  = 1'b0;
    d_tb   = '0;
    d_team = '0;
    d_pend = '0;
    if (d_valid != '0) begin
      d_warp = NumWarps'(1) << d_warp_i;
      d_maj  = ((d_warp & maj) != '0);
      if (d_maj) begin
        for (int unsigned b = 0; b < TbWidth; b++) begin
          d_tb[b] = ((d_warp & tb[b*NumWarps +: NumWarps]) != '0);
        end
        d_team = team[d_tb*NumWarps +: NumWarps];
        d_pend = pend[d_warp_i*NumRows +: NumRows];
      end
    end
  end

  castor_darsie_elect #(
    .NumWarps (NumWarps),
    .NumRows  (NumRows),
    .NumSlots (NumSlots),
    .DecW     (DecW),
    .LoadSkip (LoadSkip),
    .SkipEn   (SkipEn)
  ) u_elect (
    .valid_i    (d_valid),
    .mark_i     (d_mark_i),
    .ndst_i     (d_ndst_i),
    .dst_i      (d_dst_i),
    .ldkind_i   (d_ldkind_i),
    .warp_i     (d_warp),
    .maj_i      (d_maj),
    .pend_i     (d_pend),
    .team_i     (d_team),
    .team_maj_i (d_peers),
    .prom_i     (prom[d_tb]),
    .noel_i     (noel[d_tb]),
    .sync_i     (sync[d_tb]),
    .synced_i   (synced[d_tb]),
    .rows_i     (rows[d_tb*CountWidth +: CountWidth]),
    .slots_i    (slots[d_tb*LimitWidth +: LimitWidth]),
    .ctr_i      (ctr[d_tb*SeqWidth +: SeqWidth]),
    .wb_i       (wb[d_tb*NumRows +: NumRows]),
    .inv_i      (inv[d_tb*NumRows +: NumRows]),
    .nosk_i     (nosk[d_tb*NumRows +: NumRows]),
    .slot_i     (d_slots),
    .seq_i      (d_seqs),
    .pends_i    (pend),
    .refs_i     (refs),
    .lings_i    (ling),
    .act_o      (d_act_o),
    .tag_o      (d_tag_o),
    .why_o      (why),
    .slot_o     (e_slot),
    .lead_o     (lead),
    .relead_o   (relead),
    .two_o      (e_two),
    .ld_o       (e_ld),
    .gl_o       (e_gl),
    .new_o      (d_new),
    .old_o      (d_old),
    .v0_o       (v0),
    .v1_o       (v1),
    .waiting_o  (waiting),
    .seq_o      (e_seq)
  );

  assign d_peers   = d_team & maj;
  assign elected   = lead || relead;
  assign alone     = (why == castor_darsie_pkg::WhyAlone);
  assign no_elect  = (why == castor_darsie_pkg::WhySetNoElect);
  assign set_sync  = (why == castor_darsie_pkg::WhySetSync);
  assign parks     = (set_sync || why == castor_darsie_pkg::WhyPark) ? d_warp : '0;
  assign reprobes  = elected ? d_team : '0;
  assign d_give_up = (why == castor_darsie_pkg::WhyNoRow) ? d_old : '0;
  assign latches   = (why == castor_darsie_pkg::WhyLatch);
  assign drops_old = (why == castor_darsie_pkg::WhyNosk) || (why == castor_darsie_pkg::WhyLast) ||
                     (why == castor_darsie_pkg::WhyNoRow);
  assign heirs     = lead ? d_peers & ~d_warp : relead ? waiting : '0;
  assign drops     = relead ? d_team : drops_old ? d_warp : '0;
  assign new0      = elected ? NumRows'(1) << d_tag_o[TagWidth-1:0] : '0;
  assign new1      = (elected && e_two) ? NumRows'(1) << d_tag_o[TagWidth +: TagWidth] : '0;
  assign e_dst     = d_dst_i[e_slot*2*SlotWidth +: 2*SlotWidth];
  assign e_pc      = d_pc_i + (PcW'(e_slot) << 3);

  // State of the version that the decoded warp waits for (verdict Latch).
  assign v_wb0 = wb[d_tb*NumRows+32'(v0)];
  assign v_wb1 = e_two && wb[d_tb*NumRows+32'(v1)];
  assign v_ld  = ld[d_tb*NumRows+32'(v0)];
  assign v_gl  = gl[d_tb*NumRows+32'(v0)];

  // ---------------------------------------------------------------------------------------------------------------
  // Regions end at branches and barriers.
  assign bar        = bar_i & en;
  assign sync_done  = meet_sync ? meet : '0;
  assign region_end = (meet & ~sync_done) | bar;

  logic [NumWarps-1:0] barred, leaves, exits, copied, launch_maj;

  always_comb begin
    barred = '0;
    if (bar != '0) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        if (bar[t]) begin
          barred = barred | team[t*NumWarps +: NumWarps];
        end
      end
    end
  end

  assign leaves     = leave_i & maj;
  assign exits      = exit_i & live;
  assign launch_maj = lnch_en_i ? lnch_full_i : '0;

  castor_darsie_warps #(
    .NumWarps (NumWarps),
    .NumTbs   (NumTbs),
    .NumRows  (NumRows),
    .NumLatch (PstRd + 1),
    .NumWb    (NumWb),
    .StoreInv (StoreInv)
  ) u_warps (
    .clk_i,
    .rst_ni,
    .launch_i       (launch),
    .launch_tb_i    (lnch_tb_i),
    .launch_warps_i (lnch_warps_i),
    .launch_maj_i   (launch_maj),
    .f_elig_i,
    .skipped_i      (skipped),
    .missed_i       (missed),
    .latch_i        ({latches, g_latch}),
    .latch_warps_i  ({d_warp, g_warps}),
    .latch_two_i    ({e_two, g_two}),
    .latch_tag0_i   ({v0, g_tag0}),
    .latch_tag1_i   ({v1, g_tag1}),
    .latch_wb0_i    ({v_wb0, g_wb0}),
    .latch_wb1_i    ({v_wb1, g_wb1}),
    .latch_ld_i     ({v_ld, g_ld}),
    .latch_gl_i     ({v_gl, g_gl}),
    .park_i         (parks),
    .reprobe_i      (reprobes),
    .wb_valid_i     (wb_valid),
    .wb_tb_i,
    .wb_tag_i,
    .ev_store_i,
    .ev_global_i,
    .br_i,
    .br_taken_i,
    .leave_i        (leaves),
    .barred_i       (barred),
    .bar_join_i,
    .exit_i         (exits),
    .copied_i       (copied),
    .entries_i      (entries),
    .sync_i         (sync),
    .meet_o         (meet),
    .meet_sync_o    (meet_sync),
    .team_o         (team),
    .held_o         (held),
    .probe_o        (probe),
    .ready_o        (ready),
    .live_o         (live),
    .tb_o           (tb),
    .maj_o          (maj),
    .miss_o         (miss),
    .lat_o          (lat),
    .two_o          (two),
    .lt0_o          (lt0),
    .lt1_o          (lt1),
    .lr0_o          (lr0),
    .lr1_o          (lr1),
    .lld_o          (lld),
    .lgl_o          (lgl),
    .stop_o         (stop),
    .tk_o           (tk),
    .cpy_o          (cpy),
    .rrt_o          (rrt)
  );

  castor_darsie_skip #(
    .NumWarps (NumWarps),
    .NumTbs   (NumTbs),
    .NumPst   (NumPst),
    .NumRows  (NumRows),
    .PstRd    (PstRd),
    .PcW      (PcW),
    .StoreInv (StoreInv)
  ) u_skip (
    .clk_i,
    .rst_ni,
    .f_elig_i,
    .f_pc_i,
    .maj_i        (maj),
    .probe_i      (probe),
    .ready_i      (ready),
    .tb_i         (tb),
    .team_i       (team),
    .two_i        (two),
    .lt0_i        (lt0),
    .lt1_i        (lt1),
    .pend_i       (pend),
    .wb_i         (wb),
    .skip_o       (g_skip),
    .latch_o      (g_latch),
    .warps_o      (g_warps),
    .group_tb_o   (g_tb),
    .two_o        (g_two),
    .tag0_o       (g_tag0),
    .tag1_o       (g_tag1),
    .wb0_o        (g_wb0),
    .wb1_o        (g_wb1),
    .ld_o         (g_ld),
    .gl_o         (g_gl),
    .skipped_o    (skipped),
    .missed_o     (missed),
    .write_i      (elected),
    .write_tb_i   (d_tb),
    .write_pc_i   (e_pc),
    .write_two_i  (e_two),
    .write_tag0_i (d_tag_o[TagWidth-1:0]),
    .write_tag1_i (d_tag_o[TagWidth +: TagWidth]),
    .write_ld_i   (e_ld),
    .write_gl_i   (e_gl),
    .ev_store_i,
    .ev_global_i,
    .region_end_i (region_end),
    .launch_i     (launch),
    .launch_tb_i  (lnch_tb_i),
    .entries_o    (entries),
    .pv_o         (pv),
    .pld_o        (pld),
    .pgl_o        (pgl),
    .ptr_o        (ptr),
    .rrf_o        (rrf)
  );

  castor_darsie_rows #(
    .NumTbs   (NumTbs),
    .NumRows  (NumRows),
    .NumWb    (NumWb),
    .StoreInv (StoreInv)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .wb_valid_i  (wb_valid),
    .wb_tb_i,
    .wb_tag_i,
    .bad_wb_o    (bad_wb),
    .ev_store_i,
    .ev_global_i,
    .d_tb_i      (d_tb),
    .elected_i   (elected),
    .rows_i      (d_new),
    .seq_i       (e_seq),
    .ld_i        (e_ld),
    .gl_i        (e_gl),
    .give_up_i   (d_give_up),
    .d_seq_o     (d_seqs),
    .launch_i    (launch),
    .launch_tb_i (lnch_tb_i),
    .wb_o        (wb),
    .ld_o        (ld),
    .gl_o        (gl),
    .inv_o       (inv),
    .nosk_o      (nosk)
  );

  castor_darsie_tbs #(
    .NumTbs   (NumTbs),
    .NumRows  (NumRows),
    .NumSlots (NumSlots),
    .RowW     (RowW)
  ) u_tbs (
    .clk_i,
    .rst_ni,
    .launch_i         (launch),
    .launch_tb_i      (lnch_tb_i),
    .launch_en_i      (lnch_en_i),
    .launch_promote_i (lnch_promote_i),
    .launch_base_i    (lnch_base_i),
    .launch_rows_i    (lnch_rows_i),
    .launch_slots_i   (lnch_slots_i),
    .retire_i         (retire),
    .retire_tb_i      (retire_tb_i),
    .d_tb_i           (d_tb),
    .lead_i           (lead),
    .alone_i          (alone),
    .no_elect_i       (no_elect),
    .set_sync_i       (set_sync),
    .synced_i         (sync_done),
    .bar_i            (bar),
    .region_end_i     (region_end),
    .tl_o             (tl),
    .en_o             (en),
    .prom_o           (prom),
    .base_o           (base),
    .rows_o           (rows),
    .slots_o          (slots),
    .ctr_o            (ctr),
    .sync_o           (sync),
    .synced_o         (synced),
    .noel_o           (noel)
  );

  castor_darsie_rename #(
    .NumWarps (NumWarps),
    .NumTbs   (NumTbs),
    .NumRows  (NumRows),
    .NumSlots (NumSlots),
    .PstRd    (PstRd),
    .NumIss   (NumIss),
    .NumSrc   (NumSrc),
    .RowW     (RowW)
  ) u_rename (
    .clk_i,
    .rst_ni,
    .live_i       (live),
    .tb_i         (tb),
    .cpy_i        (cpy),
    .wb_i         (wb),
    .base_i       (base),
    .skip_i       (g_skip),
    .skip_warps_i (g_warps),
    .skip_tb_i    (g_tb),
    .skip_two_i   (g_two),
    .skip_tag0_i  (g_tag0),
    .skip_tag1_i  (g_tag1),
    .d_tb_i       (d_tb),
    .d_slot_o     (d_slots),
    .drop_warps_i (drops),
    .drop_i       (d_old),
    .elected_i    (elected),
    .heirs_i      (heirs),
    .new0_i       (new0),
    .new1_i       (new1),
    .new0_slot_i  (e_dst[SlotWidth-1:0]),
    .new1_slot_i  (e_dst[SlotWidth +: SlotWidth]),
    .i_valid_i    (i_valid),
    .i_warp_i,
    .i_lead_i,
    .i_tag_i,
    .i_dv_i,
    .i_dst_i,
    .i_sv_i,
    .i_src_i,
    .i_sren_o,
    .i_srow_o,
    .oc_idle_i,
    .leave_i      (leaves),
    .barred_i     (barred),
    .exit_i       (exits),
    .cp_ack_i,
    .cp_valid_o,
    .cp_warp_o,
    .cp_row_o,
    .cp_slot_o,
    .copied_o     (copied),
    .pend_o       (pend),
    .ref_o        (refs),
    .ling_o       (ling),
    .cpw_o        (cpw),
    .cpk_o        (cpk)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Errors, shown in the next cycle. The clocked process computes the next state, because no output depends on it.
  logic [7:0] err_q, err;

  assign err_o = err_q;

  always_ff @(posedge clk_i) begin
    err    = '0;
    err[0] = lnch_valid_i && !launch;
    err[1] = retire_valid_i && !retire;
    err[2] = bad_wb || (wb_valid_i != wb_valid);
    for (int unsigned s = 0; s < DecW; s++) begin
      if (d_valid[s]) begin
        err[3] = err[3] || (d_mark_i[s*2 +: 2] == 2'd3) ||
                 (d_mark_i[s*2 +: 2] != 2'd0 && (d_ndst_i[s*2 +: 2] == 2'd0 || d_ndst_i[s*2 +: 2] == 2'd3));
      end
    end
    err[4] = (d_valid_i != '0 && !live_padded[d_warp_i]) || (i_valid_i != i_valid) || ((exit_i & ~live) != '0);
    err[5] = ((((d_valid != '0) ? d_warp : '0) | exits) & live & held) != '0;
    if (barred != '0) begin
      err[6] = ((barred & (stop | lat)) != '0);
      for (int unsigned w = 0; w < NumWarps; w++) begin
        if (barred[w]) begin
          err[6] = err[6] || (pend[w*NumRows +: NumRows] != '0);
        end
      end
    end
    err[7] = cp_ack_i && !cp_valid_o;
    err_q <= rst_ni ? err : '0;
  end
endmodule
