#include "castor/gpu/front_end/copy_engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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

// latency [ps] x f [kHz] / 10^9 + bytes x f [kHz] / bandwidth [kB/s], over the common denominator. A kHz over a kB/s
// is cycles per byte.
Cycle LinkClock::through(std::uint64_t bytes) const {
  const Wide numerator = static_cast<Wide>(latency_ps_) * core_khz_ * kilobytes_per_second_ +
                         static_cast<Wide>(bytes) * core_khz_ * kPicosecondsPerMillisecond;
  const Wide denominator = static_cast<Wide>(kPicosecondsPerMillisecond) * kilobytes_per_second_;
  return static_cast<Cycle>((numerator + denominator - 1) / denominator);
}

CopyEngine::CopyEngine(const sc_core::sc_module_name& name, const Machine& machine, const Store& store, unsigned index,
                       Observer* observer, base::StatisticGroup& statistics)
    : sc_module(name),
      index_(index),
      line_(machine.l2.line),
      flit_(machine.xbar.flit_bytes),
      beat_(machine.link.beat),
      block_(std::min(machine.link.beat, machine.l2.line)),
      initiator_(machine.chip.sms + 1 + index),
      link_(!machine.memory.unified),
      shuffle_(machine.link.shuffle),
      seed_(machine.run.seed),
      clock_(machine),
      store_(store),
      observer_(observer),
      port_("memory", *this, machine.xbar.fifo_flits),
      copies_(statistics, {"copies", "", "copies and fills completed"}),
      bytes_(statistics, {"copy_bytes", "bytes", "bytes that copies and fills wrote"}),
      busy_(statistics, {"copy_busy", "cycles", "cycles in which a copy or fill is under way"}) {
  sleep_until(kForever);
}

void CopyEngine::submit(const CopyJob& job) {
  jobs_.push(job);
  wake_at(job.visible);
}

void CopyEngine::tick(Cycle now) {
  if (active_) take_replies(now);
  if (!active_) {
    if (const CopyJob* const job = jobs_.head(now)) {
      start(*job, now);
      jobs_.pop();
    }
  }
  if (active_) {
    send(now);
    if (!peek() && in_flight_ == 0 && writes_.empty()) finish(now);
  }
  sleep(now);
}

void CopyEngine::start(const CopyJob& job, Cycle now) {
  job_ = job;
  active_ = true;
  start_ = counted_ = now;
  row_ = column_ = beats_ = word_ = performed_ = 0;
  has_piece_ = blocked_ = false;
  std::size_t source_pitch = 0;
  if (const auto* const fill = std::get_if<FillPacket>(&job_.packet)) {
    mode_ = Mode::kFill;
    destination_ = fill->address;
    pattern_ = fill->pattern;
    pattern_bytes_ = fill->pattern_bytes;
    width_ = fill->width / pattern_bytes_ * pattern_bytes_;
    rows_ = fill->rows;
    destination_pitch_ = fill->pitch;
  } else {
    const auto& copy = std::get<CopyPacket>(job_.packet);
    const bool from_host = copy.source.index() == 1, to_host = copy.destination.index() == 1;
    CASTOR_ASSERT_AT(now, !from_host || !to_host, "copy from host memory to host memory");
    mode_ = from_host ? Mode::kToDevice : to_host ? Mode::kToHost : Mode::kInside;
    width_ = copy.width;
    rows_ = copy.rows;
    source_pitch = copy.source_pitch;
    destination_pitch_ = copy.destination_pitch;
    if (!from_host) source_ = std::get<0>(copy.source);
    if (!to_host) destination_ = std::get<0>(copy.destination);
    // The engine only reads the source.
    if (from_host) host_ = const_cast<std::byte*>(std::get<1>(copy.source));  // NOLINT(*-const-cast)
    if (to_host) host_ = std::get<1>(copy.destination);
  }
  source_pitch_ = source_pitch;
  if (width_ == 0) rows_ = 0;
  if (shuffle_ && link_ && (mode_ == Mode::kToDevice || mode_ == Mode::kToHost)) {
    words_per_row_ = (width_ + kWord - 1) / kWord + 1;
    words_ = words_per_row_ * rows_;
    half_bits_ = 1;
    while (half_bits_ < 32 && (std::uint64_t{1} << 2 * half_bits_) < words_) ++half_bits_;
  } else {
    words_per_row_ = words_ = 0;
  }
  if (observer_ != nullptr) observer_->copy_started({now, index_, job_.ticket, width_ * rows_, what()});
}

// --- What comes next ------------------------------------------------------------------------------------------------

