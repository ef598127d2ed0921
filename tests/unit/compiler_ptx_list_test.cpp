// Instructions of the PTX manual, one form a line, in tests/unit/ptx_forms/forms.txt: each is executed with the values
// that unit/ptx_reference.h computes, or accepted, or refused for a reason that docs/ptx-coverage.md gives.

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "compiler_support.h"
#include "tests/common/tree.h"
#include "unit/ptx_reference.h"

namespace castor::compiler::test::compiler_ptx_list_test {
namespace {

using castor::test::ptx_reference::Lane;

struct Entry {
  unsigned line = 0;
  std::string verdict;  ///< "value", "accepted" or "refused"
  std::string target;   ///< lowest target with the form: "60", "90a"; "60..62" if later targets do not have it
  std::string name;     ///< for a refused form: the row of docs/ptx-coverage.md
  std::string form;
};

std::string contents(const std::string& name) {
  std::ifstream file(test_tree::source_folder() + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Entry> list() {
  std::vector<Entry> entries;
  std::istringstream lines(contents("tests/unit/ptx_forms/forms.txt"));
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Entry entry;
    entry.line = number;
    words >> entry.verdict >> entry.target >> std::ws;
    if (entry.verdict == "refused") {
      words.ignore(1, '`');
      std::getline(words, entry.name, '`');
      words >> std::ws;
    }
    std::getline(words, entry.form);
    entries.push_back(entry);
  }
  return entries;
}

/// Returns the text of a kernel that contains the form.
std::string text_around(const Entry& entry) {
  static const std::string kernel = contents("tests/unit/ptx_forms/kernel.ptx");
  std::string text = kernel.substr(kernel.find(".version"));
  const auto put = [&](std::string_view word, const std::string& value) {
    text.replace(text.find(word), word.size(), value);
  };
  put("VERSION", "8.0");
  put("TARGET", "sm_" + entry.target.substr(0, entry.target.find("..")));
  put("FORM", entry.form);
  return text;
}

/// Returns the documented reasons by the names of the rows of the table "Refused".
std::map<std::string, std::string> documented_refusals() {
  std::map<std::string, std::string> reasons;
  const std::string page = contents("docs/ptx-coverage.md");
  std::istringstream lines(page.substr(page.find("\n## Refused")));
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t end = line.find("` | ");
    if (line.substr(0, 3) == "| `" && end != std::string::npos)
      reasons[line.substr(3, end - 3)] = line.substr(end + 4, line.size() - end - 6);
  }
  return reasons;
}

/// Returns lanes with boundary values and others.
std::vector<Lane> inputs() {
  std::mt19937_64 random(20);
  const std::uint64_t words[] = {0,      1,      2,          5,          8,          16,         31,
                                 32,     33,     64,         0x7f,       0x80,       0xff,       0x7fff,
                                 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 0xfedcba98};
  const std::uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40400000,
                                  0xc2f70000, 0x4b800001, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
                                  0x7f800000, 0xff800000, 0x7fffffff, 0x3e99999a, 0x4f000000, 0xcf000000};
  std::vector<Lane> warp(32);
  for (unsigned i = 0; i < 32; ++i) {
    Lane& lane = warp[i];
    for (auto& byte : lane.bytes) byte = static_cast<std::uint8_t>(random());
    for (unsigned r = 0; r < 6; ++r) {
      const std::string n = std::to_string(r);
      const std::uint64_t word = random() % 4 != 0 ? words[random() % std::size(words)] : random();
      lane.set("%r" + n, word & 0xffffffff);
      lane.set("%rd" + n, random() % 2 != 0 ? word : random() << (random() % 64));
      if (random() % 4 != 0) lane.set("%h" + n, words[random() % std::size(words)] & 0xffff);
      const std::uint32_t real = floats[random() % std::size(floats)];
      if (random() % 4 != 0) lane.set("%f" + n, real);
      // Stores values as doubles, with random low bits.
      if (random() % 4 != 0 && (real & 0x7f800000) != 0x7f800000) {
        float single = 0;
        std::memcpy(&single, &real, 4);
        const double wide = static_cast<double>(single) * (1 + static_cast<double>(random() % 3) * 0x1p-50);
        std::uint64_t bits = 0;
        std::memcpy(&bits, &wide, 8);
        lane.set("%fd" + n, bits);
      }
    }
    for (unsigned p = 0; p < 4; ++p) lane.bytes[60 + p] = static_cast<std::uint8_t>(random() & 1);
    // In some lanes, memory holds the value with which the lane's atomic compares.
    if (i % 2 == 0) std::memcpy(&lane.bytes[160], &lane.bytes[i % 4 == 0 ? 4 : 72], 8);
  }
  return warp;
}

/// Returns the state of the lanes after the functional machine has executed the form.
std::vector<Lane> executed(const isa::Module& module, const std::vector<Lane>& before) {
  gpu::Device& gpu = device();
  gpu.reset();
  const auto program = compile(module, "k", link_options(module, 255));
  const std::size_t bytes = before.size() * sizeof(Lane::bytes);
  const std::uint64_t records = *gpu.store().allocate(bytes, gpu::AllocationKind::kHeap);
  for (std::size_t i = 0; i < before.size(); ++i)
    std::memcpy(gpu.store().host(records) + i * sizeof(Lane::bytes), before[i].bytes.data(), sizeof(Lane::bytes));
  gpu::KernelPacket packet;
  packet.program = gpu.load(program);
  packet.block.x = static_cast<unsigned>(before.size());
  packet.parameters.resize(program->parameter_bytes);
  std::memcpy(packet.parameters.data(), &records, sizeof records);
  (void)gpu.advance_until(gpu.submit(0, packet));
  EXPECT_FALSE(gpu.fault()) << gpu.fault()->message;
  std::vector<Lane> after(before.size());
  for (std::size_t i = 0; i < after.size(); ++i)
    std::memcpy(after[i].bytes.data(), gpu.store().host(records) + i * sizeof(Lane::bytes), sizeof(Lane::bytes));
  gpu.store().free(records);
  return after;
}

std::string difference(const std::vector<Lane>& expected, const std::vector<Lane>& found) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const char* const family : {"%r", "%f", "%h", "%p", "%rd", "%fd"}) {
      for (unsigned r = 0; r < (family[1] == 'p' ? 4U : 6U); ++r) {
        const std::string name = family + std::to_string(r);
        if (expected[i].get(name) == found[i].get(name)) continue;
        std::ostringstream text;
        text << std::hex << name << " of lane " << std::dec << i << " is " << std::hex << found[i].get(name)
             << ", expected " << expected[i].get(name);
        return text.str();
      }
    }
    for (std::size_t at = 160; at < 352; ++at)
      if (expected[i].bytes[at] != found[i].bytes[at])
        return "memory of lane " + std::to_string(i) + " differs at byte " + std::to_string(at);
  }
  return {};
}

