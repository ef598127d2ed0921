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

/// Set of at most 128 ports.
class PortMask {
 public:
  static constexpr unsigned kPorts = 128;

  void set(unsigned port) { words_[port / 64] |= std::uint64_t{1} << port % 64; }
  void clear(unsigned port) { words_[port / 64] &= ~(std::uint64_t{1} << port % 64); }
  [[nodiscard]] bool test(unsigned port) const { return (words_[port / 64] >> port % 64 & 1) != 0; }
  [[nodiscard]] bool any() const { return (words_[0] | words_[1]) != 0; }
  [[nodiscard]] PortMask without(const PortMask& others) const {
    PortMask result;
    for (std::size_t i = 0; i < words_.size(); ++i) result.words_[i] = words_[i] & ~others.words_[i];
    return result;
  }
  [[nodiscard]] PortMask both(const PortMask& others) const {
    PortMask result;
    for (std::size_t i = 0; i < words_.size(); ++i) result.words_[i] = words_[i] & others.words_[i];
    return result;
  }

  /// Calls f for each member, from `first` upwards and then around; f returns true to end the walk.
  template <class F>
  void walk(unsigned first, F f) const {
    const unsigned word = first / 64;
    const std::uint64_t from = ~std::uint64_t{0} << first % 64;
    if (part(word, words_[word] & from, f)) return;
    if (part(word ^ 1, words_[word ^ 1], f)) return;
    part(word, words_[word] & ~from, f);
  }

 private:
  template <class F>
  static bool part(unsigned word, std::uint64_t bits, F& f) {
    for (; bits != 0; bits &= bits - 1) {
      if (f(word * 64 + static_cast<unsigned>(__builtin_ctzll(bits)))) return true;
    }
    return false;
  }

  std::array<std::uint64_t, 2> words_{};
};

/// One direction of a crossbar: queues at its inputs and the choice of grants (docs/gpu.md, "Crossbars"). Packets are
/// linked through MemoryRequest::next, so nothing is allocated. With `voq` an input is read as one queue per output,
/// else only its oldest packet can be granted.
class SwitchNetwork {
 public:
  SwitchNetwork(unsigned inputs, unsigned outputs, bool voq)
      : outputs_(outputs),
        voq_(voq),
        queues_(std::size_t{inputs} * (voq ? outputs : 1)),
        pending_(outputs),
        last_(outputs, inputs - 1),
        output_free_(outputs, 0),
        input_free_(inputs, 0),
        flits_(inputs, 0),
        packets_(inputs, 0) {
    CASTOR_ASSERT(inputs <= PortMask::kPorts && outputs <= PortMask::kPorts, "crossbar of %u x %u ports", inputs,
                  outputs);
  }

  [[nodiscard]] bool empty() const { return waiting_ == 0; }
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// Of one input.
  [[nodiscard]] std::uint32_t queued_flits(unsigned input) const { return flits_[input]; }
  [[nodiscard]] std::uint32_t queued_packets(unsigned input) const { return packets_[input]; }

  /// A packet of request.cost flits for output request.route joins the queue of an input.
  void arrive(unsigned input, Transaction& transaction) {
    MemoryRequest& request = transaction.request;
    Queue& queue = queues_[index(input, request.route)];
    request.next = nullptr;
    if (queue.head == nullptr) {
      queue = {&transaction, &transaction, request.visible};
      mark(input, request.route);
    } else {
      queue.tail->request.next = &transaction;
      queue.tail = &transaction;
    }
    ++waiting_;
    flits_[input] += request.cost;
    ++packets_[input];
  }

