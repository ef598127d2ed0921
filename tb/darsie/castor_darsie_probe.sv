// Verilated top of DARSIE that brings out registers for test benches. The module reads the block by hierarchical names,
// so the RTL carries no test code. Item x of a vector of items is at [x*width +: width]. Row k of warp w is bit
// w*NumRows+k, row k of thread block t is bit t*NumRows+k, and entry e of thread block t is bit t*NumPst+e. Inside the
// block, the numbers of each warp (tb, lt0, lt1) are stored as bit planes: bit b of warp w is at b*NumWarps+w.
module castor_darsie_probe;
  // A register that is meaningful only in some cycles is shown as 0 in all other cycles.
  assign probe_live_o     = u_dut.live;
  assign probe_majority_o = u_dut.maj;
  assign probe_miss_o     = u_dut.miss;
  assign probe_lat_o      = u_dut.lat;
  assign probe_two_o      = u_dut.two & u_dut.lat;
  assign probe_lr0_o      = u_dut.lr0 & u_dut.lat;
  assign probe_lr1_o      = u_dut.lr1 & u_dut.lat;
  assign probe_lld_o      = u_dut.lld & u_dut.lat;
  assign probe_lgl_o      = u_dut.lgl & u_dut.lat;
  assign probe_stop_o     = u_dut.stop;
  assign probe_cpy_o      = u_dut.cpy;
  assign probe_pend_o     = u_dut.pend;
  assign probe_ref_o      = u_dut.refs;
  assign probe_ling_o     = u_dut.ling;
  assign probe_tl_o       = u_dut.tl;
  assign probe_en_o       = u_dut.en & u_dut.tl;
  assign probe_prom_o     = u_dut.prom & u_dut.tl;
  assign probe_sync_o     = u_dut.sync & u_dut.tl;
  assign probe_synced_o   = u_dut.synced & u_dut.tl;
  assign probe_noel_o     = u_dut.noel & u_dut.tl;
  assign probe_rrf_o      = u_dut.rrf;
  assign probe_rrt_o      = u_dut.rrt;
  assign probe_tk_o       = u_dut.tk & u_dut.stop;
  assign probe_cpv_o      = cp_valid_o;
  assign probe_cpw_o      = cp_valid_o ? u_dut.cpw : '0;
  assign probe_cpk_o      = cp_valid_o ? u_dut.cpk : '0;
  assign probe_error_o    = err_o;

  // Converts per-warp numbers from bit planes to one number after another.
  for (genvar w = 0; w < NumWarps; w++) begin : gen_warps
    for (genvar b = 0; b < TbWidth; b++) begin : gen_tb
      assign probe_warp_tb_o[w*TbWidth+b] = u_dut.tb[b*NumWarps+w] && u_dut.live[w];
    end
    for (genvar b = 0; b < TagWidth; b++) begin : gen_tags
      assign probe_lt0_o[w*TagWidth+b] = u_dut.lt0[b*NumWarps+w];
      assign probe_lt1_o[w*TagWidth+b] = u_dut.lt1[b*NumWarps+w];
    end
  end

  for (genvar t = 0; t < NumTbs; t++) begin : gen_tbs
    logic [RowW-1:0]     base;
    logic [TagWidth:0]   rows;
    logic [SlotWidth:0]  slots;
    logic [SeqWidth-1:0] ctr;
    logic [EntryWidth-1:0] ptr;
    logic [NumPst-1:0]   pv, pld, pgl;
    logic [NumRows-1:0]  wb, ld, gl, inv, nosk;

    assign base  = u_dut.base[t*RowW +: RowW];
    assign rows  = u_dut.rows[t*(TagWidth+1) +: TagWidth+1];
    assign slots = u_dut.slots[t*(SlotWidth+1) +: SlotWidth+1];
    assign ctr   = u_dut.ctr[t*SeqWidth +: SeqWidth];
    assign ptr   = u_dut.ptr[t*EntryWidth +: EntryWidth];
    assign pv    = u_dut.pv[t*NumPst +: NumPst];
    assign pld   = u_dut.pld[t*NumPst +: NumPst];
    assign pgl   = u_dut.pgl[t*NumPst +: NumPst];
    assign wb    = u_dut.wb[t*NumRows +: NumRows];
    assign ld    = u_dut.ld[t*NumRows +: NumRows];
    assign gl    = u_dut.gl[t*NumRows +: NumRows];
    assign inv   = u_dut.inv[t*NumRows +: NumRows];
    assign nosk  = u_dut.nosk[t*NumRows +: NumRows];

    assign probe_base_o[t*RowW +: RowW]                   = u_dut.tl[t] ? base : '0;
    assign probe_rows_o[t*(TagWidth+1) +: TagWidth+1]     = u_dut.tl[t] ? rows : '0;
    assign probe_slots_o[t*(SlotWidth+1) +: SlotWidth+1]  = u_dut.tl[t] ? slots : '0;
    assign probe_ctr_o[t*SeqWidth +: SeqWidth]            = u_dut.tl[t] ? ctr : '0;
    assign probe_ptr_o[t*EntryWidth +: EntryWidth]        = u_dut.tl[t] ? ptr : '0;
    assign probe_pv_o[t*NumPst +: NumPst]                 = u_dut.tl[t] ? pv : '0;
    assign probe_pld_o[t*NumPst +: NumPst]                = u_dut.tl[t] ? pv & pld : '0;
    assign probe_pgl_o[t*NumPst +: NumPst]                = u_dut.tl[t] ? pv & pgl : '0;
    assign probe_wb_o[t*NumRows +: NumRows]               = u_dut.tl[t] ? wb : '0;
    assign probe_ld_o[t*NumRows +: NumRows]               = u_dut.tl[t] ? ld : '0;
    assign probe_gl_o[t*NumRows +: NumRows]               = u_dut.tl[t] ? gl : '0;
    assign probe_inv_o[t*NumRows +: NumRows]              = u_dut.tl[t] ? inv : '0;
    assign probe_nosk_o[t*NumRows +: NumRows]             = u_dut.tl[t] ? nosk : '0;
  end
endmodule
