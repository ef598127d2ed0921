#include "castor/hookup/dtbl/dtbl_adapter.h"

#include <cstring>
#include <utility>

#include "castor/base/error.h"
#include "castor/hookup/entries.h"

namespace castor::hookup {
namespace {

constexpr std::uint32_t kRead = 1, kWrite = 2;  // tags of memory requests
constexpr unsigned kRecordBytes = 64, kGridAt = 0x10, kNextAt = 0x38;
constexpr std::uint64_t kUnit = 16;  // unit of addresses in references, in bytes
constexpr unsigned kFirstLaunchError = 0x60, kFirstDispatchError = 0x62;

// Packs a key as {shared 16, z 7, y 11, x 11, pc 32}.
dtbl::Key port_of(const gpu::KernelKey& key) {
  const std::uint64_t z = key.block.z, y = key.block.y, x = key.block.x, shared = key.shared_bytes;
  dtbl::Key bits(key.code | x << 32U | y << 43U | z << 54U | shared << 61U);
  bits.set_word(1, shared >> 3U);
  return bits;
}

template <class T>
T field(const gpu::MemoryReply& reply, unsigned at) {
  T value;
  std::memcpy(&value, reply.data.data() + at, sizeof value);
  return value;
}

}  // namespace

DtblAdapter::DtblAdapter(std::unique_ptr<twin::Twin<dtbl::Block>> twin, bool places)
    : dtbl_(std::move(twin)), places_(places), dispatch_(*this) {
  // The distributing half gets the groups from the other half inside the block, and nobody tells it of placements. So
  // the group numbers that it sees again break an assumption of its properties.
  if (!places_) dtbl_.twin().excuse_assumption("u_dispatch.u_properties.a_group_is_pushed_once");
}

DtblAdapter::~DtblAdapter() = default;

void DtblAdapter::attach(const gpu::HookSite& site) {
  error_ = site.error;
  statistics_ = std::make_unique<DtblStatistics>(*site.statistics, places_);
}

void DtblAdapter::detach() {
  error_ = {};
  statistics_.reset();
}

void DtblAdapter::reset() {
  dtbl_.reset();
  dtbl_.in.fb_ready = 1;
  dtbl_.in.mem_ready = 1;
}

void DtblAdapter::idle(gpu::Cycle n) {
  dtbl_.look();
  if (statistics_) statistics_->rest(dtbl_.out(), n);
  dtbl_.idle(n);
}

// --- Thread blocks --------------------------------------------------------------------------------------------------

const gpu::DispatchOut& DtblAdapter::Dispatch::settle(const gpu::DispatchIn& in) {
  LazyTwin<dtbl::Block>& dtbl = owner_.dtbl_;
  dtbl.in.fits = port_of<dtbl::KdeBits>(*in.fits);
  dtbl.in.mem_ready = owner_.memory_->unsent() == 0 ? 1 : 0;
  if (in.reply && in.reply->tag == kRead) owner_.take_reply(*in.reply);
  dtbl.look();
  const dtbl::Outputs& out = dtbl.out();
  out_ = {};
  out_.push_ready = out.push_ready != 0;
  out_.attach_ready = out.att_ready != 0;
  out_.hold = mask_of(out.dispatch_hold);
  out_.ready = out.cur_valid != 0;
  if (out.cur_valid != 0) out_.fits_head = in.room->fits(out.cur_kd);
  if (out.pl_valid == 0) return out_;
  gpu::Placement placement;
  placement.kd = out.pl_kd;
  placement.position = out.pl_pos;
  placement.group = out.pl_agei;
  placement.grid = grid_of(out.pl_dim);
  placement.param = std::uint64_t{out.pl_param} * kUnit;
  placement.last_of_group = out.pl_last != 0;
  out_.place = placement;
  return out_;
}

void DtblAdapter::Dispatch::clock(const gpu::DispatchIn& in) {
  dtbl::Inputs& to = owner_.dtbl_.in;
  to.pl_taken = in.taken ? 1 : 0;
  if (!in.push) return;
  to.push_valid = 1;
  to.push_kd = static_cast<std::uint8_t>(in.push->kd);
  to.push_dim = port_of(in.push->grid);
}

void DtblAdapter::take_reply(const gpu::MemoryReply& reply) {
  dtbl_.in.rsp_valid = 1;
  dtbl_.in.rsp_dim = field<std::uint64_t>(reply, kGridAt);
  dtbl_.in.rsp_next = field<std::uint32_t>(reply, kNextAt);
}

// --- Groups ---------------------------------------------------------------------------------------------------------

const gpu::LaunchOut& DtblAdapter::settle(const gpu::LaunchIn& in) {
  dtbl::Inputs& to = dtbl_.in;
  if (in.beat) {
    const gpu::GroupBeat& beat = *in.beat;
    to.agg_valid = 1;
    to.agg_first = beat.first ? 1 : 0;
    to.agg_last = beat.last ? 1 : 0;
    to.agg_sm = beat.sm;
    to.agg_warp = beat.warp;
    to.agg_lane = beat.lane;
    to.agg_key = port_of(beat.key);
    to.agg_dim = port_of(beat.grid);
    to.agg_cnt = static_cast<std::uint32_t>(beat.grid.count());
    to.agg_param = static_cast<std::uint32_t>(beat.param / kUnit);
    to.agg_level = beat.level;
    // key_idx is a registered output. If `places_`, F5 (placement) has settled the twin in this cycle already.
    const gpu::KernelKey key = in.keys->key(places_ ? dtbl_.out().key_idx : dtbl_.registered().key_idx);
    to.key_valid = key.valid ? 1 : 0;
    to.key_rd = key.valid ? port_of(key) : dtbl::Key();
  }
  dtbl_.look();
  const dtbl::Outputs& out = dtbl_.out();
  launch_out_ = {};
  launch_out_.beat_ready = out.agg_ready != 0;
  launch_out_.hold = mask_of(out.launch_hold);
  if ((out.att_valid & out.att_ready) != 0) {
    CASTOR_ASSERT_AT(in.now, in.attach_ready, "the dispatch policy keeps a group of block dtbl waiting");
    launch_out_.attach = gpu::GroupAttach{out.att_kd, out.att_agei, std::uint64_t{out.att_param} * kUnit};
  }
  if (out.fb_valid != 0) {
    launch_out_.fallback = gpu::GroupFallback{std::uint64_t{out.fb_rec} * kUnit + kRecordBytes, out.fb_ord};
  }
  return launch_out_;
}

void DtblAdapter::clock(const gpu::LaunchIn& in) {
  if (in.ev.done) {
    dtbl_.in.done_valid = 1;
    dtbl_.in.done_agei = in.ev.done->group;
  }
  send_request();
  report_errors();
  const Edge edge = dtbl_.edge([this](const dtbl::Inputs& to, const dtbl::Outputs& out) {
    if (statistics_) statistics_->cycle(to, out);
  });
  if (edge != Edge::kSkipped) dtbl_.make_idle();
}

// Sends the memory request of the block that is accepted at the edge of this cycle.
void DtblAdapter::send_request() {
  const dtbl::Outputs& out = dtbl_.out();
  if (!places_ || (out.mem_valid & dtbl_.in.mem_ready) == 0) return;
  if (out.mem_write != 0) {
    memory_->write(out.mem_addr, &out.mem_wdata, sizeof out.mem_wdata, kWrite);
  } else {
    memory_->read(out.mem_addr, kRecordBytes, kRead);
  }
}

void DtblAdapter::report_errors() {
  const dtbl::Outputs& out = dtbl_.out();
  if ((out.launch_err | out.dispatch_err) == 0 || !error_) return;
  for (unsigned bit = 0; bit < 2; ++bit) {
    if ((out.launch_err >> bit & 1U) != 0) error_(kFirstLaunchError + bit, 0);
  }
  for (unsigned bit = 0; bit < 3; ++bit) {
    if ((out.dispatch_err >> bit & 1U) != 0) error_(kFirstDispatchError + bit, 0);
  }
}

}  // namespace castor::hookup
