#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Set of ports. The template argument `words` limits an operation to the first words of the mask, 64 ports each.
class PortMask {
 public:
  static constexpr unsigned kWords = 8;  // a power of two, so that an array of masks is indexed by a shift
  static constexpr unsigned kPorts = kWords * 64;

  template <unsigned words = kWords>
  void set(unsigned port) {
    words_[words == 1 ? 0 : port / 64] |= std::uint64_t{1} << port % 64;
  }
  template <unsigned words = kWords>
  void clear(unsigned port) {
    words_[words == 1 ? 0 : port / 64] &= ~(std::uint64_t{1} << port % 64);
  }
  [[nodiscard]] bool test(unsigned port) const { return (words_[port / 64] >> port % 64 & 1) != 0; }
  template <unsigned words = kWords>
  [[nodiscard]] bool any() const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < words; ++i) bits |= words_[i];
    return bits != 0;
  }
  template <unsigned words = kWords>
  [[nodiscard]] PortMask without(const PortMask& others) const {
    PortMask result;
    for (std::size_t i = 0; i < words; ++i) result.words_[i] = words_[i] & ~others.words_[i];
    return result;
  }
  template <unsigned words = kWords>
  [[nodiscard]] PortMask both(const PortMask& others) const {
    PortMask result;
    for (std::size_t i = 0; i < words; ++i) result.words_[i] = words_[i] & others.words_[i];
    return result;
  }

  /// Returns the first member at or after `first`, with wrap-around. The set must not be empty.
  template <unsigned words = kWords>
  [[nodiscard]] unsigned first_from(unsigned first) const {
    unsigned word = words == 1 ? 0 : first / 64;
    const std::uint64_t above = words_[word] & ~std::uint64_t{0} << first % 64;
    if (above != 0) return lowest(word, above);
    do {
      word = word + 1 == words ? 0 : word + 1;
    } while (words_[word] == 0);
    return lowest(word, words_[word]);
  }

 private:
  [[nodiscard]] static unsigned lowest(unsigned word, std::uint64_t bits) {
    return word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
  }

  std::array<std::uint64_t, kWords> words_{};
};

/// One direction of a crossbar: input queues and grant arbitration (docs/gpu/memory.md, "Crossbars"). Packets are
/// linked through MemoryRequest::next, so no memory is allocated. With `voq`, each input has a virtual output queue per
/// output. Otherwise only the oldest packet of an input can be granted.
class SwitchNetwork {
 public:
  SwitchNetwork(unsigned inputs, unsigned outputs, bool voq)
      : outputs_(outputs),
        voq_(voq),
        wide_(inputs > 64 || outputs > 64),
        queues_(std::size_t{inputs} * (voq ? outputs : 1)),
        pending_(outputs, 0),
        visible_(outputs),
        last_(outputs, inputs - 1),
        flits_(inputs, 0),
        packets_(inputs, 0) {
    CASTOR_ASSERT(inputs <= PortMask::kPorts && outputs <= PortMask::kPorts, "crossbar of %u x %u ports", inputs,
                  outputs);
  }

  [[nodiscard]] bool empty() const { return waiting_ == 0; }
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// Return the flits and packets queued at one input.
  [[nodiscard]] std::uint32_t queued_flits(unsigned input) const { return flits_[input]; }
  [[nodiscard]] std::uint32_t queued_packets(unsigned input) const { return packets_[input]; }

  /// Appends a packet of request.cost flits for output request.route to the queue of an input.
  void arrive(unsigned input, Transaction& transaction) {
    MemoryRequest& request = transaction.request;
    Queue& queue = queues_[index(input, request.route)];
    request.next = nullptr;
    if (queue.head == nullptr) {
      queue = {&transaction, &transaction};
      becomes_head(input, request, false);
    } else {
      queue.tail->request.next = &transaction;
      queue.tail = &transaction;
    }
    ++waiting_;
    flits_[input] += request.cost;
    ++packets_[input];
  }

  /// Makes the grants of one cycle. `Ends` provides `covers(output, flits, now)`, `next_credit(output)` and
  /// `move(input, output, transaction, now)`. `move` forwards the packet and returns the cycles for which input and
  /// output are held. `grant` returns the next cycle in which a grant is possible if no packet arrives and no credit is
  /// returned.
  template <class Ends>
  Cycle grant(Cycle now, Ends ends) {
    if (waiting_ == 0) return kForever;
    return wide_ ? grant_wide(now, ends) : grant_some<1>(now, ends);
  }

