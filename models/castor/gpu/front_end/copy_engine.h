#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>
#include <variant>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

class Waves;

/// Front end to copy engine: work for the end of its list.
struct CopyJob {
  Cycle visible = 0;
  Ticket ticket = 0;
  unsigned queue = 0;
  std::variant<CopyPacket, FillPacket> packet;
};

/// Copy engine to front end: the last beat is acknowledged.
struct CopyDone {
  Cycle visible = 0;
  Ticket ticket = 0;
  unsigned queue = 0;
};

/// Cycles of a transfer over the host link, in whole numbers: no rounding before the last step.
class LinkClock {
 public:
  explicit LinkClock(const Machine& machine);
  /// Cycles from the start of a transaction until `bytes` are through: ceil(latency + bytes / bandwidth).
  [[nodiscard]] Cycle through(std::uint64_t bytes) const;

 private:
  std::uint64_t core_khz_, kilobytes_per_second_, latency_ps_;
};

/// A copy engine (docs/gpu.md, "Copies"): one transaction at a time, in beats of `link.beat` bytes.
///
/// A beat is the part of a row inside an aligned block of device memory. Beat k of a transaction that starts in cycle c
/// is due at c + ceil(latency + (k + 1) x beat / bandwidth); it is then written to or read from the slices as one
/// ordinary packet per line, at most one packet per cycle, several under way as credits permit; packets of one line
/// keep their order. Host bytes are read when their packet goes and written when its reply comes. Fills, copies inside
/// device memory and machines whose memory is unified use no link: their beats are due at once. With `link.shuffle`
/// the 4-byte words of a copy over the link are performed one by one in a seeded random order, the j-th with the beat
/// that would hold it. Limits: no copies from host memory to host memory.
class CopyEngine final : public sc_core::sc_module, public Unit {
 public:
  /// `index`: 0 takes copies to the device, fills and copies inside it, 1 copies to the host.
  CopyEngine(const sc_core::sc_module_name& name, const Machine& machine, const Store& store, unsigned index,
             Observer* observer, base::StatisticGroup& statistics);

  [[nodiscard]] InitiatorPort& memory_port() { return port_; }
  void set_front_end(Unit& front_end) { front_end_ = &front_end; }
  void submit(const CopyJob& job);
  [[nodiscard]] Mailbox<CopyDone>& done() { return done_; }

  void tick(Cycle now) override;
  void count_until(Cycle now) override;
  /// Declares the unit's signals; called once, before the first cycle.
  void add_waves(Waves& waves, const std::string& scope) const;

  /// Nothing is under way and nothing waits.
  [[nodiscard]] bool idle() const { return !active_ && jobs_.size() == 0; }
  /// What it works on, for deadlock reports; empty when idle.
  [[nodiscard]] std::string waiting() const;

 private:
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
  struct InFlight {
    Piece piece;
    bool reading = false;
  };

  void start(const CopyJob& job, Cycle now);
  void take_replies(Cycle now);
  void send(Cycle now);
  [[nodiscard]] bool peek();
  void find_piece();
  void find_word();
  [[nodiscard]] Piece piece_at(std::uint64_t row, std::uint64_t column) const;
  [[nodiscard]] std::uint64_t shuffled(std::uint64_t index) const;
  [[nodiscard]] Cycle due(const Piece& piece) const;
  [[nodiscard]] bool send_piece(Cycle now);
  [[nodiscard]] bool send_write(Cycle now);
  void launch(Transaction& transaction, std::uint64_t address, unsigned bytes, RequestKind kind);
  void finish(Cycle now);
  [[nodiscard]] const char* what() const;
  void sleep(Cycle now);

  unsigned index_, line_, flit_, beat_, block_, initiator_;
  bool link_, shuffle_;
  std::uint64_t seed_;
  LinkClock clock_;
  const Store& store_;
  Observer* observer_;
  InitiatorPort port_;
  Unit* front_end_ = nullptr;
  TransactionPool pool_;
  Mailbox<CopyJob> jobs_;
  Mailbox<CopyDone> done_;

  // The transaction under way.
  bool active_ = false;
  CopyJob job_;
  Mode mode_ = Mode::kFill;
  std::uint64_t width_ = 0, rows_ = 0, source_pitch_ = 0, destination_pitch_ = 0;
  std::uint64_t destination_ = 0, source_ = 0;
  std::byte* host_ = nullptr;
  std::uint32_t pattern_ = 0;
  unsigned pattern_bytes_ = 1;
  Cycle start_ = 0, counted_ = 0;                   // counted_: first cycle that is not counted
  std::uint64_t row_ = 0, column_ = 0, beats_ = 0;  // what comes next
  std::uint64_t last_block_ = 0;                    // block of the piece before, to number beats
  std::uint64_t word_ = 0, words_ = 0, words_per_row_ = 0, performed_ = 0;  // shuffled
  unsigned half_bits_ = 0;
  bool has_piece_ = false, blocked_ = false;
  Piece piece_;
  unsigned in_flight_ = 0;
  std::uint64_t next_id_ = 0;
  std::vector<InFlight> slots_;
  std::vector<std::uint32_t> free_slots_;
  boost::circular_buffer<Transaction*> writes_{16};  // read inside the device, to be written

  base::Counter copies_, bytes_, busy_;
};

}  // namespace castor::gpu
