#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/launch_record.h"
#include "castor/gpu/swap_reason.h"
#include "castor/gpu/unit.h"
#include "castor/isa/types.h"

namespace castor::gpu {

/// Listener for the events of a device; it cannot change the simulation. Timelines, traces, special statistics and
/// tests implement it. All times are core cycles unless stated otherwise. Within one cycle, events of different units
/// arrive in any order.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Event: a warp instruction was issued.
  struct Issue {
    Cycle cycle = 0;
    Tick tick = 0;  ///< tick of SM `sm`
    unsigned sm = 0, scheduler = 0, warp = 0, context = 0;
    const KernelContext* kernel = nullptr;
    std::uint32_t pc = 0;  ///< record index
    isa::LaneMask mask = 0;
  };
  virtual void issued(const Issue& /*event*/) {}

  /// Event: a TB was placed, started or retired.
  struct Tb {
    Cycle cycle = 0;
    unsigned sm = 0, context = 0;
    const KernelContext* kernel = nullptr;
    std::uint64_t gid = 0;
    std::uint32_t group = kNoGroup;
    /// Set if a swapped-out TB starts again (tb_started), or if the TB leaves its SM to come back (tb_retired).
    std::optional<SwapReason> swapped{};
  };
  virtual void tb_placed(const Tb& /*event*/) {}   ///< the dispatcher has chosen an SM; the TB context is not known yet
  virtual void tb_started(const Tb& /*event*/) {}  ///< SM has started the TB
  virtual void tb_retired(const Tb& /*event*/) {}  ///< SM has retired the TB, or swapped it out

  /// Event: a kernel was submitted, granted, written or completed.
  struct Kernel {
    Cycle cycle = 0;
    Ticket ticket = 0;
    unsigned queue = 0, entry = 0;
    const std::string* name = nullptr;
  };
  virtual void kernel_submitted(const Kernel& /*event*/) {
  }  ///< the kernel packet has entered its queue; its table entry is not known yet
  virtual void kernel_granted(const Kernel& /*event*/) {}    ///< a parse lane has accepted the packet
  virtual void kernel_written(const Kernel& /*event*/) {}    ///< the kernel table entry is written
  virtual void kernel_completed(const Kernel& /*event*/) {}  ///< the kernel's own grid is complete

  /// Event: a launch by device code was admitted.
  struct Launch {
    Cycle cycle = 0;  ///< cycle in which the call issued
    unsigned sm = 0, context = 0;
    Ticket ticket = 0;  ///< ticket of the new launch
  };
  virtual void launched(const Launch& /*event*/) {}  ///< a launch by device code has been admitted

  /// Event: a copy engine started or completed a copy or fill.
  struct Copy {
    Cycle cycle = 0;
    unsigned engine = 0;
    Ticket ticket = 0;
    std::uint64_t bytes = 0;
    const char* what = "copy";  ///< string literal: "copy to device", "copy to host", "copy inside", "fill"
  };
  virtual void copy_started(const Copy& /*event*/) {}
  virtual void copy_completed(const Copy& /*event*/) {}
};

/// Observer that forwards every event to a list of observers.
class Observers final : public Observer {
 public:
  void add(Observer& observer) { list_.push_back(&observer); }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  void issued(const Issue& event) override {
    for (Observer* observer : list_) observer->issued(event);
  }
  void tb_placed(const Tb& event) override {
    for (Observer* observer : list_) observer->tb_placed(event);
  }
  void tb_started(const Tb& event) override {
    for (Observer* observer : list_) observer->tb_started(event);
  }
  void tb_retired(const Tb& event) override {
    for (Observer* observer : list_) observer->tb_retired(event);
  }
  void kernel_submitted(const Kernel& event) override {
    for (Observer* observer : list_) observer->kernel_submitted(event);
  }
  void kernel_granted(const Kernel& event) override {
    for (Observer* observer : list_) observer->kernel_granted(event);
  }
  void kernel_written(const Kernel& event) override {
    for (Observer* observer : list_) observer->kernel_written(event);
  }
  void kernel_completed(const Kernel& event) override {
    for (Observer* observer : list_) observer->kernel_completed(event);
  }
  void launched(const Launch& event) override {
    for (Observer* observer : list_) observer->launched(event);
  }
  void copy_started(const Copy& event) override {
    for (Observer* observer : list_) observer->copy_started(event);
  }
  void copy_completed(const Copy& event) override {
    for (Observer* observer : list_) observer->copy_completed(event);
  }

 private:
  std::vector<Observer*> list_;
};

}  // namespace castor::gpu
