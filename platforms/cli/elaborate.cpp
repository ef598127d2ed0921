// castor elaborate: the module hierarchy of a machine, with its sockets, their bindings, and main parameters.

#include <cstdarg>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <tlm>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/timing_device.h"
#include "platforms/blocks.h"
#include "platforms/cli/commands.h"
#include "platforms/machines.h"

namespace castor::platforms::cli {
namespace {

struct ElaborateRequest {
  std::string platform{kDefaultMachine};
  std::vector<std::string> overrides;
  std::string dot;
  bool all = false;
};

struct Socket {
  std::string name;   // name inside its module
  std::string bound;  // initiator socket: full names of the bound target sockets
};

struct Node {
  std::string name;  // name inside its parent
  std::string path;
  std::string kind;
  std::string parameters;
  std::vector<Socket> initiators, targets;
  std::vector<Node> children;
};

std::string format(const char* text, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* text, ...) {
  char buffer[400];
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(buffer, sizeof buffer, text, arguments);
  va_end(arguments);
  return buffer;
}

/// Sets the kind and the main parameters of a module.
void describe(const sc_core::sc_object& object, const gpu::Machine& m, Node& node) {
  if (dynamic_cast<const gpu::Gpu*>(&object) != nullptr) {
    node.kind = "Gpu";
    node.parameters = format("%s: %u SMs, %u slices, %u channels, core %g MHz, DRAM %g MHz", m.name.c_str(), m.chip.sms,
                             m.l2.slices, m.dram.channels, m.clock.core_mhz, m.clock.dram_mhz);
  } else if (dynamic_cast<const gpu::FrontEnd*>(&object) != nullptr) {
    node.kind = "FrontEnd";
    node.parameters =
        format("%u queues of %u%s, %u parse lanes of %u cycles, %u table entries", m.queue.count, m.queue.depth,
               m.queue.in_memory ? " in memory" : "", m.parse.lanes, m.parse.latency, m.table.entries);
  } else if (dynamic_cast<const gpu::Sm*>(&object) != nullptr) {
    node.kind = "Sm";
    node.parameters = format("%u warps of %u lanes, %u TB slots, %u registers, %u B shared, %u schedulers, L1 %u B",
                             m.sm.warps, m.sm.lanes, m.sm.tb_slots, m.sm.registers, m.sm.smem_bytes, m.schedulers,
                             m.l1.sets * m.l1.ways * m.l1.line);
  } else if (dynamic_cast<const gpu::ReplaySm*>(&object) != nullptr) {
    node.kind = "ReplaySm";
    node.parameters = format("%u warps of %u lanes, %u TB slots", m.sm.warps, m.sm.lanes, m.sm.tb_slots);
  } else if (dynamic_cast<const gpu::Crossbar*>(&object) != nullptr) {
    node.kind = "Crossbar";
    node.parameters = format("latency %u, flits of %u B, FIFOs of %u flits%s", m.xbar.latency, m.xbar.flit_bytes,
                             m.xbar.fifo_flits, m.xbar.voq ? ", one queue per output" : "");
  } else if (dynamic_cast<const gpu::L2Slice*>(&object) != nullptr) {
    node.kind = "L2Slice";
    node.parameters = format("%u sets x %u ways x %u B, latency %u, %u MSHRs", m.l2.sets, m.l2.ways, m.l2.line,
                             m.l2.latency, m.l2.mshrs);
  } else if (dynamic_cast<const gpu::DramChannel*>(&object) != nullptr) {
    node.kind = "DramChannel";
    node.parameters = format("%u banks, %u B per clock, queue %u, RCD-CL-RP %u-%u-%u", m.dram.banks,
                             m.dram.bytes_per_clk, m.dram.queue, m.dram.rcd, m.dram.cl, m.dram.rp);
  } else if (dynamic_cast<const gpu::CopyEngine*>(&object) != nullptr) {
    node.kind = "CopyEngine";
    node.parameters = m.link.gb_per_s == 0 ? "no link: memory is shared with the host"
                                           : format("%g us, %g GB/s", m.link.latency_us, m.link.gb_per_s);
  } else {
    node.kind = object.kind();
  }
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// Target sockets by the address of the interface that they implement. It gives the target that an initiator is bound
/// to.
using Targets = std::map<const sc_core::sc_interface*, std::string>;

// Returns whether an object is a target socket, for any binding policy.
bool is_target(const sc_core::sc_object& object) { return std::string_view(object.kind()) == "tlm_target_socket"; }

void find_targets(const std::vector<sc_core::sc_object*>& objects, Targets& targets) {
  for (sc_core::sc_object* const object : objects) {
    if (is_target(*object)) {
      targets[dynamic_cast<sc_core::sc_export_base&>(*object).get_interface()] = object->name();
    }
    find_targets(object->get_child_objects(), targets);
  }
}

Node read(sc_core::sc_object& object, const gpu::Machine& machine, const Targets& targets) {
  Node node;
  node.path = object.name();
  node.name = last_part(node.path);
  describe(object, machine, node);
  for (sc_core::sc_object* const child : object.get_child_objects()) {
    if (auto* const initiator = dynamic_cast<tlm::tlm_initiator_socket<>*>(child)) {
      const auto bound = targets.find(initiator->get_interface());
      node.initiators.push_back({last_part(child->name()), bound == targets.end() ? "?" : bound->second});
    } else if (is_target(*child)) {
      node.targets.push_back({last_part(child->name()), {}});
    } else if (dynamic_cast<sc_core::sc_module*>(child) != nullptr) {
      node.children.push_back(read(*child, machine, targets));
    }
  }
  return node;
}

std::string socket_range(const std::vector<Socket>& sockets) {
  if (sockets.size() <= 2) {
    std::string text;
    for (const Socket& socket : sockets) text += (text.empty() ? "" : ", ") + socket.name;
    return text;
  }
  return sockets.front().name + " .. " + sockets.back().name;
}

/// Prints the module tree. Consecutive modules of one kind with equal parameters are printed once, unless `all` is set.
void print(const std::vector<Node>& nodes, unsigned depth, bool all) {
  const std::string indent(2 * depth, ' ');
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t end = i + 1;
    while (!all && end < nodes.size() && nodes[end].kind == nodes[i].kind &&
           nodes[end].parameters == nodes[i].parameters) {
      ++end;
    }
    const Node& node = nodes[i];
    if (end - i == 1) {
      std::printf("%s%s  %s  %s\n", indent.c_str(), node.name.c_str(), node.kind.c_str(), node.parameters.c_str());
    } else {
      std::printf("%s%s .. %s  %zu x %s  %s\n", indent.c_str(), node.name.c_str(), nodes[end - 1].name.c_str(), end - i,
                  node.kind.c_str(), node.parameters.c_str());
    }
    if (!node.targets.empty()) std::printf("%s    target %s\n", indent.c_str(), socket_range(node.targets).c_str());
    for (std::size_t s = 0; s < node.initiators.size(); ++s) {
      const Socket& socket = node.initiators[s];
      std::printf("%s    %s -> %s%s\n", indent.c_str(), socket.name.c_str(), socket.bound.c_str(),
                  end - i > 1 ? " ..." : "");
      if (!all && node.initiators.size() > 3 && s == 0) {
        std::printf("%s    ... %zu more\n", indent.c_str(), node.initiators.size() - 1);
        break;
      }
    }
    print(node.children, depth + 1, all);
    i = end;
  }
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return result + "\"";
}

void write_dot(std::FILE* file, const Node& node) {
  if (node.children.empty()) {
    std::string label = node.name + "\\n" + node.kind;
    std::fprintf(file, "  %s [label=\"%s\", tooltip=%s];\n", quoted(node.path).c_str(), label.c_str(),
                 quoted(node.parameters).c_str());
  } else {
    std::fprintf(file, "  subgraph %s {\n  label=%s;\n", quoted("cluster_" + node.path).c_str(),
                 quoted(node.name + " (" + node.kind + ") " + node.parameters).c_str());
    for (const Node& child : node.children) write_dot(file, child);
    std::fprintf(file, "  }\n");
  }
}

void write_edges(std::FILE* file, const Node& node) {
  for (const Socket& socket : node.initiators) {
    const std::string target = socket.bound.substr(0, socket.bound.rfind('.'));
    std::fprintf(file, "  %s -> %s;\n", quoted(node.path).c_str(), quoted(target).c_str());
  }
  for (const Node& child : node.children) write_edges(file, child);
}

void write_picture(const std::string& path, const std::vector<Node>& tops) {
  const bool standard = path == "-";
  std::FILE* const file = standard ? stdout : std::fopen(path.c_str(), "w");
  if (file == nullptr) throw base::InputError("cannot write '" + path + "'", "name a file in a folder that exists");
  std::fprintf(file, "digraph castor {\n  rankdir=LR; node [shape=box, fontname=\"sans\"]; fontname=\"sans\";\n");
  for (const Node& top : tops) write_dot(file, top);
  for (const Node& top : tops) write_edges(file, top);
  std::fprintf(file, "}\n");
  const bool bad = std::ferror(file) != 0;
  if ((!standard && std::fclose(file) != 0) || bad)
    throw base::InputError("cannot write all of '" + path + "'", "is the disk full?");
}

int elaborate(const ElaborateRequest& request) {
  const LoadedMachine loaded = load_machine(request.platform, request.overrides);
  gpu::TimingDevice::Options options;
  plug_blocks(loaded, options);
  gpu::TimingDevice device(loaded.machine, std::move(options));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // completes the socket bindings
  Targets targets;
  find_targets(sc_core::sc_get_top_level_objects(), targets);
  std::vector<Node> tops;
  for (sc_core::sc_object* const top : sc_core::sc_get_top_level_objects()) {
    if (dynamic_cast<sc_core::sc_module*>(top) != nullptr) tops.push_back(read(*top, loaded.machine, targets));
  }
  if (request.dot != "-") print(tops, 0, request.all);
  if (!request.dot.empty()) write_picture(request.dot, tops);
  return kGood;
}

}  // namespace

void add_elaborate(CLI::App& app, int& result) {
  auto request = std::make_shared<ElaborateRequest>();
  CLI::App* const command = app.add_subcommand("elaborate", "Print the module hierarchy of a machine with its sockets");
  command->add_option("platform", request->platform, "Machine: a shipped name or the path of a YAML file")
      ->capture_default_str();
  command->add_option("--set", request->overrides, "key=value; overrides a value of the machine (repeatable)")
      ->allow_extra_args(false);
  command->add_option("--dot", request->dot, "Write a picture for Graphviz to this file ('-': standard output)");
  command->add_flag("--all", request->all, "Every module on a line of its own");
  command->footer("Example: castor elaborate kepler_k20c --dot k20c.dot && dot -Tsvg k20c.dot -o k20c.svg");
  command->callback([request, &result] { result = elaborate(*request); });
}

}  // namespace castor::platforms::cli
