// States of the two halves, and the reference that stands for no group.
package castor_dtbl_pkg;
  // What the launch half does with beats.
  typedef enum logic [1:0] {
    LaunchSearch = 2'd0,  // looks for an entry of the kernel table that runs the code of the beat
    LaunchGrant  = 2'd1,  // the run attaches to the entry found
    LaunchFall   = 2'd2   // there is none: every group of the run becomes a kernel
  } launch_e;

  // The item that is being distributed.
  typedef enum logic [1:0] {
    ItemFree = 2'd0,  // none
    ItemRun  = 2'd1,  // thread blocks are offered
    ItemReq  = 2'd2,  // its record is to be read from memory
    ItemWait = 2'd3   // the reply is awaited
  } item_e;

  localparam logic [31:0] None = 32'hFFFF_FFFF;
endpackage
