// Site table: the mask of live registers of each site at which thread blocks wait. Both machines read it.
//
// The table has no reset, so a memory macro may replace it; a valid bit per site tells which masks have been written
// for this kernel. A site without a mask, a site outside of the table, and every site of a kernel that does not use
// masks stand for all registers of a thread.
//
// Cost of one more unit of each parameter:
//   NumRegs   one column of the table, and two bits of every mask
//   NumSites  one row of the table, and one flip-flop (valid bit)
module castor_tb_swap_sites #(
  parameter int unsigned NumRegs  = 256,
  parameter int unsigned NumSites = 16
) (
  input  logic               clk_i,      // clock
  input  logic               rst_ni,     // synchronous reset, active low
  input  logic               clear_i,    // a kernel starts: no site has a mask; overrides the write
  input  logic               write_i,    // writes the mask of a site
  input  logic [6:0]         index_i,    // that site; NumSites or above: ignored
  input  logic [NumRegs-1:0] mask_i,     // its live registers
  input  logic               live_i,     // the kernel uses masks
  input  logic [8:0]         regs_i,     // registers of a thread
  input  logic               read_a_i,   // the machine that moves thread blocks out reads a mask
  input  logic [6:0]         site_a_i,   // its site
  output logic [NumRegs-1:0] mask_a_o,   // registers that it moves; 0 while read_a_i is 0
  input  logic               read_b_i,   // the machine that moves thread blocks in reads a mask
  input  logic [6:0]         site_b_i,   // its site
  output logic [NumRegs-1:0] mask_b_o    // registers that it moves; 0 while read_b_i is 0
);
  localparam int unsigned IndexWidth = (NumSites > 1) ? $clog2(NumSites) : 1;

  logic [NumSites-1:0] valid_q;  // sites with a mask: set when it is written, cleared when a kernel starts
  logic [NumRegs-1:0]  table_a, table_b;
  logic                in_range;

  assign in_range = (32'(index_i) < NumSites);

  castor_table_2r1w #(
    .Width (NumRegs),
    .Depth (NumSites)
  ) u_table (
    .clk_i,
    .we_i      (write_i && in_range && !clear_i),
    .waddr_i   (IndexWidth'(index_i)),
    .wdata_i   (mask_i),
    .raddr_a_i (IndexWidth'(site_a_i)),
    .rdata_a_o (table_a),
    .raddr_b_i (IndexWidth'(site_b_i)),
    .rdata_b_o (table_b)
  );

  always_comb begin
    mask_a_o = '0;
    if (read_a_i) begin
      mask_a_o = ~({NumRegs{1'b1}} << regs_i);
      if (live_i && 1'(valid_q >> site_a_i)) begin
        mask_a_o = mask_a_o & table_a;
      end
    end
  end

  always_comb begin
    mask_b_o = '0;
    if (read_b_i) begin
      mask_b_o = ~({NumRegs{1'b1}} << regs_i);
      if (live_i && 1'(valid_q >> site_b_i)) begin
        mask_b_o = mask_b_o & table_b;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (clear_i) begin
      valid_q <= '0;
    end else if (write_i) begin
      valid_q <= valid_q | (NumSites'(1) << index_i);
    end
  end
endmodule
