// The maths library against the C library's long double functions: the error in units of the last place stays within
// what CUDA documents (some bounds here are tighter). Inverse functions are checked by putting their result into the
// function.
#include <cfloat>

#include "check.h"

constexpr int kCount = 400;

template <class T>
struct Function {
  const char* name;
  double low, high;  ///< range of arguments
  double bound;      ///< ulp, or absolute error if negative
  long double (*reference)(long double);
};

long double rsqrt_l(long double x) { return 1 / sqrtl(x); }
long double rcbrt_l(long double x) { return 1 / cbrtl(x); }
long double exp10_l(long double x) { return powl(10, x); }
long double sinpi_l(long double x) { return sinl(fmodl(x, 2) * M_PIl); }
long double cospi_l(long double x) { return cosl(fmodl(x, 2) * M_PIl); }
long double normcdf_l(long double x) { return erfcl(-x / sqrtl(2)) / 2; }
long double erfcx_l(long double x) { return expl(x * x) * erfcl(x); }
long double j0_l(long double x) { return j0l(x); }
long double j1_l(long double x) { return j1l(x); }
long double y0_l(long double x) { return y0l(x); }
long double y1_l(long double x) { return y1l(x); }
long double i0_l(long double x) {
  long double t = 1, s = 1;
  for (int k = 1; k < 200; ++k) s += t *= x * x / 4 / k / k;
  return s;
}
long double i1_l(long double x) {
  long double t = 1, s = 1;
  for (int k = 1; k < 200; ++k) s += t *= x * x / 4 / k / (k + 1);
  return s * x / 2;
}

// name, range, bound in single and in double precision
#define FUNCTIONS(op)                                                                                                 \
  op(sin, -30, 30, 2, 2, sinl) op(cos, -30, 30, 2, 2, cosl) op(tan, -30, 30, 4, 2, tanl) op(asin, -1, 1, 4, 2, asinl) \
      op(acos, -1, 1, 3, 2, acosl) op(atan, -9, 9, 2, 2, atanl) op(sinh, -20, 20, 3, 2, sinhl)                        \
          op(cosh, -20, 20, 2, 2, coshl) op(tanh, -5, 5, 2, 2, tanhl) op(asinh, -50, 50, 3, 3, asinhl) op(            \
              acosh, 1, 50, 4, 3, acoshl) op(atanh, -1, 1, 3, 2, atanhl) op(exp, -80, 80, 2, 1, expl)                 \
              op(exp2, -120, 120, 2, 1, exp2l) op(exp10, -37, 37, 2, 1, exp10_l) op(expm1, -9, 30, 1, 1, expm1l) op(  \
                  log, 0.001, 9, 1, 1.5, logl) op(log2, 0.001, 9, 1, 1, log2l) op(log10, 0.001, 9, 2, 1, log10l)      \
                  op(log1p, -0.99, 50, 1, 1, log1pl) op(cbrt, -50, 50, 1, 1, cbrtl) op(rcbrt, 0.1, 50, 1, 1, rcbrt_l) \
                      op(rsqrt, 0.1, 50, 2, 1, rsqrt_l) op(sqrt, 0, 50, 0.51, 0.51, sqrtl) op(erf, -4, 4, 2, 2, erfl) \
                          op(erfc, -3, 9, 4, 5, erfcl) op(erfcx, -3, 9, 4, 4, erfcx_l)                                \
                              op(lgamma, 3, 60, 6, 4, lgammal) op(tgamma, 0.1, 30, 5, 10, tgammal)                    \
                                  op(sinpi, -9, 9, 2, 2, sinpi_l) op(cospi, -9, 9, 2, 2, cospi_l)                     \
                                      op(normcdf, -9, 5, 5, 5, normcdf_l) op(j0, 0, 60, -9e-8, -1.2e-12, j0_l)        \
                                          op(j1, 0, 60, -9e-8, -1.2e-12, j1_l) op(y0, 0.1, 60, -9e-8, -1.2e-12, y0_l) \
                                              op(y1, 0.2, 60, -5e-7, -1.2e-12, y1_l)                                  \
                                                  op(cyl_bessel_i0, -40, 40, 6, 6, i0_l)                              \
                                                      op(cyl_bessel_i1, -40, 40, 6, 6, i1_l)

