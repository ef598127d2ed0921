// Verdicts on decoded instructions, and the reasons for them (docs/blocks/darsie.md, "Cycle").
package castor_darsie_pkg;
  // Verdict: what the decode stage does with an instruction.
  typedef enum logic [1:0] {
    ActPass   = 2'd0,  // the instruction is not redundant and executes as usual
    ActLead   = 2'd1,  // the warp leads: the instruction executes and writes rows for the whole thread block
    ActPriv   = 2'd2,  // the instruction is redundant, but this warp executes it for itself
    ActSquash = 2'd3   // the instruction and all younger ones of the warp are dropped
  } act_e;

  // Reason for the verdict on a redundant instruction. Each cycle has at most one such verdict.
  typedef enum logic [3:0] {
    WhyNone       = 4'd0,   // no redundant instruction was decoded
    WhyNosk       = 4'd1,   // PRIV: the version is stale, and the remaining warps execute the instruction privately
    WhyLast       = 4'd2,   // PRIV: the version is stale, and no other warp has it pending
    WhyRelead     = 4'd3,   // LEAD: the version is stale, and is led again for the warps that have not passed it
    WhyNoRow      = 4'd4,   // PRIV: the version is stale, and it cannot be led again for lack of a free row
    WhyLatch      = 4'd5,   // SQUASH: another warp leads the instruction; this warp waits for that version
    WhyAlone      = 4'd6,   // PRIV: no other warp is in the majority
    WhyNoElect    = 4'd7,   // PRIV: there are no elections until the region ends
    WhyPark       = 4'd8,   // SQUASH: a synchronisation point is open; the warp stops
    WhyLead       = 4'd9,   // LEAD: the warp is elected leader
    WhySetNoElect = 4'd10,  // PRIV: no row is free even after a synchronisation point; ends elections in the region
    WhySetSync    = 4'd11   // SQUASH: no row is free; opens a synchronisation point, and the warp stops
  } why_e;
endpackage
