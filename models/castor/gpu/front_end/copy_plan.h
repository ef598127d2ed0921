#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Cycles of a transfer over the host link, in whole numbers: no rounding before the last step.
class LinkClock {
 public:
  explicit LinkClock(const Machine& machine);
  /// Cycles from the start of a transaction until `bytes` are through: ceil(latency + bytes / bandwidth).
  [[nodiscard]] Cycle through(std::uint64_t bytes) const;

 private:
  std::uint64_t core_khz_, kilobytes_per_second_, latency_ps_;
};

/// The pieces of a copy or fill, and when each is due (docs/gpu/front-end.md, "Copies"). It knows of no
/// packet that is under way: whoever sends them takes a piece when its packet goes.
///
/// A beat is the part of a row inside an aligned block of device memory; beat k of a transaction that starts in c is
/// due at c + ceil(latency + (k + 1) x beat / bandwidth). Fills, copies inside device memory and machines whose memory
/// is unified use no link: their beats are due at once. With `link.shuffle` the 4-byte words of a copy over the link
/// come one by one in a seeded random order, the j-th with the beat that would hold it.
class CopyPlan {
 public:
  enum class Mode : std::uint8_t { kToDevice, kToHost, kInside, kFill };
  /// What one packet moves.
  struct Piece {
    std::uint64_t device = 0;   ///< address written or, to the host, read
    std::uint64_t source = 0;   ///< inside the device: address read
    std::byte* host = nullptr;  ///< other side of a copy over the link
    std::uint64_t column = 0;   ///< first byte's place in its row
    unsigned bytes = 0;
    std::uint64_t beat = 0;
  };

  explicit CopyPlan(const Machine& machine);

  /// A transaction begins in cycle `now`; nothing of it is taken.
  void start(const std::variant<CopyPacket, FillPacket>& packet, Ticket ticket, Cycle now);
  /// The next piece; null when all are taken. Stays until `take`.
  [[nodiscard]] const Piece* peek();
  /// First cycle in which the piece of `peek` may go.
  [[nodiscard]] Cycle due() const;
  void take() { has_piece_ = false; }
  /// The bytes of a fill at the place of a piece.
  void write_pattern(const Piece& piece, std::byte* to) const;

  [[nodiscard]] Mode mode() const { return mode_; }
  /// Device memory is read first.
  [[nodiscard]] bool reads() const { return mode_ == Mode::kToHost || mode_ == Mode::kInside; }
  [[nodiscard]] std::uint64_t bytes() const { return width_ * rows_; }
  /// "copy to device" and so on.
  [[nodiscard]] const char* what() const;
  /// Where it begins on the device.
  [[nodiscard]] std::uint64_t device() const { return mode_ == Mode::kToHost ? source_ : destination_; }
  /// Row and column behind the last piece, unless words are shuffled.
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

  // The transaction under way.
  Ticket ticket_ = 0;
  Cycle start_ = 0;
  Mode mode_ = Mode::kFill;
  std::uint64_t width_ = 0, rows_ = 0, source_pitch_ = 0, destination_pitch_ = 0;
  std::uint64_t destination_ = 0, source_ = 0;
  std::byte* host_ = nullptr;
  std::uint32_t pattern_ = 0;
  unsigned pattern_bytes_ = 1;

  // What comes next.
  std::uint64_t row_ = 0, column_ = 0, beats_ = 0;
  std::uint64_t last_block_ = 0;                                            // of the piece before, to number beats
  std::uint64_t word_ = 0, words_ = 0, words_per_row_ = 0, performed_ = 0;  // shuffled
  unsigned half_bits_ = 0;
  bool has_piece_ = false;
  Piece piece_;
};

}  // namespace castor::gpu
