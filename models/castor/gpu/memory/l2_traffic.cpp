#include "castor/gpu/memory/l2_traffic.h"

#include <array>

namespace castor::gpu {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Client::kCount)> kClientNames = {
    "lsu", "bypass", "fetch", "constant", "swap", "launch", "front_end", "copy", "host"};

}  // namespace

// Counters of one client.
struct L2Traffic::OfClient {
  OfClient(base::StatisticGroup& parent, const char* name)
      : group(parent, name),
        hit(group, {"l2_hit", "", "requests that neither missed nor merged"}),
        miss(group, {"l2_miss", "", "requests that missed and allocated an MSHR"}),
        merged(group, {"l2_merged", "", "requests that merged into an MSHR"}),
        evict_dirty(group, {"l2_evict_dirty", "", "dirty lines written back because of requests of this client"}),
        memory_bytes(group, {"memory_bytes", "bytes", "bytes read from DRAM for requests of this client"}) {}

  base::StatisticGroup group;
  base::Counter hit, miss, merged, evict_dirty, memory_bytes;
};

L2Traffic::L2Traffic(base::StatisticGroup& slice, std::size_t entries)
    : read_hit_(slice, {"l2_read_hit", "", "loads and fetches that hit"}),
      read_miss_(slice, {"l2_read_miss", "", "loads and fetches that missed and allocated an MSHR"}),
      write_hit_(slice, {"l2_write_hit", "", "stores that hit, or wrote whole sectors"}),
      write_miss_(slice, {"l2_write_miss", "",
                          "stores that missed and allocated an MSHR, because they wrote a sector in part"}),
      atomic_hit_(slice, {"l2_atomic_hit", "", "atomics that hit"}),
      atomic_miss_(slice, {"l2_atomic_miss", "", "atomics that missed and allocated an MSHR"}),
      merged_(slice, {"l2_merged", "", "requests that merged into an MSHR"}),
      evict_dirty_(slice, {"l2_evict_dirty", "", "dirty lines written back"}),
      by_entry_(entries) {
  for (const char* name : kClientNames) by_client_.push_back(std::make_unique<OfClient>(slice, name));
}

L2Traffic::~L2Traffic() = default;

void L2Traffic::hit(const MemoryRequest& request) {
  ++(request.is_write() ? write_hit_ : request.is_atomic() ? atomic_hit_ : read_hit_);
  ++client(request).hit;
  count(&OfEntry::hits, request);
}

void L2Traffic::missed(const MemoryRequest& request, unsigned bytes) {
  ++(request.is_write() ? write_miss_ : request.is_atomic() ? atomic_miss_ : read_miss_);
  OfClient& of_client = client(request);
  ++of_client.miss;
  of_client.memory_bytes += bytes;
  count(&OfEntry::misses, request);
  entry(request).bytes_read += bytes;
}

void L2Traffic::merged(const MemoryRequest& request) {
  ++merged_;
  ++client(request).merged;
  count(&OfEntry::merged, request);
}

void L2Traffic::evicted(const MemoryRequest& cause, unsigned bytes) {
  ++evict_dirty_;
  ++client(cause).evict_dirty;
  ++entry(cause).evictions;
  entry(cause).bytes_written += bytes;
}

}  // namespace castor::gpu