CopyEngine::Piece CopyEngine::piece_at(std::uint64_t row, std::uint64_t column) const {
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

// True if there is a next piece; it is then in piece_.
bool CopyEngine::peek() {
  if (has_piece_) return true;
  if (words_per_row_ != 0) {
    find_word();
  } else {
    find_piece();
  }
  return has_piece_;
}

void CopyEngine::find_piece() {
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

// Word w of a row is the part of the row inside the w-th aligned word that it touches; the last may be empty.
void CopyEngine::find_word() {
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

// A seeded permutation of [0, words): four rounds of a Feistel network over the next power of four, walked until it
// falls inside.
std::uint64_t CopyEngine::shuffled(std::uint64_t index) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = index >> half_bits_, right = index & mask;
    for (unsigned round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (base::mix(right ^ base::mix(seed_ + round) ^ base::mix(job_.ticket)) & mask);
      left = right;
      right = next;
    }
    index = left << half_bits_ | right;
  } while (index >= words_);
  return index;
}

Cycle CopyEngine::due(const Piece& piece) const {
  const bool over_link = link_ && (mode_ == Mode::kToDevice || mode_ == Mode::kToHost);
  return over_link ? start_ + clock_.through((piece.beat + 1) * beat_) : start_;
}

// --- Packets --------------------------------------------------------------------------------------------------------

void CopyEngine::send(Cycle now) {
  blocked_ = false;
  // What has been read goes first: it holds a transaction.
  if (!writes_.empty()) {
    blocked_ = !send_write(now);
  } else if (peek() && due(piece_) <= now) {
    blocked_ = !send_piece(now);
  }
}

void CopyEngine::launch(Transaction& transaction, std::uint64_t address, unsigned bytes, RequestKind kind) {
  MemoryRequest& request = transaction.request;
  const unsigned offset = static_cast<unsigned>(address % line_);
  const unsigned first = offset / kSectorBytes, last = (offset + bytes - 1) / kSectorBytes;
  request.kind = kind;
  request.client = Client::kCopy;
  request.initiator = static_cast<std::uint16_t>(initiator_);
  request.sectors = static_cast<std::uint8_t>((2U << last) - (1U << first));
  request.byte_mask[0] = request.byte_mask[1] = 0;
  if (kind == RequestKind::kStore) {
    for (unsigned i = offset; i < offset + bytes; ++i) request.byte_mask[i / 64] |= std::uint64_t{1} << i % 64;
  }
}

bool CopyEngine::send_piece(Cycle now) {
  const bool reads = mode_ == Mode::kToHost || mode_ == Mode::kInside;
  const std::uint64_t address = mode_ == Mode::kInside ? piece_.source : piece_.device;
  Transaction& transaction = pool_.get();
  MemoryRequest& request = transaction.request;
  launch(transaction, address, piece_.bytes, reads ? RequestKind::kLoad : RequestKind::kStore);
  const unsigned cost = flits(request.request_bytes(), flit_);
  if (!port_.can_send(cost, now)) {
    transaction.release();
    return false;
  }
  std::byte* const to = request.data + address % line_;
  if (mode_ == Mode::kToDevice) {
    std::memcpy(to, piece_.host, piece_.bytes);
  } else if (mode_ == Mode::kFill) {
    for (unsigned i = 0; i < piece_.bytes; ++i) {
      to[i] = static_cast<std::byte>(pattern_ >> 8 * ((piece_.column + i) % pattern_bytes_));
    }
  }
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  request.tag = free_slots_.back();
  free_slots_.pop_back();
  slots_[request.tag] = {piece_, reads};
  request.issued = now;
  request.id = next_id_++;
  transaction.prepare(address - address % line_);
  has_piece_ = false;
  ++in_flight_;
  port_.send(transaction, cost, now, now + 1);
  return true;
}

// Second half of a copy inside the device: the bytes that were read move to their new place in the line.
bool CopyEngine::send_write(Cycle now) {
  Transaction& transaction = *writes_.front();
  MemoryRequest& request = transaction.request;
  InFlight& slot = slots_[request.tag];
  const Piece& piece = slot.piece;
  const std::uint8_t read_sectors = request.sectors;
  launch(transaction, piece.device, piece.bytes, RequestKind::kStore);
  const unsigned cost = flits(request.request_bytes(), flit_);
  if (!port_.can_send(cost, now)) {
    request.sectors = read_sectors;
    return false;
  }
  std::memmove(request.data + piece.device % line_, request.data + piece.source % line_, piece.bytes);
  writes_.pop_front();
  slot.reading = false;
  request.issued = now;
  request.id = next_id_++;
  transaction.prepare(piece.device - piece.device % line_);
  ++in_flight_;
  port_.send(transaction, cost, now, now + 1);
  return true;
}

void CopyEngine::take_replies(Cycle now) {
  while (port_.reply(now) != nullptr) {
    Transaction& transaction = port_.take_reply(now);
    const std::uint32_t tag = transaction.request.tag;
    InFlight& slot = slots_[tag];
    --in_flight_;
    if (slot.reading && mode_ == Mode::kInside) {
      if (writes_.full()) writes_.set_capacity(writes_.capacity() * 2);
      writes_.push_back(&transaction);
      continue;
    }
    if (slot.reading) {
      std::memcpy(slot.piece.host, transaction.request.data + slot.piece.device % line_, slot.piece.bytes);
    }
    free_slots_.push_back(tag);
    transaction.release();
  }
}

void CopyEngine::finish(Cycle now) {
  count_until(now + 1);
  active_ = false;
  ++copies_;
  bytes_ += width_ * rows_;
  done_.push({now + 1, job_.ticket, job_.queue});
  if (front_end_ != nullptr) front_end_->wake_at(now + 1);
  if (observer_ != nullptr) observer_->copy_completed({now, index_, job_.ticket, width_ * rows_, what()});
}

const char* CopyEngine::what() const {
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

void CopyEngine::count_until(Cycle now) {
  if (!active_ || counted_ >= now) return;
  busy_ += now - counted_;
  counted_ = now;
}

void CopyEngine::sleep(Cycle now) {
  Cycle next = kForever;
  if (active_) {
    next = port_.next_reply();
    if (blocked_) {
      next = std::min(next, port_.next_credit());
    } else if (!writes_.empty()) {
      next = now + 1;
    } else if (peek()) {
      next = std::min(next, due(piece_));
    }
  } else {
    next = jobs_.next();
  }
  sleep_until(next == kForever ? next : std::max(next, now + 1));
}

std::string CopyEngine::waiting() const {
  if (!active_) return {};
  const std::uint64_t device = mode_ == Mode::kToHost ? source_ : destination_;
  return "copy engine " + std::to_string(index_) + ": ticket " + std::to_string(job_.ticket) + " at an address " +
         store_.describe(device) + ", " + std::to_string(in_flight_) + " packets without reply, " +
         std::to_string(jobs_.size()) + " copies behind it\n";
}

}  // namespace castor::gpu
