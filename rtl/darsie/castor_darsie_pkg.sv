// Names of what the decode stage is told, and why (docs/blocks/darsie.md, "Cycle").
package castor_darsie_pkg;
  // What decode does with an instruction.
  typedef enum logic [1:0] {
    ActPass   = 2'd0,  // goes on as it is
    ActLead   = 2'd1,  // goes on and writes renaming rows for the whole thread block
    ActPriv   = 2'd2,  // redundant, but the warp executes it for itself
    ActSquash = 2'd3   // dropped, with all younger ones of the warp
  } act_e;

  // The reason of the verdict on a redundant instruction; at most one per cycle.
  typedef enum logic [3:0] {
    WhyNone       = 4'd0,
    WhyNosk       = 4'd1,   // stale, and the rest executes it privately
    WhyLast       = 4'd2,   // stale, and no other warp waits for it
    WhyRelead     = 4'd3,   // stale: led once more for those that have not passed
    WhyNoRow      = 4'd4,   // stale, and no row is free to lead it again
    WhyLatch      = 4'd5,   // another warp leads it: wait for its version
    WhyAlone      = 4'd6,   // no other warp in the majority
    WhyNoElect    = 4'd7,   // no elections until the region ends
    WhyPark       = 4'd8,   // a synchronisation point is open
    WhyLead       = 4'd9,   // elected
    WhySetNoElect = 4'd10,  // no row is free even after a synchronisation point
    WhySetSync    = 4'd11   // no row is free: opens a synchronisation point
  } why_e;
endpackage
