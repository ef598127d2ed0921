// Properties of the swap engine (docs/blocks/tb_swap.md, "Invariants"): accesses, jobs, states and outputs. Names begin
// with the number of the invariant, if it has one. Homes and places are in castor_tb_swap_ownership_properties.
//
// Assumptions: the constants of a kernel are in their ranges; jobs come after the kernel, at most one per context, and
// the masks of sites are written before them; a load is reported as performed once, not before it is accepted.
`include "castor_assert.svh"

module castor_tb_swap_properties;
  // ---------------------------------------------------------------------------------------------------------------
  // Assumptions about the kernel. slots_q: contexts in use. started_q: a kernel has started.
  logic       started_q;
  logic [6:0] slots_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      slots_q   <= '0;
    end else if (cfg_valid_i) begin
      started_q <= 1'b1;
      slots_q   <= cfg_slots_i;
    end
  end

  `CASTOR_ASSUME(a_kernel_has_warps, !cfg_valid_i || (cfg_warps_i != '0 && cfg_warps_i <= 6'd32))
  `CASTOR_ASSUME(a_kernel_has_registers, !cfg_valid_i || (cfg_regs_i != '0 && 32'(cfg_regs_i) <= NumRegs))
  `CASTOR_ASSUME(a_kernel_has_simt_lines, !cfg_valid_i || cfg_simt_i != '0)
  `CASTOR_ASSUME(a_kernel_has_contexts, !cfg_valid_i || (cfg_slots_i != '0 && 32'(cfg_slots_i) <= MaxTb))
  `CASTOR_ASSUME(a_kernel_has_register_homes,
                 !cfg_valid_i || (cfg_rhomes_i >= cfg_slots_i && 32'(cfg_rhomes_i) <= NumHomes))
  `CASTOR_ASSUME(a_kernel_has_shared_homes,
                 !cfg_valid_i || (cfg_shomes_i >= cfg_slots_i && 32'(cfg_shomes_i) <= NumHomes))
  `CASTOR_ASSUME(a_kernel_has_places, !cfg_valid_i || 32'(cfg_in_place_i) + 32'(cfg_copies_i) <= NumPlaces)
  `CASTOR_ASSUME(a_direction_of_copies_is_known, !cfg_valid_i || cfg_direction_i != 2'd3)
  `CASTOR_ASSUME(a_threshold_is_8_or_more, !cfg_valid_i || cfg_threshold_i >= 10'd8)
  `CASTOR_ASSUME(a_masks_are_written_without_jobs, !site_valid_i || cfg_valid_i || !busy)

  // ---------------------------------------------------------------------------------------------------------------
  // Jobs. pending_q: contexts with a job, from its acceptance until the context has been filled.
  logic [MaxTb-1:0] pending_q, filled;
  logic             accepted;
  logic [7:0]       number;  // jobs of all contexts

  assign accepted = job_valid_i && job_ready_o && !cfg_valid_i;
  assign filled   = MaxTb'(enter_valid_o && enter_ready_i) << enter_slot_o;

  always_comb begin
    number = '0;
    for (int unsigned t = 0; t < MaxTb; t++) begin
      number = number + 8'(pending_q[t]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || cfg_valid_i) begin
      pending_q <= '0;
    end else begin
      pending_q <= (pending_q & ~filled) | (MaxTb'(accepted) << job_slot_i);
    end
  end

  `CASTOR_ASSUME(a_job_comes_after_the_kernel, !job_valid_i || cfg_valid_i || started_q)
  `CASTOR_ASSUME(a_job_is_of_a_context_in_use, !accepted || 7'(job_slot_i) < slots_q)
  `CASTOR_ASSUME(a_context_has_one_job, !accepted || !(1'((pending_q & ~filled) >> job_slot_i)))

  `CASTOR_ASSERT(g19_queue_holds_a_job_per_context, 32'(job_count) <= MaxTb)
  `CASTOR_ASSERT(g19_job_of_each_pending_context_is_in_one_stage,
                 number == 8'(job_count) + 8'(out_busy) + 8'(hand_valid_q) + 8'(in_busy))
  `CASTOR_ASSERT(g19_job_is_of_a_pending_context,
                 (!out_busy || 1'(pending_q >> out_slot)) && (!hand_valid_q || 1'(pending_q >> hand_slot_q)) &&
                 (!in_busy || 1'(pending_q >> in_slot)))
  `CASTOR_ASSERT(g19_machines_work_on_different_contexts,
                 !(out_busy && hand_valid_q && out_slot == hand_slot_q) &&
                 !(out_busy && in_busy && out_slot == in_slot) &&
                 !(hand_valid_q && in_busy && hand_slot_q == in_slot))
  `CASTOR_ASSERT(g19_job_of_a_context_without_one_is_accepted,
                 !job_valid_i || (32'(job_slot_i) < MaxTb && 1'(pending_q >> job_slot_i)) || job_ready_o ||
                 32'(number) >= MaxTb)

  // ---------------------------------------------------------------------------------------------------------------
  // Loads. access_waits_q: the access of the previous cycle was not accepted, so it is still offered. reported_q: loads
  // that have been offered at the port in earlier cycles and are not performed.
  logic        access_waits_q, new_access, new_load;
  logic [13:0] reported_q, reported;

  assign new_access = access_valid_o && !access_waits_q;
  assign new_load   = new_access && !access_store_o;
  assign reported   = reported_q + 14'(new_load);

  always_ff @(posedge clk_i) begin
    access_waits_q <= rst_ni && access_valid_o && !access_ready_i && !cfg_valid_i;
    reported_q     <= (!rst_ni || cfg_valid_i) ? '0 : reported - 14'(load_done_i);
  end

  // A load can be performed in the cycle in which it is accepted, or later.
  `CASTOR_ASSUME(a_load_is_performed_once,
                 !load_done_i || cfg_valid_i ||
                 loads_q != 14'(access_valid_o && !access_store_o && !access_ready_i))
  // A thread block has at most 63 + 32 * 256 + 2047 lines, so the counter does not wrap. No proof can count that far.
  `CASTOR_ASSUME(a_counter_of_loads_does_not_wrap, loads_q != 14'h3FFF)
  `CASTOR_ASSERT(load_offered_is_counted, !access_valid_o || access_store_o || loads_q != '0)
  `CASTOR_ASSERT(loads_are_those_offered_and_not_performed, loads_q == reported)
  `CASTOR_ASSERT(g19_filled_context_has_no_loads, !enter_valid_o || enter_new_o || loads_q == '0)
  `CASTOR_ASSERT(loads_are_of_the_job_that_moves_in, loads_q == '0 || (in_busy && !enter_valid_o))

  // ---------------------------------------------------------------------------------------------------------------
  // Accesses. stopped_before_q: accesses to memory paused in the previous cycle.
  logic stopped_before_q;

  always_ff @(posedge clk_i) begin
    stopped_before_q <= rst_ni && stopped_q;
  end

  `CASTOR_ASSERT_STABLE(access_stays, access_valid_o, access_ready_i || cfg_valid_i,
                        ({access_store_o, access_type_o, access_local_o, access_slot_o, access_warp_o, access_reg_o,
                          access_line_o, access_home_o, access_address_o}), SlotWidth + 67)
  `CASTOR_ASSERT(g10_stores_belong_to_the_job_that_moves_out,
                 !access_valid_o || !access_store_o || (out_busy && out_slot == access_slot_o))
  `CASTOR_ASSERT(g10_stores_come_between_decision_and_hand_over,
                 !access_valid_o || !access_store_o ||
                 (out_state != castor_tb_swap_pkg::OutPlace && out_state != castor_tb_swap_pkg::OutPage))
  `CASTOR_ASSERT(hand_over_waits_for_the_last_store, !hand || !access_valid_o || !access_store_o)
  `CASTOR_ASSERT(g11_loads_belong_to_the_job_that_moves_in,
                 !access_valid_o || access_store_o || (in_busy && in_slot == access_slot_o))
  `CASTOR_ASSERT(g14_no_new_access_to_memory_while_stopped,
                 !new_access || access_local_o || !stopped_before_q)
  `CASTOR_ASSERT(memory_is_blocked_by_its_accesses_only, block_memory_o == (access_valid_o && !access_local_o))
  `CASTOR_ASSERT(read_only_lines_are_loaded_from_memory,
                 !access_valid_o || access_type_o != castor_tb_swap_pkg::TypeReadOnly ||
                 (!access_store_o && !access_local_o && read_only_q))
  `CASTOR_ASSERT(access_is_of_the_kernel,
                 !access_valid_o ||
                 (access_type_o == castor_tb_swap_pkg::TypeRegister ?
                      6'(access_warp_o) < warps_q && 9'(access_reg_o) < regs_q && access_line_o == '0 :
                      access_warp_o == '0 && access_reg_o == '0 &&
                      access_line_o < (access_type_o == castor_tb_swap_pkg::TypeSimt ? 11'(simt_q) : smem_q)))
  `CASTOR_ASSERT(place_is_in_range,
                 !access_valid_o || !access_local_o || !access_store_o ||
                 32'(access_address_o[32:12]) < 32'(in_place_q) + 32'(copies_q))

  // ---------------------------------------------------------------------------------------------------------------
  // The context of a thread block is stored line by line, without a gap: SIMT lines, registers of each warp in
  // ascending order, shared memory in ascending order. stored_q: the job has stored a line before; the other registers
  // are those of that line.
  logic        stored_q, new_store;
  logic [32:0] stored_address_q;
  logic [25:0] rank, stored_rank_q;  // {type, warp, register, line}: ascends within a context

  assign new_store = new_access && access_store_o;
  assign rank      = {access_type_o, access_warp_o, access_reg_o, access_line_o};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || cfg_valid_i || decide) begin
      stored_q <= 1'b0;
    end else if (new_store) begin
      stored_q         <= 1'b1;
      stored_address_q <= access_address_o;
      stored_rank_q    <= rank;
    end
  end

  `CASTOR_ASSERT(first_store_is_the_first_simt_line, !new_store || stored_q || rank == '0)
  `CASTOR_ASSERT(stores_have_no_gap, !new_store || !stored_q || access_address_o == stored_address_q + 33'd1)
  `CASTOR_ASSERT(stores_ascend, !new_store || !stored_q || rank > stored_rank_q)

  // ---------------------------------------------------------------------------------------------------------------
  // Entry of a parked thread block: its fields fit together, and say where the stored lines are.
  logic [23:0] entry_gid;
  logic [7:0]  entry_sm;
  logic [1:0]  entry_reg_loc, entry_smem_loc;
  logic        entry_simt_loc;
  logic [32:0] entry_reg_line, entry_smem_line, entry_simt_line;
  logic [6:0]  entry_site;
  logic [2:0]  class_q;  // class that was decided
  logic [32:0] first_q;  // address of the job's first store

  assign entry_gid       = parked_entry_o[159:136];
  assign entry_sm        = parked_entry_o[135:128];
  assign entry_reg_loc   = parked_entry_o[127:126];
  assign entry_smem_loc  = parked_entry_o[125:124];
  assign entry_simt_loc  = parked_entry_o[123];
  assign entry_reg_line  = parked_entry_o[119:87];
  assign entry_site      = parked_entry_o[86:80];
  assign entry_smem_line = parked_entry_o[79:47];
  assign entry_simt_line = parked_entry_o[39:7];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      class_q <= '0;
      first_q <= '0;
    end else begin
      class_q <= decide ? class_chosen : class_q;
      first_q <= (new_store && !stored_q) ? access_address_o : first_q;
    end
  end

  `CASTOR_ASSERT(entry_has_its_class_registers,
                 !parked_valid_o ||
                 entry_reg_loc == (class_q == 3'd1 || class_q == 3'd3 ? 2'd0 : class_q == 3'd2 ? 2'd1 : 2'd2))
  `CASTOR_ASSERT(entry_has_its_class_shared_memory,
                 !parked_valid_o ||
                 entry_smem_loc == (smem_q == '0 ? 2'd3 : class_q == 3'd1 || class_q == 3'd2 ? 2'd0 :
                                    class_q == 3'd3 ? 2'd1 : 2'd2))
  `CASTOR_ASSERT(entry_has_its_class_simt_lines,
                 !parked_valid_o || (entry_simt_loc == (class_q == 3'd4) && parked_local_o == !entry_simt_loc))
  `CASTOR_ASSERT(entry_is_of_a_class, !parked_valid_o || (class_q != 3'd0 && class_q <= 3'd4))
  `CASTOR_ASSERT(entry_is_of_the_job,
                 !parked_valid_o || (parked_slot_o == out_slot && entry_site == out_site && entry_sm == sm_id_i))
  `CASTOR_ASSERT(entry_begins_at_the_first_store,
                 !parked_valid_o || (stored_q ? entry_simt_line == first_q :
                                     new_store && entry_simt_line == access_address_o))
  `CASTOR_ASSERT(entry_place_has_its_first_line, !parked_valid_o || entry_simt_loc || entry_simt_line[11:0] == '0)
  `CASTOR_ASSERT(entry_registers_follow_the_simt_lines,
                 !parked_valid_o || entry_reg_loc == '0 || entry_reg_line == entry_simt_line + 33'(simt_q))
  `CASTOR_ASSERT(entry_without_shared_memory_has_no_line, !parked_valid_o || smem_q != '0 || entry_smem_line == '0)
  `CASTOR_ASSERT(entry_has_no_other_bits,
                 (parked_entry_o[122:120] == '0) && (parked_entry_o[46:40] == '0) && (parked_entry_o[6:0] == '0))
  `CASTOR_ASSERT_STABLE(parked_stays, parked_valid_o, parked_ready_i || cfg_valid_i,
                        ({parked_slot_o, parked_local_o, entry_gid, parked_entry_o[127:0]}), SlotWidth + 153)
  `CASTOR_ASSERT(local_entry_had_room, !decide || local_room_i || class_chosen == 3'd0 || class_chosen == 3'd4)

  // ---------------------------------------------------------------------------------------------------------------
  // Filled contexts and images.
  `CASTOR_ASSERT_STABLE(enter_stays, enter_valid_o, enter_ready_i || cfg_valid_i,
                        ({enter_slot_o, enter_new_o, enter_gid_o, enter_rhome_o, enter_shome_o, enter_free_o,
                          enter_address_o}), SlotWidth + 71)
  `CASTOR_ASSERT_STABLE(page_request_stays, page_request_o, page_valid_i || cfg_valid_i, 1'b0, 1)
  `CASTOR_ASSERT(image_is_returned_by_a_parked_thread_block, !enter_free_o || (enter_valid_o && !enter_new_o))
  `CASTOR_ASSERT(image_for_the_class_memory_only, !page_request_o || class_q == 3'd4)

  // ---------------------------------------------------------------------------------------------------------------
  // Payloads are 0 without their valid.
  `CASTOR_ASSERT(access_is_zero_without_valid,
                 access_valid_o || {access_store_o, access_type_o, access_local_o, access_slot_o, access_warp_o,
                                    access_reg_o, access_line_o, access_home_o, access_address_o} == '0)
  `CASTOR_ASSERT(parked_is_zero_without_valid,
                 parked_valid_o || {parked_slot_o, parked_local_o, parked_entry_o} == '0)
  `CASTOR_ASSERT(enter_is_zero_without_valid,
                 enter_valid_o || {enter_slot_o, enter_new_o, enter_gid_o, enter_rhome_o, enter_shome_o, enter_free_o,
                                   enter_address_o} == '0)
  `CASTOR_ASSERT(address_is_zero_without_an_image, enter_free_o || enter_address_o == '0)

  // ---------------------------------------------------------------------------------------------------------------
  // Every state is left as soon as the surroundings answer. moved_q: a machine wrote an access in the previous cycle.
  // A state that accesses lines makes progress when the port is free and nothing pauses: the accesses ascend (stores)
  // or their line does, and their number is bounded by the constants of the kernel.
  castor_tb_swap_pkg::out_e out_before_q;
  castor_tb_swap_pkg::in_e  in_before_q;
  logic same_kernel_q, answered_q, loaded_q, handed_q, free_q, out_moved_q, in_moved_q;

  always_ff @(posedge clk_i) begin
    same_kernel_q <= rst_ni && !cfg_valid_i;
    out_before_q  <= out_state;
    in_before_q   <= in_state;
    // The answer for which the state of the machine that moves out, or in, waits.
    answered_q    <= (page_request_o && page_valid_i) || (parked_valid_o && parked_ready_i) ||
                     out_state == castor_tb_swap_pkg::OutPlace || out_state == castor_tb_swap_pkg::OutMask ||
                     (out_state == castor_tb_swap_pkg::OutIdle && job_count != '0) ||
                     (out_state == castor_tb_swap_pkg::OutHand && !hand_valid_q && !(access_valid_o && access_store_o));
    loaded_q      <= (enter_valid_o && enter_ready_i) || in_state == castor_tb_swap_pkg::InMask ||
                     (in_state == castor_tb_swap_pkg::InIdle && hand_valid_q) ||
                     ((in_state == castor_tb_swap_pkg::InSegments || in_state == castor_tb_swap_pkg::InWait) &&
                      loads_q == '0);
    handed_q      <= hand;
    free_q        <= (!access_valid_o || access_ready_i) && !stopped_q;
    out_moved_q   <= out_go;
    in_moved_q    <= in_go;
  end

  `CASTOR_ASSERT(out_state_is_left_when_answered, !same_kernel_q || !answered_q || out_state != out_before_q)
  `CASTOR_ASSERT(in_state_is_left_when_answered, !same_kernel_q || !loaded_q || in_state != in_before_q)
  `CASTOR_ASSERT(out_part_moves_while_the_port_is_free,
                 !same_kernel_q || !free_q || out_moved_q ||
                 (out_before_q != castor_tb_swap_pkg::OutSimt && out_before_q != castor_tb_swap_pkg::OutRegisters))
  `CASTOR_ASSERT(in_part_moves_while_the_port_is_free,
                 !same_kernel_q || !free_q || out_moved_q || in_moved_q ||
                 (in_before_q != castor_tb_swap_pkg::InSimt && in_before_q != castor_tb_swap_pkg::InRegisters))
  `CASTOR_ASSERT(one_machine_at_a_time_has_the_port, !(out_go && in_go))
  `CASTOR_ASSERT(handed_job_waits_for_the_other_machine, !same_kernel_q || !handed_q || hand_valid_q)
  `CASTOR_ASSERT(out_state_exists, out_state <= castor_tb_swap_pkg::OutHand)
  `CASTOR_ASSERT(idle_engine_accesses_nothing, busy || (!access_valid_o && loads_q == '0))
  // G11: a job that moves a thread block in reaches the other machine after its own stores have been accepted.
  `CASTOR_ASSERT(g11_no_store_of_a_context_after_its_hand_over,
                 !access_valid_o || !access_store_o || !in_busy || in_slot != access_slot_o)

  // ---------------------------------------------------------------------------------------------------------------
  `CASTOR_COVER(entry_in_memory, parked_valid_o && entry_reg_loc == 2'd2 && entry_gid != '0)
  `CASTOR_COVER(entry_in_place, parked_valid_o && entry_reg_loc == 2'd0 && entry_smem_loc == 2'd0)
  `CASTOR_COVER(entry_with_registers_in_a_place, parked_valid_o && entry_reg_loc == 2'd1)
  `CASTOR_COVER(entry_with_shared_memory_in_a_place, parked_valid_o && entry_smem_loc == 2'd1)
  `CASTOR_COVER(context_filled, enter_valid_o && !enter_new_o)
  `CASTOR_COVER(image_returned, enter_free_o && enter_ready_i)
  `CASTOR_COVER(store_beside_a_job_that_moves_in, out_go && in_want)
  `CASTOR_COVER(access_to_memory_pauses, stopped_q && free && out_want && !out_local)
  `CASTOR_COVER(load_of_a_read_only_line,
                access_valid_o && access_type_o == castor_tb_swap_pkg::TypeReadOnly && access_ready_i)
  `CASTOR_COVER(job_waits_for_the_other_machine, out_state == castor_tb_swap_pkg::OutHand && hand_valid_q)
  `CASTOR_COVER(job_waits_for_its_last_store,
                out_state == castor_tb_swap_pkg::OutHand && access_valid_o && access_store_o)
endmodule

bind castor_tb_swap castor_tb_swap_properties u_properties ();