enum {
#define NUMBER(name, low, high, single, wide, reference) k_##name,
  FUNCTIONS(NUMBER) kFunctions
};

template <class T>
__host__ __device__ T argument(int i, double low, double high) {
  return static_cast<T>(low + (high - low) * (i + 0.37) / kCount);
}

__global__ void singles(float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
#define SINGLE(name, low, high, single, wide, reference) \
  out[k_##name * kCount + i] = name##f(argument<float>(i, low, high));
  FUNCTIONS(SINGLE)
}
__global__ void doubles(double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
#define DOUBLE(name, low, high, single, wide, reference) \
  out[k_##name * kCount + i] = name(argument<double>(i, low, high));
  FUNCTIONS(DOUBLE)
}

/// 0 to 5: erfinv, erfcinv, normcdfinv in single, then in double precision.
__global__ void inverses(double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  out[i] = erfinvf(argument<float>(i, -1, 1));
  out[kCount + i] = erfcinvf(argument<float>(i, 0, 2));
  out[2 * kCount + i] = normcdfinvf(argument<float>(i, 0, 1));
  out[3 * kCount + i] = erfinv(argument<double>(i, -1, 1));
  out[4 * kCount + i] = erfcinv(argument<double>(i, 0, 2));
  out[5 * kCount + i] = normcdfinv(argument<double>(i, 0, 1));
}

template <class T>
void compare(const char* name, T got, long double x, double bound, long double want) {
  int exponent;
  frexpl(want, &exponent);
  const int digits = sizeof(T) == 4 ? FLT_MANT_DIG : DBL_MANT_DIG;
  const int least = sizeof(T) == 4 ? -149 : -1074;
  const long double unit = bound < 0 ? 1 : ldexpl(1, std::max(exponent - digits, least));
  const long double error = fabsl(static_cast<long double>(got) - want) / unit;
  if (!(error <= std::fabs(bound)) && failures()++ < 20) {
    std::printf("%s(%.17Lg) = %.17g, want %.20Lg: off by %Lg, allowed %g\n", name, x, static_cast<double>(got), want,
                error, bound);
  }
}

int main() {
  Shared<float> f(kFunctions * kCount);
  Shared<double> d(kFunctions * kCount), inverse(6 * kCount);
  singles<<<(kCount + 127) / 128, 128>>>(f.get());
  doubles<<<(kCount + 127) / 128, 128>>>(d.get());
  inverses<<<(kCount + 127) / 128, 128>>>(inverse.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) {
#define CHECK(name, low, high, single, wide, reference)                               \
  compare(#name "f", f[k_##name * kCount + i], argument<float>(i, low, high), single, \
          reference(argument<float>(i, low, high)));                                  \
  compare(#name, d[k_##name * kCount + i], argument<double>(i, low, high), wide,      \
          reference(argument<double>(i, low, high)));
    FUNCTIONS(CHECK)
    // One Newton step in long double from the result gives the true value.
    const long double slope = 2 / sqrtl(M_PIl);
    for (int wide = 0; wide < 2; ++wide) {
      auto value = [&](int which) { return static_cast<long double>(inverse[(3 * wide + which) * kCount + i]); };
      auto input = [&](double low, double high) {
        return wide ? static_cast<long double>(argument<double>(i, low, high))
                    : static_cast<long double>(argument<float>(i, low, high));
      };
      long double x = value(0), y = input(-1, 1);
      const long double residual = y < 0 ? erfcl(-x) - (1 + y) : (1 - y) - erfcl(x);
      long double want = x - residual / (slope * expl(-x * x));
      auto check = [&](const char* name, long double got, double bound) {
        if (wide) {
          compare(name, static_cast<double>(got), y, bound, want);
        } else {
          compare(name, static_cast<float>(got), y, bound, want);
        }
      };
      check("erfinv", x, 5);
      x = value(1), y = input(0, 2);
      want = x + (erfcl(x) - y) / (slope * expl(-x * x));
      check("erfcinv", x, 6);
      x = value(2), y = input(0, 1);
      want = x - (erfcl(-x / sqrtl(2)) / 2 - y) / (expl(-x * x / 2) / sqrtl(2 * M_PIl));
      check("normcdfinv", x, 7);
    }
  }
  return verdict();
}
