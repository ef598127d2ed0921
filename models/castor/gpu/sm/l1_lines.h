#pragma once

#include <cstdint>

#include "castor/gpu/sm/l1_cache.h"
#include "castor/gpu/sm/mshr_file.h"
#include "castor/gpu/sm/packet_sender.h"

namespace castor::gpu {

/// Lines of L1 with the MSHRs whose data will fill them. Keeps claims and open MSHRs consistent when a line comes or
/// goes; L1Pipe decides when that happens.
class L1Lines {
 public:
  explicit L1Lines(const Machine& machine) : line_bytes_(machine.l1.line), cache_(machine), mshrs_(machine) {}

  [[nodiscard]] L1Cache& cache() { return cache_; }
  [[nodiscard]] const L1Cache& cache() const { return cache_; }
  [[nodiscard]] MshrFile& mshrs() { return mshrs_; }
  [[nodiscard]] const MshrFile& mshrs() const { return mshrs_; }

  /// Closes all open MSHRs of a line: later loads do not merge, and the data are not installed.
  void close_entries(std::uint64_t line);
  /// Sends the dirty bytes of a slot to memory.
  void write_back(std::uint32_t slot, PacketSender& sender) const;
  /// Writes the data of a reply into the slot of its open MSHR; valid bytes stay.
  void install(MshrFile::Entry& entry, const Transaction& reply);
  /// Empties L1 at the first lookup with a newer acquire cycle (acquire.mode flush). Local lines with write-back stay.
  void flush_for(Cycle acquire);
  /// Drops the local lines with write-back of a TB context.
  void drop_owned(unsigned context);
  /// Drops the lines of `bytes` bytes from address `base` on.
  void drop_range(std::uint64_t base, std::uint64_t bytes);

 private:
  // Drops the line of a slot, and closes its MSHRs.
  void drop(std::uint32_t slot);

  const unsigned line_bytes_;
  L1Cache cache_;
  MshrFile mshrs_;
  Cycle flushed_for_ = 0;  // acquire.mode flush: newest acquire cycle for which L1 was emptied
};

/// Copies the bytes selected by a mask, in runs of consecutive bytes.
void copy_bytes(std::byte* to, const std::byte* from, const ByteMask& bytes);

}  // namespace castor::gpu
