// Objects with virtual functions, built on the device by placement new and called through their base class in a later
// kernel. Also classes with constructors, templates over types, and a table of function pointers.
#include <cuda_runtime.h>

#include <new>

#include "common/program.h"

using namespace kernels;

struct Description {  // the host's description of a shape
  int kind, a, b, c;
};

class Shape {
 public:
  __device__ explicit Shape(int name) : name_(name) {}
  __device__ virtual long long doubled_area() const = 0;
  __device__ virtual int corners() const { return 0; }
  __device__ int name() const { return name_; }

 private:
  int name_;
};

class Rectangle : public Shape {
 public:
  __device__ Rectangle(int name, int width, int height) : Shape(name), width_(width), height_(height) {}
  __device__ long long doubled_area() const override { return 2ll * width_ * height_; }
  __device__ int corners() const override { return 4; }

 protected:
  int width_, height_;
};

class Frame : public Rectangle {  // a rectangle with a hole
 public:
  __device__ Frame(int name, int width, int height, int border) : Rectangle(name, width, height), border_(border) {}
  __device__ long long doubled_area() const override {
    const long long hole_width = max(0, width_ - 2 * border_), hole_height = max(0, height_ - 2 * border_);
    return Rectangle::doubled_area() - 2 * hole_width * hole_height;
  }
  __device__ int corners() const override { return 2 * Rectangle::corners(); }

 private:
  int border_;
};

class Circle : public Shape {  // pi is 3 here, so that all areas are integers
 public:
  __device__ Circle(int name, int radius) : Shape(name), radius_(radius) {}
  __device__ long long doubled_area() const override { return 6ll * radius_ * radius_; }

 private:
  int radius_;
};

union Room {
  char rectangle[sizeof(Rectangle)], frame[sizeof(Frame)], circle[sizeof(Circle)];
  long long aligned;
};

__global__ void build(const Description* descriptions, Room* rooms, Shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Description d = descriptions[i];
  switch (d.kind) {
    case 0:
      shapes[i] = new (&rooms[i]) Rectangle(i, d.a, d.b);
      break;
    case 1:
      shapes[i] = new (&rooms[i]) Frame(i, d.a, d.b, d.c);
      break;
    default:
      shapes[i] = new (&rooms[i]) Circle(i, d.a);
      break;
  }
}

template <class T>
struct Pair {
  T value;
  int name;
};

template <class T>
using Getter = Pair<T> (*)(const Shape*);

__device__ Pair<long long> area_of(const Shape* shape) { return {shape->doubled_area(), shape->name()}; }
__device__ Pair<long long> corners_of(const Shape* shape) { return {shape->corners(), shape->name()}; }

__global__ void measure(Shape* const* shapes, long long* areas, long long* corners, int* names, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // The first of the two functions called differs from thread to thread, so the calls are indirect and divergent.
  const Getter<long long> getters[2] = {area_of, corners_of};
  long long values[2];
  int name = 0;
  for (int k = 0; k < 2; ++k) {
    const int which = (i + k) % 2;
    const Pair<long long> pair = getters[which](shapes[i]);
    values[which] = pair.value;
    name += pair.name;
  }
  areas[i] = values[0];
  corners[i] = values[1];
  names[i] = name / 2;
}

int main(int argc, char** argv) {
  long n = 500, seed = 1;
  Options options("shapes", "virtual functions and function pointers on the device");
  options.add("n", &n, 1, 1 << 20, "shapes");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  std::vector<Description> descriptions(n);
  std::vector<long long> areas(n), corners(n);
  std::vector<int> names(n);
  for (long i = 0; i < n; ++i) {
    Description& d = descriptions[i];
    for (int* member : {&d.kind, &d.a, &d.b, &d.c}) *member = static_cast<int>(random.range(1, 30000));
    d.kind %= 3;
    d.c %= 2000;
    const long long a = d.a, b = d.b, inner = std::max(0, d.a - 2 * d.c), inner_b = std::max(0, d.b - 2 * d.c);
    areas[i] = d.kind == 0 ? 2 * a * b : d.kind == 1 ? 2 * (a * b - inner * inner_b) : 6 * a * a;
    corners[i] = d.kind == 0 ? 4 : d.kind == 1 ? 8 : 0;
    names[i] = static_cast<int>(i);
  }
  DeviceArray<Description> device_descriptions(descriptions);
  DeviceArray<Room> rooms(n);
  DeviceArray<Shape*> shapes(n);
  DeviceArray<long long> device_areas(n), device_corners(n);
  DeviceArray<int> device_names(n);
  build<<<blocks_for(n, 96), 96>>>(device_descriptions.get(), rooms.get(), shapes.get(), n);
  measure<<<blocks_for(n, 128), 128>>>(shapes.get(), device_areas.get(), device_corners.get(), device_names.get(), n);
  CUDA_CHECK(cudaGetLastError());
  Verdict verdict(options);
  verdict.equal("areas", device_areas.download(), areas);
  verdict.equal("corners", device_corners.download(), corners);
  verdict.equal("names", device_names.download(), names);
  return verdict.finish();
}
