#pragma once

#include <array>
#include <optional>

#include "tests/twin/turnstile/ports.h"

namespace castor::turnstile {

/// While the queue has room, the first port at or behind `pointer` that wants to pass is offered (combinational in
/// req). A grant lets it pass: it enters the queue with its way's weight and the time, and the pointer moves behind it.
/// A port before the pointer begins a new round, in which nobody was served yet. The head of the queue is shown until
/// it is taken.
///
/// Registers: 0x00 ID (read only), 0x04 PERIOD of the beat, 16 bits, 0 = none, 0x08 COUNT of the queue (read only),
/// 0x0C POP (read only; takes the head unless out_ready does: 31 valid, 7:0 port). Answered in the next cycle.
class Engine {
 public:
  static constexpr U32 kId = 0x5455524E;

  explicit Engine(const Params& params) : params_(params) {
    params_.check();
    reset();
  }

  const Outputs& settle(const Inputs& in) {
    const unsigned port = count_ < params_.Depth ? first(in.req) : params_.NumPorts;
    out_.pick_valid = port < params_.NumPorts ? 1 : 0;
    out_.pick_port = static_cast<U8>(out_.pick_valid != 0 ? port : 0);
    return out_;
  }

  void clock(const Inputs& in) {
    const unsigned port = count_ < params_.Depth ? first(in.req) : params_.NumPorts;
    const bool push = in.pick_grant != 0 && port < params_.NumPorts;
    bool pop = count_ > 0 && in.out_ready != 0;
    access(in, pop);
    tick();
    if (pop) {
      head_ = (head_ + 1) % params_.Depth;
      --count_;
    }
    if (push) pass(in, port);
    show();
  }

  void reset() {
    out_ = {};
    head_ = count_ = pointer_ = 0;
    served_.reset();
    timer_ = period_ = 0;
    last_ready_ = false;
  }

  [[nodiscard]] twin::Cycle quiet() const {
    if (out_.reg_ack != 0 || out_.beat != 0 || (count_ > 0 && last_ready_)) return 0;
    if (period_ == 0) return base::kForever;
    return timer_ + 1U < period_ ? period_ - timer_ - 1U : 0;
  }
  void idle(twin::Cycle n) {
    if (n > 0) timer_ = static_cast<U16>(period_ == 0 ? 0 : timer_ + n);
  }

  [[nodiscard]] Probes probes() const {
    Probes probes;
    probes.level = count_ == 0 ? Level::kEmpty : count_ == params_.Depth ? Level::kFull : Level::kSome;
    probes.count = static_cast<U8>(count_);
    probes.pointer = static_cast<U8>(pointer_);
    probes.served = served_;
    probes.timer = timer_;
    probes.period = period_;
    probes.beating = out_.beat;
    return probes;
  }

  [[nodiscard]] std::optional<U32> peek(U16 address) const {
    switch (address) {
      case 0x00:
        return kId;
      case 0x04:
        return period_;
      case 0x08:
        return count_;
      case 0x0C:
        return count_ > 0 ? 0x8000'0000U | queue_[head_].port : 0;
      default:
        return std::nullopt;
    }
  }

 private:
  struct Entry {
    U8 port = 0;
    U8 weight = 0;
    U16 stamp = 0;
  };

  [[nodiscard]] unsigned first(const Ports& req) const {
    unsigned port = req.next(pointer_);
    if (port >= params_.NumPorts) port = req.next(0);
    return port;
  }

  void pass(const Inputs& in, unsigned port) {
    if (port < pointer_) served_.reset();
    served_.set(port);
    pointer_ = (port + 1) % params_.NumPorts;
    const unsigned way = port % params_.NumWays;
    queue_[(head_ + count_) % params_.Depth] = {static_cast<U8>(port), in.weight[way], static_cast<U16>(in.now)};
    ++count_;
    out_.total[way] = (out_.total[way] + 1U) & 0xFFFU;
  }

  void tick() {
    out_.beat = 0;
    if (period_ == 0) {
      timer_ = 0;
    } else if (timer_ + 1U >= period_) {
      timer_ = 0;
      out_.beat = 1;
    } else {
      ++timer_;
    }
  }

  void access(const Inputs& in, bool& pop) {
    next_period_ = period_;
    const bool asked = in.reg_req != 0 && out_.reg_ack == 0;
    out_.reg_ack = asked ? 1 : 0;
    out_.reg_err = 0;
    out_.reg_rdata = 0;
    last_ready_ = in.out_ready != 0;
    if (!asked) return;
    if (in.reg_addr % 4 != 0 || in.reg_addr > 0x0C) {
      out_.reg_err = 1;
    } else if (in.reg_we != 0) {
      if (in.reg_addr == 0x04 && in.reg_wdata <= 0xFFFF) {
        next_period_ = static_cast<U16>(in.reg_wdata);
      } else {
        out_.reg_err = 2;
      }
    } else if (in.reg_addr == 0x0C) {
      if (count_ > 0 && !pop) {
        out_.reg_rdata = *peek(in.reg_addr);
        pop = true;
      }
    } else {
      out_.reg_rdata = *peek(in.reg_addr);
    }
  }

  void show() {
    period_ = next_period_;
    const Entry head = count_ > 0 ? queue_[head_] : Entry{};
    out_.out_valid = count_ > 0 ? 1 : 0;
    out_.out_port = head.port;
    out_.out_weight = head.weight;
    out_.out_stamp = head.stamp;
  }

  Params params_;
  Outputs out_;
  std::array<Entry, 16> queue_{};
  unsigned head_ = 0;
  unsigned count_ = 0;
  unsigned pointer_ = 0;
  Ports served_;
  U16 timer_ = 0;
  U16 period_ = 0;
  U16 next_period_ = 0;
  bool last_ready_ = false;
};

}  // namespace castor::turnstile
