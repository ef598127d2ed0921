// Submit machine: accepts headers and work lists, and creates new jobs or adds work to live jobs (docs/blocks/lax.md,
// "Cycle"). The list is staged first, with beats of the same kernel type added up, and then checked as a whole.
module castor_lax_submit #(
  parameter int unsigned NumQueues = 128,
  parameter int unsigned MaxKt     = 8,
  parameter int unsigned NumKt     = 64,
  localparam int unsigned QidWidth  = $clog2(NumQueues),
  localparam int unsigned KidWidth  = (NumKt > 1) ? $clog2(NumKt) : 1,
  localparam int unsigned SlotWidth = KidWidth + 24,
  localparam int unsigned ListWidth = MaxKt * SlotWidth + 5
) (
  input  logic clk_i,        // clock
  input  logic rst_ni,       // synchronous reset, active low
  input  logic soft_rst_i,   // software resets the engine at this edge
  input  logic enable_i,     // 0: every submission is refused
  input  logic space_i,      // the verdict queue has room for one more verdict
  input  logic wgc_valid_i,  // a completion uses the ports of the list table
  input  logic main_key_i,   // the main machine may push a verdict and change a job state

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

  output castor_lax_pkg::submit_e sub_o,      // state of the submit machine
  output logic [QidWidth-1:0]     qid_o,      // queue of the header
  input  logic [2:0]              st_i,       // state of qid_o after all other changes of the cycle
  input  logic [ListWidth-1:0]    list_i,     // list of qid_o, unless a completion uses the port
  output logic                    list_we_o,  // list_o is written
  output logic [ListWidth-1:0]    list_o,     // list of a new job, or a list after a merge

  output logic                                 new_job_o,  // a new job (job_o) arrives in queue qid_o
  output castor_lax_pkg::job_t                 job_o,      // start, deadline and fit of the new job
  output logic                                 verdict_o,  // a refusal, or the verdict on an append
  output logic [2:0]                           reason_o,   // reason code
  output logic [castor_lax_pkg::NumErrors-1:0] err_o,      // errors of this cycle, bits of ERR_STAT
  output logic                                 taken_o     // a header is accepted
);
  castor_lax_pkg::submit_e sub_q, sub_d;  // state of the submit machine
  logic [QidWidth-1:0]        qid_q, qid_d;  // queue of the header
  castor_lax_pkg::job_t       job_q, job_d;  // header
  logic [4:0]                 nkt_q, nkt_d;  // number of beats that the header announced
  logic                       append_q, append_d;  // the header appends to a live job
  logic [MaxKt*SlotWidth-1:0] stage_q, stage_d;  // staged list: kernel types and TBs
  logic [4:0]                 sc_q, sc_d, bc_q, bc_d, ai_q, ai_d, an_q, an_d;  // slots, beats, append: slot, new slots
  logic                       bad_kid_q, bad_kid_d, overflow_q, overflow_d, nonzero_q, nonzero_d;  // flags of the list
  logic                       too_long_q, too_long_d;  // append: too many kernel types

  assign sub_o      = sub_q;
  assign qid_o      = qid_q;
  assign job_o      = job_q;
  assign js_ready_o = (sub_q == castor_lax_pkg::SIdle) && space_i;
  assign wl_ready_o = (sub_q == castor_lax_pkg::SList);
  assign taken_o    = js_valid_i && js_ready_o;

  // ---------------------------------------------------------------------------------------------------------------
  // Staging of a list beat.
  logic             beat, beat_bad_kid, beat_known;
  logic [MaxKt-1:0] beat_hit;

  assign beat         = wl_valid_i && wl_ready_o;
  assign beat_bad_kid = ({24'b0, wl_kid_i} >= NumKt);
  assign beat_known   = (beat_hit != '0);

  always_comb begin
    logic [24:0] sum;
    sum      = '0;
    beat_hit = '0;
    stage_d  = stage_q;
    if (beat && !beat_bad_kid) begin
      for (int unsigned s = 0; s < MaxKt; s++) begin
        if (5'(s) < sc_q && stage_q[s*SlotWidth+24 +: KidWidth] == wl_kid_i[KidWidth-1:0]) begin
          beat_hit[s] = 1'b1;
          sum = {1'b0, stage_q[s*SlotWidth +: 24]} + {1'b0, wl_numwg_i};
          stage_d[s*SlotWidth +: 24] = sum[24] ? '1 : sum[23:0];
        end
      end
      for (int unsigned s = 0; s < MaxKt; s++) begin
        if (5'(s) == sc_q && beat_hit == '0) begin
          stage_d[s*SlotWidth +: SlotWidth] = {wl_kid_i[KidWidth-1:0], wl_numwg_i};
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Append: merges staged slot ai_q into the work list of the job.
  logic [SlotWidth-1:0]       add;  // staged slot that is merged
  logic [4:0]                 nl;  // number of slots in the job's list
  logic [MaxKt-1:0]           list_hit;  // slot of the list with the same kernel type
  logic                       list_known;
  logic [MaxKt*SlotWidth-1:0] merged;

  assign nl         = list_i[ListWidth-1 -: 5];
  assign list_known = (list_hit != '0);

  always_comb begin
    logic [24:0] sum;
    sum      = '0;
    add      = '0;
    list_hit = '0;
    merged   = list_i[MaxKt*SlotWidth-1:0];
    if (sub_q == castor_lax_pkg::SChk || sub_q == castor_lax_pkg::SMrg) begin
      for (int unsigned s = 0; s < MaxKt; s++) begin
        if (5'(s) == ai_q) begin
          add = stage_q[s*SlotWidth +: SlotWidth];
        end
      end
      for (int unsigned s = 0; s < MaxKt; s++) begin
        if (5'(s) < nl && list_i[s*SlotWidth+24 +: KidWidth] == add[24 +: KidWidth]) begin
          list_hit[s] = 1'b1;
          sum = {1'b0, list_i[s*SlotWidth +: 24]} + {1'b0, add[23:0]};
          merged[s*SlotWidth +: 24] = sum[24] ? '1 : sum[23:0];
        end
      end
      for (int unsigned s = 0; s < MaxKt; s++) begin
        if (5'(s) == nl && list_hit == '0) begin
          merged[s*SlotWidth +: SlotWidth] = add;
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Verdict on a submission before admission: the first refusal reason that applies.
  logic live, refused, no_job;
  logic [2:0] commit_reason;

  assign live = !st_i[2] && st_i[1];

  always_comb begin
    commit_reason = castor_lax_pkg::ReasonOk;
    no_job        = 1'b0;
    if (!enable_i) begin
      commit_reason = castor_lax_pkg::ReasonNoJob;
    end else if (append_q && st_i == castor_lax_pkg::StInit) begin
      commit_reason = castor_lax_pkg::ReasonBusy;
    end else if (append_q && !live) begin
      commit_reason = castor_lax_pkg::ReasonNoJob;
      no_job        = 1'b1;
    end else if (!append_q && st_i != castor_lax_pkg::StFree) begin
      commit_reason = castor_lax_pkg::ReasonBusy;
    end else if (bc_q != nkt_q || nkt_q == '0 || nkt_q > 5'(MaxKt) || overflow_q || !nonzero_q) begin
      commit_reason = castor_lax_pkg::ReasonBadList;
    end else if (bad_kid_q) begin
      commit_reason = castor_lax_pkg::ReasonBadKid;
    end else if (!append_q && job_q.deadline == '0) begin
      commit_reason = castor_lax_pkg::ReasonBadDeadline;
    end
  end

  assign refused = (commit_reason != castor_lax_pkg::ReasonOk);

  // ---------------------------------------------------------------------------------------------------------------
  // State machine.
  logic       ai_last;
  logic [5:0] an_now, nl_new;

  assign ai_last = (ai_q + 5'd1 == sc_q);
  assign an_now  = {1'b0, an_q} + {5'b0, !list_known};
  assign nl_new  = {1'b0, nl} + an_now;

  always_comb begin
    sub_d      = sub_q;
    qid_d      = qid_q;
    job_d      = job_q;
    nkt_d      = nkt_q;
    append_d   = append_q;
    sc_d       = sc_q;
    bc_d       = bc_q;
    ai_d       = ai_q;
    an_d       = an_q;
    bad_kid_d  = bad_kid_q;
    overflow_d = overflow_q;
    nonzero_d  = nonzero_q;
    too_long_d = too_long_q;
    list_we_o  = 1'b0;
    list_o     = {sc_q, stage_q};
    new_job_o  = 1'b0;
    verdict_o  = 1'b0;
    reason_o   = castor_lax_pkg::ReasonOk;
    err_o      = '0;
    unique case (sub_q)
      castor_lax_pkg::SIdle: begin
        if (taken_o) begin
          qid_d          = js_qid_i;
          job_d.start    = js_start_i;
          job_d.deadline = js_deadline_i;
          job_d.fits     = js_fits_i;
          nkt_d          = js_nkt_i;
          append_d       = js_append_i;
          sc_d           = '0;
          bc_d           = '0;
          bad_kid_d      = 1'b0;
          overflow_d     = 1'b0;
          nonzero_d      = 1'b0;
          sub_d          = (js_nkt_i == '0) ? castor_lax_pkg::SCommit : castor_lax_pkg::SList;
        end
      end
      castor_lax_pkg::SList: begin
        if (beat) begin
          bc_d      = (bc_q == '1) ? bc_q : bc_q + 5'd1;
          nonzero_d = nonzero_q || (wl_numwg_i != '0);
          if (beat_bad_kid) begin
            bad_kid_d = 1'b1;
          end else if (!beat_known) begin
            if (sc_q < 5'(MaxKt)) begin
              sc_d = sc_q + 5'd1;
            end else begin
              overflow_d = 1'b1;
            end
          end
          if (wl_last_i) begin
            sub_d = castor_lax_pkg::SCommit;
          end
        end
      end
      castor_lax_pkg::SCommit: begin
        ai_d = '0;
        an_d = '0;
        if (!wgc_valid_i && !main_key_i) begin
          if (refused) begin
            verdict_o = 1'b1;
            reason_o  = commit_reason;
            sub_d     = castor_lax_pkg::SIdle;
            err_o[castor_lax_pkg::ENoJob] = no_job;
            err_o[castor_lax_pkg::EBeat]  = (commit_reason == castor_lax_pkg::ReasonBadList) && (bc_q != nkt_q);
          end else if (append_q) begin
            sub_d = castor_lax_pkg::SChk;
          end else begin
            new_job_o = 1'b1;
            list_we_o = 1'b1;
            sub_d     = castor_lax_pkg::SIdle;
          end
        end
      end
      castor_lax_pkg::SChk: begin
        if (!wgc_valid_i) begin
          an_d = an_now[4:0];
          ai_d = ai_q + 5'd1;
          if (ai_last) begin
            ai_d       = '0;
            too_long_d = (nl_new > 6'(MaxKt));
            sub_d      = too_long_d ? castor_lax_pkg::SVer : castor_lax_pkg::SMrg;
          end
        end
      end
      castor_lax_pkg::SMrg: begin
        list_o = {list_known ? nl : nl + 5'd1, merged};
        if (!wgc_valid_i) begin
          list_we_o = 1'b1;
          ai_d      = ai_q + 5'd1;
          if (ai_last) begin
            sub_d = castor_lax_pkg::SVer;
          end
        end
      end
      castor_lax_pkg::SVer: begin
        if (!main_key_i) begin
          verdict_o = 1'b1;
          sub_d     = castor_lax_pkg::SIdle;
          if (!live) begin
            reason_o = castor_lax_pkg::ReasonNoJob;
            err_o[castor_lax_pkg::ENoJob] = 1'b1;
          end else if (too_long_q) begin
            reason_o = castor_lax_pkg::ReasonBadList;
          end
        end
      end
      default: sub_d = castor_lax_pkg::SIdle;
    endcase
    if (soft_rst_i) begin
      sub_d = castor_lax_pkg::SIdle;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sub_q      <= castor_lax_pkg::SIdle;
      qid_q      <= '0;
      job_q      <= '0;
      nkt_q      <= '0;
      append_q   <= 1'b0;
      stage_q    <= '0;
      sc_q       <= '0;
      bc_q       <= '0;
      ai_q       <= '0;
      an_q       <= '0;
      bad_kid_q  <= 1'b0;
      overflow_q <= 1'b0;
      nonzero_q  <= 1'b0;
      too_long_q <= 1'b0;
    end else begin
      sub_q      <= sub_d;
      qid_q      <= qid_d;
      job_q      <= job_d;
      nkt_q      <= nkt_d;
      append_q   <= append_d;
      stage_q    <= stage_d;
      sc_q       <= sc_d;
      bc_q       <= bc_d;
      ai_q       <= ai_d;
      an_q       <= an_d;
      bad_kid_q  <= bad_kid_d;
      overflow_q <= overflow_d;
      nonzero_q  <= nonzero_d;
      too_long_q <= too_long_d;
    end
  end
endmodule
