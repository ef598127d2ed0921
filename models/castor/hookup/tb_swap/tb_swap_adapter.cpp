#include "castor/hookup/tb_swap/tb_swap_adapter.h"

#include <algorithm>
#include <utility>

namespace castor::hookup {

using gpu::kSwapLineBytes;
using tb_swap::Inputs;
using tb_swap::Outputs;

namespace {

constexpr std::uint32_t kNumberMask = 0xff'ffff;  // bits of a TB's number that the block carries
constexpr std::uint16_t kMostOutstanding = 1023;

static_assert(static_cast<unsigned>(gpu::SwapAccess::Type::kReadOnly) ==
                  static_cast<unsigned>(tb_swap::AccessType::kReadOnly),
              "types of accesses have the same numbers");

[[nodiscard]] std::uint64_t in_lines(std::uint64_t address) { return address / kSwapLineBytes; }

// Returns the address of an access: a number of a line of a place, or bytes.
[[nodiscard]] std::uint64_t address_of(std::uint64_t lines, bool local) {
  return local ? lines : lines * kSwapLineBytes;
}

}  // namespace

TbSwapAdapter::TbSwapAdapter(std::unique_ptr<twin::Twin<tb_swap::Block>> twin, const Settings& settings)
    : swap_(std::move(twin)), settings_(settings) {}

TbSwapAdapter::~TbSwapAdapter() = default;

gpu::SwapStorage TbSwapAdapter::storage() const {
  gpu::SwapStorage storage;
  storage.segments = settings_.segments;
  if (!settings_.stay) return storage;
  storage.register_homes = storage.shared_homes = static_cast<std::uint8_t>(swap_.params().NumHomes);
  storage.places = static_cast<std::uint8_t>(swap_.params().NumPlaces);
  storage.queue = settings_.queue;
  return storage;
}

void TbSwapAdapter::attach(const gpu::HookSite& site) {
  sm_ = site.sm;
  statistics_ = std::make_unique<TbSwapStatistics>(*site.statistics);
}

void TbSwapAdapter::reset() {
  swap_.reset();
  in_gid_ = {};
  leaving_.clear();
  out_ = {};
  show();
}

void TbSwapAdapter::show() {
  const Outputs& out = swap_.out();
  out_.job_ready = out.job_ready != 0;
  out_.parked.reset();
  if (out.parked_valid != 0) {
    out_.parked = gpu::SwapParked{out.parked_slot, out.parked_local != 0, {}};
    for (unsigned i = 0; i < tb_swap::Entry::kWords; ++i) out_.parked->entry.word[i] = out.parked_entry.word(i);
  }
  out_.enter.reset();
  if (out.enter_valid != 0) {
    out_.enter = gpu::SwapEnter{out.enter_slot,  out.enter_new != 0, in_gid_[out.enter_slot],
                                out.enter_rhome, out.enter_shome,    {}};
    if (out.enter_free != 0) out_.enter->free = out.enter_address * kSwapLineBytes;
  }
  out_.page_request.reset();
  if (out.page_request != 0) out_.page_request = leaving_.front();
  out_.access.reset();
  if (out.access_valid != 0) {
    gpu::SwapAccess access;
    access.store = out.access_store != 0;
    access.type = static_cast<gpu::SwapAccess::Type>(out.access_type);
    access.local = out.access_local != 0;
    access.slot = out.access_slot;
    access.warp = out.access_warp;
    access.reg = out.access_reg;
    access.line = out.access_line;
    access.home = out.access_home;
    access.address = address_of(out.access_address, access.local);
    out_.access = access;
  }
  out_.block_memory = out.block_memory != 0;
}

const gpu::SwapOut& TbSwapAdapter::settle(const gpu::SwapIn& /*in*/) {
  if (swap_.look()) show();
  return out_;
}

void TbSwapAdapter::configure(const gpu::SwapKernel& kernel) {
  Inputs& to = swap_.in;
  to.cfg_valid = 1;
  to.cfg_warps = kernel.warps;
  to.cfg_regs = kernel.registers;
  to.cfg_simt = static_cast<std::uint8_t>(kernel.simt_lines);
  to.cfg_smem = kernel.shared_lines;
  to.cfg_slots = kernel.slots;
  to.cfg_rhomes = kernel.register_homes;
  to.cfg_shomes = kernel.shared_homes;
  to.cfg_in_place = kernel.in_place;
  to.cfg_copies = kernel.copies;
  to.cfg_direction = static_cast<std::uint8_t>(kernel.direction);
  to.cfg_live = settings_.live ? 1 : 0;
  to.cfg_read_only = settings_.segments != 0 ? 1 : 0;
  to.cfg_threshold = settings_.threshold != 0 ? settings_.threshold : kMostOutstanding;
}

void TbSwapAdapter::present(const gpu::SwapIn& in) {
  Inputs& to = swap_.in;
  to.sm_id = static_cast<std::uint8_t>(sm_);
  if (in.configure) configure(*in.configure);
  if (in.sites) {
    to.site_valid = 1;
    to.site_index = in.sites->site;
    for (unsigned i = 0; i < in.sites->live.size(); ++i) to.site_mask.set_word(i, in.sites->live[i]);
  }
  if (in.segment) {
    to.ro_valid = 1;
    to.ro_slot = in.segment->slot;
    to.ro_index = in.segment->index;
    to.ro_lines = in.segment->lines;
    to.ro_first = in.segment->first;
    to.ro_address = in_lines(in.segment->address);
  }
  if (in.job) {
    const gpu::SwapJob& job = *in.job;
    to.job_valid = 1;
    to.job_slot = job.slot;
    to.job_out = job.out ? 1 : 0;
    to.job_gid = job.gid & kNumberMask;
    to.job_site = job.site;
    to.job_new = job.fresh ? 1 : 0;
    to.job_in_gid = job.in_gid & kNumberMask;
    for (unsigned i = 0; i < tb_swap::Entry::kWords; ++i) to.job_entry.set_word(i, job.entry.word[i]);
  }
  to.local_room = in.local_room ? 1 : 0;
  to.parked_ready = out_.parked && in.park_ready ? 1 : 0;
  to.enter_ready = out_.enter && in.enter_ready ? 1 : 0;
  if (in.page) {
    to.page_valid = 1;
    to.page_address = in_lines(*in.page);
  }
  to.access_ready = in.access_taken ? 1 : 0;
  to.load_done = in.load_done ? 1 : 0;
  to.outstanding = settings_.threshold != 0 ? std::min(in.outstanding, kMostOutstanding) : std::uint16_t{0};
}

void TbSwapAdapter::clock(const gpu::SwapIn& in) {
  present(in);
  if (in.job && out_.job_ready) {
    in_gid_[in.job->slot] = in.job->in_gid;
    if (in.job->out) leaving_.push_back(in.job->slot);
  }
  if (swap_.in.parked_ready != 0) leaving_.pop_front();
  const Edge edge = swap_.edge([this](const Inputs& seen, const Outputs& out) {
    if (statistics_) statistics_->cycle(seen, out);
  });
  if (edge != Edge::kSkipped) swap_.make_idle();
}

}  // namespace castor::hookup
