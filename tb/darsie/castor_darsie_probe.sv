// The block DARSIE with registers brought out for a bench: the top that is verilated. It reads the block by
// hierarchical name, so the RTL carries no test code. Item x of a vector of items is at [x*width +: width]; row k of
// warp w is bit w*NumRows+k, row k of thread block t bit t*NumRows+k, entry e of thread block t bit t*NumPst+e. Numbers
// that each warp has (tb, lt0, lt1) are bit planes: bit b of warp w's is at b*NumWarps+w.
module castor_darsie_probe #(
  parameter int unsigned NumWarps = 64,
  parameter int unsigned NumTbs   = 32,
  parameter int unsigned NumPst   = 8,
  parameter int unsigned NumRows  = 32,
  parameter int unsigned NumSlots = 32,
  parameter int unsigned PstRd    = 2,
  parameter int unsigned DecW     = 2,
  parameter int unsigned NumIss   = 8,
  parameter int unsigned NumSrc   = 6,
  parameter int unsigned NumWb    = 16,
  parameter int unsigned PcW      = 48,
  parameter int unsigned RowW     = 11,
  parameter int unsigned StoreInv = 1,
  parameter int unsigned LoadSkip = 1,
  parameter int unsigned SkipEn   = 1,
  localparam int unsigned WarpWidth  = (NumWarps > 1) ? $clog2(NumWarps) : 1,
  localparam int unsigned TbWidth    = (NumTbs > 1) ? $clog2(NumTbs) : 1,
  localparam int unsigned TagWidth   = (NumRows > 1) ? $clog2(NumRows) : 1,
  localparam int unsigned SlotWidth  = (NumSlots > 1) ? $clog2(NumSlots) : 1,
  localparam int unsigned SeqWidth   = $clog2(NumRows) + 1,
  localparam int unsigned EntryWidth = (NumPst > 1) ? $clog2(NumPst) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Launch and retirement of thread blocks.
  input  logic                lnch_valid_i,
  input  logic [TbWidth-1:0]  lnch_tb_i,
  input  logic [NumWarps-1:0] lnch_warps_i,
  input  logic [NumWarps-1:0] lnch_full_i,
  input  logic                lnch_en_i,
  input  logic                lnch_promote_i,
  input  logic [RowW-1:0]     lnch_base_i,
  input  logic [TagWidth:0]   lnch_rows_i,
  input  logic [SlotWidth:0]  lnch_slots_i,
  input  logic                retire_valid_i,
  input  logic [TbWidth-1:0]  retire_tb_i,

  // Fetch.
  input  logic [NumWarps-1:0]     f_elig_i,
  input  logic [NumWarps*PcW-1:0] f_pc_i,
  output logic [NumWarps-1:0]     f_hold_o,
  output logic [NumWarps-1:0]     f_skip_o,

  // Decode.
  input  logic [DecW-1:0]             d_valid_i,
  input  logic [WarpWidth-1:0]        d_warp_i,
  input  logic [PcW-1:0]              d_pc_i,
  input  logic [DecW*2-1:0]           d_mark_i,
  input  logic [DecW*2-1:0]           d_ndst_i,
  input  logic [DecW*2*SlotWidth-1:0] d_dst_i,
  input  logic [DecW*2-1:0]           d_ldkind_i,
  output logic [DecW*2-1:0]           d_act_o,
  output logic [2*TagWidth-1:0]       d_tag_o,

  // Issue, write-back, operands.
  input  logic [NumIss-1:0]                  i_valid_i,
  input  logic [NumIss*WarpWidth-1:0]        i_warp_i,
  input  logic [NumIss-1:0]                  i_lead_i,
  input  logic [NumIss*2*TagWidth-1:0]       i_tag_i,
  input  logic [NumIss*2-1:0]                i_dv_i,
  input  logic [NumIss*2*SlotWidth-1:0]      i_dst_i,
  input  logic [NumIss*NumSrc-1:0]           i_sv_i,
  input  logic [NumIss*NumSrc*SlotWidth-1:0] i_src_i,
  output logic [NumIss*NumSrc-1:0]           i_sren_o,
  output logic [NumIss*NumSrc*RowW-1:0]      i_srow_o,
  input  logic [NumWb-1:0]                   wb_valid_i,
  input  logic [NumWb*TbWidth-1:0]           wb_tb_i,
  input  logic [NumWb*TagWidth-1:0]          wb_tag_i,
  input  logic [NumWarps-1:0]                oc_idle_i,

  // Events.
  input  logic [NumTbs-1:0]   ev_store_i,
  input  logic                ev_global_i,
  input  logic [NumWarps-1:0] br_i,
  input  logic [NumWarps-1:0] br_taken_i,
  input  logic [NumWarps-1:0] leave_i,
  input  logic [NumTbs-1:0]   bar_i,
  input  logic [NumWarps-1:0] bar_join_i,
  input  logic [NumWarps-1:0] exit_i,

  // Copies.
  output logic                 cp_valid_o,
  output logic [WarpWidth-1:0] cp_warp_o,
  output logic [RowW-1:0]      cp_row_o,
  output logic [SlotWidth-1:0] cp_slot_o,
  input  logic                 cp_ack_i,

  output logic [NumWarps-1:0] maj_o,
  output logic [7:0]          err_o,

  output logic [NumWarps-1:0]             probe_live_o,
  output logic [TbWidth*NumWarps-1:0]     probe_warp_tb_o,
  output logic [NumWarps-1:0]             probe_majority_o,
  output logic [NumWarps-1:0]             probe_miss_o,
  output logic [NumWarps-1:0]             probe_lat_o,
  output logic [NumWarps-1:0]             probe_two_o,
  output logic [TagWidth*NumWarps-1:0]    probe_lt0_o,
  output logic [TagWidth*NumWarps-1:0]    probe_lt1_o,
  output logic [NumWarps-1:0]             probe_lr0_o,
  output logic [NumWarps-1:0]             probe_lr1_o,
  output logic [NumWarps-1:0]             probe_lld_o,
  output logic [NumWarps-1:0]             probe_lgl_o,
  output logic [NumWarps-1:0]             probe_stop_o,
  output logic [NumWarps-1:0]             probe_tk_o,
  output logic [NumWarps-1:0]             probe_cpy_o,
  output logic [NumWarps*NumRows-1:0]     probe_pend_o,
  output logic [NumWarps*NumRows-1:0]     probe_ref_o,
  output logic [NumWarps*NumRows-1:0]     probe_ling_o,
  output logic [NumTbs-1:0]               probe_tl_o,
  output logic [NumTbs-1:0]               probe_en_o,
  output logic [NumTbs-1:0]               probe_prom_o,
  output logic [NumTbs*RowW-1:0]          probe_base_o,
  output logic [NumTbs*(TagWidth+1)-1:0]  probe_rows_o,
  output logic [NumTbs*(SlotWidth+1)-1:0] probe_slots_o,
  output logic [NumTbs*SeqWidth-1:0]      probe_ctr_o,
  output logic [NumTbs-1:0]               probe_sync_o,
  output logic [NumTbs-1:0]               probe_synced_o,
  output logic [NumTbs-1:0]               probe_noel_o,
  output logic [NumTbs*EntryWidth-1:0]    probe_ptr_o,
  output logic [NumTbs*NumPst-1:0]        probe_pv_o,
  output logic [NumTbs*NumPst-1:0]        probe_pld_o,
  output logic [NumTbs*NumPst-1:0]        probe_pgl_o,
  output logic [NumTbs*NumRows-1:0]       probe_wb_o,
  output logic [NumTbs*NumRows-1:0]       probe_ld_o,
  output logic [NumTbs*NumRows-1:0]       probe_gl_o,
  output logic [NumTbs*NumRows-1:0]       probe_inv_o,
  output logic [NumTbs*NumRows-1:0]       probe_nosk_o,
  output logic [WarpWidth-1:0]            probe_rrf_o,
  output logic [TbWidth-1:0]              probe_rrt_o,
  output logic                            probe_cpv_o,
  output logic [WarpWidth-1:0]            probe_cpw_o,
  output logic [TagWidth-1:0]             probe_cpk_o,
  output logic [7:0]                      probe_error_o
);
  castor_darsie #(
    .NumWarps (NumWarps),
    .NumTbs   (NumTbs),
    .NumPst   (NumPst),
    .NumRows  (NumRows),
    .NumSlots (NumSlots),
    .PstRd    (PstRd),
    .DecW     (DecW),
    .NumIss   (NumIss),
    .NumSrc   (NumSrc),
    .NumWb    (NumWb),
    .PcW      (PcW),
    .RowW     (RowW),
    .StoreInv (StoreInv),
    .LoadSkip (LoadSkip),
    .SkipEn   (SkipEn)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .lnch_valid_i,
    .lnch_tb_i,
    .lnch_warps_i,
    .lnch_full_i,
    .lnch_en_i,
    .lnch_promote_i,
    .lnch_base_i,
    .lnch_rows_i,
    .lnch_slots_i,
    .retire_valid_i,
    .retire_tb_i,
    .f_elig_i,
    .f_pc_i,
    .f_hold_o,
    .f_skip_o,
    .d_valid_i,
    .d_warp_i,
    .d_pc_i,
    .d_mark_i,
    .d_ndst_i,
    .d_dst_i,
    .d_ldkind_i,
    .d_act_o,
    .d_tag_o,
    .i_valid_i,
    .i_warp_i,
    .i_lead_i,
    .i_tag_i,
    .i_dv_i,
    .i_dst_i,
    .i_sv_i,
    .i_src_i,
    .i_sren_o,
    .i_srow_o,
    .wb_valid_i,
    .wb_tb_i,
    .wb_tag_i,
    .oc_idle_i,
    .ev_store_i,
    .ev_global_i,
    .br_i,
    .br_taken_i,
    .leave_i,
    .bar_i,
    .bar_join_i,
    .exit_i,
    .cp_valid_o,
    .cp_warp_o,
    .cp_row_o,
    .cp_slot_o,
    .cp_ack_i,
    .maj_o,
    .err_o
  );

  // What means something only at times is 0 at others.
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

  // Registers of warps that lie as planes of bits, warp by warp.
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
