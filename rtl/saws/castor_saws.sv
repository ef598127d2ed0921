// SAWS: warp schedulers of a streaming multiprocessor that notify each other of first hits at barriers; also plain GTO
// (docs/blocks/saws.md). Warp w belongs to scheduler w mod NumSched and is its local warp w / NumSched.
//
// Cost of one more unit of each parameter (docs/blocks/saws.md, "Area"):
//   NumSched   one pick logic and one message queue; 4 instead of 2 schedulers for 64 warps cost 2.5 kGE
//   NumWarps   3 flip-flops, a thread block number and a position; the pick compares all positions of a scheduler
//   MaxCta     2 flip-flops; log2(MaxCta) bits in every warp and message
//   EvqDepth   one message of about 8 flip-flops in every scheduler
//   PFloor     nothing: it is a constant
//   InitOrder  gates of the switch to SAWS; no flip-flop
//   DemoteAt   gates of the event detection; no flip-flop
//   SawsEn     183 flip-flops and 10.0 kGE at the defaults, 74 % of plain GTO
module castor_saws #(
  parameter int unsigned NumSched  = 4,   // warp schedulers: 1, 2 or 4
  parameter int unsigned NumWarps  = 64,  // hardware warps: a multiple of NumSched, up to 64
  parameter int unsigned MaxCta    = 32,  // thread block slots, 1..32
  parameter int unsigned EvqDepth  = 4,   // waiting messages per scheduler, 1..16
  parameter int unsigned PFloor    = 1,   // least value of the promotion register, 0 or 1
  parameter int unsigned InitOrder = 0,   // order at the switch to SAWS: 0 greedy warp's CTA first, 1 by age
  parameter int unsigned DemoteAt  = 0,   // own scheduler demotes a CTA: 0 when all blocked, 1 also at the first hit
  parameter int unsigned SawsEn    = 1,   // 0: hardware of plain GTO only
  localparam int unsigned NumLocal   = NumWarps / NumSched,
  localparam int unsigned IndexWidth = (NumLocal > 1) ? $clog2(NumLocal) : 1,
  localparam int unsigned CtaWidth   = (MaxCta > 1) ? $clog2(MaxCta) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  input  logic       kernel_start_i,  // a kernel starts: resets all state and loads the settings
  input  logic [1:0] mode_sel_i,      // 0 GTO, 1 AUTO (SAWS from the first barrier), 2 SAWS
  input  logic       toggle_en_i,     // toggling: promote at every other barrier of a CTA only

  input  logic                cta_valid_i,  // a CTA (thread block) is placed or freed
  input  logic                cta_free_i,   // 0: placed, 1: freed
  input  logic [CtaWidth-1:0] cta_id_i,     // slot of the CTA
  input  logic [NumWarps-1:0] cta_wmask_i,  // warps of the placed CTA

  input  logic [NumSched-1:0]            wev_valid_i,  // a warp of the scheduler blocks or exits
  input  logic [NumSched-1:0]            wev_exit_i,   // 0: the warp blocks at a barrier, 1: it exits
  input  logic [NumSched*IndexWidth-1:0] wev_idx_i,    // local number of the warp
  output logic [NumSched-1:0]            wev_ready_o,  // queue has room; if 0, issue no barrier and no exit
  input  logic [NumWarps-1:0]            unblock_i,    // waiting warps whose barrier completes

  input  logic [NumWarps-1:0]            w_ready_i,      // warps that could issue
  output logic [NumSched-1:0]            issue_valid_o,  // the scheduler picks a warp
  output logic [NumSched*IndexWidth-1:0] issue_idx_o,    // local number of the picked warp
  input  logic [NumSched-1:0]            issue_ack_i,    // the picked warp has issued

  output logic       mode_saws_o,  // mode: 0 GTO, 1 SAWS
  output logic [2:0] err_o         // errors: bit 0 CTA or warp unknown, bit 1 warp blocks twice, bit 2 message lost
);
  if (NumSched != 1 && NumSched != 2 && NumSched != 4) begin : gen_bad_num_sched
    $error("castor_saws: NumSched must be 1, 2 or 4");
  end
  if (NumWarps < NumSched || NumWarps > 64 || NumWarps % NumSched != 0) begin : gen_bad_num_warps
    $error("castor_saws: NumWarps must be a multiple of NumSched, up to 64");
  end
  if (MaxCta < 1 || MaxCta > 32) begin : gen_bad_max_cta
    $error("castor_saws: MaxCta must be 1..32");
  end
  if (EvqDepth < 1 || EvqDepth > 16) begin : gen_bad_evq_depth
    $error("castor_saws: EvqDepth must be 1..16");
  end
  if (PFloor > 1) begin : gen_bad_p_floor
    $error("castor_saws: PFloor must be 0 or 1");
  end
  if (InitOrder > 1) begin : gen_bad_init_order
    $error("castor_saws: InitOrder must be 0 or 1");
  end
  if (DemoteAt > 1) begin : gen_bad_demote_at
    $error("castor_saws: DemoteAt must be 0 or 1");
  end
  if (SawsEn > 1) begin : gen_bad_saws_en
    $error("castor_saws: SawsEn must be 0 or 1");
  end

  localparam int unsigned PosWidth   = $clog2(NumLocal + 1);
  localparam int unsigned MaxCtaPow2 = 2 ** CtaWidth;

  // ---------------------------------------------------------------------------------------------------------------
  // Signals between the parts. In a vector over warps the warps of one scheduler are adjacent.
  logic [NumWarps-1:0] ready, unblock, wmask, member, allocated, live, blocked;
  logic [NumSched-1:0] blocks, bad, twice, all_blocked, taken, first_hit;
  logic [NumSched*CtaWidth-1:0] event_cta;
  logic [NumSched*NumSched-1:0] blocked_here;  // [t*NumSched+s]: the thread block of event s has a blocked warp on t
  logic                         mode, switch, broadcast, alloc, free, lost;
  logic [NumSched-1:0]          promote, demote, greedy;
  logic [CtaWidth-1:0]          message_cta, op_cta;
  logic [CtaWidth*NumWarps-1:0] warp_cta;
  logic [PosWidth*NumWarps-1:0] pos;
  logic [NumSched*PosWidth-1:0] pointer, length;
  logic [1:0]                   selected, turn;
  logic                         toggling;
  logic [MaxCta-1:0]            toggle;
  logic [NumSched*5-1:0]        waiting;

  for (genvar s = 0; s < NumSched; s++) begin : gen_order
    for (genvar i = 0; i < NumLocal; i++) begin : gen_warp
      assign ready[s*NumLocal+i]   = w_ready_i[i*NumSched+s];
      assign unblock[s*NumLocal+i] = unblock_i[i*NumSched+s];
      assign wmask[s*NumLocal+i]   = cta_wmask_i[i*NumSched+s];
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Thread block slots, and legality of placing and freeing.
  logic [MaxCta-1:0]     used_q, used_d;  // thread block slots in use: set by placing, cleared by freeing
  logic [MaxCtaPow2-1:0] used_padded;
  logic                  in_range, in_use;

  assign used_padded = MaxCtaPow2'(used_q);
  assign in_range    = (32'(cta_id_i) < MaxCta);
  assign in_use      = used_padded[cta_id_i];
  assign alloc       = cta_valid_i && !cta_free_i && in_range && !in_use && (cta_wmask_i != '0) && (taken == '0);
  assign free        = cta_valid_i && cta_free_i && in_range && in_use;
  assign op_cta      = cta_valid_i ? cta_id_i : message_cta;

  always_comb begin
    used_d = used_q;
    if (alloc) begin
      used_d = used_q | (MaxCta'(1) << cta_id_i);
    end
    if (free) begin
      used_d = used_q & ~(MaxCta'(1) << cta_id_i);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Errors, shown in the next cycle.
  logic [2:0] err_q, err_d;  // errors of the last cycle

  assign err_d = {lost, twice != '0, bad != '0 || (cta_valid_i && !alloc && !free)};
  assign err_o = err_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || kernel_start_i) begin
      used_q <= '0;
      err_q  <= '0;
    end else begin
      used_q <= used_d;
      err_q  <= err_d;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Schedulers.
  for (genvar s = 0; s < NumSched; s++) begin : gen_sched
    castor_saws_warps #(
      .NumSched (NumSched),
      .Index    (s),
      .NumLocal (NumLocal),
      .CtaWidth (CtaWidth),
      .SawsEn   (SawsEn)
    ) u_warps (
      .clk_i,
      .rst_ni,
      .start_i        (kernel_start_i),
      .wev_valid_i    (wev_valid_i),
      .wev_exit_i     (wev_exit_i[s]),
      .wev_idx_i      (wev_idx_i[s*IndexWidth +: IndexWidth]),
      .unblock_i      (unblock[s*NumLocal +: NumLocal]),
      .blocks_o       (blocks[s]),
      .bad_o          (bad[s]),
      .twice_o        (twice[s]),
      .event_cta_o    (event_cta[s*CtaWidth +: CtaWidth]),
      .all_blocked_o  (all_blocked[s]),
      .event_cta_i    (event_cta),
      .blocked_here_o (blocked_here[s*NumSched +: NumSched]),
      .alloc_i        (alloc),
      .free_i         (free),
      .new_i          (wmask[s*NumLocal +: NumLocal]),
      .op_valid_i     (cta_valid_i || broadcast),
      .op_cta_i       (op_cta),
      .taken_o        (taken[s]),
      .member_o       (member[s*NumLocal +: NumLocal]),
      .allocated_o    (allocated[s*NumLocal +: NumLocal]),
      .live_o         (live[s*NumLocal +: NumLocal]),
      .blocked_o      (blocked[s*NumLocal +: NumLocal]),
      .cta_o          (warp_cta[s*CtaWidth*NumLocal +: CtaWidth*NumLocal])
    );

    castor_saws_sched #(
      .NumLocal  (NumLocal),
      .PFloor    (PFloor),
      .InitOrder (InitOrder),
      .SawsEn    (SawsEn)
    ) u_sched (
      .clk_i,
      .rst_ni,
      .start_i       (kernel_start_i),
      .start_saws_i  (mode_sel_i == 2'd2 && SawsEn != 0),
      .mode_i        (mode),
      .switch_i      (switch),
      .promote_i     (promote[s]),
      .demote_i      (demote[s]),
      .alloc_i       (alloc),
      .free_i        (free),
      .member_i      (member[s*NumLocal +: NumLocal]),
      .new_i         (wmask[s*NumLocal +: NumLocal]),
      .allocated_i   (allocated[s*NumLocal +: NumLocal]),
      .ready_i       (ready[s*NumLocal +: NumLocal]),
      .issue_valid_o (issue_valid_o[s]),
      .issue_idx_o   (issue_idx_o[s*IndexWidth +: IndexWidth]),
      .issue_ack_i   (issue_ack_i[s]),
      .pos_o         (pos[s*PosWidth*NumLocal +: PosWidth*NumLocal]),
      .pointer_o     (pointer[s*PosWidth +: PosWidth]),
      .greedy_o      (greedy[s]),
      .length_o      (length[s*PosWidth +: PosWidth])
    );
  end

  // ---------------------------------------------------------------------------------------------------------------
  // First hit: a warp blocks while no other warp of its thread block is blocked, on any scheduler.
  always_comb begin
    first_hit = blocks;
    for (int unsigned t = 0; t < NumSched; t++) begin
      first_hit = first_hit & ~blocked_here[t*NumSched +: NumSched];
    end
  end

  assign mode_saws_o = mode;

  if (SawsEn != 0) begin : gen_saws
    castor_saws_scu #(
      .NumSched (NumSched),
      .MaxCta   (MaxCta),
      .EvqDepth (EvqDepth),
      .DemoteAt (DemoteAt)
    ) u_scu (
      .clk_i,
      .rst_ni,
      .kernel_start_i,
      .mode_sel_i,
      .toggle_en_i,
      .cta_valid_i,
      .alloc_i       (alloc),
      .free_i        (free),
      .cta_id_i,
      .first_hit_i   (first_hit),
      .all_blocked_i (all_blocked),
      .event_cta_i   (event_cta),
      .wev_ready_o,
      .lost_o        (lost),
      .mode_o        (mode),
      .switch_o      (switch),
      .broadcast_o   (broadcast),
      .promote_o     (promote),
      .demote_o      (demote),
      .cta_o         (message_cta),
      .selected_o    (selected),
      .toggling_o    (toggling),
      .turn_o        (turn),
      .toggle_o      (toggle),
      .waiting_o     (waiting)
    );
  end else begin : gen_gto
    assign wev_ready_o = '1;
    assign lost        = 1'b0;
    assign mode        = 1'b0;
    assign switch      = 1'b0;
    assign broadcast   = 1'b0;
    assign promote     = '0;
    assign demote      = '0;
    assign message_cta = '0;
    assign selected    = '0;
    assign toggling    = 1'b1;
    assign turn        = '0;
    assign toggle      = '1;
    assign waiting     = '0;
  end
endmodule