  /// Grants of one cycle. `Ends` has `covers(output, flits, now)`, `next_credit(output)` and `move(input, output,
  /// transaction, now)`, which passes the packet on and returns for how many cycles input and output are held. Returns
  /// the next cycle in which something can be granted if nothing arrives and no credit is sent.
  template <class Ends>
  Cycle grant(Cycle now, Ends ends) {
    Cycle next = kForever;
    if (waiting_ == 0) return next;
    // Inputs that still send what was granted before; those with more to send say when to look again.
    PortMask held = held_;
    held.walk(0, [&](unsigned input) {
      if (input_free_[input] <= now) {
        held_.clear(input);
      } else if (packets_[input] != 0) {
        next = std::min(next, input_free_[input]);
      }
      return false;
    });
    held = held_;
    PortMask taken;
    int starved = -1;
    bool blocked = false, granted = false;
    const PortMask wanted = wanted_;
    wanted.walk(start_, [&](unsigned output) {
      if (output_free_[output] > now) {
        next = std::min(next, output_free_[output]);
        return false;
      }
      bool found = false;
      unsigned winner = 0;
      const unsigned first = last_[output] + 1 == input_free_.size() ? 0 : last_[output] + 1;
      pending_[output].without(held).walk(first, [&](unsigned input) {
        const Cycle visible = queues_[index(input, output)].visible;
        if (visible > now) {
          next = std::min(next, visible);
          return false;
        }
        found = true;
        winner = input;
        return true;
      });
      if (!found) {
        if (starved < 0 && any_visible(pending_[output].both(taken), output, now)) starved = static_cast<int>(output);
        return false;
      }
      Transaction& transaction = *queues_[index(winner, output)].head;
      if (!ends.covers(output, transaction.request.cost, now)) {
        // Others that become visible or free before the credits come may fit.
        blocked = true;
        next = std::min({next, ends.next_credit(output), next_visible(pending_[output], output, now)});
        return false;
      }
      pop(winner, output);
      taken.set(winner);
      held.set(winner);
      held_.set(winner);
      const Cycle free = now + ends.move(winner, output, transaction, now);
      input_free_[winner] = output_free_[output] = free;
      last_[output] = winner;
      granted = true;
      if (pending_[output].any() || packets_[winner] != 0) next = std::min(next, free);
      return false;
    });
    if (starved >= 0) start_ = static_cast<unsigned>(starved);
    // The packet for which an output waits may just have lost its input, and another one may fit.
    if (blocked && granted) next = now + 1;
    return waiting_ == 0 ? kForever : next;
  }

 private:
  struct Queue {
    Transaction* head = nullptr;
    Transaction* tail = nullptr;
    Cycle visible = 0;  ///< of the head
  };

  [[nodiscard]] std::size_t index(unsigned input, unsigned output) const {
    return voq_ ? std::size_t{input} * outputs_ + output : input;
  }
  void mark(unsigned input, unsigned output) {
    pending_[output].set(input);
    wanted_.set(output);
  }
  [[nodiscard]] bool any_visible(const PortMask& inputs, unsigned output, Cycle now) const {
    bool any = false;
    inputs.walk(0, [&](unsigned input) { return any = queues_[index(input, output)].visible <= now; });
    return any;
  }
  /// First stamp behind `now`.
  [[nodiscard]] Cycle next_visible(const PortMask& inputs, unsigned output, Cycle now) const {
    Cycle next = kForever;
    inputs.walk(0, [&](unsigned input) {
      const Cycle visible = queues_[index(input, output)].visible;
      if (visible > now) next = std::min(next, visible);
      return false;
    });
    return next;
  }
  void pop(unsigned input, unsigned output) {
    Queue& queue = queues_[index(input, output)];
    --waiting_;
    flits_[input] -= queue.head->request.cost;
    --packets_[input];
    queue.head = queue.head->request.next;
    pending_[output].clear(input);
    if (!pending_[output].any()) wanted_.clear(output);
    if (queue.head != nullptr) {
      queue.visible = queue.head->request.visible;
      mark(input, queue.head->request.route);
    }
  }

  unsigned outputs_;
  bool voq_;
  std::vector<Queue> queues_;
  std::vector<PortMask> pending_;  ///< per output: inputs whose oldest packet is for it
  PortMask wanted_;                ///< outputs with a pending input
  std::vector<unsigned> last_;     ///< per output: last input granted
  std::vector<Cycle> output_free_, input_free_;
  PortMask held_;                               ///< inputs whose input_free_ may lie ahead
  std::vector<std::uint32_t> flits_, packets_;  ///< per input
  unsigned start_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace castor::gpu
