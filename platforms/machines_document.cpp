#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "castor/gpu/machine_table.h"
#include "platforms/machines.h"

namespace castor::platforms {
namespace {

const char* const kIntroduction = R"(# Machines

A machine file names every number of a GPU: how many SMs, how long an instruction takes, how wide a DRAM channel is.
Nothing has a hidden default. The shipped machines are compiled into the library; `CASTOR_PLATFORM` selects one by name,
or a file of your own by path. Unset, it is `pascal_titanx`.

```yaml
machine: my_kepler
title: "A Kepler with two schedulers"
extends: kepler_k20c
schedulers: [2, schedulers, "my measurement"]
sm.warps:   32
```

A value is `[value, unit, origin]`. Unit and origin may be left out in files of your own; a unit that is given must be
the one below. Sizes in bytes may end in KiB, MiB or GiB, `none` is an empty optional number, a list of names is
`[[a, b], names]`. `extends` takes all keys of another machine, shipped or a path relative to the file; what follows
replaces single keys. On the command line `--set key=value` replaces them last. The effective configuration in every
report carries value, unit and origin of all keys and can be run again; keys of an old report that machines have lost
since are left out, and a line on stderr names them.

Reading stops at the first thing that is wrong, with file, line, column, key and the allowed range: unknown and duplicate
keys, wrong types and units, values out of range, missing keys, and values that do not fit each other (such as cache sets
x ways x line that are not the bytes). Anchors, aliases, tags and further documents in the file are refused.

Keys `blocks.NAME.*` are a hardware block's own: `enable` makes it part of the machine, `engine` says who plays it (model,
rtl, lockstep), `wave_depth` whether waves show the inside of its RTL (docs/guides/looking.md); the others have defaults and
stand in the block's page in `docs/blocks`. They are known as soon as something names the block. Blocks are found in the folder `castor/blocks` of Castor's libraries and in those that `CASTOR_BLOCKS` names.

Ticks are clock edges of one SM, cycles those of the core clock, clocks those of the DRAM command clock.

## Origins

A value's origin is one of these, or several with semicolons between them. A remark in parentheses says how the number was
obtained. Files of your own may say what they like.

| origin | meaning |
|---|---|
| `ours` | our decision; no source gives the value |
| `ours, calibrated` | our value, chosen so that a closed form of the model meets a published measurement |
| `Wang 2016, table 4` | stated there: a publication of the table below, with sections, tables or figures where the value is in some |
| `derived from Wang 2016, table 4` | follows from what is stated there |
| `docs/gpu/sm-memory.md, "LSU"` | a section of a page of this tree |
| `GPGPU-Sim GTX480`, `GPGPU-Sim Titan`, `GPGPU-Sim TitanX`, `GPGPU-Sim RTX2060` | public GPGPU-Sim 4.x configuration of that GPU: `configs/tested-cfgs/SM2_GTX480`, `SM3_KEPLER_TITAN`, `SM6_TITANX`, `SM75_RTX2060` of gpgpu-sim_distribution |
| `GPGPU-Sim GTX750Ti` | likewise: `configs/deprecated-cfgs/GeForceGTX750Ti` |
| `gem5 APU` | defaults of gem5's public APU configuration |
| `vendor guide` | NVIDIA, *CUDA C++ Programming Guide* with its occupancy calculator: limits, allocation units and throughput per compute capability |
| `vendor data` | NVIDIA's data of that GPU: product page, board specification |
| `microbenchmarks` | published measurements, as they are commonly quoted: Wong 2010, Mei 2017, Jia 2018, Arafa 2019 |
| `clpeak` | K. Bhat, *clpeak*: its published logs of that GPU, or of the one named |
| `GCN documents` | public GCN architecture and ISA documents |
| `command line` | replaced by an override |

| publication | title |
|---|---|
| `Wang 2016` | Jin Wang, *Acceleration and Optimization of Dynamic Parallelism for Irregular Applications on GPUs*, PhD dissertation, Georgia Institute of Technology, 2016 |
| `Liu 2018` | Jiwei Liu, *Efficient Synchronization for GPGPU*, PhD dissertation, University of Pittsburgh, 2018 |
| `Yeh 2020` | Tsung Tai Yeh, *Accelerating Parallel Tasks by Optimizing GPU Hardware Resource Utilization*, PhD dissertation, Purdue University, May 2020 (in Purdue's repository without the word *Resource*) |
| `Yeh 2021` | Tsung Tai Yeh, Matthew D. Sinclair, Bradford M. Beckmann, Timothy G. Rogers, *Deadline-Aware Offloading for High-Throughput Accelerators*, HPCA 2021 |
| `Nasef 2023` | Mehdi Nasef, *Hardware Support for Multiprogramming in GPUs*, degree dissertation, September 2023 |
| `Wong 2010` | Henry Wong et al., *Demystifying GPU Microarchitecture through Microbenchmarking*, ISPASS 2010 |
| `Mei 2017` | Xinxin Mei, Xiaowen Chu, *Dissecting GPU Memory Hierarchy through Microbenchmarking*, IEEE TPDS 28(1), 2017 |
| `Jia 2018` | Zhe Jia et al., *Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking*, arXiv:1804.06826, 2018 |
| `Arafa 2019` | Yehia Arafa et al., *Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs*, HPEC 2019 |
| `Andersch 2015` | Michael Andersch, Jan Lucas, Ben Juurlink, *On Latency in GPU Throughput Microarchitectures*, ISPASS 2015 (a GF106) |
| `Volkov 2016` | Vasily Volkov, *Understanding Latency Hiding on GPUs*, PhD dissertation, University of California, Berkeley, 2016 |
| `Feng 2021` | sjfeng1999, *gpu-arch-microbenchmark*, repository of that name (an RTX 2070) |
| `Connolly 2026` | David Connolly, *TU102 (sm_75) Microarchitecture Characterisation*, repository connollydavid/tu102 (a Quadro RTX 6000) |

A machine that is called after a chip stands for it: its values are those of the chip where they are known, and
[results/fidelity.md](results/fidelity.md) says how far it is from it. A machine called `..._study` has the values with which
publications simulated that chip, often those of another simulator; the experiments that repeat them, the tests of the
machine's rules and the benchmarks use these. The machines `maxwell_liu...` and `gcn_apu...` are of studies too.
)";

std::string number(double value, const char* format) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

/// Returns whether a machine is a variant, which changes keys of another machine. Other machines extend only a base.
bool is_variant(const std::string& name) {
  const std::string extended = base::parse_config(detail::find_shipped(name)->text, name).extends;
  const detail::ShippedFile* const file = detail::find_shipped(extended);
  return file != nullptr && !file->is_base;
}

void append_overview(std::string& out, const std::vector<LoadedMachine>& machines) {
  out += "\n## Shipped machines\n\n| machine | what it is | SMs | warps per SM | core MHz | DRAM GB/s | memory |\n";
  out += "|---|---|---|---|---|---|---|\n";
  for (const LoadedMachine& each : machines) {
    const gpu::Machine& m = each.machine;
    out += "| `" + m.name + "` | " + m.title + " | " + std::to_string(m.chip.sms) + " | " + std::to_string(m.sm.warps) +
           " | " + number(m.clock.core_mhz, "%g") + " | " + number(m.peak_gb_per_s(), "%.0f") + " | " +
           each.config.at("memory.bytes").entry.words[0] + " |\n";
  }
}

void append_keys(std::string& out) {
  out += "\n## Keys\n";
  const char* chapter = "";
  for (const gpu::MachineKey& key : gpu::machine_table()) {
    if (std::string(chapter) != key.chapter) {
      chapter = key.chapter;
      out += std::string("\n### ") + chapter + "\n\n| key | unit | allowed | meaning |\n|---|---|---|---|\n";
    }
    out += "| `" + key.row.key + "` | " + key.row.unit + " | " + key.row.allowed_values() + " | " + key.row.meaning +
           " |\n";
  }
}

void append_values(std::string& out, const std::vector<LoadedMachine>& machines) {
  std::vector<const LoadedMachine*> bases;
  for (const LoadedMachine& each : machines) {
    if (!is_variant(each.machine.name)) bases.push_back(&each);
  }
  out += "\n## Values and origins\n\nVariants change what their files say.\n\n| key |";
  for (const LoadedMachine* each : bases) out += ' ' + each->machine.name + " |";
  out += "\n|---|";
  for (std::size_t i = 0; i < bases.size(); ++i) out += "---|";
  out += '\n';
  for (const gpu::MachineKey& key : gpu::machine_table()) {
    out += "| `" + key.row.key + "` |";
    for (const LoadedMachine* each : bases) {
      const base::ConfigEntry& entry = each->config.at(key.row.key).entry;
      out += ' ' + (entry.words.empty() ? "[]" : entry.words[0]) + " (" + entry.origin + ") |";
    }
    out += '\n';
  }
}

}  // namespace

std::string machines_document() {
  std::vector<LoadedMachine> machines;
  for (const std::string& name : shipped_machines()) machines.push_back(load_machine(name));
  std::string out = kIntroduction;
  append_overview(out, machines);
  append_keys(out);
  append_values(out, machines);
  return out;
}

}  // namespace castor::platforms
