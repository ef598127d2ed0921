// Types and constants of the laxity engine (docs/blocks/lax.md, "Machine", "Registers", "Arithmetic").

// Least period of updates and of rankings, in cycles. Proofs set it lower, so that ticks come within their bound.
`ifndef CASTOR_LAX_LEAST_PERIOD
`define CASTOR_LAX_LEAST_PERIOD 1000
`endif

package castor_lax_pkg;

  // Main machine: refresh of rates (K), visits of queues (V), admission (A), PREMA ranking (R).
  typedef enum logic [3:0] {
    Idle  = 4'd0,
    KOpen = 4'd1,
    KMul  = 4'd2,
    KDiv  = 4'd3,
    KWb   = 4'd4,
    VOpen = 4'd5,
    VMac  = 4'd6,
    VAcc  = 4'd7,
    VKey  = 4'd8,
    VDiv  = 4'd9,
    VTok  = 4'd10,
    ANext = 4'd11,
    R1    = 4'd12,
    R2    = 4'd13,
    R3    = 4'd14
  } main_e;

  // Why the main machine visits queues: priority update, sum of the work ahead, admission.
  typedef enum logic [1:0] {
    PhUpd  = 2'd0,
    PhScan = 2'd1,
    PhAdm  = 2'd2
  } phase_e;

  typedef enum logic [2:0] {
    SIdle   = 3'd0,
    SList   = 3'd1,
    SCommit = 3'd2,
    SChk    = 3'd3,
    SMrg    = 3'd4,
    SVer    = 3'd5
  } submit_e;

  // Job states. RTL keeps them as three bit planes, so a live job is one with bit 2 clear and bit 1 set.
  localparam logic [2:0] StFree     = 3'd0;
  localparam logic [2:0] StInit     = 3'd1;
  localparam logic [2:0] StReady    = 3'd2;
  localparam logic [2:0] StRunning  = 3'd3;
  localparam logic [2:0] StDone     = 3'd4;
  localparam logic [2:0] StRejected = 3'd5;

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

  localparam logic [1:0] RateWall     = 2'd0;
  localparam logic [1:0] RateActive   = 2'd1;
  localparam logic [1:0] RateInstance = 2'd2;
  localparam logic [1:0] RatePeakhold = 2'd3;

  localparam logic [1:0] WarmDeadlineAhead = 2'd1;

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

  // The counters N_*, in the order of their registers.
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

  // Fields of the configuration registers.
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

  // Last computed values of a job.
  typedef struct packed {
    logic [31:0] rem;
    logic [31:0] dur;
    logic [31:0] lax;
  } rec_t;
  localparam int unsigned RecWidth = 96;

  // Counters as used at the last refresh of a kernel type.
  typedef struct packed {
    logic [31:0] cnt;
    logic [31:0] act;
    logic [31:0] ins;
    logic [31:0] wal;
  } snap_t;
  localparam int unsigned SnapWidth = 128;

  localparam logic [31:0] LeastPeriod = 32'd`CASTOR_LAX_LEAST_PERIOD;

  // Infinity, and the largest finite time.
  localparam logic [31:0] Inf     = 32'hFFFF_FFFF;
  localparam logic [31:0] MaxTime = 32'hFFFF_FFFE;

  // Clip to Inf.
  function automatic logic [31:0] clip48(logic [47:0] v);
    clip48 = (v[47:32] != '0) ? Inf : v[31:0];
  endfunction

  // Saturate at MaxTime.
  function automatic logic [31:0] sat52(logic [51:0] v);
    sat52 = (v[51:32] != '0 || v[31:0] == Inf) ? MaxTime : v[31:0];
  endfunction

  // Laxity as software reads it: deadline - (rem + dur), clamped to a signed 32-bit number.
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
