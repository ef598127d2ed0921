#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/front_end/page_allocator.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/swap_image.h"
#include "compiler/compiler.h"
#include "platforms/machines.h"
#include "ptx/parser.h"

// One SM driven by hand: kernels from PTX text, thread blocks by messages, ticks one by one or by `wake`.
namespace castor::gpu::test {

inline Machine machine(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return platforms::load_machine(name, overrides).machine;
}

/// A kernel as the front end would hold it.
struct Kernel {
  std::shared_ptr<const isa::Program> program;
  std::unique_ptr<std::byte, void (*)(void*)> constants{nullptr, std::free};
  KernelContext context;
};

/// Makes a kernel one that synchronises and owns the machine. An SM holds at most `fit` of its thread blocks.
inline void own_machine(Kernel& kernel, unsigned fit) {
  kernel.context.synchronises = kernel.context.owned = kernel.context.may_swap = true;
  kernel.context.fit = fit;
}

/// Log of all issued instructions.
struct IssueLog : Observer {
  std::vector<Issue> issues;
  std::vector<Tb> started, retired;
  void issued(const Issue& event) override { issues.push_back(event); }
  void tb_started(const Tb& event) override { started.push_back(event); }
  void tb_retired(const Tb& event) override { retired.push_back(event); }
  /// Returns the ticks in which warp `warp` issued, in order.
  [[nodiscard]] std::vector<Tick> ticks(unsigned warp) const {
    std::vector<Tick> result;
    for (const Issue& issue : issues) {
      if (issue.warp == warp) result.push_back(issue.tick);
    }
    return result;
  }
  /// Returns the ticks in which warp `warp` issued record `pc`.
  [[nodiscard]] std::vector<Tick> at(unsigned warp, std::uint32_t pc) const {
    std::vector<Tick> result;
    for (const Issue& issue : issues) {
      if (issue.warp == warp && issue.pc == pc) result.push_back(issue.tick);
    }
    return result;
  }
};

/// Network that performs every request in the cycle in which it sees it, and replies a fixed time later.
struct Network final : sc_core::sc_module, Unit {
  Network(const sc_core::sc_module_name& name, Store& memory) : sc_module(name), store(memory) {}
  void tick(Cycle now) override {
    while (port.request(now) != nullptr) answer(port.take_request(now), now);
  }
  void answer(Transaction& transaction, Cycle now) {
    MemoryRequest& request = transaction.request;
    request.performed = now;
    for (unsigned i = 0; i < kMaxLineBytes; ++i) {
      std::byte* const where = store.host(transaction.line() + i);
      if (request.is_write() && (request.byte_mask[i / 64] >> (i % 64) & 1) != 0) *where = request.data[i];
      if (request.kind == RequestKind::kLoad && (request.sectors >> (i / kSectorBytes) & 1) != 0) {
        request.data[i] = *where;
      }
    }
    for (unsigned i = 0; request.is_atomic() && i < request.lane_count; ++i) {
      LaneOperand& lane = request.lanes[i];
      lane.value = isa::perform_atomic(request.op, request.type, lane.value, lane.compare,
                                       store.host(transaction.line() + lane.offset));
    }
    port.reply(transaction, 1, now, now + latency);
  }
  Store& store;
  TargetPort port{"port", *this, 1U << 20};
  Cycle latency = 100;
};

/// Returns the store that all rigs of a process share.
inline Store& shared_store() {
  static Store store(Store::Options{std::uint64_t{256} << 20, false});
  return store;
}

/// An SM with a network.
template <class Core>
class BasicRig {
 public:
  explicit BasicRig(Machine what, const SmHooks& hooks = {}, bool sleep = true, Store* memory = nullptr)
      : machine(std::move(what)),
        store(memory != nullptr ? memory : &shared_store()),
        sm(name("sm"), machine, 0, *store, statistics, hooks, &log),
        network(name("network"), *store),
        sleeps(sleep) {
    connect(sm.memory, network.port);
  }

