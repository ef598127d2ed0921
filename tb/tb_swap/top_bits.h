#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "castor/tb_swap/params.h"
#include "tb/common/port_cover.h"

namespace castor::tb_swap::tb {

/// Returns the ports and registers whose highest bit cannot toggle in a run of the usual length at these parameters.
[[nodiscard]] inline std::vector<castor::tb::TopBitWaiver> top_bits(const Params& params) {
  std::vector<castor::tb::TopBitWaiver> waived;
  const auto waive = [&waived](std::initializer_list<std::string_view> names, std::string_view reason) {
    for (const std::string_view name : names) waived.push_back({name, reason});
  };
  waive({"sm_id"}, "it is constant from a reset to the next one");
  waive({"in_line"}, "shared memory has at most 2047 lines, and the machine visits each of them");
  if (params.MaxTb < 64) waive({"cfg_slots"}, "there are fewer contexts than 64");
  if (params.NumHomes < 64) waive({"cfg_rhomes", "cfg_shomes"}, "there are fewer homes than 64");
  if (params.NumHomes <= 32) {
    waive({"enter_rhome", "enter_shome", "access_home", "rhome", "shome", "out_next_rhome", "out_next_shome",
           "hand_rhome", "hand_shome"},
          "there are no more homes than 32");
  }
  if (params.NumPlaces < 64)
    waive({"cfg_in_place", "cfg_copies", "in_place", "copies"}, "there are fewer places than 64");
  if (params.NumRegs <= 128) waive({"access_reg"}, "a thread has no more registers than 128");
  if (params.NumRegs < 256) waive({"cfg_regs", "regs"}, "a thread has fewer registers than 256");
  return waived;
}

}  // namespace castor::tb_swap::tb
