#include <sstream>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "workloads/laperm/footprint.h"

namespace castor::workloads::laperm {
namespace {

/// Tables in device memory, and the functions that fill them. `castor_places` is a hash table of keys (0 = empty).
/// `castor_touched` lists the keys in the order of insertion.
constexpr const char* kTables = R"(
.visible .global .align 8 .b8 castor_places[33554432];
.visible .global .align 8 .b8 castor_touched[25165824];
.visible .global .align 8 .b8 castor_notes[8388608];
.visible .global .align 8 .b8 castor_counts[16];

.func castor_touch(.param .b64 castor_touch_address)
{
  .reg .pred %q<12>;
  .reg .b32 %a<12>;
  .reg .b64 %b<16>;
  ld.param.u64 %b1, [castor_touch_address];
  isspacep.global %q1, %b1;
  @!%q1 bra castor_touch_end;
  shr.u64 %b2, %b1, 7;
  mov.u64 %b3, %gridid;
  shr.u64 %b4, %b3, 48;
  and.b64 %b5, %b3, 281474976710655;
  setp.gt.u64 %q2, %b5, 65535;
  @%q2 trap;
  mov.u32 %a1, %ctaid.z;
  mov.u32 %a2, %nctaid.y;
  mov.u32 %a3, %ctaid.y;
  mad.lo.u32 %a4, %a1, %a2, %a3;
  mov.u32 %a5, %nctaid.x;
  mov.u32 %a6, %ctaid.x;
  mad.lo.u32 %a7, %a4, %a5, %a6;
  setp.gt.u32 %q3, %a7, 65535;
  @%q3 trap;
  cvt.u64.u32 %b6, %a7;
  shl.b64 %b4, %b4, 63;
  shl.b64 %b5, %b5, 47;
  shl.b64 %b6, %b6, 31;
  or.b64 %b7, %b4, %b5;
  or.b64 %b7, %b7, %b6;
  or.b64 %b7, %b7, %b2;
  mul.lo.u64 %b8, %b7, -7046029254386353131;
  shr.u64 %b8, %b8, 42;
castor_touch_look:
  shl.b64 %b9, %b8, 3;
  mov.u64 %b10, castor_places;
  add.u64 %b9, %b10, %b9;
  ld.volatile.global.u64 %b11, [%b9];
  setp.eq.u64 %q4, %b11, %b7;
  @%q4 bra castor_touch_end;
  setp.ne.u64 %q5, %b11, 0;
  @%q5 bra castor_touch_next;
  atom.global.cas.b64 %b11, [%b9], 0, %b7;
  setp.eq.u64 %q6, %b11, 0;
  @%q6 bra castor_touch_new;
  setp.eq.u64 %q7, %b11, %b7;
  @%q7 bra castor_touch_end;
castor_touch_next:
  add.u64 %b8, %b8, 1;
  and.b64 %b8, %b8, 4194303;
  bra castor_touch_look;
castor_touch_new:
  mov.u64 %b12, castor_counts;
  atom.global.add.u64 %b13, [%b12], 1;
  setp.ge.u64 %q8, %b13, 3145728;
  @%q8 trap;
  shl.b64 %b13, %b13, 3;
  mov.u64 %b14, castor_touched;
  add.u64 %b14, %b14, %b13;
  st.global.u64 [%b14], %b7;
castor_touch_end:
  ret;
}

.func castor_note(.param .b64 castor_note_buffer, .param .b32 castor_note_child)
{
  .reg .pred %q<8>;
  .reg .b32 %a<16>;
  .reg .b64 %b<16>;
  ld.param.u64 %b1, [castor_note_buffer];
  ld.param.u32 %a1, [castor_note_child];
  setp.eq.u64 %q1, %b1, 0;
  @%q1 bra castor_note_end;
  mov.u64 %b2, %gridid;
  mov.u32 %a2, %ctaid.z;
  mov.u32 %a3, %nctaid.y;
  mov.u32 %a4, %ctaid.y;
  mad.lo.u32 %a5, %a2, %a3, %a4;
  mov.u32 %a6, %nctaid.x;
  mov.u32 %a7, %ctaid.x;
  mad.lo.u32 %a8, %a5, %a6, %a7;
  setp.eq.u32 %q2, %a1, 0;
  @%q2 bra castor_note_write;
  mov.u32 %a9, %tid.x;
  mov.u32 %a10, %tid.y;
  mov.u32 %a11, %tid.z;
  or.b32 %a9, %a9, %a10;
  or.b32 %a9, %a9, %a11;
  or.b32 %a9, %a9, %a8;
  setp.ne.u32 %q3, %a9, 0;
  @%q3 bra castor_note_end;
  shr.u64 %b3, %b2, 48;
  setp.eq.u64 %q4, %b3, 0;
  @%q4 bra castor_note_end;
castor_note_write:
  mov.u64 %b4, castor_counts;
  atom.global.add.u64 %b5, [%b4+8], 1;
  setp.ge.u64 %q5, %b5, 262144;
  @%q5 trap;
  shl.b64 %b5, %b5, 5;
  mov.u64 %b6, castor_notes;
  add.u64 %b6, %b6, %b5;
  cvt.u64.u32 %b7, %a8;
  cvt.u64.u32 %b8, %a1;
  st.global.u64 [%b6], %b2;
  st.global.u64 [%b6+8], %b7;
  st.global.u64 [%b6+16], %b1;
  st.global.u64 [%b6+24], %b8;
castor_note_end:
  ret;
}
)";

constexpr const char* kWriter = R"(// Writes what a program with footprints has kept.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

char touched, notes, counts;  // stand for the variables on the device

void copy(std::FILE* file, const void* variable, std::size_t bytes) {
  std::vector<char> content(bytes);
  if (bytes != 0 && cudaMemcpyFromSymbol(content.data(), variable, bytes, 0, cudaMemcpyDeviceToHost) != cudaSuccess) {
    std::fprintf(stderr, "FAIL: no footprint\n");
    std::_Exit(1);
  }
  std::fwrite(content.data(), 1, bytes, file);
}

void write() {
  unsigned long long n[2] = {};
  if (cudaMemcpyFromSymbol(n, &counts, sizeof n, 0, cudaMemcpyDeviceToHost) != cudaSuccess) {
    std::fprintf(stderr, "FAIL: no footprint\n");
    std::_Exit(1);
  }
  std::FILE* const file = std::fopen(std::getenv("CASTOR_FOOTPRINT"), "wb");
  if (file == nullptr) std::_Exit(1);
  std::fwrite(n, 1, sizeof n, file);
  copy(file, &touched, 8 * n[0]);
  copy(file, &notes, 32 * n[1]);
  std::fclose(file);
}

}  // namespace

