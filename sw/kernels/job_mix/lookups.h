// Packet lookups: longest prefix match of IPv6 addresses, and flow lookup in a cuckoo hash table.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>

#include "work.h"

namespace job_mix {

constexpr long kPackets = 8192;  // packets per job, at full size
constexpr unsigned kHeaderWords = 16;

// --- IPV6 -----------------------------------------------------------------------------------------------------------

using Address = unsigned long long;  // upper 64 bits of an IPv6 address, which routing uses

// A trie of 16-way nodes, one cache line each. An entry has the child node in its upper 20 bits and the next hop in its
// lower 12 bits; 0 means none.
constexpr unsigned kWays = 16, kHopBits = 12, kHopMask = (1U << kHopBits) - 1;

__global__ void longest_prefix(unsigned* hops, const Address* addresses, const unsigned* trie, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Address address = addresses[i];
  unsigned hop = 0, node = 0;
  for (int shift = 60; shift >= 0; shift -= 4) {
    const unsigned entry = trie[node * kWays + static_cast<unsigned>(address >> shift) % kWays];
    if ((entry & kHopMask) != 0) hop = entry & kHopMask;
    node = entry >> kHopBits;
    if (node == 0) break;
  }
  hops[i] = hop;
}

/// Job type ipv6: longest prefix match of a job's packets in a shared trie.
class Ipv6 final : public Family {
 public:
  explicit Ipv6(const Sizes& sizes) : sizes_(sizes), packets_(kPackets / sizes.divide), hops_(packets_) {
    kernels::Random random(sizes.seed + 6);
    trie_.assign(kWays, 0);
    for (int i = 0; i < 4096; ++i) {
      // Prefix lengths are about 32 to 48 bits and need not be multiples of 4.
      const unsigned length = static_cast<unsigned>(16 + random.range(0, 16) + random.range(0, 16));
      Address prefix = random.next();
      if (!prefixes_.empty() && i % 4 != 0) {  // an extension of an earlier prefix
        const auto& other = prefixes_[random.range(0, static_cast<long>(prefixes_.size()) - 1)];
        if (other.length < length) prefix = other.prefix | (prefix >> other.length);
      }
      prefix = length == 64 ? prefix : prefix >> (64 - length) << (64 - length);
      insert({prefix, length, static_cast<unsigned>(random.range(1, kHopMask))});
    }
  }

  int add(const Job& /*job*/) override {
    kernels::Random random(sizes_.seed + 60013 * ++jobs_);
    for (long i = 0; i < packets_; ++i) {
      const Prefix& known = prefixes_[random.range(0, static_cast<long>(prefixes_.size()) - 1)];
      // Seven of eight addresses match a prefix in the table.
      const Address rest = random.next();
      addresses_.push_back(i % 8 == 7 ? rest : known.prefix | (known.length == 64 ? 0 : rest >> known.length));
    }
    return jobs_ - 1;
  }
  void upload() override {
    d_trie_ = std::make_unique<kernels::DeviceArray<unsigned>>(trie_);
    d_addresses_ = std::make_unique<kernels::DeviceArray<Address>>(addresses_);
    hops_.upload(jobs_);
  }
  void launch(int number, cudaStream_t stream) override {
    longest_prefix<<<kernels::blocks_for(packets_, 256), 256, 0, stream>>>(
        hops_.device(number), d_addresses_->get() + number * packets_, d_trie_->get(), static_cast<int>(packets_));
    CUDA_CHECK(cudaGetLastError());
  }
  void download() override { hops_.download(); }

