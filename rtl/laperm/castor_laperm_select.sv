// Selection of the candidate: while items wait, one SM is examined per cycle. The SM's own queue set comes first, then
// queue 0 and, under Adaptive-Bind, the SM's backup set. A later stage is tried only if the earlier ones are empty.
//
// The list of the candidate depends on flags alone, so it is known before the list memory is read. The result of the
// last examination is stored for each SM (fit_o).
module castor_laperm_select #(
  parameter int unsigned NumSm       = 13,
  parameter int unsigned ClusterSize = 1,
  parameter int unsigned LvlMax      = 4,
  localparam int unsigned NumSets   = (NumSm + ClusterSize - 1) / ClusterSize,
  localparam int unsigned NumLists  = NumSets * LvlMax,
  localparam int unsigned SmWidth   = $clog2(NumSm),
  localparam int unsigned SetWidth  = (NumSets > 1) ? $clog2(NumSets) : 1,
  localparam int unsigned ListWidth = (NumLists > 1) ? $clog2(NumLists) : 1
) (
  input  logic       clk_i,        // clock
  input  logic       rst_ni,       // synchronous reset, active low
  input  logic       one_set_i,    // all SMs share one queue set (TB-Pri)
  input  logic       adaptive_i,   // SMs also take from backup sets (Adaptive-Bind)
  input  logic       waiting_i,    // an item waits: an SM is examined
  input  logic       room_open_i,  // scan_sm may accept thread blocks

  // State of the queues at the start of the cycle.
  input  logic [NumLists-1:0] listed_i,      // lists with entries on chip
  input  logic [NumSets-1:0]  has_i,         // sets with entries on chip
  input  logic [NumSets-1:0]  busy_i,        // sets with entries on chip, in memory or being read back
  input  logic                host_empty_i,  // queue 0 is empty

  output logic [SmWidth-1:0]        sm_o,      // SM that is examined
  output castor_laperm_pkg::stage_e stage_o,   // StageNone: no candidate
  output logic                      host_o,    // the candidate is the head of queue 0
  output logic [SetWidth-1:0]       set_o,     // otherwise: set of the candidate
  output logic [3:0]                level_o,   // level of the candidate
  output logic [ListWidth-1:0]      list_o,    // list of the candidate
  output logic                      backup_o,  // another backup set is chosen
  output logic                      starve_o,  // the SM's own set has entries in memory only
  input  logic                      fits_i,    // the candidate fits
  output logic [NumSm-1:0]          fit_o      // by SM: the last examination found no candidate, or one that fits
);
  localparam int unsigned NumSetsPow2  = 2 ** SetWidth;
  localparam int unsigned NumSmPow2    = 2 ** SmWidth;
  localparam int unsigned ClusterShift = $clog2(ClusterSize);
  localparam logic [SmWidth-1:0] LastSm = SmWidth'(NumSm - 1);

  logic [SmWidth-1:0]       cur_q;  // SM that is examined; advances while an item waits
  // recorded_q: the SM has a backup set; set by its first choice of one. fit_q: result of the SM's last examination
  // (fit_o); all ones when no item waits.
  logic [NumSm-1:0]         recorded_q, fit_q;
  logic [NumSetsPow2-1:0]   has, busy;
  logic [NumSmPow2-1:0]     recorded;
  logic [SetWidth-1:0]      own, recorded_set, backup, next_backup, first;
  // examine: an SM is examined. own_busy: its own set has items. steal: stage 3 applies. keep: the recorded backup set
  // still has entries on chip.
  logic                     examine, own_busy, steal, keep;

  // ---------------------------------------------------------------------------------------------------------------
  // Stages. In stage 3 the SM's own set is empty, so the search for a backup set may begin with the own set.
  assign has      = NumSetsPow2'(has_i);
  assign busy     = NumSetsPow2'(busy_i);
  assign recorded = NumSmPow2'(recorded_q);
  assign examine  = waiting_i && room_open_i;
  assign own      = one_set_i ? '0 : SetWidth'(cur_q >> ClusterShift);
  assign own_busy = busy[own];
  assign steal    = !own_busy && host_empty_i && adaptive_i && (has_i != '0);

  assign backup      = recorded[cur_q] ? recorded_set : own;
  assign keep        = has[backup];
  assign next_backup = keep ? backup : first;

  assign sm_o     = cur_q;
  assign host_o   = !own_busy && !host_empty_i;
  assign set_o    = own_busy ? own : next_backup;
  assign backup_o = examine && steal && !keep;
  assign starve_o = examine && own_busy && !has[own];
  assign fit_o    = fit_q;

  always_comb begin
    stage_o = castor_laperm_pkg::StageNone;
    if (examine) begin
      if (own_busy) begin
        stage_o = has[own] ? castor_laperm_pkg::StageOwn : castor_laperm_pkg::StageNone;
      end else if (!host_empty_i) begin
        stage_o = castor_laperm_pkg::StageHost;
      end else if (steal) begin
        stage_o = castor_laperm_pkg::StageBackup;
      end
    end
  end

  castor_laperm_first #(
    .Num (NumSets)
  ) u_first (
    .bits_i  (has_i),
    .from_i  (own),
    .first_o (first)
  );

  castor_laperm_highest #(
    .NumSets (NumSets),
    .LvlMax  (LvlMax)
  ) u_highest (
    .marks_i (listed_i),
    .set_i   (set_o),
    .level_o,
    .list_o
  );

  // Backup set of each SM; valid if recorded_q is set.
  castor_table_1r1w #(
    .Width (SetWidth),
    .Depth (NumSm)
  ) u_backup (
    .clk_i,
    .we_i    (backup_o),
    .waddr_i (cur_q),
    .wdata_i (first),
    .raddr_i (cur_q),
    .rdata_o (recorded_set)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cur_q      <= '0;
      recorded_q <= '0;
      fit_q      <= '1;
    end else begin
      if (waiting_i) begin
        cur_q <= (cur_q == LastSm) ? '0 : cur_q + 1'b1;
      end
      if (backup_o) begin
        recorded_q[cur_q] <= 1'b1;
      end
      if (!waiting_i) begin
        fit_q <= '1;
      end else if (room_open_i) begin
        fit_q[cur_q] <= (stage_o == castor_laperm_pkg::StageNone) || fits_i;
      end
    end
  end
endmodule