extern "C" void** __cudaRegisterFatBinary(void* image) {
  using Register = void** (*)(void*);
  using Variable = void (*)(void**, char*, char*, const char*, int, size_t, int, int);
  void** const handle = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cudaRegisterFatBinary"))(image);
  const auto variable = reinterpret_cast<Variable>(dlsym(RTLD_NEXT, "__cudaRegisterVar"));
  variable(handle, &touched, nullptr, "castor_touched", 0, 0, 0, 1);
  variable(handle, &notes, nullptr, "castor_notes", 0, 0, 0, 1);
  variable(handle, &counts, nullptr, "castor_counts", 0, 16, 0, 1);
  if (std::getenv("CASTOR_FOOTPRINT") != nullptr) std::atexit(write);
  return handle;
}
)";

/// A PTX statement, such as "@%p1 ld.global.u32 %r1, [%rd1+4];".
struct Statement {
  std::string guard;  ///< "@%p1 "
  std::string name;   ///< "ld.global.u32"
  std::string rest;

  explicit Statement(std::string text) {
    if (!text.empty() && text[0] == '@') {
      const std::size_t end = text.find_first_of(" \t");
      guard = text.substr(0, end) + " ";
      text = end == std::string::npos ? "" : std::string(base::trimmed(std::string_view(text).substr(end)));
    }
    const std::size_t end = text.find_first_of(" \t");
    name = text.substr(0, end);
    rest = end == std::string::npos ? "" : std::string(base::trimmed(std::string_view(text).substr(end)));
  }
  [[nodiscard]] bool has(const std::string& word) const {
    return ("." + name + ".").find("." + word + ".") != std::string::npos;
  }
  [[nodiscard]] bool is(const char* operation) const { return name.rfind(operation, 0) == 0; }
  /// Returns whether the statement may access global memory.
  [[nodiscard]] bool accesses() const {
    if (!is("ld.") && !is("ldu.") && !is("st.") && !is("atom.") && !is("red.")) return false;
    return !has("param") && !has("shared") && !has("local") && !has("const");
  }
};

