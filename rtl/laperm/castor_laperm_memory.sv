// Lists in memory: an item that does not fit on chip is written to the list of its set and level, a ring buffer in
// memory. Items are read back in order when a slot of their set is free.
//
// One request at a time waits for memory; replies come in the order of the reads. If a write and a read are both
// possible, the write goes first unless the last request was a write.
module castor_laperm_memory #(
  parameter int unsigned NumSets   = 13,
  parameter int unsigned LvlMax    = 4,
  parameter int unsigned OvfW      = 18,
  parameter int unsigned RefillMax = 4,
  parameter int unsigned Width     = 165,
  localparam int unsigned NumLists  = NumSets * LvlMax,
  localparam int unsigned SetWidth  = (NumSets > 1) ? $clog2(NumSets) : 1,
  localparam int unsigned ListWidth = (NumLists > 1) ? $clog2(NumLists) : 1
) (
  input  logic       clk_i,       // clock
  input  logic       rst_ni,      // synchronous reset, active low
  input  logic [4:0] ovf_log2_i,  // log2 of the entries of a list in memory; 0: no lists in memory

  // Item that is to be written to memory.
  input  logic                 item_valid_i,  // an item is to be written to memory
  input  logic [ListWidth-1:0] item_list_i,   // list of the item
  input  logic [Width-1:0]     item_entry_i,  // entry of the item
  output logic                 item_taken_o,  // the write is accepted

  input  logic [NumSets-1:0]   room_i,       // sets with a free slot
  output logic                 fetch_o,      // a read begins; it reserves a slot
  output logic [SetWidth-1:0]  fetch_set_o,  // set whose slot is reserved

  output logic [NumLists-1:0]  stored_o,  // lists with entries in memory
  output logic [NumLists-1:0]  coming_o,  // lists with entries being read back

  // Entry that was read from memory. It is inserted on chip in the cycle in which land_valid_o is 1.
  output logic                 land_valid_o,  // an entry that was read is inserted
  output logic [SetWidth-1:0]  land_set_o,    // set of that entry
  output logic [ListWidth-1:0] land_list_o,   // list of that entry
  output logic [Width-1:0]     land_entry_o,  // the entry

  output logic                 mem_valid_o,   // memory request
  input  logic                 mem_ready_i,   // the memory request is accepted
  output logic                 mem_we_o,      // 1: write, 0: read
  output logic [ListWidth-1:0] mem_list_o,    // list in memory that is accessed
  output logic [OvfW-1:0]      mem_idx_o,     // entry of the list that is accessed
  output logic [Width-1:0]     mem_wdata_o,   // data of a write: {kd, agei, cnt, dim, param}; read: 0
  input  logic                 mem_rvalid_i,  // reply to the oldest outstanding read
  input  logic [Width-1:0]     mem_rdata_i,   // entry that was read
  output logic                 bad_reply_o    // a reply without an outstanding read
);
  localparam int unsigned NumPow2   = 2 ** ListWidth;
  localparam int unsigned TagWidth  = SetWidth + ListWidth;
  localparam int unsigned TagDepth  = (RefillMax > 1) ? RefillMax : 2;
  localparam int unsigned TagsWidth = $clog2(TagDepth + 1);
  localparam logic [SetWidth-1:0] LastSet = SetWidth'(NumSets - 1);

  // rq_v_q: a request waits for mem_ready_i; cleared when the request is accepted. rq_we_q: the request is a write.
  logic                 rq_v_q, rq_we_q;
  logic [ListWidth-1:0] rq_list_q;  // list of the request
  logic [OvfW-1:0]      rq_idx_q;  // entry of the request
  logic [Width-1:0]     rq_data_q;  // data of a write
  logic                 rf_v_q;  // a reply came in the last cycle and is inserted now
  logic [TagWidth-1:0]  rf_tag_q;  // {set, list} of that reply
  logic [Width-1:0]     rf_data_q;  // entry of that reply
  logic [SetWidth-1:0]  rc_q;  // set at which the search for the next read begins
  logic                 tn_q;  // the last request was a write
  logic [NumLists-1:0]  moved_q;  // lists that have been read, so that their oldest index is valid (else 0)

  // ---------------------------------------------------------------------------------------------------------------
  // Ring indices. A list has cap entries; masking makes older, larger indices valid after a change of ovf_log2_i.
  logic [OvfW:0]          cap, stored;
  logic [OvfW-1:0]        mask, item_old, item_oldest, fetch_old, fetch_oldest;
  logic [NumPow2-1:0]     moved;
  logic [ListWidth-1:0]   fetch_list;

  assign cap          = (ovf_log2_i == '0) ? '0 :
                        (ovf_log2_i > 5'(OvfW)) ? (OvfW + 1)'(1) << OvfW : (OvfW + 1)'(1) << ovf_log2_i;
  assign mask         = OvfW'(cap - 1'b1);
  assign moved        = NumPow2'(moved_q);
  assign item_oldest  = moved[item_list_i] ? item_old : '0;
  assign fetch_oldest = moved[fetch_list] ? fetch_old : '0;

  // ---------------------------------------------------------------------------------------------------------------
  // Arbitration of reads and writes, and the list that is read next.
  logic [NumSets-1:0]   wants;  // sets with entries in memory and a free slot
  logic [TagsWidth-1:0] tags;
  logic [TagWidth-1:0]  tag;
  // possible: a read could begin. write: a write begins. no_tag: no read is outstanding. reply: a reply to a read.
  logic                 possible, write, no_tag, reply;

  always_comb begin
    for (int unsigned c = 0; c < NumSets; c++) begin
      wants[c] = room_i[c] && (stored_o[c*LvlMax +: LvlMax] != '0);
    end
  end

  assign possible     = !rq_v_q && (tags < TagsWidth'(RefillMax)) && (wants != '0);
  assign write        = item_valid_i && !rq_v_q && (stored < cap) && !(tn_q && possible);
  assign item_taken_o = write;
  assign fetch_o      = possible && !write;

  castor_laperm_first #(
    .Num (NumSets)
  ) u_first (
    .bits_i  (wants),
    .from_i  (rc_q),
    .first_o (fetch_set_o)
  );

  castor_laperm_highest #(
    .NumSets (NumSets),
    .LvlMax  (LvlMax)
  ) u_highest (
    .marks_i (stored_o),
    .set_i   (fetch_set_o),
    .level_o (),
    .list_o  (fetch_list)
  );

  castor_laperm_counts #(
    .Num   (NumLists),
    .Width (OvfW + 1)
  ) u_stored (
    .clk_i,
    .rst_ni,
    .up_i       (write),
    .up_idx_i   (item_list_i),
    .up_count_o (stored),
    .down_i     (fetch_o),
    .down_idx_i (fetch_list),
    .some_o     (stored_o)
  );

  castor_laperm_counts #(
    .Num   (NumLists),
    .Width ($clog2(RefillMax + 2))
  ) u_coming (
    .clk_i,
    .rst_ni,
    .up_i       (fetch_o),
    .up_idx_i   (fetch_list),
    .up_count_o (),
    .down_i     (rf_v_q),
    .down_idx_i (land_list_o),
    .some_o     (coming_o)
  );

  castor_table_2r1w #(
    .Width (OvfW),
    .Depth (NumLists)
  ) u_oldest (
    .clk_i,
    .we_i      (fetch_o),
    .waddr_i   (fetch_list),
    .wdata_i   ((fetch_oldest + 1'b1) & mask),
    .raddr_a_i (item_list_i),
    .rdata_a_o (item_old),
    .raddr_b_i (fetch_list),
    .rdata_b_o (fetch_old)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // Replies. A FIFO holds {set, list} of each outstanding read.
  castor_fifo #(
    .Width (TagWidth),
    .Depth (TagDepth)
  ) u_tags (
    .clk_i,
    .rst_ni,
    .clear_i (1'b0),
    .push_i  (fetch_o),
    .data_i  ({fetch_set_o, fetch_list}),
    .pop_i   (reply),
    .data_o  (tag),
    .empty_o (no_tag),
    .full_o  (),
    .count_o (tags)
  );

  assign reply                     = mem_rvalid_i && !no_tag;
  assign bad_reply_o               = mem_rvalid_i && no_tag;
  assign land_valid_o              = rf_v_q;
  assign {land_set_o, land_list_o} = rf_tag_q;
  assign land_entry_o              = rf_data_q;

  // ---------------------------------------------------------------------------------------------------------------
  assign mem_valid_o = rq_v_q;
  assign mem_we_o    = rq_v_q && rq_we_q;
  assign mem_list_o  = rq_v_q ? rq_list_q : '0;
  assign mem_idx_o   = rq_v_q ? rq_idx_q : '0;
  assign mem_wdata_o = mem_we_o ? rq_data_q : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rq_v_q    <= 1'b0;
      rq_we_q   <= 1'b0;
      rq_list_q <= '0;
      rq_idx_q  <= '0;
      rq_data_q <= '0;
      rf_v_q    <= 1'b0;
      rf_tag_q  <= '0;
      rf_data_q <= '0;
      rc_q      <= '0;
      tn_q      <= 1'b0;
      moved_q   <= '0;
    end else begin
      if (write) begin
        rq_v_q    <= 1'b1;
        rq_we_q   <= 1'b1;
        rq_list_q <= item_list_i;
        rq_idx_q  <= (item_oldest + stored[OvfW-1:0]) & mask;
        rq_data_q <= item_entry_i;
        tn_q      <= 1'b1;
      end else if (fetch_o) begin
        rq_v_q              <= 1'b1;
        rq_we_q             <= 1'b0;
        rq_list_q           <= fetch_list;
        rq_idx_q            <= fetch_oldest & mask;
        rc_q                <= (fetch_set_o == LastSet) ? '0 : fetch_set_o + 1'b1;
        tn_q                <= 1'b0;
        moved_q[fetch_list] <= 1'b1;
      end else if (mem_ready_i) begin
        rq_v_q <= 1'b0;
      end

      rf_v_q <= reply;
      if (reply) begin
        rf_tag_q  <= tag;
        rf_data_q <= mem_rdata_i;
      end
    end
  end
endmodule
