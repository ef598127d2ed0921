// Support for programs whose threads have very different amounts of work, in three forms. Flat: each thread does all of
// its own work. CDP: a thread with much work launches a child kernel for it (CUDA dynamic parallelism). DTBL: such a
// thread launches an aggregated group of thread blocks (cudaLaunchAggGroup). All launches use castor::launch.
#pragma once

#include <castor_groups.h>
#include <cuda_runtime.h>

#include <string>
#include <type_traits>
#include <vector>

#include "program.h"

namespace kernels {

enum class Form { kFlat, kCdp, kDtbl };

/// Launches `kernel` as a child kernel or as an aggregated group. A child kernel gets a stream of its own, so that it
/// does not wait for other children.
template <Form form, auto kernel, class... Arguments>
__device__ cudaError_t launch_child(dim3 grid, dim3 block, Arguments... arguments) {
  static_assert(form != Form::kFlat, "the flat form launches nothing");
  if constexpr (form == Form::kDtbl) {
    namespace detail = castor::launch_detail;
    void* const buffer = cudaGetParameterBuffer(64, detail::bytes(0, static_cast<Arguments*>(nullptr)...));
    if (buffer == nullptr) return cudaErrorMemoryAllocation;
    detail::write(static_cast<char*>(buffer), 0, arguments...);
    void* const value = reinterpret_cast<void*>(detail::Address<decltype(kernel), kernel>::value);
    return cudaLaunchAggGroup(value, buffer, grid, block, 0);
  }
  if constexpr (form == Form::kCdp) {
    cudaStream_t stream;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) return error;
    error = castor::launch<kernel>(grid, block, 0, stream)(arguments...);
    cudaStreamDestroy(stream);
    return error;
  }
}

/// Parameters that every kernel of a program receives: when to launch children, and the counters of launches and work.
struct Children {
  int threshold;                 ///< least number of work items for which a thread launches a child
  int block;                     ///< threads per block of a child
  unsigned long long* launched;  ///< counter: children launched
  unsigned long long* refused;   ///< counter: launches refused for lack of room (error 69 or no memory)
  unsigned long long* failed;    ///< counter: launches that returned any other error
  unsigned* done;                ///< executions of each work item; null if `count` is off

  __device__ void count_item(long item, unsigned amount = 1) const {
    if (done != nullptr) atomicAdd(&done[item], amount);
  }
  /// Counts a launch by its result. Returns true if the launch was made.
  __device__ bool count_launch(cudaError_t error) const {
    const bool no_room = error == cudaErrorLaunchPendingCountExceeded || error == cudaErrorMemoryAllocation;
    atomicAdd(error == cudaSuccess ? launched : (no_room ? refused : failed), 1ull);
    return error == cudaSuccess;
  }
};

/// Launches child(arguments..., items) for the work of a thread that has `count` items, at least `threshold`. `items`
/// is the largest multiple of 32 up to `count`; thread i of the child does item i. Returns `items`, or 0 if there were
/// too few items or the launch was refused. The calling thread does the remaining items itself.
template <Form form, auto child, class... Arguments>
__device__ int give_to_child(const Children& children, int count, Arguments... arguments) {
  if constexpr (form != Form::kFlat) {
    const int items = count - count % 32;
    if (count >= children.threshold && items > 0) {
      const dim3 grid((items + children.block - 1) / children.block), block(children.block);
      if (children.count_launch(launch_child<form, child>(grid, block, arguments..., items))) return items;
    }
  }
  return 0;
}

/// Calls work(i) for all i below `count` except those for which a child was launched.
template <Form form, auto child, class Work, class... Arguments>
__device__ void spread(const Children& children, int count, const Work& work, Arguments... arguments) {
  for (int i = give_to_child<form, child>(children, count, arguments...); i < count; ++i) work(i);
}

/// Returns the index of the thread in its grid.
__device__ inline int thread_in_grid() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// Host side of a program with child launches: chooses the form, adds the options, and owns the counters.
class ChildForm {
 public:
  /// `child_block`: default number of threads per block of a child.
  explicit ChildForm(long child_block) : child_block_(child_block) {}

