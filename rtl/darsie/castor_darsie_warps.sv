// State of each warp except its register map: thread block, majority, the version it waits for, stop at a meeting. It
// also completes meetings of a thread block's majority at branches and synchronisation points (docs/blocks/darsie.md,
// "Cycle").
//
// State is stored in bit planes over the warps: plane b of a number holds bit b of that number for every warp. A field
// is 0 while it has no meaning. Exceptions: the thread block of an empty warp slot keeps its value until the next
// launch, and the outcome of a branch until the next branch.
//
// The clocked process computes the next state, because no output depends on it. A simulator then computes it once per
// cycle, however often inputs change.
module castor_darsie_warps #(
  parameter int unsigned NumWarps = 64,
  parameter int unsigned NumTbs   = 32,
  parameter int unsigned NumRows  = 32,
  parameter int unsigned NumLatch = 3,   // sources of waits for a version: PstRd fetch groups, and decode
  parameter int unsigned NumWb    = 16,
  parameter int unsigned StoreInv = 1,
  localparam int unsigned TbWidth  = (NumTbs > 1) ? $clog2(NumTbs) : 1,
  localparam int unsigned TagWidth = (NumRows > 1) ? $clog2(NumRows) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Launch of a thread block, if it is legal.
  input  logic                launch_i,        // a thread block starts
  input  logic [TbWidth-1:0]  launch_tb_i,     // slot of the launched thread block
  input  logic [NumWarps-1:0] launch_warps_i,  // warps of the launched thread block
  input  logic [NumWarps-1:0] launch_maj_i,    // warps of the launched thread block that begin in the majority

  // Fetch: warps that skip, miss, or begin to wait for a version.
  input  logic [NumWarps-1:0]          f_elig_i,       // the warp may probe the skip table or skip now
  input  logic [NumWarps-1:0]          skipped_i,      // warps that skip at this edge
  input  logic [NumWarps-1:0]          missed_i,       // warps that miss in the skip table
  input  logic [NumLatch-1:0]          latch_i,        // source s makes warps wait; later sources override
  input  logic [NumLatch*NumWarps-1:0] latch_warps_i,  // warps that source s makes wait
  input  logic [NumLatch-1:0]          latch_two_i,    // the version that they wait for has two rows
  input  logic [NumLatch*TagWidth-1:0] latch_tag0_i,   // first row of the version
  input  logic [NumLatch*TagWidth-1:0] latch_tag1_i,   // second row of the version; 0 if there is none
  input  logic [NumLatch-1:0]          latch_wb0_i,    // the first row was written before this cycle
  input  logic [NumLatch-1:0]          latch_wb1_i,    // the second row, if there is one, was written before this cycle
  input  logic [NumLatch-1:0]          latch_ld_i,     // the version is the result of a load
  input  logic [NumLatch-1:0]          latch_gl_i,     // the version is the result of a global load

  // Decode.
  input  logic [NumWarps-1:0] park_i,     // warps that stop at an election (synchronisation point)
  input  logic [NumWarps-1:0] reprobe_i,  // warps of a thread block whose skip table has a new entry

  // Write-backs to rows whose numbers are in range.
  input  logic [NumWb-1:0]          wb_valid_i,  // port p: the result of a LEAD instruction is written to a row
  input  logic [NumWb*TbWidth-1:0]  wb_tb_i,     // TB slot of the written row
  input  logic [NumWb*TagWidth-1:0] wb_tag_i,    // row that is written

  // Events.
  input  logic [NumTbs-1:0]   ev_store_i,   // a warp of the TB issues a store
  input  logic                ev_global_i,  // an operation that threads of other SMs can observe
  input  logic [NumWarps-1:0] br_i,         // the warp has resolved a uniform branch
  input  logic [NumWarps-1:0] br_taken_i,   // outcome of that branch, 1 taken
  input  logic [NumWarps-1:0] leave_i,      // the warp leaves the majority
  input  logic [NumWarps-1:0] barred_i,     // warps of thread blocks whose barrier completes
  input  logic [NumWarps-1:0] bar_join_i,   // at that barrier the warp may join the majority
  input  logic [NumWarps-1:0] exit_i,       // the warp exits
  input  logic [NumWarps-1:0] copied_i,     // warps that have no row left to copy
  input  logic [NumTbs-1:0]   entries_i,    // thread blocks with a valid entry in the skip table
  input  logic [NumTbs-1:0]   sync_i,       // thread blocks with an open synchronisation point

  // Meetings that complete.
  output logic [NumTbs-1:0] meet_o,       // thread block whose majority has all stopped; one bit
  output logic              meet_sync_o,  // that thread block has an open synchronisation point

  output logic [NumTbs*NumWarps-1:0]   team_o,   // live warps of each thread block
  output logic [NumWarps-1:0]          held_o,   // warps that are stopped, waiting or copying
  output logic [NumWarps-1:0]          probe_o,  // warps that probe the skip table when they are eligible
  output logic [NumWarps-1:0]          ready_o,  // waiting warps all of whose rows are written

  output logic [NumWarps-1:0]          live_o,  // warps that have not exited
  output logic [TbWidth*NumWarps-1:0]  tb_o,    // thread block slot of every warp, in bit planes
  output logic [NumWarps-1:0]          maj_o,   // warps in the majority of their thread block
  output logic [NumWarps-1:0]          miss_o,  // warps that missed since becoming eligible: free to fetch
  output logic [NumWarps-1:0]          lat_o,   // warps that wait for a version
  output logic [NumWarps-1:0]          two_o,   // while lat_o: the version has two rows
  output logic [TagWidth*NumWarps-1:0] lt0_o,   // while lat_o: the first row, in bit planes
  output logic [TagWidth*NumWarps-1:0] lt1_o,   // while lat_o: the second row, in bit planes; 0 if there is none
  output logic [NumWarps-1:0]          lr0_o,   // while lat_o: the first row is written back
  output logic [NumWarps-1:0]          lr1_o,   // while lat_o: the second row is written back
  output logic [NumWarps-1:0]          lld_o,   // while lat_o: the version is the result of a load
  output logic [NumWarps-1:0]          lgl_o,   // while lat_o: the version is the result of a global load
  output logic [NumWarps-1:0]          stop_o,  // warps that have stopped until the whole majority has stopped
  output logic [NumWarps-1:0]          tk_o,    // while stop_o: outcome of the warp's latest branch, 1 taken
  output logic [NumWarps-1:0]          cpy_o,   // warps that left the majority and still have registers in rows to copy
  output logic [TbWidth-1:0]           rrt_o    // thread block at which the search for meetings begins
);
  // One bit per warp; docs/blocks/darsie.md, "Cycle", says when each bit is set and cleared. live_q: live; maj_q:
  // majority; miss_q: missed; lat_q: waits for a version; two_q, lr0_q, lr1_q, lld_q, lgl_q: of that version: two rows,
  // first and second row written, load, global load; stop_q: stopped; tk_q: branch taken; cpy_q: registers are being
  // copied.
  logic [NumWarps-1:0]          live_q, maj_q, miss_q, lat_q, two_q, lr0_q, lr1_q, lld_q, lgl_q, stop_q, tk_q, cpy_q;
  logic [TbWidth*NumWarps-1:0]  tb_q;  // registers behind the outputs of the same names
  logic [TagWidth*NumWarps-1:0] lt0_q, lt1_q;  // rows of the version that the warp waits for, in bit planes
  logic [TbWidth-1:0]           rrt_q;  // thread block after the one served last

  assign live_o = live_q;
  assign tb_o   = tb_q;
  assign maj_o  = maj_q;
  assign miss_o = miss_q;
  assign lat_o  = lat_q;
  assign two_o  = two_q;
  assign lt0_o  = lt0_q;
  assign lt1_o  = lt1_q;
  assign lr0_o  = lr0_q;
  assign lr1_o  = lr1_q;
  assign lld_o  = lld_q;
  assign lgl_o  = lgl_q;
  assign stop_o = stop_q;
  assign tk_o   = tk_q;
  assign cpy_o  = cpy_q;
  assign rrt_o  = rrt_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Live warps of each thread block, and warps whose thread block has entries. Depends on registers only.
  logic [NumTbs*NumWarps-1:0] team;
  logic [NumWarps-1:0]        with_entries;

  always_comb begin
    logic [NumWarps-1:0] warps;
    warps = '0;
    team  = '0;
    for (int unsigned t = 0; t < NumTbs; t++) begin
      warps = live_q;
      for (int unsigned b = 0; b < TbWidth; b++) begin
        warps = (((t >> b) & 1) != 0) ? warps & tb_q[b*NumWarps +: NumWarps] : warps & ~tb_q[b*NumWarps +: NumWarps];
      end
      team[t*NumWarps +: NumWarps] = warps;
    end
  end

  always_comb begin
    with_entries = '0;
    for (int unsigned t = 0; t < NumTbs; t++) begin
      if (entries_i[t]) begin
        with_entries = with_entries | team[t*NumWarps +: NumWarps];
      end
    end
  end

  assign team_o  = team;
  assign held_o  = stop_q | cpy_q | lat_q;
  assign probe_o = maj_q & ~held_o & ~miss_q & with_entries;
  assign ready_o = lat_q & lr0_q & (lr1_q | ~two_q);

  // ---------------------------------------------------------------------------------------------------------------
  // Meetings: one thread block per cycle, in round-robin order, whose majority has all stopped. At a branch the smaller
  // side leaves the majority; of equal sides, the one without the lowest warp leaves. Depends on registers only.
  // complete: thread blocks whose majority has all stopped. meet: the thread block among them that is served, one bit.
  logic [NumTbs-1:0]   complete, meet;
  logic [TbWidth-1:0]  meet_tb;
  // met: majority of the served thread block. parting: warps of that majority that leave it.
  logic [NumWarps-1:0] met, parting;
  logic                sync;

  always_comb begin
    logic [NumWarps-1:0] warps;
    warps    = '0;
    complete = '0;
    if (stop_q != '0) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        warps       = maj_q & team[t*NumWarps +: NumWarps];
        complete[t] = (warps != '0) && ((warps & ~stop_q) == '0);
      end
    end
  end

  always_comb begin
    logic [NumTbs-1:0]   turn;
    logic [NumWarps-1:0] taken, others, lowest;
    logic                keep_taken;
    turn       = '0;
    meet       = '0;
    meet_tb    = '0;
    met        = '0;
    sync       = 1'b0;
    taken      = '0;
    others     = '0;
    lowest     = '0;
    keep_taken = 1'b0;
    parting    = '0;
    if (complete != '0) begin
      turn = complete & ~((NumTbs'(1) << rrt_q) - NumTbs'(1));
      if (turn == '0) begin
        turn = complete;
      end
      meet = turn & (~turn + NumTbs'(1));
      for (int unsigned t = 0; t < NumTbs; t++) begin
        if (meet[t]) begin
          meet_tb = TbWidth'(t);
          met     = maj_q & team[t*NumWarps +: NumWarps];
        end
      end
      sync       = ((meet & sync_i) != '0);
      taken      = met & tk_q;
      others     = met & ~tk_q;
      lowest     = met & (~met + NumWarps'(1));
      keep_taken = ($countones(taken) > $countones(others)) ||
                   ($countones(taken) == $countones(others) && (lowest & tk_q) != '0);
      if (!sync) begin
        parting = keep_taken ? others : taken;
      end
    end
  end

  assign meet_o      = meet;
  assign meet_sync_o = sync;

  // ---------------------------------------------------------------------------------------------------------------
  // Next state.
  logic [NumWarps-1:0]          live, maj, miss, lat, two, lr0, lr1, lld, lgl, stop, tk, cpy;
  logic [TbWidth*NumWarps-1:0]  tb;
  logic [TagWidth*NumWarps-1:0] lt0, lt1;
  logic [NumWarps-1:0]          warps, stored, joined, ends, same0, same1;

  always_ff @(posedge clk_i) begin
    live = live_q;
    tb   = tb_q;
    maj  = maj_q;
    lat  = lat_q & ~skipped_i;
    two  = two_q;
    lt0  = lt0_q;
    lt1  = lt1_q;
    lr0  = lr0_q;
    lr1  = lr1_q;
    lld  = lld_q;
    lgl  = lgl_q;
    tk   = tk_q;
    // Fetch and decode.
    miss = (miss_q | missed_i) & f_elig_i & ~skipped_i & ~reprobe_i;
    for (int unsigned g = 0; g < NumLatch; g++) begin
      if (latch_i[g]) begin
        warps = latch_warps_i[g*NumWarps +: NumWarps];
        lat   = lat | warps;
        two   = (two & ~warps) | (warps & {NumWarps{latch_two_i[g]}});
        lr0   = (lr0 & ~warps) | (warps & {NumWarps{latch_wb0_i[g]}});
        lr1   = (lr1 & ~warps) | (warps & {NumWarps{latch_wb1_i[g]}});
        lld   = (lld & ~warps) | (warps & {NumWarps{latch_ld_i[g]}});
        lgl   = (lgl & ~warps) | (warps & {NumWarps{latch_gl_i[g]}});
        for (int unsigned b = 0; b < TagWidth; b++) begin
          lt0[b*NumWarps +: NumWarps] =
              (lt0[b*NumWarps +: NumWarps] & ~warps) | (warps & {NumWarps{latch_tag0_i[g*TagWidth+b]}});
          lt1[b*NumWarps +: NumWarps] =
              (lt1[b*NumWarps +: NumWarps] & ~warps) | (warps & {NumWarps{latch_tag1_i[g*TagWidth+b]}});
        end
      end
    end
    // Write-backs also reach warps that begin to wait in this cycle.
    if (lat != '0) begin
      for (int unsigned p = 0; p < NumWb; p++) begin
        if (wb_valid_i[p]) begin
          same0 = lat & team[wb_tb_i[p*TbWidth +: TbWidth]*NumWarps +: NumWarps];
          same1 = same0 & two;
          for (int unsigned b = 0; b < TagWidth; b++) begin
            same0 = same0 & ~(lt0[b*NumWarps +: NumWarps] ^ {NumWarps{wb_tag_i[p*TagWidth+b]}});
            same1 = same1 & ~(lt1[b*NumWarps +: NumWarps] ^ {NumWarps{wb_tag_i[p*TagWidth+b]}});
          end
          lr0 = lr0 | same0;
          lr1 = lr1 | same1;
        end
      end
    end
    // Ends waits for loads that a store or an operation of global communication makes stale.
    stored = '0;
    if (StoreInv != 0 && ev_store_i != '0) begin
      for (int unsigned t = 0; t < NumTbs; t++) begin
        if (ev_store_i[t]) begin
          stored = stored | team[t*NumWarps +: NumWarps];
        end
      end
    end
    lat = lat & ~(stored & lld);
    if (ev_global_i) begin
      lat = lat & ~lgl;
    end
    // Meeting, branches, leaves.
    stop = (stop_q | park_i) & ~met | (br_i & maj_q);
    tk   = (tk & ~(br_i & maj_q)) | (br_i & maj_q & br_taken_i);
    ends = leave_i & maj_q;
    maj  = maj & ~parting & ~ends;
    cpy  = cpy_q | parting | ends;
    lat  = lat & ~ends;
    miss = miss & ~ends;
    stop = stop & ~ends;
    // Barriers.
    joined = bar_join_i & barred_i & ~cpy_q;
    maj    = (maj & ~barred_i) | joined;
    cpy    = (cpy | (maj_q & barred_i & ~joined)) & ~copied_i;
    lat    = lat & ~barred_i;
    stop   = stop & ~barred_i;
    // Exits.
    ends = exit_i & live_q;
    live = live & ~ends;
    maj  = maj & ~ends;
    miss = miss & ~ends;
    lat  = lat & ~ends;
    stop = stop & ~ends;
    cpy  = cpy & ~ends;
    // Fields of warps that do not wait are 0.
    two = two & lat;
    lr0 = lr0 & lat;
    lr1 = lr1 & lat;
    lld = lld & lat;
    lgl = lgl & lat;
    lt0 = lt0 & {TagWidth{lat}};
    lt1 = lt1 & {TagWidth{lat}};
    // Launch. The launched warps were not live.
    if (launch_i) begin
      live = live | launch_warps_i;
      maj  = maj | launch_maj_i;
      for (int unsigned b = 0; b < TbWidth; b++) begin
        tb[b*NumWarps +: NumWarps] =
            (tb[b*NumWarps +: NumWarps] & ~launch_warps_i) | (launch_warps_i & {NumWarps{launch_tb_i[b]}});
      end
    end

    if (!rst_ni) begin
      live_q <= '0;
      tb_q   <= '0;
      maj_q  <= '0;
      miss_q <= '0;
      lat_q  <= '0;
      two_q  <= '0;
      lt0_q  <= '0;
      lt1_q  <= '0;
      lr0_q  <= '0;
      lr1_q  <= '0;
      lld_q  <= '0;
      lgl_q  <= '0;
      stop_q <= '0;
      tk_q   <= '0;
      cpy_q  <= '0;
      rrt_q  <= '0;
    end else begin
      live_q <= live;
      tb_q   <= tb;
      maj_q  <= maj;
      miss_q <= miss;
      lat_q  <= lat;
      two_q  <= two;
      lt0_q  <= lt0;
      lt1_q  <= lt1;
      lr0_q  <= lr0;
      lr1_q  <= lr1;
      lld_q  <= lld;
      lgl_q  <= lgl;
      stop_q <= stop;
      tk_q   <= tk;
      cpy_q  <= cpy;
      if (complete != '0) begin
        rrt_q <= (meet_tb == TbWidth'(NumTbs - 1)) ? '0 : meet_tb + TbWidth'(1);
      end
    end
  end
endmodule
