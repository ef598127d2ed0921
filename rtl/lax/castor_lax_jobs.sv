// States of the jobs, and the dispatcher's events that change them (docs/blocks/lax.md, "Cycle").
//
// Order within a cycle: host acknowledge, main machine, kernel start (ks), all TBs issued (ki), TB completion (wgc),
// kernel end (kd), submit machine. Each event sees the states after the earlier events. An event that the state of its
// job does not allow only sets an error bit. Job states are stored in three bit planes over the queues.
module castor_lax_jobs #(
  parameter int unsigned NumQueues = 128,
  parameter int unsigned MaxKt     = 8,
  parameter int unsigned NumKt     = 64,
  localparam int unsigned QidWidth  = $clog2(NumQueues),
  localparam int unsigned KidWidth  = (NumKt > 1) ? $clog2(NumKt) : 1,
  localparam int unsigned SlotWidth = KidWidth + 24,
  localparam int unsigned ListWidth = MaxKt * SlotWidth + 5
) (
  input  logic        clk_i,       // clock
  input  logic        rst_ni,      // synchronous reset, active low
  input  logic        soft_rst_i,  // software resets the engine at this edge
  input  logic [47:0] now_i,       // GPU cycle counter
  input  logic        prema_i,     // the policy is PREMA; otherwise there are no preemption requests

  // Events from the dispatcher.
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

  // State changes by the host, the main machine and the submit machine.
  input  logic                ack_i,            // the host acknowledges a job that ended or was rejected
  input  logic [QidWidth-1:0] ack_qid_i,        // queue of that job
  input  logic                main_st_we_i,     // verdict of the main machine: job state becomes Ready or Rejected
  input  logic                main_st_ready_i,  // 1: Ready, 0: Rejected
  input  logic [QidWidth-1:0] main_qid_i,       // queue that the main machine works on
  input  logic                pre_clear_i,      // the preemption request of main_qid_i ends
  input  logic                pre_clear_all_i,  // all preemption requests end
  input  logic                pre_set_i,        // a preemption request begins
  input  logic [QidWidth-1:0] pre_set_qid_i,    // queue of that preemption request
  input  logic                submit_init_i,    // a new job arrives: its state becomes Init
  input  logic [QidWidth-1:0] submit_qid_i,     // queue that the submit machine works on
  output logic [2:0]          submit_st_o,      // state of submit_qid_i after this cycle's other changes

  // States at the start of the cycle.
  output logic [NumQueues-1:0] st0_o,   // job state of every queue, bit 0
  output logic [NumQueues-1:0] st1_o,   // job state of every queue, bit 1
  output logic [NumQueues-1:0] st2_o,   // job state of every queue, bit 2
  output logic [NumQueues-1:0] open_o,  // queues with a kernel that has started and not completed
  output logic [NumQueues-1:0] pre_o,   // queues with a preemption request

  // Table entries that events read and write: list of queue wgc_qid_i, job of queue kd_qid_i, completed TBs of both.
  input  logic [ListWidth-1:0] wgc_list_i,     // work list of the job whose TB completes
  output logic                 wgc_list_we_o,  // wgc_list_o and wgc_done_o are written
  output logic [ListWidth-1:0] wgc_list_o,     // that work list with one TB less
  input  logic [23:0]          wgc_done_i,     // completed TBs of that job
  output logic [23:0]          wgc_done_o,     // completed TBs of that job plus one; saturates
  input  logic [23:0]          kd_done_i,      // completed TBs of the job whose kernel completes
  input  logic [47:0]          kd_start_i,     // start of that job
  input  logic [31:0]          kd_deadline_i,  // deadline of that job, all ones: none

  // Legal events, for the profiling table.
  output logic ks_ok_o,         // the event ks is legal
  output logic wgc_ok_o,        // the event wgc is legal
  output logic kd_ok_o,         // the event kd is legal
  input  logic kd_in_flight_i,  // an instance of kernel type kd_kid_i was in flight at the start of the cycle

  output logic [castor_lax_pkg::NumErrors-1:0] err_o,         // errors of this cycle's events, bits of ERR_STAT
  output logic                                 job_done_o,    // the last kernel of a job completes
  output logic                                 job_met_o,     // that job met its deadline, or has none
  output logic [23:0]                          job_useful_o,  // completed TBs of that job

  output logic                jd_valid_o,  // a job ended; one cycle after its last kd
  output logic [QidWidth-1:0] jd_qid_o,    // queue of the job that ended
  output logic                jd_met_o,    // the job met its deadline
  output logic [31:0]         jd_lat_o     // latency of the job, cycles
);
  logic [NumQueues-1:0] st0_q, st0_d, st1_q, st1_d, st2_q, st2_d, open_q, open_d, pre_q, pre_d;

  assign st0_o  = st0_q;
  assign st1_o  = st1_q;
  assign st2_o  = st2_q;
  assign open_o = open_q;
  assign pre_o  = pre_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Event ks: kernel start (first TB placed).
  logic ks_by_main, ks_live, ks_busy, ks_bad_kid;

  assign ks_by_main = main_st_we_i && (main_qid_i == ks_qid_i);
  assign ks_live    = ks_by_main ? main_st_ready_i : (!st2_q[ks_qid_i] && st1_q[ks_qid_i]);
  assign ks_busy    = open_q[ks_qid_i] || (!ks_by_main && st0_q[ks_qid_i]);
  assign ks_bad_kid = ({24'b0, ks_kid_i} >= NumKt);
  assign ks_ok_o    = ks_valid_i && ks_live && !ks_busy && !ks_bad_kid;

  // ---------------------------------------------------------------------------------------------------------------
  // Event ki: all TBs of a kernel issued.
  logic ki_by_main, ki_live, ki_open, ki_running, ki_ok;

  assign ki_by_main = main_st_we_i && (main_qid_i == ki_qid_i);
  assign ki_live    = ki_by_main ? main_st_ready_i : (!st2_q[ki_qid_i] && st1_q[ki_qid_i]);
  assign ki_running = !ki_by_main && st0_q[ki_qid_i];
  assign ki_open    = open_q[ki_qid_i] || (ks_ok_o && (ks_qid_i == ki_qid_i));
  assign ki_ok      = ki_valid_i && ki_live && !ki_running && ki_open;

  // ---------------------------------------------------------------------------------------------------------------
  // Event wgc: completion of a TB.
  logic             wgc_by_main, wgc_live, wgc_open, wgc_empty;
  logic [4:0]       wgc_nl;
  logic [MaxKt-1:0] wgc_hit;

  assign wgc_by_main = main_st_we_i && (main_qid_i == wgc_qid_i);
  assign wgc_live    = wgc_by_main ? main_st_ready_i : (!st2_q[wgc_qid_i] && st1_q[wgc_qid_i]);
  assign wgc_open    = open_q[wgc_qid_i] || (ks_ok_o && (ks_qid_i == wgc_qid_i));
  assign wgc_nl      = wgc_list_i[ListWidth-1 -: 5];

  always_comb begin
    wgc_hit    = '0;
    wgc_empty  = 1'b0;
    wgc_list_o = wgc_list_i;
    if (wgc_valid_i && ({24'b0, wgc_kid_i} < NumKt)) begin
      for (int unsigned s = 0; s < MaxKt; s++) begin
        if (5'(s) < wgc_nl && wgc_list_i[s*SlotWidth+24 +: KidWidth] == wgc_kid_i[KidWidth-1:0]) begin
          wgc_hit[s] = 1'b1;
          wgc_empty  = (wgc_list_i[s*SlotWidth +: 24] == '0);
          wgc_list_o[s*SlotWidth +: 24] = wgc_list_i[s*SlotWidth +: 24] - 24'd1;
        end
      end
    end
  end

  assign wgc_ok_o      = wgc_live && wgc_open && (wgc_hit != '0) && !wgc_empty;
  assign wgc_list_we_o = wgc_ok_o;
  assign wgc_done_o    = (wgc_done_i == '1) ? wgc_done_i : wgc_done_i + 24'd1;

  // ---------------------------------------------------------------------------------------------------------------
  // Event kd: kernel end.
  logic        kd_by_main, kd_live, kd_running, kd_in_flight;
  logic [47:0] kd_time;
  logic [31:0] kd_lat;

  assign kd_by_main   = main_st_we_i && (main_qid_i == kd_qid_i);
  assign kd_live      = kd_by_main ? main_st_ready_i : (!st2_q[kd_qid_i] && st1_q[kd_qid_i]);
  assign kd_running   = (!kd_by_main && st0_q[kd_qid_i]) || (ki_ok && (ki_qid_i == kd_qid_i));
  assign kd_in_flight = ({24'b0, kd_kid_i} < NumKt) && (kd_in_flight_i || (ks_ok_o && (ks_kid_i == kd_kid_i)));
  assign kd_ok_o      = kd_valid_i && kd_live && kd_running && kd_in_flight;

  assign kd_time      = now_i - kd_start_i;
  assign kd_lat       = kd_time[47] ? '0 : castor_lax_pkg::sat52({4'b0, kd_time});
  assign job_done_o   = kd_ok_o && kd_last_i;
  assign job_met_o    = (kd_deadline_i == castor_lax_pkg::Inf) || (kd_lat <= kd_deadline_i);
  assign job_useful_o = (wgc_ok_o && (wgc_qid_i == kd_qid_i)) ? wgc_done_o : kd_done_i;

  // ---------------------------------------------------------------------------------------------------------------
  // Errors: for each illegal event, the first error that applies.
  always_comb begin
    err_o = '0;
    if (ks_valid_i) begin
      if (!ks_live) begin
        err_o[castor_lax_pkg::ENoJob] = 1'b1;
      end else if (ks_busy) begin
        err_o[castor_lax_pkg::EOrder] = 1'b1;
      end else if (ks_bad_kid) begin
        err_o[castor_lax_pkg::ENoSlot] = 1'b1;
      end
    end
    if (ki_valid_i) begin
      if (!ki_live) begin
        err_o[castor_lax_pkg::ENoJob] = 1'b1;
      end else if (ki_running || !ki_open) begin
        err_o[castor_lax_pkg::EOrder] = 1'b1;
      end
    end
    if (wgc_valid_i) begin
      if (!wgc_live) begin
        err_o[castor_lax_pkg::ENoJob] = 1'b1;
      end else if (!wgc_open) begin
        err_o[castor_lax_pkg::EInflight] = 1'b1;
      end else if (wgc_hit == '0) begin
        err_o[castor_lax_pkg::ENoSlot] = 1'b1;
      end else if (wgc_empty) begin
        err_o[castor_lax_pkg::EUnderflow] = 1'b1;
      end
    end
    if (kd_valid_i) begin
      if (!kd_live) begin
        err_o[castor_lax_pkg::ENoJob] = 1'b1;
      end else if (!kd_running) begin
        err_o[castor_lax_pkg::EOrder] = 1'b1;
      end else if (!kd_in_flight) begin
        err_o[castor_lax_pkg::EInflight] = 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Next job states, open kernels and preemption requests.
  always_comb begin
    st0_d = st0_q;
    st1_d = st1_q;
    st2_d = st2_q;
    if (ack_i) begin
      st0_d[ack_qid_i] = 1'b0;
      st1_d[ack_qid_i] = 1'b0;
      st2_d[ack_qid_i] = 1'b0;
    end
    if (main_st_we_i) begin
      st0_d[main_qid_i] = !main_st_ready_i;
      st1_d[main_qid_i] = main_st_ready_i;
      st2_d[main_qid_i] = !main_st_ready_i;
    end
    if (ki_ok) begin
      st0_d[ki_qid_i] = 1'b1;
    end
    if (kd_ok_o) begin
      st0_d[kd_qid_i] = 1'b0;
      st1_d[kd_qid_i] = !kd_last_i;
      st2_d[kd_qid_i] = kd_last_i;
    end
    if (submit_init_i) begin
      st0_d[submit_qid_i] = 1'b1;
      st1_d[submit_qid_i] = 1'b0;
      st2_d[submit_qid_i] = 1'b0;
    end
    if (soft_rst_i) begin
      st0_d = '0;
      st1_d = '0;
      st2_d = '0;
    end
  end

  always_comb begin
    open_d = open_q;
    if (ks_ok_o) begin
      open_d[ks_qid_i] = 1'b1;
    end
    if (kd_ok_o) begin
      open_d[kd_qid_i] = 1'b0;
    end
    if (soft_rst_i) begin
      open_d = '0;
    end
  end

  always_comb begin
    pre_d = pre_q;
    if (pre_clear_i) begin
      pre_d[main_qid_i] = 1'b0;
    end
    if (pre_set_i) begin
      pre_d[pre_set_qid_i] = 1'b1;
    end
    if (kd_ok_o) begin
      pre_d[kd_qid_i] = 1'b0;
    end
    if (pre_clear_all_i || !prema_i || soft_rst_i) begin
      pre_d = '0;
    end
  end

  // Job state for the submit machine. The main machine changes no state in a cycle in which the submit machine uses it.
  always_comb begin
    submit_st_o = {st2_q[submit_qid_i], st1_q[submit_qid_i], st0_q[submit_qid_i]};
    if (ack_i && ack_qid_i == submit_qid_i) begin
      submit_st_o = castor_lax_pkg::StFree;
    end
    if (ki_ok && ki_qid_i == submit_qid_i) begin
      submit_st_o = castor_lax_pkg::StRunning;
    end
    if (kd_ok_o && kd_qid_i == submit_qid_i) begin
      submit_st_o = kd_last_i ? castor_lax_pkg::StDone : castor_lax_pkg::StReady;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Report of a finished job, one cycle after the end of its last kernel.
  logic                jd_valid_q, jd_valid_d, jd_met_q, jd_met_d;  // output registers
  logic [QidWidth-1:0] jd_qid_q, jd_qid_d;
  logic [31:0]         jd_lat_q, jd_lat_d;

  assign jd_valid_d = job_done_o && !soft_rst_i;
  assign jd_qid_d   = jd_valid_d ? kd_qid_i : '0;
  assign jd_met_d   = jd_valid_d && job_met_o;
  assign jd_lat_d   = jd_valid_d ? kd_lat : '0;
  assign jd_valid_o = jd_valid_q;
  assign jd_qid_o   = jd_qid_q;
  assign jd_met_o   = jd_met_q;
  assign jd_lat_o   = jd_lat_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      st0_q      <= '0;
      st1_q      <= '0;
      st2_q      <= '0;
      open_q     <= '0;
      pre_q      <= '0;
      jd_valid_q <= 1'b0;
      jd_qid_q   <= '0;
      jd_met_q   <= 1'b0;
      jd_lat_q   <= '0;
    end else begin
      st0_q      <= st0_d;
      st1_q      <= st1_d;
      st2_q      <= st2_d;
      open_q     <= open_d;
      pre_q      <= pre_d;
      jd_valid_q <= jd_valid_d;
      jd_qid_q   <= jd_qid_d;
      jd_met_q   <= jd_met_d;
      jd_lat_q   <= jd_lat_d;
    end
  end
endmodule