  /// Adds the option that selects the form; programs call it before they add their own options.
  void add(Options& options) {
    options.add_text("form", &form_text_, "flat, cdp (child kernels) or dtbl (aggregated groups); default flat");
  }
  /// Adds the numeric options of child launches; programs call it after they have added their own options.
  void add_numbers(Options& options) {
    options.add("threshold", &threshold_, 32, INT32_MAX, "items of work from which a thread launches");
    options.add("child", &child_block_, 32, 1024, "threads of a child's block");
    options.add("pending", &pending_, 0, 1 << 18, "limit of pending launches; 0 = as it is");
    options.add("warm", &warm_, 0, 1, "form dtbl: 1 = child kernels are resident from the beginning; 0 = as they come");
    options.add("count", &count_, 0, 1, "1 = count how often each item of work is done");
  }
  void check(const Options& options) const {
    if (form_text_ != "flat" && form_text_ != "cdp" && form_text_ != "dtbl") {
      options.fail("option 'form' is '" + form_text_ + "'; flat, cdp and dtbl are known");
    }
    if (child_block_ % 32 != 0) options.fail("option 'child' wants a multiple of 32");
  }

  /// Allocates the counters for `items` work items and sets the limit of pending launches.
  void start(long items) {
    CUDA_CHECK(cudaMalloc(&counts_, 3 * sizeof *counts_));
    CUDA_CHECK(cudaMemset(counts_, 0, 3 * sizeof *counts_));
    items_ = count_ != 0 ? items : 0;
    CUDA_CHECK(cudaMalloc(&done_, (items_ + 1) * sizeof *done_));
    CUDA_CHECK(cudaMemset(done_, 0, (items_ + 1) * sizeof *done_));
    if (pending_ != 0) CUDA_CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, pending_));
  }
  /// In form dtbl, makes a child kernel resident with an empty launch, so that groups can join it. Call it before the
  /// kernels that launch the child. Does nothing in other forms.
  template <auto child>
  void keep_resident() {
    if (form_text_ != "dtbl" || warm_ == 0) return;
    if (held_.empty()) CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    held_.push_back(reinterpret_cast<const void*>(child));
    CUDA_CHECK(castorHoldKernel(held_.back(), 1));
    launch_empty(child);
  }
  /// Releases all child kernels that keep_resident() holds, so that they may end.
  void let_go() {
    for (const void* const kernel : held_) CUDA_CHECK(castorHoldKernel(kernel, 0));
    if (!held_.empty()) CUDA_CHECK(cudaStreamDestroy(stream_));
    held_.clear();
  }

  Children children() const {
    return {static_cast<int>(threshold_), static_cast<int>(child_block_), counts_, counts_ + 1, counts_ + 2,
            count_ != 0 ? done_ : nullptr};
  }

  /// Calls function(std::integral_constant<Form, form>) with the chosen form, so that `function` can instantiate
  /// kernels.
  template <class Function>
  void with_form(const Function& function) const {
    if (form_text_ == "cdp") return function(std::integral_constant<Form, Form::kCdp>());
    if (form_text_ == "dtbl") return function(std::integral_constant<Form, Form::kDtbl>());
    return function(std::integral_constant<Form, Form::kFlat>());
  }

  /// Prints the numbers of launches on a line of their own, and checks that item i was executed `expected[i]` times.
  void finish(const Options& options, const std::string& input, Verdict& verdict,
              const std::vector<unsigned>& expected) {
    let_go();
    unsigned long long counts[3];
    CUDA_CHECK(cudaMemcpy(counts, counts_, sizeof counts, cudaMemcpyDeviceToHost));
    std::printf("%s form=%s %s: launches %llu, refused %llu, failed %llu\n", options.program(), form_text_.c_str(),
                input.c_str(), counts[0], counts[1], counts[2]);
    verdict.holds("launches without errors", counts[2] == 0);
    if (count_ == 0) return;
    std::vector<unsigned> done(items_);
    CUDA_CHECK(cudaMemcpy(done.data(), done_, items_ * sizeof *done_, cudaMemcpyDeviceToHost));
    verdict.equal("items of work", done, expected);
  }

 private:
  // Launches `child` with zeroed arguments, that is with no work item.
  template <class... Parameters>
  void launch_empty(void (*child)(Parameters...)) {
    child<<<1, static_cast<unsigned>(child_block_), 0, stream_>>>(Parameters{}...);
    CUDA_CHECK(cudaGetLastError());
  }

  std::string form_text_ = "flat";
  long threshold_ = 32, child_block_, pending_ = 0, count_ = 1, warm_ = 1, items_ = 0;
  cudaStream_t stream_ = nullptr;
  std::vector<const void*> held_;
  unsigned long long* counts_ = nullptr;
  unsigned* done_ = nullptr;
};

}  // namespace kernels
