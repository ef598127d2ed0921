// Selection: one SM is examined in each cycle in which something waits. Its own queue set comes first, then queue 0,
// then, if the policy allows, the backup set of the SM; the stages advance only on emptiness.
//
// Which list is read follows from flags alone, before the read. What an examination found is remembered for each SM.
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
  input  logic       one_set_i,    // all SMs have one queue set
  input  logic       adaptive_i,   // SMs take from backup sets too
  input  logic       waiting_i,    // something waits: an SM is examined
  input  logic       room_open_i,  // scan_sm may take thread blocks

  // Queues as the cycle began.
  input  logic [NumLists-1:0] listed_i,      // list has entries on chip
  input  logic [NumSets-1:0]  has_i,         // set has
  input  logic [NumSets-1:0]  busy_i,        // set has entries on chip, in memory or on their way back
  input  logic                host_empty_i,  // queue 0

  output logic [SmWidth-1:0]        sm_o,      // SM that is examined
  output castor_laperm_pkg::stage_e stage_o,   // StageNone: no candidate
  output logic                      host_o,    // the head to be read is that of queue 0
  output logic [SetWidth-1:0]       set_o,     // else of this set and list
  output logic [3:0]                level_o,   // level of the list
  output logic [ListWidth-1:0]      list_o,    // number of the list
  output logic                      backup_o,  // another backup set is chosen
  output logic                      starve_o,  // the own set has entries in memory only
  input  logic                      fits_i,    // the candidate fits
  output logic [NumSm-1:0]          fit_o      // the last examination found none or one that fitted
);
  localparam int unsigned NumSetsPow2  = 2 ** SetWidth;
  localparam int unsigned NumSmPow2    = 2 ** SmWidth;
  localparam int unsigned ClusterShift = $clog2(ClusterSize);
  localparam logic [SmWidth-1:0] LastSm = SmWidth'(NumSm - 1);

  logic [SmWidth-1:0]       cur_q;
  logic [NumSm-1:0]         recorded_q, fit_q;
  logic [NumSetsPow2-1:0]   has, busy;
  logic [NumSmPow2-1:0]     recorded;
  logic [SetWidth-1:0]      own, recorded_set, backup, next_backup, first;
  logic                     examine, own_busy, steal, keep;

  // ---------------------------------------------------------------------------------------------------------------
  // Stages. At the third the own set is empty, so the search for a backup set may begin with it.
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

  // Backup set of each SM that has chosen one.
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
