#include "tb/saws/cover/kernel_points.h"

namespace castor::saws::tb {

KernelPoints::KernelPoints(const CoverList& list)
    : starts_(
          list,
          {{"kernel starts as GTO", 0, [](const Start& s) { return s.now.in.mode_sel == 0; }},
           {"kernel starts as GTO until the 1st barrier", 0, [](const Start& s) { return s.now.in.mode_sel == 1; }},
           {"kernel starts as SAWS", 0, [](const Start& s) { return s.now.in.mode_sel == 2; }},
           {"kernel starts with mode_sel 3", 0, [](const Start& s) { return s.now.in.mode_sel == 3; }},
           {"kernel starts with toggling", 0, [](const Start& s) { return s.now.in.toggle_en != 0; }},
           {"kernel starts without toggling", 0, [](const Start& s) { return s.now.in.toggle_en == 0; }},
           {"kernel starts in SAWS mode", has::kSaws, [](const Start& s) { return !s.now.gto(); }},
           {"kernel starts while messages wait", has::kSaws, [](const Start& s) { return s.messages_wait; }},
           {"kernel starts with CTAs resident", 0, [](const Start& s) { return s.now.probes.cta_used != 0; }},
           {"kernel starts without CTAs", 0, [](const Start& s) { return s.now.probes.cta_used == 0; }},
           {"kernel starts together with a CTA operation", 0, [](const Start& s) { return s.now.operates(); }},
           {"kernel starts together with a warp event", 0, [](const Start& s) { return s.now.in.wev_valid != 0; }},
           {"kernel starts together with an unblock", 0, [](const Start& s) { return s.now.in.unblock.any(); }},
           {"kernel starts together with an acknowledge", 0, [](const Start& s) { return s.now.in.issue_ack != 0; }}}) {
}

}  // namespace castor::saws::tb
