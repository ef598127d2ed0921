// Locks across thread blocks: one thread of a warp takes the locks of two accounts by compare-and-swap, moves money
// with plain loads and stores, and releases the locks. The sum over all accounts must not change.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

class Lock {
 public:
  __device__ void take() {
    while (atomicCAS(&held_, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ void give() {
    __threadfence();
    atomicExch(&held_, 0);
  }

 private:
  int held_;
};

struct Account {
  Lock lock;
  int visits;
  long long balance;
};

struct Transfer {
  int from, to, amount;
};

__global__ void transfer(Account* accounts, const Transfer* transfers, int n) {
  // Only one thread of a warp competes, because lanes of a warp must not wait for each other.
  if (threadIdx.x % 32 != 0) return;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
  for (int i = warp; i < n; i += warps) {
    const Transfer t = transfers[i];
    volatile Account* from = &accounts[t.from];
    volatile Account* to = &accounts[t.to];
    // The lock of the lower account is taken first, so that two transfers never deadlock.
    accounts[min(t.from, t.to)].lock.take();
    accounts[max(t.from, t.to)].lock.take();
    from->balance = from->balance - t.amount;
    to->balance = to->balance + t.amount;
    from->visits = from->visits + 1;
    to->visits = to->visits + 1;
    accounts[max(t.from, t.to)].lock.give();
    accounts[min(t.from, t.to)].lock.give();
  }
}

int main(int argc, char** argv) {
  long n = 500, accounts = 10, blocks = 13, block = 96, seed = 1;
  Options options("spin_lock", "transfers between accounts under locks");
  options.add("n", &n, 1, 1 << 20, "transfers");
  options.add("accounts", &accounts, 2, 1 << 16, "accounts");
  options.add("blocks", &blocks, 1, 1024, "thread blocks");
  options.add("block", &block, 32, 1024, "threads of a block, a multiple of 32");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);
  if (block % 32 != 0) options.fail("option 'block' is a multiple of 32");

  Random random(seed);
  std::vector<Transfer> transfers(n);
  std::vector<long long> expected(accounts, 1000), balance(accounts);
  std::vector<int> visits(accounts), expected_visits(accounts);
  for (Transfer& t : transfers) {
    t.from = static_cast<int>(random.range(0, accounts - 1));
    t.to = static_cast<int>((t.from + random.range(1, accounts - 1)) % accounts);
    t.amount = static_cast<int>(random.range(1, 100));
    expected[t.from] -= t.amount;
    expected[t.to] += t.amount;
    ++expected_visits[t.from];
    ++expected_visits[t.to];
  }
  std::vector<Account> book(accounts);
  std::memset(static_cast<void*>(book.data()), 0, accounts * sizeof(Account));
  for (Account& a : book) a.balance = 1000;
  DeviceArray<Account> device_book(book);
  DeviceArray<Transfer> device_transfers(transfers);
  transfer<<<blocks, block>>>(device_book.get(), device_transfers.get(), n);
  CUDA_CHECK(cudaGetLastError());
  book = device_book.download();
  for (long i = 0; i < accounts; ++i) {
    balance[i] = book[i].balance;
    visits[i] = book[i].visits;
  }
  Verdict verdict(options);
  verdict.equal("balances", balance, expected);
  verdict.equal("visits", visits, expected_visits);
  return verdict.finish();
}
