// Finds the highest level of a queue set whose list is marked, and the number of that list. Combinational.
module castor_laperm_highest #(
  parameter int unsigned NumSets = 13,
  parameter int unsigned LvlMax  = 4,
  localparam int unsigned NumLists  = NumSets * LvlMax,
  localparam int unsigned SetWidth  = (NumSets > 1) ? $clog2(NumSets) : 1,
  localparam int unsigned ListWidth = (NumLists > 1) ? $clog2(NumLists) : 1
) (
  input  logic [NumLists-1:0]  marks_i,  // marked lists
  input  logic [SetWidth-1:0]  set_i,    // queue set
  output logic [3:0]           level_o,  // highest marked level; 1 if no list of the set is marked
  output logic [ListWidth-1:0] list_o    // number of the set's list of that level
);
  logic [LvlMax-1:0] marks;

  assign list_o = ListWidth'(set_i) * ListWidth'(LvlMax) + ListWidth'(level_o) - 1'b1;

  always_comb begin
    marks = '0;
    for (int unsigned c = 0; c < NumSets; c++) begin
      if (set_i == SetWidth'(c)) begin
        marks = marks_i[c*LvlMax +: LvlMax];
      end
    end
    level_o = 4'd1;
    for (int unsigned l = 1; l < LvlMax; l++) begin
      if (marks[l]) begin
        level_o = 4'(l + 1);
      end
    end
  end
endmodule
