// Counts of the queue sets: entries on chip, and slots reserved for outstanding reads from memory. A reserved slot
// counts as used, so an entry that memory returns always finds a free slot.
module castor_laperm_sets #(
  parameter int unsigned NumSets   = 13,
  parameter int unsigned BankDepth = 128,
  parameter int unsigned RefillMax = 4,
  localparam int unsigned SetWidth     = (NumSets > 1) ? $clog2(NumSets) : 1,
  localparam int unsigned NumSlots     = NumSets * BankDepth,
  localparam int unsigned EntriesWidth = $clog2(NumSlots + 1),
  localparam int unsigned FetchWidth   = $clog2(RefillMax + 2)
) (
  input  logic                clk_i,         // clock
  input  logic                rst_ni,        // synchronous reset, active low
  input  logic                one_set_i,     // set 0 has the slots of all sets (TB-Pri)
  input  logic                insert_i,      // a pushed item is inserted into insert_set_i
  input  logic [SetWidth-1:0] insert_set_i,  // set of the pushed item
  input  logic                land_i,        // an entry read from memory is inserted into land_set_i
  input  logic [SetWidth-1:0] land_set_i,    // set of the entry read from memory
  input  logic                pop_i,         // an entry leaves pop_set_i
  input  logic [SetWidth-1:0] pop_set_i,     // set that an entry leaves
  input  logic                fetch_i,       // a read reserves a slot of fetch_set_i
  input  logic [SetWidth-1:0] fetch_set_i,   // set whose slot is reserved
  output logic [NumSets-1:0]  has_o,         // sets with entries on chip
  output logic [NumSets-1:0]  full_o,        // sets without a free slot at the start of the cycle
  output logic [NumSets-1:0]  room_o         // sets with a free slot after this cycle's insertion of a pushed item
);
  // Wide enough for the sum of entries and reserved slots.
  localparam int unsigned SumWidth = EntriesWidth + FetchWidth;

  logic [NumSets*EntriesWidth-1:0] entries_q, entries_d;  // number of entries of each set
  logic [NumSets*FetchWidth-1:0]   promised_q, promised_d;  // number of reserved slots of each set
  logic [NumSets*SumWidth-1:0]     used;
  logic [SumWidth-1:0]             limit;

  assign limit = one_set_i ? SumWidth'(NumSlots) : SumWidth'(BankDepth);

  always_comb begin
    for (int unsigned c = 0; c < NumSets; c++) begin
      has_o[c]                     = (entries_q[c*EntriesWidth +: EntriesWidth] != '0);
      used[c*SumWidth +: SumWidth] = SumWidth'(entries_q[c*EntriesWidth +: EntriesWidth]) +
                                     SumWidth'(promised_q[c*FetchWidth +: FetchWidth]);
      full_o[c]                    = (used[c*SumWidth +: SumWidth] >= limit);
    end
  end

  always_comb begin
    for (int unsigned c = 0; c < NumSets; c++) begin
      room_o[c] = (used[c*SumWidth +: SumWidth] + SumWidth'(insert_i && (insert_set_i == SetWidth'(c))) < limit);
    end
  end

  always_comb begin
    entries_d  = entries_q;
    promised_d = promised_q;
    for (int unsigned c = 0; c < NumSets; c++) begin
      entries_d[c*EntriesWidth +: EntriesWidth] = entries_q[c*EntriesWidth +: EntriesWidth] +
                                                  EntriesWidth'(insert_i && (insert_set_i == SetWidth'(c))) +
                                                  EntriesWidth'(land_i && (land_set_i == SetWidth'(c))) -
                                                  EntriesWidth'(pop_i && (pop_set_i == SetWidth'(c)));
      promised_d[c*FetchWidth +: FetchWidth]    = promised_q[c*FetchWidth +: FetchWidth] +
                                                  FetchWidth'(fetch_i && (fetch_set_i == SetWidth'(c))) -
                                                  FetchWidth'(land_i && (land_set_i == SetWidth'(c)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      entries_q  <= '0;
      promised_q <= '0;
    end else begin
      entries_q  <= entries_d;
      promised_q <= promised_d;
    end
  end
endmodule
