// On-chip storage of the swap engine: homes of registers, homes of shared memory, and places. Decides where a thread
// block that is moved out goes, and which homes its context has afterwards (docs/blocks/tb_swap.md, "Moving out").
//
// The decision is for the job whose fields are at the inputs, and takes effect at the edge while decide_i is 1. In this
// order: in place (needs a place and a spare home of each type), registers to a place, shared memory to a place,
// memory. A thread block that is moved in and was parked in its homes brings them along, so none has to be spare.
//
// Cost of one more unit of each parameter:
//   MaxTb      12 flip-flops, and one input of the multiplexers that read homes
//   NumHomes   2 flip-flops (free lists), and one input of each of two searches
//   NumPlaces  one flip-flop (free list), and one input of each of two searches
module castor_tb_swap_storage #(
  parameter int unsigned MaxTb     = 32,
  parameter int unsigned NumHomes  = 64,
  parameter int unsigned NumPlaces = 64,
  localparam int unsigned SlotWidth = (MaxTb > 1) ? $clog2(MaxTb) : 1
) (
  input  logic       clk_i,   // clock
  input  logic       rst_ni,  // synchronous reset, active low

  // A kernel starts.
  input  logic       load_i,         // loads the free lists and the homes of the contexts
  input  logic [6:0] load_slots_i,   // contexts in use
  input  logic [6:0] load_rhomes_i,  // register homes
  input  logic [6:0] load_shomes_i,  // shared homes
  input  logic [6:0] load_in_place_i,  // places for thread blocks that keep their homes
  input  logic [6:0] load_copies_i,    // places for copies

  // Constants of the kernel.
  input  logic [6:0] in_place_i,    // places for thread blocks that keep their homes
  input  logic [6:0] copies_i,      // places for copies
  input  logic [1:0] direction_i,   // copies: 1 registers go to a place, 2 shared memory goes to a place
  input  logic       has_shared_i,  // the kernel has shared memory

  // Decision.
  input  logic                 decide_i,      // the job is decided
  input  logic                 local_room_i,  // the entry of one more TB that stays in the SM can be kept
  input  logic [SlotWidth-1:0] slot_i,        // context of the job
  input  logic                 moves_out_i,   // the job moves a thread block out
  input  logic                 rbrings_i,     // the thread block that is moved in brings its register home
  input  logic                 sbrings_i,     // it brings its shared home
  input  logic [5:0]           rbrought_i,    // that register home
  input  logic [5:0]           sbrought_i,    // that shared home
  output logic [2:0]           class_o,       // where the thread block goes; 0 while decide_i is 0
  output logic                 keeps_rhome_o,  // it keeps its register home
  output logic                 keeps_shome_o,  // it keeps its shared home
  output logic [5:0]           next_rhome_o,   // register home of the context afterwards
  output logic [5:0]           next_shome_o,   // shared home of the context afterwards
  output logic [5:0]           place_o,        // place of the thread block; 0 if it gets none

  // Homes of the context slot_i.
  output logic [5:0]           rhome_o,  // register home
  output logic [5:0]           shome_o,  // shared home

  // The next thread block of a context moves in, and has been moved in.
  input  logic                 fill_i,        // writes the homes of a context
  input  logic [SlotWidth-1:0] fill_slot_i,   // that context
  input  logic [5:0]           fill_rhome_i,  // its register home
  input  logic [5:0]           fill_shome_i,  // its shared home
  input  logic                 free_place_i,  // a place becomes free
  input  logic [20:0]          freed_place_i,  // that place

  // State.
  output logic [NumHomes-1:0]  free_rhomes_o,  // spare register homes
  output logic [NumHomes-1:0]  free_shomes_o,  // spare shared homes
  output logic [NumPlaces-1:0] free_places_o,  // free places
  output logic [MaxTb*6-1:0]   rhomes_o,       // register home of each context, context t at [6t +: 6]
  output logic [MaxTb*6-1:0]   shomes_o        // shared home of each context
);
  localparam int unsigned PlaceWidth = (NumPlaces > 1) ? $clog2(NumPlaces) : 1;

  logic [NumPlaces-1:0] free_q;  // free places: loaded at a kernel's start, cleared when taken, set when a TB has left

  // ---------------------------------------------------------------------------------------------------------------
  // Places: those below in_place_i are for thread blocks that keep their homes, those behind for copies.
  logic [NumPlaces-1:0]  in_place_free, copies_free;
  logic [PlaceWidth-1:0] in_place_lowest, copies_lowest;
  logic [7:0]            copies_end;

  assign copies_end = {1'b0, in_place_i} + {1'b0, copies_i};

  always_comb begin
    in_place_free = '0;
    copies_free   = '0;
    if (decide_i) begin
      in_place_free = free_q & ~({NumPlaces{1'b1}} << in_place_i);
      copies_free   = free_q & ({NumPlaces{1'b1}} << in_place_i) & ~({NumPlaces{1'b1}} << copies_end);
    end
  end

  castor_tb_swap_lowest #(
    .Num (NumPlaces)
  ) u_in_place (
    .bits_i   (in_place_free),
    .lowest_o (in_place_lowest)
  );

  castor_tb_swap_lowest #(
    .Num (NumPlaces)
  ) u_copies (
    .bits_i   (copies_free),
    .lowest_o (copies_lowest)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Decision. has_next_rhome, has_next_shome: the context gets another home of that type, if it gives up its own.
  logic       some_rhome, some_shome, has_next_rhome, has_next_shome, takes_place;
  logic [5:0] free_rhome, free_shome;

  assign has_next_rhome = rbrings_i || some_rhome;
  assign has_next_shome = !has_shared_i || sbrings_i || some_shome;

  always_comb begin
    class_o = castor_tb_swap_pkg::ClassNone;
    if (decide_i && moves_out_i) begin
      if (local_room_i && in_place_free != '0 && has_next_rhome && has_next_shome) begin
        class_o = castor_tb_swap_pkg::ClassInPlace;
      end else if (local_room_i && direction_i == 2'd1 && copies_free != '0 && has_next_shome) begin
        class_o = castor_tb_swap_pkg::ClassRegisters;
      end else if (local_room_i && direction_i == 2'd2 && copies_free != '0 && has_next_rhome) begin
        class_o = castor_tb_swap_pkg::ClassShared;
      end else begin
        class_o = castor_tb_swap_pkg::ClassMemory;
      end
    end
  end

  assign keeps_rhome_o = (class_o == castor_tb_swap_pkg::ClassInPlace) ||
                         (class_o == castor_tb_swap_pkg::ClassShared);
  assign keeps_shome_o = has_shared_i && ((class_o == castor_tb_swap_pkg::ClassInPlace) ||
                                          (class_o == castor_tb_swap_pkg::ClassRegisters));
  assign takes_place   = (class_o != castor_tb_swap_pkg::ClassNone) && (class_o != castor_tb_swap_pkg::ClassMemory);
  assign next_rhome_o  = rbrings_i ? rbrought_i : keeps_rhome_o ? free_rhome : rhome_o;
  assign next_shome_o  = sbrings_i ? sbrought_i : keeps_shome_o ? free_shome : shome_o;

  always_comb begin
    place_o = '0;
    if (class_o == castor_tb_swap_pkg::ClassInPlace) begin
      place_o = 6'(in_place_lowest);
    end else if (takes_place) begin
      place_o = 6'(copies_lowest);
    end
  end

  castor_tb_swap_homes #(
    .MaxTb    (MaxTb),
    .NumHomes (NumHomes)
  ) u_rhomes (
    .clk_i,
    .rst_ni,
    .load_i,
    .load_first_i (load_slots_i),
    .load_end_i   (load_rhomes_i),
    .slot_i,
    .home_o       (rhome_o),
    .some_free_o  (some_rhome),
    .free_home_o  (free_rhome),
    .give_i       (decide_i && rbrings_i && !keeps_rhome_o),
    .take_i       (decide_i && keeps_rhome_o && !rbrings_i),
    .write_i      (fill_i),
    .write_slot_i (fill_slot_i),
    .write_home_i (fill_rhome_i),
    .free_o       (free_rhomes_o),
    .homes_o      (rhomes_o)
  );

  castor_tb_swap_homes #(
    .MaxTb    (MaxTb),
    .NumHomes (NumHomes)
  ) u_shomes (
    .clk_i,
    .rst_ni,
    .load_i,
    .load_first_i (load_slots_i),
    .load_end_i   (load_shomes_i),
    .slot_i,
    .home_o       (shome_o),
    .some_free_o  (some_shome),
    .free_home_o  (free_shome),
    .give_i       (decide_i && sbrings_i && !keeps_shome_o),
    .take_i       (decide_i && keeps_shome_o && !sbrings_i),
    .write_i      (fill_i),
    .write_slot_i (fill_slot_i),
    .write_home_i (fill_shome_i),
    .free_o       (free_shomes_o),
    .homes_o      (shomes_o)
  );

  // ---------------------------------------------------------------------------------------------------------------
  logic [7:0] load_end;

  assign free_places_o = free_q;
  assign load_end      = {1'b0, load_in_place_i} + {1'b0, load_copies_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      free_q <= '0;
    end else if (load_i) begin
      free_q <= ~({NumPlaces{1'b1}} << load_end);
    end else if (takes_place || free_place_i) begin
      free_q <= (free_q & ~(NumPlaces'(takes_place) << place_o)) | (NumPlaces'(free_place_i) << freed_place_i);
    end
  end
endmodule
