// The machine of the swap engine that moves thread blocks into their contexts, one job at a time, in job order.
//
// Per job: give the context its homes and drop its read-only segments; load SIMT lines, live registers and shared
// memory, one line per access, as far as they are not in the homes; wait for the loads; offer the filled context. If
// the job moves nothing in, the context is offered at once.
//
// A kernel with read-only segments waits for its SIMT lines first, because the segments are kept in them. Lines of
// shared memory that a segment covers are loaded from the global memory that they equal.
//
// Cost of one more unit of each parameter:
//   MaxTb    nothing, until the number of a context has one more bit
//   NumRegs  one flip-flop (registers that are still to be moved), and one input of the search for the next register
module castor_tb_swap_in #(
  parameter int unsigned MaxTb   = 32,
  parameter int unsigned NumRegs = 256,
  localparam int unsigned SlotWidth = (MaxTb > 1) ? $clog2(MaxTb) : 1
) (
  input  logic clk_i,    // clock
  input  logic rst_ni,   // synchronous reset, active low
  input  logic clear_i,  // a kernel starts: the machine becomes idle; overrides all else

  // Constants of the kernel.
  input  logic [4:0]  warps_i,      // warps of a thread block; 0: 32
  input  logic [5:0]  simt_i,       // SIMT lines of a thread block
  input  logic [10:0] smem_i,       // lines of shared memory of a thread block
  input  logic        read_only_i,  // thread blocks may have read-only segments

  // Job that is handed over.
  input  logic                      hand_valid_i,  // a job waits
  input  logic [SlotWidth-1:0]      hand_slot_i,   // its context
  input  castor_tb_swap_pkg::fill_t hand_fill_i,   // what the context gets
  input  logic [5:0]                hand_rhome_i,  // register home of the context
  input  logic [5:0]                hand_shome_i,  // shared home of the context
  output logic                      hand_pop_o,    // the job is taken

  // Live registers, and read-only segments.
  output logic [SlotWidth-1:0] slot_o,       // context of the job
  output logic                 mask_read_o,  // the mask of the entry's site is read
  output logic [6:0]           site_o,       // that site
  input  logic [NumRegs-1:0]   mask_i,       // registers of a warp that are moved
  output logic                 line_read_o,  // a line of shared memory is looked up
  output logic [11:0]          line_o,       // SIMT lines done, or line of shared memory
  input  logic                 covered_i,    // a read-only segment covers the line
  input  logic [32:0]          equal_i,      // address of the global line that equals it

  // Access.
  output logic                        want_o,     // an access is wanted
  input  logic                        go_i,       // the access is written into the access register
  output logic                        local_o,    // the address is that of a place
  output castor_tb_swap_pkg::access_e type_o,     // what moves
  output logic [4:0]                  warp_o,     // register: number of the warp
  output logic [7:0]                  reg_o,      // register: its number
  output logic [5:0]                  home_o,     // register home, or shared home; 0 for a SIMT line
  output logic [32:0]                 address_o,  // address in lines
  input  logic                        loading_i,  // loads have not been performed yet

  // Filled context.
  output logic                 enter_valid_o,    // the context holds its next thread block, or is free for it
  input  logic                 enter_ready_i,    // the platform accepts the context
  output logic [SlotWidth-1:0] enter_slot_o,     // context
  output logic                 enter_new_o,      // nothing was moved in
  output logic [23:0]          enter_gid_o,      // number of the thread block
  output logic [5:0]           enter_rhome_o,    // register home of the context
  output logic [5:0]           enter_shome_o,    // shared home of the context
  output logic                 enter_free_o,     // the image at enter_address_o is not needed any more
  output logic [32:0]          enter_address_o,  // address of that image in lines; else 0
  output logic                 free_place_o,     // the place of the thread block becomes free
  output logic [20:0]          freed_place_o,    // that place
  output logic                     busy_o,       // the machine has a job
  output castor_tb_swap_pkg::in_e  state_o       // state of the machine
);
  localparam int unsigned RegWidth = $clog2(NumRegs);

  castor_tb_swap_pkg::in_e   state_q;  // state of the machine
  logic [SlotWidth-1:0]      slot_q;  // context of the job; set when the job is taken, 0 without one
  castor_tb_swap_pkg::fill_t fill_q;  // what the context gets; set when the job is taken
  logic [5:0]                rhome_q, shome_q;  // homes of the context; set when the job is taken
  logic [32:0]               address_q;  // address of the next line; set before each part, advanced per access
  logic [11:0]               line_q;  // SIMT lines done, or next line of shared memory; cleared before each of the two
  logic [4:0]                warp_q;  // warp whose registers move; advanced per warp, 0 in other states
  logic [NumRegs-1:0]        mask_q;  // registers of that warp that are still to be moved; 0 in other states

  // ---------------------------------------------------------------------------------------------------------------
  // Accesses. last_simt, last_reg, last_warp: the access is the last of its kind. regs_done: registers have been moved,
  // or need not be.
  logic                moves_simt, moves_regs, moves_shared, fetches, in_shared, has_regs;
  logic                last_simt, last_reg, last_warp, regs_done;
  logic [RegWidth-1:0] lowest_reg;
  logic [NumRegs-1:0]  rest;

  assign moves_simt   = (state_q == castor_tb_swap_pkg::InSimt);
  assign fetches      = (state_q == castor_tb_swap_pkg::InMask);
  assign moves_regs   = (state_q == castor_tb_swap_pkg::InRegisters);
  assign moves_shared = (state_q == castor_tb_swap_pkg::InShared);
  assign in_shared    = moves_shared && (line_q < {1'b0, smem_i});
  assign line_read_o  = in_shared;
  assign line_o       = line_q;
  assign slot_o       = slot_q;
  assign site_o       = fill_q.parked.site;

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

  assign last_simt   = (line_q + 12'd1 == 12'(simt_i));
  assign last_reg    = moves_regs && (rest == '0);
  assign last_warp   = (warp_q + 5'd1 == warps_i);
  assign mask_read_o = fetches || last_reg;
  assign has_regs    = (fill_q.parked.reg_loc != castor_tb_swap_pkg::LocHome) && (mask_i != '0);
  assign regs_done   = (fetches && !has_regs) || (last_reg && go_i && last_warp);

  assign want_o    = moves_simt || moves_regs || in_shared;
  assign local_o   = moves_simt ? !fill_q.parked.simt_loc :
                     moves_regs ? (fill_q.parked.reg_loc == castor_tb_swap_pkg::LocPlace) :
                     (fill_q.parked.smem_loc == castor_tb_swap_pkg::LocPlace) && !covered_i;
  assign warp_o    = warp_q;
  assign reg_o     = 8'(lowest_reg);
  assign home_o    = moves_regs ? rhome_q : moves_shared ? shome_q : '0;
  assign type_o    = moves_regs ? castor_tb_swap_pkg::TypeRegister :
                     !moves_shared ? castor_tb_swap_pkg::TypeSimt :
                     covered_i ? castor_tb_swap_pkg::TypeReadOnly : castor_tb_swap_pkg::TypeShared;
  assign address_o = covered_i ? equal_i : address_q;

  // ---------------------------------------------------------------------------------------------------------------
  assign state_o         = state_q;
  assign busy_o          = (state_q != castor_tb_swap_pkg::InIdle);
  assign hand_pop_o      = !busy_o && hand_valid_i;
  assign enter_valid_o   = (state_q == castor_tb_swap_pkg::InDone);
  assign enter_slot_o    = enter_valid_o ? slot_q : '0;
  assign enter_new_o     = enter_valid_o && fill_q.is_new;
  assign enter_gid_o     = enter_valid_o ? fill_q.gid : '0;
  assign enter_rhome_o   = enter_valid_o ? rhome_q : '0;
  assign enter_shome_o   = enter_valid_o ? shome_q : '0;
  assign enter_free_o    = enter_valid_o && !fill_q.is_new && fill_q.parked.simt_loc;
  assign enter_address_o = enter_free_o ? fill_q.parked.simt_line : '0;
  assign free_place_o    = enter_valid_o && enter_ready_i && !fill_q.is_new && !fill_q.parked.simt_loc;
  assign freed_place_o   = fill_q.parked.simt_line[32:12];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= castor_tb_swap_pkg::InIdle;
      slot_q    <= '0;
      fill_q    <= '0;
      rhome_q   <= '0;
      shome_q   <= '0;
      address_q <= '0;
      line_q    <= '0;
      warp_q    <= '0;
      mask_q    <= '0;
    end else if (clear_i) begin
      state_q <= castor_tb_swap_pkg::InIdle;
      slot_q  <= '0;
      warp_q  <= '0;
      mask_q  <= '0;
    end else begin
      unique case (state_q)
        castor_tb_swap_pkg::InIdle: begin
          if (hand_valid_i) begin
            state_q   <= hand_fill_i.is_new ? castor_tb_swap_pkg::InDone : castor_tb_swap_pkg::InSimt;
            slot_q    <= hand_slot_i;
            fill_q    <= hand_fill_i;
            rhome_q   <= hand_rhome_i;
            shome_q   <= hand_shome_i;
            address_q <= hand_fill_i.parked.simt_line;
            line_q    <= '0;
          end
        end
        castor_tb_swap_pkg::InSimt: begin
          if (go_i) begin
            address_q <= address_q + 33'd1;
            line_q    <= line_q + 12'd1;
            if (last_simt) begin
              state_q <= read_only_i ? castor_tb_swap_pkg::InSegments : castor_tb_swap_pkg::InMask;
            end
          end
        end
        castor_tb_swap_pkg::InSegments: begin
          if (!loading_i) begin
            state_q <= castor_tb_swap_pkg::InMask;
          end
        end
        castor_tb_swap_pkg::InMask: begin
          if (has_regs) begin
            state_q   <= castor_tb_swap_pkg::InRegisters;
            address_q <= fill_q.parked.reg_line;
            mask_q    <= mask_i;
          end
        end
        castor_tb_swap_pkg::InRegisters: begin
          if (go_i) begin
            address_q <= address_q + 33'd1;
            mask_q    <= rest;
            if (last_reg) begin
              mask_q <= last_warp ? '0 : mask_i;
              warp_q <= last_warp ? '0 : warp_q + 5'd1;
            end
          end
        end
        castor_tb_swap_pkg::InShared: begin
          if (!in_shared) begin
            state_q <= castor_tb_swap_pkg::InWait;
          end else if (go_i) begin
            line_q <= line_q + 12'd1;
            if (!covered_i) begin
              address_q <= address_q + 33'd1;
            end
          end
        end
        castor_tb_swap_pkg::InWait: begin
          if (!loading_i) begin
            state_q <= castor_tb_swap_pkg::InDone;
          end
        end
        castor_tb_swap_pkg::InDone: begin
          if (enter_ready_i) begin
            state_q <= castor_tb_swap_pkg::InIdle;
            slot_q  <= '0;
          end
        end
        default: state_q <= castor_tb_swap_pkg::InIdle;
      endcase
      // Shared memory follows the registers, unless it is in its home.
      if (regs_done) begin
        if (fill_q.parked.smem_loc == castor_tb_swap_pkg::LocPlace ||
            fill_q.parked.smem_loc == castor_tb_swap_pkg::LocMemory) begin
          state_q   <= castor_tb_swap_pkg::InShared;
          line_q    <= '0;
          address_q <= fill_q.parked.smem_line;
        end else begin
          state_q <= castor_tb_swap_pkg::InWait;
        end
      end
    end
  end
endmodule
