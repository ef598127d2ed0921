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
/// Bytes of a packet's header.
inline constexpr unsigned kHeaderBytes = 8;

/// Type of a memory request.
enum class RequestKind : std::uint8_t {
  kLoad,
  kStore,
  kAtomic,     ///< read-modify-write that returns the old value
  kReduction,  ///< read-modify-write without a result
  kFetch,      ///< instruction cache line
  kPosted,     ///< atomic add by the front end: performed and acknowledged, no result
};

/// Value of MemoryRequest::entry for requests of no kernel.
inline constexpr std::uint16_t kNoKernelEntry = 0xffff;

/// Source of a request; statistics are kept per client. Requests of kFrontEnd and later clients count for no kernel.
enum class Client : std::uint8_t {
  kLsu,     ///< load/store unit, through L1
  kBypass,  ///< load/store unit, bypassing L1
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
  std::uint64_t value = 0;    ///< request: operand; reply: old value
  std::uint64_t compare = 0;  ///< compare-and-swap only: value to compare with
};

class Transaction;
class TransactionPool;

/// Fields of a memory transaction in addition to the TLM generic payload; a TLM extension of every transaction on the
/// memory path (docs/gpu/memory.md, "Sockets"). The payload's address is the line address; its length is the bytes
/// transferred.
struct MemoryRequest : tlm::tlm_extension<MemoryRequest> {
  // The fields that a load uses on its path are placed in one line of the host's cache.
  RequestKind kind = RequestKind::kLoad;
  Client client = Client::kLsu;
  std::uint16_t initiator = 0;  ///< crossbar input: SMs first, then front end, then copy engines
  std::uint16_t entry = 0;      ///< kernel table entry, for statistics
  std::uint16_t warp = 0;       ///< warp slot
  std::uint16_t context = 0;    ///< TB context
  std::uint8_t sectors = 0;     ///< mask of sectors transferred, bit 0 = lowest address
  bool missed = false;          ///< answered from memory behind L2; set by the slice
  std::uint32_t tag = 0;        ///< for the initiator's use: MSHR, copy beat, client

  // State of the current hop between two ports; only the two ends of the link use it.
  std::uint32_t cost = 0;       ///< credits that the message holds on this hop
  std::uint16_t route = 0;      ///< for the receiver's use: output port of the message
  std::uint8_t lane_count = 0;  ///< number of valid `lanes`; for atomics, reductions, posted adds
  Cycle visible = 0;            ///< stamp: first cycle in which the receiver may read the message
  Transaction* next = nullptr;  ///< for the receiver's use: next message in its queue

  Cycle performed = 0;  ///< cycle in which a slice served the request; stamp of the data
  Cycle issued = 0;     ///< cycle in which the access was issued

  std::uint64_t id = 0;                 ///< ascending per initiator
  std::uint64_t byte_mask[2] = {0, 0};  ///< stores: bytes written, bit i of word w = byte 64 w + i
  isa::AtomicOp op = isa::AtomicOp::kAdd;
  isa::Type type = isa::Type::kU32;

  /// data of the whole line; only bytes of `sectors` (stores: of byte_mask) are valid
  alignas(64) std::byte data[kMaxLineBytes];

  /// operands of an atomic by ascending lane; the first lane_count elements are valid
  LaneOperand lanes[isa::kMaxLanes];

  [[nodiscard]] bool is_write() const { return kind == RequestKind::kStore; }
  [[nodiscard]] bool is_atomic() const {
    return kind == RequestKind::kAtomic || kind == RequestKind::kReduction || kind == RequestKind::kPosted;
  }
  /// Return the data bytes of the request and of the reply (docs/gpu/memory.md, "Sockets"): the touched sectors.
  [[nodiscard]] unsigned request_bytes() const {
    return kind == RequestKind::kLoad || kind == RequestKind::kFetch ? 0 : sector_bytes();
  }
  [[nodiscard]] unsigned reply_bytes() const {
    return kind == RequestKind::kLoad || kind == RequestKind::kFetch || kind == RequestKind::kAtomic ? sector_bytes()
                                                                                                     : 0;
  }
  /// Returns the bytes of the touched sectors.
  [[nodiscard]] unsigned sector_bytes() const {
    // Adds pairs of bits: lines have at most four sectors, and not every host has a population count instruction.
    const unsigned pairs = (sectors & 5U) + (sectors >> 1 & 5U);
    return ((pairs & 3U) + (pairs >> 2)) * kSectorBytes;
  }

  [[nodiscard]] tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
};

/// A generic payload with its MemoryRequest; created and owned by a pool.
class Transaction final : public tlm::tlm_generic_payload {
 public:
  explicit Transaction(TransactionPool& pool);
  ~Transaction() override;

  MemoryRequest request;

  /// Sets the payload's command, length and data pointer from the request, and the line address.
  void prepare(std::uint64_t line_address);
  [[nodiscard]] std::uint64_t line() const { return get_address(); }

  /// Returns the transaction of a payload of this memory path.
  [[nodiscard]] static Transaction& of(tlm::tlm_generic_payload& payload) { return static_cast<Transaction&>(payload); }
};

/// Reference-counted transactions of one initiator, reused but never freed during a run. The pool grows on demand; the
/// modelled queues and MSHRs bound the number in flight.
class TransactionPool final : public tlm::tlm_mm_interface {
 public:
  /// Returns a transaction with one reference and a reset request (data not cleared). The user calls release().
  [[nodiscard]] Transaction& get();
  void free(tlm::tlm_generic_payload* payload) override;
  [[nodiscard]] std::size_t in_flight() const { return all_.size() - free_.size(); }

 private:
  std::deque<Transaction> all_;
  std::vector<Transaction*> free_;
};

/// Returns the length of a packet in flits of `flit_bytes`.
[[nodiscard]] inline unsigned flits(unsigned data_bytes, unsigned flit_bytes) {
  return (kHeaderBytes + data_bytes + flit_bytes - 1) / flit_bytes;
}

}  // namespace castor::gpu
