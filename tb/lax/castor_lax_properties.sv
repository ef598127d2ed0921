// Properties of the laxity engine as a whole (docs/blocks/lax.md, "Machine" and "Cycle"). The properties of its parts
// are in the other castor_lax_*_properties.sv. Names begin with the number of the invariant.
//
// A property of one queue refers to the queue `pick_q`, which gets an arbitrary value during reset and keeps it. Such a
// property therefore holds for all queues. The surroundings may do anything.
`include "castor_assert.svh"

module castor_lax_properties (
  input logic [8:0]          verdict_count,
  input logic [8:0]          pend_count
);
  logic                 past_q;  // the previous cycle had neither reset nor soft reset
  logic                 reset_q;  // the previous cycle was in reset
  logic [QidWidth-1:0]  pick_q;
  logic [NumQueues-1:0] is_free, is_init, is_ready, is_running, is_done, is_rejected, is_live;
  logic [NumQueues-1:0] was_free_q, was_init_q, was_ready_q, was_running_q, was_done_q, was_rejected_q;
  logic [NumQueues-1:0] made_ready_q, made_rejected_q, acked_q;

  assign is_free     = ~st2_q & ~st1_q & ~st0_q;
  assign is_init     = ~st2_q & ~st1_q & st0_q;
  assign is_ready    = ~st2_q & st1_q & ~st0_q;
  assign is_running  = ~st2_q & st1_q & st0_q;
  assign is_done     = st2_q & ~st1_q & ~st0_q;
  assign is_rejected = st2_q & ~st1_q & st0_q;
  assign is_live     = is_ready | is_running;

  always_ff @(posedge clk_i) begin
    past_q          <= rst_ni && !soft_rst;
    reset_q         <= !rst_ni;
    pick_q          <= rst_ni ? pick_q : ks_qid_i;
    was_free_q      <= is_free;
    was_init_q      <= is_init;
    was_ready_q     <= is_ready;
    was_running_q   <= is_running;
    was_done_q      <= is_done;
    was_rejected_q  <= is_rejected;
    made_ready_q    <= (main_st_we && main_st_ready) ? (NumQueues'(1) << q_q) : '0;
    made_rejected_q <= (main_st_we && !main_st_ready) ? (NumQueues'(1) << q_q) : '0;
    acked_q         <= host_ack ? (NumQueues'(1) << reg_qid) : '0;
  end

  // A1: job states change only along the arrows of the life cycle; one cycle may take several arrows.
  `CASTOR_ASSERT(a1_free_after_reset, !reset_q || is_free == '1)
  `CASTOR_ASSERT(a1_six_states_only, (st2_q & st1_q) == '0)
  `CASTOR_ASSERT(a1_free_to_init_only, !past_q || (was_free_q & ~(is_free | is_init)) == '0)
  `CASTOR_ASSERT(a1_init_left_by_a_verdict_only,
                 !past_q || (was_init_q & ~is_init & ~(made_ready_q & (is_live | is_done)) &
                             ~(made_rejected_q & is_rejected)) == '0)
  `CASTOR_ASSERT(a1_ready_rejected_by_a_drop_only,
                 !past_q || (was_ready_q & ~(is_live | is_done) & ~(made_rejected_q & is_rejected)) == '0)
  `CASTOR_ASSERT(a1_running_to_ready_or_done_only, !past_q || (was_running_q & ~(is_live | is_done)) == '0)
  `CASTOR_ASSERT(a1_done_left_by_the_host_only,
                 !past_q || (was_done_q & ~is_done & ~(acked_q & (is_free | is_init))) == '0)
  `CASTOR_ASSERT(a1_rejected_left_by_the_host_only,
                 !past_q || (was_rejected_q & ~is_rejected & ~(acked_q & (is_free | is_init))) == '0)

  // A2: an open kernel belongs to a live job, and a running job has an open kernel. STATUS shows the number of busy
  // queues.
  logic       status_read_q;
  logic [7:0] busy, busy_q;

  always_comb begin
    busy = '0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if (!is_free[q] && busy != '1) begin
        busy = busy + 8'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    busy_q        <= busy;
    status_read_q <= rst_ni && reg_req_i && !reg_ack_o && !reg_we_i && (reg_addr_i == 16'h000C);
  end

  `CASTOR_ASSERT(a2_open_only_in_live_jobs, (open_q & ~is_live) == '0)
  `CASTOR_ASSERT(a2_running_implies_open, (is_running & ~open_q) == '0)
  `CASTOR_ASSERT(a2_status_counts_busy_queues, !status_read_q || (reg_ack_o && reg_rdata_o[15:8] == busy_q))

  // A3, A4: a completion subtracts one thread block from exactly one non-empty slot and changes nothing else in the
  // list. A submission never lowers a count of a live job. There are no other writes of lists. The properties of the
  // submit machine check the rest of A4.
  logic [4:0] changed;
  logic       one_less, kinds_kept, no_less, kinds_kept_by_append;

  always_comb begin
    changed              = '0;
    one_less             = 1'b1;
    kinds_kept           = (wgc_list[ListWidth-1 -: 5] == event_list[ListWidth-1 -: 5]);
    no_less              = 1'b1;
    kinds_kept_by_append = (submit_list[ListWidth-1 -: 5] >= event_list[ListWidth-1 -: 5]);
    for (int unsigned s = 0; s < MaxKt; s++) begin
      if (wgc_list[s*SlotWidth +: 24] != event_list[s*SlotWidth +: 24]) begin
        changed  = changed + 5'd1;
        one_less = one_less && (event_list[s*SlotWidth +: 24] != '0) &&
                   (wgc_list[s*SlotWidth +: 24] == event_list[s*SlotWidth +: 24] - 24'd1);
      end
      kinds_kept = kinds_kept &&
                   (wgc_list[s*SlotWidth+24 +: KidWidth] == event_list[s*SlotWidth+24 +: KidWidth]);
      if (5'(s) < event_list[ListWidth-1 -: 5]) begin
        no_less              = no_less && (submit_list[s*SlotWidth +: 24] >= event_list[s*SlotWidth +: 24]);
        kinds_kept_by_append = kinds_kept_by_append && (submit_list[s*SlotWidth+24 +: KidWidth] ==
                                                        event_list[s*SlotWidth+24 +: KidWidth]);
      end
    end
  end

  // A list contains each kernel type at most once. A written list has this property if the list that was read before
  // has it.
  logic [MaxKt*MaxKt-1:0] twins;

  always_comb begin
    twins = '0;
    for (int unsigned a = 0; a < MaxKt; a++) begin
      for (int unsigned b = 0; b < MaxKt; b++) begin
        twins[a*MaxKt+b] = (a < b) && (5'(b) < event_list[ListWidth-1 -: 5]) &&
                           (event_list[a*SlotWidth+24 +: KidWidth] == event_list[b*SlotWidth+24 +: KidWidth]);
      end
    end
  end

  `CASTOR_ASSERT(a3_completion_takes_one, !(wgc_list_we && twins == '0) || (one_less && changed == 5'd1))
  `CASTOR_ASSERT(a3_completion_keeps_the_kinds, !wgc_list_we || kinds_kept)
  `CASTOR_ASSERT(a3_append_lowers_nothing,
                 !(submit_list_we && sub_q == castor_lax_pkg::SMrg) || (no_less && kinds_kept_by_append))
  `CASTOR_ASSERT(a3_list_written_once, !(wgc_list_we && submit_list_we))

  // A7: an offered queue is eligible in the same cycle.
  `CASTOR_ASSERT(a7_parse_offer_eligible,
                 !psel_valid_o || (config_q.enable && pe_vec_i[psel_qid_o] &&
                                   (is_ready[psel_qid_o] || (config_q.preparse && is_running[psel_qid_o]))))
  `CASTOR_ASSERT(a7_dispatch_offer_eligible,
                 !dsel_valid_o || (config_q.enable && de_vec_i[dsel_qid_o] && is_ready[dsel_qid_o] &&
                                   !pre_q[dsel_qid_o]))

  // A11: the verdicts owed belong to the header in the submit machine, the waiting jobs, and the job being admitted. So
  // every header gets exactly one verdict. The verdict queue always has room for all of them.
  logic [9:0] owed_q, due;
  logic       admitting, waiting_q;
  logic [QidWidth+35:0] verdict, verdict_q;

  assign admitting = (ph_q == castor_lax_pkg::PhAdm) &&
                     (f_q == castor_lax_pkg::VOpen || f_q == castor_lax_pkg::VMac || f_q == castor_lax_pkg::VAcc ||
                      f_q == castor_lax_pkg::VKey);
  assign due       = {1'b0, pend_count} + {9'b0, sub_q != castor_lax_pkg::SIdle} + {9'b0, admitting};
  assign verdict   = {adm_qid_o, adm_accept_o, adm_reason_o, adm_est_o};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || soft_rst) begin
      owed_q <= '0;
    end else begin
      owed_q <= owed_q + {9'b0, taken} - {9'b0, submit_verdict || (main_verdict && !main_drop)};
    end
    waiting_q <= rst_ni && !soft_rst && adm_valid_o && !adm_ready_i && !reg_verdict_pop;
    verdict_q <= verdict;
  end

  `CASTOR_ASSERT(a11_verdicts_owed, owed_q == due)
  `CASTOR_ASSERT(a11_room_for_verdicts, {1'b0, verdict_count} + due <= 10'(VqDepth))
  `CASTOR_ASSERT(a11_verdict_not_lost, !(main_verdict || submit_verdict) || verdict_count < 9'(VqDepth))
  `CASTOR_ASSERT(a11_waiting_job_not_lost, !pend_push || pend_count < 9'(VqDepth))
  `CASTOR_ASSERT(a11_not_all_places_wait, pend_count < 9'(VqDepth))
  `CASTOR_ASSERT(a11_one_verdict_a_cycle, !(main_verdict && submit_verdict))
  `CASTOR_ASSERT(a11_verdict_stable, !waiting_q || (adm_valid_o && verdict == verdict_q))

  // The jobs in state Init are the waiting jobs, each once, and the job being admitted. `ahead_q` is the number of jobs
  // that wait ahead of queue pick_q.
  logic       waits_q;
  logic [8:0] ahead_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || soft_rst) begin
      waits_q <= 1'b0;
      ahead_q <= '0;
    end else if (pend_push && submit_qid == pick_q) begin
      waits_q <= 1'b1;
      ahead_q <= pend_count - {8'b0, pend_pop};
    end else if (waits_q && pend_pop) begin
      waits_q <= (ahead_q != '0);
      ahead_q <= (ahead_q != '0) ? ahead_q - 9'd1 : '0;
    end
  end

  `CASTOR_ASSERT(a11_waiting_jobs_are_those_in_init,
                 is_init[pick_q] == (waits_q || (admitting && q_q == pick_q)) &&
                     !(waits_q && admitting && q_q == pick_q))
  `CASTOR_ASSERT(a11_waiting_jobs_stand_in_the_queue,
                 (pend_count == '0 || (pend_qid == pick_q) == (waits_q && ahead_q == '0)) &&
                     (!waits_q || ahead_q < pend_count))

  // Invariants that make the properties of waiting jobs inductive, for all queues at once. `order_q` holds the queues
  // of the waiting jobs in order of arrival, the oldest in the lowest position. A job in state Init is in `order_q`
  // exactly once, or it is the job being admitted.
  logic [VqDepth*QidWidth-1:0] order_q, order_d;
  logic [NumQueues-1:0]        in_queue, in_admission;
  logic                        once, in_place;

  always_comb begin
    order_d = (pend_pop && pend_count != '0) ? order_q >> QidWidth : order_q;
    for (int unsigned i = 0; i < VqDepth; i++) begin
      if (pend_push && 9'(i) + 9'(pend_pop && pend_count != '0) == pend_count) begin
        order_d[i*QidWidth +: QidWidth] = submit_qid;
      end
    end
    in_queue = '0;
    once     = 1'b1;
    in_place = 1'b1;
    for (int unsigned i = 0; i < VqDepth; i++) begin
      if (9'(i) < pend_count) begin
        once     = once && !in_queue[order_q[i*QidWidth +: QidWidth]];
        in_place = in_place && ((order_q[i*QidWidth +: QidWidth] == pick_q) == (waits_q && ahead_q == 9'(i)));
        in_queue[order_q[i*QidWidth +: QidWidth]] = 1'b1;
      end
    end
    in_admission = '0;
    if (admitting) begin
      in_admission[q_q] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    order_q <= order_d;
  end

  `CASTOR_ASSERT(a11_first_to_come_is_admitted_first, pend_count == '0 || pend_qid == order_q[QidWidth-1:0])
  `CASTOR_ASSERT(a11_init_waits_once_or_is_admitted,
                 once && is_init == (in_queue | in_admission) && (in_queue & in_admission) == '0 && ph_q != 2'd3)
  `CASTOR_ASSERT(a11_watched_job_in_its_place, in_place && (!waits_q || ahead_q < pend_count))

  // A4: a queue in use has a submitted list, and such a list has 1 to MaxKt slots.
  logic [NumQueues-1:0] listed_q;
  logic [QidWidth-1:0]  list_qid;
  logic                 appends;

  assign list_qid = wgc_valid_i ? wgc_qid_i : submit_qid;
  assign appends  = (sub_q == castor_lax_pkg::SChk || sub_q == castor_lax_pkg::SMrg);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      listed_q <= '0;
    end else if (submit_list_we) begin
      listed_q[submit_qid] <= 1'b1;
    end
  end

  `CASTOR_ASSERT(a4_queue_in_use_has_a_list, (~is_free & ~listed_q) == '0 && (!appends || listed_q[submit_qid]))
  `CASTOR_ASSERT(a4_lists_in_range,
                 (!listed_q[table_qid] || (table_list[ListWidth-1 -: 5] != '0 &&
                                           table_list[ListWidth-1 -: 5] <= 5'(MaxKt))) &&
                     (!listed_q[list_qid] || (event_list[ListWidth-1 -: 5] != '0 &&
                                              event_list[ListWidth-1 -: 5] <= 5'(MaxKt))))

  // A12: after a rejection the queue is not offered until a later job of the queue is accepted.
  logic refused_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || soft_rst) begin
      refused_q <= 1'b0;
    end else if (main_verdict && q_q == pick_q) begin
      refused_q <= !main_accept;
    end
  end

  `CASTOR_ASSERT(a12_refused_is_not_live, !refused_q || !is_live[pick_q])
  `CASTOR_ASSERT(a12_refused_is_not_offered,
                 !refused_q || !((psel_valid_o && psel_qid_o == pick_q) || (dsel_valid_o && dsel_qid_o == pick_q)))

  // A14: keys change only in three states of the main machine, or when software writes an external priority.
  `CASTOR_ASSERT(a14_keys_change_in_their_states,
                 !main_key_we || f_q == castor_lax_pkg::VKey || f_q == castor_lax_pkg::VTok ||
                     f_q == castor_lax_pkg::R2)
  `CASTOR_ASSERT(a14_external_key_by_its_register,
                 !ext_key_we || (qprio_we && f_q == castor_lax_pkg::Idle &&
                                 config_q.policy == castor_lax_pkg::PolicyExt))

  // A16: a queue that no event, verdict or access names keeps its state and its list.
  logic       named, untouched_q;
  logic [3:0] entry, entry_q;

  assign named = (ks_valid_i && ks_qid_i == pick_q) || (ki_valid_i && ki_qid_i == pick_q) ||
                 (wgc_valid_i && wgc_qid_i == pick_q) || (kd_valid_i && kd_qid_i == pick_q) ||
                 (main_st_we && q_q == pick_q) || (host_ack && reg_qid == pick_q) ||
                 (new_job && submit_qid == pick_q) || soft_rst;
  assign entry = {st2_q[pick_q], st1_q[pick_q], st0_q[pick_q], open_q[pick_q]};

  always_ff @(posedge clk_i) begin
    untouched_q <= rst_ni && !named;
    entry_q     <= entry;
  end

  `CASTOR_ASSERT(a16_unnamed_queue_keeps_its_state, !untouched_q || entry == entry_q)
  `CASTOR_ASSERT(a16_completion_writes_its_own_list, !wgc_list_we || wgc_valid_i)
  `CASTOR_ASSERT(a16_submission_writes_its_own_list, !submit_list_we || !wgc_valid_i)

  // A20: a register read changes nothing. Exceptions are the two words that pop a queue, and the latch of the upper
  // half of the time.
  logic                    read, read_q;
  castor_lax_pkg::config_t config_past_q;

  assign read = reg_req_i && !reg_ack_o && !reg_we_i;

  always_ff @(posedge clk_i) begin
    read_q        <= rst_ni && (!reg_req_i || read);
    config_past_q <= config_q;
  end

  `CASTOR_ASSERT(a20_read_writes_nothing,
                 !read || !(qprio_we || host_ack || tpw_iso_we || reg_tpw_we || kpt_clear || soft_rst))
  `CASTOR_ASSERT(a20_read_keeps_the_configuration, !read_q || config_q == config_past_q)
  `CASTOR_ASSERT(a20_only_its_word_pops_a_verdict, !reg_verdict_pop || (read && reg_addr_i == 16'h0080))
  `CASTOR_ASSERT(a20_only_its_word_pops_a_finished_job, !done_pop || (read && reg_addr_i == 16'h0084))
  `CASTOR_ASSERT(a20_no_answer_without_acknowledge, reg_ack_o || (reg_err_o == '0 && reg_rdata_o == '0))

  // Cover statements: the actions of the engine are reachable. The modules of its parts cover the actions that take
  // longer.
  `CASTOR_COVER(cover_accepted, adm_valid_o && adm_accept_o)
  `CASTOR_COVER(cover_refused_before_admission, adm_valid_o && adm_reason_o == castor_lax_pkg::ReasonBadList)
  `CASTOR_COVER(cover_refused_by_admission, main_verdict && !main_accept && !main_drop)
  `CASTOR_COVER(cover_no_room_for_verdicts, sub_q == castor_lax_pkg::SIdle && !space)
  `CASTOR_COVER(cover_parse_offer, psel_valid_o)
  `CASTOR_COVER(cover_dispatch_offer, dsel_valid_o)
  `CASTOR_COVER(cover_kernel_runs, is_running != '0)
  `CASTOR_COVER(cover_completion, wgc_list_we)
  `CASTOR_COVER(cover_job_met, job_done && job_met)
  `CASTOR_COVER(cover_job_late, job_done && !job_met)
  `CASTOR_COVER(cover_acknowledged, host_ack)
  `CASTOR_COVER(cover_append, submit_list_we && sub_q == castor_lax_pkg::SMrg)
  `CASTOR_COVER(cover_external_key, ext_key_we)

  // With periods of at least 1000 cycles, no tick occurs within the bound of the proof.
  if (castor_lax_pkg::LeastPeriod < 32'd16) begin : gen_ticks
    `CASTOR_COVER(cover_update, upd_done)
    `CASTOR_COVER(cover_update_of_a_job, main_key_we && f_q == castor_lax_pkg::VKey && ph_q == castor_lax_pkg::PhUpd)
    `CASTOR_COVER(cover_update_lost, overrun)
    `CASTOR_COVER(cover_ranking, f_q == castor_lax_pkg::R3)
  end
endmodule

bind castor_lax castor_lax_properties u_properties (.verdict_count(9'(verdict_count)), .pend_count(9'(pend_count)));
