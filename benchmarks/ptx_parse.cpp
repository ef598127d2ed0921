#include <benchmark/benchmark.h>

#include <string>

#include "ptx/parser.h"

// Measures how long the parser takes for 1 MB of PTX text, written as compilers write it: kernels of 40 instructions
// with loops, calls and initialised data. The aim is less than 0.3 s.
namespace {

std::string number(std::size_t value) { return std::to_string(value); }

/// Returns the PTX text of one kernel of about 2 kB and its initialised data table.
std::string kernel(std::size_t index) {
  const std::string name = "_Z6kernel" + number(index) + "PKfPfi";
  const std::string label = "$L__BB" + number(index) + "_";
  std::string text = ".global .align 4 .b8 table" + number(index) + "[64] = {";
  for (int i = 0; i < 64; ++i) text += (i == 0 ? "" : ", ") + std::to_string((i * 37 + static_cast<int>(index)) % 256);
  text += "};\n.visible .entry " + name + "(\n\t.param .u64 " + name + "_param_0,\n\t.param .u64 " + name +
          "_param_1,\n\t.param .u32 " + name + "_param_2\n)\n.maxntid 128, 1, 1\n{\n";
  text += "\t.reg .pred \t%p<4>;\n\t.reg .f32 \t%f<12>;\n\t.reg .b32 \t%r<16>;\n\t.reg .b64 \t%rd<12>;\n\n";
  text += "\tld.param.u64 \t%rd1, [" + name + "_param_0];\n\tld.param.u64 \t%rd2, [" + name +
          "_param_1];\n\tld.param.u32 \t%r1, [" + name + "_param_2];\n";
  text += "\tmov.u32 \t%r2, %ctaid.x;\n\tmov.u32 \t%r3, %ntid.x;\n\tmov.u32 \t%r4, %tid.x;\n";
  text += "\tmad.lo.s32 \t%r5, %r2, %r3, %r4;\n\tsetp.ge.s32 \t%p1, %r5, %r1;\n\t@%p1 bra \t" + label + "2;\n";
  text += "\tcvta.to.global.u64 \t%rd3, %rd1;\n\tcvta.to.global.u64 \t%rd4, %rd2;\n\tmov.u64 \t%rd8, table" +
          number(index) + ";\n" + label + "1:\n";
  for (int i = 0; i < 6; ++i) {
    text += "\tmul.wide.s32 \t%rd5, %r5, 4;\n\tadd.s64 \t%rd6, %rd3, %rd5;\n\tld.global.f32 \t%f1, [%rd6+" +
            std::to_string(4 * i) +
            "];\n\tfma.rn.f32 \t%f2, %f1, 0f3FC00000, %f2;\n\tst.global.f32 \t[%rd6+-16], %f2;\n";
  }
  text += "\tadd.s32 \t%r5, %r5, 128;\n\tsetp.lt.s32 \t%p2, %r5, %r1;\n\t@%p2 bra \t" + label + "1;\n";
  text +=
      "\t{ // callseq " + number(index) +
      ", 0\n\t.reg .b32 temp_param_reg;\n\t.param .b64 param0;\n\tst.param.b64 \t[param0+0], %rd8;\n\t.param .b64 "
      "param1;\n\tst.param.b64 \t[param1+0], %rd4;\n\t.param .b32 retval0;\n\tcall.uni (retval0), \n\tvprintf, \n\t(\n"
      "\tparam0, \n\tparam1\n\t);\n\tld.param.b32 \t%r6, [retval0+0];\n\t} // callseq\n";
  text += label + "2:\n\tret;\n\n}\n";
  return text;
}

const std::string& megabyte() {
  static const std::string text = [] {
    std::string made =
        "//\n// Synthesised\n//\n\n.version 7.0\n.target sm_70\n.address_size 64\n\n"
        ".extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);\n";
    for (std::size_t i = 0; made.size() < 1'000'000; ++i) made += kernel(i);
    return made;
  }();
  return text;
}

void parse_one_megabyte(benchmark::State& state) {
  const std::string& text = megabyte();
  std::size_t instructions = 0;
  for (auto unused : state) {
    (void)unused;
    const castor::isa::Module module = castor::ptx::parse(text, "synthesised.ptx");
    instructions = 0;
    for (const auto& function : module.functions) instructions += function.body.size();
    benchmark::DoNotOptimize(instructions);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["instructions"] = static_cast<double>(instructions);
}
BENCHMARK(parse_one_megabyte)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
