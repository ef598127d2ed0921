#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/hook_memory.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

class FrontEndMemory;

/// Client of the front end's memory port: issues reads, writes and adds, which are answered in the order of issue.
/// FrontEndMemory owns the clients; each is used by one part of the front end.
///
/// A request made in cycle c is sent in c at the earliest. Its reply is visible from the cycle after the front end
/// takes it from the port. Every request has a reply; replies to writes and adds carry no data. An access lies inside
/// one L2 line. Source: docs/gpu/front-end.md, "Memory client".
class MemoryClient final : public HookMemory {
 public:
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes, const char* what) override;
  /// Issues a read of `bytes`, 1 to 128. `tag` is returned with the reply.
  void read(std::uint64_t address, unsigned bytes, std::uint32_t tag = 0) override;
  void write(std::uint64_t address, const void* data, unsigned bytes, std::uint32_t tag = 0) override;
  /// Issues an atomic add to a word of 4 or 8 bytes. The reply does not return the word.
  void add(std::uint64_t address, std::uint64_t value, unsigned bytes, std::uint32_t tag = 0) override;

  /// Returns whether the oldest reply is visible in `now`. `reply` returns it, and `pop` removes it.
  [[nodiscard]] bool has_reply(Cycle now) const { return !replies_.empty() && replies_.front().visible <= now; }
  [[nodiscard]] MemoryReply reply() const;
  void pop();
  /// Returns the first cycle in which a reply is visible; kForever if none has arrived.
  [[nodiscard]] Cycle next_reply() const { return replies_.empty() ? kForever : replies_.front().visible; }
  /// Returns the number of requests whose reply was not popped.
  [[nodiscard]] std::size_t open() const override { return waiting_.size() + sent_.size() + replies_.size(); }
  [[nodiscard]] std::size_t unsent() const override { return waiting_.size(); }

 private:
  friend class FrontEndMemory;
  struct Access {
    Transaction* transaction = nullptr;
    std::uint64_t address = 0;
    std::uint32_t tag = 0;
    std::uint8_t bytes = 0;
    bool done = false;
    Cycle visible = 0;  ///< cycle from which on the reply is visible
  };
  using Fifo = boost::circular_buffer<Access>;

  Access make(RequestKind kind, std::uint64_t address, unsigned bytes, std::uint32_t tag);
  static void push(Fifo& fifo, const Access& access);

  FrontEndMemory* owner_ = nullptr;
  unsigned index_ = 0;
  std::uint32_t first_sent_ = 0;  ///< number of the request sent_.front(), counted from the client's first request
  Fifo waiting_{16}, sent_{16}, replies_{16};  ///< requests: not sent; sent; answered, until `pop`
};

/// Memory port of the front end at the crossbar (docs/gpu/front-end.md, "Memory client"). It moves one request and one
/// reply per cycle, in round robin over the clients, with at most 16 requests outstanding.
class FrontEndMemory {
 public:
  /// Clients, in the order of the round robin.
  enum class User : std::uint8_t {
    kDescriptors,  ///< launch descriptors, read by parse lanes
    kPackets,      ///< packets of queues in memory
    kCompletions,  ///< completion words
    kDispatchPolicy,
    kPool,           ///< links and records of launches by device code that wait for a grant
    kGroups,         ///< counts in the records of groups
    kSyncHub,        ///< first access of the synchronisation hub
    kSyncHubSecond,  ///< second access of the synchronisation hub
    kCount
  };
  static constexpr unsigned kOutstanding = 16;

  /// `store`: memory for clients that allocate; null if no client allocates.
  FrontEndMemory(const Machine& machine, InitiatorPort& port, base::StatisticGroup& statistics, Store* store = nullptr);

  [[nodiscard]] MemoryClient& client(User user) { return clients_[static_cast<std::size_t>(user)]; }

  /// Moves at most one reply to its client and sends at most one request.
  void step(Cycle now);
  /// Returns the first cycle after `now` in which `step` can send a request or move a reply. Returned credits and
  /// replies wake the port's owner.
  [[nodiscard]] Cycle next(Cycle now) const;
  [[nodiscard]] unsigned outstanding() const { return outstanding_; }
  [[nodiscard]] bool idle() const { return outstanding_ == 0 && waiting_ == 0; }

 private:
  friend class MemoryClient;
  static constexpr std::size_t kUsers = static_cast<std::size_t>(User::kCount);

  void take_reply(Cycle now);
  void hand_over(Cycle now);
  void send(Cycle now);

  unsigned line_, flit_, initiator_;
  InitiatorPort& port_;
  Store* store_;
  TransactionPool pool_;
  std::array<MemoryClient, kUsers> clients_;
  std::size_t last_sent_ = kUsers - 1, last_handed_ = kUsers - 1;
  unsigned outstanding_ = 0;  ///< requests sent and not yet handed to their client as replies
  unsigned waiting_ = 0;      ///< requests not sent
  unsigned done_ = 0;         ///< requests answered and not yet handed to their client
  bool blocked_ = false;      ///< the next request waits for crossbar credits
  std::uint64_t next_id_ = 0;
  base::Counter requests_, bytes_;
};

}  // namespace castor::gpu
