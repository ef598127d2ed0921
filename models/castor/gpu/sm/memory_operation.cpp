#include "castor/gpu/sm/memory_operation.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {
namespace {

using isa::LaneMask;

// Copies a piece. Each size has its own call with a constant, so that the compiler emits moves.
void move_piece(std::byte* to, const std::byte* from, unsigned size) {
  switch (size) {
    case 1:
      *to = *from;
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, size);
  }
}

// Copies a run of bytes; 128 bytes, one word per lane, is the common case.
void move_run(std::byte* to, const std::byte* from, std::size_t size) {
  if (size == 128)
    std::memcpy(to, from, 128);
  else
    std::memcpy(to, from, size);
}

template <class T>
void blend_row(std::byte* row, const std::byte* from, LaneMask mask) {
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(mask));
    std::memcpy(row + lane * sizeof(T), from + lane * sizeof(T), sizeof(T));
  }
}

}  // namespace

void MemoryOperation::load_lane(unsigned lane, const std::byte* from) {
  std::byte* const to = lane_data(lane);
  for (unsigned i = 0; i < pieces; ++i)
    move_piece(to + i * std::size_t{piece_stride}, from + i * std::size_t{piece_bytes}, piece_bytes);
}

void MemoryOperation::store_lane(unsigned lane, std::byte* to) const {
  const std::byte* const from = lane_data(lane);
  for (unsigned i = 0; i < pieces; ++i)
    move_piece(to + i * std::size_t{piece_bytes}, from + i * std::size_t{piece_stride}, piece_bytes);
}

// Rows of local memory have 4 bytes per lane and are at least a line long, so a lane has at most one word in a line.
MemoryOperation::Word MemoryOperation::word(unsigned line, unsigned lane) const {
  const std::uint64_t row_bytes = std::uint64_t{4} * issue.view.lanes;
  const std::uint64_t first = access.address[lane];
  const std::uint64_t start = lines[line].line;
  const auto index = static_cast<std::size_t>((start + row_bytes - 1 - first) / row_bytes);
  return {index * 4 / piece_bytes * piece_stride + index * 4 % piece_bytes,
          static_cast<std::size_t>(first + index * row_bytes - start)};
}

void MemoryOperation::load(unsigned line, const std::byte* from) {
  const LineAccess& at = lines[line];
  if (at.shape == Shape::kUnit) {
    move_run(access.data + at.first * std::size_t{piece_bytes}, from + at.offset, at.count * std::size_t{piece_bytes});
    return;
  }
  if (at.shape == Shape::kUniform) {  // a uniform load also fills the rows of inactive lanes
    piece_bytes == 4 ? fill_lanes<std::uint32_t>(access.data, from + at.offset, issue.view.lanes)
                     : fill_lanes<std::uint64_t>(access.data, from + at.offset, issue.view.lanes);
    return;
  }
  const bool words = spread(line);
  if (!words && compact) {
    for (unsigned i = 0; i < pieces; ++i) {
      std::byte* const row = access.data + i * std::size_t{piece_stride};
      const std::byte* const piece = from + i * std::size_t{piece_bytes};
      piece_bytes == 4 ? load_lanes<std::uint32_t>(row, piece, access.address, at.lanes, at.line)
                       : load_lanes<std::uint64_t>(row, piece, access.address, at.lanes, at.line);
    }
    return;
  }
  for (LaneMask left = at.lanes; left != 0; left &= left - 1) {
    const unsigned lane = lowest(left);
    if (words) {
      const Word w = word(line, lane);
      std::memcpy(lane_data(lane) + w.in_data, from + w.in_line, 4);
    } else {
      load_lane(lane, from + (access.address[lane] - at.line));
    }
  }
}

void MemoryOperation::load(unsigned line, const std::byte* from, const ByteMask& bytes) {
  const LineAccess& at = lines[line];
  const bool words = spread(line);
  const unsigned size = words ? 4 : access.lane_bytes;
  for (LaneMask left = at.lanes; left != 0; left &= left - 1) {
    const unsigned lane = lowest(left);
    const Word w = words ? word(line, lane) : Word{0, static_cast<std::size_t>(address(lane) - at.line)};
    for (unsigned i = 0; i < size; ++i) {
      if (!bytes.test(static_cast<unsigned>(w.in_line) + i)) continue;
      const std::size_t to = words ? w.in_data + i : i / piece_bytes * std::size_t{piece_stride} + i % piece_bytes;
      lane_data(lane)[to] = from[w.in_line + i];
    }
  }
}

void MemoryOperation::store(unsigned line, std::byte* to) const {
  const LineAccess& at = lines[line];
  if (at.shape == Shape::kUnit) {
    move_run(to + at.offset, access.data + at.first * std::size_t{piece_bytes}, at.count * std::size_t{piece_bytes});
    return;
  }
  const bool words = spread(line);
  for (LaneMask left = at.lanes; left != 0; left &= left - 1) {
    const unsigned lane = lowest(left);
    if (words) {
      const Word w = word(line, lane);
      std::memcpy(to + w.in_line, lane_data(lane) + w.in_data, 4);
    } else {
      store_lane(lane, to + (access.address[lane] - at.line));
    }
  }
}

