// States of the swap engine's two machines, types of accesses, and the records of its job queue.
package castor_tb_swap_pkg;
  // State of the machine that moves thread blocks out.
  typedef enum logic [3:0] {
    OutIdle      = 4'd0,  // waits for a job
    OutPlace     = 4'd1,  // decides where the thread block goes
    OutPage      = 4'd2,  // waits for an image in memory
    OutSimt      = 4'd3,  // stores SIMT lines
    OutMask      = 4'd4,  // fetches the live registers
    OutRegisters = 4'd5,  // stores registers
    OutShared    = 4'd6,  // stores lines of shared memory
    OutPush      = 4'd7,  // offers the entry of the parked thread block
    OutHand      = 4'd8   // hands the job over to the other machine
  } out_e;

  // State of the machine that moves thread blocks in.
  typedef enum logic [2:0] {
    InIdle      = 3'd0,  // waits for a job
    InSimt      = 3'd1,  // loads SIMT lines
    InSegments  = 3'd2,  // waits for the SIMT loads, with which the read-only segments arrive
    InMask      = 3'd3,  // fetches the live registers
    InRegisters = 3'd4,  // loads registers
    InShared    = 3'd5,  // loads lines of shared memory
    InWait      = 3'd6,  // waits for outstanding loads
    InDone      = 3'd7   // offers the filled context
  } in_e;

  // What an access moves.
  typedef enum logic [1:0] {
    TypeSimt     = 2'd0,  // SIMT line
    TypeRegister = 2'd1,  // register of a warp
    TypeShared   = 2'd2,  // line of shared memory
    TypeReadOnly = 2'd3   // line of shared memory that is loaded from the global memory that it equals
  } access_e;

  // Where a thread block goes: the class of a swap-out.
  localparam logic [2:0] ClassNone      = 3'd0;  // no thread block is moved out
  localparam logic [2:0] ClassInPlace   = 3'd1;  // registers and shared memory keep their homes
  localparam logic [2:0] ClassRegisters = 3'd2;  // registers go to a place, shared memory keeps its home
  localparam logic [2:0] ClassShared    = 3'd3;  // shared memory goes to a place, registers keep their home
  localparam logic [2:0] ClassMemory    = 3'd4;  // everything goes to an image in memory

  // Where registers or shared memory of a parked thread block are.
  localparam logic [1:0] LocHome   = 2'd0;  // in their home; the line number of the entry is the home
  localparam logic [1:0] LocPlace  = 2'd1;  // in a place of on-chip storage
  localparam logic [1:0] LocMemory = 2'd2;  // in memory
  localparam logic [1:0] LocNone   = 2'd3;  // shared memory only: the kernel has none

  // Fields of the entry of a parked thread block that the engine reads.
  typedef struct packed {
    logic [1:0]  reg_loc;    // where the registers are
    logic [1:0]  smem_loc;   // where shared memory is
    logic        simt_loc;   // where SIMT lines are: 0 in a place, 1 in memory
    logic [32:0] reg_line;   // first register line, or register home
    logic [6:0]  site;       // site whose live registers were stored
    logic [32:0] smem_line;  // first line of shared memory, or shared home
    logic [32:0] simt_line;  // first SIMT line
  } parked_t;

  // The half of a job that fills the context.
  typedef struct packed {
    logic        is_new;  // nothing is moved in: the platform starts a thread block, or none
    logic [23:0] gid;     // number of the thread block
    parked_t     parked;  // where the thread block is; without meaning if is_new is 1
  } fill_t;

  // A job without its context.
  typedef struct packed {
    logic        moves_out;  // the thread block of the context is moved out
    logic [23:0] gid;        // number of that thread block
    logic [6:0]  site;       // site at which it waits
    fill_t       fill;       // what the context gets next
  } job_t;
endpackage