  /// Compiles kernel `k` of PTX text; body with %r, %rd, %f, %p declared, parameter `out` (u64).
  Kernel& load(const std::string& body, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared = 0,
               const std::string& before = {}, std::vector<std::byte> parameters = {}) {
    const std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n" + before +
                             ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<64>; .reg .b64 %rd<20>; .reg .f32 "
                             "%f<40>; .reg .f64 %fd<20>; .reg .pred %p<8>;\n" +
                             body + "\n}\n";
    const isa::Module module = ptx::parse(text, "test.ptx");
    isa::LinkOptions options;
    options.lanes = machine.sm.lanes;
    return hold(compiler::compile(module, "k", options), grid, block, dynamic_shared, std::move(parameters));
  }
  Kernel& hold(std::shared_ptr<const isa::Program> program, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared,
               std::vector<std::byte> parameters) {
    Kernel& kernel = kernels.emplace_back();
    kernel.program = std::move(program);
    fill(kernel, grid, block, dynamic_shared, std::move(parameters));
    return kernel;
  }

  void start(const Kernel& kernel, std::uint64_t gid = 0) {
    TbStartMessage message;
    message.visible = now + 1;
    message.kernel = &kernel.context;
    message.item = kernel.context.item();
    message.gid = gid;
    message.position = gid;
    sm.start(message);
  }

  /// Places a thread block again that was swapped out.
  void bring_back(const std::shared_ptr<const SavedTb>& tb) {
    TbStartMessage message;
    message.visible = now + 1;
    message.kernel = tb->kernel;
    message.item = tb->item;
    message.gid = tb->gid;
    message.acquire = now;
    message.saved = tb;
    message.load = context_move_time(machine, tb->kernel->need);
    sm.start(message);
  }

  /// Runs one cycle; without sleeping the SM ticks in each.
  void cycle() {
    tick();
    end_cycle();
  }
  void tick() {
    ++now;
    if (sleeps && sm.wake() > now) return;
    sm.tick(now);
    ++ticked;
  }
  /// Does the work that follows the SM's tick in a cycle.
  void end_cycle() {
    sm.hand_over(now);
    network.tick(now);
    while (const TbRetireMessage* const message = sm.retired().head(now)) {
      retired.push_back(*message);
      sm.retired().pop();
      sm.done_drained(now);
    }
    while (const TbSaveMessage* const message = sm.saved().head(now)) {
      ++moved;
      away.push_back(message->tb);
      sm.saved().pop();
    }
    if (pages) serve_pages();
    for (; brings_back && !away.empty(); away.pop_front()) bring_back(away.front());
    while (const FaultMessage* const message = sm.faults().head(now)) {
      faults.push_back(message->fault);
      sm.kill(*message->kernel, now + 1);
      sm.faults().pop();
    }
    while (const ServiceMessage* const message = sm.services().head(now)) {
      services.store = store;
      if (auto fault = sm.serve(message->warp, &services, now + 1)) {
        faults.push_back(*fault);
        sm.kill(*message->kernel, now + 1);
      }
      sm.services().pop();
    }
  }
  /// Runs until `tbs` thread blocks have retired; false after `limit` cycles.
  bool run(std::size_t tbs, Cycle limit = 200'000) {
    const Cycle end = now + limit;
    while (retired.size() < tbs && now < end) cycle();
    sm.count_until(now + 1);
    return retired.size() >= tbs;
  }

  /// Runs `tbs` thread blocks, as many at a time as fit; false after `limit` cycles.
  bool run_grid(const Kernel& kernel, std::size_t tbs, Cycle limit = 200'000) {
    const TbNeed& need = kernel.context.need;
    const auto of = [](unsigned room, unsigned one) { return one == 0 ? 64U : room / one; };
    const unsigned fit =
        std::min({of(machine.sm.warps, need.warps), of(machine.sm.threads, need.threads),
                  of(machine.sm.registers / machine.sm.reg_alloc_unit, need.reg_units),
                  of(machine.sm.smem_bytes / machine.sm.smem_alloc_unit, need.smem_units), machine.sm.tb_slots});
    const std::size_t before = retired.size();
    const Cycle end = now + limit;
    for (std::size_t placed = 0; retired.size() - before < tbs && now < end; cycle()) {
      if (placed < tbs && placed - (retired.size() - before) < fit) start(kernel, placed++);
    }
    sm.count_until(now + 1);
    return retired.size() - before == tbs;
  }

