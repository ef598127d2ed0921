#include "castor/gpu/front_end/copy_plan.h"

#include <algorithm>
#include <cmath>

#include "castor/base/error.h"
#include "castor/base/hash.h"

namespace castor::gpu {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr unsigned kWord = 4;
constexpr std::uint64_t kPicosecondsPerMillisecond = base::kPicosecondsPerMillisecond;

}  // namespace

LinkClock::LinkClock(const Machine& machine)
    : core_khz_(base::kilohertz(machine.clock.core_mhz)),
      kilobytes_per_second_(static_cast<std::uint64_t>(std::llround(machine.link.gb_per_s * 1e6))),
      latency_ps_(static_cast<std::uint64_t>(std::llround(machine.link.latency_us * 1e6))) {}

// Evaluates latency [ps] x f [kHz] / 10^9 + bytes x f [kHz] / bandwidth [kB/s] over the common denominator. A kHz
// divided by a kB/s is cycles per byte.
Cycle LinkClock::through(std::uint64_t bytes) const {
  const Wide numerator = static_cast<Wide>(latency_ps_) * core_khz_ * kilobytes_per_second_ +
                         static_cast<Wide>(bytes) * core_khz_ * kPicosecondsPerMillisecond;
  const Wide denominator = static_cast<Wide>(kPicosecondsPerMillisecond) * kilobytes_per_second_;
  return static_cast<Cycle>((numerator + denominator - 1) / denominator);
}

CopyPlan::CopyPlan(const Machine& machine)
    : beat_(machine.link.beat),
      block_(std::min(machine.link.beat, machine.l2.line)),
      link_(!machine.memory.unified),
      shuffle_(machine.link.shuffle),
      seed_(machine.run.seed),
      clock_(machine) {}

void CopyPlan::start(const std::variant<CopyPacket, FillPacket>& packet, Ticket ticket, Cycle now) {
  ticket_ = ticket;
  start_ = now;
  row_ = column_ = beats_ = word_ = performed_ = 0;
  has_piece_ = false;
  source_pitch_ = 0;
  if (const auto* const fill = std::get_if<FillPacket>(&packet)) {
    mode_ = Mode::kFill;
    destination_ = fill->address;
    pattern_ = fill->pattern;
    pattern_bytes_ = fill->pattern_bytes;
    width_ = fill->width / pattern_bytes_ * pattern_bytes_;
    rows_ = fill->rows;
    destination_pitch_ = fill->pitch;
  } else {
    const auto& copy = std::get<CopyPacket>(packet);
    const bool from_host = copy.source.index() == 1, to_host = copy.destination.index() == 1;
    CASTOR_ASSERT_AT(now, !from_host || !to_host, "copy from host memory to host memory");
    mode_ = from_host ? Mode::kToDevice : to_host ? Mode::kToHost : Mode::kInside;
    width_ = copy.width;
    rows_ = copy.rows;
    source_pitch_ = copy.source_pitch;
    destination_pitch_ = copy.destination_pitch;
    if (!from_host) source_ = std::get<0>(copy.source);
    if (!to_host) destination_ = std::get<0>(copy.destination);
    // The const_cast is safe: the plan only reads from the host source.
    if (from_host) host_ = const_cast<std::byte*>(std::get<1>(copy.source));  // NOLINT(*-const-cast)
    if (to_host) host_ = std::get<1>(copy.destination);
  }
  if (width_ == 0) rows_ = 0;
  words_per_row_ = words_ = 0;
  if (!shuffle_ || !over_link()) return;
  words_per_row_ = (width_ + kWord - 1) / kWord + 1;
  words_ = words_per_row_ * rows_;
  half_bits_ = 1;
  while (half_bits_ < 32 && (std::uint64_t{1} << 2 * half_bits_) < words_) ++half_bits_;
}

CopyPlan::Piece CopyPlan::piece_at(std::uint64_t row, std::uint64_t column) const {
  Piece piece;
  piece.column = column;
  switch (mode_) {
    case Mode::kFill:
      piece.device = destination_ + row * destination_pitch_ + column;
      break;
    case Mode::kToDevice:
      piece.device = destination_ + row * destination_pitch_ + column;
      piece.host = host_ + row * source_pitch_ + column;
      break;
    case Mode::kToHost:
      piece.device = source_ + row * source_pitch_ + column;
      piece.host = host_ + row * destination_pitch_ + column;
      break;
    case Mode::kInside:
      piece.device = destination_ + row * destination_pitch_ + column;
      piece.source = source_ + row * source_pitch_ + column;
      break;
  }
  std::uint64_t bytes = std::min<std::uint64_t>(width_ - column, block_ - piece.device % block_);
  if (mode_ == Mode::kInside) bytes = std::min<std::uint64_t>(bytes, block_ - piece.source % block_);
  piece.bytes = static_cast<unsigned>(bytes);
  return piece;
}

const CopyPlan::Piece* CopyPlan::peek() {
  if (!has_piece_) {
    if (words_per_row_ != 0) {
      find_word();
    } else {
      find_piece();
    }
  }
  return has_piece_ ? &piece_ : nullptr;
}

void CopyPlan::find_piece() {
  if (row_ == rows_) return;
  piece_ = piece_at(row_, column_);
  const std::uint64_t block = piece_.device / beat_;
  if (column_ == 0 || block != last_block_) ++beats_;
  last_block_ = block;
  piece_.beat = beats_ - 1;
  column_ += piece_.bytes;
  if (column_ == width_) {
    column_ = 0;
    ++row_;
  }
  has_piece_ = true;
}

// Finds the next word of a shuffled copy. Word w of a row is the intersection of the row with the w-th aligned word
// that overlaps the row; the last word may be empty.
void CopyPlan::find_word() {
  while (word_ < words_) {
    const std::uint64_t index = shuffled(word_++);
    const std::uint64_t row = index / words_per_row_, word = index % words_per_row_;
    const std::uint64_t offset = piece_at(row, 0).device % kWord;
    const std::uint64_t from = word == 0 ? 0 : word * kWord - offset;
    if (from >= width_) continue;
    piece_ = piece_at(row, from);
    piece_.bytes =
        static_cast<unsigned>(std::min<std::uint64_t>({piece_.bytes, kWord - piece_.device % kWord, width_ - from}));
    piece_.beat = performed_++ * kWord / beat_;
    has_piece_ = true;
    return;
  }
}

// Returns the image of `index` in a seeded permutation of [0, words). It applies four rounds of a Feistel network over
// the next power of four, and repeats them until the result is below words.
std::uint64_t CopyPlan::shuffled(std::uint64_t index) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = index >> half_bits_, right = index & mask;
    for (unsigned round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (base::mix(right ^ base::mix(seed_ + round) ^ base::mix(ticket_)) & mask);
      left = right;
      right = next;
    }
    index = left << half_bits_ | right;
  } while (index >= words_);
  return index;
}

Cycle CopyPlan::due() const { return over_link() ? start_ + clock_.through((piece_.beat + 1) * beat_) : start_; }

void CopyPlan::write_pattern(const Piece& piece, std::byte* to) const {
  for (unsigned i = 0; i < piece.bytes; ++i) {
    to[i] = static_cast<std::byte>(pattern_ >> 8 * ((piece.column + i) % pattern_bytes_));
  }
}

const char* CopyPlan::what() const {
  switch (mode_) {
    case Mode::kToDevice:
      return "copy to device";
    case Mode::kToHost:
      return "copy to host";
    case Mode::kInside:
      return "copy inside";
    case Mode::kFill:
      break;
  }
  return "fill";
}

}  // namespace castor::gpu
