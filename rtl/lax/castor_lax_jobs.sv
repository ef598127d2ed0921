// States of the jobs and the dispatcher's events upon them (docs/blocks/lax.md, "Cycle").
//
// The order inside a cycle is: host acknowledge, main machine, kernel start, all issued, completion, kernel end, submit
// machine. Every event sees the states as left by those before it. An event that its job's state does not allow changes
// nothing but an error bit. The states are three bit planes over the queues.
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
  input  logic        prema_i,     // the policy is PREMA: preemption requests may stand

  // Events of the dispatcher.
  input  logic                ks_valid_i,   // first TB of a kernel placed
  input  logic [QidWidth-1:0] ks_qid_i,     // its queue
  input  logic [7:0]          ks_kid_i,     // its kernel type
  input  logic                ki_valid_i,   // all TBs of a kernel issued
  input  logic [QidWidth-1:0] ki_qid_i,     // its queue
  input  logic                wgc_valid_i,  // a TB completed
  input  logic [QidWidth-1:0] wgc_qid_i,    // its queue
  input  logic [7:0]          wgc_kid_i,    // its kernel type
  input  logic                kd_valid_i,   // a kernel completed
  input  logic [QidWidth-1:0] kd_qid_i,     // its queue
  input  logic [7:0]          kd_kid_i,     // its kernel type, as of its first TB
  input  logic                kd_last_i,    // the queue is drained, the job done

  // Changes of states by the other parts.
  input  logic                ack_i,            // host acknowledge of a job that ended
  input  logic [QidWidth-1:0] ack_qid_i,        // its queue
  input  logic                main_st_we_i,     // verdict of the main machine: ready or rejected
  input  logic                main_st_ready_i,  // 1: ready, 0: rejected
  input  logic [QidWidth-1:0] main_qid_i,       // queue of the main machine
  input  logic                pre_clear_i,      // the preemption request of main_qid_i ends
  input  logic                pre_clear_all_i,  // all preemption requests end
  input  logic                pre_set_i,        // a preemption request begins
  input  logic [QidWidth-1:0] pre_set_qid_i,    // its queue
  input  logic                submit_init_i,    // a new job: its state becomes Init
  input  logic [QidWidth-1:0] submit_qid_i,     // queue of the submit machine
  output logic [2:0]          submit_st_o,      // state of submit_qid_i after all but the submit machine

  // States when the cycle began.
  output logic [NumQueues-1:0] st0_o,   // job state of every queue, bit 0
  output logic [NumQueues-1:0] st1_o,   // bit 1
  output logic [NumQueues-1:0] st2_o,   // bit 2
  output logic [NumQueues-1:0] open_o,  // queues with a kernel that has started and not ended
  output logic [NumQueues-1:0] pre_o,   // queues with a preemption request

  // Tables that the events read: the list of wgc_qid_i, the job of kd_qid_i, completions of both.
  input  logic [ListWidth-1:0] wgc_list_i,     // list of the job whose TB completes
  output logic                 wgc_list_we_o,  // wgc_list_o and wgc_done_o are written
  output logic [ListWidth-1:0] wgc_list_o,     // that list with one TB less
  input  logic [23:0]          wgc_done_i,     // completed TBs of that job
  output logic [23:0]          wgc_done_o,     // one more; stops at all ones
  input  logic [23:0]          kd_done_i,      // completed TBs of the job whose kernel ends
  input  logic [47:0]          kd_start_i,     // start of that job
  input  logic [31:0]          kd_deadline_i,  // its deadline, all ones: none

  // Legal events, for the profiling table.
  output logic ks_ok_o,         // legal start of a kernel
  output logic wgc_ok_o,        // legal completion of a TB
  output logic kd_ok_o,         // legal end of a kernel
  input  logic kd_in_flight_i,  // an instance of kd_kid_i was in flight when the cycle began

  output logic [castor_lax_pkg::NumErrors-1:0] err_o,         // errors of this cycle's events, bits of ERR_STAT
  output logic                                 job_done_o,    // kernel end of a job's last kernel
  output logic                                 job_met_o,     // it met its deadline, or has none
  output logic [23:0]                          job_useful_o,  // thread blocks of a job that met its deadline

  output logic                jd_valid_o,  // a job ended, one cycle after kd
  output logic [QidWidth-1:0] jd_qid_o,    // its queue
  output logic                jd_met_o,    // it met its deadline
  output logic [31:0]         jd_lat_o     // its latency, cycles
);
  logic [NumQueues-1:0] st0_q, st0_d, st1_q, st1_d, st2_q, st2_d, open_q, open_d, pre_q, pre_d;

  assign st0_o  = st0_q;
  assign st1_o  = st1_q;
  assign st2_o  = st2_q;
  assign open_o = open_q;
  assign pre_o  = pre_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Kernel start.
  logic ks_by_main, ks_live, ks_busy, ks_bad_kid;

  assign ks_by_main = main_st_we_i && (main_qid_i == ks_qid_i);
  assign ks_live    = ks_by_main ? main_st_ready_i : (!st2_q[ks_qid_i] && st1_q[ks_qid_i]);
  assign ks_busy    = open_q[ks_qid_i] || (!ks_by_main && st0_q[ks_qid_i]);
  assign ks_bad_kid = ({24'b0, ks_kid_i} >= NumKt);
  assign ks_ok_o    = ks_valid_i && ks_live && !ks_busy && !ks_bad_kid;

  // ---------------------------------------------------------------------------------------------------------------
  // All thread blocks issued.
  logic ki_by_main, ki_live, ki_open, ki_running, ki_ok;

  assign ki_by_main = main_st_we_i && (main_qid_i == ki_qid_i);
  assign ki_live    = ki_by_main ? main_st_ready_i : (!st2_q[ki_qid_i] && st1_q[ki_qid_i]);
  assign ki_running = !ki_by_main && st0_q[ki_qid_i];
  assign ki_open    = open_q[ki_qid_i] || (ks_ok_o && (ks_qid_i == ki_qid_i));
  assign ki_ok      = ki_valid_i && ki_live && !ki_running && ki_open;

  // ---------------------------------------------------------------------------------------------------------------
  // Completion of a thread block.
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
  // Kernel end.
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
  // Errors: per event the first that applies.
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
  // Next states.
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

  // State that the submit machine meets. While it looks, the main machine changes no state.
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
  // Report of a finished job, one cycle after its last kernel's end.
  logic                jd_valid_q, jd_valid_d, jd_met_q, jd_met_d;
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
