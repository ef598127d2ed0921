// castor list: platforms, blocks, kernels of a file, marks of their instructions, all instructions.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/launch_check.h"
#include "castor/gpu/link_options.h"
#include "castor/gpu/occupancy.h"
#include "castor/isa/instruction_table.h"
#include "castor/isa/mark_check.h"
#include "compiler/compiler.h"
#include "compiler/mark_list.h"
#include "compiler/marks.h"
#include "platforms/cli/commands.h"
#include "platforms/cli/files.h"
#include "platforms/cli/kernels.h"
#include "platforms/machines.h"
#include "ptx/parser.h"

namespace castor::platforms::cli {
namespace {

struct ListRequest {
  std::string file;
  std::string platform;
  unsigned block = 256;
  bool json = false;
  std::string opcode;
  std::string block_name;
  bool markdown = false;
  std::string kernel;
  std::vector<std::string> overrides;
  bool source_rule = false;
};

void list_platforms(bool json) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::string& name : shipped_machines()) {
    const gpu::Machine machine = load_machine(name).machine;
    rows.push_back({{"name", name},
                    {"title", machine.title},
                    {"sms", machine.chip.sms},
                    {"lanes", machine.sm.lanes},
                    {"core_mhz", machine.clock.core_mhz},
                    {"l2_bytes", machine.l2.bytes},
                    {"dram_gb_per_s", machine.peak_gb_per_s()}});
  }
  if (json) {
    std::printf("%s\n", rows.dump(2).c_str());
    return;
  }
  std::printf("%-20s %4s %5s %9s %8s %9s  %s\n", "platform", "SMs", "lanes", "core MHz", "L2 KB", "DRAM GB/s", "what");
  for (const auto& row : rows) {
    std::printf("%-20s %4u %5u %9.0f %8llu %9.0f  %s\n", row["name"].get<std::string>().c_str(),
                row["sms"].get<unsigned>(), row["lanes"].get<unsigned>(), row["core_mhz"].get<double>(),
                row["l2_bytes"].get<unsigned long long>() / 1024, row["dram_gb_per_s"].get<double>(),
                row["title"].get<std::string>().c_str());
  }
}

/// Returns the program that runs in a launch with blocks of `threads` threads. Compiles the kernel again with fewer
/// registers if not even one block would fit into an SM.
isa::Program program_for(const gpu::Machine& machine, const isa::Module& module, const isa::Function& kernel,
                         isa::LinkOptions options, unsigned threads) {
  isa::Program program = compiler::inspect(module, kernel.name, options);
  const unsigned cap = gpu::registers_for(machine, threads, 1);
  if (program.registers <= cap || compiler::is_bounded(kernel)) return program;
  options.max_registers = std::min(options.max_registers, cap);
  return compiler::inspect(module, kernel.name, options);
}

nlohmann::ordered_json kernel_row(const gpu::Machine& machine, const isa::Program& program, unsigned block) {
  const unsigned threads = program.max_threads != 0 ? std::min(block, program.max_threads) : block;
  gpu::TbDemand demand;
  demand.threads = threads;
  demand.registers_per_thread = program.registers;
  demand.shared_bytes = program.shared_bytes;
  const gpu::Occupancy occupancy = gpu::occupancy(machine, demand);
  return {{"kernel", program.kernel},
          {"demangled", base::demangled(program.kernel)},
          {"instructions", program.code.size()},
          {"registers", program.registers},
          {"predicates", program.predicates},
          {"shared_bytes", program.shared_bytes},
          {"local_bytes", program.local_bytes},
          {"spill_bytes", program.spill_bytes},
          {"parameter_bytes", program.parameter_bytes},
          {"threads", threads},
          {"blocks_per_sm", occupancy.tbs_per_sm},
          {"occupancy", occupancy.warp_occupancy},
          {"limited_by", std::string(gpu::name(occupancy.limit))}};
}

void list_kernels(const ListRequest& request) {
  const gpu::Machine machine =
      load_machine(request.platform.empty() ? std::string(kDefaultMachine) : request.platform).machine;
  std::vector<isa::Module> modules;
  for (const std::string& image : read_ptx(request.file)) modules.push_back(ptx::parse(image, request.file));
  const isa::LinkOptions options = gpu::link_options(machine);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const isa::Module& module : modules) {
    for (const isa::Function& function : module.functions) {
      if (!function.entry || !function.defined) continue;
      rows.push_back(
          kernel_row(machine, program_for(machine, module, function, options, request.block), request.block));
    }
  }
  if (request.json) {
    std::printf("%s\n", rows.dump(2).c_str());
    return;
  }
  std::printf("%6s %5s %5s %7s %6s %6s %6s  %-26s %s\n", "instrs", "regs", "preds", "shared", "local", "spill",
              "params", ("occupancy on " + machine.name).c_str(), "kernel");
  for (const auto& row : rows) {
    char occupancy[80];
    std::snprintf(occupancy, sizeof occupancy, "%ux%u, %.0f %% (%s)", row["blocks_per_sm"].get<unsigned>(),
                  row["threads"].get<unsigned>(), 100 * row["occupancy"].get<double>(),
                  row["limited_by"].get<std::string>().c_str());
    std::printf("%6u %5u %5u %7u %6u %6u %6u  %-26s %s\n", row["instructions"].get<unsigned>(),
                row["registers"].get<unsigned>(), row["predicates"].get<unsigned>(),
                row["shared_bytes"].get<unsigned>(), row["local_bytes"].get<unsigned>(),
                row["spill_bytes"].get<unsigned>(), row["parameter_bytes"].get<unsigned>(), occupancy,
                base::readable_name(row["kernel"].get<std::string>()).c_str());
  }
}

