#include "castor/hookup/laperm/laperm_adapter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "castor/base/error.h"
#include "castor/hookup/entries.h"

namespace castor::hookup {
namespace {

constexpr std::uint32_t kRead = 1, kWrite = 2;  // tags of memory requests
constexpr unsigned kSlotBytes = 32;
constexpr std::uint64_t kUnit = 16;  // unit of parameter addresses, in bytes
constexpr unsigned kPushError = 0x80, kReplyError = 0x81;
constexpr std::uint32_t kMostWarps = 127, kMostUnits = 1023, kMostSlots = 63;

template <class T>
T at_most(std::uint32_t value, std::uint32_t most) {
  return static_cast<T>(std::min(value, most));
}

}  // namespace

LapermAdapter::LapermAdapter(std::unique_ptr<twin::Twin<laperm::Block>> twin, const Settings& settings)
    : laperm_(std::move(twin)), settings_(settings) {}

LapermAdapter::~LapermAdapter() = default;

void LapermAdapter::attach(const gpu::HookSite& site) {
  memory_ = site.memory;
  error_ = site.error;
  statistics_ = std::make_unique<LapermStatistics>(*site.statistics);
  if (settings_.list_log2 == 0) return;
  lists_ = memory_->allocate(std::uint64_t{laperm_.params().lists()} * kSlotBytes << settings_.list_log2,
                             "lists of block laperm");
}

void LapermAdapter::detach() {
  statistics_.reset();
  error_ = {};
  memory_ = nullptr;
}

void LapermAdapter::reset() {
  laperm_.reset();
  laperm_.in.policy = settings_.policy;
  laperm_.in.ovf_log2 = static_cast<std::uint8_t>(settings_.list_log2);
  unchanged_ = 0;
  changes_ = 0;
}

// --- A cycle --------------------------------------------------------------------------------------------------------

const gpu::DispatchOut& LapermAdapter::settle(const gpu::DispatchIn& in) {
  present_room(in, laperm_.registered().scan_sm);
  laperm_.in.mem_ready = memory_->unsent() == 0 ? 1 : 0;
  if (in.reply && in.reply->tag == kRead) take_reply(*in.reply);
  laperm_.look();
  const laperm::Outputs& out = laperm_.out();
  out_ = {};
  out_.push_ready = out.push_ready != 0;
  out_.push_groups = out_.attach_ready = true;
  out_.hold = mask_of(out.hold);
  out_.ready = out.ready != 0;
  out_.fits_head = out.fits_head;
  out_.bound_wait = out.bound_wait;
  if (out.pl_valid == 0) return out_;
  gpu::Placement placement;
  placement.kd = out.pl_kd;
  placement.sm = out.pl_sm;
  placement.position = static_cast<std::uint32_t>(out.pl_pos);
  placement.linear = true;
  placement.group = static_cast<std::uint32_t>(out.pl_agei);
  placement.grid = grid_of(out.pl_dim);
  placement.param = out.pl_param * kUnit;
  placement.last_of_group = out.pl_last != 0;
  out_.place = placement;
  return out_;
}

// Drives the free resources of an SM. A value too large for its port is clamped to the port's maximum. The needs of TBs
// are checked when the block is plugged in.
void LapermAdapter::present_room(const gpu::DispatchIn& in, unsigned sm) {
  laperm::Inputs& to = laperm_.in;
  const gpu::SmResources& room = in.room->free(sm);
  to.room_open = in.open[sm] ? 1 : 0;
  to.room_slots = at_most<std::uint8_t>(room.tbs, kMostSlots);
  to.room_warps = at_most<std::uint8_t>(std::min(room.warps, room.threads / 32), kMostWarps);
  to.room_regs = at_most<std::uint16_t>(room.reg_units, kMostUnits);
  to.room_smem = at_most<std::uint16_t>(room.smem_units, kMostUnits);
  to.kd_ok = laperm::KdBits::ones(laperm_.params().NumKd);
  for (unsigned kd = 0; in.withheld != nullptr && kd < laperm_.params().NumKd; ++kd) {
    if ((*in.withheld)[kd]) to.kd_ok.clear(kd);
  }
  if (in.quota == nullptr) return;
  for (unsigned kd = 0; kd < laperm_.params().NumKd; ++kd) {
    if (!in.quota->allows(sm, kd, in.room->resident(sm, kd))) to.kd_ok.clear(kd);
  }
}

void LapermAdapter::present_push(const gpu::WorkItem& item) {
  laperm::Inputs& to = laperm_.in;
  to.push_valid = 1;
  to.push_kd = static_cast<std::uint8_t>(item.kd);
  to.push_agei = item.group;
  to.push_cnt = item.tbs;
  to.push_dim = port_of(item.grid);
  to.push_param = item.group == gpu::kNoGroup ? 0 : item.param / kUnit;
  to.push_level = static_cast<std::uint8_t>(std::min(item.level, 15U));
  to.push_sm = item.parent_sm;
  to.push_warps = static_cast<std::uint8_t>(item.need.warps);
  to.push_regs = item.need.reg_units;
  to.push_smem = item.need.smem_units;
}

void LapermAdapter::take_reply(const gpu::MemoryReply& reply) {
  laperm_.in.mem_rvalid = 1;
  std::array<std::uint64_t, kSlotBytes / 8> words{};
  std::memcpy(words.data(), reply.data.data(), sizeof words);
  for (unsigned word = 0; word < words.size(); ++word) laperm_.in.mem_rdata.set_word(word, words[word]);
}

void LapermAdapter::clock(const gpu::DispatchIn& in) {
  laperm::Inputs& to = laperm_.in;
  to.pl_taken = in.taken ? 1 : 0;
  if (in.push) present_push(*in.push);
  // TBs that are swapped out or restored have no event of their own, but change the free resources.
  const bool moves = in.push || in.taken || in.reply || laperm_.out().mem_valid != 0 || !in.ev.retired.empty() ||
                     in.room->changes() != changes_;
  changes_ = in.room->changes();
  unchanged_ = moves ? 0 : unchanged_ + 1;
  send_request();
  const std::uint8_t errors = laperm_.out().err;
  if ((errors & 1U) != 0) error_(kPushError, 0);
  if ((errors & 2U) != 0) error_(kReplyError, 0);
  const Edge edge = laperm_.edge([this](const laperm::Inputs& seen, const laperm::Outputs& out) {
    if (statistics_) statistics_->cycle(seen, out);
  });
  if (edge != Edge::kSkipped) laperm_.make_idle();
}

// Sends the memory request of the block that is accepted at the edge of this cycle.
void LapermAdapter::send_request() {
  const laperm::Outputs& out = laperm_.out();
  if ((out.mem_valid & laperm_.in.mem_ready) == 0) return;
  const std::uint64_t slot = (std::uint64_t{out.mem_list} << settings_.list_log2) + out.mem_idx;
  const std::uint64_t address = lists_ + slot * kSlotBytes;
  if (out.mem_we == 0) return memory_->read(address, kSlotBytes, kRead);
  std::array<std::uint64_t, kSlotBytes / 8> words{};
  for (unsigned word = 0; word < words.size(); ++word) words[word] = out.mem_wdata.word(word);
  memory_->write(address, words.data(), kSlotBytes, kWrite);
}

}  // namespace castor::hookup