  Machine machine;
  Store* store;
  base::StatisticGroup statistics{"gpu"};
  IssueLog log;
  Core sm;
  Network network;
  bool sleeps;
  Cycle now = 0;
  std::uint64_t ticked = 0;
  std::deque<Kernel> kernels;
  std::vector<TbRetireMessage> retired;
  std::vector<Fault> faults;
  /// Swapped-out thread blocks: their number; those not yet restored; whether they are restored at once.
  unsigned moved = 0;
  std::deque<std::shared_ptr<const SavedTb>> away;
  bool brings_back = true;
  DeviceServices services;
  /// Memory for the thread blocks that a swap engine moves, and the kernels with a request that has found no room.
  std::optional<PageAllocator> pages;
  std::deque<Ticket> image_requests;

 private:
  static const char* name(const char* what) {
    static std::deque<std::string> names;
    return names.emplace_back(what + std::to_string(names.size())).c_str();
  }

  // Answers the SM's messages about images as the front end does.
  void serve_pages() {
    Mailbox<PageRequestMessage>& messages = sm.page_requests();
    for (; messages.head(now) != nullptr; messages.pop()) {
      const PageRequestMessage& message = *messages.head(now);
      if (message.returns != 0) {
        pages->give_back(message.ticket, message.returns);
      } else {
        image_requests.push_back(message.ticket);
      }
    }
    for (; !image_requests.empty(); image_requests.pop_front()) {
      const Ticket kernel = image_requests.front();
      if (!pages->has(kernel)) pages->start(kernel, kernels[kernel - 1].context.image_bytes);
      const auto image = pages->take(kernel, now - 1);
      if (!image) return;
      sm.grant_page({std::max(now + 1, image->ready), kernel, image->address});
    }
  }

  void fill(Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared, std::vector<std::byte> parameters) {
    const isa::Program& program = *kernel.program;
    KernelContext& context = kernel.context;
    const std::size_t row = std::size_t{machine.sm.lanes} * 4;
    const std::size_t bytes = std::max<std::size_t>(1, program.constant_rows) * row;
    kernel.constants.reset(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
      const isa::Constant& constant = program.constants[i];
      const std::size_t width = constant.wide ? 8 : 4;
      std::byte* const at = kernel.constants.get() + program.constant_row[i] * row;
      for (unsigned lane = 0; lane < machine.sm.lanes; ++lane) std::memcpy(at + lane * width, &constant.bits, width);
    }
    context.ticket = kernels.size();
    context.program = &program;
    context.constants = kernel.constants.get();
    context.grid = grid;
    context.block = block;
    context.dynamic_shared = dynamic_shared;
    context.shared_bytes = program.shared_bytes + dynamic_shared;
    parameters.resize(std::max<std::size_t>(parameters.size(), 64));
    context.parameters = store->allocate(parameters.size(), AllocationKind::kParameters).value();
    std::memcpy(store->host(context.parameters), parameters.data(), parameters.size());
    context.code_base = store->allocate(program.code.size() * 8, AllocationKind::kCode).value();
    const auto warps = static_cast<unsigned>((block.count() + machine.sm.lanes - 1) / machine.sm.lanes);
    context.need.warps = static_cast<std::uint16_t>(warps);
    context.need.threads = static_cast<std::uint16_t>(warps * machine.sm.lanes);
    const unsigned per_warp = program.registers * machine.sm.lanes;
    context.need.reg_units =
        static_cast<std::uint16_t>(warps * ((per_warp + machine.sm.reg_alloc_unit - 1) / machine.sm.reg_alloc_unit));
    context.need.smem_units = static_cast<std::uint16_t>((context.shared_bytes + machine.sm.smem_alloc_unit - 1) /
                                                         machine.sm.smem_alloc_unit);
    context.image_bytes =
        image_bytes(machine, program, {static_cast<unsigned>(block.count()), program.registers, context.shared_bytes});
    if (program.local_bytes != 0) {
      context.local_stride = std::uint64_t{(program.local_bytes + 3) / 4 * 4} * machine.sm.lanes;
      context.local_base = store
                               ->allocate(context.local_stride * warps * machine.sm.tb_contexts * machine.chip.sms,
                                          AllocationKind::kLocal)
                               .value();
    }
  }
};

using Rig = BasicRig<Sm>;

}  // namespace castor::gpu::test
