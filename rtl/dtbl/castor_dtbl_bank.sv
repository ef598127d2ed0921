// List bank of the table of groups: size and parameters of each group, written when it is attached, and the group that
// follows it in its pool, written when that one is attached. Reads are of the group that is being distributed.
module castor_dtbl_bank #(
  parameter int unsigned AgtSize = 1024,
  localparam int unsigned IndexWidth = (AgtSize > 1) ? $clog2(AgtSize) : 1
) (
  input  logic                  clk_i,         // clock
  input  logic                  we_i,          // a group is attached: size and parameters are written
  input  logic [IndexWidth-1:0] waddr_i,       // its entry
  input  logic [63:0]           wdim_i,        // its thread blocks per dimension
  input  logic [31:0]           wparam_i,      // address of its parameters / 16
  input  logic                  link_we_i,     // the group that follows one is written
  input  logic [IndexWidth-1:0] link_waddr_i,  // the entry of that one
  input  logic [31:0]           link_wdata_i,  // the group that follows it
  input  logic [IndexWidth-1:0] raddr_i,       // entry of the group that is being distributed
  output logic [63:0]           rdim_o,        // its thread blocks per dimension
  output logic [31:0]           rparam_o,      // address of its parameters / 16
  output logic [31:0]           rnext_o        // the group that follows it
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
