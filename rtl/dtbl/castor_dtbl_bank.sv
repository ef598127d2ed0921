// List bank of the table of groups. For each group it holds size and parameters, written when the group attaches, and
// the reference of the next group in the pool, written when that next group attaches. The group that is being
// distributed is read.
module castor_dtbl_bank #(
  parameter int unsigned AgtSize = 1024,
  localparam int unsigned IndexWidth = (AgtSize > 1) ? $clog2(AgtSize) : 1
) (
  input  logic                  clk_i,         // clock
  input  logic                  we_i,          // a group is attached: its size and parameters are written
  input  logic [IndexWidth-1:0] waddr_i,       // table entry of the attached group
  input  logic [63:0]           wdim_i,        // thread blocks of the attached group per dimension
  input  logic [31:0]           wparam_i,      // address of the attached group's parameters / 16
  input  logic                  link_we_i,     // the link of the pool's former last group is written
  input  logic [IndexWidth-1:0] link_waddr_i,  // table entry of the former last group
  input  logic [31:0]           link_wdata_i,  // reference of the group that follows it in the pool
  input  logic [IndexWidth-1:0] raddr_i,       // table entry of the group that is being distributed
  output logic [63:0]           rdim_o,        // thread blocks of that group per dimension
  output logic [31:0]           rparam_o,      // address of that group's parameters / 16
  output logic [31:0]           rnext_o        // reference of the group that follows it in the pool
);
  castor_table_1r1w #(
    .Width (64),
    .Depth (AgtSize)
  ) u_ldim (
    .clk_i,
    .we_i,
    .waddr_i,
    .wdata_i (wdim_i),
    .raddr_i,
    .rdata_o (rdim_o)
  );

  castor_table_1r1w #(
    .Width (32),
    .Depth (AgtSize)
  ) u_lparam (
    .clk_i,
    .we_i,
    .waddr_i,
    .wdata_i (wparam_i),
    .raddr_i,
    .rdata_o (rparam_o)
  );

  castor_table_1r1w #(
    .Width (32),
    .Depth (AgtSize)
  ) u_lnext (
    .clk_i,
    .we_i    (link_we_i),
    .waddr_i (link_waddr_i),
    .wdata_i (link_wdata_i),
    .raddr_i,
    .rdata_o (rnext_o)
  );
endmodule