void MemoryOperation::exchange_shared(std::byte* shared_memory, LaneMask lanes) {
  if (is_atomic()) {
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      isa::perform_lane(access, lowest(left), shared_memory + access.address[lowest(left)]);
    }
    return;
  }
  if (writes) {
    if (shape == Shape::kUnit) {
      move_run(shared_memory + base, access.data, std::size_t{issue.view.lanes} * piece_bytes);
      return;
    }
    if (compact) {
      for (unsigned i = 0; i < pieces; ++i) {
        const std::byte* const row = access.data + i * std::size_t{piece_stride};
        std::byte* const to = shared_memory + i * std::size_t{piece_bytes};
        piece_bytes == 4 ? store_lanes<std::uint32_t>(row, to, access.address, shared)
                         : store_lanes<std::uint64_t>(row, to, access.address, shared);
      }
      return;
    }
    for (LaneMask left = shared; left != 0; left &= left - 1)
      store_lane(lowest(left), shared_memory + access.address[lowest(left)]);
    return;
  }
  if (shape == Shape::kRows) {
    constexpr std::size_t kRowBytes = 4 * kRowLanes;
    for (unsigned lane = 0; lane < issue.view.lanes; lane += kRowLanes) {
      const std::byte* const from = shared_memory + row_base[lane / kRowLanes];
      std::byte* const to = access.data + lane * std::size_t{4};
      step == 0 ? fill_lanes<std::uint32_t>(to, from, kRowLanes) : static_cast<void>(std::memcpy(to, from, kRowBytes));
    }
  } else if (shape == Shape::kUnit) {
    move_run(access.data, shared_memory + base, std::size_t{issue.view.lanes} * piece_bytes);
  } else if (shape == Shape::kUniform) {
    const std::byte* const value = shared_memory + base;
    piece_bytes == 4 ? fill_lanes<std::uint32_t>(access.data, value, issue.view.lanes)
                     : fill_lanes<std::uint64_t>(access.data, value, issue.view.lanes);
  } else if (compact) {
    for (unsigned i = 0; i < pieces; ++i) {
      std::byte* const row = access.data + i * std::size_t{piece_stride};
      const std::byte* const from = shared_memory + i * std::size_t{piece_bytes};
      if (gathered) {  // values loaded for inactive lanes are not used
        piece_bytes == 4 ? load_all_lanes<std::uint32_t>(row, from, access.address, issue.view.lanes)
                         : load_all_lanes<std::uint64_t>(row, from, access.address, issue.view.lanes);
      } else {
        piece_bytes == 4 ? load_lanes<std::uint32_t>(row, from, access.address, shared)
                         : load_lanes<std::uint64_t>(row, from, access.address, shared);
      }
    }
  } else {
    for (LaneMask left = shared; left != 0; left &= left - 1)
      load_lane(lowest(left), shared_memory + access.address[lowest(left)]);
  }
}

void MemoryOperation::load_ideal(const Store& store) {
  if (compact && ideal_passes == 1 && ideal == access.mask) {
    const std::byte* const from = store.bytes(access.address[lowest(ideal)]);
    for (unsigned i = 0; i < pieces; ++i) {
      std::byte* const row = access.data + i * std::size_t{piece_stride};
      piece_bytes == 4 ? fill_lanes<std::uint32_t>(row, from + i * std::size_t{4}, issue.view.lanes)
                       : fill_lanes<std::uint64_t>(row, from + i * std::size_t{8}, issue.view.lanes);
    }
    return;
  }
  for (LaneMask left = ideal; left != 0; left &= left - 1)
    load_lane(lowest(left), store.bytes(access.address[lowest(left)]));
}

void MemoryOperation::write_registers(const isa::RegisterView& view) const {
  const isa::Record& record = *issue.record;
  if (record.kind != isa::Kind::kMemory || record.dst == isa::kNoOperand) return;
  if (!compact) {
    isa::complete(record, view, access);
    return;
  }
  std::byte* const rows = view.dst(record.dst);
  const std::size_t row = std::size_t{view.lanes} * piece_bytes;
  const LaneMask all = view.lanes == 64 ? ~LaneMask{0} : (LaneMask{1} << view.lanes) - 1;
  if (access.mask == all) {
    move_run(rows, access.data, row * pieces);
    return;
  }
  for (unsigned i = 0; i < pieces; ++i) {
    piece_bytes == 4 ? blend_row<std::uint32_t>(rows + i * row, access.data + i * row, access.mask)
                     : blend_row<std::uint64_t>(rows + i * row, access.data + i * row, access.mask);
  }
}

OperationPool::OperationPool() = default;
OperationPool::~OperationPool() = default;

MemoryOperation& OperationPool::get() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<MemoryOperation>());
    all_.back()->lines.reserve(isa::kMaxLanes);
    free_.reserve(all_.size());
    free_.push_back(all_.back().get());
  }
  MemoryOperation& operation = *free_.back();
  free_.pop_back();
  operation.lines.clear();
  operation.shared = operation.local = operation.global = operation.ideal = 0;
  operation.local_lines = operation.rounds.total = operation.ideal_passes = 0;
  operation.next_line = operation.passes = operation.queued = operation.pending = 0;
  operation.ready = 0;
  operation.waited = operation.missed = operation.gathered = false;
  operation.addressed = true;
  operation.rows = false;
  operation.shape = Shape::kGeneral;
  return operation;
}

}  // namespace castor::gpu