  // The reference has one hash table per prefix length and searches the longest prefix first.
  void check(const std::vector<bool>& ran, kernels::Verdict& verdict) override {
    std::map<unsigned, std::map<Address, unsigned>, std::greater<>> tables;
    for (const Prefix& one : prefixes_) tables[one.length][one.prefix] = one.hop;
    std::vector<unsigned> got, want;
    bool untouched = true;
    for (int job = 0; job < jobs_; ++job) {
      if (!ran[job]) {
        untouched = untouched && hops_.untouched(job);
        continue;
      }
      got.insert(got.end(), hops_.begin(job), hops_.begin(job) + packets_);
      for (long i = 0; i < packets_; ++i) {
        const Address address = addresses_[job * packets_ + i];
        unsigned hop = 0;
        for (const auto& [length, table] : tables) {
          const auto found = table.find(length == 64 ? address : address >> (64 - length) << (64 - length));
          if (found == table.end()) continue;
          hop = found->second;
          break;
        }
        want.push_back(hop);
      }
    }
    verdict.equal("ipv6 hops", got, want);
    if (!untouched) verdict.holds("ipv6 hops of refused jobs untouched", false);
  }

  bool set_isolated(const std::string& name, unsigned time) override {
    if (name != "ipv6") return false;
    job_mix::set_isolated(reinterpret_cast<const void*>(&longest_prefix), 256, time);
    return true;
  }

 private:
  /// A route: the first `length` bits of an address, and the next hop.
  struct Prefix {
    Address prefix = 0;
    unsigned length = 0, hop = 0;
  };

  // A prefix that ends inside a nibble fills several entries, except those that already hold a longer prefix.
  void insert(const Prefix& one) {
    for (const Prefix& other : prefixes_) {
      if (other.length == one.length && other.prefix == one.prefix) return;
    }
    prefixes_.push_back(one);
    lengths_.resize(trie_.size(), 0);
    unsigned node = 0;
    unsigned depth = 0;
    for (; 4 * (depth + 1) < one.length; ++depth) {
      const std::size_t at = node * kWays + static_cast<unsigned>(one.prefix >> (60 - 4 * depth)) % kWays;
      if (trie_[at] >> kHopBits == 0) {
        const auto fresh = static_cast<unsigned>(trie_.size() / kWays);
        trie_[at] |= fresh << kHopBits;
        trie_.resize(trie_.size() + kWays, 0);
        lengths_.resize(trie_.size(), 0);
      }
      node = trie_[at] >> kHopBits;
    }
    const unsigned first = static_cast<unsigned>(one.prefix >> (60 - 4 * depth)) % kWays;
    for (unsigned i = 0; i < 1U << (4 * (depth + 1) - one.length); ++i) {
      const std::size_t at = node * kWays + first + i;
      if (lengths_[at] >= one.length) continue;
      lengths_[at] = one.length;
      trie_[at] = (trie_[at] & ~kHopMask) | one.hop;
    }
  }

