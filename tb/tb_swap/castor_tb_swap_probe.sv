// Verilated top of the swap engine that brings out registers for test benches. The module reads the engine by
// hierarchical names, so the RTL carries no test code. Registers of a job are shown while they mean something, and are
// 0 otherwise.
module castor_tb_swap_probe;
  // out_decided: the class and the homes of the job have been decided. out_moving: the address of the next line is
  // known. in_moving: the job moves a thread block in.
  logic out_busy, out_decided, out_moving, in_busy, in_moving;

  assign out_busy    = (u_dut.out_state != castor_tb_swap_pkg::OutIdle);
  assign out_decided = out_busy && (u_dut.out_state != castor_tb_swap_pkg::OutPlace);
  assign out_moving  = out_decided && (u_dut.out_state != castor_tb_swap_pkg::OutPage) &&
                       (u_dut.u_out.class_q != castor_tb_swap_pkg::ClassNone);
  assign in_busy     = (u_dut.in_state != castor_tb_swap_pkg::InIdle);
  assign in_moving   = in_busy && !u_dut.u_in.fill_q.is_new;

  // Constants of the kernel, tables and free lists.
  assign probe_warps_o       = u_dut.warps_q;
  assign probe_regs_o        = u_dut.regs_q;
  assign probe_simt_o        = u_dut.simt_q;
  assign probe_smem_o        = u_dut.smem_q;
  assign probe_in_place_o    = u_dut.in_place_q;
  assign probe_copies_o      = u_dut.copies_q;
  assign probe_direction_o   = u_dut.direction_q;
  assign probe_live_o        = u_dut.live_q;
  assign probe_read_only_o   = u_dut.read_only_q;
  assign probe_threshold_o   = u_dut.threshold_q;
  assign probe_sites_o       = u_dut.u_sites.valid_q;
  assign probe_jobs_o        = $bits(probe_jobs_o)'(u_dut.job_count);
  assign probe_free_rhomes_o = u_dut.free_rhomes;
  assign probe_free_shomes_o = u_dut.free_shomes;
  assign probe_free_places_o = u_dut.free_places;
  assign probe_rhome_o       = u_dut.rhomes;
  assign probe_shome_o       = u_dut.shomes;

  // Segment s of context t is row t * RoSegs + s.
  for (genvar s = 0; s < RoSegs; s++) begin : gen_segment
    for (genvar t = 0; t < MaxTb; t++) begin : gen_context
      logic        shown;
      logic [21:0] range;

      assign shown = u_dut.u_segments.gen_segment[s].valid_q[t];
      assign range = shown ? u_dut.u_segments.gen_segment[s].u_ranges.mem_q[t] : '0;
      assign probe_ro_lines_o[(t*RoSegs+s)*11 +: 11] = range[21:11];
      assign probe_ro_first_o[(t*RoSegs+s)*11 +: 11] = range[10:0];
      assign probe_ro_address_o[(t*RoSegs+s)*33 +: 33] =
          shown ? u_dut.u_segments.gen_segment[s].u_addresses.mem_q[t] : '0;
    end
  end

  // The machine that moves thread blocks out, and its hand-over.
  assign probe_out_state_o      = u_dut.out_state;
  assign probe_out_slot_o       = u_dut.u_out.slot_q;
  assign probe_out_class_o      = out_decided ? u_dut.u_out.class_q : '0;
  assign probe_out_next_rhome_o = out_decided ? u_dut.u_out.next_rhome_q : '0;
  assign probe_out_next_shome_o = out_decided ? u_dut.u_out.next_shome_q : '0;
  assign probe_out_address_o    = out_moving ? u_dut.u_out.address_q : '0;
  assign probe_out_line_o       = out_decided ? u_dut.u_out.line_q : '0;
  assign probe_out_warp_o       = u_dut.u_out.warp_q;
  assign probe_out_mask_o       = u_dut.u_out.mask_q;
  assign probe_hand_valid_o     = u_dut.hand_valid_q;
  assign probe_hand_slot_o      = u_dut.hand_valid_q ? u_dut.hand_slot_q : '0;
  assign probe_hand_rhome_o     = u_dut.hand_valid_q ? u_dut.hand_rhome_q : '0;
  assign probe_hand_shome_o     = u_dut.hand_valid_q ? u_dut.hand_shome_q : '0;

  // The machine that moves thread blocks in.
  assign probe_in_state_o   = u_dut.in_state;
  assign probe_in_slot_o    = u_dut.u_in.slot_q;
  assign probe_in_address_o = in_moving ? u_dut.u_in.address_q : '0;
  assign probe_in_line_o    = in_moving ? u_dut.u_in.line_q : '0;
  assign probe_in_warp_o    = u_dut.u_in.warp_q;
  assign probe_in_mask_o    = u_dut.u_in.mask_q;
  assign probe_loads_o      = u_dut.loads_q;
  assign probe_stopped_o    = u_dut.stopped_q;
endmodule
