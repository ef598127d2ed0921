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
  output logic [TbWidth*NumWarps-1:0]     probe_tb_o,
  output logic [NumWarps-1:0]             probe_maj_o,
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
  output logic [7:0]                      probe_err_o
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

  assign probe_live_o   = u_dut.live;
  assign probe_tb_o     = u_dut.tb;
  assign probe_maj_o    = u_dut.maj;
  assign probe_miss_o   = u_dut.miss;
  assign probe_lat_o    = u_dut.lat;
  assign probe_two_o    = u_dut.two;
  assign probe_lt0_o    = u_dut.lt0;
  assign probe_lt1_o    = u_dut.lt1;
  assign probe_lr0_o    = u_dut.lr0;
  assign probe_lr1_o    = u_dut.lr1;
  assign probe_lld_o    = u_dut.lld;
  assign probe_lgl_o    = u_dut.lgl;
  assign probe_stop_o   = u_dut.stop;
  assign probe_tk_o     = u_dut.tk;
  assign probe_cpy_o    = u_dut.cpy;
  assign probe_pend_o   = u_dut.pend;
  assign probe_ref_o    = u_dut.refs;
  assign probe_ling_o   = u_dut.ling;
  assign probe_tl_o     = u_dut.tl;
  assign probe_en_o     = u_dut.en;
  assign probe_prom_o   = u_dut.prom;
  assign probe_base_o   = u_dut.base;
  assign probe_rows_o   = u_dut.rows;
  assign probe_slots_o  = u_dut.slots;
  assign probe_ctr_o    = u_dut.ctr;
  assign probe_sync_o   = u_dut.sync;
  assign probe_synced_o = u_dut.synced;
  assign probe_noel_o   = u_dut.noel;
  assign probe_ptr_o    = u_dut.ptr;
  assign probe_pv_o     = u_dut.pv;
  assign probe_pld_o    = u_dut.pld;
  assign probe_pgl_o    = u_dut.pgl;
  assign probe_wb_o     = u_dut.wb;
  assign probe_ld_o     = u_dut.ld;
  assign probe_gl_o     = u_dut.gl;
  assign probe_inv_o    = u_dut.inv;
  assign probe_nosk_o   = u_dut.nosk;
  assign probe_rrf_o    = u_dut.rrf;
  assign probe_rrt_o    = u_dut.rrt;
  assign probe_cpv_o    = cp_valid_o;
  assign probe_cpw_o    = u_dut.cpw;
  assign probe_cpk_o    = u_dut.cpk;
  assign probe_err_o    = err_o;
endmodule
