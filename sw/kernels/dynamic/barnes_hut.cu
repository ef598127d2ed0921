// Forces between points by the Barnes-Hut method. A tree node is a cube that is divided into up to 4 x 4 x 4 smaller
// cubes; a leaf holds one point. A thread owns one point and walks the tree: a distant node acts as one mass, a near
// node is opened. If a node has many parts, a child visits them with a thread for each part, and may launch the same
// kernel again. Forces are sums of integers, which are equal in any order.
#include <cuda_runtime.h>

#include <set>
#include <tuple>

#include "../common/child_launch.h"
#include "../common/exact.h"
#include "../common/program.h"

using namespace kernels;

constexpr int kSpace = 1 << 16;  ///< coordinates are below this bound
constexpr int kLevels = 8;       ///< levels below the root, whose cubes have sides of 2^14 to 1

struct Node {
  int x, y, z, mass;  ///< centre of mass, and mass
  int side;           ///< side of the cube; 0 for a leaf
  int first, parts;   ///< index and number of child nodes; for a leaf, `first` is its point
};

struct Point {
  int x, y, z, mass;
};

using Force = long long;  ///< fixed point, in units of 2^-40

struct Tree {
  const Node* nodes;
  const Point* points;
  Force* forces;  ///< x, y and z of each point's force
  int point_count;
};

struct Sum {
  Force x = 0, y = 0, z = 0;
};

/// Adds to `sum` the force that a mass at (x, y, z) exerts on `point`.
__host__ __device__ void attract(const Point& point, int x, int y, int z, int mass, Sum& sum) {
  const long long dx = x - point.x, dy = y - point.y, dz = z - point.z;
  const float square = static_cast<float>(dx * dx + dy * dy + dz * dz + 1);
  const float strength =
      exact_div(exact_mul(static_cast<float>(mass), 1099511627776.0f), exact_mul(square, exact_sqrt(square)));
  sum.x += static_cast<Force>(exact_mul(strength, static_cast<float>(dx)));
  sum.y += static_cast<Force>(exact_mul(strength, static_cast<float>(dy)));
  sum.z += static_cast<Force>(exact_mul(strength, static_cast<float>(dz)));
}

/// Visits a node for point `number`. Returns true if the node must be opened because it is nearer than two of its
/// sides; otherwise adds its force to `sum`.
__host__ __device__ bool meet(const Point& point, int number, const Node& node, Sum& sum) {
  if (node.side == 0 && node.first == number) return false;
  const long long dx = node.x - point.x, dy = node.y - point.y, dz = node.z - point.z;
  const long long side = node.side;
  if (dx * dx + dy * dy + dz * dz <= 4 * side * side) return true;
  attract(point, node.x, node.y, node.z, node.mass, sum);
  return false;
}

/// Returns the number that is added to a point's check sum when the point visits `node`.
__host__ __device__ unsigned check_of(int node) {
  unsigned x = static_cast<unsigned>(node) + 0x9e3779b9u;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  return x ^ (x >> 15);
}

template <Form form>
__global__ void walk_parts(Tree tree, Children children, int point, int first, int parts);

/// Visits node `top` for point `number`, and all nodes below those that are opened.
template <Form form>
__device__ void walk(const Tree& tree, const Children& children, int number, int top) {
  struct Open {
    int next, end;
  };
  Open open[kLevels + 1];
  int depth = 0, node = top;
  const Point point = tree.points[number];
  Sum sum;
  for (;;) {
    children.count_item(number);
    children.count_item(tree.point_count + number, check_of(node));
    if (meet(point, number, tree.nodes[node], sum)) {
      const int first = tree.nodes[node].first, parts = tree.nodes[node].parts;
      const int given = give_to_child<form, walk_parts<form>>(children, parts, tree, children, number, first);
      open[depth++] = {first + given, first + parts};
    }
    while (depth > 0 && open[depth - 1].next == open[depth - 1].end) --depth;
    if (depth == 0) break;
    node = open[depth - 1].next++;
  }
  unsigned long long* const force = reinterpret_cast<unsigned long long*>(tree.forces + 3 * number);
  atomicAdd(&force[0], static_cast<unsigned long long>(sum.x));
  atomicAdd(&force[1], static_cast<unsigned long long>(sum.y));
  atomicAdd(&force[2], static_cast<unsigned long long>(sum.z));
}

template <Form form>
__global__ void walk_parts(Tree tree, Children children, int point, int first, int parts) {
  const int i = thread_in_grid();
  if (i < parts) walk<form>(tree, children, point, first + i);
}

template <Form form>
__global__ void walk_points(Tree tree, Children children) {
  const int point = thread_in_grid();
  if (point < tree.point_count) walk<form>(tree, children, point, 0);
}

/// Builds the tree. Points are sorted in the order of the tree's leaves; node 0 is the root.
class Builder {
 public:
  explicit Builder(std::vector<Point> all) : points(std::move(all)), nodes(1) {
    build(0, 0, static_cast<int>(points.size()), kSpace);
  }

  std::vector<Point> points;
  std::vector<Node> nodes;