/// Returns the names of the kernels that a file's modules define.
std::vector<std::string> kernel_names(const std::vector<isa::Module>& modules) {
  std::vector<std::string> names;
  for (const isa::Module& module : modules) {
    for (const isa::Function& function : module.functions) {
      if (function.entry && function.defined) names.push_back(function.name);
    }
  }
  return names;
}

/// Returns the number of register rows that a fetch filter gets per block of a marked kernel, or the reason why the
/// filter gets none.
std::string rows_text(const gpu::Machine& machine, const isa::Program& program, unsigned rows, unsigned warps) {
  if (program.marks.empty()) return "none: no record is marked";
  if (warps < 2) return "none: a thread block of one warp shares no instructions";
  if (rows == 0)
    return "none: " + std::to_string(program.registers) + " registers per thread leave fewer than " +
           std::to_string(gpu::kLeastFilterRows) + " rows per block on " + machine.name;
  return std::to_string(rows) + " per block";
}

nlohmann::ordered_json marks_of_kernel(const gpu::Machine& machine, const isa::Program& program,
                                       const compiler::MarkReport& report, unsigned block) {
  nlohmann::ordered_json kernel = kernel_row(machine, program, block);
  const unsigned threads = kernel["threads"].get<unsigned>();
  gpu::TbDemand demand;
  demand.threads = threads;
  demand.registers_per_thread = program.registers;
  demand.shared_bytes = program.shared_bytes;
  const gpu::Occupancy occupancy = gpu::occupancy(machine, demand);
  const unsigned rows = gpu::filter_rows(machine, occupancy.tbs_per_sm, occupancy.register_units);
  kernel["marked"] = report.marked;
  kernel["renamed"] = program.renamed_registers;
  kernel["rows"] = rows_text(machine, program, rows, occupancy.warps_per_tb);
  auto& records = kernel["records"] = nlohmann::ordered_json::array();
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    records.push_back({{"record", pc},
                       {"mark", isa::mark_name(program.marks.empty() ? 0 : program.marks[pc])},
                       {"class", isa::mark_name(static_cast<std::uint8_t>(report.classes[pc]))},
                       {"instruction", program.spellings[pc]},
                       {"line", program.lines[pc].line},
                       {"reason", report.reasons[pc]}});
  }
  return kernel;
}

void list_marks(const ListRequest& request) {
  const gpu::Machine machine =
      load_machine(request.platform.empty() ? std::string(kDefaultMachine) : request.platform, request.overrides)
          .machine;
  isa::LinkOptions options = gpu::link_options(machine);
  isa::MarkOptions marks = options.marks;
  marks.rule = request.source_rule ? isa::MarkRule::kSource : isa::MarkRule::kSound;
  options.marks.rule = isa::MarkRule::kOff;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::string text;
  std::vector<isa::Module> modules;
  for (const std::string& image : read_ptx(request.file)) modules.push_back(ptx::parse(image, request.file));
  const std::string only =
      request.kernel.empty() ? std::string() : find_kernel(kernel_names(modules), request.kernel, request.file);
  for (const isa::Module& module : modules) {
    for (const isa::Function& function : module.functions) {
      if (!function.entry || !function.defined) continue;
      if (!only.empty() && function.name != only) continue;
      isa::Program program = program_for(machine, module, function, options, request.block);
      const compiler::MarkReport report = compiler::mark(program, marks);
      rows.push_back(marks_of_kernel(machine, program, report, request.block));
      const nlohmann::ordered_json& row = rows.back();
      // The comment contains the readable name. The kernel's own line is read back later and contains the name in PTX.
      if (const std::string readable = base::readable_name(function.name); readable != function.name) {
        text += "# " + readable + "\n";
      }
      text += "# machine " + machine.name + "; " + std::to_string(report.marked) + " records marked; " +
              (program.renamed_registers == 0 ? std::string("no register renamed")
                                              : "renamed R0 to R" + std::to_string(program.renamed_registers - 1)) +
              "\n# rows with blocks of " + std::to_string(row["threads"].get<unsigned>()) +
              " threads: " + row["rows"].get<std::string>() + "\n" + compiler::marks_text(program, report) + "\n";
    }
  }
  std::printf("%s\n", request.json ? rows.dump(2).c_str() : text.c_str());
}