/// Returns what is wrong with an entry, or an empty string.
std::string fault_of(const Entry& entry, const std::map<std::string, std::string>& reasons) {
  isa::Module module;
  std::string refusal;
  try {
    module = ptx::parse(text_around(entry), "form.ptx");
    if (entry.verdict == "accepted") (void)inspect(module, "k", {});
  } catch (const base::InputError& error) {
    refusal = error.message();
  }
  if (entry.verdict == "refused") {
    const auto row = reasons.find(entry.name);
    if (row == reasons.end()) return "'" + entry.name + "' is no row of docs/ptx-coverage.md";
    if (refusal.empty()) return "is accepted";
    return refusal.find(row->second) != std::string::npos ? "" : "is refused for another reason: " + refusal;
  }
  if (!refusal.empty()) return "is refused: " + refusal;
  if (entry.verdict == "accepted") return {};
  if (entry.verdict != "value") return "has no verdict";
  static const std::vector<Lane> before = inputs();
  std::vector<Lane> expected = before;
  if (!castor::test::ptx_reference::execute(entry.form, expected)) return "has no reference";
  return difference(expected, executed(module, before));
}

TEST(PtxList, EveryFormIsExecutedAcceptedOrRefusedAsTheListSays) {
  const std::map<std::string, std::string> reasons = documented_refusals();
  std::map<std::string, unsigned> counts;
  for (const Entry& entry : list()) {
    const std::string fault = fault_of(entry, reasons);
    EXPECT_EQ(fault, "") << "forms.txt:" << entry.line << ": " << entry.form;
    ++counts[entry.verdict];
  }
  for (const auto& [verdict, count] : counts) RecordProperty(verdict, static_cast<int>(count));
  EXPECT_GE(counts["value"] + counts["accepted"] + counts["refused"], 500U);
}

TEST(PtxList, NoFormStandsTwice) {
  std::set<std::string> forms;
  for (const Entry& entry : list()) EXPECT_TRUE(forms.insert(entry.form).second) << entry.line << ": " << entry.form;
}

}  // namespace
}  // namespace castor::compiler::test::compiler_ptx_list_test
