// Product recommendation: counts for each pair of items how many customers bought both, and finds for each item the
// item most often bought with it. A thread has one customer and records the pairs of the customer's items. If a
// customer has many pairs, a child records them with a thread for each pair.
#include <cuda_runtime.h>

#include <cmath>

#include "../common/child_launch.h"
#include "../common/graph_files.h"
#include "../common/program.h"

using namespace kernels;

constexpr long kMostItems = 1 << 13;

struct Purchases {
  const int* first;       ///< index of each customer's first entry in `item`
  const int* item;        ///< items of all customers, customer after customer
  const int* first_pair;  ///< index of each customer's first pair
  unsigned* together;     ///< matrix: number of customers who bought both items
  int items;
};

__device__ void record(const Purchases& purchases, const Children& children, int customer, int pair) {
  children.count_item(purchases.first_pair[customer] + pair);
  const int first = purchases.first[customer], others = purchases.first[customer + 1] - first - 1;
  const int one = pair / others;
  int other = pair % others;
  if (other >= one) ++other;
  atomicAdd(&purchases.together[purchases.item[first + one] * purchases.items + purchases.item[first + other]], 1u);
}

__global__ void record_pairs(Purchases purchases, Children children, int customer, int pairs) {
  const int i = thread_in_grid();
  if (i < pairs) record(purchases, children, customer, i);
}

template <Form form>
__global__ void record_customers(Purchases purchases, Children children, int customers) {
  const int customer = thread_in_grid();
  if (customer >= customers) return;
  const int count = purchases.first[customer + 1] - purchases.first[customer];
  spread<form, record_pairs>(
      children, count * (count - 1), [&](int pair) { record(purchases, children, customer, pair); }, purchases,
      children, customer);
}

/// Finds for each item the item most often bought with it; the first one of a tie, -1 if there is none.
__global__ void find_companions(const unsigned* together, int items, int* companion) {
  const int item = thread_in_grid();
  if (item >= items) return;
  unsigned most = 0;
  companion[item] = -1;
  for (int other = 0; other < items; ++other) {
    if (together[item * items + other] <= most) continue;
    most = together[item * items + other];
    companion[item] = other;
  }
}

/// The items that each customer bought, in ascending order.
struct Baskets {
  std::vector<std::vector<int>> of;
  long items = 0;

  void sort() {
    for (std::vector<int>& basket : of) {
      std::sort(basket.begin(), basket.end());
      basket.erase(std::unique(basket.begin(), basket.end()), basket.end());
    }
  }
};

/// Returns random customers: most buy up to five items, a few buy many. Items with low numbers are bought more often.
Baskets make_baskets(long customers, long items, long mean, long seed) {
  Random random(seed);
  Baskets result;
  result.of.resize(customers);
  result.items = items;
  for (std::vector<int>& basket : result.of) {
    const double size = static_cast<double>(mean) / 2 / std::sqrt(1 - random.real(0, 1));
    for (long left = std::min(items, 5 + static_cast<long>(size)); left > 0; --left) {
      const double place = random.real(0, 1);
      basket.push_back(static_cast<int>(static_cast<double>(items) * place * place));
    }
  }
  result.sort();
  return result;
}

/// Reads customers from a graph file: rows of the matrix are customers, columns are items.
Baskets read_baskets(const std::string& path) {
  const FileGraph file = read_graph_file(path);
  if (file.columns > kMostItems) {
    throw InputError(path + ": " + std::to_string(file.columns) + " items; at most " + std::to_string(kMostItems));
  }
  Baskets result;
  result.of.resize(file.rows);
  result.items = file.columns;
  for (const Edge& edge : file.edges) result.of[edge.from].push_back(edge.to);
  result.sort();
  return result;
}

/// Returns how many customers are in both sorted lists.
unsigned in_both(const std::vector<int>& one, const std::vector<int>& other) {
  unsigned count = 0;
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
    if (*a == *b) ++count;
    const bool a_first = *a <= *b, b_first = *b <= *a;
    a += a_first;
    b += b_first;
  }
  return count;
}

int main(int argc, char** argv) {
  std::string input = "ratings";
  long customers = 300, items = 200, mean = 30, block = 64, seed = 1;
  ChildForm form(256);
  Options options("dynamic_recommend", "items that are bought together");
  form.add(options);
  options.add_text("input", &input, "ratings (from the seed) or a file: .mtx, rows are customers; default ratings");
  options.add("customers", &customers, 1, 1 << 22, "number of customers");
  options.add("items", &items, 1, kMostItems, "number of items");
  options.add("mean", &mean, 0, 1 << 10, "items that most customers have at most");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the purchases");
  form.add_numbers(options);
  options.parse(argc, argv);
  form.check(options);

  Baskets baskets;
  try {
    baskets = input == "ratings" ? make_baskets(customers, items, mean, seed) : read_baskets(input);
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s: %s\n", options.program(), error.what());
    return 2;
  }
  customers = static_cast<long>(baskets.of.size());
  items = baskets.items;
  std::vector<int> first{0}, item, first_pair;
  long pairs = 0;
  for (const std::vector<int>& basket : baskets.of) {
    const long count = static_cast<long>(basket.size());
    first_pair.push_back(static_cast<int>(pairs));
    pairs += count * (count - 1);
    item.insert(item.end(), basket.begin(), basket.end());
    first.push_back(static_cast<int>(item.size()));
    if (pairs > INT32_MAX) options.fail("there are more than 2^31 pairs; take fewer 'customers' or 'items'");
  }
  if (item.empty()) item.push_back(0);

  DeviceArray<int> device_first(first), device_item(item), device_first_pair(first_pair), companion(items);
  DeviceArray<unsigned> together(items * items);
  together.fill_bytes(0);
  form.start(pairs);
  form.keep_resident<record_pairs>();
  const Purchases purchases{device_first.get(), device_item.get(), device_first_pair.get(), together.get(),
                            static_cast<int>(items)};
  const unsigned threads = static_cast<unsigned>(block);
  form.with_form([&](auto tag) {
    record_customers<tag.value>
        <<<blocks_for(customers, block), threads>>>(purchases, form.children(), static_cast<int>(customers));
  });
  find_companions<<<blocks_for(items, block), threads>>>(together.get(), static_cast<int>(items), companion.get());
  CUDA_CHECK(cudaGetLastError());

  std::vector<std::vector<int>> customers_of(items);
  for (int customer = 0; customer < customers; ++customer) {
    for (const int bought : baskets.of[customer]) customers_of[bought].push_back(customer);
  }
  std::vector<unsigned> expected(items * items);
  std::vector<int> expected_companion(items, -1);
  for (long one = 0; one < items; ++one) {
    unsigned most = 0;
    for (long other = 0; other < items; ++other) {
      if (one == other) continue;
      const unsigned count = expected[one * items + other] = in_both(customers_of[one], customers_of[other]);
      if (count > most) expected_companion[one] = static_cast<int>(other);
      most = std::max(most, count);
    }
  }
  Verdict verdict(options);
  verdict.equal("pairs of items", together.download(), expected);
  verdict.equal("companions", companion.download(), expected_companion);
  form.finish(options,
              "input=" + input + ": purchases " + std::to_string(first.back()) + ", pairs " + std::to_string(pairs),
              verdict, std::vector<unsigned>(pairs, 1));
  return verdict.finish();
}
