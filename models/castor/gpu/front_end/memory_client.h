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

/// One user of the front end's memory port: reads, writes and adds, answered in the order in which they were made.
///
/// A request made in cycle c is sent in c at the earliest; its reply may be looked at from the cycle after the one in
/// which the front end took it from the port. Every request has a reply, writes and adds one without data. An access
/// lies inside one L2 line. Source: docs/gpu/front-end.md, "Memory client".
class MemoryClient final : public HookMemory {
 public:
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes, const char* what) override;
  /// `bytes` 4 to 128; `tag` comes back with the reply.
  void read(std::uint64_t address, unsigned bytes, std::uint32_t tag = 0) override;
  void write(std::uint64_t address, const void* data, unsigned bytes, std::uint32_t tag = 0) override;
  /// Adds to a word of 4 or 8 bytes without reading it.
  void add(std::uint64_t address, std::uint64_t value, unsigned bytes, std::uint32_t tag = 0) override;

  /// The oldest reply, if it is visible in `now`; the caller owns it no longer than until `pop`.
  [[nodiscard]] bool has_reply(Cycle now) const { return !replies_.empty() && replies_.front().visible <= now; }
  [[nodiscard]] MemoryReply reply() const;
  void pop();
  /// First cycle in which there is a reply to look at; kForever if none has come.
  [[nodiscard]] Cycle next_reply() const { return replies_.empty() ? kForever : replies_.front().visible; }
  /// Requests without a reply that was popped.
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
    Cycle visible = 0;  ///< of the reply
  };
  using Fifo = boost::circular_buffer<Access>;

  Access make(RequestKind kind, std::uint64_t address, unsigned bytes, std::uint32_t tag);
  static void push(Fifo& fifo, const Access& access);

  FrontEndMemory* owner_ = nullptr;
  unsigned index_ = 0;
  std::uint32_t first_sent_ = 0;  ///< number of sent_.front(), counted from the first request
  Fifo waiting_{16}, sent_{16}, replies_{16};
};

/// The front end's own crossbar port: one request and one reply per cycle, in round robin over the clients, at most 16
/// outstanding (docs/gpu/front-end.md, "Memory client").
class FrontEndMemory {
 public:
  /// The clients in the order of the round robin.
  enum class User : std::uint8_t {
    kDescriptors,  ///< launch descriptors, read by parse lanes
    kPackets,      ///< packets of queues in memory
    kCompletions,  ///< completion words
    kDispatchPolicy,
    kPool,    ///< links and records of launches by device code that wait
    kGroups,  ///< counts in records of groups
    kCount
  };
  static constexpr unsigned kOutstanding = 16;

  /// `store`: of the clients that allocate; null: none does.
  FrontEndMemory(const Machine& machine, InitiatorPort& port, base::StatisticGroup& statistics, Store* store = nullptr);

  [[nodiscard]] MemoryClient& client(User user) { return clients_[static_cast<std::size_t>(user)]; }

  /// Moves at most one reply and one request.
  void step(Cycle now);
  /// First cycle after `now` in which `step` has something to do; returned credits and replies wake the port's owner.
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
  unsigned outstanding_ = 0;  ///< sent and not handed over
  unsigned waiting_ = 0;      ///< not sent
  unsigned done_ = 0;         ///< answered and not handed over
  bool blocked_ = false;      ///< the next request lacks credits
  std::uint64_t next_id_ = 0;
  base::Counter requests_, bytes_;
};

}  // namespace castor::gpu
