// States of the launch half and of the dispatch half, and the group reference that means "no group".
package castor_dtbl_pkg;
  // State of the launch half.
  typedef enum logic [1:0] {
    LaunchSearch = 2'd0,  // compares kernel entries with the key of the beat, one per cycle
    LaunchGrant  = 2'd1,  // groups of the run attach to the kernel entry that was found
    LaunchFall   = 2'd2   // no kernel entry has the key: groups of the run become device kernels
  } launch_e;

  // State of the item (native thread blocks of a kernel, or a group) that is being distributed.
  typedef enum logic [1:0] {
    ItemFree = 2'd0,  // there is no item
    ItemRun  = 2'd1,  // thread blocks of the item are offered
    ItemReq  = 2'd2,  // a read of the item's record is to be sent to memory
    ItemWait = 2'd3   // the reply to the read is outstanding
  } item_e;

  localparam logic [31:0] None = 32'hFFFF_FFFF;
endpackage
