#pragma once

#include <verilated_vcd_c.h>

#include <string>
#include <string_view>
#include <vector>

#include "castor/twin/dump_names.h"
#include "castor/twin/inside.h"
#include "castor/twin/rtl_options.h"

namespace castor::twin {

/// Verilator's trace of a top, captured as text on request. The context of the top must have tracing enabled
/// (traceEverOn), and the top must outlive this object.
class RtlTrace final : public Inside {
 public:
  /// `block`: name of the block's own module; `depth`: levels of modules shown, starting with that module.
  template <class Top>
  RtlTrace(Top& top, const std::string& block, unsigned depth, const std::vector<NamedSignal>& named)
      : names_(named), vcd_(&sink_) {
    top.trace(&vcd_, kWholeDepth);
    if (depth < kWholeDepth) {
      const int levels = static_cast<int>(depth);
      vcd_.dumpvars(levels + 1, "." + block + "_probe");
      if (levels > 0) vcd_.dumpvars(levels, "." + block);  // a netlist has no probe wrapper
    }
    vcd_.open("");
    vcd_.flush();
    declarations_ = names_.declare(sink_.text);
    sink_.text.clear();
  }

  [[nodiscard]] const std::string& declarations() override { return declarations_; }
  [[nodiscard]] const std::string& changes() override {
    vcd_.dump(++dumps_);
    vcd_.flush();
    changes_.clear();
    names_.translate(sink_.text, changes_);
    sink_.text.clear();
    return changes_;
  }

 private:
  /// Captures the text that Verilator would write to its file.
  struct Sink final : VerilatedVcdFile {
    bool open(const std::string& /*name*/) override { return true; }
    void close() override {}
    ssize_t write(const char* from, ssize_t size) override {
      text.append(from, static_cast<std::size_t>(size));
      return size;
    }
    std::string text;
  };

  DumpNames names_;
  Sink sink_;
  VerilatedVcdC vcd_;
  std::uint64_t dumps_ = 0;  // Verilator requires ascending times
  std::string declarations_;
  std::string changes_;
};

}  // namespace castor::twin
