#include "tb/tb_swap/cover_points.h"

#include <string>
#include <vector>

namespace castor::tb_swap::tb {
namespace {

using Row = castor::tb::PointRow<Now>;
using Rows = std::vector<Row>;

U64 in_place_mask(const Now& now) { return twin::mask(now.probes.in_place); }
U64 copies_mask(const Now& now) { return twin::mask(now.probes.in_place + now.probes.copies) & ~in_place_mask(now); }
bool one(U64 mask) { return mask != 0 && (mask & (mask - 1)) == 0; }
/// Returns whether a decision is made about a thread block that leaves.
bool leaves(const Now& now) { return now.place() && now.leaving->out; }
bool with_room(const Now& now) { return leaves(now) && now.in.local_room != 0; }

/// Returns what a job moves in: nothing, or a thread block with both homes, with one of them, or with none.
unsigned incoming(const JobFacts& job) {
  if (job.is_new) return 0;
  return job.brings_registers() ? (job.brings_shared() ? 1 : 2) : (job.brings_shared() ? 3 : 4);
}

Rows placing_rows() {
  return {
      {"no local room, though a place is free", 0,
       [](const Now& now) {
         return leaves(now) && now.in.local_room == 0 && (now.probes.free_places & in_place_mask(now)) != 0;
       }},
      {"no place is free", 0, [](const Now& now) { return with_room(now) && now.probes.free_places == 0; }},
      {"places for copies alone are free", kPlaces,
       [](const Now& now) {
         return with_room(now) && now.probes.in_place != 0 && (now.probes.free_places & in_place_mask(now)) == 0 &&
                (now.probes.free_places & copies_mask(now)) != 0;
       }},
      {"no spare register home, and none is brought", 0,
       [](const Now& now) {
         return with_room(now) && now.probes.free_rhomes == 0 && !now.leaving->brings_registers() &&
                (now.probes.free_places & in_place_mask(now)) != 0;
       }},
      {"no spare shared home, and none is brought", 0,
       [](const Now& now) {
         return with_room(now) && now.probes.smem != 0 && now.probes.free_shomes == 0 &&
                !now.leaving->brings_shared() && (now.probes.free_places & in_place_mask(now)) != 0;
       }},
      {"exchange in place without a spare home", 0,
       [](const Now& now) {
         return with_room(now) && now.probes.free_rhomes == 0 && now.leaving->brings_registers() &&
                now.leaving->brings_shared() && (now.probes.free_places & in_place_mask(now)) != 0;
       }},
      {"last spare register home is taken", kSpare,
       [](const Now& now) {
         return now.decided() != nullptr && one(now.before->probes.free_rhomes) && now.probes.free_rhomes == 0;
       }},
      {"last spare shared home is taken", kSpare,
       [](const Now& now) {
         return now.decided() != nullptr && one(now.before->probes.free_shomes) && now.probes.free_shomes == 0;
       }},
      {"last free place is taken", 0,
       [](const Now& now) {
         return now.decided() != nullptr && one(now.before->probes.free_places) && now.probes.free_places == 0;
       }},
      {"place is freed as none is found", 0,
       [](const Now& now) {
         return with_room(now) && now.probes.free_places == 0 && now.out.enter_valid != 0 && now.in.enter_ready != 0 &&
                now.entering != nullptr && !now.entering->is_new && now.entering->simt_loc == kSimtInPlace;
       }},
      {"place is freed as another is taken", kPlaces,
       [](const Now& now) {
         return now.decided() != nullptr && now.probes.out_class >= 1 && now.probes.out_class <= 3 &&
                (now.probes.free_places & ~now.before->probes.free_places) != 0;
       }},
      {"no copies though a place for them is free", 0,
       [](const Now& now) {
         return with_room(now) && now.probes.direction == 0 && (now.probes.free_places & copies_mask(now)) != 0;
       }},
      {"home with the highest number is taken", kSpare,
       [](const Now& now) {
         return now.decided() != nullptr && (now.probes.out_next_rhome + 1U == now.params.NumHomes ||
                                             now.probes.out_next_shome + 1U == now.params.NumHomes);
       }},
      {"place with the highest number is taken", 0,
       [](const Now& now) {
         const U64 last = U64{1} << (now.params.NumPlaces - 1);
         return now.decided() != nullptr && (now.before->probes.free_places & ~now.probes.free_places & last) != 0;
       }},
      {"all places are laid out", 0,
       [](const Now& now) {
         return now.place() && unsigned{now.probes.in_place} + now.probes.copies == now.params.NumPlaces;
       }},
      {"thread block without shared memory stays in place", 0,
       [](const Now& now) { return now.decided() != nullptr && now.probes.out_class == 1 && now.probes.smem == 0; }},
      {"thread block without shared memory, registers go to a place", 0,
       [](const Now& now) { return now.decided() != nullptr && now.probes.out_class == 2 && now.probes.smem == 0; }},
      {"thread block without shared memory goes to memory", 0,
       [](const Now& now) { return now.decided() != nullptr && now.probes.out_class == 4 && now.probes.smem == 0; }},
  };
}

bool out_mask(const Now& now) { return now.probes.out_state == OutState::kMask && now.leaving != nullptr; }
/// Returns whether the registers of a warp have been fetched in the cycle before.
bool fetched(const Now& now) {
  return now.before != nullptr && now.before->probes.out_state == OutState::kMask && now.before->in.cfg_valid == 0;
}
bool shared(const Now& now) { return now.probes.out_state == OutState::kShared; }
bool skips(const Now& now) { return shared(now) && now.probes.out_line < now.probes.smem && !now.out_wants(); }
bool loads(const Now& now, AccessType type) {
  return now.offered() && now.out.access_store == 0 && now.out.access_type == type;
}
bool read_only(const Now& now) { return loads(now, AccessType::kReadOnly); }

Rows line_rows() {
  return {
      {"no register is live", 0,
       [](const Now& now) { return fetched(now) && now.probes.out_state != OutState::kRegisters; }},
      {"all registers are live", 0,
       [](const Now& now) {
         return fetched(now) && now.probes.out_mask == RegBits::ones(now.probes.regs) && now.probes.regs > 1;
       }},
      {"one register is live of several", 0,
       [](const Now& now) { return fetched(now) && now.probes.out_mask.count() == 1 && now.probes.regs > 1; }},
      {"the last register moves", 0,
       [](const Now& now) {
         return now.offered() && now.out.access_type == AccessType::kRegister &&
                now.out.access_reg + 1U == now.params.NumRegs;
       }},
      {"site with a mask", 0,
       [](const Now& now) {
         return out_mask(now) && now.probes.live != 0 && now.leaving->site < now.params.NumSites &&
                (now.probes.sites >> now.leaving->site & 1U) != 0;
       }},
      {"site without a mask", kSites,
       [](const Now& now) {
         return out_mask(now) && now.probes.live != 0 && now.leaving->site < now.params.NumSites &&
                (now.probes.sites >> now.leaving->site & 1U) == 0 && now.probes.sites != 0;
       }},
      {"site behind the last one", 0,
       [](const Now& now) {
         return out_mask(now) && now.probes.live != 0 && now.leaving->site >= now.params.NumSites &&
                now.leaving->site != 127;
       }},
      {"several sites", 0,
       [](const Now& now) { return out_mask(now) && now.probes.live != 0 && now.leaving->site == 127; }},
      {"the last site", 0,
       [](const Now& now) {
         return out_mask(now) && now.probes.live != 0 && now.leaving->site + 1U == now.params.NumSites &&
                (now.probes.sites >> now.leaving->site & 1U) != 0;
       }},
      {"all registers move, whatever is live", 0,
       [](const Now& now) { return out_mask(now) && now.probes.live == 0 && now.probes.sites != 0; }},
      {"next warp, out", 0,
       [](const Now& now) { return now.before != nullptr && now.probes.out_warp == now.before->probes.out_warp + 1; }},
      {"next warp, in", 0,
       [](const Now& now) { return now.before != nullptr && now.probes.in_warp == now.before->probes.in_warp + 1; }},
      {"warp 31", 0, [](const Now& now) { return now.out.access_valid != 0 && now.out.access_warp == 31; }},
      {"segment is skipped", 0, skips},
      {"segment at the first line is skipped", 0,
       [](const Now& now) { return skips(now) && now.probes.out_line == 0; }},
      {"segment at the last line is skipped", 0,
       [](const Now& now) {
         const unsigned slot = now.probes.out_slot;
         if (!skips(now)) return false;
         for (unsigned line = now.probes.out_line; line < now.probes.smem; ++line) {
           if (!now.covered(slot, line)) return false;
         }
         return now.probes.out_line != 0;
       }},
      {"all lines are skipped", 0,
       [](const Now& now) {
         return now.before != nullptr && now.probes.out_state == OutState::kShared &&
                now.before->probes.out_state == OutState::kShared && now.before->probes.out_line == 0 &&
                now.probes.out_line >= now.probes.smem && now.probes.smem > 1;
       }},
      {"segment of one line is skipped", 0,
       [](const Now& now) {
         return shared(now) && now.before != nullptr && now.before->probes.out_state == OutState::kShared &&
                now.probes.out_line == now.before->probes.out_line + 1 && !now.offered();
       }},
      {"adjacent segments are skipped", kSegments,
       [](const Now& now) {
         return skips(now) && now.before != nullptr && now.before->probes.out_state == OutState::kShared &&
                now.probes.out_line > now.before->probes.out_line && !now.offered();
       }},
      {"segment that does not exist is written", kBeyond,
       [](const Now& now) { return now.in.ro_valid != 0 && now.in.ro_index >= now.params.RoSegs; }},
      {"site that does not exist is written", 0,
       [](const Now& now) { return now.in.site_valid != 0 && now.in.site_index >= now.params.NumSites; }},
      {"segment is dropped", 0,
       [](const Now& now) {
         const unsigned row = now.in.ro_slot * now.params.RoSegs + now.in.ro_index;
         return now.in.ro_valid != 0 && now.in.ro_index < now.params.RoSegs && now.in.ro_lines == 0 &&
                now.probes.ro_lines[row] != 0;
       }},
      {"line of a segment is loaded", 0, read_only},
      {"... though the others come from a place", 0,
       [](const Now& now) { return read_only(now) && now.entering != nullptr && now.entering->smem_loc == kInPlace; }},
      {"... while accesses to memory pause", 0,
       [](const Now& now) {
         return now.probes.in_state == InState::kShared && now.probes.stopped != 0 && now.port_free() &&
                now.covered(now.probes.in_slot, now.probes.in_line);
       }},
      {"segment behind an ordinary line", 0,
       [](const Now& now) { return read_only(now) && now.before->out.access_type == AccessType::kShared; }},
      {"ordinary line behind a segment", 0,
       [](const Now& now) {
         return loads(now, AccessType::kShared) && now.before->out.access_type == AccessType::kReadOnly;
       }},
      {"segments exist, but are not asked for", 0,
       [](const Now& now) {
         return shared(now) && now.probes.read_only == 0 &&
                now.probes.ro_lines[now.probes.out_slot * now.params.RoSegs] != 0;
       }},
      {"addresses carry beyond 16 bits", 0,
       [](const Now& now) {
         return now.offered() && now.out.access_local == 0 && (now.out.access_address & 0xffffU) == 0 &&
                now.before->out.access_valid != 0 && now.before->out.access_address + 1 == now.out.access_address;
       }},
  };
}

bool both(const Now& now) { return now.port_free() && now.out_wants() && now.in_wants(); }
bool pauses(const Now& now) { return now.probes.stopped != 0; }
bool waits_for_store(const Now& now) {
  return now.probes.out_state == OutState::kHand && now.out.access_valid != 0 && now.out.access_store != 0;
}

Rows port_rows() {
  return {
      {"store before a load", 0, [](const Now& now) { return both(now) && !pauses(now); }},
      {"load on chip while a store to memory pauses", 0,
       [](const Now& now) { return both(now) && pauses(now) && !now.out_local() && now.in_local(); }},
      {"store on chip while loads from memory pause", 0,
       [](const Now& now) { return both(now) && pauses(now) && now.out_local() && !now.in_local(); }},
      {"store and load pause", 0,
       [](const Now& now) { return both(now) && pauses(now) && !now.out_local() && !now.in_local(); }},
      {"store pauses alone", 0,
       [](const Now& now) {
         return now.port_free() && pauses(now) && now.out_wants() && !now.in_wants() && !now.out_local();
       }},
      {"load pauses alone", 0,
       [](const Now& now) {
         return now.port_free() && pauses(now) && now.in_wants() && !now.out_wants() && !now.in_local();
       }},
      {"store waits on the port", 0,
       [](const Now& now) {
         return now.out.access_valid != 0 && now.out.access_store != 0 && now.in.access_ready == 0;
       }},
      {"load waits on the port", 0,
       [](const Now& now) {
         return now.out.access_valid != 0 && now.out.access_store == 0 && now.in.access_ready == 0;
       }},
      {"access to memory waits on the port as accesses pause", 0,
       [](const Now& now) { return now.out.block_memory != 0 && now.in.access_ready == 0 && pauses(now); }},
      {"port is free, nothing to move", 0,
       [](const Now& now) {
         return now.out.access_valid == 0 && (now.out.page_request != 0 || now.out.parked_valid != 0);
       }},
      {"requests as many as the threshold", 0,
       [](const Now& now) {
         return now.probes.out_state != OutState::kIdle && !pauses(now) && now.in.outstanding == now.probes.threshold;
       }},
      {"requests one fewer than the threshold", 0,
       [](const Now& now) {
         return now.probes.out_state != OutState::kIdle && !pauses(now) &&
                now.in.outstanding + 1U == now.probes.threshold;
       }},
      {"requests four fewer: accesses resume", 0,
       [](const Now& now) {
         return now.probes.out_state != OutState::kIdle && pauses(now) &&
                now.in.outstanding + 4U == now.probes.threshold;
       }},
      {"requests three fewer: accesses pause on", 0,
       [](const Now& now) {
         return now.probes.out_state != OutState::kIdle && pauses(now) &&
                now.in.outstanding + 3U == now.probes.threshold;
       }},
      {"block becomes idle while accesses pause", 0,
       [](const Now& now) {
         return pauses(now) && now.probes.out_state == OutState::kIdle && now.probes.in_state == InState::kIdle &&
                now.probes.jobs == 0 && now.probes.hand_valid == 0 && now.out.access_valid == 0;
       }},
      {"hand-over waits for the last store", 0, waits_for_store},
      {"last store is accepted as its entry is", 0,
       [](const Now& now) {
         return now.out.parked_valid != 0 && now.in.parked_ready != 0 && now.out.access_store != 0 &&
                now.in.access_ready != 0;
       }},
      {"hand-over beside a load on the port", 0,
       [](const Now& now) {
         return now.probes.out_state == OutState::kHand && now.probes.hand_valid == 0 && now.out.access_valid != 0 &&
                now.out.access_store == 0;
       }},
      {"hand-over waits for the machine that moves in", kContexts,
       [](const Now& now) { return now.probes.out_state == OutState::kHand && now.probes.hand_valid != 0; }},
      {"... as the job before is taken", kContexts,
       [](const Now& now) {
         return now.probes.out_state == OutState::kHand && now.probes.hand_valid != 0 &&
                now.probes.in_state == InState::kIdle;
       }},
      {"image at once", 0,
       [](const Now& now) {
         return now.in.page_valid != 0 && now.out.page_request != 0 && now.before != nullptr &&
                now.before->out.page_request == 0;
       }},
      {"image later", 0,
       [](const Now& now) {
         return now.in.page_valid != 0 && now.out.page_request != 0 && now.before != nullptr &&
                now.before->out.page_request != 0;
       }},
      {"image without a request", 0,
       [](const Now& now) { return now.in.page_valid != 0 && now.out.page_request == 0; }},
      {"image while a thread block moves in", 0,
       [](const Now& now) { return now.out.page_request != 0 && now.probes.in_state != InState::kIdle; }},
      {"entry waits", 0, [](const Now& now) { return now.out.parked_valid != 0 && now.in.parked_ready == 0; }},
      {"filled context waits", 0, [](const Now& now) { return now.out.enter_valid != 0 && now.in.enter_ready == 0; }},
      {"filled context waits while a thread block leaves", kContexts,
       [](const Now& now) { return now.out.enter_valid != 0 && now.in.enter_ready == 0 && now.out_wants(); }},
      {"all loads have been performed as the last state comes", 0,
       [](const Now& now) {
         return now.probes.in_state == InState::kWait && now.probes.loads == 0 && now.before != nullptr &&
                now.before->probes.in_state != InState::kWait;
       }},
      {"waits for loads", 0,
       [](const Now& now) { return now.probes.in_state == InState::kWait && now.probes.loads > 1; }},
      {"waits for SIMT lines", 0,
       [](const Now& now) { return now.probes.in_state == InState::kSegments && now.probes.loads != 0; }},
      {"ready without an offer", 0,
       [](const Now& now) {
         return (now.in.parked_ready != 0 && now.out.parked_valid == 0) ||
                (now.in.enter_ready != 0 && now.out.enter_valid == 0);
       }},
  };
}

Rows kernel_rows() {
  return {
      {"FIFO is full", 0, [](const Now& now) { return now.out.job_ready == 0 && !now.starts(); }},
      {"job waits for the FIFO", 0, [](const Now& now) { return now.in.job_valid != 0 && now.out.job_ready == 0; }},
      {"... as the next one begins", 0,
       [](const Now& now) {
         return now.in.job_valid != 0 && now.out.job_ready == 0 && now.probes.out_state == OutState::kIdle;
       }},
      {"job comes to an idle block", 0,
       [](const Now& now) {
         return now.in.job_valid != 0 && now.out.job_ready != 0 && now.probes.jobs == 0 &&
                now.probes.out_state == OutState::kIdle && now.probes.in_state == InState::kIdle;
       }},
      {"job comes to the other machine at work", 0,
       [](const Now& now) {
         return now.in.job_valid != 0 && now.probes.out_state == OutState::kIdle &&
                now.probes.in_state != InState::kIdle;
       }},
      {"both machines work for one context", 0,
       [](const Now& now) {
         return now.probes.out_state != OutState::kIdle && now.probes.in_state != InState::kIdle &&
                now.probes.out_slot == now.probes.in_slot;
       }},
      {"job for the last context", 0,
       [](const Now& now) { return now.in.job_valid != 0 && now.in.job_slot + 1U == now.params.MaxTb; }},
      {"image is given back", 0, [](const Now& now) { return now.out.enter_free != 0 && now.in.enter_ready != 0; }},
      {"place is given back", 0,
       [](const Now& now) {
         return now.out.enter_valid != 0 && now.in.enter_ready != 0 && now.out.enter_new == 0 &&
                now.out.enter_free == 0;
       }},
      {"kernel without shared memory", 0, [](const Now& now) { return now.starts() && now.in.cfg_smem == 0; }},
      {"kernel of all contexts and homes", 0,
       [](const Now& now) {
         return now.starts() && now.in.cfg_slots == now.params.MaxTb && now.in.cfg_rhomes == now.params.NumHomes &&
                now.in.cfg_shomes == now.params.NumHomes;
       }},
      {"kernel of the least threshold", 0, [](const Now& now) { return now.starts() && now.in.cfg_threshold == 8; }},
      {"kernel of the largest threshold", 0,
       [](const Now& now) { return now.starts() && now.in.cfg_threshold == 1023; }},
      {"kernel starts as a job comes", 0, [](const Now& now) { return now.starts() && now.in.job_valid != 0; }},
      {"kernel starts as a site is written", 0, [](const Now& now) { return now.starts() && now.in.site_valid != 0; }},
      {"kernel starts as a segment is written", 0, [](const Now& now) { return now.starts() && now.in.ro_valid != 0; }},
      {"kernel starts as a load is performed", 0, [](const Now& now) { return now.starts() && now.in.load_done != 0; }},
      {"kernel starts while an access is on the port", 0,
       [](const Now& now) { return now.starts() && now.out.access_valid != 0; }},
      {"kernel starts while a job is handed over", 0,
       [](const Now& now) { return now.starts() && now.probes.hand_valid != 0; }},
      {"kernel starts while jobs wait", 0, [](const Now& now) { return now.starts() && now.probes.jobs != 0; }},
      {"kernel starts while accesses pause", 0, [](const Now& now) { return now.starts() && pauses(now); }},
      {"kernel starts while loads are outstanding", 0,
       [](const Now& now) { return now.starts() && now.probes.loads != 0; }},
      {"two kernels in consecutive cycles", 0,
       [](const Now& now) { return now.starts() && now.before != nullptr && now.before->in.cfg_valid != 0; }},
  };
}

std::vector<std::string> move_names() {
  return castor::tb::crossed(
      {"nothing leaves, ", "stays in place, ", "registers to a place, ", "shared memory to a place, ", "to memory, "},
      {"no one comes back", "one with both homes comes", "one with registers in a home comes",
       "one with shared memory in a home comes", "one without homes comes"});
}

}  // namespace

CoverPoints::CoverPoints(castor::tb::Cover& cover, const Params& params, const castor::tb::Peek& /*peek*/)
    : BlockPoints(params),
      machines_({cover, features(params)}),
      placing_({cover, features(params)}, placing_rows()),
      lines_({cover, features(params)}, line_rows()),
      port_({cover, features(params)}, port_rows()),
      kernels_({cover, features(params)}, kernel_rows()),
      moves_({cover, features(params)}, move_names(),
             [](const Now& now) { return now.probes.out_class * std::size_t{5} + incoming(*now.decided()); }),
      simultaneous_({cover, features(params)}) {}

void CoverPoints::see(const castor::tb::Cycle<Block>& cycle) {
  const Now now = jobs_.follow(cycle);
  machines_.see(now);
  placing_.see(now);
  lines_.see(now);
  port_.see(now);
  kernels_.see(now);
  if (now.decided() != nullptr) moves_.see(now);
  simultaneous_.see(now);
}

}  // namespace castor::tb_swap::tb
