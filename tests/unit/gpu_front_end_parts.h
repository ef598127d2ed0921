#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/front_end/kernel_table.h"
#include "gpu_front_end_support.h"

// What the tests of the front end's parts share: kernels in a table, without the queues and lanes that bring them
// there.
namespace castor::gpu::test {

class PartRig {
 public:
  explicit PartRig(Machine m = load())
      : machine(std::move(m)), group("front_end"), table(machine.table.entries, group), program_(new isa::Program) {
    program_->kernel = "k";
  }

  /// An entry takes a kernel of `tbs` TBs from a queue; not written yet.
  KernelContext& reserve(unsigned entry, std::uint32_t tbs, unsigned queue = 0) {
    KernelContext& context = table.reserve(entry, 0);
    context.queue = static_cast<std::uint16_t>(queue);
    context.ticket = 100 + entry;
    context.program = program_.get();
    context.grid = {tbs, 1, 1};
    context.block = {32, 1, 1};
    context.need = {1, static_cast<std::uint16_t>(machine.sm.lanes), 1, 0};
    return context;
  }
  /// The same, and its entry is written in cycle `written`.
  const KernelContext& write(unsigned entry, std::uint32_t tbs, Cycle written = 0, unsigned queue = 0) {
    KernelContext& context = reserve(entry, tbs, queue);
    context.written = written;
    EXPECT_TRUE(table.write(entry, written));
    return context;
  }

  [[nodiscard]] std::uint64_t statistic(const std::string& name) const {
    const base::Statistic* const found = group.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? 0 : found->integer();
  }

  const Machine machine;
  base::StatisticGroup group;
  KernelTable table;

 private:
  std::unique_ptr<isa::Program> program_;
};

}  // namespace castor::gpu::test