/// Returns PTX that loads an address operand ("%rd4+-8" or "symbol+4") into %castor_at.
std::string address_of(const std::string& operand) {
  const std::size_t plus = operand.find('+');
  const std::string base = operand.substr(0, plus);
  std::string out = "mov.u64 %castor_at, " + base + "; ";
  if (plus != std::string::npos) out += "add.s64 %castor_at, %castor_at, " + operand.substr(plus + 1) + "; ";
  return out;
}

std::string touch(const Statement& statement) {
  const std::size_t open = statement.rest.find('['), close = statement.rest.find(']');
  if (open == std::string::npos || close < open) {
    throw base::Error("no address in '" + statement.name + " " + statement.rest + "'");
  }
  return "\t{ .reg .b64 %castor_at; .param .b64 castor_a; " +
         address_of(std::string(base::trimmed(std::string_view(statement.rest).substr(open + 1, close - open - 1)))) +
         "st.param.b64 [castor_a], %castor_at; " + statement.guard + "call castor_touch, (castor_a); }\n";
}

std::string note(const std::string& address, bool child) {
  return "\t{ .reg .b64 %castor_at; .param .b64 castor_a; .param .b32 castor_b; mov.u64 %castor_at, " + address + "; " +
         (child ? "cvta.param.u64 %castor_at, %castor_at; " : "") +
         "st.param.b64 [castor_a], %castor_at; st.param.b32 [castor_b], " + (child ? "1" : "0") +
         "; call castor_note, (castor_a, castor_b); }\n";
}

/// Returns the name of the parameter that a line declares.
std::string parameter(const std::string& line) {
  std::size_t end = line.find_first_of(",[");
  if (end == std::string::npos) end = line.size();
  const std::size_t begin = line.find_last_of(" \t", end - 1);
  return line.substr(begin + 1, end - begin - 1);
}

}  // namespace

const char* footprint_writer() { return kWriter; }

std::string with_footprints(const std::string& ptx) {
  std::string out;
  std::istringstream lines(ptx);
  std::string line, first;  // `first`: first parameter of the kernel whose header is being read
  bool head = false, buffer = false, tables = false;
  while (std::getline(lines, line)) {
    const std::string text(base::trimmed(line));
    const Statement statement(text);
    if (tables && statement.accesses()) out += touch(statement);
    out += line + "\n";
    if (statement.name == ".address_size") {
      out += kTables;
      tables = true;
    } else if (text.find(".entry ") != std::string::npos) {
      head = true;
      first.clear();
    } else if (head && text.rfind(".param", 0) == 0) {
      if (first.empty()) first = parameter(text);
    } else if (head && text == ";") {
      head = false;
    } else if (head && text == "{") {
      head = false;
      if (!first.empty()) out += note(first, true);
    } else if (text.rfind("cudaGetParameterBuffer,", 0) == 0) {
      buffer = true;
    } else if (buffer && statement.is("ld.param.b64")) {
      buffer = false;
      out += note(statement.rest.substr(0, statement.rest.find(',')), false);
    }
  }
  if (!tables || head || buffer) throw base::Error("this is not PTX as clang writes it");
  return out;
}

}  // namespace castor::workloads::laperm