  Sizes sizes_;
  long packets_;
  int jobs_ = 0;
  std::vector<Prefix> prefixes_;
  std::vector<unsigned> trie_, lengths_;
  std::vector<Address> addresses_;
  Results<unsigned> hops_;
  std::unique_ptr<kernels::DeviceArray<unsigned>> d_trie_;
  std::unique_ptr<kernels::DeviceArray<Address>> d_addresses_;
};

// --- CUCKOO ---------------------------------------------------------------------------------------------------------

// A flow: addresses, ports, and the action that the table assigns. Four flows form a bucket, with a 16-bit tag for
// each.
struct Flow {
  unsigned source, destination, ports, action;
};
using Tags = unsigned long long;
constexpr unsigned kSlots = 4, kBuckets = 1U << 12, kHeaderQuads = 4;

__host__ __device__ inline unsigned flow_hash(const Flow& flow, unsigned key) {
  return mixed(mixed(mixed(flow.source ^ key) ^ flow.destination) ^ flow.ports);
}
__host__ __device__ inline unsigned tag_of(unsigned hash) { return hash >> 16 | 1; }  // a tag of 0 marks an empty slot

__device__ inline unsigned halves(uint4 words) {
  return (words.x >> 16) + (words.x & 0xffff) + (words.y >> 16) + (words.y & 0xffff) + (words.z >> 16) +
         (words.z & 0xffff) + (words.w >> 16) + (words.w & 0xffff);
}

// Looks up a packet's flow in its two candidate buckets. Writes the action in the upper half and the checksum of header
// and action in the lower half. Headers are interleaved between packets in units of four words.
__global__ void cuckoo_lookup(unsigned* out, const uint4* headers, const Tags* tags, const uint4* table, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 header[kHeaderQuads];
#pragma unroll
  for (unsigned quad = 0; quad < kHeaderQuads; ++quad) header[quad] = headers[quad * n + i];
  const Flow flow{header[0].z, header[0].w, header[1].y, 0};
  unsigned action = 0;
  for (unsigned side = 0; side < 2 && action == 0; ++side) {
    const unsigned hash = flow_hash(flow, side * 0x9e3779b9u), bucket = hash % kBuckets;
    const Tags four = tags[bucket];
    for (unsigned slot = 0; slot < kSlots && action == 0; ++slot) {
      if (static_cast<unsigned>(four >> (16 * slot) & 0xffff) != tag_of(hash)) continue;
      const uint4 entry = table[bucket * kSlots + slot];
      if (entry.x == flow.source && entry.y == flow.destination && entry.z == flow.ports) action = entry.w;
    }
  }
  unsigned sum = action;
#pragma unroll
  for (unsigned quad = 0; quad < kHeaderQuads; ++quad) sum += halves(header[quad]);
  sum = (sum >> 16) + (sum & 0xffff);
  sum = (sum >> 16) + (sum & 0xffff);
  out[i] = action << 16 | (~sum & 0xffff);
}

/// Job type cuckoo: flow lookup of a job's packets in a shared cuckoo hash table.
class Cuckoo final : public Family {
 public:
  explicit Cuckoo(const Sizes& sizes) : sizes_(sizes), packets_(kPackets / sizes.divide), results_(packets_) {
    table_.resize(kBuckets * kSlots, Flow{0, 0, 0, 0});
    in_second_.resize(table_.size());
    kernels::Random random(sizes.seed + 70);
    // The table is filled to a little over half.
    while (flows_.size() < 9000) {
      const Flow flow{static_cast<unsigned>(random.next()), static_cast<unsigned>(random.next()),
                      static_cast<unsigned>(random.next()) | 1, static_cast<unsigned>(random.range(1, 0xffff))};
      if (!flows_.emplace(key(flow), flow.action).second) continue;
      known_.push_back(flow);
      place(flow, random);
    }
  }

  int add(const Job& /*job*/) override {
    kernels::Random random(sizes_.seed + 70019 * ++jobs_);
    for (long i = 0; i < packets_; ++i) {
      unsigned header[kHeaderWords];
      for (unsigned& word : header) word = static_cast<unsigned>(random.next() >> 32);
      if (i % 8 != 7) {
        const Flow& flow = known_[random.range(0, static_cast<long>(known_.size()) - 1)];
        header[2] = flow.source;
        header[3] = flow.destination;
        header[5] = flow.ports;
      }
      headers_.insert(headers_.end(), header, header + kHeaderWords);
    }
    return jobs_ - 1;
  }
  void upload() override {
    std::vector<Tags> tags(kBuckets);
    for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
      for (unsigned slot = 0; slot < kSlots; ++slot) {
        const Flow& flow = table_[bucket * kSlots + slot];
        if (flow.action == 0) continue;
        unsigned hash = flow_hash(flow, 0);
        if (in_second_[bucket * kSlots + slot]) hash = flow_hash(flow, 0x9e3779b9u);
        tags[bucket] |= static_cast<Tags>(tag_of(hash)) << (16 * slot);
      }
    }
    // Interleaved layout: [job][quad of words][packet][word].
    std::vector<unsigned> turned(headers_.size());
    for (std::size_t at = 0; at < headers_.size(); ++at) {
      const std::size_t word = at % kHeaderWords, packet = at / kHeaderWords % packets_;
      const std::size_t job = at / kHeaderWords / packets_;
      turned[((job * kHeaderQuads + word / 4) * packets_ + packet) * 4 + word % 4] = headers_[at];
    }
    d_tags_ = std::make_unique<kernels::DeviceArray<Tags>>(tags);
    d_table_ = std::make_unique<kernels::DeviceArray<Flow>>(table_);
    d_headers_ = std::make_unique<kernels::DeviceArray<unsigned>>(turned);
    results_.upload(jobs_);
  }
  void launch(int number, cudaStream_t stream) override {
    cuckoo_lookup<<<kernels::blocks_for(packets_, 256), 256, 0, stream>>>(
        results_.device(number), reinterpret_cast<const uint4*>(d_headers_->get() + number * packets_ * kHeaderWords),
        d_tags_->get(), reinterpret_cast<const uint4*>(d_table_->get()), static_cast<int>(packets_));
    CUDA_CHECK(cudaGetLastError());
  }
  void download() override { results_.download(); }

