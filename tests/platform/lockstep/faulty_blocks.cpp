// A program on a GPU whose RTL of the blocks has a fault, an output stuck at 0: this file's registries stand in for
// those of Castor::rtl_lax and Castor::rtl_saws. It launches a kernel with barriers and prints "done", whatever the
// device says.

#include <cuda.h>

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "castor/lax/ports.h"
#include "castor/saws/ports.h"
#include "castor/twin/rtl_sets.h"

namespace castor::twin {
namespace generated {
std::unique_ptr<Twin<lax::Block>> make_lax_default(const lax::Params& params, const RtlOptions& options);
std::unique_ptr<Twin<saws::Block>> make_saws_default(const saws::Params& params, const RtlOptions& options);
}  // namespace generated

namespace {

void break_output(lax::Outputs& out) { out.adm_accept = 0; }
void break_output(saws::Outputs& out) { out.mode_saws = 0; }

/// The real RTL, with one output that is stuck.
template <class Block>
class Faulty final : public Twin<Block> {
 public:
  explicit Faulty(std::unique_ptr<Twin<Block>> rtl) : Twin<Block>(rtl->params()), rtl_(std::move(rtl)) {}
  const typename Block::Outputs& settle(const typename Block::Inputs& in) override {
    out_ = rtl_->settle(in);
    break_output(out_);
    return out_;
  }
  void clock(const typename Block::Inputs& in) override { rtl_->clock(in); }
  void reset() override { rtl_->reset(); }
  [[nodiscard]] Cycle quiet() const override { return rtl_->quiet(); }
  void idle(Cycle n) override { rtl_->idle(n); }
  [[nodiscard]] typename Block::Probes probes() const override { return rtl_->probes(); }

 private:
  std::unique_ptr<Twin<Block>> rtl_;
  typename Block::Outputs out_;
};

template <class Block, auto Make>
std::vector<RtlSet<Block>> one_set() {
  return {{"default", {}, [](const typename Block::Params& params, const RtlOptions& options) {
             std::unique_ptr<Twin<Block>> twin = std::make_unique<Faulty<Block>>(Make(params, options));
             return twin;
           }}};
}

}  // namespace

template <>
const std::vector<RtlSet<lax::Block>>& rtl_sets<lax::Block>() {
  static const auto sets = one_set<lax::Block, generated::make_lax_default>();
  return sets;
}

template <>
const std::vector<RtlSet<saws::Block>>& rtl_sets<saws::Block>() {
  static const auto sets = one_set<saws::Block, generated::make_saws_default>();
  return sets;
}

}  // namespace castor::twin

int main() {
  constexpr const char* kText = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry meet()
{
  .reg .b32 %r<4>;
  .reg .pred %p;
  mov.u32 %r0, 0;
again:
  bar.sync 0;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p, %r0, 5;
  @%p bra again;
  ret;
}
)";
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  if (cuInit(0) != CUDA_SUCCESS || cuCtxCreate(&context, 0, 0) != CUDA_SUCCESS ||
      cuModuleLoadData(&module, kText) != CUDA_SUCCESS ||
      cuModuleGetFunction(&kernel, module, "meet") != CUDA_SUCCESS) {
    std::puts("no kernel");
    return 3;
  }
  static_cast<void>(cuLaunchKernel(kernel, 3, 1, 1, 256, 1, 1, 0, nullptr, nullptr, nullptr));
  static_cast<void>(cuCtxSynchronize());
  std::puts("done");
  return 0;
}
