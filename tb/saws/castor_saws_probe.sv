// Verilated top of the warp schedulers that brings out registers for test benches. The module reads the block by
// hierarchical names, so the RTL carries no test code. Vectors over warps are in the order of the SM's warp numbers.
module castor_saws_probe;
  assign probe_mode_o     = u_dut.mode;
  assign probe_selected_o = u_dut.selected;
  assign probe_toggling_o = u_dut.toggling;
  assign probe_turn_o     = u_dut.turn;
  assign probe_cta_used_o = u_dut.used_q;
  assign probe_toggle_o   = u_dut.toggle;
  assign probe_pointer_o  = u_dut.pointer;
  assign probe_greedy_o   = u_dut.greedy;
  assign probe_length_o   = u_dut.length;
  assign probe_waiting_o  = u_dut.waiting;
  assign probe_error_o    = err_o;

  // Oldest message of each queue; 0 for an empty queue.
  if (SawsEn != 0) begin : gen_oldest
    for (genvar s = 0; s < NumSched; s++) begin : gen_queue
      assign probe_oldest_o[s*8 +: 8] =
          u_dut.gen_saws.u_scu.waiting[s] ?
          {u_dut.gen_saws.u_scu.head_dead[s], u_dut.gen_saws.u_scu.head_all_blocked[s],
           u_dut.gen_saws.u_scu.head_hit[s], 5'(u_dut.gen_saws.u_scu.head_cta[s*CtaWidth +: CtaWidth])} : '0;
    end
  end else begin : gen_no_oldest
    assign probe_oldest_o = '0;
  end

  for (genvar s = 0; s < NumSched; s++) begin : gen_sched
    for (genvar i = 0; i < NumLocal; i++) begin : gen_warp
      assign probe_allocated_o[i*NumSched+s] = u_dut.allocated[s*NumLocal+i];
      assign probe_live_o[i*NumSched+s]      = u_dut.live[s*NumLocal+i];
      assign probe_blocked_o[i*NumSched+s]   = u_dut.blocked[s*NumLocal+i];
      for (genvar b = 0; b < CtaWidth; b++) begin : gen_cta
        assign probe_warp_cta_o[(i*NumSched+s)*CtaWidth+b] = u_dut.warp_cta[(s*CtaWidth+b)*NumLocal+i];
      end
      for (genvar b = 0; b < PosWidth; b++) begin : gen_position
        assign probe_position_o[(i*NumSched+s)*PosWidth+b] = u_dut.pos[(s*PosWidth+b)*NumLocal+i];
      end
    end
  end
endmodule
