// Policies of LaPerm, and stages of its selection.
package castor_laperm_pkg;
  // Policy. Value 0 of the port acts as AdaptiveBind.
  typedef enum logic [1:0] {
    TbPri        = 2'd1,  // one queue set for all SMs
    SmxBind      = 2'd2,  // one queue set for each cluster of SMs
    AdaptiveBind = 2'd3   // as SmxBind, but an SM without work also takes thread blocks of another set
  } policy_e;

  // Stage of the selection: source of the candidate of a cycle.
  typedef enum logic [1:0] {
    StageNone   = 2'd0,  // no candidate
    StageOwn    = 2'd1,  // the queue set of the SM
    StageHost   = 2'd2,  // queue 0
    StageBackup = 2'd3   // the backup set of the SM
  } stage_e;
endpackage