 private:
  template <class Ends>
  [[gnu::noinline]] Cycle grant_wide(Cycle now, Ends ends) {
    return std::max<std::size_t>(packets_.size(), outputs_) <= 128 ? grant_some<2>(now, ends)
                                                                   : grant_some<PortMask::kWords>(now, ends);
  }
  template <unsigned words, class Ends>
  [[gnu::always_inline]] inline Cycle grant_some(Cycle now, Ends ends) {
    Cycle next = std::min(look_at_arrivals<words>(now), end_holds<words>(now));
    PortMask taken;
    int starved = -1;
    bool blocked = false, granted = false;
    unsigned output = 0;
    for (PortMask left = wanted_.without<words>(held_outputs_); left.any<words>(); left.clear<words>(output)) {
      output = left.first_from<words>(start_);
      const PortMask free = visible_[output].without<words>(held_inputs_);
      if (!free.any<words>()) {
        if (starved < 0 && visible_[output].both<words>(taken).template any<words>()) {
          starved = static_cast<int>(output);
        }
        continue;
      }
      const unsigned winner = free.first_from<words>(last_[output] + 1 == packets_.size() ? 0 : last_[output] + 1);
      Transaction& transaction = *queues_[index(winner, output)].head;
      if (!ends.covers(output, transaction.request.cost, now)) {
        // Another packet may be granted before these credits return.
        blocked = true;
        next = std::min(next, ends.next_credit(output));
        continue;
      }
      next = std::min(next, pop<words>(winner, output, now));
      taken.set<words>(winner);
      held_inputs_.set<words>(winner);
      held_outputs_.set<words>(output);
      const Cycle end = now + ends.move(winner, output, transaction, now);
      holds_.push_back({end, static_cast<std::uint16_t>(winner), static_cast<std::uint16_t>(output)});
      last_[output] = winner;
      granted = true;
      if (pending_[output] != 0 || packets_[winner] != 0) next = std::min(next, end);
    }
    if (starved >= 0) start_ = static_cast<unsigned>(starved);
    // The packet for which an output waits may just have lost its input to another grant, and another packet may fit.
    if (blocked && granted) next = now + 1;
    return waiting_ == 0 ? kForever : next;
  }

  /// Linked list of packets.
  struct Queue {
    Transaction* head = nullptr;
    Transaction* tail = nullptr;
  };
  /// Pending event of an input and an output: arrival of a packet or end of a hold.
  struct Timed {
    Cycle at;
    std::uint16_t input, output;
  };

  [[nodiscard]] std::size_t index(unsigned input, unsigned output) const {
    return voq_ ? std::size_t{input} * outputs_ + output : input;
  }
  /// Registers a packet that is now the head of a queue of an input.
  void becomes_head(unsigned input, const MemoryRequest& request, bool visible) {
    ++pending_[request.route];
    wanted_.set(request.route);
    if (visible) {
      visible_[request.route].set(input);
    } else {
      arrivals_.push_back({request.visible, static_cast<std::uint16_t>(input), request.route});
    }
  }
  /// Marks queue heads that have become visible as grantable. Returns the cycle in which the next head becomes visible.
  template <unsigned words>
  [[nodiscard]] Cycle look_at_arrivals(Cycle now) {
    Cycle next = kForever;
    for (std::size_t i = 0; i < arrivals_.size();) {
      const Timed arrival = arrivals_[i];
      if (arrival.at > now) {
        next = std::min(next, arrival.at);
        ++i;
        continue;
      }
      visible_[arrival.output].set<words>(arrival.input);
      arrivals_[i] = arrivals_.back();
      arrivals_.pop_back();
    }
    return next;
  }
  /// Frees the inputs and outputs whose packets are completely sent. Returns the cycle in which the next requested one
  /// becomes free.
  template <unsigned words>
  [[nodiscard]] Cycle end_holds(Cycle now) {
    Cycle next = kForever;
    for (std::size_t i = 0; i < holds_.size();) {
      const Timed hold = holds_[i];
      if (hold.at > now) {
        if (packets_[hold.input] != 0 || pending_[hold.output] != 0) next = std::min(next, hold.at);
        ++i;
        continue;
      }
      held_inputs_.clear<words>(hold.input);
      held_outputs_.clear<words>(hold.output);
      holds_[i] = holds_.back();
      holds_.pop_back();
    }
    return next;
  }
  /// Removes the head of a queue. Returns the cycle in which the following packet becomes visible; kForever if it is
  /// visible already or absent.
  template <unsigned words>
  [[nodiscard, gnu::always_inline]] inline Cycle pop(unsigned input, unsigned output, Cycle now) {
    Queue& queue = queues_[index(input, output)];
    --waiting_;
    flits_[input] -= queue.head->request.cost;
    --packets_[input];
    queue.head = queue.head->request.next;
    visible_[output].clear<words>(input);
    if (--pending_[output] == 0) wanted_.clear<words>(output);
    if (queue.head == nullptr) return kForever;
    const MemoryRequest& request = queue.head->request;
    becomes_head(input, request, request.visible <= now);
    return request.visible <= now ? kForever : request.visible;
  }

  unsigned outputs_;
  bool voq_;
  bool wide_;  ///< more than 64 inputs or outputs
  std::vector<Queue> queues_;
  std::vector<unsigned> pending_;               ///< per output: number of queue heads for it
  PortMask wanted_;                             ///< outputs with `pending_` > 0
  std::vector<Timed> arrivals_;                 ///< queue heads that were not visible at the last call of `grant`
  std::vector<PortMask> visible_;               ///< per output: inputs with a visible queue head for it
  std::vector<unsigned> last_;                  ///< per output: last input granted
  PortMask held_inputs_, held_outputs_;         ///< inputs and outputs that still transfer a packet
  std::vector<Timed> holds_;                    ///< when these transfers end
  std::vector<std::uint32_t> flits_, packets_;  ///< [input] flits and packets queued
  unsigned start_ = 0;                          ///< first output considered by the arbiter
  std::size_t waiting_ = 0;                     ///< packets in all queues
};

}  // namespace castor::gpu
