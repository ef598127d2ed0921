#include "castor_cc/ptx_repairs.h"

#include <charconv>
#include <cstdint>
#include <vector>

#include "castor/base/words.h"
#include "castor_cc/ir_types.h"
#include "castor_cc/ptx_text.h"

namespace castor::castor_cc {
namespace {

constexpr unsigned kBits = 64;

/// Returns the operands after `opcode` on a line with one instruction: "d", "a", "63", "3".
std::vector<std::string_view> operands_after(std::string_view line, std::string_view opcode) {
  line = base::trimmed(line);
  if (line.substr(0, opcode.size()) != opcode || line.empty() || line.back() != ';') return {};
  return split_operands(base::trimmed(line.substr(opcode.size(), line.size() - opcode.size() - 1)));
}

bool read(std::string_view text, unsigned& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Repair of one PTX text, line by line.
class Repair {
 public:
  explicit Repair(std::string_view ptx) : ptx_(ptx) {}

  std::string run() {
    while (at_ < ptx_.size()) {
      const std::string_view line = next_line();
      if (assembly_.holds(line) || !(bit_field(line) || rotation(line) || wide_product(line))) continue;
      copied_ = at_;
    }
    return std::move(out_.append(ptx_.substr(copied_)));
  }

 private:
  std::string_view next_line() {
    begin_ = at_;
    const std::size_t end = ptx_.find('\n', at_);
    at_ = end == std::string_view::npos ? ptx_.size() : end + 1;
    return ptx_.substr(begin_, at_ - begin_);
  }
  /// Copies the text up to the current line unchanged, then appends `lines` in place of the current line.
  void replace(const std::string& lines) { out_.append(ptx_.substr(copied_, begin_ - copied_)).append(lines); }

  bool wide_product(std::string_view line) {
    struct Form {
      const char* opcode;
      const char* factor;
      const char* convert;
      const char* shift;
      const char* count;
    };
    static constexpr Form kForms[] = {{"mul.wide.s32 ", "-2147483648", "cvt.s64.s32", "shl.b64", "31"},
                                      {"mul.wide.s16 ", "-32768", "cvt.s32.s16", "shl.b32", "15"}};
    for (const Form& form : kForms) {
      const std::vector<std::string_view> product = operands_after(line, form.opcode);
      if (product.size() != 3 || product[2] != form.factor) continue;
      const std::string to(product[0]);
      replace("\t" + std::string(form.convert) + " \t" + to + ", " + std::string(product[1]) + ";\n\t" + form.shift +
              " \t" + to + ", " + to + ", " + form.count + ";\n");
      return true;
    }
    return false;
  }

  bool bit_field(std::string_view line) {
    const std::vector<std::string_view> field = operands_after(line, "bfe.u64 ");
    unsigned start = 0;
    unsigned length = 0;
    if (field.size() != 4 || !read(field[2], start) || !read(field[3], length)) return false;
    if (start >= kBits || length >= kBits || start + length <= kBits) return false;
    const std::string to(field[0]);
    replace("\tshr.s64 \t" + to + ", " + std::string(field[1]) + ", " + std::to_string(start) + ";\n\tand.b64 \t" + to +
            ", " + to + ", " + std::to_string((std::uint64_t{1} << length) - 1) + ";\n");
    return true;
  }

  bool rotation(std::string_view line) {
    for (const std::string_view shift : {"shl.b64", "shr.b64"}) {
      const std::vector<std::string_view> first = operands_after(line, std::string(shift) + " ");
      if (first.size() != 3 || first[0] != "%lhs" || first[2].empty() || first[2][0] != '%') continue;
      const std::size_t rest = at_;
      const std::size_t end = ptx_.find('\n', rest);
      if (end == std::string_view::npos) return false;
      const std::vector<std::string_view> second = operands_after(ptx_.substr(rest, end - rest), "sub.u32 ");
      if (second.size() != 3 || second[0] != "%amt2" || second[1] != "64" || second[2] != first[2]) return false;
      replace("\t.reg .b32 %amt;\n\tand.b32 \t%amt, " + std::string(first[2]) + ", 63;\n\t" + std::string(shift) +
              " \t%lhs, " + std::string(first[1]) + ", %amt;\n\tsub.u32 \t%amt2, 64, %amt;\n");
      at_ = end + 1;
      return true;
    }
    return false;
  }

  std::string_view ptx_;
  std::string out_;
  std::size_t at_ = 0;      ///< position after the current line
  std::size_t begin_ = 0;   ///< position of the current line
  std::size_t copied_ = 0;  ///< position up to which the text has been copied to `out_`
  InlineAssembly assembly_;
};

}  // namespace

std::string repair_ptx(std::string_view ptx) { return Repair(ptx).run(); }

}  // namespace castor::castor_cc
