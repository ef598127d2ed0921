#pragma once

#include <vector>

#include "runtime/graph.h"
#include "runtime/kernel_launch.h"
#include "runtime/session.h"

namespace castor::runtime {

/// Makes the work of a kernel node. The arguments are given by pointers, or as one block in `extra`.
/// ApiError: invalid value (neither or both given, block too short), and the errors of a launch.
[[nodiscard]] KernelWork kernel_work(Session& session, LoadedKernel& kernel, const LaunchForm& form, void** arguments,
                                     void** extra);
/// Returns pointers to the arguments of a kernel node, as the node's parameters report them. They stay valid until the
/// parameters change.
[[nodiscard]] void** arguments_of(KernelWork& work);

/// Refuses work that could not be submitted now. ApiError: the errors of the corresponding stream call; invalid value
/// for a graph that would contain itself.
void check(Session& session, const GraphWork& work);
/// Returns true if a node of an executable graph may change its work from `before` to `after`. A kernel may change to
/// any kernel. Copies and fills must be one-dimensional and stay in memory of the same type.
[[nodiscard]] bool may_become(Session& session, const GraphWork& before, const GraphWork& after);

/// Work with its packets already made, so that its submission cannot fail.
class PreparedWork {
 public:
  /// Makes the packets of the work. ApiError: as `check`.
  PreparedWork(Session& session, const GraphWork& work);
  /// Appends the work to a stream. No host time is charged.
  void submit(Session& session, Stream& stream);

 private:
  const GraphWork& work_;
  std::vector<gpu::Packet> packets_;
};

}  // namespace castor::runtime
