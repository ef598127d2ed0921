// Structs by value, virtual functions, function pointers, recursion that folds, local arrays, switch, templates.
struct Particle {
  float3 position;
  double mass;
  int kind;
  short tag[3];
};

class Shape {
 public:
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
class Square : public Shape {
 public:
  __device__ explicit Square(float s) : side_(s) {}
  __device__ float area() const override { return side_ * side_; }

 private:
  float side_;
};
class Circle : public Shape {
 public:
  __device__ explicit Circle(float r) : radius_(r) {}
  __device__ float area() const override { return 3.14159f * radius_ * radius_; }

 private:
  float radius_;
};

typedef int (*Operation)(int, int);
__device__ int add_op(int a, int b) { return a + b; }
__device__ int mul_op(int a, int b) { return a * b; }
__device__ Operation table[2] = {add_op, mul_op};
__constant__ int weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int counter = 7;
__device__ int* pointer = &counter;

__device__ __noinline__ Particle push(Particle p, float dt) {
  p.position.x += dt;
  p.mass *= 2.0;
  p.tag[1] = static_cast<short>(p.kind);
  return p;
}

__global__ void particles(Particle* all, Particle extra, float dt) {
  int i = threadIdx.x;
  all[i] = push(i & 1 ? all[i] : extra, dt);
}

__global__ void shapes(float* out, int n) {
  int i = threadIdx.x;
  Square square(static_cast<float>(i));
  Circle circle(static_cast<float>(i));
  const Shape* s = (i % 3) ? static_cast<const Shape*>(&square) : static_cast<const Shape*>(&circle);
  if (i < n) out[i] = s->area();
}

__global__ void heap(float** out) { out[threadIdx.x] = new float(1.0f * threadIdx.x); }

__global__ void indirect(int* out, int which) {
  int i = threadIdx.x;
  int local[16];
  for (int k = 0; k < 16; ++k) local[k] = table[(which + k) & 1](i, weights[k & 7]);
  out[i] = local[(i + which) & 15] + *pointer;
}

__global__ void choose(int* out, int which) {
  switch (which) {
    case 0: out[0] = 5; break;
    case 1: out[1] = 17; break;
    case 2: out[3] = 2; break;
    case 3: out[2] += 9; break;
    case 7: out[7] *= 3; break;
    case 9: out[1] -= 3; break;
    default: out[5] = which;
  }
}

template <class T, int kCount>
__global__ void templated(T* out) {
  __shared__ T tile[kCount];
  tile[threadIdx.x % kCount] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 1) % kCount];
}
template __global__ void templated<double, 64>(double*);
template __global__ void templated<unsigned char, 48>(unsigned char*);

__device__ __noinline__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__global__ void recursive(int* out) { out[threadIdx.x] = factorial(threadIdx.x); }

extern "C" __global__ void ret(int* add) { add[0] = 1; }
extern "C" __global__ void mov(int* bra) { bra[0] = 1; }
