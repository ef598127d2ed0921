// Functions of the maths library in float and double, compared with the host's functions in the next wider type. The
// error is counted in units in the last place. The bound of a function is the wider of the bounds in the CUDA guide and
// in OpenCL C.
#include <cuda_runtime.h>

#include <limits>

#include "common/program.h"

using namespace kernels;

// clang-format off
// Functions of one argument: X(name, bound in ulp, smallest argument, largest argument).
#define FUNCTIONS(X)                                                                            \
  X(sin, 4, -20, 20) X(cos, 4, -20, 20) X(tan, 5, -1.5, 1.5)                                    \
  X(asin, 4, -1, 1) X(acos, 4, -1, 1) X(atan, 5, -50, 50)                                       \
  X(exp, 3, -80, 80) X(exp2, 3, -100, 100) X(expm1, 3, -10, 10)                                 \
  X(log, 3, 0, 1000) X(log2, 3, 0, 1000) X(log10, 3, 0, 1000) X(log1p, 2, -0.9, 100)            \
  X(sqrt, 1, 0, 1e6) X(cbrt, 2, -1e6, 1e6)                                                      \
  X(sinh, 4, -20, 20) X(cosh, 4, -20, 20) X(tanh, 5, -10, 10)                                   \
  X(asinh, 4, -100, 100) X(acosh, 4, 1, 100) X(atanh, 5, -0.99, 0.99)                           \
  X(erf, 16, -4, 4) X(erfc, 16, -4, 4) X(tgamma, 16, 0.5, 20)                                   \
  X(floor, 0, -1e6, 1e6) X(ceil, 0, -1e6, 1e6) X(trunc, 0, -1e6, 1e6)                           \
  X(rint, 0, -1000, 1000) X(round, 0, -1000, 1000) X(fabs, 0, -10, 10)

// Functions of two arguments: X(name, bound in ulp).
#define FUNCTIONS_OF_TWO(X)                                                                     \
  X(pow, 16) X(atan2, 6) X(fmod, 0) X(hypot, 4) X(fmax, 0) X(fmin, 0) X(copysign, 0) X(fdim, 1)
// clang-format on

enum Name {
#define X(name, ulps, low, high) k_##name,
  FUNCTIONS(X)
#undef X
      kOfOne,
#define X(name, ulps) k_##name,
  kBase = kOfOne - 1,
  FUNCTIONS_OF_TWO(X)
#undef X
      kAll
};

template <class T>
__global__ void evaluate(int name, const T* x, const T* y, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (name) {
#define X(name, ulps, low, high) \
  case k_##name:                 \
    out[i] = name(x[i]);         \
    break;
    FUNCTIONS(X)
#undef X
#define X(name, ulps)          \
  case k_##name:               \
    out[i] = name(x[i], y[i]); \
    break;
    FUNCTIONS_OF_TWO(X)
#undef X
  }
}

struct Function {
  const char* name;
  double ulps, low, high;
  long double (*of_one)(long double);
  long double (*of_two)(long double, long double);
};

const Function kFunctions[kAll] = {
#define X(name, ulps, low, high) {#name, ulps, low, high, name##l, nullptr},
    FUNCTIONS(X)
#undef X
#define X(name, ulps) {#name, ulps, 0.1, 20, nullptr, name##l},
        FUNCTIONS_OF_TWO(X)
#undef X
};

template <class T>
double error_in_ulps(T got, long double want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : INFINITY;
  if (static_cast<T>(want) == got) return 0;
  const T size = std::fmax(std::fabs(static_cast<T>(want)), std::numeric_limits<T>::min());
  if (std::isinf(size) || std::isinf(got)) return INFINITY;
  int exponent = 0;
  std::frexp(size, &exponent);
  const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(got - want) / unit);
}

template <class T>
void check(Verdict& verdict, const char* type, long n, long seed) {
  Random random(seed);
  int good = 0;
  for (int f = 0; f < kAll; ++f) {
    const Function& function = kFunctions[f];
    std::vector<T> x(n), y(n);
    for (long i = 0; i < n; ++i) {
      x[i] = static_cast<T>(random.real(function.low, function.high));
      y[i] = static_cast<T>(random.real(function.low, function.high));
      // Some arguments are exact halves, to test the functions that round.
      if (function.ulps == 0 && i % 4 == 0) x[i] = std::floor(x[i]) + static_cast<T>(0.5);
    }
    DeviceArray<T> device_x(x), device_y(y), out(n);
    out.fill_bytes(0xff);
    evaluate<<<blocks_for(n, 128), 128>>>(f, device_x.get(), device_y.get(), out.get(), static_cast<int>(n));
    CUDA_CHECK(cudaGetLastError());
    const std::vector<T> got = out.download();
    bool all = true;
    for (long i = 0; i < n; ++i) {
      const long double want = function.of_one != nullptr ? function.of_one(x[i]) : function.of_two(x[i], y[i]);
      const double error = error_in_ulps(got[i], want);
      // The reference itself is rounded to a long double, so a small extra tolerance is allowed.
      if (error <= function.ulps + 0.01) continue;
      if (all) {
        std::fprintf(stderr, "math_functions: %s of %s: at %.17g, %.17g it is %.17g, expected %.17g: %.1f units\n",
                     type, function.name, static_cast<double>(x[i]), static_cast<double>(y[i]),
                     static_cast<double>(got[i]), static_cast<double>(want), error);
      }
      all = false;
    }
    good += all;
  }
  verdict.equal(type, good, static_cast<int>(kAll));
}

int main(int argc, char** argv) {
  long n = 300, seed = 1;
  Options options("math_functions", "the maths library in float and double");
  options.add("n", &n, 1, 1 << 20, "arguments of each function");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the arguments");
  options.parse(argc, argv);
  Verdict verdict(options);
  check<float>(verdict, "float", n, seed);
  check<double>(verdict, "double", n, seed);
  return verdict.finish();
}