  // The reference uses a map of flows, and the checksum as RFC 1071 defines it.
  void check(const std::vector<bool>& ran, kernels::Verdict& verdict) override {
    std::vector<unsigned> got, want;
    bool untouched = true;
    for (int job = 0; job < jobs_; ++job) {
      if (!ran[job]) {
        untouched = untouched && results_.untouched(job);
        continue;
      }
      got.insert(got.end(), results_.begin(job), results_.begin(job) + packets_);
      for (long i = 0; i < packets_; ++i) {
        const unsigned* const header = &headers_[(job * packets_ + i) * kHeaderWords];
        const auto found = flows_.find(key(Flow{header[2], header[3], header[5], 0}));
        const unsigned action = found == flows_.end() ? 0 : found->second;
        unsigned sum = action;
        for (unsigned half = 0; half < 2 * kHeaderWords; ++half) {
          sum += half % 2 == 0 ? header[half / 2] & 0xffff : header[half / 2] >> 16;
          if (sum > 0xffff) sum -= 0xffff;  // end-around carry
        }
        want.push_back(action << 16 | (0xffff - sum));
      }
    }
    verdict.equal("cuckoo packets", got, want);
    if (!untouched) verdict.holds("cuckoo packets of refused jobs untouched", false);
  }

  bool set_isolated(const std::string& name, unsigned time) override {
    if (name != "cuckoo") return false;
    job_mix::set_isolated(reinterpret_cast<const void*>(&cuckoo_lookup), 256, time);
    return true;
  }

 private:
  using Key = std::array<unsigned, 3>;
  static Key key(const Flow& flow) { return {flow.source, flow.destination, flow.ports}; }

  // Inserts a flow. If both of its buckets are full, evicts another flow and inserts that one, until a slot is free.
  void place(Flow flow, kernels::Random& random) {
    for (int tries = 0; tries < 1000; ++tries) {
      for (unsigned side = 0; side < 2; ++side) {
        const unsigned bucket = flow_hash(flow, side * 0x9e3779b9u) % kBuckets;
        for (unsigned slot = 0; slot < kSlots; ++slot) {
          if (table_[bucket * kSlots + slot].action != 0) continue;
          table_[bucket * kSlots + slot] = flow;
          in_second_[bucket * kSlots + slot] = side == 1;
          return;
        }
      }
      const auto side = static_cast<unsigned>(random.range(0, 1));
      const std::size_t at = flow_hash(flow, side * 0x9e3779b9u) % kBuckets * kSlots + random.range(0, kSlots - 1);
      std::swap(flow, table_[at]);
      in_second_[at] = side == 1;
    }
    std::fprintf(stderr, "job_mix: the cuckoo table is full\n");
    std::exit(1);
  }

  Sizes sizes_;
  long packets_;
  int jobs_ = 0;
  std::vector<Flow> table_, known_;
  std::vector<bool> in_second_;  ///< whether the flow in the slot is in the second of its two buckets
  std::map<Key, unsigned> flows_;
  std::vector<unsigned> headers_;
  Results<unsigned> results_;
  std::unique_ptr<kernels::DeviceArray<Tags>> d_tags_;
  std::unique_ptr<kernels::DeviceArray<Flow>> d_table_;
  std::unique_ptr<kernels::DeviceArray<unsigned>> d_headers_;
};

}  // namespace job_mix
