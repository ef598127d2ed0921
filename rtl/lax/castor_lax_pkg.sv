// Types and constants of the laxity engine (docs/blocks/lax.md, "Machine", "Registers", "Arithmetic").

// Minimum period of updates and of PREMA rankings, in cycles. Proofs define a lower value, so that ticks occur within
// the depth of a proof.
`ifndef CASTOR_LAX_LEAST_PERIOD
`define CASTOR_LAX_LEAST_PERIOD 1000
`endif

package castor_lax_pkg;

  // State of the main machine: refresh of rates (K), visits of queues (V), admission (A), PREMA ranking (R).
  typedef enum logic [3:0] {
    Idle  = 4'd0,   // chooses the next activity
    KOpen = 4'd1,   // skips a kernel type, or samples its counters
    KMul  = 4'd2,   // computes the measured time
    KDiv  = 4'd3,   // divides the time by the completions
    KWb   = 4'd4,   // writes the new rate
    VOpen = 4'd5,   // skips a queue, or latches its job
    VMac  = 4'd6,   // adds one slot of the work list
    VAcc  = 4'd7,   // adds the last product
    VKey  = 4'd8,   // writes the record and the key, or gives the verdict
    VDiv  = 4'd9,   // PREMA: computes the growth of the token
    VTok  = 4'd10,  // PREMA: writes token and key
    ANext = 4'd11,  // next job that awaits admission
    R1    = 4'd12,  // finds the largest token
    R2    = 4'd13,  // finds candidates and the victim
    R3    = 4'd14   // makes the preemption request
  } main_e;

  // Reason for the main machine's visits of queues.
  typedef enum logic [1:0] {
    PhUpd  = 2'd0,  // priority update
    PhScan = 2'd1,  // sum of the work ahead
    PhAdm  = 2'd2   // admission
  } phase_e;

  // State of the submit machine.
  typedef enum logic [2:0] {
    SIdle   = 3'd0,  // waits for a header
    SList   = 3'd1,  // accepts list beats
    SCommit = 3'd2,  // refuses the submission, or creates a new job
    SChk    = 3'd3,  // append: checks that the list has room
    SMrg    = 3'd4,  // append: merges the staged list
    SVer    = 3'd5   // append: gives the verdict
  } submit_e;

  // Job states. They are stored in three bit planes. A job is live (Ready or Running) if bit 2 is 0 and bit 1 is 1.
  localparam logic [2:0] StFree     = 3'd0;
  localparam logic [2:0] StInit     = 3'd1;
  localparam logic [2:0] StReady    = 3'd2;
  localparam logic [2:0] StRunning  = 3'd3;
  localparam logic [2:0] StDone     = 3'd4;
  localparam logic [2:0] StRejected = 3'd5;

  // Policies: values of CTRL.POLICY.
  localparam logic [3:0] PolicyRr    = 4'd0;
  localparam logic [3:0] PolicyFcfs  = 4'd1;
  localparam logic [3:0] PolicyEdf   = 4'd2;
  localparam logic [3:0] PolicySjf   = 4'd3;
  localparam logic [3:0] PolicyLjf   = 4'd4;
  localparam logic [3:0] PolicySrf   = 4'd5;
  localparam logic [3:0] PolicyMlfq  = 4'd6;
  localparam logic [3:0] PolicyPrema = 4'd7;
  localparam logic [3:0] PolicyLax   = 4'd8;
  localparam logic [3:0] PolicyExt   = 4'd9;

  // Rate modes: time by which the completions are divided (docs/blocks/lax.md, "Rates").
  localparam logic [1:0] RateWall     = 2'd0;
  localparam logic [1:0] RateActive   = 2'd1;
  localparam logic [1:0] RateInstance = 2'd2;
  localparam logic [1:0] RatePeakhold = 2'd3;

  // Value of CTRL.WARM_POLICY: a job ahead with a kernel type without rate counts as its whole deadline.
  localparam logic [1:0] WarmDeadlineAhead = 2'd1;

  // Reason codes of verdicts (docs/blocks/lax.md, "Submission").
  localparam logic [2:0] ReasonOk          = 3'd0;
  localparam logic [2:0] ReasonMiss        = 3'd1;
  localparam logic [2:0] ReasonExpired     = 3'd2;
  localparam logic [2:0] ReasonBusy        = 3'd3;
  localparam logic [2:0] ReasonBadList     = 3'd4;
  localparam logic [2:0] ReasonBadKid      = 3'd5;
  localparam logic [2:0] ReasonBadDeadline = 3'd6;
  localparam logic [2:0] ReasonNoJob       = 3'd7;

  // Bits of ERR_STAT.
  localparam int unsigned NumErrors = 10;
  localparam int unsigned EUnderflow = 0;
  localparam int unsigned ENoJob     = 1;
  localparam int unsigned ENoSlot    = 2;
  localparam int unsigned EInflight  = 3;
  localparam int unsigned EOrder     = 4;
  localparam int unsigned ETime      = 5;
  localparam int unsigned EBeat      = 6;
  localparam int unsigned EGrant     = 7;
  localparam int unsigned ERo        = 8;
  localparam int unsigned EDqFull    = 9;

  // Bits of IRQ_STAT and IRQ_EN.
  localparam int unsigned NumIrqs = 7;
  localparam int unsigned IrqReject   = 0;
  localparam int unsigned IrqDone     = 1;
  localparam int unsigned IrqLate     = 2;
  localparam int unsigned IrqBusy     = 3;
  localparam int unsigned IrqError    = 4;
  localparam int unsigned IrqSaturate = 5;
  localparam int unsigned IrqOverrun  = 6;

  // Counters N_*, in the order of their registers.
  localparam int unsigned NumCounters = 12;
  localparam int unsigned NSubmit   = 0;
  localparam int unsigned NAccept   = 1;
  localparam int unsigned NReject   = 2;
  localparam int unsigned NDone     = 3;
  localparam int unsigned NMet      = 4;
  localparam int unsigned NLate     = 5;
  localparam int unsigned NUpd      = 6;
  localparam int unsigned NWg       = 7;
  localparam int unsigned NWgUseful = 8;
  localparam int unsigned NParse    = 9;
  localparam int unsigned NPreempt  = 10;
  localparam int unsigned NDrop     = 11;

  // Fields of the configuration registers (docs/blocks/lax.md, "Registers").
  typedef struct packed {
    logic        preparse;
    logic        inspect_mode;
    logic [2:0]  leak;
    logic [2:0]  ewma_shift;
    logic        drop_expired;
    logic        bypass_en;
    logic [1:0]  init_prio;
    logic        prio_class_en;
    logic [1:0]  warm_policy;
    logic [1:0]  rate_mode;
    logic [3:0]  policy;
    logic        freeze;
    logic        admit_en;
    logic        enable;
    logic [23:0] upd_period;
    logic [15:0] parse_lat;
    logic [7:0]  min_wg;
    logic [23:0] prema_period;
    logic [15:0] ckpt_bw;
    logic [3:0]  prema_p;
  } config_t;

  // Entry of the job table.
  typedef struct packed {
    logic [47:0] start;
    logic [31:0] deadline;
    logic        fits;
  } job_t;
  localparam int unsigned JobWidth = 81;

  // Selection key.
  typedef struct packed {
    logic [1:0]  class_;
    logic [47:0] value;
  } key_t;
  localparam int unsigned KeyWidth = 50;

  // Values computed at the last visit of a job: remaining time, duration, laxity.
  typedef struct packed {
    logic [31:0] rem;
    logic [31:0] dur;
    logic [31:0] lax;
  } rec_t;
  localparam int unsigned RecWidth = 96;

  // Snapshot of a kernel type's counters at its last refresh: completions, active, instance and window time.
  typedef struct packed {
    logic [31:0] cnt;
    logic [31:0] act;
    logic [31:0] ins;
    logic [31:0] wal;
  } snap_t;
  localparam int unsigned SnapWidth = 128;

  localparam logic [31:0] LeastPeriod = 32'd`CASTOR_LAX_LEAST_PERIOD;

  // Times: infinity (no deadline), and the largest finite time.
  localparam logic [31:0] Inf     = 32'hFFFF_FFFF;
  localparam logic [31:0] MaxTime = 32'hFFFF_FFFE;

  // Returns v limited to Inf.
  function automatic logic [31:0] clip48(logic [47:0] v);
    clip48 = (v[47:32] != '0) ? Inf : v[31:0];
  endfunction

  // Returns v limited to MaxTime.
  function automatic logic [31:0] sat52(logic [51:0] v);
    sat52 = (v[51:32] != '0 || v[31:0] == Inf) ? MaxTime : v[31:0];
  endfunction

  // Returns the laxity as software reads it: deadline - (rem + dur), limited to a signed 32-bit number.
  function automatic logic [31:0] laxity(logic [31:0] rem, logic [31:0] dur, logic [31:0] deadline);
    logic [31:0] compl_;
    logic [32:0] diff;
    compl_ = sat52({19'b0, {1'b0, rem} + {1'b0, dur}});
    diff   = {1'b0, deadline} - {1'b0, compl_};
    if (deadline == Inf) begin
      laxity = 32'h7FFF_FFFF;
    end else if (diff[32] == diff[31]) begin
      laxity = diff[31:0];
    end else begin
      laxity = diff[32] ? 32'h8000_0000 : 32'h7FFF_FFFF;
    end
  endfunction

endpackage