void list_instructions(const ListRequest& request) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const isa::InstructionTable& table = isa::InstructionTable::instance();
  for (const auto& row : table.rows()) {
    if (row->opcode.empty() || row->opcode[0] == '$') continue;
    if (!request.opcode.empty() && row->opcode != request.opcode) continue;
    rows.push_back({{"syntax", row->syntax},
                    {"operands", row->operands},
                    {"class", std::string(isa::key(row->timing))},
                    {"meaning", row->meaning}});
  }
  if (rows.empty()) {
    for (const auto& refused : table.refused()) {
      if (refused.opcode == request.opcode) {
        throw base::InputError("'" + base::printable(request.opcode) + "' is refused: " + refused.why);
      }
    }
    std::vector<std::string> opcodes;
    for (const auto& row : table.rows()) opcodes.push_back(row->opcode);
    throw base::InputError("no instruction '" + base::printable(request.opcode) + "'",
                           base::did_you_mean(request.opcode, opcodes, " ") + "castor list instructions lists all");
  }
  if (request.json) {
    std::printf("%s\n", rows.dump(2).c_str());
    return;
  }
  for (const auto& row : rows) {
    std::printf("%-13s %s  %s\n", row["class"].get<std::string>().c_str(), row["syntax"].get<std::string>().c_str(),
                row["operands"].get<std::string>().c_str());
  }
}

}  // namespace

void add_list(CLI::App& app, int& result) {
  auto request = std::make_shared<ListRequest>();
  CLI::App* const list = app.add_subcommand("list", "List platforms, blocks, instructions, kernels or marks of a file");
  list->require_subcommand(1);
  list->footer("Example: castor list kernels saxpy.ptx --platform kepler_k20c");
  list->add_flag("--json", request->json, "Print JSON");
  CLI::App* const platforms = list->add_subcommand("platforms", "The machines that are shipped");
  platforms->add_flag("--json", request->json, "Print JSON");
  platforms->callback([request, &result] {
    list_platforms(request->json);
    result = kGood;
  });
  CLI::App* const blocks = list->add_subcommand("blocks", "Hardware blocks, their parameter sets and evidence");
  blocks->add_option("name", request->block_name, "Only this block, with its keys, claims and statistics");
  blocks->add_flag("--json", request->json, "Print JSON");
  blocks->add_flag("--markdown", request->markdown, "Keys, claims and statistics as tables for the block's document");
  blocks->callback([request, &result] {
    if (request->markdown && request->block_name.empty())
      throw base::InputError("--markdown is of one block", "name it");
    result = list_blocks(request->block_name, request->json, request->markdown);
  });
  CLI::App* const kernels = list->add_subcommand("kernels", "Kernels of a PTX file or program: registers, occupancy");
  kernels->add_option("file", request->file, "PTX file, or program built by castor-cc")->required();
  kernels->add_option("-p,--platform", request->platform, "Machine");
  kernels->add_option("--block", request->block, "Threads per block for the occupancy")->check(CLI::Range(1U, 1024U));
  kernels->add_flag("--json", request->json, "Print JSON");
  add_mangled(*kernels);
  kernels->callback([request, &result] {
    list_kernels(*request);
    result = kGood;
  });
  CLI::App* const marks = list->add_subcommand("marks", "Redundant instructions of the kernels of a file, and why");
  marks->add_option("file", request->file, "PTX file, or program built by castor-cc")->required();
  marks->add_option("-p,--platform", request->platform, "Machine");
  marks->add_option("--set", request->overrides, "Overrides a value of the machine (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  marks->add_option("--kernel", request->kernel, "Only this kernel, by any of its names");
  marks->add_option("--block", request->block, "Threads per block for the rows")->check(CLI::Range(1U, 1024U));
  marks->add_flag("--without-join-rule", request->source_rule,
                  "As the source has it: wrong where paths of warps differ");
  marks->add_flag("--json", request->json, "Print JSON");
  add_mangled(*marks);
  marks->footer(
      "Edited lines are read back by castor run --marks FILE, with --set compile.marks=1.\n"
      "Example: castor list marks app.ptx --kernel saxpy > saxpy.marks");
  marks->callback([request, &result] {
    list_marks(*request);
    result = kGood;
  });
  CLI::App* const instructions = list->add_subcommand("instructions", "Every PTX instruction that Castor executes");
  instructions->add_option("opcode", request->opcode, "Only this opcode");
  instructions->add_flag("--json", request->json, "Print JSON");
  instructions->callback([request, &result] {
    list_instructions(*request);
    result = kGood;
  });
}

}  // namespace castor::platforms::cli
