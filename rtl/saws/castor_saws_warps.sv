// State of one scheduler's warps: slot in use, live, blocked, thread block (docs/blocks/saws.md, "Cycle"). It applies
// the warp event of this scheduler. For the event of every scheduler it says whether a warp of the same thread block is
// blocked here, and for a list operation which warps belong to the thread block.
//
// Thread block numbers are stored in bit planes: plane b holds bit b of the number of every warp. A comparison with all
// warps is then one operation per plane.
module castor_saws_warps #(
  parameter int unsigned NumSched = 4,   // number of warp schedulers
  parameter int unsigned Index    = 0,   // number of this scheduler
  parameter int unsigned NumLocal = 16,  // warps of one scheduler
  parameter int unsigned CtaWidth = 5,
  parameter int unsigned SawsEn   = 1,
  localparam int unsigned IndexWidth = (NumLocal > 1) ? $clog2(NumLocal) : 1
) (
  input  logic clk_i,    // clock
  input  logic rst_ni,   // synchronous reset, active low
  input  logic start_i,  // resets all state

  // Warp event of this scheduler, and warps whose barrier completes.
  input  logic [NumSched-1:0]   wev_valid_i,    // events of all schedulers: a warp blocks or exits
  input  logic                  wev_exit_i,     // this scheduler's event: 0 blocks at a barrier, 1 exits
  input  logic [IndexWidth-1:0] wev_idx_i,      // local number of its warp
  input  logic [NumLocal-1:0]   unblock_i,      // waiting warps whose barrier completes
  output logic                  blocks_o,       // the event is legal: a live warp blocks that was not blocked
  output logic                  bad_o,          // illegal event: the warp is not live
  output logic                  twice_o,        // illegal event: the warp is already blocked
  output logic [CtaWidth-1:0]   event_cta_o,    // thread block of the event's warp; 0 without an event
  output logic                  all_blocked_o,  // after the event all live warps of its thread block here are blocked

  // Search for blocked warps, for the event of every scheduler. Events of schedulers with lower numbers come first.
  input  logic [NumSched*CtaWidth-1:0] event_cta_i,     // thread blocks of all schedulers' events
  output logic [NumSched-1:0]          blocked_here_o,  // by event: a warp of that thread block is blocked here

  // Legal placing and freeing, and the thread block of a list operation.
  input  logic                alloc_i,     // a thread block with the warps new_i is placed
  input  logic                free_i,      // the thread block op_cta_i is freed
  input  logic [NumLocal-1:0] new_i,       // warps of the thread block that is to be placed
  input  logic                op_valid_i,  // a list operation is performed
  input  logic [CtaWidth-1:0] op_cta_i,    // thread block of the list operation
  output logic                taken_o,     // a slot of new_i is already in use
  output logic [NumLocal-1:0] member_o,    // warps of op_cta_i

  output logic [NumLocal-1:0]          allocated_o,  // warp slots in use
  output logic [NumLocal-1:0]          live_o,       // warps that have not exited
  output logic [NumLocal-1:0]          blocked_o,    // warps that wait at a barrier
  output logic [CtaWidth*NumLocal-1:0] cta_o         // thread block of every warp, in bit planes
);
  // allocated_q: the slot is in use, from placing to freeing. live_q: the warp has not exited. blocked_q: the warp
  // waits at a barrier; cleared by unblock_i, exit, placing and freeing.
  logic [NumLocal-1:0]          allocated_q, allocated_d, live_q, live_d, blocked_q, blocked_d;
  logic [CtaWidth*NumLocal-1:0] cta_q, cta_d;  // thread block of every warp, in bit planes

  assign allocated_o = allocated_q;
  assign live_o      = live_q;
  assign blocked_o   = blocked_q;
  assign cta_o       = cta_q;

  // ---------------------------------------------------------------------------------------------------------------
  // The event of this scheduler. A warp that is unblocked in this cycle may block again.
  logic [NumLocal-1:0] warp, waiting, live_after, blocked_after;
  logic                known, twice, accepted;

  assign warp     = wev_valid_i[Index] ? NumLocal'(1) << wev_idx_i : '0;
  assign waiting  = blocked_q & ~unblock_i;
  assign known    = ((warp & live_q) != '0);
  assign twice    = known && !wev_exit_i && ((warp & waiting) != '0);
  assign accepted = known && !twice;
  assign blocks_o = accepted && !wev_exit_i;
  assign bad_o    = wev_valid_i[Index] && !known;
  assign twice_o  = twice;

  assign live_after    = (accepted && wev_exit_i) ? (live_q & ~warp) : live_q;
  assign blocked_after = !accepted ? waiting : wev_exit_i ? (waiting & ~warp) : (waiting | warp);

  always_comb begin
    event_cta_o = '0;
    if (wev_valid_i[Index]) begin
      for (int unsigned b = 0; b < CtaWidth; b++) begin
        event_cta_o[b] = ((warp & cta_q[b*NumLocal +: NumLocal]) != '0);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Comparison of thread blocks, once for the event of each scheduler. The one for this scheduler also sets
  // all_blocked_o.
  if (SawsEn != 0) begin : gen_compare
    always_comb begin
      logic [NumLocal-1:0] same;
      same           = '0;
      blocked_here_o = '0;
      all_blocked_o  = 1'b0;
      for (int unsigned e = 0; e < NumSched; e++) begin
        if (wev_valid_i[e]) begin
          same = allocated_q;
          for (int unsigned b = 0; b < CtaWidth; b++) begin
            same = same & ~(cta_q[b*NumLocal +: NumLocal] ^ {NumLocal{event_cta_i[e*CtaWidth+b]}});
          end
          blocked_here_o[e] = ((same & ((e > Index) ? blocked_after : waiting)) != '0);
          if (e == Index) begin
            all_blocked_o = accepted && ((same & live_after) != '0) && ((same & live_after & ~blocked_after) == '0);
          end
        end
      end
    end
  end else begin : gen_no_compare
    logic unused_events;
    assign unused_events  = ^{event_cta_i, wev_valid_i};
    assign blocked_here_o   = '0;
    assign all_blocked_o    = 1'b0;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // List operations: placing and freeing change the state of warps.
  assign taken_o = ((new_i & allocated_q) != '0);

  always_comb begin
    member_o = '0;
    if (op_valid_i) begin
      member_o = allocated_q;
      for (int unsigned b = 0; b < CtaWidth; b++) begin
        member_o = member_o & ~(cta_q[b*NumLocal +: NumLocal] ^ {NumLocal{op_cta_i[b]}});
      end
    end
  end

  always_comb begin
    allocated_d = allocated_q;
    live_d      = live_after;
    blocked_d   = blocked_after;
    cta_d       = cta_q;
    if (alloc_i) begin
      allocated_d = allocated_q | new_i;
      live_d      = live_after | new_i;
      blocked_d   = blocked_after & ~new_i;
      for (int unsigned b = 0; b < CtaWidth; b++) begin
        cta_d[b*NumLocal +: NumLocal] = cta_q[b*NumLocal +: NumLocal] | (new_i & {NumLocal{op_cta_i[b]}});
      end
    end
    if (free_i) begin
      allocated_d = allocated_q & ~member_o;
      live_d      = live_after & ~member_o;
      blocked_d   = blocked_after & ~member_o;
      cta_d       = cta_q & ~{CtaWidth{member_o}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      allocated_q <= '0;
      live_q      <= '0;
      blocked_q   <= '0;
      cta_q       <= '0;
    end else begin
      allocated_q <= allocated_d;
      live_q      <= live_d;
      blocked_q   <= blocked_d;
      cta_q       <= cta_d;
    end
  end
endmodule
