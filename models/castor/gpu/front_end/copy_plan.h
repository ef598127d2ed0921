#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Timing of transfers over the host link, in integer arithmetic that rounds only in the last step.
class LinkClock {
 public:
  explicit LinkClock(const Machine& machine);
  /// Returns the cycles from the start of a transfer until `bytes` have passed: ceil(latency + bytes / bandwidth).
  [[nodiscard]] Cycle through(std::uint64_t bytes) const;

 private:
  std::uint64_t core_khz_, kilobytes_per_second_, latency_ps_;
};

/// Plan of a copy or fill: its pieces, and the cycle in which each is due (docs/gpu/front-end.md, "Copies"). A copy
/// engine owns it and takes a piece when it sends the piece's packet. The plan does not track packets in flight.
///
/// A beat is the part of a row inside an aligned block of device memory. Beat k of a transfer that starts in c is due
/// at c + ceil(latency + (k + 1) x beat / bandwidth). Fills, copies inside device memory and copies on machines with
/// unified memory do not use the link: their beats are due at once. With `link.shuffle` the 4-byte words of a copy over
/// the link come one by one in a seeded random order. The j-th word is due with the beat that holds the j-th word of an
/// unshuffled copy.
class CopyPlan {
 public:
  enum class Mode : std::uint8_t { kToDevice, kToHost, kInside, kFill };
  /// Part of a copy or fill that one packet moves.
  struct Piece {
    std::uint64_t device = 0;   ///< device address written or, for a copy to the host, read
    std::uint64_t source = 0;   ///< copy inside the device: address read
    std::byte* host = nullptr;  ///< host address of a copy over the link
    std::uint64_t column = 0;   ///< offset in its row of the piece's first byte
    unsigned bytes = 0;
    std::uint64_t beat = 0;
  };

  explicit CopyPlan(const Machine& machine);

  /// Starts the plan of a copy or fill in cycle `now`, with no piece taken yet.
  void start(const std::variant<CopyPacket, FillPacket>& packet, Ticket ticket, Cycle now);
  /// Returns the next piece, the same until `take`; null when all pieces are taken.
  [[nodiscard]] const Piece* peek();
  /// Returns the first cycle in which the piece of `peek` may be sent.
  [[nodiscard]] Cycle due() const;
  void take() { has_piece_ = false; }
  /// Writes the bytes of a fill for a piece to `to`.
  void write_pattern(const Piece& piece, std::byte* to) const;

  [[nodiscard]] Mode mode() const { return mode_; }
  /// Returns whether the copy reads device memory first.
  [[nodiscard]] bool reads() const { return mode_ == Mode::kToHost || mode_ == Mode::kInside; }
  [[nodiscard]] std::uint64_t bytes() const { return width_ * rows_; }
  /// Returns the name of the mode for reports, such as "copy to device".
  [[nodiscard]] const char* what() const;
  /// Returns the first device address of the copy or fill.
  [[nodiscard]] std::uint64_t device() const { return mode_ == Mode::kToHost ? source_ : destination_; }
  /// Returns the row after the last piece; `column`: the column after it. Not valid while words are shuffled.
  [[nodiscard]] const std::uint64_t& row() const { return row_; }
  [[nodiscard]] const std::uint64_t& column() const { return column_; }

 private:
  [[nodiscard]] bool over_link() const { return link_ && (mode_ == Mode::kToDevice || mode_ == Mode::kToHost); }
  void find_piece();
  void find_word();
  [[nodiscard]] Piece piece_at(std::uint64_t row, std::uint64_t column) const;
  [[nodiscard]] std::uint64_t shuffled(std::uint64_t index) const;

  unsigned beat_, block_;
  bool link_, shuffle_;
  std::uint64_t seed_;
  LinkClock clock_;

  // Active copy or fill.
  Ticket ticket_ = 0;
  Cycle start_ = 0;
  Mode mode_ = Mode::kFill;
  std::uint64_t width_ = 0, rows_ = 0, source_pitch_ = 0, destination_pitch_ = 0;
  std::uint64_t destination_ = 0, source_ = 0;
  std::byte* host_ = nullptr;
  std::uint32_t pattern_ = 0;
  unsigned pattern_bytes_ = 1;

  // Position of the next piece.
  std::uint64_t row_ = 0, column_ = 0, beats_ = 0;
  std::uint64_t last_block_ = 0;  // block of the previous piece; the beat number grows when the block changes
  std::uint64_t word_ = 0, words_ = 0, words_per_row_ = 0, performed_ = 0;  // state of the shuffle
  unsigned half_bits_ = 0;
  bool has_piece_ = false;
  Piece piece_;
};

}  // namespace castor::gpu
