#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <tlm>
#include <vector>

#include "castor/gpu/unit.h"
#include "castor/isa/record.h"

namespace castor::gpu {

/// Largest line of any machine, bytes.
inline constexpr unsigned kMaxLineBytes = 128;
/// Unit of transfer inside a line, bytes.
inline constexpr unsigned kSectorBytes = 32;
/// Bytes of a packet besides its data.
inline constexpr unsigned kHeaderBytes = 8;

enum class RequestKind : std::uint8_t {
  kLoad,
  kStore,
  kAtomic,     ///< read-modify-write with result
  kReduction,  ///< read-modify-write without
  kFetch,      ///< instruction line
  kPosted,     ///< atomic add of the front end: performed, acknowledged, no result
};

/// MemoryRequest::entry of requests of no kernel.
inline constexpr std::uint16_t kNoKernelEntry = 0xffff;

/// Who asked; statistics are kept per client. Those from kFrontEnd on work for no kernel's statistics.
enum class Client : std::uint8_t {
  kLsu,     ///< through L1
  kBypass,  ///< past L1
  kFetch,
  kConstant,
  kSwap,
  kLaunch,
  kFrontEnd,
  kCopy,
  kHost,
  kCount
};

/// One lane of an atomic or reduction.
struct LaneOperand {
  std::uint8_t lane = 0;
  std::uint8_t offset = 0;    ///< byte inside the line
  std::uint64_t value = 0;    ///< operand on the way in, old value on the way out
  std::uint64_t compare = 0;  ///< compare-and-swap only
};

class Transaction;
class TransactionPool;

/// What a memory transaction carries besides the generic payload: the extension of every transaction on the memory path
/// (docs/gpu/memory.md, "Sockets"). The payload's address is the line address, its length the bytes that move.
struct MemoryRequest : tlm::tlm_extension<MemoryRequest> {
  // What a load needs on its way lies in one line of the host's cache.
  RequestKind kind = RequestKind::kLoad;
  Client client = Client::kLsu;
  std::uint16_t initiator = 0;  ///< crossbar input: SMs first, then front end, then copy engines
  std::uint16_t entry = 0;      ///< kernel table entry, for statistics
  std::uint16_t warp = 0;       ///< warp slot
  std::uint16_t context = 0;    ///< TB context
  std::uint8_t sectors = 0;     ///< sectors that move, bit 0 = lowest address
  bool missed = false;          ///< answered from memory behind L2; set by the slice
  std::uint32_t tag = 0;        ///< the initiator's own: MSHR, copy beat, client

  // Of the hop under way; the two ends of a link use them, nobody else.
  std::uint32_t cost = 0;       ///< credits it holds on this hop
  std::uint16_t route = 0;      ///< the receiver's own: output that it will take
  std::uint8_t lane_count = 0;  ///< atomics, reductions, posted adds: of `lanes`
  Cycle visible = 0;            ///< first cycle in which the receiver may look at it
  Transaction* next = nullptr;  ///< the receiver's own: the one behind it in a queue

  Cycle performed = 0;  ///< cycle in which a slice served it; the stamp of the bytes it carries
  Cycle issued = 0;     ///< cycle in which the access was made

  std::uint64_t id = 0;                 ///< ascending per initiator
  std::uint64_t byte_mask[2] = {0, 0};  ///< stores: bytes written, bit i of word w = byte 64 w + i
  isa::AtomicOp op = isa::AtomicOp::kAdd;
  isa::Type type = isa::Type::kU32;

  alignas(
      64) std::byte data[kMaxLineBytes];  ///< whole line; only bytes of `sectors` (stores: of byte_mask) mean anything

  LaneOperand lanes[isa::kMaxLanes];  ///< atomics: first lane_count valid, ascending lane

  [[nodiscard]] bool is_write() const { return kind == RequestKind::kStore; }
  [[nodiscard]] bool is_atomic() const {
    return kind == RequestKind::kAtomic || kind == RequestKind::kReduction || kind == RequestKind::kPosted;
  }
  /// Data bytes that travel towards memory and back (docs/gpu/memory.md, "Sockets"): touched sectors.
  [[nodiscard]] unsigned request_bytes() const {
    return kind == RequestKind::kLoad || kind == RequestKind::kFetch ? 0 : sector_bytes();
  }
  [[nodiscard]] unsigned reply_bytes() const {
    return kind == RequestKind::kLoad || kind == RequestKind::kFetch || kind == RequestKind::kAtomic ? sector_bytes()
                                                                                                     : 0;
  }
  /// Bytes of the touched sectors.
  [[nodiscard]] unsigned sector_bytes() const {
    // Sums of bit pairs: lines have at most four sectors, and not every host counts bits in one instruction.
    const unsigned pairs = (sectors & 5U) + (sectors >> 1 & 5U);
    return ((pairs & 3U) + (pairs >> 2)) * kSectorBytes;
  }

  [[nodiscard]] tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
};

/// A generic payload together with its request; made and owned by a pool.
class Transaction final : public tlm::tlm_generic_payload {
 public:
  explicit Transaction(TransactionPool& pool);
  ~Transaction() override;

  MemoryRequest request;

  /// Sets the payload's command, length and data pointer from the request, and the line address.
  void prepare(std::uint64_t line_address);
  [[nodiscard]] std::uint64_t line() const { return get_address(); }

  /// The transaction that a payload of this memory path is.
  [[nodiscard]] static Transaction& of(tlm::tlm_generic_payload& payload) { return static_cast<Transaction&>(payload); }
};

/// Reference-counted payloads of one initiator, never given back during a run. Grows by itself: what bounds the number
/// in flight are the modelled queues and MSHRs.
class TransactionPool final : public tlm::tlm_mm_interface {
 public:
  /// A transaction with one reference and a reset request (data not cleared). The user calls release().
  [[nodiscard]] Transaction& get();
  void free(tlm::tlm_generic_payload* payload) override;
  [[nodiscard]] std::size_t in_flight() const { return all_.size() - free_.size(); }

 private:
  std::deque<Transaction> all_;
  std::vector<Transaction*> free_;
};

/// Packet length on a network whose flits have `flit_bytes`.
[[nodiscard]] inline unsigned flits(unsigned data_bytes, unsigned flit_bytes) {
  return (kHeaderBytes + data_bytes + flit_bytes - 1) / flit_bytes;
}

}  // namespace castor::gpu
