// Policies, and the stages of the selection.
package castor_laperm_pkg;
  // Value 0 of the port acts as AdaptiveBind.
  typedef enum logic [1:0] {
    TbPri        = 2'd1,  // one queue set for all SMs
    SmxBind      = 2'd2,  // a queue set for each cluster of SMs
    AdaptiveBind = 2'd3   // likewise, and an SM with nothing to do takes from another set
  } policy_e;

  // Where the candidate of a cycle comes from.
  typedef enum logic [1:0] {
    StageNone   = 2'd0,
    StageOwn    = 2'd1,  // the queue set of the SM
    StageHost   = 2'd2,  // queue 0
    StageBackup = 2'd3   // the backup set of the SM
  } stage_e;
endpackage
