// Kernel profiling table. For each kernel type it holds the rate, a snapshot of the counters used for the last refresh,
// and the counters of the open window.
//
// Active time (kact) and instance time (kins) are not counted per cycle. A start at time t subtracts t - t_ref, an end
// adds t - t_ref, where t_ref is the start of the window (docs/blocks/lax.md, "Rates"). Counters are tables without
// reset; one flip-flop per entry says whether the entry reads as 0, so entries are cleared without a write. If kt is 0,
// they read as 0.
//
// Order within a cycle: register access or main machine, kernel start, TB completion, kernel end.
module castor_lax_profile #(
  parameter int unsigned NumQueues = 128,
  parameter int unsigned NumKt     = 64,
  localparam int unsigned KidWidth      = (NumKt > 1) ? $clog2(NumKt) : 1,
  localparam int unsigned InflightWidth = $clog2(NumQueues) + 1
) (
  input  logic        clk_i,       // clock
  input  logic        rst_ni,      // synchronous reset, active low
  input  logic        soft_rst_i,  // software resets the engine at this edge
  input  logic [47:0] now_i,       // GPU cycle counter

  // Entry that the main machine or, while the main machine is idle, a register access reads and writes.
  input  logic [KidWidth-1:0]      kid_i,       // kernel type of that entry
  output logic                     valid_o,     // the kernel type has a rate
  output logic                     kt_o,        // the kernel type had an event: its window is open
  output logic                     snv_o,       // the kernel type has a snapshot
  output logic [31:0]              tpw_o,       // rate: cycles per TB, 8 fraction bits
  output logic [31:0]              tpw_iso_o,   // isolated rate: cycles per TB, 8 fraction bits; 0 until written
  output castor_lax_pkg::snap_t    snap_o,      // snapshot: counters of the last refresh
  output logic [23:0]              cnt_o,       // completions in the open window
  output logic [47:0]              kact_o,      // active time of the open window, as stored
  output logic [47:0]              kins_o,      // instance time of the open window, as stored
  output logic [47:0]              t_ref_o,     // start of the open window
  output logic [InflightWidth-1:0] inflight_o,  // instances of the kernel type in flight

  input  logic                  tpw_we_i,         // writes the rate, which makes the entry valid
  input  logic [31:0]           tpw_wdata_i,      // rate that is written
  input  logic                  snap_we_i,        // writes the snapshot
  input  castor_lax_pkg::snap_t snap_wdata_i,     // snapshot that is written
  input  logic                  tpw_iso_we_i,     // writes the isolated rate
  input  logic [31:0]           tpw_iso_wdata_i,  // isolated rate that is written
  input  logic                  sample_i,         // opens a new window
  input  logic                  clear_i,          // clears the entry; no instance may be in flight

  // Legal events of this cycle.
  input  logic                ks_i,            // a kernel starts
  input  logic [KidWidth-1:0] ks_kid_i,        // kernel type of that kernel
  input  logic                wgc_i,           // a TB completes
  input  logic [KidWidth-1:0] wgc_kid_i,       // kernel type of that TB
  input  logic                kd_i,            // a kernel completes
  input  logic [KidWidth-1:0] kd_kid_i,        // kernel type of that kernel, as given at its first TB
  output logic                kd_in_flight_o,  // an instance of kd_kid_i was in flight at the start of the cycle
  output logic                cnt_full_o       // a completion is not counted, because the counter is saturated
);
  // ---------------------------------------------------------------------------------------------------------------
  // Flags of the entries; *_zero: the counter reads as 0. ks_*, wgc_*, kd_*: events; *_hit_main: of kernel type kid_i.
  // By kernel type: valid_q: has a rate. kt_q: had an event. snv_q: has a snapshot. iso_set_q: isolated rate was
  // written.
  logic [NumKt-1:0] valid_q, valid_d, kt_q, kt_d, snv_q, snv_d, iso_set_q, iso_set_d;
  logic [NumKt-1:0] cnt_zero_q, cnt_zero_d, time_zero_q, time_zero_d, inflight_zero_q, inflight_zero_d;
  logic ks_known, wgc_known, ks_hit_main, wgc_hit_main, kd_hit_main, ks_hit_wgc, ks_hit_kd;
  logic ks_touch, wgc_touch, ks_write, kd_write, cnt_write;

  assign ks_hit_main  = (ks_kid_i == kid_i);
  assign wgc_hit_main = (wgc_kid_i == kid_i);
  assign kd_hit_main  = (kd_kid_i == kid_i);
  assign ks_hit_wgc   = ks_i && (ks_kid_i == wgc_kid_i);
  assign ks_hit_kd    = ks_i && kd_i && (ks_kid_i == kd_kid_i);

  assign ks_known  = kt_q[ks_kid_i] && !(clear_i && ks_hit_main);
  assign wgc_known = kt_q[wgc_kid_i] && !(clear_i && wgc_hit_main);
  assign ks_touch  = ks_i && !ks_known;
  assign wgc_touch = wgc_i && !wgc_known && !ks_hit_wgc;
  // A start and an end of the same kernel type in one cycle cancel each other.
  assign ks_write  = ks_i && !ks_hit_kd;
  assign kd_write  = kd_i && !ks_hit_kd;

  always_comb begin
    valid_d         = valid_q;
    kt_d            = kt_q;
    snv_d           = snv_q;
    iso_set_d       = iso_set_q;
    cnt_zero_d      = cnt_zero_q;
    time_zero_d     = time_zero_q;
    inflight_zero_d = inflight_zero_q;
    if (tpw_we_i) begin
      valid_d[kid_i] = 1'b1;
    end
    if (snap_we_i) begin
      snv_d[kid_i] = 1'b1;
    end
    if (tpw_iso_we_i) begin
      iso_set_d[kid_i] = 1'b1;
    end
    if (clear_i) begin
      valid_d[kid_i] = 1'b0;
      kt_d[kid_i]    = 1'b0;
      snv_d[kid_i]   = 1'b0;
    end
    if (clear_i || sample_i) begin
      cnt_zero_d[kid_i]  = 1'b1;
      time_zero_d[kid_i] = 1'b1;
    end
    if (ks_i) begin
      kt_d[ks_kid_i] = 1'b1;
    end
    if (wgc_i) begin
      kt_d[wgc_kid_i] = 1'b1;
    end
    if (ks_write) begin
      time_zero_d[ks_kid_i]     = 1'b0;
      inflight_zero_d[ks_kid_i] = 1'b0;
    end
    if (cnt_write) begin
      cnt_zero_d[wgc_kid_i] = 1'b0;
    end
    if (kd_write) begin
      time_zero_d[kd_kid_i]     = 1'b0;
      inflight_zero_d[kd_kid_i] = 1'b0;
    end
    if (soft_rst_i) begin
      valid_d         = '0;
      kt_d            = '0;
      snv_d           = '0;
      cnt_zero_d      = '1;
      time_zero_d     = '1;
      inflight_zero_d = '1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q         <= '0;
      kt_q            <= '0;
      snv_q           <= '0;
      iso_set_q       <= '0;
      cnt_zero_q      <= '1;
      time_zero_q     <= '1;
      inflight_zero_q <= '1;
    end else begin
      valid_q         <= valid_d;
      kt_q            <= kt_d;
      snv_q           <= snv_d;
      iso_set_q       <= iso_set_d;
      cnt_zero_q      <= cnt_zero_d;
      time_zero_q     <= time_zero_d;
      inflight_zero_q <= inflight_zero_d;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Rates and snapshots. They are read and written at kid_i only.
  logic [31:0] tpw_iso_entry;

  assign valid_o   = valid_q[kid_i];
  assign kt_o      = kt_q[kid_i];
  assign snv_o     = snv_q[kid_i];
  assign tpw_iso_o = iso_set_q[kid_i] ? tpw_iso_entry : '0;

  castor_table_1r1w #(
    .Width (32),
    .Depth (NumKt)
  ) u_tpw (
    .clk_i,
    .we_i    (tpw_we_i),
    .waddr_i (kid_i),
    .wdata_i (tpw_wdata_i),
    .raddr_i (kid_i),
    .rdata_o (tpw_o)
  );

  castor_table_1r1w #(
    .Width (32),
    .Depth (NumKt)
  ) u_tpw_iso (
    .clk_i,
    .we_i    (tpw_iso_we_i),
    .waddr_i (kid_i),
    .wdata_i (tpw_iso_wdata_i),
    .raddr_i (kid_i),
    .rdata_o (tpw_iso_entry)
  );

  castor_table_1r1w #(
    .Width (castor_lax_pkg::SnapWidth),
    .Depth (NumKt)
  ) u_snap (
    .clk_i,
    .we_i    (snap_we_i),
    .waddr_i (kid_i),
    .wdata_i (snap_wdata_i),
    .raddr_i (kid_i),
    .rdata_o (snap_o)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Completions of the open window.
  logic [23:0] cnt_entry, cnt_wgc_entry, cnt_base;

  assign cnt_base   = (cnt_zero_q[wgc_kid_i] || ((clear_i || sample_i) && wgc_hit_main)) ? '0 : cnt_wgc_entry;
  assign cnt_full_o = wgc_i && (cnt_base == '1);
  assign cnt_write  = wgc_i && !cnt_full_o;
  assign cnt_o      = cnt_zero_q[kid_i] ? '0 : cnt_entry;

  castor_table_2r1w #(
    .Width (24),
    .Depth (NumKt)
  ) u_cnt (
    .clk_i,
    .we_i      (cnt_write),
    .waddr_i   (wgc_kid_i),
    .wdata_i   (cnt_base + 24'd1),
    .raddr_a_i (kid_i),
    .rdata_a_o (cnt_entry),
    .raddr_b_i (wgc_kid_i),
    .rdata_b_o (cnt_wgc_entry)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Start of the window (t_ref). All ports write the same data, the current time.
  logic [47:0] ks_t_ref, kd_t_ref;

  castor_table_3r3w #(
    .Width (48),
    .Depth (NumKt)
  ) u_t_ref (
    .clk_i,
    .we_a_i    (sample_i),
    .waddr_a_i (kid_i),
    .wdata_a_i (now_i),
    .we_b_i    (ks_touch),
    .waddr_b_i (ks_kid_i),
    .wdata_b_i (now_i),
    .we_c_i    (wgc_touch),
    .waddr_c_i (wgc_kid_i),
    .wdata_c_i (now_i),
    .raddr_a_i (kid_i),
    .rdata_a_o (t_ref_o),
    .raddr_b_i (ks_kid_i),
    .rdata_b_o (ks_t_ref),
    .raddr_c_i (kd_kid_i),
    .rdata_c_o (kd_t_ref)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Active time, instance time, instances in flight. Port a reads for the main machine, port b serves starts, port c
  // ends.
  logic [47:0]              kact_entry, ks_kact_entry, kd_kact_entry, kins_entry, ks_kins_entry, kd_kins_entry;
  logic [InflightWidth-1:0] inflight_entry, ks_inflight_entry, kd_inflight_entry, ks_inflight, kd_inflight;
  logic [47:0]              ks_elapsed, kd_elapsed;
  logic                     ks_fresh, kd_fresh, ks_zero, kd_zero;

  // If the window opens in this cycle, the elapsed time and the sums are 0.
  assign ks_fresh   = ks_touch || (sample_i && ks_hit_main);
  assign kd_fresh   = sample_i && kd_hit_main;
  assign ks_elapsed = ks_fresh ? '0 : now_i - ks_t_ref;
  assign kd_elapsed = kd_fresh ? '0 : now_i - kd_t_ref;
  assign ks_zero    = ks_fresh || time_zero_q[ks_kid_i];
  assign kd_zero    = kd_fresh || time_zero_q[kd_kid_i];

  logic [47:0] ks_kact_new, kd_kact_new, ks_kins_new, kd_kins_new;

  assign ks_kact_new = (ks_zero ? '0 : ks_kact_entry) - ((ks_inflight == '0) ? ks_elapsed : '0);
  assign kd_kact_new = (kd_zero ? '0 : kd_kact_entry) + ((kd_inflight == InflightWidth'(1)) ? kd_elapsed : '0);
  assign ks_kins_new = (ks_zero ? '0 : ks_kins_entry) - ks_elapsed;
  assign kd_kins_new = (kd_zero ? '0 : kd_kins_entry) + kd_elapsed;

  assign ks_inflight    = inflight_zero_q[ks_kid_i] ? '0 : ks_inflight_entry;
  assign kd_inflight    = inflight_zero_q[kd_kid_i] ? '0 : kd_inflight_entry;
  assign kd_in_flight_o = (kd_inflight != '0);

  assign kact_o     = time_zero_q[kid_i] ? '0 : kact_entry;
  assign kins_o     = time_zero_q[kid_i] ? '0 : kins_entry;
  assign inflight_o = inflight_zero_q[kid_i] ? '0 : inflight_entry;

  castor_table_3r3w #(
    .Width (48),
    .Depth (NumKt)
  ) u_kact (
    .clk_i,
    .we_a_i    (1'b0),
    .waddr_a_i ({KidWidth{1'b0}}),
    .wdata_a_i (48'd0),
    .we_b_i    (ks_write),
    .waddr_b_i (ks_kid_i),
    .wdata_b_i (ks_kact_new),
    .we_c_i    (kd_write),
    .waddr_c_i (kd_kid_i),
    .wdata_c_i (kd_kact_new),
    .raddr_a_i (kid_i),
    .rdata_a_o (kact_entry),
    .raddr_b_i (ks_kid_i),
    .rdata_b_o (ks_kact_entry),
    .raddr_c_i (kd_kid_i),
    .rdata_c_o (kd_kact_entry)
  );

  castor_table_3r3w #(
    .Width (48),
    .Depth (NumKt)
  ) u_kins (
    .clk_i,
    .we_a_i    (1'b0),
    .waddr_a_i ({KidWidth{1'b0}}),
    .wdata_a_i (48'd0),
    .we_b_i    (ks_write),
    .waddr_b_i (ks_kid_i),
    .wdata_b_i (ks_kins_new),
    .we_c_i    (kd_write),
    .waddr_c_i (kd_kid_i),
    .wdata_c_i (kd_kins_new),
    .raddr_a_i (kid_i),
    .rdata_a_o (kins_entry),
    .raddr_b_i (ks_kid_i),
    .rdata_b_o (ks_kins_entry),
    .raddr_c_i (kd_kid_i),
    .rdata_c_o (kd_kins_entry)
  );

  castor_table_3r3w #(
    .Width (InflightWidth),
    .Depth (NumKt)
  ) u_inflight (
    .clk_i,
    .we_a_i    (1'b0),
    .waddr_a_i ({KidWidth{1'b0}}),
    .wdata_a_i ({InflightWidth{1'b0}}),
    .we_b_i    (ks_write),
    .waddr_b_i (ks_kid_i),
    .wdata_b_i (ks_inflight + InflightWidth'(1)),
    .we_c_i    (kd_write),
    .waddr_c_i (kd_kid_i),
    .wdata_c_i (kd_inflight - InflightWidth'(1)),
    .raddr_a_i (kid_i),
    .rdata_a_o (inflight_entry),
    .raddr_b_i (ks_kid_i),
    .rdata_b_o (ks_inflight_entry),
    .raddr_c_i (kd_kid_i),
    .rdata_c_o (kd_inflight_entry)
  );
endmodule