 private:
  void build(int node, int begin, int end, int side) {
    if (end - begin == 1) {
      const Point& point = points[begin];
      nodes[node] = {point.x, point.y, point.z, point.mass, 0, begin, 0};
      return;
    }
    const int part = side / 4;
    const auto cube = [part](const Point& p) { return (p.z / part % 4 * 4 + p.y / part % 4) * 4 + p.x / part % 4; };
    std::stable_sort(points.begin() + begin, points.begin() + end,
                     [&](const Point& a, const Point& b) { return cube(a) < cube(b); });
    std::vector<int> begins{begin};
    long long x = 0, y = 0, z = 0, mass = 0;
    for (int i = begin; i < end; ++i) {
      const Point& p = points[i];
      if (i > begin && cube(p) != cube(points[i - 1])) begins.push_back(i);
      x += 1ll * p.mass * p.x;
      y += 1ll * p.mass * p.y;
      z += 1ll * p.mass * p.z;
      mass += p.mass;
    }
    const int first = static_cast<int>(nodes.size()), parts = static_cast<int>(begins.size());
    nodes[node] = {static_cast<int>(x / mass),
                   static_cast<int>(y / mass),
                   static_cast<int>(z / mass),
                   static_cast<int>(mass),
                   side,
                   first,
                   parts};
    nodes.resize(nodes.size() + parts);
    begins.push_back(end);
    for (int i = 0; i < parts; ++i) build(first + i, begins[i], begins[i + 1], part);
  }
};

/// Returns random points, no two of which have the same position.
std::vector<Point> make_points(long count, bool clusters, long seed) {
  Random random(seed);
  std::vector<Point> centres;
  for (int i = 0; i < 5; ++i) {
    centres.push_back({static_cast<int>(random.range(0, kSpace - 1)), static_cast<int>(random.range(0, kSpace - 1)),
                       static_cast<int>(random.range(0, kSpace - 1)), 0});
  }
  const auto near = [&](int centre) {
    const long away = random.range(0, kSpace / 8) * random.range(0, kSpace / 8) / (kSpace / 8);
    return static_cast<int>(std::min<long>(std::max<long>(centre + (random.next() % 2 ? away : -away), 0), kSpace - 1));
  };
  std::set<std::tuple<int, int, int>> taken;
  std::vector<Point> points;
  while (static_cast<long>(points.size()) < count) {
    Point point{0, 0, 0, static_cast<int>(random.range(1, 100))};
    if (clusters) {
      const Point& centre = centres[random.range(0, 4)];
      point.x = near(centre.x);
      point.y = near(centre.y);
      point.z = near(centre.z);
    } else {
      point.x = static_cast<int>(random.range(0, kSpace - 1));
      point.y = static_cast<int>(random.range(0, kSpace - 1));
      point.z = static_cast<int>(random.range(0, kSpace - 1));
    }
    if (taken.insert({point.x, point.y, point.z}).second) points.push_back(point);
  }
  return points;
}

void walk_on_host(const Builder& built, int number, int node, Sum& sum, std::vector<unsigned>& met) {
  ++met[number];
  met[built.points.size() + number] += check_of(node);
  const Node& top = built.nodes[node];
  if (!meet(built.points[number], number, top, sum)) return;
  for (int i = 0; i < top.parts; ++i) walk_on_host(built, number, top.first + i, sum, met);
}

/// Returns whether the forces on a sample of points are within 3 % (in sum) of the directly computed forces.
bool near_direct_sums(const Builder& built, const std::vector<Force>& forces) {
  const std::size_t count = built.points.size();
  double error = 0, size = 0;
  for (std::size_t i = 0; i < count; i += 1 + count / 64) {
    Sum sum;
    for (std::size_t k = 0; k < count; ++k) {
      const Point& other = built.points[k];
      if (k != i) attract(built.points[i], other.x, other.y, other.z, other.mass, sum);
    }
    const Force direct[] = {sum.x, sum.y, sum.z};
    for (int axis = 0; axis < 3; ++axis) {
      error += std::fabs(static_cast<double>(forces[3 * i + axis] - direct[axis]));
      size += std::fabs(static_cast<double>(direct[axis]));
    }
  }
  return error <= 0.03 * size;
}

int main(int argc, char** argv) {
  std::string input = "clusters";
  long count = 2000, block = 64, seed = 1;
  ChildForm form(32);
  Options options("dynamic_barnes_hut", "gravitation between points, by a tree");
  form.add(options);
  options.add_text("input", &input, "points: uniform or clusters; default clusters");
  options.add("points", &count, 1, 1 << 18, "number of points");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the points");
  form.add_numbers(options);
  options.parse(argc, argv);
  form.check(options);
  if (input != "uniform" && input != "clusters") {
    options.fail("option 'input' is '" + input + "'; uniform and clusters are known");
  }

  const Builder built(make_points(count, input == "clusters", seed));
  DeviceArray<Node> nodes(built.nodes);
  DeviceArray<Point> points(built.points);
  DeviceArray<Force> forces(3 * count);
  forces.fill_bytes(0);
  form.start(2 * count);
  const Tree tree{nodes.get(), points.get(), forces.get(), static_cast<int>(count)};
  form.with_form([&](auto tag) {
    if constexpr (tag.value != Form::kFlat) form.keep_resident<walk_parts<tag.value>>();
    walk_points<tag.value><<<blocks_for(count, block), static_cast<unsigned>(block)>>>(tree, form.children());
  });
  CUDA_CHECK(cudaGetLastError());

  std::vector<Force> expected;
  std::vector<unsigned> met(2 * count);
  for (int i = 0; i < count; ++i) {
    Sum sum;
    walk_on_host(built, i, 0, sum, met);
    expected.insert(expected.end(), {sum.x, sum.y, sum.z});
  }
  Verdict verdict(options);
  verdict.equal("forces", forces.download(), expected);
  verdict.holds("nearness to direct sums", near_direct_sums(built, expected));
  form.finish(options, "input=" + input + ": nodes " + std::to_string(built.nodes.size()), verdict, met);
  return verdict.finish();
}
