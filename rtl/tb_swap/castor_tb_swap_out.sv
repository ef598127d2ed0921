// The machine of the swap engine that moves thread blocks out of their contexts, one job at a time, in job order.
//
// Per job: decide where the thread block goes; wait for an image if that is memory; store SIMT lines, live registers
// and shared memory, one line per access; offer the entry of the parked thread block; hand the job over to the machine
// that moves thread blocks in. A job that moves nothing out is handed over after the decision. A thread block that
// stays in its homes moves SIMT lines only.
//
// Cost of one more unit of each parameter:
//   MaxTb    nothing, until the number of a context has one more bit
//   NumRegs  one flip-flop (registers that are still to be moved), and one input of the search for the next register
module castor_tb_swap_out #(
  parameter int unsigned MaxTb   = 32,
  parameter int unsigned NumRegs = 256,
  localparam int unsigned SlotWidth = (MaxTb > 1) ? $clog2(MaxTb) : 1
) (
  input  logic clk_i,    // clock
  input  logic rst_ni,   // synchronous reset, active low
  input  logic clear_i,  // a kernel starts: the machine becomes idle; overrides all else

  // Constants of the SM and of the kernel.
  input  logic [7:0]  sm_id_i,  // number of the SM
  input  logic [4:0]  warps_i,  // warps of a thread block; 0: 32
  input  logic [5:0]  simt_i,   // SIMT lines of a thread block
  input  logic [10:0] smem_i,   // lines of shared memory of a thread block

  // Job queue.
  input  logic                      job_valid_i,  // a job waits
  input  logic [SlotWidth-1:0]      job_slot_i,   // its context
  input  castor_tb_swap_pkg::job_t  job_i,        // the job
  output logic                      job_pop_o,    // the job is taken

  // Decision, and homes of the context (castor_tb_swap_storage).
  output logic                      decide_o,       // the job is decided in this cycle
  output logic [SlotWidth-1:0]      slot_o,         // context of the job
  output logic                      moves_out_o,    // it moves a thread block out
  output logic [6:0]                site_o,         // site at which that thread block waits
  output castor_tb_swap_pkg::fill_t fill_o,         // what the context gets next
  input  logic [2:0]                class_i,        // where the thread block goes
  input  logic                      keeps_rhome_i,  // it keeps its register home
  input  logic                      keeps_shome_i,  // it keeps its shared home
  input  logic [5:0]                next_rhome_i,   // register home of the context afterwards
  input  logic [5:0]                next_shome_i,   // shared home of the context afterwards
  input  logic [5:0]                place_i,        // place of the thread block
  input  logic [5:0]                rhome_i,        // register home of the context now
  input  logic [5:0]                shome_i,        // shared home of the context now

  // Images in memory.
  output logic        page_request_o,  // an image is needed
  input  logic        page_valid_i,    // an image is granted; ignored unless page_request_o
  input  logic [32:0] page_address_i,  // address of the image in lines

  // Live registers, and read-only segments.
  output logic               mask_read_o,  // the mask of the job's site is read
  input  logic [NumRegs-1:0] mask_i,       // registers of a warp that are moved
  output logic               line_read_o,  // a line of shared memory is looked up
  output logic [11:0]        line_o,       // SIMT lines done, or line of shared memory
  input  logic               covered_i,    // a read-only segment covers the line
  input  logic [11:0]        end_i,        // line behind that segment

  // Access.
  output logic                        want_o,     // an access is wanted
  input  logic                        go_i,       // the access is written into the access register
  output logic                        local_o,    // the address is that of a place
  output castor_tb_swap_pkg::access_e type_o,     // what moves
  output logic [4:0]                  warp_o,     // register: number of the warp
  output logic [7:0]                  reg_o,      // register: its number
  output logic [5:0]                  home_o,     // register home, or shared home; 0 for a SIMT line
  output logic [32:0]                 address_o,  // address in lines

  // Entry of the parked thread block.
  output logic                 parked_valid_o,  // a thread block has been moved out
  input  logic                 parked_ready_i,  // the entry is accepted
  output logic [SlotWidth-1:0] parked_slot_o,   // its context
  output logic                 parked_local_o,  // a part of the thread block stays in this SM
  output logic [159:0]         parked_entry_o,  // its entry

  // Hand-over to the machine that moves thread blocks in.
  input  logic                      hand_blocked_i,  // another job waits there, or a store waits at the port
  output logic                      hand_o,          // the job is handed over
  output logic [5:0]                hand_rhome_o,    // register home of the context from now on
  output logic [5:0]                hand_shome_o,    // shared home of the context from now on
  output logic                      busy_o,          // the machine has a job
  output castor_tb_swap_pkg::out_e  state_o          // state of the machine
);
  localparam int unsigned RegWidth = $clog2(NumRegs);

  castor_tb_swap_pkg::out_e state_q;  // state of the machine
  logic [SlotWidth-1:0]     slot_q;  // context of the job; set when the job is taken, 0 without one
  castor_tb_swap_pkg::job_t job_q;  // the job; set when it is taken
  logic [2:0]               class_q;  // where the thread block goes; set by the decision
  logic [5:0]               next_rhome_q;  // register home of the context afterwards; set by the decision
  logic [5:0]               next_shome_q;  // shared home of the context afterwards; set by the decision
  logic                     keeps_rhome_q;  // the thread block keeps its register home; set by the decision
  logic                     keeps_shome_q;  // the thread block keeps its shared home; set by the decision
  logic [32:0]              address_q;  // address of the next line; set by the decision or grant, advanced per access
  logic [32:0]              simt_line_q;  // first SIMT line; set by the decision or grant
  logic [32:0]              reg_line_q;  // first register line; set when the mask is fetched, cleared by the decision
  logic [32:0]              smem_line_q;  // first line of shared memory; set before it moves, cleared by the decision
  logic [11:0]              line_q;  // SIMT lines done, or next line of shared memory; cleared before each of the two
  logic [4:0]               warp_q;  // warp whose registers move; advanced per warp, 0 in other states
  logic [NumRegs-1:0]       mask_q;  // registers of that warp that are still to be moved; 0 in other states

  // ---------------------------------------------------------------------------------------------------------------
  // Accesses. next_address: of the line after the access of this cycle. last_simt, last_reg, last_warp: the access is
  // the last of its kind. regs_done: registers have been moved, or need not be.
  logic                moves_simt, moves_regs, moves_shared, fetches, in_shared;
  logic                last_simt, last_reg, last_warp, regs_done;
  logic [RegWidth-1:0] lowest_reg;
  logic [NumRegs-1:0]  rest;
  logic [32:0]         next_address;

  assign moves_simt   = (state_q == castor_tb_swap_pkg::OutSimt);
  assign fetches      = (state_q == castor_tb_swap_pkg::OutMask);
  assign moves_regs   = (state_q == castor_tb_swap_pkg::OutRegisters);
  assign moves_shared = (state_q == castor_tb_swap_pkg::OutShared);
  assign in_shared    = moves_shared && (line_q < {1'b0, smem_i});
  assign line_read_o  = in_shared;
  assign line_o       = line_q;

  castor_tb_swap_lowest #(
    .Num (NumRegs)
  ) u_lowest (
    .bits_i   (mask_q),
    .lowest_o (lowest_reg)
  );

  always_comb begin
    rest = '0;
    if (moves_regs) begin
      rest = mask_q & (mask_q - 1'b1);
    end
  end

  assign last_simt    = (line_q + 12'd1 == 12'(simt_i));
  assign last_reg     = moves_regs && (rest == '0);
  assign last_warp    = (warp_q + 5'd1 == warps_i);
  assign next_address = address_q + 33'd1;
  assign mask_read_o  = fetches || last_reg;
  assign regs_done    = (moves_simt && go_i && last_simt && keeps_rhome_q) || (fetches && mask_i == '0) ||
                        (last_reg && go_i && last_warp);

  assign want_o    = moves_simt || moves_regs || (in_shared && !covered_i);
  assign local_o   = (class_q != castor_tb_swap_pkg::ClassMemory);
  assign warp_o    = warp_q;
  assign reg_o     = 8'(lowest_reg);
  assign home_o    = moves_regs ? rhome_i : moves_shared ? shome_i : '0;
  assign type_o    = moves_regs ? castor_tb_swap_pkg::TypeRegister :
                     moves_shared ? castor_tb_swap_pkg::TypeShared : castor_tb_swap_pkg::TypeSimt;
  assign address_o = address_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Entry of the parked thread block. The homes are those of the context, which changes them only when its next thread
  // block moves in.
  castor_tb_swap_pkg::parked_t parked;
  logic                        has_shared;

  assign has_shared = (smem_i != '0);

  always_comb begin
    parked         = '0;
    parked_slot_o  = '0;
    parked_local_o = 1'b0;
    parked_entry_o = '0;
    if (parked_valid_o) begin
      parked.reg_loc   = keeps_rhome_q ? castor_tb_swap_pkg::LocHome :
                         (class_q == castor_tb_swap_pkg::ClassRegisters) ? castor_tb_swap_pkg::LocPlace :
                         castor_tb_swap_pkg::LocMemory;
      parked.smem_loc  = !has_shared ? castor_tb_swap_pkg::LocNone :
                         keeps_shome_q ? castor_tb_swap_pkg::LocHome :
                         (class_q == castor_tb_swap_pkg::ClassShared) ? castor_tb_swap_pkg::LocPlace :
                         castor_tb_swap_pkg::LocMemory;
      parked.simt_loc  = !local_o;
      parked.reg_line  = keeps_rhome_q ? 33'(rhome_i) : reg_line_q;
      parked.site      = job_q.site;
      parked.smem_line = !has_shared ? '0 : keeps_shome_q ? 33'(shome_i) : smem_line_q;
      parked.simt_line = simt_line_q;
      parked_slot_o    = slot_q;
      parked_local_o   = local_o;
      parked_entry_o   = {job_q.gid, sm_id_i, parked.reg_loc, parked.smem_loc, parked.simt_loc, 3'd0, parked.reg_line,
                          parked.site, parked.smem_line, 7'd0, parked.simt_line, 7'd0};
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  assign state_o        = state_q;
  assign busy_o         = (state_q != castor_tb_swap_pkg::OutIdle);
  assign job_pop_o      = !busy_o && job_valid_i;
  assign decide_o       = (state_q == castor_tb_swap_pkg::OutPlace);
  assign slot_o         = slot_q;
  assign moves_out_o    = job_q.moves_out;
  assign site_o         = job_q.site;
  assign fill_o         = job_q.fill;
  assign page_request_o = (state_q == castor_tb_swap_pkg::OutPage);
  assign parked_valid_o = (state_q == castor_tb_swap_pkg::OutPush);
  assign hand_o         = (state_q == castor_tb_swap_pkg::OutHand) && !hand_blocked_i;
  assign hand_rhome_o   = next_rhome_q;
  assign hand_shome_o   = next_shome_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q       <= castor_tb_swap_pkg::OutIdle;
      slot_q        <= '0;
      job_q         <= '0;
      class_q       <= '0;
      next_rhome_q  <= '0;
      next_shome_q  <= '0;
      keeps_rhome_q <= 1'b0;
      keeps_shome_q <= 1'b0;
      address_q     <= '0;
      simt_line_q   <= '0;
      reg_line_q    <= '0;
      smem_line_q   <= '0;
      line_q        <= '0;
      warp_q        <= '0;
      mask_q        <= '0;
    end else if (clear_i) begin
      state_q <= castor_tb_swap_pkg::OutIdle;
      slot_q  <= '0;
      warp_q  <= '0;
      mask_q  <= '0;
    end else begin
      unique case (state_q)
        castor_tb_swap_pkg::OutIdle: begin
          if (job_valid_i) begin
            state_q <= castor_tb_swap_pkg::OutPlace;
            slot_q  <= job_slot_i;
            job_q   <= job_i;
          end
        end
        castor_tb_swap_pkg::OutPlace: begin
          state_q       <= (class_i == castor_tb_swap_pkg::ClassNone) ? castor_tb_swap_pkg::OutHand :
                           (class_i == castor_tb_swap_pkg::ClassMemory) ? castor_tb_swap_pkg::OutPage :
                           castor_tb_swap_pkg::OutSimt;
          class_q       <= class_i;
          next_rhome_q  <= next_rhome_i;
          next_shome_q  <= next_shome_i;
          keeps_rhome_q <= keeps_rhome_i;
          keeps_shome_q <= keeps_shome_i;
          address_q     <= {15'd0, place_i, 12'd0};
          simt_line_q   <= {15'd0, place_i, 12'd0};
          reg_line_q    <= '0;
          smem_line_q   <= '0;
          line_q        <= '0;
        end
        castor_tb_swap_pkg::OutPage: begin
          if (page_valid_i) begin
            state_q     <= castor_tb_swap_pkg::OutSimt;
            address_q   <= page_address_i;
            simt_line_q <= page_address_i;
          end
        end
        castor_tb_swap_pkg::OutSimt: begin
          if (go_i) begin
            address_q <= next_address;
            line_q    <= line_q + 12'd1;
            if (last_simt) begin
              state_q <= castor_tb_swap_pkg::OutMask;
            end
          end
        end
        castor_tb_swap_pkg::OutMask: begin
          state_q    <= castor_tb_swap_pkg::OutRegisters;
          reg_line_q <= address_q;
          mask_q     <= mask_i;
        end
        castor_tb_swap_pkg::OutRegisters: begin
          if (go_i) begin
            address_q <= next_address;
            mask_q    <= rest;
            if (last_reg) begin
              mask_q <= last_warp ? '0 : mask_i;
              warp_q <= last_warp ? '0 : warp_q + 5'd1;
            end
          end
        end
        castor_tb_swap_pkg::OutShared: begin
          if (!in_shared) begin
            state_q <= castor_tb_swap_pkg::OutPush;
          end else if (covered_i) begin
            line_q <= end_i;
          end else if (go_i) begin
            address_q <= next_address;
            line_q    <= line_q + 12'd1;
          end
        end
        castor_tb_swap_pkg::OutPush: begin
          if (parked_ready_i) begin
            state_q <= castor_tb_swap_pkg::OutHand;
          end
        end
        castor_tb_swap_pkg::OutHand: begin
          if (!hand_blocked_i) begin
            state_q <= castor_tb_swap_pkg::OutIdle;
            slot_q  <= '0;
          end
        end
        default: state_q <= castor_tb_swap_pkg::OutIdle;
      endcase
      // Shared memory follows the registers, unless it keeps its home.
      if (regs_done) begin
        if (has_shared && !keeps_shome_q) begin
          state_q     <= castor_tb_swap_pkg::OutShared;
          line_q      <= '0;
          smem_line_q <= go_i ? next_address : address_q;
        end else begin
          state_q <= castor_tb_swap_pkg::OutPush;
        end
      end
    end
  end
endmodule
