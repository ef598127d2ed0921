// Laxity engine of the command processor: counts the remaining work of each job, measures how fast thread blocks of
// each kernel type complete, admits jobs that can meet their deadline, and ranks jobs for the parse lanes and the
// dispatcher (docs/blocks/lax.md). All tables and queues are instantiated in this module: memory macros are inserted in
// one place, and probes and properties see the signals between the parts.
//
// Cost of one more unit of each parameter (docs/blocks/lax.md, "Area"):
//   NumQueues   623 bits of tables and flip-flops at the defaults, and gates of every vector over queues
//   MaxKt       log2(NumKt) + 24 bits in every queue's work list
//   NumKt       371 bits of tables; 32 instead of 16 kernel types cost 2 kGE
//   SelWidth    one comparison of keys: 8 instead of 1 cost 7 kGE, 32 instead of 8 cost 26 kGE. A selection pass takes
//               NumQueues / SelWidth cycles
//   VqDepth     one verdict, and the queue number of one waiting job
//   ParseLanes  nothing: it is only reported in a register
module castor_lax #(
  parameter int unsigned NumQueues  = 128,  // compute queues, one job each: a power of two, 4..256
  parameter int unsigned MaxKt      = 8,    // kernel types in the work list of one job, 1..16
  parameter int unsigned NumKt      = 64,   // kernel types in the profiling table, 1..256
  parameter int unsigned SelWidth   = 16,   // queues compared per cycle: a power of two, 1..NumQueues
  parameter int unsigned VqDepth    = 32,   // entries of the queues of verdicts and of jobs awaiting admission, 4..256
  parameter int unsigned ParseLanes = 4,    // parse lanes of the command processor, 1..8; only reported in a register
  localparam int unsigned QidWidth = $clog2(NumQueues)
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  input  logic [47:0] now_i,  // GPU cycle counter

  input  logic                js_valid_i,     // the header of a job is submitted
  output logic                js_ready_o,     // the header is accepted
  input  logic [QidWidth-1:0] js_qid_i,       // queue of the job
  input  logic [31:0]         js_deadline_i,  // deadline, cycles from the job's start; all ones: none
  input  logic [47:0]         js_start_i,     // time at which the job was enqueued (its start)
  input  logic [4:0]          js_nkt_i,       // number of list beats that follow
  input  logic                js_append_i,    // the list is added to the queue's live job
  input  logic                js_fits_i,      // the job's first kernel would fit entirely now
  input  logic                wl_valid_i,     // a list beat is submitted
  output logic                wl_ready_o,     // the list beat is accepted
  input  logic [7:0]          wl_kid_i,       // kernel type of the beat
  input  logic [23:0]         wl_numwg_i,     // number of TBs of the beat
  input  logic                wl_last_i,      // last beat of the header

  output logic                adm_valid_o,   // a verdict on a submission is available
  input  logic                adm_ready_i,   // the verdict is accepted
  output logic [QidWidth-1:0] adm_qid_o,     // queue of the verdict
  output logic                adm_accept_o,  // 1: the submission is accepted, 0: refused
  output logic [2:0]          adm_reason_o,  // reason code of the verdict
  output logic [31:0]         adm_est_o,     // estimated completion of the job, cycles

  input  logic                ks_valid_i,   // the first TB of a kernel is placed
  input  logic [QidWidth-1:0] ks_qid_i,     // queue of that kernel
  input  logic [7:0]          ks_kid_i,     // kernel type of that kernel
  input  logic                ki_valid_i,   // all TBs of a kernel are issued
  input  logic [QidWidth-1:0] ki_qid_i,     // queue of that kernel
  input  logic                wgc_valid_i,  // a TB completes
  input  logic [QidWidth-1:0] wgc_qid_i,    // queue of that TB
  input  logic [7:0]          wgc_kid_i,    // kernel type of that TB
  input  logic                kd_valid_i,   // a kernel completes
  input  logic [QidWidth-1:0] kd_qid_i,     // queue of that kernel
  input  logic [7:0]          kd_kid_i,     // kernel type, as given at its first TB
  input  logic                kd_last_i,    // last kernel of the job: the job is done

  input  logic [NumQueues-1:0] pe_vec_i,      // queues with a kernel to parse
  output logic                 psel_valid_o,  // a queue is offered to the parse lanes
  output logic [QidWidth-1:0]  psel_qid_o,    // queue offered to the parse lanes
  input  logic                 psel_grant_i,  // a parse lane accepts the offered queue
  input  logic [NumQueues-1:0] de_vec_i,      // queues with a TB that fits now
  input  logic [NumQueues-1:0] df_vec_i,      // queues with a TB that does not fit now
  output logic                 dsel_valid_o,  // a queue is offered to the dispatcher
  output logic [QidWidth-1:0]  dsel_qid_o,    // queue offered to the dispatcher
  input  logic                 dsel_grant_i,  // one TB of the offered queue is issued
  output logic [NumQueues-1:0] pre_vec_o,     // queues whose job is to be preempted (PREMA)

  output logic                jd_valid_o,  // a job ended; one cycle after its last kd
  output logic [QidWidth-1:0] jd_qid_o,    // queue of the job that ended
  output logic                jd_met_o,    // the job met its deadline
  output logic [31:0]         jd_lat_o,    // latency of the job, cycles
  output logic                upd_busy_o,  // a periodic update is running
  output logic                irq_o,       // an enabled interrupt is pending

  input  logic        reg_req_i,    // register access; held until reg_ack
  input  logic        reg_we_i,     // 1: write, 0: read
  input  logic [15:0] reg_addr_i,   // byte address of the register
  input  logic [31:0] reg_wdata_i,  // data of a write
  output logic        reg_ack_o,    // the register access ends
  output logic [1:0]  reg_err_o,    // 0 good, 1 address error, 2 refused
  output logic [31:0] reg_rdata_o   // data of a read
);
  if (NumQueues < 4 || NumQueues > 256 || NumQueues != 2 ** $clog2(NumQueues)) begin : gen_bad_num_queues
    $error("castor_lax: NumQueues must be a power of two, 4..256");
  end
  if (MaxKt < 1 || MaxKt > 16) begin : gen_bad_max_kt
    $error("castor_lax: MaxKt must be 1..16");
  end
  if (NumKt < 1 || NumKt > 256) begin : gen_bad_num_kt
    $error("castor_lax: NumKt must be 1..256");
  end
  if (SelWidth < 1 || SelWidth > NumQueues || SelWidth != 2 ** $clog2(SelWidth)) begin : gen_bad_sel_width
    $error("castor_lax: SelWidth must be a power of two, 1..NumQueues");
  end
  if (VqDepth < 4 || VqDepth > 256) begin : gen_bad_vq_depth
    $error("castor_lax: VqDepth must be 4..256");
  end
  if (ParseLanes < 1 || ParseLanes > 8) begin : gen_bad_parse_lanes
    $error("castor_lax: ParseLanes must be 1..8");
  end

  localparam int unsigned KidWidth      = (NumKt > 1) ? $clog2(NumKt) : 1;
  localparam int unsigned ListWidth     = MaxKt * (KidWidth + 24) + 5;
  localparam int unsigned InflightWidth = QidWidth + 1;
  localparam int unsigned NumGroups     = NumQueues / SelWidth;
  localparam int unsigned GroupWidth    = (NumGroups > 1) ? $clog2(NumGroups) : 1;
  localparam int unsigned VqCountWidth  = $clog2(VqDepth + 1);
  localparam int unsigned DqCountWidth  = $clog2(NumQueues + 1);
  localparam int unsigned VerdictWidth  = QidWidth + 36;

  // ---------------------------------------------------------------------------------------------------------------
  // Signals between the parts. A name that ends with _q is an output that comes directly from a register of a part.
  castor_lax_pkg::config_t config_q;
  castor_lax_pkg::main_e   f_q;
  castor_lax_pkg::phase_e  ph_q;
  castor_lax_pkg::submit_e sub_q;
  logic                    soft_rst;
  logic [KidWidth-1:0]     k_q;
  logic [QidWidth-1:0]     q_q;
  logic [39:0]             tot_q;
  logic [23:0]             utmr_q, ptmr_q;
  logic [GroupWidth-1:0]   g_q;
  logic [NumQueues-1:0]    st0_q, st1_q, st2_q, open_q, pre_q;
  logic [VqCountWidth-1:0] verdict_count, pend_count;
  logic [DqCountWidth-1:0] done_count;

  logic f_idle, f_visit, prema;

  assign f_idle     = (f_q == castor_lax_pkg::Idle);
  assign f_visit    = (f_q == castor_lax_pkg::VOpen) || (f_q == castor_lax_pkg::VMac) ||
                      (f_q == castor_lax_pkg::VAcc) || (f_q == castor_lax_pkg::VKey) ||
                      (f_q == castor_lax_pkg::VDiv) || (f_q == castor_lax_pkg::VTok);
  assign prema      = (config_q.policy == castor_lax_pkg::PolicyPrema);
  assign upd_busy_o = (f_q == castor_lax_pkg::KOpen) || (f_q == castor_lax_pkg::KMul) ||
                      (f_q == castor_lax_pkg::KDiv) || (f_q == castor_lax_pkg::KWb) ||
                      (f_visit && ph_q == castor_lax_pkg::PhUpd);
  assign pre_vec_o  = pre_q;

  // ---------------------------------------------------------------------------------------------------------------
  // FIFO queues of verdicts, of jobs that await admission, and of finished jobs.
  logic                    main_verdict, main_accept, submit_verdict, verdict_push, verdict_pop, reg_verdict_pop;
  logic                    verdict_empty, verdict_accept, space;
  logic [2:0]              main_reason, submit_reason, verdict_reason;
  logic [31:0]             main_est, verdict_est;
  logic [QidWidth-1:0]     verdict_qid, submit_qid;
  logic [VerdictWidth-1:0] verdict_data, verdict_head;
  logic                    pend_push, pend_pop, pend_empty;
  logic [QidWidth-1:0]     pend_qid;
  logic                    done_push, done_pop, done_empty, done_full, done_met;
  logic [QidWidth-1:0]     done_qid;
  logic                    job_done, job_met;

  // Main machine and submit machine never push a verdict in the same cycle.
  assign verdict_push = main_verdict || submit_verdict;
  assign verdict_data = main_verdict ? {q_q, main_accept, main_reason, main_est}
                                     : {submit_qid, submit_reason == castor_lax_pkg::ReasonOk, submit_reason, 32'b0};
  assign verdict_pop  = (adm_ready_i && !verdict_empty) || reg_verdict_pop;
  assign {verdict_qid, verdict_accept, verdict_reason, verdict_est} = verdict_head;
  assign space        = (10'(verdict_count) + 10'(pend_count) + 10'd2 <= 10'(VqDepth));

  assign adm_valid_o  = !verdict_empty;
  assign adm_qid_o    = verdict_qid;
  assign adm_accept_o = verdict_accept;
  assign adm_reason_o = verdict_reason;
  assign adm_est_o    = verdict_est;

  castor_fifo #(
    .Width (VerdictWidth),
    .Depth (VqDepth)
  ) u_verdicts (
    .clk_i,
    .rst_ni,
    .clear_i (soft_rst),
    .push_i  (verdict_push),
    .data_i  (verdict_data),
    .pop_i   (verdict_pop),
    .data_o  (verdict_head),
    .empty_o (verdict_empty),
    .full_o  (),
    .count_o (verdict_count)
  );

  castor_fifo #(
    .Width (QidWidth),
    .Depth (VqDepth)
  ) u_pend (
    .clk_i,
    .rst_ni,
    .clear_i (soft_rst),
    .push_i  (pend_push),
    .data_i  (submit_qid),
    .pop_i   (pend_pop),
    .data_o  (pend_qid),
    .empty_o (pend_empty),
    .full_o  (),
    .count_o (pend_count)
  );

  assign done_push = job_done && (!done_full || done_pop);

  castor_fifo #(
    .Width (QidWidth + 1),
    .Depth (NumQueues)
  ) u_done (
    .clk_i,
    .rst_ni,
    .clear_i (soft_rst),
    .push_i  (done_push),
    .data_i  ({job_met, kd_qid_i}),
    .pop_i   (done_pop),
    .data_o  ({done_met, done_qid}),
    .empty_o (done_empty),
    .full_o  (done_full),
    .count_o (done_count)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Tables with one entry per compute queue. While the main machine is idle, register accesses read and write them.
  logic [QidWidth-1:0]     reg_qid, table_qid;
  logic [ListWidth-1:0]    table_list, event_list, wgc_list, submit_list;
  logic                    wgc_list_we, submit_list_we, new_job, rec_we, iso_we, token_we, qprio_we, main_key_we;
  castor_lax_pkg::job_t    table_job, kd_job, new_job_entry;
  castor_lax_pkg::rec_t    table_rec, rec_wdata;
  castor_lax_pkg::key_t    table_key, main_key;
  logic [31:0]             table_iso, iso_wdata, qprio_entry, table_qprio;
  logic [23:0]             table_token, token_wdata, wgc_done, wgc_done_new, kd_done;
  logic [15:0]             table_seq;
  logic [NumQueues-1:0]    qprio_set_q, qprio_set_d;  // queues whose external priority was written

  assign table_qid = f_idle ? reg_qid : q_q;

  castor_table_2r1w #(
    .Width (ListWidth),
    .Depth (NumQueues)
  ) u_list (
    .clk_i,
    .we_i      (wgc_list_we || submit_list_we),
    .waddr_i   (wgc_list_we ? wgc_qid_i : submit_qid),
    .wdata_i   (wgc_list_we ? wgc_list : submit_list),
    .raddr_a_i (table_qid),
    .rdata_a_o (table_list),
    .raddr_b_i (wgc_valid_i ? wgc_qid_i : submit_qid),
    .rdata_b_o (event_list)
  );

  castor_table_2r1w #(
    .Width (castor_lax_pkg::JobWidth),
    .Depth (NumQueues)
  ) u_job (
    .clk_i,
    .we_i      (new_job),
    .waddr_i   (submit_qid),
    .wdata_i   (new_job_entry),
    .raddr_a_i (table_qid),
    .rdata_a_o (table_job),
    .raddr_b_i (kd_qid_i),
    .rdata_b_o (kd_job)
  );

  castor_table_2r1w #(
    .Width (24),
    .Depth (NumQueues)
  ) u_wgdone (
    .clk_i,
    .we_i      (wgc_list_we || new_job),
    .waddr_i   (wgc_list_we ? wgc_qid_i : submit_qid),
    .wdata_i   (wgc_list_we ? wgc_done_new : 24'd0),
    .raddr_a_i (wgc_qid_i),
    .rdata_a_o (wgc_done),
    .raddr_b_i (kd_qid_i),
    .rdata_b_o (kd_done)
  );

  castor_table_1r1w #(
    .Width (castor_lax_pkg::RecWidth),
    .Depth (NumQueues)
  ) u_rec (
    .clk_i,
    .we_i    (rec_we),
    .waddr_i (q_q),
    .wdata_i (rec_wdata),
    .raddr_i (table_qid),
    .rdata_o (table_rec)
  );

  castor_table_1r1w #(
    .Width (32),
    .Depth (NumQueues)
  ) u_iso (
    .clk_i,
    .we_i    (iso_we),
    .waddr_i (q_q),
    .wdata_i (iso_wdata),
    .raddr_i (q_q),
    .rdata_o (table_iso)
  );

  castor_table_1r1w #(
    .Width (24),
    .Depth (NumQueues)
  ) u_token (
    .clk_i,
    .we_i    (token_we),
    .waddr_i (q_q),
    .wdata_i (token_wdata),
    .raddr_i (q_q),
    .rdata_o (table_token)
  );

  castor_table_1r1w #(
    .Width (32),
    .Depth (NumQueues)
  ) u_qprio (
    .clk_i,
    .we_i    (qprio_we),
    .waddr_i (reg_qid),
    .wdata_i (reg_wdata_i),
    .raddr_i (table_qid),
    .rdata_o (qprio_entry)
  );

  // External priorities read as 0 until they are written. A soft reset keeps them.
  assign table_qprio = qprio_set_q[table_qid] ? qprio_entry : '0;

  always_comb begin
    qprio_set_d = qprio_set_q;
    if (qprio_we) begin
      qprio_set_d[reg_qid] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      qprio_set_q <= '0;
    end else begin
      qprio_set_q <= qprio_set_d;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Submit machine: headers and work lists of jobs.
  logic [2:0]                           submit_st;
  logic [castor_lax_pkg::NumErrors-1:0] submit_err;
  logic                                 taken;

  castor_lax_submit #(
    .NumQueues (NumQueues),
    .MaxKt     (MaxKt),
    .NumKt     (NumKt)
  ) u_submit (
    .clk_i,
    .rst_ni,
    .soft_rst_i (soft_rst),
    .enable_i   (config_q.enable),
    .space_i    (space),
    .wgc_valid_i,
    .main_key_i (f_q == castor_lax_pkg::VKey),
    .js_valid_i,
    .js_ready_o,
    .js_qid_i,
    .js_deadline_i,
    .js_start_i,
    .js_nkt_i,
    .js_append_i,
    .js_fits_i,
    .wl_valid_i,
    .wl_ready_o,
    .wl_kid_i,
    .wl_numwg_i,
    .wl_last_i,
    .sub_o      (sub_q),
    .qid_o      (submit_qid),
    .st_i       (submit_st),
    .list_i     (event_list),
    .list_we_o  (submit_list_we),
    .list_o     (submit_list),
    .new_job_o  (new_job),
    .job_o      (new_job_entry),
    .verdict_o  (submit_verdict),
    .reason_o   (submit_reason),
    .err_o      (submit_err),
    .taken_o    (taken)
  );

  assign pend_push = new_job;

  // ---------------------------------------------------------------------------------------------------------------
  // Profiling table: rates and counters of each kernel type.
  logic [KidWidth-1:0]      reg_kid, main_kid, table_kid;
  logic                     table_valid, table_kt, table_snv, sample, refresh, reg_tpw_we, tpw_iso_we, kpt_clear;
  logic [31:0]              table_tpw, table_tpw_iso, main_tpw;
  castor_lax_pkg::snap_t    table_snap, main_snap;
  logic [23:0]              table_cnt;
  logic [47:0]              table_kact, table_kins, table_t_ref;
  logic [InflightWidth-1:0] table_inflight;
  logic                     ks_ok, wgc_ok, kd_ok, kd_in_flight, cnt_full;

  assign table_kid = f_idle ? reg_kid : main_kid;

  castor_lax_profile #(
    .NumQueues (NumQueues),
    .NumKt     (NumKt)
  ) u_profile (
    .clk_i,
    .rst_ni,
    .soft_rst_i      (soft_rst),
    .now_i,
    .kid_i           (table_kid),
    .valid_o         (table_valid),
    .kt_o            (table_kt),
    .snv_o           (table_snv),
    .tpw_o           (table_tpw),
    .tpw_iso_o       (table_tpw_iso),
    .snap_o          (table_snap),
    .cnt_o           (table_cnt),
    .kact_o          (table_kact),
    .kins_o          (table_kins),
    .t_ref_o         (table_t_ref),
    .inflight_o      (table_inflight),
    .tpw_we_i        (refresh || reg_tpw_we),
    .tpw_wdata_i     (refresh ? main_tpw : ((reg_wdata_i == 32'd0) ? 32'd1 : reg_wdata_i)),
    .snap_we_i       (refresh),
    .snap_wdata_i    (main_snap),
    .tpw_iso_we_i    (tpw_iso_we),
    .tpw_iso_wdata_i (reg_wdata_i),
    .sample_i        (sample),
    .clear_i         (kpt_clear),
    .ks_i            (ks_ok),
    .ks_kid_i        (ks_kid_i[KidWidth-1:0]),
    .wgc_i           (wgc_ok),
    .wgc_kid_i       (wgc_kid_i[KidWidth-1:0]),
    .kd_i            (kd_ok),
    .kd_kid_i        (kd_kid_i[KidWidth-1:0]),
    .kd_in_flight_o  (kd_in_flight),
    .cnt_full_o      (cnt_full)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Timers and main machine.
  logic                upd_pend, upd_take, prema_pend, prema_take, overrun;
  logic                main_st_we, main_st_ready, pre_clear, pre_clear_all, pre_set;
  logic [QidWidth-1:0] pre_set_qid;
  logic                main_drop, upd_done, preempt, e_time, clipped;

  castor_lax_timers u_timers (
    .clk_i,
    .rst_ni,
    .soft_rst_i     (soft_rst),
    .enable_i       (config_q.enable),
    .freeze_i       (config_q.freeze),
    .prema_i        (prema),
    .upd_period_i   (config_q.upd_period),
    .prema_period_i (config_q.prema_period),
    .upd_take_i     (upd_take),
    .prema_take_i   (prema_take),
    .upd_pend_o     (upd_pend),
    .prema_pend_o   (prema_pend),
    .overrun_o      (overrun),
    .utmr_o         (utmr_q),
    .ptmr_o         (ptmr_q)
  );

  logic tab;

  castor_lax_main #(
    .NumQueues (NumQueues),
    .MaxKt     (MaxKt),
    .NumKt     (NumKt)
  ) u_main (
    .clk_i,
    .rst_ni,
    .soft_rst_i      (soft_rst),
    .config_i        (config_q),
    .now_i,
    .tab_i           (tab),
    .space_i         (space),
    .df_vec_i,
    .f_o             (f_q),
    .ph_o            (ph_q),
    .k_o             (k_q),
    .q_o             (q_q),
    .tot_o           (tot_q),
    .upd_pend_i      (upd_pend),
    .upd_take_o      (upd_take),
    .prema_pend_i    (prema_pend),
    .prema_take_o    (prema_take),
    .st0_i           (st0_q),
    .st1_i           (st1_q),
    .st2_i           (st2_q),
    .open_i          (open_q),
    .pre_i           (pre_q),
    .list_i          (table_list),
    .job_i           (table_job),
    .rem_i           (table_rec.rem),
    .iso_i           (table_iso),
    .token_i         (table_token),
    .qprio_i         (table_qprio),
    .rec_we_o        (rec_we),
    .rec_o           (rec_wdata),
    .iso_we_o        (iso_we),
    .iso_o           (iso_wdata),
    .token_we_o      (token_we),
    .token_o         (token_wdata),
    .key_we_o        (main_key_we),
    .key_o           (main_key),
    .st_we_o         (main_st_we),
    .st_ready_o      (main_st_ready),
    .pre_clear_o     (pre_clear),
    .pre_clear_all_o (pre_clear_all),
    .pre_set_o       (pre_set),
    .pre_set_qid_o   (pre_set_qid),
    .kid_o           (main_kid),
    .valid_i         (table_valid),
    .kt_i            (table_kt),
    .tpw_i           (table_tpw),
    .tpw_iso_i       (table_tpw_iso),
    .cnt_i           (table_cnt),
    .kact_i          (table_kact),
    .kins_i          (table_kins),
    .t_ref_i         (table_t_ref),
    .inflight_i      (table_inflight),
    .sample_o        (sample),
    .refresh_o       (refresh),
    .tpw_o           (main_tpw),
    .snap_o          (main_snap),
    .pend_empty_i    (pend_empty),
    .pend_qid_i      (pend_qid),
    .pend_pop_o      (pend_pop),
    .verdict_o       (main_verdict),
    .accept_o        (main_accept),
    .reason_o        (main_reason),
    .est_o           (main_est),
    .drop_o          (main_drop),
    .upd_done_o      (upd_done),
    .preempt_o       (preempt),
    .e_time_o        (e_time),
    .clipped_o       (clipped)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Job states, and events of the dispatcher.
  logic                                 host_ack;
  logic [castor_lax_pkg::NumErrors-1:0] event_err;
  logic [23:0]                          job_useful;

  castor_lax_jobs #(
    .NumQueues (NumQueues),
    .MaxKt     (MaxKt),
    .NumKt     (NumKt)
  ) u_jobs (
    .clk_i,
    .rst_ni,
    .soft_rst_i      (soft_rst),
    .now_i,
    .prema_i         (prema),
    .ks_valid_i,
    .ks_qid_i,
    .ks_kid_i,
    .ki_valid_i,
    .ki_qid_i,
    .wgc_valid_i,
    .wgc_qid_i,
    .wgc_kid_i,
    .kd_valid_i,
    .kd_qid_i,
    .kd_kid_i,
    .kd_last_i,
    .ack_i           (host_ack),
    .ack_qid_i       (reg_qid),
    .main_st_we_i    (main_st_we),
    .main_st_ready_i (main_st_ready),
    .main_qid_i      (q_q),
    .pre_clear_i     (pre_clear),
    .pre_clear_all_i (pre_clear_all),
    .pre_set_i       (pre_set),
    .pre_set_qid_i   (pre_set_qid),
    .submit_init_i   (new_job),
    .submit_qid_i    (submit_qid),
    .submit_st_o     (submit_st),
    .st0_o           (st0_q),
    .st1_o           (st1_q),
    .st2_o           (st2_q),
    .open_o          (open_q),
    .pre_o           (pre_q),
    .wgc_list_i      (event_list),
    .wgc_list_we_o   (wgc_list_we),
    .wgc_list_o      (wgc_list),
    .wgc_done_i      (wgc_done),
    .wgc_done_o      (wgc_done_new),
    .kd_done_i       (kd_done),
    .kd_start_i      (kd_job.start),
    .kd_deadline_i   (kd_job.deadline),
    .ks_ok_o         (ks_ok),
    .wgc_ok_o        (wgc_ok),
    .kd_ok_o         (kd_ok),
    .kd_in_flight_i  (kd_in_flight),
    .err_o           (event_err),
    .job_done_o      (job_done),
    .job_met_o       (job_met),
    .job_useful_o    (job_useful),
    .jd_valid_o,
    .jd_qid_o,
    .jd_met_o,
    .jd_lat_o
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Selection. Under policy EXT a write of an external priority writes the key of a live job in the same cycle.
  logic                 ext_key_we, parse, bad_grant;
  castor_lax_pkg::key_t key_wdata;

  assign ext_key_we = qprio_we && (config_q.policy == castor_lax_pkg::PolicyExt) && !st2_q[reg_qid] && st1_q[reg_qid];
  assign key_wdata  = main_key_we ? main_key : {2'd0, 16'b0, reg_wdata_i};

  castor_lax_select #(
    .NumQueues (NumQueues),
    .SelWidth  (SelWidth)
  ) u_select (
    .clk_i,
    .rst_ni,
    .soft_rst_i    (soft_rst),
    .enable_i      (config_q.enable),
    .preparse_i    (config_q.preparse),
    .policy_i      (config_q.policy),
    .st0_i         (st0_q),
    .st1_i         (st1_q),
    .st2_i         (st2_q),
    .pre_i         (pre_q),
    .key_we_i      (main_key_we || ext_key_we),
    .key_waddr_i   (table_qid),
    .key_wdata_i   (key_wdata),
    .arrival_i     (new_job),
    .arrival_qid_i (submit_qid),
    .raddr_i       (reg_qid),
    .key_rdata_o   (table_key),
    .seq_rdata_o   (table_seq),
    .pe_vec_i,
    .psel_valid_o,
    .psel_qid_o,
    .psel_grant_i,
    .de_vec_i,
    .dsel_valid_o,
    .dsel_qid_o,
    .dsel_grant_i,
    .parse_o       (parse),
    .bad_grant_o   (bad_grant),
    .group_o       (g_q)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Register port, and the errors, interrupts and counter increments of each cycle.
  logic [castor_lax_pkg::NumErrors-1:0]   err;
  logic [castor_lax_pkg::NumIrqs-1:0]     irq;
  logic [castor_lax_pkg::NumCounters-1:0] count;
  logic                                   submit_refused;

  assign submit_refused = submit_verdict && (submit_reason != castor_lax_pkg::ReasonOk);

  always_comb begin
    err = event_err | submit_err;
    err[castor_lax_pkg::ETime]   = e_time;
    err[castor_lax_pkg::EGrant]  = bad_grant;
    err[castor_lax_pkg::EDqFull] = job_done && !done_push;

    irq = '0;
    irq[castor_lax_pkg::IrqReject]   = submit_refused || (main_verdict && !main_accept);
    irq[castor_lax_pkg::IrqDone]     = job_done;
    irq[castor_lax_pkg::IrqLate]     = job_done && !job_met;
    irq[castor_lax_pkg::IrqBusy]     = submit_verdict && (submit_reason == castor_lax_pkg::ReasonBusy);
    irq[castor_lax_pkg::IrqSaturate] = cnt_full || clipped;
    irq[castor_lax_pkg::IrqOverrun]  = overrun;

    count = '0;
    count[castor_lax_pkg::NSubmit]   = taken;
    count[castor_lax_pkg::NAccept]   = (main_verdict && main_accept) || (submit_verdict && !submit_refused);
    count[castor_lax_pkg::NReject]   = (main_verdict && !main_accept && !main_drop) || submit_refused;
    count[castor_lax_pkg::NDone]     = job_done;
    count[castor_lax_pkg::NMet]      = job_done && job_met;
    count[castor_lax_pkg::NLate]     = job_done && !job_met;
    count[castor_lax_pkg::NUpd]      = upd_done;
    count[castor_lax_pkg::NWg]       = wgc_ok;
    count[castor_lax_pkg::NWgUseful] = job_done && job_met;
    count[castor_lax_pkg::NParse]    = parse;
    count[castor_lax_pkg::NPreempt]  = preempt;
    count[castor_lax_pkg::NDrop]     = main_drop;
  end

  castor_lax_registers #(
    .NumQueues  (NumQueues),
    .MaxKt      (MaxKt),
    .NumKt      (NumKt),
    .SelWidth   (SelWidth),
    .ParseLanes (ParseLanes)
  ) u_registers (
    .clk_i,
    .rst_ni,
    .now_i,
    .reg_req_i,
    .reg_we_i,
    .reg_addr_i,
    .reg_wdata_i,
    .reg_ack_o,
    .reg_err_o,
    .reg_rdata_o,
    .irq_o,
    .config_o         (config_q),
    .soft_rst_o       (soft_rst),
    .err_i            (err),
    .irq_i            (irq),
    .count_i          (count),
    .useful_i         (job_useful),
    .f_i              (f_q),
    .ph_i             (ph_q),
    .upd_busy_i       (upd_busy_o),
    .tot_i            (tot_q),
    .st0_i            (st0_q),
    .st1_i            (st1_q),
    .st2_i            (st2_q),
    .verdict_empty_i  (verdict_empty),
    .verdict_qid_i    (verdict_qid),
    .verdict_accept_i (verdict_accept),
    .verdict_reason_i (verdict_reason),
    .adm_ready_i,
    .verdict_pop_o    (reg_verdict_pop),
    .done_empty_i     (done_empty),
    .done_qid_i       (done_qid),
    .done_met_i       (done_met),
    .done_pop_o       (done_pop),
    .tab_o            (tab),
    .qid_o            (reg_qid),
    .kid_o            (reg_kid),
    .list_i           (table_list),
    .start_i          (table_job.start),
    .deadline_i       (table_job.deadline),
    .rec_i            (table_rec),
    .key_i            (table_key),
    .seq_i            (table_seq),
    .qprio_i          (table_qprio),
    .valid_i          (table_valid),
    .snv_i            (table_snv),
    .tpw_i            (table_tpw),
    .tpw_iso_i        (table_tpw_iso),
    .snap_i           (table_snap),
    .cnt_i            (table_cnt),
    .inflight_i       (table_inflight),
    .qprio_we_o       (qprio_we),
    .ack_o            (host_ack),
    .tpw_iso_we_o     (tpw_iso_we),
    .tpw_we_o         (reg_tpw_we),
    .clear_o          (kpt_clear)
  );
endmodule
