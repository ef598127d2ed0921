// Queue sets: entries on chip, and slots promised to reads from memory. A slot is free for neither until it is counted
// out, so what memory returns always finds room.
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
  input  logic                one_set_i,     // all slots are those of set 0
  input  logic                insert_i,      // a pushed item enters insert_set_i
  input  logic [SetWidth-1:0] insert_set_i,  // set of the pushed item
  input  logic                land_i,        // what was read enters land_set_i
  input  logic [SetWidth-1:0] land_set_i,    // set of what was read
  input  logic                pop_i,         // an entry leaves pop_set_i
  input  logic [SetWidth-1:0] pop_set_i,     // set that an entry leaves
  input  logic                fetch_i,       // a slot of fetch_set_i is promised
  input  logic [SetWidth-1:0] fetch_set_i,   // set whose slot is promised
  output logic [NumSets-1:0]  has_o,         // entries on chip
  output logic [NumSets-1:0]  full_o,        // no slot is free, as the cycle began
  output logic [NumSets-1:0]  room_o         // a slot is free after what enters in this cycle
);
  // Room for the promised slots beside the entries, so that no sum is cut.
  localparam int unsigned SumWidth = EntriesWidth + FetchWidth;

  logic [NumSets*EntriesWidth-1:0] entries_q, entries_d;
  logic [NumSets*FetchWidth-1:0]   promised_q, promised_d;
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
