#include "workloads/dtbl/evaluation.h"

namespace castor::workloads::dtbl {

const std::vector<TableSize>& table_sizes() {
  static const std::vector<TableSize> kSizes = {
      {16, "dtbl_16"},   {32, "dtbl_32"},         {64, "dtbl_64"},     {128, "dtbl_128"},
      {512, "dtbl_512"}, {1024, children::kDtbl}, {2048, "dtbl_2048"},
  };
  return kSizes;
}

std::vector<std::string> launch_dense() {
  return {"amr", "bht", "clr_kronecker", "regx_packets", "regx_strings", "join_gaussian"};
}

Figure kernel_hits() { return quotient(count("kde_hits"), workloads::sum({"kde_hits", "kde_misses"})); }
Figure table_hits() { return quotient(count("agt_hits"), workloads::sum({"agt_hits", "agt_misses"})); }
Figure running() {
  return quotient(quotient(count("occupancy_device_warps_sum"), count("cycles")),
                  quotient(count("child_warps"), count("launches")));
}
Figure waiting_at_once() { return quotient(count("wait_sum"), count("cycles")); }

}  // namespace castor::workloads::dtbl
