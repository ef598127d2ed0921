// Main machine: refresh of rates, priority update, admission, PREMA ranking (docs/blocks/lax.md, "Cycle").
//
// Values of the visited job and of the refreshed kernel type are latched at the start, so later events do not disturb
// the arithmetic. All computations share one multiplier and one divider.
module castor_lax_main #(
  parameter int unsigned NumQueues = 128,
  parameter int unsigned MaxKt     = 8,
  parameter int unsigned NumKt     = 64,
  localparam int unsigned QidWidth      = $clog2(NumQueues),
  localparam int unsigned KidWidth      = (NumKt > 1) ? $clog2(NumKt) : 1,
  localparam int unsigned SlotWidth     = KidWidth + 24,
  localparam int unsigned ListWidth     = MaxKt * SlotWidth + 5,
  localparam int unsigned InflightWidth = QidWidth + 1
) (
  input  logic                    clk_i,       // clock
  input  logic                    rst_ni,      // synchronous reset, active low
  input  logic                    soft_rst_i,  // software resets the engine at this edge
  input  castor_lax_pkg::config_t config_i,    // configuration registers
  input  logic [47:0]             now_i,       // GPU cycle counter
  input  logic                    tab_i,       // a register access uses the tables in this cycle
  input  logic                    space_i,     // the verdict queue has room for one more verdict
  input  logic [NumQueues-1:0]    df_vec_i,    // queues with a TB that does not fit now

  output castor_lax_pkg::main_e   f_o,    // state of the main machine
  output castor_lax_pkg::phase_e  ph_o,   // reason for the visits of queues: update, scan or admission
  output logic [KidWidth-1:0]     k_o,    // kernel type that the main machine works on
  output logic [QidWidth-1:0]     q_o,    // queue that the main machine works on
  output logic [39:0]             tot_o,  // work ahead in the admission pass, cycles

  input  logic                    upd_pend_i,    // an update tick is pending
  output logic                    upd_take_o,    // an update begins: the tick is consumed
  input  logic                    prema_pend_i,  // a PREMA tick is pending
  output logic                    prema_take_o,  // a PREMA ranking begins, which clears the pending PREMA tick

  // Job states at the start of the cycle.
  input  logic [NumQueues-1:0]    st0_i,   // job state of every queue, bit 0
  input  logic [NumQueues-1:0]    st1_i,   // job state of every queue, bit 1
  input  logic [NumQueues-1:0]    st2_i,   // job state of every queue, bit 2
  input  logic [NumQueues-1:0]    open_i,  // queues with a kernel that has started and not completed
  input  logic [NumQueues-1:0]    pre_i,   // queues with a preemption request

  // Table entries of queue q_o, and writes to them.
  input  logic [ListWidth-1:0]    list_i,           // kernel types and TBs left of the job; number of slots on top
  input  castor_lax_pkg::job_t    job_i,            // header of the job: start, deadline, fit
  input  logic [31:0]             rem_i,            // remaining time computed at the last visit, cycles
  input  logic [31:0]             iso_i,            // isolated time of the job, cycles
  input  logic [23:0]             token_i,          // PREMA token of the job, 8 fraction bits
  input  logic [31:0]             qprio_i,          // priority of the queue written by software
  output logic                    rec_we_o,         // rec_o is written
  output castor_lax_pkg::rec_t    rec_o,            // remaining time, duration and laxity of this visit
  output logic                    iso_we_o,         // iso_o is written
  output logic [31:0]             iso_o,            // isolated time of a job that is being admitted
  output logic                    token_we_o,       // token_o is written
  output logic [23:0]             token_o,          // new PREMA token
  output logic                    key_we_o,         // key_o is written
  output castor_lax_pkg::key_t    key_o,            // new selection key
  output logic                    st_we_o,          // the state of the job becomes Ready or Rejected
  output logic                    st_ready_o,       // 1: Ready, 0: Rejected
  output logic                    pre_clear_o,      // the preemption request of q_o ends
  output logic                    pre_clear_all_o,  // all preemption requests end
  output logic                    pre_set_o,        // a preemption request begins
  output logic [QidWidth-1:0]     pre_set_qid_o,    // queue of that preemption request

  // Entry kid_o of the profiling table, and writes to it.
  output logic [KidWidth-1:0]      kid_o,       // VMac: kernel type of the slot; else k_o
  input  logic                     valid_i,     // the kernel type has a rate
  input  logic                     kt_i,        // the kernel type had an event: its window is open
  input  logic [31:0]              tpw_i,       // rate of the kernel type: cycles per TB, 8 fraction bits
  input  logic [31:0]              tpw_iso_i,   // isolated rate: cycles per TB, 8 fraction bits; 0: none
  input  logic [23:0]              cnt_i,       // completions in the open window
  input  logic [47:0]              kact_i,      // active time of the open window, as stored
  input  logic [47:0]              kins_i,      // instance time of the open window, as stored
  input  logic [47:0]              t_ref_i,     // start of the open window
  input  logic [InflightWidth-1:0] inflight_i,  // instances of the kernel type in flight
  output logic                     sample_o,    // KOpen: the counters are sampled and a new window opens
  output logic                     refresh_o,   // KWb: tpw_o and snap_o are written
  output logic [31:0]              tpw_o,       // new rate
  output castor_lax_pkg::snap_t    snap_o,      // counters from which the new rate was computed

  // Queue of jobs that await admission, and queue of verdicts.
  input  logic                pend_empty_i,  // no job awaits admission
  input  logic [QidWidth-1:0] pend_qid_i,    // queue of the oldest job that awaits admission
  output logic                pend_pop_o,    // that job is removed from the queue of waiting jobs
  output logic                verdict_o,     // a verdict on the job of q_o
  output logic                accept_o,      // 1: the job is accepted
  output logic [2:0]          reason_o,      // reason code of the verdict
  output logic [31:0]         est_o,         // estimated completion of the job, cycles; 0 for a drop

  output logic drop_o,      // the verdict drops an admitted job that is past its deadline
  output logic upd_done_o,  // last cycle of an update
  output logic preempt_o,   // a preemption request is made
  output logic e_time_o,    // the start of the visited job lies in the future
  output logic clipped_o    // a measured time was clipped to 32 bits
);
  castor_lax_pkg::main_e  f_q, f_d;  // state of the main machine
  castor_lax_pkg::phase_e ph_q, ph_d;  // reason for the visits of queues
  logic [KidWidth-1:0] k_q, k_d;  // kernel type that is worked on
  logic [QidWidth-1:0] q_q, q_d;  // queue that is worked on
  logic [39:0]         tot_q, tot_d;  // work ahead in the admission pass, cycles
  logic                act_q, act_d, turn_q, turn_d;  // act: this pass tests admission; turn: admission before update
  logic [47:0]         upd_t_q, upd_t_d;  // time at which the last update began
  logic [31:0]         upd_dt_q, upd_dt_d;  // cycles between the last two updates

  logic last_queue, last_kernel, live, ready;

  assign f_o         = f_q;
  assign ph_o        = ph_q;
  assign k_o         = k_q;
  assign q_o         = q_q;
  assign tot_o       = tot_q;
  assign last_queue  = (q_q == '1);
  assign last_kernel = (k_q == KidWidth'(NumKt - 1));
  assign live        = !st2_i[q_q] && st1_i[q_q];
  assign ready       = live && !st0_i[q_q];

  // ---------------------------------------------------------------------------------------------------------------
  // Refresh of the rate of a kernel type.
  logic                     open_kernel;
  logic [InflightWidth-1:0] instances;
  logic [31:0]              window, rate_dividend, quotient;
  logic [23:0]              rate_divisor;
  logic [55:0]              product;

  assign open_kernel = (f_q == castor_lax_pkg::KOpen) && kt_i && (cnt_i >= {16'b0, config_i.min_wg});
  assign sample_o    = open_kernel;

  castor_lax_rate #(
    .InflightWidth (InflightWidth)
  ) u_rate (
    .clk_i,
    .rst_ni,
    .rate_mode_i  (config_i.rate_mode),
    .ewma_shift_i (config_i.ewma_shift),
    .leak_i       (config_i.leak),
    .sample_i     (open_kernel),
    .cnt_i,
    .window_i     (now_i - t_ref_i),
    .kact_i,
    .kins_i,
    .inflight_i,
    .accumulate_i (f_q == castor_lax_pkg::KMul),
    .inflight_o   (instances),
    .window_o     (window),
    .product_i    (product[47:0]),
    .dividend_o   (rate_dividend),
    .divisor_o    (rate_divisor),
    .clipped_o,
    .quotient_i   (quotient),
    .valid_i,
    .tpw_i,
    .tpw_o,
    .snap_o
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Sum over the job's list. An admission needs two passes: measured and isolated rates. unprof_q: a slot has no rate.
  logic                pass_q, pass_d, unprof_q, unprof_d, visit, slot_last, sum_again;  // pass_q: isolated rates
  logic [KidWidth-1:0] slot_kid;
  logic [23:0]         slot_n;
  logic [31:0]         sum_time, sum_drained_time;

  assign kid_o     = (f_q == castor_lax_pkg::VMac) ? slot_kid : k_q;
  assign sum_again = (f_q == castor_lax_pkg::VAcc) && (ph_q == castor_lax_pkg::PhAdm) && !pass_q;

  castor_lax_sum #(
    .MaxKt    (MaxKt),
    .KidWidth (KidWidth)
  ) u_sum (
    .clk_i,
    .rst_ni,
    .load_i         ((f_q == castor_lax_pkg::VOpen) && visit),
    .list_i,
    .again_i        (sum_again),
    .step_i         (f_q == castor_lax_pkg::VMac),
    .kid_o          (slot_kid),
    .n_o            (slot_n),
    .rate_i         (pass_q ? tpw_iso_i : (valid_i ? tpw_i : 32'd0)),
    .last_o         (slot_last),
    .drain_i        (f_q == castor_lax_pkg::VAcc),
    .time_o         (sum_time),
    .drained_time_o (sum_drained_time),
    .borrow_i       (f_q == castor_lax_pkg::KMul),
    .borrow_n_i     (24'(instances)),
    .borrow_t_i     (window),
    .product_o      (product)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Divider: computes rates (KDiv) and growth of PREMA tokens (VDiv).
  logic        div_start, div_last;
  logic [31:0] div_num, div_den;
  logic [39:0] quotient_full;

  castor_divider #(
    .Width        (40),
    .DivisorWidth (32)
  ) u_divider (
    .clk_i,
    .rst_ni,
    .start_i    (div_start),
    .dividend_i ({div_num, 8'b0}),
    .divisor_i  (div_den),
    .last_o     (div_last),
    .quotient_o (quotient_full)
  );

  assign quotient = castor_lax_pkg::clip48({8'b0, quotient_full});

  // ---------------------------------------------------------------------------------------------------------------
  // Visit of a job: latched values, remaining time, and the verdict of an admission.
  castor_lax_pkg::job_t job_q, job_d;  // header of the visited job
  logic [31:0]          dur_q, dur_d, work_q, work_d, rem;  // dur: duration; work: sum of the first pass
  logic [47:0]          age;
  logic                 best_effort, future;

  assign visit       = (ph_q == castor_lax_pkg::PhAdm) ||
                       (live && (ph_q == castor_lax_pkg::PhUpd || job_i.deadline != castor_lax_pkg::Inf));
  assign age         = now_i - job_i.start;
  assign future      = age[47];
  assign best_effort = (job_q.deadline == castor_lax_pkg::Inf);
  // After an admission's second pass the accumulator holds the isolated time, and work_q the remaining time.
  assign rem         = (ph_q == castor_lax_pkg::PhAdm) ? work_q : sum_time;

  logic [41:0] adm_sum;
  logic [32:0] adm_own;
  logic [31:0] adm_ahead, adm_iso;
  logic        adm_accept, adm_late, waiting_ready;

  assign waiting_ready = ((~st2_i & st1_i & ~st0_i & ~open_i) != '0);
  assign adm_own       = {1'b0, work_q} + {1'b0, dur_q};
  assign adm_sum       = {2'b0, tot_q} + {9'b0, adm_own};
  assign adm_late      = (dur_q >= job_q.deadline);
  assign adm_iso       = (sum_time == '0) ? 32'd1 : sum_time;
  assign adm_ahead     = (config_i.warm_policy == castor_lax_pkg::WarmDeadlineAhead && unprof_q) ? job_q.deadline : rem;
  assign adm_accept    = best_effort || !act_q ||
                         (!adm_late && (adm_sum < {10'b0, job_q.deadline} ||
                                        (config_i.bypass_en && job_q.fits && adm_own < {1'b0, job_q.deadline} &&
                                         !waiting_ready)));

  // PREMA tokens grow by the priority times the waiting time, divided by the isolated time.
  logic [31:0] wait_time;
  logic [35:0] wait_weighted;
  logic [24:0] token_sum;
  logic [23:0] token_grown, token_first;

  assign wait_time     = (upd_dt_q < dur_q) ? upd_dt_q : dur_q;
  assign wait_weighted = {4'b0, wait_time} * {32'b0, config_i.prema_p};
  assign token_sum     = {1'b0, token_i} + ((quotient_full[39:24] != '0) ? 25'h0FF_FFFF : {1'b0, quotient_full[23:0]});
  assign token_grown   = token_sum[24] ? '1 : token_sum[23:0];
  assign token_first   = {12'b0, config_i.prema_p, 8'b0};

  castor_lax_pkg::key_t visit_key;
  logic [3:0]           thr;

  castor_lax_key u_key (
    .enable_i        (f_q == castor_lax_pkg::VKey || f_q == castor_lax_pkg::VTok),
    .policy_i        (config_i.policy),
    .prio_class_en_i (config_i.prio_class_en),
    .init_prio_i     (config_i.init_prio),
    .rem_i           (rem),
    .dur_i           (dur_q),
    .start_i         (job_q.start),
    .deadline_i      (job_q.deadline),
    .token_i         ((ph_q == castor_lax_pkg::PhAdm) ? token_first
                                                      : ((f_q == castor_lax_pkg::VTok) ? token_grown : token_i)),
    .iso_i           ((ph_q == castor_lax_pkg::PhAdm) ? adm_iso : iso_i),
    .qprio_i,
    .thr_i           (thr),
    .new_i           (ph_q == castor_lax_pkg::PhAdm),
    .key_o           (visit_key)
  );

  assign rec_o = {rem, dur_q, castor_lax_pkg::laxity(rem, dur_q, job_q.deadline)};
  assign iso_o = adm_iso;

  // ---------------------------------------------------------------------------------------------------------------
  // PREMA ranking: threshold, candidates and victim.
  logic                candidate, blocked, victim_valid;
  logic [QidWidth-1:0] victim;

  castor_lax_prema #(
    .QidWidth (QidWidth)
  ) u_prema (
    .clk_i,
    .rst_ni,
    .soft_rst_i,
    .start_i        (prema_take_o),
    .threshold_i    (f_q == castor_lax_pkg::R1),
    .rank_i         (f_q == castor_lax_pkg::R2),
    .last_i         (last_queue),
    .qid_i          (q_q),
    .live_i         (live),
    .running_i      (open_i[q_q] && !pre_i[q_q]),
    .unfit_i        (df_vec_i[q_q]),
    .token_i,
    .thr_o          (thr),
    .candidate_o    (candidate),
    .blocked_o      (blocked),
    .victim_valid_o (victim_valid),
    .victim_qid_o   (victim)
  );

  assign pre_set_qid_o = victim;

  // ---------------------------------------------------------------------------------------------------------------
  // State machine. next_kernel and next_queue advance the scans of kernel types and of queues.
  logic next_kernel, next_queue;

  always_comb begin
    f_d             = f_q;
    ph_d            = ph_q;
    k_d             = k_q;
    q_d             = q_q;
    tot_d           = tot_q;
    act_d           = act_q;
    turn_d          = turn_q;
    upd_t_d         = upd_t_q;
    upd_dt_d        = upd_dt_q;
    pass_d          = pass_q;
    unprof_d        = unprof_q;
    job_d           = job_q;
    dur_d           = dur_q;
    work_d          = work_q;
    upd_take_o        = 1'b0;
    prema_take_o      = 1'b0;
    next_kernel     = 1'b0;
    next_queue      = 1'b0;
    refresh_o       = 1'b0;
    div_start       = 1'b0;
    div_num         = '0;
    div_den         = '0;
    rec_we_o        = 1'b0;
    iso_we_o        = 1'b0;
    token_we_o      = 1'b0;
    token_o         = token_grown;
    key_we_o        = 1'b0;
    key_o           = visit_key;
    st_we_o         = 1'b0;
    st_ready_o      = 1'b0;
    pre_clear_o     = 1'b0;
    pre_clear_all_o = 1'b0;
    pre_set_o       = 1'b0;
    pend_pop_o      = 1'b0;
    verdict_o       = 1'b0;
    accept_o        = 1'b0;
    reason_o        = castor_lax_pkg::ReasonOk;
    est_o           = '0;
    drop_o          = 1'b0;
    upd_done_o      = 1'b0;
    preempt_o       = 1'b0;
    e_time_o        = 1'b0;

    unique case (f_q)
      castor_lax_pkg::Idle: begin
        if (!tab_i && config_i.enable) begin
          if (upd_pend_i && !(turn_q && !pend_empty_i)) begin
            upd_take_o   = 1'b1;
            turn_d     = 1'b1;
            upd_dt_d   = castor_lax_pkg::clip48(now_i - upd_t_q);
            upd_t_d    = now_i;
            k_d        = '0;
            f_d        = castor_lax_pkg::KOpen;
          end else if (prema_pend_i) begin
            prema_take_o = 1'b1;
            q_d        = '0;
            f_d        = castor_lax_pkg::R1;
          end else if (!pend_empty_i) begin
            turn_d = 1'b0;
            tot_d  = '0;
            q_d    = '0;
            act_d  = config_i.admit_en && (config_i.policy == castor_lax_pkg::PolicyLax ||
                                           config_i.policy == castor_lax_pkg::PolicyExt);
            ph_d   = castor_lax_pkg::PhScan;
            f_d    = act_d ? castor_lax_pkg::VOpen : castor_lax_pkg::ANext;
          end
        end
      end

      castor_lax_pkg::KOpen: begin
        if (open_kernel) begin
          f_d = castor_lax_pkg::KMul;
        end else begin
          next_kernel = 1'b1;
        end
      end
      castor_lax_pkg::KMul: begin
        div_start = 1'b1;
        div_num   = rate_dividend;
        div_den   = {8'b0, rate_divisor};
        f_d       = castor_lax_pkg::KDiv;
      end
      castor_lax_pkg::KDiv: begin
        if (div_last) begin
          f_d = castor_lax_pkg::KWb;
        end
      end
      castor_lax_pkg::KWb: begin
        refresh_o   = 1'b1;
        next_kernel = 1'b1;
      end

      castor_lax_pkg::VOpen: begin
        if (visit) begin
          job_d     = job_i;
          dur_d     = future ? '0 : castor_lax_pkg::sat52({4'b0, age});
          e_time_o  = future && (ph_q != castor_lax_pkg::PhScan);
          unprof_d  = 1'b0;
          pass_d    = 1'b0;
          f_d       = castor_lax_pkg::VMac;
        end else begin
          next_queue = 1'b1;
        end
      end
      castor_lax_pkg::VMac: begin
        unprof_d = unprof_q || (!pass_q && slot_n != '0 && !valid_i);
        if (slot_last) begin
          f_d = castor_lax_pkg::VAcc;
        end
      end
      castor_lax_pkg::VAcc: begin
        f_d = castor_lax_pkg::VKey;
        if (sum_again) begin
          work_d = sum_drained_time;
          pass_d = 1'b1;
          f_d    = castor_lax_pkg::VMac;
        end
      end
      castor_lax_pkg::VKey: begin
        unique case (ph_q)
          castor_lax_pkg::PhScan: begin
            tot_d      = tot_q + {8'b0, adm_ahead};
            next_queue = 1'b1;
          end
          castor_lax_pkg::PhUpd: begin
            next_queue = 1'b1;
            if (live) begin
              rec_we_o = 1'b1;
              if (config_i.drop_expired && config_i.policy == castor_lax_pkg::PolicyLax && ready && !open_i[q_q] &&
                  !best_effort && dur_q > job_q.deadline && space_i) begin
                st_we_o   = 1'b1;
                verdict_o = 1'b1;
                reason_o  = castor_lax_pkg::ReasonExpired;
                drop_o    = 1'b1;
              end else if (config_i.policy == castor_lax_pkg::PolicyPrema && !(open_i[q_q] && !pre_i[q_q])) begin
                div_start  = 1'b1;
                div_num    = castor_lax_pkg::clip48({12'b0, wait_weighted});
                div_den    = iso_i;
                next_queue = 1'b0;
                f_d        = castor_lax_pkg::VDiv;
              end else begin
                key_we_o = 1'b1;
              end
            end
          end
          default: begin
            rec_we_o   = 1'b1;
            iso_we_o   = 1'b1;
            token_we_o = 1'b1;
            token_o    = token_first;
            key_we_o   = adm_accept;
            st_we_o    = 1'b1;
            st_ready_o = adm_accept;
            verdict_o  = 1'b1;
            accept_o   = adm_accept;
            reason_o   = adm_accept ? castor_lax_pkg::ReasonOk
                                    : (adm_late ? castor_lax_pkg::ReasonExpired : castor_lax_pkg::ReasonMiss);
            est_o      = castor_lax_pkg::clip48({6'b0, adm_sum});
            if (adm_accept && !best_effort) begin
              tot_d = tot_q + {8'b0, adm_ahead};
            end
            f_d = castor_lax_pkg::ANext;
          end
        endcase
      end
      castor_lax_pkg::VDiv: begin
        if (div_last) begin
          f_d = castor_lax_pkg::VTok;
        end
      end
      castor_lax_pkg::VTok: begin
        token_we_o = 1'b1;
        key_we_o   = live;
        next_queue = 1'b1;
      end

      castor_lax_pkg::ANext: begin
        if (pend_empty_i) begin
          f_d = castor_lax_pkg::Idle;
        end else begin
          pend_pop_o = 1'b1;
          q_d        = pend_qid_i;
          ph_d       = castor_lax_pkg::PhAdm;
          f_d        = castor_lax_pkg::VOpen;
        end
      end

      castor_lax_pkg::R1: begin
        q_d = q_q + 1'b1;
        if (last_queue) begin
          f_d = castor_lax_pkg::R2;
        end
      end
      castor_lax_pkg::R2: begin
        q_d = q_q + 1'b1;
        if (live) begin
          key_we_o = 1'b1;
          if (candidate) begin
            key_o       = {2'd0, 16'b0, rem_i};
            pre_clear_o = 1'b1;
          end else begin
            key_o = {2'd1, ~{24'b0, token_i}};
          end
        end
        if (last_queue) begin
          q_d = q_q;
          f_d = castor_lax_pkg::R3;
        end
      end
      castor_lax_pkg::R3: begin
        f_d = castor_lax_pkg::Idle;
        if (!blocked) begin
          pre_clear_all_o = 1'b1;
        end else if (victim_valid && !st2_i[victim] && st1_i[victim] && open_i[victim]) begin
          pre_set_o = 1'b1;
          preempt_o = 1'b1;
        end
      end
      default: f_d = castor_lax_pkg::Idle;
    endcase

    if (next_kernel) begin
      k_d = k_q + 1'b1;
      f_d = castor_lax_pkg::KOpen;
      if (last_kernel) begin
        k_d  = k_q;
        q_d  = '0;
        ph_d = castor_lax_pkg::PhUpd;
        f_d  = castor_lax_pkg::VOpen;
      end
    end
    if (next_queue) begin
      q_d = q_q + 1'b1;
      f_d = castor_lax_pkg::VOpen;
      if (ph_q == castor_lax_pkg::PhAdm) begin
        q_d = q_q;
        f_d = castor_lax_pkg::ANext;
      end else if (last_queue) begin
        q_d        = q_q;
        upd_done_o = (ph_q == castor_lax_pkg::PhUpd);
        f_d        = (ph_q == castor_lax_pkg::PhUpd) ? castor_lax_pkg::Idle : castor_lax_pkg::ANext;
      end
    end

    if (soft_rst_i) begin
      f_d      = castor_lax_pkg::Idle;
      ph_d     = castor_lax_pkg::PhUpd;
      k_d      = '0;
      q_d      = '0;
      tot_d    = '0;
      turn_d   = 1'b0;
      upd_t_d  = '0;
      upd_dt_d = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_q      <= castor_lax_pkg::Idle;
      ph_q     <= castor_lax_pkg::PhUpd;
      k_q      <= '0;
      q_q      <= '0;
      tot_q    <= '0;
      act_q    <= 1'b0;
      turn_q   <= 1'b0;
      upd_t_q  <= '0;
      upd_dt_q <= '0;
      pass_q   <= 1'b0;
      unprof_q <= 1'b0;
      job_q    <= '0;
      dur_q    <= '0;
      work_q   <= '0;
    end else begin
      f_q      <= f_d;
      ph_q     <= ph_d;
      k_q      <= k_d;
      q_q      <= q_d;
      tot_q    <= tot_d;
      act_q    <= act_d;
      turn_q   <= turn_d;
      upd_t_q  <= upd_t_d;
      upd_dt_q <= upd_dt_d;
      pass_q   <= pass_d;
      unprof_q <= unprof_d;
      job_q    <= job_d;
      dur_q    <= dur_d;
      work_q   <= work_d;
    end
  end
endmodule
