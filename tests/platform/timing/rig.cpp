#include "platform/timing/rig.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "compiler/compiler.h"
#include "platforms/machines.h"
#include "ptx/parser.h"

namespace castor::gpu::timing_test {

void Recorder::issued(const Issue& event) {
  ++issue_count;
  if (!keep_issues) return;
  issues.push_back({event.cycle, event.tick, event.sm, event.scheduler, event.warp, event.pc, event.kernel->ticket});
}

Rig::Rig(const std::string& machine, const std::vector<std::string>& overrides, const Hooks& hooks,
         const SwapLimits* images) {
  std::vector<std::string> all = {"icache.ideal=1"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  TimingDevice::Options options;
  options.gpu.observer = &recorder;
  options.gpu.hooks = hooks;
  Machine built = platforms::load_machine(machine, all).machine;
  // A test's hub answers every operation, as a block's hub would.
  if (hooks.hub != nullptr) built.chip.sync.answered = static_cast<isa::SyncSet>((1U << isa::kSyncOps) - 1);
  // Swap engines beside a hub swap out thread blocks that wait, unless another hook places thread blocks.
  if (hooks.hub != nullptr && !hooks.swap.empty() && hooks.dispatch == nullptr && hooks.launch == nullptr) {
    SyncSupport& support = built.chip.sync;
    support.swaps = support.limits.images = true;
    support.limits.warp_bytes = 80;
    support.limits.predicate_bytes = 32;
  }
  if (images != nullptr) built.chip.sync.limits = *images;
  device = std::make_unique<TimingDevice>(built, options);
}

ProgramHandle Rig::load(const std::string& body, unsigned parameters, const std::string& declarations) {
  std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n" + declarations + "\n.visible .entry k(";
  for (unsigned i = 0; i < parameters; ++i) text += (i == 0 ? ".param .u64 p" : ", .param .u64 p") + std::to_string(i);
  text += ")\n{\n.reg .b32 %r<100>; .reg .b64 %rd<100>; .reg .f32 %f<100>; .reg .pred %p<8>;\n";
  for (unsigned i = 0; i < parameters; ++i) {
    text += "ld.param.u64 %rd" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n";
  }
  text += body + "\n}\n";
  const isa::Module module = ptx::parse(text, "micro.ptx");
  isa::LinkOptions options;
  options.lanes = machine().sm.lanes;
  options.max_registers = std::min(machine().sm.max_regs_per_thread, 255U);
  return device->load(compiler::compile(module, "k", options));
}

std::vector<std::uint32_t> Rig::pcs(ProgramHandle handle, isa::TimingClass timing) const {
  std::vector<std::uint32_t> out;
  const auto& code = program(handle).code;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (code[i].timing == timing) out.push_back(i);
  }
  return out;
}

std::vector<std::uint32_t> Rig::memory_pcs(ProgramHandle handle, isa::MemoryKind kind, isa::Space space) const {
  std::vector<std::uint32_t> out;
  const auto& code = program(handle).code;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (code[i].kind == isa::Kind::kMemory && code[i].memory.kind == kind && code[i].memory.space == space) {
      out.push_back(i);
    }
  }
  return out;
}

Ticket Rig::submit(ProgramHandle handle, Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& parameters,
                   std::uint32_t dynamic_shared, unsigned queue, bool synchronises) {
  KernelPacket packet;
  packet.program = handle;
  packet.grid = grid;
  packet.block = block;
  packet.dynamic_shared = dynamic_shared;
  packet.synchronises = synchronises;
  packet.parameters.resize(parameters.size() * 8);
  if (!parameters.empty()) std::memcpy(packet.parameters.data(), parameters.data(), packet.parameters.size());
  return device->submit(queue, std::move(packet));
}

void Rig::finish(Ticket ticket) {
  const Outcome outcome = device->advance_until(ticket);
  if (outcome == Outcome::kDone) return;
  throw std::runtime_error("the kernel did not end: outcome " + std::to_string(static_cast<int>(outcome)) + " " +
                           (device->fault() ? device->fault()->message : std::string()) + "\n" +
                           device->gpu().waiting());
}

Ticket Rig::run(ProgramHandle handle, Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& parameters,
                std::uint32_t dynamic_shared) {
  const Ticket ticket = submit(handle, grid, block, parameters, dynamic_shared);
  finish(ticket);
  return ticket;
}

std::vector<Issued> Rig::issues(Ticket ticket) const {
  std::vector<Issued> out;
  std::copy_if(recorder.issues.begin(), recorder.issues.end(), std::back_inserter(out),
               [&](const Issued& one) { return one.ticket == ticket; });
  std::stable_sort(out.begin(), out.end(), [](const Issued& a, const Issued& b) { return a.cycle < b.cycle; });
  return out;
}

std::vector<Issued> Rig::issues(Ticket ticket, unsigned sm, unsigned warp) const {
  std::vector<Issued> out = issues(ticket);
  out.erase(std::remove_if(out.begin(), out.end(), [&](const Issued& one) { return one.sm != sm || one.warp != warp; }),
            out.end());
  return out;
}

long Rig::distance(Ticket ticket, std::uint32_t from, std::uint32_t to) const {
  const auto tick = [&](std::uint32_t pc) {
    for (const Issued& one : recorder.issues) {
      if (one.ticket == ticket && one.pc == pc) return static_cast<long>(one.tick);
    }
    throw std::runtime_error("record " + std::to_string(pc) + " was not issued");
  };
  return tick(to) - tick(from);
}

Cycle Rig::duration(Ticket ticket) const {
  Cycle first = kForever;
  for (const Issued& one : recorder.issues) {
    if (one.ticket == ticket) first = std::min(first, one.cycle);
  }
  for (const auto& started : recorder.started) {  // without recorded issues
    if (started.ticket == ticket) first = std::min(first, started.cycle);
  }
  for (const auto& one : recorder.completed) {
    if (one.ticket == ticket) return one.cycle - first;
  }
  throw std::runtime_error("the kernel is not complete");
}

std::uint64_t Rig::buffer(std::uint64_t bytes) {
  return device->store().allocate(bytes, AllocationKind::kHeap).value();
}

std::uint64_t Rig::statistic(const std::string& path) {
  const base::Statistic* const found = device->gpu().statistics().find(path);
  if (found == nullptr) throw std::runtime_error("no statistic " + path);
  return found->integer();
}

std::vector<std::uint64_t> in_child(const std::function<std::vector<std::uint64_t>()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    std::string message(1, '\0');
    try {
      const std::vector<std::uint64_t> result = work();
      message.append(reinterpret_cast<const char*>(result.data()), result.size() * sizeof(std::uint64_t));
    } catch (const std::exception& error) {
      message = std::string(1, '\1') + error.what();
    }
    std::size_t sent = 0;
    while (sent < message.size()) {
      const ssize_t n = write(ends[1], message.data() + sent, message.size() - sent);
      if (n <= 0) _exit(3);
      sent += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string message;
  char block[4096];
  for (ssize_t n = 0; (n = read(ends[0], block, sizeof block)) > 0;) message.append(block, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (message.empty() || status != 0) {
    throw std::runtime_error("the child ended with status " + std::to_string(status));
  }
  if (message[0] != '\0') throw std::runtime_error(message.substr(1));
  std::vector<std::uint64_t> result((message.size() - 1) / sizeof(std::uint64_t));
  std::memcpy(result.data(), message.data() + 1, result.size() * sizeof(std::uint64_t));
  return result;
}

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) seed = (seed ^ bytes[i]) * 0x100000001b3ULL;
  return seed;
}

}  // namespace castor::gpu::timing_test
