// Synchronization control unit: the part of SAWS outside the schedulers (docs/blocks/saws.md, "Cycle"). It turns events
// of the schedulers into messages, queues the messages, and broadcasts one per cycle as list operations. It also holds
// the mode and the toggles.
module castor_saws_scu #(
  parameter int unsigned NumSched = 4,
  parameter int unsigned MaxCta   = 32,
  parameter int unsigned EvqDepth = 4,
  parameter int unsigned DemoteAt = 0,
  localparam int unsigned CtaWidth   = (MaxCta > 1) ? $clog2(MaxCta) : 1,
  localparam int unsigned TurnWidth  = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned CountWidth = $clog2(EvqDepth + 1)
) (
  input  logic       clk_i,           // clock
  input  logic       rst_ni,          // synchronous reset, active low
  input  logic       kernel_start_i,  // a kernel starts: resets all state and loads the settings
  input  logic [1:0] mode_sel_i,      // 0 GTO, 1 AUTO (SAWS from the first barrier), 2 SAWS
  input  logic       toggle_en_i,     // toggling: promote at every other barrier of a CTA only

  // Placing and freeing of thread blocks by the SM. These operations have priority over messages.
  input  logic                cta_valid_i,  // a CTA (thread block) is placed or freed
  input  logic                alloc_i,      // a CTA is placed, legally
  input  logic                free_i,       // a CTA is freed, legally
  input  logic [CtaWidth-1:0] cta_id_i,     // slot of the CTA

  // Events of the schedulers. First hit: a warp blocks while no other warp of its thread block is blocked.
  input  logic [NumSched-1:0]          first_hit_i,    // a first hit on this scheduler
  input  logic [NumSched-1:0]          all_blocked_i,  // all live warps of the thread block here are blocked
  input  logic [NumSched*CtaWidth-1:0] event_cta_i,    // thread block of the scheduler's event
  output logic [NumSched-1:0]          wev_ready_o,    // queue has room; if 0, issue no barrier and no exit
  output logic                         lost_o,         // a message is lost because its queue is full

  // Mode, and list operations of the broadcast message.
  output logic                mode_o,       // 0 GTO, 1 SAWS
  output logic                switch_o,     // mode switches from GTO to SAWS
  output logic                broadcast_o,  // a message is broadcast
  output logic [NumSched-1:0] promote_o,    // schedulers that promote the message's thread block
  output logic [NumSched-1:0] demote_o,     // schedulers that demote it
  output logic [CtaWidth-1:0] cta_o,        // thread block of the message

  output logic [1:0]            selected_o,  // mode_sel of the running kernel
  output logic                  toggling_o,  // toggle_en of the running kernel
  output logic [1:0]            turn_o,      // scheduler whose queue is examined first
  output logic [MaxCta-1:0]     toggle_o,    // by thread block: the next first hit promotes
  output logic [NumSched*5-1:0] waiting_o    // number of waiting messages, by scheduler
);
  localparam int unsigned MaxCtaPow2 = 2 ** CtaWidth;

  logic                 mode_q, mode_d;  // 0 GTO, 1 SAWS; set by the first message of a kernel under AUTO
  logic [1:0]           selected_q;  // mode_sel of the running kernel
  logic                 toggling_q;  // toggle_en of the running kernel
  logic [MaxCta-1:0]    toggle_q, toggle_d;  // by thread block: its next first hit promotes it; set when it is placed
  logic [TurnWidth-1:0] turn_q, turn_d;  // scheduler after the one served last

  assign mode_o     = mode_q;
  assign selected_o = selected_q;
  assign toggling_o = toggling_q;
  assign turn_o     = 2'(turn_q);
  assign toggle_o   = toggle_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Messages from events. Every first hit inverts the toggle of its thread block.
  logic [MaxCtaPow2-1:0] toggle_padded;
  logic [NumSched-1:0]   promotes, wanted, full, push;

  assign toggle_padded = MaxCtaPow2'(toggle_q);

  always_comb begin
    promotes = '0;
    wanted   = '0;
    for (int unsigned s = 0; s < NumSched; s++) begin
      promotes[s] = first_hit_i[s] && (!toggling_q || toggle_padded[event_cta_i[s*CtaWidth +: CtaWidth]]);
      wanted[s]   = (promotes[s] || all_blocked_i[s]) && (selected_q != '0) &&
                    !(free_i && cta_id_i == event_cta_i[s*CtaWidth +: CtaWidth]);
    end
  end

  assign push        = wanted & ~full;
  assign lost_o      = ((wanted & full) != '0);
  assign wev_ready_o = ~full;

  always_comb begin
    toggle_d = toggle_q;
    for (int unsigned s = 0; s < NumSched; s++) begin
      if (toggling_q && first_hit_i[s]) begin
        toggle_d = toggle_d ^ (MaxCta'(1) << event_cta_i[s*CtaWidth +: CtaWidth]);
      end
    end
    if (alloc_i) begin
      toggle_d = toggle_d | (MaxCta'(1) << cta_id_i);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Message queues, one per scheduler.
  logic [NumSched-1:0]            waiting, pop, head_hit, head_all_blocked, head_dead;
  logic [NumSched*CtaWidth-1:0]   head_cta;

  for (genvar s = 0; s < NumSched; s++) begin : gen_queue
    logic [CountWidth-1:0] count;

    castor_saws_queue #(
      .CtaWidth (CtaWidth),
      .Depth    (EvqDepth)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .start_i       (kernel_start_i),
      .push_i        (push[s]),
      .cta_i         (event_cta_i[s*CtaWidth +: CtaWidth]),
      .hit_i         (promotes[s]),
      .all_blocked_i (all_blocked_i[s]),
      .pop_i         (pop[s]),
      .free_i        (free_i),
      .free_cta_i    (cta_id_i),
      .cta_o         (head_cta[s*CtaWidth +: CtaWidth]),
      .hit_o         (head_hit[s]),
      .all_blocked_o (head_all_blocked[s]),
      .dead_o        (head_dead[s]),
      .count_o       (count)
    );

    assign waiting[s]          = (count != '0);
    assign full[s]             = (count == CountWidth'(EvqDepth));
    assign waiting_o[s*5 +: 5] = 5'(count);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Broadcast: queues are served round robin. A kernel's first message waits one cycle for the switch of the mode.
  logic                act, take;
  logic [NumSched-1:0] source;  // queue that is served, one bit

  always_comb begin
    logic [TurnWidth-1:0] s;
    s      = '0;
    source = '0;
    turn_d = turn_q;
    act    = (waiting != '0) && !cta_valid_i;
    take   = act && mode_q;
    for (int unsigned k = 0; k < NumSched; k++) begin
      s = turn_q + TurnWidth'(k);
      if (NumSched == 1) begin
        s = '0;
      end
      if (source == '0 && waiting[s]) begin
        source[s] = 1'b1;
        if (take && NumSched > 1) begin
          turn_d = s + TurnWidth'(1);
        end
      end
    end
  end

  assign pop         = take ? source : '0;
  assign switch_o    = act && !mode_q;
  assign broadcast_o = take;
  assign mode_d      = mode_q || switch_o;

  always_comb begin
    logic hit;
    hit       = 1'b0;
    cta_o     = '0;
    promote_o = '0;
    demote_o  = '0;
    for (int unsigned s = 0; s < NumSched; s++) begin
      if (source[s]) begin
        cta_o = head_cta[s*CtaWidth +: CtaWidth];
      end
      if (pop[s] && !head_dead[s]) begin
        hit         = head_hit[s];
        demote_o[s] = head_all_blocked[s] || (head_hit[s] && DemoteAt == 1);
      end
    end
    if (hit) begin
      promote_o = ~source;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Registers.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mode_q     <= 1'b0;
      selected_q <= '0;
      toggling_q <= 1'b1;
      toggle_q   <= '1;
      turn_q     <= '0;
    end else if (kernel_start_i) begin
      mode_q     <= (mode_sel_i == 2'd2);
      selected_q <= mode_sel_i;
      toggling_q <= toggle_en_i;
      toggle_q   <= '1;
      turn_q     <= '0;
    end else begin
      mode_q   <= mode_d;
      toggle_q <= toggle_d;
      turn_q   <= turn_d;
    end
  end
endmodule
