// Locality-aware thread block scheduler (LaPerm): thread blocks launched by a kernel run before waiting thread blocks
// of the host's kernels, and on the SM of their direct parent (docs/blocks/laperm.md).
//
// An item (a kernel or a group of thread blocks) is pushed into queue 0 or into a list of its queue set, which has one
// list per level. Lists continue in memory when the set is full. One SM is examined per cycle, and at most one thread
// block is placed. An item that finds neither a slot nor a memory request is parked, which blocks further pushes.
//
// Cost of one more unit of each parameter (docs/blocks/laperm.md, "Area"):
//   NumSm        one queue set per ClusterSize SMs, and the number of a backup set
//   ClusterSize  divides the number of queue sets
//   LvlMax       one list in every set: head, tail, position, and counts of entries in memory and being read back
//   BankDepth    one entry (165 bits at the defaults) and one link in every set
//   NumKd        one entry of queue 0, the needs of one kernel, and the count of its items
//   OvfW         2 bits of every list
//   RefillMax    the numbers of a set and a list; one bit of every count when a power of two is exceeded
//   QcntW        one bit of every kernel
//   AgeiW        one bit of every entry
//   CntW         one bit of every entry, and of every list's position
//   DimW         one bit of every entry
//   ParamW       one bit of every entry
module castor_laperm #(
  parameter int unsigned NumSm       = 13,   // SMs, 2..32
  parameter int unsigned ClusterSize = 1,    // SMs that share a queue set: 1, 2 or 4
  parameter int unsigned LvlMax      = 4,    // levels of dynamic thread blocks, 1..15
  parameter int unsigned BankDepth   = 128,  // entries of a queue set, 2..256
  parameter int unsigned NumKd       = 32,   // entries of the kernel table, 2..256
  parameter int unsigned OvfW        = 18,   // bits of an index into a list in memory, 2..20
  parameter int unsigned RefillMax   = 4,    // outstanding reads from the lists in memory, 1..8
  parameter int unsigned QcntW       = 20,   // bits of the count of waiting items of a kernel, 2..24
  parameter int unsigned AgeiW       = 32,   // bits of a group reference, 1..64
  parameter int unsigned CntW        = 32,  // bits of a number of thread blocks, 1..64
  parameter int unsigned DimW        = 64,  // bits of the dimensions of an item, 1..64
  parameter int unsigned ParamW      = 32,  // bits of a parameter address, 1..64
  localparam int unsigned NumSets    = (NumSm + ClusterSize - 1) / ClusterSize,
  localparam int unsigned NumLists   = NumSets * LvlMax,
  localparam int unsigned SmWidth    = $clog2(NumSm),
  localparam int unsigned KdWidth    = $clog2(NumKd),
  localparam int unsigned ListWidth  = (NumLists > 1) ? $clog2(NumLists) : 1,
  localparam int unsigned EntryWidth = KdWidth + AgeiW + CntW + DimW + ParamW
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Static configuration: may change only while no item waits and none is pushed.
  input  logic [1:0] policy_i,    // 1 TB-Pri, 2 SMX-Bind, 3 Adaptive-Bind; 0 acts as 3
  input  logic [4:0] ovf_log2_i,  // log2 of the entries of a list in memory; 0: no lists in memory

  // Items (kernels and groups) that are pushed.
  input  logic               push_valid_i,  // an item (kernel or group) is pushed
  output logic               push_ready_o,  // the item is accepted
  input  logic [KdWidth-1:0] push_kd_i,     // kernel table entry of the item
  input  logic [AgeiW-1:0]   push_agei_i,   // group reference; all ones: the item is a kernel
  input  logic [CntW-1:0]    push_cnt_i,    // number of thread blocks of the item
  input  logic [DimW-1:0]    push_dim_i,    // dimensions of the item: {z 16, y 16, x 32}
  input  logic [ParamW-1:0]  push_param_i,  // address of the item's parameters
  input  logic [3:0]         push_level_i,  // level of the item, 0: from the host; above LvlMax: LvlMax
  input  logic [SmWidth-1:0] push_sm_i,     // SM of the direct parent
  input  logic [6:0]         push_warps_i,  // warps that a thread block of the kernel needs
  input  logic [9:0]         push_regs_i,   // units of registers that it needs
  input  logic [9:0]         push_smem_i,   // units of shared memory that it needs

  // Free resources of the SM that is examined.
  output logic [SmWidth-1:0] scan_sm_o,     // SM that is examined in this cycle
  input  logic               room_open_i,   // scan_sm may accept thread blocks
  input  logic [5:0]         room_slots_i,  // free thread block slots of scan_sm
  input  logic [6:0]         room_warps_i,  // free warps of scan_sm
  input  logic [9:0]         room_regs_i,   // free units of registers of scan_sm
  input  logic [9:0]         room_smem_i,   // free units of shared memory of scan_sm
  input  logic [NumKd-1:0]   kd_ok_i,       // the kernel may have one more thread block on scan_sm

  // Placement of thread blocks, and events.
  output logic               pl_valid_o,   // a thread block is offered
  input  logic               pl_taken_i,   // the offered thread block is placed
  output logic [SmWidth-1:0] pl_sm_o,      // SM of the offered thread block
  output logic [KdWidth-1:0] pl_kd_o,      // kernel table entry of the offered thread block
  output logic [AgeiW-1:0]   pl_agei_o,    // group of the offered thread block; all ones: of a kernel
  output logic [3:0]         pl_level_o,   // level of the offered thread block
  output logic [CntW-1:0]    pl_pos_o,     // position of the thread block in its kernel or group
  output logic               pl_last_o,    // last thread block of its kernel or group
  output logic [DimW-1:0]    pl_dim_o,     // dimensions of the kernel or group
  output logic [ParamW-1:0]  pl_param_o,   // address of the parameters of the kernel or group
  output logic [1:0]         ev_stage_o,   // stage of the candidate; 0: no candidate
  output logic               ev_backup_o,  // stage 3 has chosen another backup set
  output logic               ev_starve_o,  // all items of the SM's own queue set are in memory

  // Memory port of the lists in memory.
  output logic                  mem_valid_o,   // memory request
  input  logic                  mem_ready_i,   // the memory request is accepted
  output logic                  mem_we_o,      // 1: write, 0: read
  output logic [ListWidth-1:0]  mem_list_o,    // list in memory that is accessed
  output logic [OvfW-1:0]       mem_idx_o,     // entry of the list that is accessed
  output logic [EntryWidth-1:0] mem_wdata_o,   // data of a write: {kd, agei, cnt, dim, param}; read: 0
  input  logic                  mem_rvalid_i,  // reply to the oldest outstanding read
  input  logic [EntryWidth-1:0] mem_rdata_i,   // entry that was read

  output logic [NumKd-1:0] hold_o,        // the kernel has waiting items; it must not be released
  output logic             waiting_o,     // an item waits
  output logic             ready_o,       // an item waits on chip
  output logic [NumSm-1:0] fits_head_o,   // last examination of the SM: no candidate, or a fitting one
  output logic [NumSm-1:0] bound_wait_o,  // the SM's queue set has items; 0 under TB-Pri
  output logic [1:0]       err_o          // bit 0 illegal push, bit 1 reply without a read
);
  if (NumSm < 2 || NumSm > 32) begin : gen_bad_num_sm
    $error("castor_laperm: NumSm must be 2..32");
  end
  if (ClusterSize != 1 && ClusterSize != 2 && ClusterSize != 4) begin : gen_bad_cluster_size
    $error("castor_laperm: ClusterSize must be 1, 2 or 4");
  end
  if (LvlMax < 1 || LvlMax > 15) begin : gen_bad_lvl_max
    $error("castor_laperm: LvlMax must be 1..15");
  end
  if (BankDepth < 2 || BankDepth > 256) begin : gen_bad_bank_depth
    $error("castor_laperm: BankDepth must be 2..256");
  end
  if (NumKd < 2 || NumKd > 256) begin : gen_bad_num_kd
    $error("castor_laperm: NumKd must be 2..256");
  end
  if (OvfW < 2 || OvfW > 20) begin : gen_bad_ovf_w
    $error("castor_laperm: OvfW must be 2..20");
  end
  if (RefillMax < 1 || RefillMax > 8) begin : gen_bad_refill_max
    $error("castor_laperm: RefillMax must be 1..8");
  end
  if (QcntW < 2 || QcntW > 24) begin : gen_bad_qcnt_w
    $error("castor_laperm: QcntW must be 2..24");
  end
  if (AgeiW < 1 || AgeiW > 64 || CntW < 1 || CntW > 64 || DimW < 1 || DimW > 64 || ParamW < 1 || ParamW > 64)
  begin : gen_bad_width
    $error("castor_laperm: AgeiW, CntW, DimW and ParamW must be 1..64");
  end

  localparam int unsigned SetWidth     = (NumSets > 1) ? $clog2(NumSets) : 1;
  localparam int unsigned NumKdPow2    = 2 ** KdWidth;
  localparam int unsigned NumSmPow2    = 2 ** SmWidth;
  localparam int unsigned NumSetsPow2  = 2 ** SetWidth;
  localparam int unsigned NumListsPow2 = 2 ** ListWidth;
  localparam int unsigned ClusterShift = $clog2(ClusterSize);
  localparam logic [QcntW-1:0] MaxItems = {QcntW{1'b1}};

  logic one_set, adaptive;  // one_set: policy TB-Pri; adaptive: policy Adaptive-Bind

  assign one_set  = (policy_i == castor_laperm_pkg::TbPri);
  assign adaptive = (policy_i != castor_laperm_pkg::TbPri) && (policy_i != castor_laperm_pkg::SmxBind);

  // ---------------------------------------------------------------------------------------------------------------
  // Candidate: the item whose next thread block may be offered in this cycle.
  // Lists with entries: listed: on chip, stored: in memory, coming: being read back from memory.
  // Sets: has: with entries on chip, busy: with entries anywhere, full: without a free slot, room: with a free slot.
  logic [NumLists-1:0]       listed, stored, coming;
  logic [NumSets-1:0]        has, busy, full, room;
  logic                      host_empty, host_full, cand_host;
  castor_laperm_pkg::stage_e stage;
  logic [SetWidth-1:0]       cand_set;
  logic [ListWidth-1:0]      cand_list;
  logic [3:0]                cand_level;
  logic [EntryWidth-1:0]     host_head, list_head, head;
  // Next thread block of: host_pos_q: the head of queue 0, list_pos: the head of the list, pos: the candidate.
  logic [CntW-1:0]           host_pos_q, list_pos, pos, cnt;
  logic [KdWidth-1:0]        kd;
  logic [AgeiW-1:0]          agei;
  logic [DimW-1:0]           dim;
  logic [ParamW-1:0]         param;
  logic [6:0]                need_warps;
  logic [9:0]                need_regs, need_smem;
  logic [NumKdPow2-1:0]      kd_ok;
  logic                      fits, last;

  always_comb begin
    for (int unsigned c = 0; c < NumSets; c++) begin
      busy[c] = has[c] || (stored[c*LvlMax +: LvlMax] != '0) || (coming[c*LvlMax +: LvlMax] != '0);
    end
  end

  castor_laperm_select #(
    .NumSm       (NumSm),
    .ClusterSize (ClusterSize),
    .LvlMax      (LvlMax)
  ) u_select (
    .clk_i,
    .rst_ni,
    .one_set_i    (one_set),
    .adaptive_i   (adaptive),
    .waiting_i    (waiting_o),
    .room_open_i,
    .listed_i     (listed),
    .has_i        (has),
    .busy_i       (busy),
    .host_empty_i (host_empty),
    .sm_o         (scan_sm_o),
    .stage_o      (stage),
    .host_o       (cand_host),
    .set_o        (cand_set),
    .level_o      (cand_level),
    .list_o       (cand_list),
    .backup_o     (ev_backup_o),
    .starve_o     (ev_starve_o),
    .fits_i       (fits),
    .fit_o        (fits_head_o)
  );

  assign head                        = cand_host ? host_head : list_head;
  assign pos                         = cand_host ? host_pos_q : list_pos;
  assign {kd, agei, cnt, dim, param} = head;
  assign kd_ok                       = NumKdPow2'(kd_ok_i);
  assign last                        = (pos + 1'b1 == cnt);
  assign fits = (stage != castor_laperm_pkg::StageNone) && (room_slots_i != '0) && (room_warps_i >= need_warps) &&
                (room_regs_i >= need_regs) && (room_smem_i >= need_smem) && kd_ok[kd];

  assign ev_stage_o = stage;
  assign pl_valid_o = fits;
  assign pl_sm_o    = fits ? scan_sm_o : '0;
  assign pl_kd_o    = fits ? kd : '0;
  assign pl_agei_o  = fits ? agei : '0;
  assign pl_level_o = (fits && !cand_host) ? cand_level : '0;
  assign pl_pos_o   = fits ? pos : '0;
  assign pl_last_o  = fits && last;
  assign pl_dim_o   = fits ? dim : '0;
  assign pl_param_o = fits ? param : '0;

  // ---------------------------------------------------------------------------------------------------------------
  // Placement of the offered thread block. A pop removes an item after its last thread block.
  logic place, pop, list_pop;

  assign place    = fits && pl_taken_i;
  assign pop      = place && last;
  assign list_pop = pop && !cand_host;

  // ---------------------------------------------------------------------------------------------------------------
  // The item that is to be queued: the parked item or, if there is none, the item pushed now.
  logic                    pk_v_q;  // an item is parked: it could be neither queued nor written to memory yet
  logic [EntryWidth-1:0]   pk_entry_q, entry;  // entry of the parked item
  logic [3:0]              pk_level_q, pushed_level, level;  // level of the parked item
  logic [SmWidth-1:0]      pk_sm_q, sm;  // SM of the direct parent of the parked item
  logic [QcntW-1:0]        push_items;
  logic                    push, push_bad, push_good, item, park;
  logic                    host_put, dynamic, over, insert, written, land;
  logic [SetWidth-1:0]     set, land_set;
  logic [ListWidth-1:0]    list, land_list;
  logic [EntryWidth-1:0]   land_entry;
  logic [NumSetsPow2-1:0]  fulls;
  logic [NumLists-1:0]     older;
  logic [NumListsPow2-1:0] olders;
  logic [NumKdPow2-1:0]    kds;
  logic [NumSmPow2-1:0]    sms;
  logic                    fetch, bad_reply;
  logic [SetWidth-1:0]     fetch_set;

  // Kernel table entries and SMs that exist.
  assign kds = NumKdPow2'({NumKd{1'b1}});
  assign sms = NumSmPow2'({NumSm{1'b1}});

  assign push_ready_o = !pk_v_q;
  assign push         = push_valid_i && !pk_v_q;
  assign push_bad     = push && ((push_cnt_i == '0) || !kds[push_kd_i] ||
                                 ((push_level_i != '0) && !sms[push_sm_i]) ||
                                 (push_items == MaxItems));
  assign push_good    = push && !push_bad;
  assign item         = push_good || pk_v_q;
  assign entry        = pk_v_q ? pk_entry_q : {push_kd_i, push_agei_i, push_cnt_i, push_dim_i, push_param_i};
  assign pushed_level = pk_v_q ? pk_level_q : push_level_i;
  assign sm           = pk_v_q ? pk_sm_q : push_sm_i;
  assign level        = ({1'b0, pushed_level} > 5'(LvlMax)) ? 4'(LvlMax) : pushed_level;
  assign set          = one_set ? '0 : SetWidth'(sm >> ClusterShift);
  assign list         = ListWidth'(set) * ListWidth'(LvlMax) + ListWidth'(level) - 1'b1;

  // A list is first in, first out: while older items of the list are in memory or being read back, a new item goes to
  // memory, too. One entry is inserted on chip per cycle; an entry read from memory has priority over a pushed item.
  assign fulls    = NumSetsPow2'(full);
  assign older    = stored | coming;
  assign olders   = NumListsPow2'(older);
  assign host_put = item && (level == '0) && !host_full;
  assign dynamic  = item && (level != '0);
  assign over     = olders[list] || fulls[set];
  assign insert   = dynamic && !over && !land;
  assign park     = item && !host_put && !insert && !written;

  // ---------------------------------------------------------------------------------------------------------------
  // Queue 0, the lists of the queue sets, and their counts.
  castor_fifo #(
    .Width (EntryWidth),
    .Depth (NumKd)
  ) u_host (
    .clk_i,
    .rst_ni,
    .clear_i (1'b0),
    .push_i  (host_put),
    .data_i  (entry),
    .pop_i   (pop && cand_host),
    .data_o  (host_head),
    .empty_o (host_empty),
    .full_o  (host_full),
    .count_o ()
  );

  castor_laperm_lists #(
    .NumLists (NumLists),
    .NumSlots (NumSets * BankDepth),
    .Width    (EntryWidth),
    .CntW     (CntW)
  ) u_lists (
    .clk_i,
    .rst_ni,
    .listed_o       (listed),
    .list_i         (cand_list),
    .head_o         (list_head),
    .pos_o          (list_pos),
    .step_i         (place && !last && !cand_host),
    .pop_i          (list_pop),
    .append_i       (land || insert),
    .append_list_i  (land ? land_list : list),
    .append_entry_i (land ? land_entry : entry)
  );

  castor_laperm_sets #(
    .NumSets   (NumSets),
    .BankDepth (BankDepth),
    .RefillMax (RefillMax)
  ) u_sets (
    .clk_i,
    .rst_ni,
    .one_set_i    (one_set),
    .insert_i     (insert),
    .insert_set_i (set),
    .land_i       (land),
    .land_set_i   (land_set),
    .pop_i        (list_pop),
    .pop_set_i    (cand_set),
    .fetch_i      (fetch),
    .fetch_set_i  (fetch_set),
    .has_o        (has),
    .full_o       (full),
    .room_o       (room)
  );

  castor_laperm_memory #(
    .NumSets   (NumSets),
    .LvlMax    (LvlMax),
    .OvfW      (OvfW),
    .RefillMax (RefillMax),
    .Width     (EntryWidth)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .ovf_log2_i,
    .item_valid_i (dynamic && over),
    .item_list_i  (list),
    .item_entry_i (entry),
    .item_taken_o (written),
    .room_i       (room),
    .fetch_o      (fetch),
    .fetch_set_o  (fetch_set),
    .stored_o     (stored),
    .coming_o     (coming),
    .land_valid_o (land),
    .land_set_o   (land_set),
    .land_list_o  (land_list),
    .land_entry_o (land_entry),
    .mem_valid_o,
    .mem_ready_i,
    .mem_we_o,
    .mem_list_o,
    .mem_idx_o,
    .mem_wdata_o,
    .mem_rvalid_i,
    .mem_rdata_i,
    .bad_reply_o  (bad_reply)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // By kernel: number of waiting items, and resources that a thread block needs.
  castor_laperm_counts #(
    .Num   (NumKd),
    .Width (QcntW)
  ) u_items (
    .clk_i,
    .rst_ni,
    .up_i       (push_good),
    .up_idx_i   (push_kd_i),
    .up_count_o (push_items),
    .down_i     (pop),
    .down_idx_i (kd),
    .some_o     (hold_o)
  );

  castor_table_1r1w #(
    .Width (27),
    .Depth (NumKd)
  ) u_need (
    .clk_i,
    .we_i    (push_good),
    .waddr_i (push_kd_i),
    .wdata_i ({push_warps_i, push_regs_i, push_smem_i}),
    .raddr_i (kd),
    .rdata_o ({need_warps, need_regs, need_smem})
  );

  // ---------------------------------------------------------------------------------------------------------------
  logic [1:0] err_q;  // errors of the last cycle

  assign waiting_o = (hold_o != '0);
  assign ready_o   = !host_empty || (has != '0);
  assign err_o     = err_q;

  always_comb begin
    for (int unsigned s = 0; s < NumSm; s++) begin
      bound_wait_o[s] = busy[s / ClusterSize] && !one_set;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      host_pos_q <= '0;
      pk_v_q     <= 1'b0;
      pk_entry_q <= '0;
      pk_level_q <= '0;
      pk_sm_q    <= '0;
      err_q      <= '0;
    end else begin
      err_q <= {bad_reply, push_bad};
      if (place && cand_host) begin
        host_pos_q <= last ? '0 : host_pos_q + 1'b1;
      end
      pk_v_q <= park;
      if (park) begin
        pk_entry_q <= entry;
        pk_level_q <= pushed_level;
        pk_sm_q    <= sm;
      end
    end
  end
endmodule
