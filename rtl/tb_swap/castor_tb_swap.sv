// Swap engine: moves the contexts of thread blocks between an SM and memory, or on-chip storage of the SM, line by line
// (docs/blocks/tb_swap.md).
//
// A job vacates a context, fills it, or both. Jobs are served in order. One machine moves thread blocks out, another
// one moves them in, so the loads of a job overlap with the stores of the next. Accesses go through one register: one
// access per cycle, the machine that moves out first. While the SM has too many requests without a reply, accesses to
// memory pause.
//
// Cost of one more unit of each parameter (docs/blocks/tb_swap.md, "Area"):
//   MaxTb      a job of 168 bits and its context, 55 bits of table and a flip-flop per read-only segment, and 12
//              flip-flops for the homes of the context
//   NumHomes   2 flip-flops (free lists), and one input of each of two searches
//   NumPlaces  one flip-flop (free list), and one input of each of two searches
//   NumRegs    one column of the site table, 2 flip-flops, and one input of each of two searches
//   NumSites   one row of the site table, and one flip-flop
//   RoSegs     a table of 55 bits per context, one flip-flop per context, and 4 comparators of 12 bits
module castor_tb_swap #(
  parameter int unsigned MaxTb     = 32,   // contexts of the SM, and jobs that wait, 1..64
  parameter int unsigned NumHomes  = 64,   // register homes, and shared homes, MaxTb..64
  parameter int unsigned NumPlaces = 64,   // places of on-chip storage, 1..64
  parameter int unsigned NumRegs   = 256,  // registers of a thread, 8..256
  parameter int unsigned NumSites  = 16,   // sites with a mask of live registers, 1..64
  parameter int unsigned RoSegs    = 2,    // read-only segments of a thread block, 1..4
  localparam int unsigned SlotWidth = (MaxTb > 1) ? $clog2(MaxTb) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Kernel.
  input  logic [7:0]  sm_id_i,          // number of the SM; constant
  input  logic        cfg_valid_i,      // a kernel starts: resets the state; other inputs are ignored
  input  logic [5:0]  cfg_warps_i,      // warps of a thread block, 1..32
  input  logic [8:0]  cfg_regs_i,       // registers of a thread, 1..NumRegs
  input  logic [5:0]  cfg_simt_i,       // SIMT lines of a thread block, 1 or more
  input  logic [10:0] cfg_smem_i,       // lines of shared memory of a thread block; 0: none
  input  logic [6:0]  cfg_slots_i,      // contexts in use; homes 0 .. cfg_slots - 1 belong to them
  input  logic [6:0]  cfg_rhomes_i,     // register homes, cfg_slots..NumHomes
  input  logic [6:0]  cfg_shomes_i,     // shared homes, cfg_slots..NumHomes
  input  logic [6:0]  cfg_in_place_i,   // places for thread blocks that keep their homes
  input  logic [6:0]  cfg_copies_i,     // places for copies, behind those
  input  logic [1:0]  cfg_direction_i,  // copies: 0 none, 1 registers, 2 shared memory go to a place
  input  logic        cfg_live_i,       // only live registers move
  input  logic        cfg_read_only_i,  // thread blocks may have read-only segments
  input  logic [9:0]  cfg_threshold_i,  // requests of the SM at which accesses to memory pause, 8 or more

  // Sites and read-only segments.
  input  logic                 site_valid_i,  // writes the live registers of a site
  input  logic [6:0]           site_index_i,  // site; NumSites or more: ignored
  input  logic [NumRegs-1:0]   site_mask_i,   // live registers at the site
  input  logic                 ro_valid_i,    // writes a read-only segment of a thread block
  input  logic [SlotWidth-1:0] ro_slot_i,     // context of the thread block
  input  logic [1:0]           ro_index_i,    // segment; RoSegs or more: ignored
  input  logic [10:0]          ro_lines_i,    // lines; 0: no segment any more
  input  logic [10:0]          ro_first_i,    // first line of shared memory
  input  logic [32:0]          ro_address_i,  // address of the global line that equals the first line

  // Jobs.
  input  logic                 job_valid_i,   // a job is offered
  output logic                 job_ready_o,   // the job is accepted
  input  logic [SlotWidth-1:0] job_slot_i,    // context
  input  logic                 job_out_i,     // the thread block of the context is moved out
  input  logic [23:0]          job_gid_i,     // number of the thread block that is moved out
  input  logic [6:0]           job_site_i,    // site at which it waits; 127: all registers
  input  logic                 job_new_i,     // nothing is moved in: a TB starts in the context, or none
  input  logic [23:0]          job_in_gid_i,  // number of the thread block that starts or is moved in
  input  logic [159:0]         job_entry_i,   // entry of the thread block that is moved in
  input  logic                 local_room_i,  // the entry of one more TB that stays in the SM can be kept

  // Thread blocks that have been moved out.
  output logic                 parked_valid_o,  // a thread block has been moved out of its context
  input  logic                 parked_ready_i,  // the entry is accepted
  output logic [SlotWidth-1:0] parked_slot_o,   // context
  output logic                 parked_local_o,  // a part of the thread block stays in this SM
  output logic [159:0]         parked_entry_o,  // where the thread block is

  // Contexts that have been filled.
  output logic                 enter_valid_o,   // a context holds its next thread block, or is free for it
  input  logic                 enter_ready_i,   // the context is accepted
  output logic [SlotWidth-1:0] enter_slot_o,    // context
  output logic                 enter_new_o,     // job_new of the job
  output logic [23:0]          enter_gid_o,     // job_in_gid of the job
  output logic [5:0]           enter_rhome_o,   // register home of the context
  output logic [5:0]           enter_shome_o,   // shared home of the context
  output logic                 enter_free_o,    // the image at enter_address is not needed any more
  output logic [32:0]          enter_address_o,  // address of that image in lines; else 0

  // Images in memory.
  output logic        page_request_o,  // an image is needed
  input  logic        page_valid_i,    // an image is granted; ignored unless page_request_o
  input  logic [32:0] page_address_i,  // address of the image in lines

  // Accesses.
  output logic                        access_valid_o,    // an access to a line
  input  logic                        access_ready_i,    // the access is accepted
  output logic                        access_store_o,    // 1: to the address; 0: to the SM's storage
  output logic [1:0]                  access_type_o,     // SIMT line, register, shared memory, read-only
  output logic                        access_local_o,    // the address is that of a place
  output logic [SlotWidth-1:0]        access_slot_o,     // context
  output logic [4:0]                  access_warp_o,     // register: number of the warp in its thread block
  output logic [7:0]                  access_reg_o,      // register: its number
  output logic [10:0]                 access_line_o,     // SIMT line, or line of shared memory
  output logic [5:0]                  access_home_o,     // register home, or shared home
  output logic [32:0]                 access_address_o,  // address in lines
  input  logic                        load_done_i,       // a load has been performed
  input  logic [9:0]                  outstanding_i,     // requests of the SM without a reply
  output logic                        block_memory_o     // an access to memory is offered: no memory instruction issues
);
  if (MaxTb < 1 || MaxTb > 64) begin : gen_bad_max_tb
    $error("castor_tb_swap: MaxTb must be 1..64");
  end
  if (NumHomes < MaxTb || NumHomes > 64) begin : gen_bad_num_homes
    $error("castor_tb_swap: NumHomes must be MaxTb..64");
  end
  if (NumPlaces < 1 || NumPlaces > 64) begin : gen_bad_num_places
    $error("castor_tb_swap: NumPlaces must be 1..64");
  end
  if (NumRegs < 8 || NumRegs > 256) begin : gen_bad_num_regs
    $error("castor_tb_swap: NumRegs must be 8..256");
  end
  if (NumSites < 1 || NumSites > 64) begin : gen_bad_num_sites
    $error("castor_tb_swap: NumSites must be 1..64");
  end
  if (RoSegs < 1 || RoSegs > 4) begin : gen_bad_ro_segs
    $error("castor_tb_swap: RoSegs must be 1..4");
  end

  localparam int unsigned JobWidth   = 168;
  localparam int unsigned QueueDepth = (MaxTb > 1) ? MaxTb : 2;  // the FIFO has two entries or more
  localparam int unsigned CountWidth = $clog2(QueueDepth + 1);

  // Constants of the kernel; set when it starts.
  logic [5:0]  warps_q;
  logic [8:0]  regs_q;
  logic [5:0]  simt_q;
  logic [10:0] smem_q;
  logic [6:0]  in_place_q, copies_q;
  logic [1:0]  direction_q;
  logic        live_q, read_only_q;
  logic [9:0]  threshold_q;

  // Job for the machine that moves thread blocks in. hand_valid_q: a job waits; set by the hand-over, cleared when that
  // machine takes the job.
  logic                      hand_valid_q;
  logic [SlotWidth-1:0]      hand_slot_q;  // context; set by the hand-over
  castor_tb_swap_pkg::fill_t hand_fill_q;  // what the context gets; set by the hand-over
  logic [5:0]                hand_rhome_q, hand_shome_q;  // homes of the context; set by the hand-over

  // Access register. access_valid_q: an access is offered; set when it is written, cleared when it is accepted. The
  // other registers are set with it, and 0 without an access.
  logic                        access_valid_q, access_store_q, access_local_q;
  castor_tb_swap_pkg::access_e access_type_q;
  logic [SlotWidth-1:0]        access_slot_q;
  logic [4:0]                  access_warp_q;
  logic [7:0]                  access_reg_q;
  logic [10:0]                 access_line_q;
  logic [5:0]                  access_home_q;
  logic [32:0]                 access_address_q;

  logic [13:0] loads_q;  // loads that have not been performed; counted up when one is written, down by load_done_i
  logic        stopped_q;  // accesses to memory pause: set at the threshold, cleared 4 requests below it or when idle

  // ---------------------------------------------------------------------------------------------------------------
  // Job queue.
  castor_tb_swap_pkg::job_t job_in, job_head;
  logic [SlotWidth-1:0]     job_head_slot;
  logic [CountWidth-1:0]    job_count;
  logic                     job_empty, job_pop;

  assign job_in.moves_out             = job_out_i;
  assign job_in.gid                   = job_gid_i;
  assign job_in.site                  = job_site_i;
  assign job_in.fill.is_new           = job_new_i;
  assign job_in.fill.gid              = job_in_gid_i;
  assign job_in.fill.parked.reg_loc   = job_entry_i[127:126];
  assign job_in.fill.parked.smem_loc  = job_entry_i[125:124];
  assign job_in.fill.parked.simt_loc  = job_entry_i[123];
  assign job_in.fill.parked.reg_line  = job_entry_i[119:87];
  assign job_in.fill.parked.site      = job_entry_i[86:80];
  assign job_in.fill.parked.smem_line = job_entry_i[79:47];
  assign job_in.fill.parked.simt_line = job_entry_i[39:7];

  assign job_ready_o = (32'(job_count) < MaxTb);

  castor_fifo #(
    .Width (JobWidth + SlotWidth),
    .Depth (QueueDepth)
  ) u_jobs (
    .clk_i,
    .rst_ni,
    .clear_i (cfg_valid_i),
    .push_i  (job_valid_i && job_ready_o),
    .data_i  ({job_slot_i, job_in}),
    .pop_i   (job_pop),
    .data_o  ({job_head_slot, job_head}),
    .empty_o (job_empty),
    .full_o  (),
    .count_o (job_count)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Machines, and the choice of the access. free: the access register may be written in this cycle.
  castor_tb_swap_pkg::fill_t   out_fill;
  castor_tb_swap_pkg::access_e out_type, in_type;
  logic [SlotWidth-1:0]        out_slot, in_slot;
  logic                        out_moves, out_want, out_local, out_go, out_busy;
  logic                        out_line_read, out_covered, out_mask_read;
  logic                        in_want, in_local, in_go, in_busy, in_line_read, in_covered, in_mask_read;
  logic [4:0]                  out_warp, in_warp;
  logic [7:0]                  out_reg, in_reg;
  logic [5:0]                  out_home, in_home;
  logic [32:0]                 out_address, in_address, in_equal;
  logic [11:0]                 out_line, out_end, in_line;
  logic [NumRegs-1:0]          out_mask, in_mask;
  logic [6:0]                  out_site, in_site;
  logic                        decide, keeps_rhome, keeps_shome, hand, hand_pop, free_place;
  logic                        loading, free, busy, has_shared;
  logic [2:0]                  class_chosen;
  logic [5:0]                  next_rhome, next_shome, place, rhome, shome, hand_rhome, hand_shome;
  logic [20:0]                 freed_place;
  castor_tb_swap_pkg::out_e    out_state;
  castor_tb_swap_pkg::in_e     in_state;
  logic [NumHomes-1:0]         free_rhomes, free_shomes;
  logic [NumPlaces-1:0]        free_places;
  logic [MaxTb*6-1:0]          rhomes, shomes;

  assign free       = !access_valid_q || access_ready_i;
  assign out_go     = free && out_want && (out_local || !stopped_q);
  assign in_go      = free && !out_go && in_want && (in_local || !stopped_q);
  assign loading    = (loads_q != '0);
  assign busy       = out_busy || !job_empty || hand_valid_q || in_busy || access_valid_q;
  assign has_shared = (smem_q != '0);

  castor_tb_swap_out #(
    .MaxTb   (MaxTb),
    .NumRegs (NumRegs)
  ) u_out (
    .clk_i,
    .rst_ni,
    .clear_i        (cfg_valid_i),
    .sm_id_i,
    .warps_i        (warps_q[4:0]),
    .simt_i         (simt_q),
    .smem_i         (smem_q),
    .job_valid_i    (!job_empty),
    .job_slot_i     (job_head_slot),
    .job_i          (job_head),
    .job_pop_o      (job_pop),
    .decide_o       (decide),
    .slot_o         (out_slot),
    .moves_out_o    (out_moves),
    .site_o         (out_site),
    .fill_o         (out_fill),
    .class_i        (class_chosen),
    .keeps_rhome_i  (keeps_rhome),
    .keeps_shome_i  (keeps_shome),
    .next_rhome_i   (next_rhome),
    .next_shome_i   (next_shome),
    .place_i        (place),
    .rhome_i        (rhome),
    .shome_i        (shome),
    .page_request_o,
    .page_valid_i,
    .page_address_i,
    .mask_read_o    (out_mask_read),
    .mask_i         (out_mask),
    .line_read_o    (out_line_read),
    .line_o         (out_line),
    .covered_i      (out_covered),
    .end_i          (out_end),
    .want_o         (out_want),
    .go_i           (out_go),
    .local_o        (out_local),
    .type_o         (out_type),
    .warp_o         (out_warp),
    .reg_o          (out_reg),
    .home_o         (out_home),
    .address_o      (out_address),
    .parked_valid_o,
    .parked_ready_i,
    .parked_slot_o,
    .parked_local_o,
    .parked_entry_o,
    .hand_blocked_i (hand_valid_q || (access_valid_q && access_store_q)),
    .hand_o         (hand),
    .hand_rhome_o   (hand_rhome),
    .hand_shome_o   (hand_shome),
    .busy_o         (out_busy),
    .state_o        (out_state)
  );

  castor_tb_swap_in #(
    .MaxTb   (MaxTb),
    .NumRegs (NumRegs)
  ) u_in (
    .clk_i,
    .rst_ni,
    .clear_i         (cfg_valid_i),
    .warps_i         (warps_q[4:0]),
    .simt_i          (simt_q),
    .smem_i          (smem_q),
    .read_only_i     (read_only_q),
    .hand_valid_i    (hand_valid_q),
    .hand_slot_i     (hand_slot_q),
    .hand_fill_i     (hand_fill_q),
    .hand_rhome_i    (hand_rhome_q),
    .hand_shome_i    (hand_shome_q),
    .hand_pop_o      (hand_pop),
    .slot_o          (in_slot),
    .mask_read_o     (in_mask_read),
    .site_o          (in_site),
    .mask_i          (in_mask),
    .line_read_o     (in_line_read),
    .line_o          (in_line),
    .covered_i       (in_covered),
    .equal_i         (in_equal),
    .want_o          (in_want),
    .go_i            (in_go),
    .local_o         (in_local),
    .type_o          (in_type),
    .warp_o          (in_warp),
    .reg_o           (in_reg),
    .home_o          (in_home),
    .address_o       (in_address),
    .loading_i       (loading),
    .enter_valid_o,
    .enter_ready_i,
    .enter_slot_o,
    .enter_new_o,
    .enter_gid_o,
    .enter_rhome_o,
    .enter_shome_o,
    .enter_free_o,
    .enter_address_o,
    .free_place_o    (free_place),
    .freed_place_o   (freed_place),
    .busy_o          (in_busy),
    .state_o         (in_state)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Storage and tables.
  castor_tb_swap_storage #(
    .MaxTb     (MaxTb),
    .NumHomes  (NumHomes),
    .NumPlaces (NumPlaces)
  ) u_storage (
    .clk_i,
    .rst_ni,
    .load_i          (cfg_valid_i),
    .load_slots_i    (cfg_slots_i),
    .load_rhomes_i   (cfg_rhomes_i),
    .load_shomes_i   (cfg_shomes_i),
    .load_in_place_i (cfg_in_place_i),
    .load_copies_i   (cfg_copies_i),
    .in_place_i      (in_place_q),
    .copies_i        (copies_q),
    .direction_i     (direction_q),
    .has_shared_i    (has_shared),
    .decide_i        (decide),
    .local_room_i,
    .slot_i          (out_slot),
    .moves_out_i     (out_moves),
    .rbrings_i       (!out_fill.is_new && out_fill.parked.reg_loc == castor_tb_swap_pkg::LocHome),
    .sbrings_i       (!out_fill.is_new && out_fill.parked.smem_loc == castor_tb_swap_pkg::LocHome),
    .rbrought_i      (out_fill.parked.reg_line[5:0]),
    .sbrought_i      (out_fill.parked.smem_line[5:0]),
    .class_o         (class_chosen),
    .keeps_rhome_o   (keeps_rhome),
    .keeps_shome_o   (keeps_shome),
    .next_rhome_o    (next_rhome),
    .next_shome_o    (next_shome),
    .place_o         (place),
    .rhome_o         (rhome),
    .shome_o         (shome),
    .fill_i          (hand_pop),
    .fill_slot_i     (hand_slot_q),
    .fill_rhome_i    (hand_rhome_q),
    .fill_shome_i    (hand_shome_q),
    .free_place_i    (free_place),
    .freed_place_i   (freed_place),
    .free_rhomes_o   (free_rhomes),
    .free_shomes_o   (free_shomes),
    .free_places_o   (free_places),
    .rhomes_o        (rhomes),
    .shomes_o        (shomes)
  );

  castor_tb_swap_sites #(
    .NumRegs  (NumRegs),
    .NumSites (NumSites)
  ) u_sites (
    .clk_i,
    .rst_ni,
    .clear_i  (cfg_valid_i),
    .write_i  (site_valid_i),
    .index_i  (site_index_i),
    .mask_i   (site_mask_i),
    .live_i   (live_q),
    .regs_i   (regs_q),
    .read_a_i (out_mask_read),
    .site_a_i (out_site),
    .mask_a_o (out_mask),
    .read_b_i (in_mask_read),
    .site_b_i (in_site),
    .mask_b_o (in_mask)
  );

  castor_tb_swap_segments #(
    .MaxTb  (MaxTb),
    .RoSegs (RoSegs)
  ) u_segments (
    .clk_i,
    .rst_ni,
    .clear_i       (cfg_valid_i),
    .enable_i      (read_only_q),
    .drop_i        (hand_pop),
    .drop_slot_i   (hand_slot_q),
    .write_i       (ro_valid_i),
    .slot_i        (ro_slot_i),
    .index_i       (ro_index_i),
    .lines_i       (ro_lines_i),
    .first_i       (ro_first_i),
    .address_i     (ro_address_i),
    .out_read_i    (out_line_read),
    .out_slot_i    (out_slot),
    .out_line_i    (out_line),
    .out_covered_o (out_covered),
    .out_end_o     (out_end),
    .in_read_i     (in_line_read),
    .in_slot_i     (in_slot),
    .in_line_i     (in_line),
    .in_covered_o  (in_covered),
    .in_address_o  (in_equal)
  );

  // ---------------------------------------------------------------------------------------------------------------
  assign access_valid_o   = access_valid_q;
  assign access_store_o   = access_store_q;
  assign access_type_o    = access_type_q;
  assign access_local_o   = access_local_q;
  assign access_slot_o    = access_slot_q;
  assign access_warp_o    = access_warp_q;
  assign access_reg_o     = access_reg_q;
  assign access_line_o    = access_line_q;
  assign access_home_o    = access_home_q;
  assign access_address_o = access_address_q;
  assign block_memory_o   = access_valid_q && !access_local_q;

  // Access register.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || cfg_valid_i || (free && !out_go && !in_go)) begin
      access_valid_q   <= 1'b0;
      access_store_q   <= 1'b0;
      access_type_q    <= castor_tb_swap_pkg::TypeSimt;
      access_local_q   <= 1'b0;
      access_slot_q    <= '0;
      access_warp_q    <= '0;
      access_reg_q     <= '0;
      access_line_q    <= '0;
      access_home_q    <= '0;
      access_address_q <= '0;
    end else if (out_go) begin
      access_valid_q   <= 1'b1;
      access_store_q   <= 1'b1;
      access_type_q    <= out_type;
      access_local_q   <= out_local;
      access_slot_q    <= out_slot;
      access_warp_q    <= out_warp;
      access_reg_q     <= out_reg;
      access_line_q    <= (out_type == castor_tb_swap_pkg::TypeRegister) ? '0 : out_line[10:0];
      access_home_q    <= out_home;
      access_address_q <= out_address;
    end else if (in_go) begin
      access_valid_q   <= 1'b1;
      access_store_q   <= 1'b0;
      access_type_q    <= in_type;
      access_local_q   <= in_local;
      access_slot_q    <= in_slot;
      access_warp_q    <= in_warp;
      access_reg_q     <= in_reg;
      access_line_q    <= (in_type == castor_tb_swap_pkg::TypeRegister) ? '0 : in_line[10:0];
      access_home_q    <= in_home;
      access_address_q <= in_address;
    end
  end

  // Constants of the kernel, hand-over, loads, and the pause of accesses to memory.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      warps_q      <= '0;
      regs_q       <= '0;
      simt_q       <= '0;
      smem_q       <= '0;
      in_place_q   <= '0;
      copies_q     <= '0;
      direction_q  <= '0;
      live_q       <= 1'b0;
      read_only_q  <= 1'b0;
      threshold_q  <= '0;
      hand_valid_q <= 1'b0;
      hand_slot_q  <= '0;
      hand_fill_q  <= '0;
      hand_rhome_q <= '0;
      hand_shome_q <= '0;
      loads_q      <= '0;
      stopped_q    <= 1'b0;
    end else if (cfg_valid_i) begin
      warps_q      <= cfg_warps_i;
      regs_q       <= cfg_regs_i;
      simt_q       <= cfg_simt_i;
      smem_q       <= cfg_smem_i;
      in_place_q   <= cfg_in_place_i;
      copies_q     <= cfg_copies_i;
      direction_q  <= cfg_direction_i;
      live_q       <= cfg_live_i;
      read_only_q  <= cfg_read_only_i;
      threshold_q  <= cfg_threshold_i;
      hand_valid_q <= 1'b0;
      loads_q      <= '0;
      stopped_q    <= 1'b0;
    end else begin
      if (hand) begin
        hand_valid_q <= 1'b1;
        hand_slot_q  <= out_slot;
        hand_fill_q  <= out_fill;
        hand_rhome_q <= hand_rhome;
        hand_shome_q <= hand_shome;
      end else if (hand_pop) begin
        hand_valid_q <= 1'b0;
      end
      loads_q <= loads_q + 14'(in_go) - 14'(load_done_i);
      if (!busy) begin
        stopped_q <= 1'b0;
      end else if (outstanding_i >= threshold_q) begin
        stopped_q <= 1'b1;
      end else if ({1'b0, outstanding_i} + 11'd4 <= {1'b0, threshold_q}) begin
        stopped_q <= 1'b0;
      end
    end
  end
endmodule
