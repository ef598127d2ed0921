#include "castor/gpu/functional/thread_block.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace castor::gpu::functional {

void AlignedBytes::Release::operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }

void AlignedBytes::assign_zero(std::size_t size) {
  if (size > capacity_) {
    data_.reset(static_cast<std::byte*>(::operator new (size, std::align_val_t{64})));
    capacity_ = size;
  }
  if (size != 0) std::memset(data_.get(), 0, size);
}

void ThreadBlock::start(const Launch& launch, Dim3 index, unsigned lanes, unsigned sm, unsigned sms,
                        unsigned warp_slots) {
  launch_ = &launch;
  index_ = index;
  lanes_ = lanes;
  const isa::Program& program = *launch.program;
  const auto threads = static_cast<unsigned>(launch.block.count());
  const unsigned warps = (threads + lanes - 1) / lanes;
  const std::size_t register_bytes = std::size_t{program.registers} * lanes * 4;
  const std::size_t local_bytes = (std::size_t{program.local_bytes} + 3) / 4 * 4 * lanes;
  registers_.assign_zero(register_bytes * warps);
  local_.assign_zero(local_bytes * warps);
  shared_.assign_zero(launch.shared_bytes);
  warps_.resize(warps);
  live_warps_ = warps;

  std::vector<std::uint8_t> halves(warps);
  Dim3 thread{0, 0, 0};
  for (unsigned w = 0; w < warps; ++w) {
    Warp& warp = warps_[w];
    const unsigned started = std::min(lanes, threads - w * lanes);
    const isa::LaneMask mask = started == 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << started) - 1;
    halves[w] = static_cast<std::uint8_t>((started + 31) / 32);
    warp.stack.start(mask, 0);
    std::fill(std::begin(warp.predicates), std::end(warp.predicates), 0);
    warp.registers = registers_.data() + w * register_bytes;
    warp.local = local_.data() + w * local_bytes;
    warp.state = WarpState::kReady;
    isa::WarpContext& context = warp.context;
    context = {};
    for (unsigned lane = 0; lane < started; ++lane) {
      context.tid[0][lane] = static_cast<std::uint16_t>(thread.x);
      context.tid[1][lane] = static_cast<std::uint16_t>(thread.y);
      context.tid[2][lane] = static_cast<std::uint16_t>(thread.z);
      if (++thread.x == launch.block.x) {
        thread.x = 0;
        if (++thread.y == launch.block.y) {
          thread.y = 0;
          ++thread.z;
        }
      }
    }
    const Dim3 sizes[3] = {launch.block, index, launch.grid};
    std::uint32_t* const targets[3] = {context.ntid, context.ctaid, context.nctaid};
    for (unsigned i = 0; i < 3; ++i) {
      targets[i][0] = sizes[i].x;
      targets[i][1] = sizes[i].y;
      targets[i][2] = sizes[i].z;
    }
    context.first_warp = w * (lanes / 32);
    context.warp_slots = warp_slots;
    context.sm = sm;
    context.sms = sms;
    context.grid = launch.grid_id;
    context.dynamic_shared = launch.dynamic_shared;
    context.total_shared = launch.shared_bytes;
    context.parameter_base = launch.parameters;
    context.live = mask;
    context.active = mask;
  }
  barriers_.start(halves);
}

Windows ThreadBlock::windows(const Warp& warp) const {
  Windows windows;
  windows.shared = shared_.data();
  windows.shared_bytes = launch_->shared_bytes;
  windows.local = warp.local;
  windows.local_bytes = launch_->program->local_bytes;
  windows.parameters = launch_->parameters;
  windows.parameter_bytes = launch_->program->parameter_bytes;
  return windows;
}

isa::RegisterView ThreadBlock::view(Warp& warp) const {
  return {warp.registers, launch_->constants, warp.predicates, lanes_};
}

Dim3 ThreadBlock::thread(const Warp& warp, unsigned lane) const {
  return {warp.context.tid[0][lane], warp.context.tid[1][lane], warp.context.tid[2][lane]};
}

void ThreadBlock::retire(Warp& warp) {
  warp.state = WarpState::kDone;
  --live_warps_;
  std::vector<isa::BarrierUnit::Release> released;
  barriers_.exit(static_cast<unsigned>(&warp - warps_.data()), released);
  release(released);
}

void ThreadBlock::release(const std::vector<isa::BarrierUnit::Release>& released) {
  for (const auto& barrier : released) {
    for (std::uint64_t left = barrier.warps; left != 0; left &= left - 1) {
      Warp& warp = warps_[static_cast<unsigned>(__builtin_ctzll(left))];
      warp.state = WarpState::kReady;
      if (warp.barrier_dst != isa::kNoOperand) {
        auto* const row = reinterpret_cast<std::uint32_t*>(view(warp).dst(warp.barrier_dst));
        for (unsigned lane = 0; lane < lanes_; ++lane) {
          if ((warp.barrier_lanes >> lane & 1) != 0) row[lane] = barrier.reduction;
        }
      }
      if (warp.barrier_predicate < isa::kNoPredicate) {
        isa::LaneMask& predicate = warp.predicates[warp.barrier_predicate];
        predicate = (predicate & ~warp.barrier_lanes) | (barrier.reduction != 0 ? warp.barrier_lanes : 0);
      }
    }
  }
}

}  // namespace castor::gpu::functional
