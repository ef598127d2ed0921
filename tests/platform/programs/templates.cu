// Modern C++ on the device: variadic templates, lambdas that capture, constexpr tables, if constexpr, references,
// operator overloading, functors as kernel arguments, static polymorphism.
#include <cuda_runtime.h>

#include <cstdio>

template <class... Numbers>
__device__ int sum(Numbers... numbers) {
  return (0 + ... + numbers);
}

template <int N>
struct Factorial {
  static constexpr long long value = N * Factorial<N - 1>::value;
};
template <>
struct Factorial<0> {
  static constexpr long long value = 1;
};

struct Complex {
  float re, im;
  __host__ __device__ Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __host__ __device__ Complex& operator+=(const Complex& o) {
    re += o.re;
    im += o.im;
    return *this;
  }
};

template <class T>
__device__ const char* kind(T) {
  if constexpr (sizeof(T) == 8) {
    return "wide";
  } else {
    return "narrow";
  }
}

template <class Shape>
struct Base {
  __device__ int doubled() const { return 2 * static_cast<const Shape*>(this)->area(); }
};
struct Square : Base<Square> {
  int side;
  __device__ int area() const { return side * side; }
};

struct Affine {
  int factor, summand;
  __device__ int operator()(int x) const { return factor * x + summand; }
};

template <class Function>
__global__ void apply(Function function, int x) {
  printf("apply %d\n", function(x));
}

__global__ void show(int seed) {
  printf("sum %d\n", sum(1, 2, 3, seed));
  printf("factorial %lld\n", Factorial<20>::value);
  int calls = 0;
  const auto add = [&calls, seed](int x) {
    ++calls;
    return x + seed;
  };
  const int twice = add(add(1));
  printf("lambda %d after %d calls\n", twice, calls);
  Complex z = {1, 2};
  z += z * z;
  printf("complex %g %g\n", z.re, z.im);
  printf("kind %s %s\n", kind(1), kind(1.0));
  Square square;
  square.side = seed;
  printf("square %d\n", square.doubled());
}

int main() {
  show<<<1, 1>>>(4);
  apply<<<1, 1>>>(Affine{3, 4}, 5);
  return cudaDeviceSynchronize();
}
