#pragma once

#include <vector>

#include "runtime/graph.h"
#include "runtime/session.h"

namespace castor::runtime {

/// A kernel node's work from what the program gives: arguments by pointers to them, or as a block (`extra`).
/// ApiError: invalid value (neither or both, a block that is too short), and those of a launch.
[[nodiscard]] KernelWork kernel_work(Session& session, LoadedKernel& kernel, const dim3& grid, const dim3& block,
                                     std::size_t dynamic_shared, void** arguments, void** extra);
/// Pointers to the arguments of a node, as its parameters are handed to the program: valid until they are changed.
[[nodiscard]] void** arguments_of(KernelWork& work);

/// Refuses work that could not be submitted now. ApiError: as the calls that do such work in a stream; invalid value
/// for a graph in itself.
void check(Session& session, const GraphWork& work);
/// Whether the node of an executable graph that does `before` may do `after` instead: kernels may change altogether;
/// copies and fills only if they have one dimension and stay in memory of the same type.
[[nodiscard]] bool may_become(Session& session, const GraphWork& before, const GraphWork& after);

/// The work with its packets made, so that nothing can go wrong any more when it is submitted.
class PreparedWork {
 public:
  /// ApiError: as `check`.
  PreparedWork(Session& session, const GraphWork& work);
  /// Appends the work to a stream. The host pays no time for it.
  void submit(Session& session, Stream& stream);

 private:
  const GraphWork& work_;
  std::vector<gpu::Packet> packets_;
};

}  // namespace castor::runtime
