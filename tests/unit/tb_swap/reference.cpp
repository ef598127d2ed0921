#include "unit/tb_swap/reference.h"

#include <algorithm>

#include "tb/tb_swap/entry.h"

namespace castor::tb_swap::reference {
namespace {

using tb::get, tb::put;

/// Where the parts of a thread block of each class go; the SIMT lines always leave.
struct Parts {
  bool local, registers_leave, shared_leaves;
};
constexpr std::array<Parts, 5> kParts{{
    {true, false, false},  // nothing leaves
    {true, false, false},
    {true, true, false},
    {true, false, true},
    {false, true, true},
}};
const Parts& parts_of(Class where) { return kParts.at(static_cast<std::size_t>(where)); }

/// Appends the registers of all warps, warp after warp.
void add_registers(std::vector<Access>& list, unsigned warps, const std::vector<unsigned>& live, Access access) {
  access.type = AccessType::kRegister;
  for (unsigned warp = 0; warp < warps; ++warp) {
    for (const unsigned reg : live) {
      access.warp = warp;
      access.reg = reg;
      list.push_back(access);
    }
  }
}

}  // namespace

Kernel kernel_of(const Inputs& in) {
  return {in.cfg_warps,  in.cfg_regs,     in.cfg_simt,   in.cfg_smem,      in.cfg_slots,     in.cfg_rhomes,
          in.cfg_shomes, in.cfg_in_place, in.cfg_copies, in.cfg_direction, in.cfg_live != 0, in.cfg_read_only != 0};
}

Job job_of(const Inputs& in) {
  return {in.job_slot, in.job_out != 0, in.job_gid, in.job_site, in.job_new != 0, in.job_in_gid, in.job_entry};
}

Access access_of(const Outputs& out) {
  return {out.access_store != 0, out.access_type, out.access_local != 0, out.access_slot,   out.access_warp,
          out.access_reg,        out.access_line, out.access_home,       out.access_address};
}

bool operator==(const Access& a, const Access& b) {
  return a.store == b.store && a.type == b.type && a.local == b.local && a.slot == b.slot && a.warp == b.warp &&
         a.reg == b.reg && a.line == b.line && a.home == b.home && a.address == b.address;
}

std::string text_of(const Access& access) {
  const auto number = [](const char* name, U64 value) { return std::string(name) + std::to_string(value); };
  return std::string(access.store ? "store " : "load ") + enum_names(access.type)[static_cast<unsigned>(access.type)] +
         (access.local ? " place" : " memory") + number(" slot ", access.slot) + number(" warp ", access.warp) +
         number(" reg ", access.reg) + number(" line ", access.line) + number(" home ", access.home) +
         number(" address ", access.address);
}

void Machine::start(const Kernel& kernel) {
  kernel_ = kernel;
  sites_.clear();
  free_rhomes_.clear();
  free_shomes_.clear();
  free_places_.clear();
  for (unsigned home = kernel.slots; home < kernel.rhomes; ++home) free_rhomes_.insert(home);
  for (unsigned home = kernel.slots; home < kernel.shomes; ++home) free_shomes_.insert(home);
  for (unsigned place = 0; place < kernel.in_place + kernel.copies; ++place) free_places_.insert(place);
  contexts_.clear();
  for (unsigned slot = 0; slot < params_.MaxTb; ++slot) {
    contexts_.push_back({slot, slot, std::vector<Segment>(params_.RoSegs)});
  }
}

void Machine::write_site(unsigned site, const RegBits& mask) {
  if (site < params_.NumSites) sites_[site] = mask;
}

void Machine::write_segment(unsigned slot, unsigned index, const Segment& segment) {
  if (index < params_.RoSegs) contexts_.at(slot).segments.at(index) = segment;
}

std::vector<unsigned> Machine::live(unsigned site) const {
  const auto known = kernel_.live ? sites_.find(site) : sites_.end();
  std::vector<unsigned> numbers;
  for (unsigned reg = 0; reg < kernel_.regs; ++reg) {
    if (known == sites_.end() || known->second.test(reg)) numbers.push_back(reg);
  }
  return numbers;
}

const Segment* Machine::segment_of(unsigned slot, unsigned line) const {
  if (!kernel_.read_only) return nullptr;
  for (const Segment& segment : contexts_.at(slot).segments) {
    if (line >= segment.first && line < segment.first + segment.lines) return &segment;
  }
  return nullptr;
}

U64 Machine::mask_of(const Numbers& numbers) {
  U64 mask = 0;
  for (const unsigned number : numbers) mask |= U64{1} << number;
  return mask;
}

int Machine::free_place(unsigned from, unsigned number) const {
  const auto place = free_places_.lower_bound(from);
  return place != free_places_.end() && *place < from + number ? static_cast<int>(*place) : -1;
}

Class Machine::choose(const Job& job, bool local_room) const {
  if (!job.out) return Class::kNone;
  if (!local_room) return Class::kMemory;
  const bool brings_registers = !job.is_new && get(job.entry, tb::kRegLoc) == tb::kInHome;
  const bool brings_shared = !job.is_new && get(job.entry, tb::kSmemLoc) == tb::kInHome;
  const bool register_home = brings_registers || !free_rhomes_.empty();
  const bool shared_home = kernel_.smem == 0 || brings_shared || !free_shomes_.empty();
  const bool copy = free_place(kernel_.in_place, kernel_.copies) >= 0;
  if (free_place(0, kernel_.in_place) >= 0 && register_home && shared_home) return Class::kInPlace;
  if (kernel_.direction == 1 && copy && shared_home) return Class::kRegistersToPlace;
  if (kernel_.direction == 2 && copy && register_home) return Class::kSharedToPlace;
  return Class::kMemory;
}

unsigned Machine::exchange(Numbers& spare, unsigned own, bool keeps, bool brings, unsigned brought) {
  if (brings) {
    if (!keeps) spare.insert(own);
    return brought;
  }
  if (!keeps) return own;
  const unsigned taken = *spare.begin();
  spare.erase(spare.begin());
  return taken;
}

Move Machine::place(const Job& job, bool local_room) {
  Move move;
  move.job = job;
  move.where = choose(job, local_room);
  const Context& context = contexts_.at(job.slot);
  move.old_rhome = context.rhome;
  move.old_shome = context.shome;
  const bool stays = move.where != Class::kNone && parts_of(move.where).local;
  if (stays) {
    const bool copy = move.where != Class::kInPlace;
    const int place = copy ? free_place(kernel_.in_place, kernel_.copies) : free_place(0, kernel_.in_place);
    free_places_.erase(static_cast<unsigned>(place));
    move.address = static_cast<U64>(place) * tb::kPlaceLines;
  }
  const auto brings = [&](tb::EntryField where) { return !job.is_new && get(job.entry, where) == tb::kInHome; };
  const auto home = [&](tb::EntryField line) { return static_cast<unsigned>(get(job.entry, line) % 64); };
  move.rhome = exchange(free_rhomes_, context.rhome, stays && !parts_of(move.where).registers_leave,
                        brings(tb::kRegLoc), home(tb::kRegLine));
  move.shome = exchange(free_shomes_, context.shome, stays && kernel_.smem != 0 && !parts_of(move.where).shared_leaves,
                        brings(tb::kSmemLoc), home(tb::kSmemLine));
  return move;
}

std::vector<Access> Machine::stores(const Move& move) const {
  std::vector<Access> list;
  if (move.where == Class::kNone) return list;
  const Parts& parts = parts_of(move.where);
  Access access;
  access.store = true;
  access.local = parts.local;
  access.slot = move.job.slot;
  for (access.line = 0; access.line < kernel_.simt; ++access.line) list.push_back(access);
  access.line = 0;
  if (parts.registers_leave) {
    access.home = move.old_rhome;
    add_registers(list, kernel_.warps, live(move.job.site), access);
  }
  if (parts.shared_leaves) {
    access.home = move.old_shome;
    access.type = AccessType::kShared;
    for (access.line = 0; access.line < kernel_.smem; ++access.line) {
      if (segment_of(move.job.slot, access.line) == nullptr) list.push_back(access);
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) list[i].address = (move.address + i) & twin::mask(33);
  return list;
}

Entry Machine::entry(const Move& move, unsigned sm) const {
  const Parts& parts = parts_of(move.where);
  const U64 left = parts.local ? tb::kInPlace : tb::kInMemory;
  const U64 registers = move.address + kernel_.simt;
  const U64 shared = registers + (parts.registers_leave ? kernel_.warps * live(move.job.site).size() : 0);
  Entry entry;
  put(entry, tb::kGid, move.job.gid);
  put(entry, tb::kSm, sm);
  put(entry, tb::kSite, move.job.site);
  put(entry, tb::kSimtLoc, parts.local ? tb::kSimtInPlace : tb::kSimtInMemory);
  put(entry, tb::kSimtLine, move.address);
  put(entry, tb::kRegLoc, parts.registers_leave ? left : tb::kInHome);
  put(entry, tb::kRegLine, parts.registers_leave ? registers : move.old_rhome);
  if (kernel_.smem == 0) {
    put(entry, tb::kSmemLoc, tb::kNoShared);
    return entry;
  }
  put(entry, tb::kSmemLoc, parts.shared_leaves ? left : tb::kInHome);
  put(entry, tb::kSmemLine, parts.shared_leaves ? shared : move.old_shome);
  return entry;
}

void Machine::begin_in(const Move& move) {
  contexts_.at(move.job.slot) = {move.rhome, move.shome, std::vector<Segment>(params_.RoSegs)};
}

std::vector<Access> Machine::simt_loads(const Move& move) const {
  std::vector<Access> list;
  if (move.job.is_new) return list;
  Access access;
  access.local = get(move.job.entry, tb::kSimtLoc) == tb::kSimtInPlace;
  access.slot = move.job.slot;
  for (access.line = 0; access.line < kernel_.simt; ++access.line) {
    access.address = (get(move.job.entry, tb::kSimtLine) + access.line) & twin::mask(33);
    list.push_back(access);
  }
  return list;
}

std::vector<Access> Machine::other_loads(const Move& move) const {
  std::vector<Access> list;
  const Entry& entry = move.job.entry;
  Access access;
  access.slot = move.job.slot;
  if (get(entry, tb::kRegLoc) != tb::kInHome) {
    access.home = move.rhome;
    access.local = get(entry, tb::kRegLoc) == tb::kInPlace;
    add_registers(list, kernel_.warps, live(static_cast<unsigned>(get(entry, tb::kSite))), access);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].address = (get(entry, tb::kRegLine) + i) & twin::mask(33);
    }
  }
  const U64 where = get(entry, tb::kSmemLoc);
  if (where != tb::kInPlace && where != tb::kInMemory) return list;
  access.home = move.shome;
  U64 next = get(entry, tb::kSmemLine);
  for (access.line = 0; access.line < kernel_.smem; ++access.line) {
    const Segment* const segment = segment_of(move.job.slot, access.line);
    access.type = segment != nullptr ? AccessType::kReadOnly : AccessType::kShared;
    access.local = segment == nullptr && where == tb::kInPlace;
    access.address = (segment != nullptr ? segment->address + access.line - segment->first : next++) & twin::mask(33);
    list.push_back(access);
  }
  return list;
}

void Machine::end_in(const Move& move) {
  if (move.job.is_new || get(move.job.entry, tb::kSimtLoc) != tb::kSimtInPlace) return;
  free_places_.insert(static_cast<unsigned>(tb::place_of(move.job.entry)));
}

bool Machine::all_back() const {
  Numbers rhomes, shomes;
  for (unsigned slot = 0; slot < kernel_.slots; ++slot) {
    rhomes.insert(contexts_[slot].rhome);
    shomes.insert(contexts_[slot].shome);
  }
  return free_places_.size() == kernel_.in_place + kernel_.copies &&
         free_rhomes_.size() == kernel_.rhomes - kernel_.slots &&
         free_shomes_.size() == kernel_.shomes - kernel_.slots && rhomes.size() == kernel_.slots &&
         shomes.size() == kernel_.slots;
}

}  // namespace castor::tb_swap::reference
