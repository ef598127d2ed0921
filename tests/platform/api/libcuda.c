/* The driver API as a program finds it that knows nothing of Castor. Without argument: by dlopen of libcuda.so.1.
   LINKED: by the linker, -lcuda. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define STRING(name) #name
#define NAME(name) STRING(name)
#ifdef LINKED
#define GET(function) &function
#else
#define GET(function) dlsym(library, NAME(function))
#endif

static int failures = 0;
static void check(int good, const char* what) {
  if (good) return;
  printf("failed: %s\n", what);
  ++failures;
}
#define DONE(call) check((call) == CUDA_SUCCESS, #call)

int main(void) {
#ifndef LINKED
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  check(dlopen("libcuda.so", RTLD_NOW) == library, "both names are one library");
#endif
  CUresult (*init)(unsigned) = GET(cuInit);
  CUresult (*name_of)(char*, int, CUdevice) = GET(cuDeviceGetName);
  CUresult (*create)(CUcontext*, unsigned, CUdevice) = GET(cuCtxCreate);
  CUresult (*create_4)(CUcontext*, CUctxCreateParams*, unsigned, CUdevice) = GET(cuCtxCreate_v4);
  CUresult (*pop)(CUcontext*) = GET(cuCtxPopCurrent);
  CUresult (*allocate)(CUdeviceptr*, size_t) = GET(cuMemAlloc);
  CUresult (*fill)(CUdeviceptr, unsigned, size_t) = GET(cuMemsetD32);
  CUresult (*copy)(void*, CUdeviceptr, size_t) = GET(cuMemcpyDtoH);
  if (!init || !name_of || !create || !create_4 || !pop || !allocate || !fill || !copy) {
    printf("a function is missing\n");
    return 1;
  }
  char name[64] = "";
  CUcontext context = NULL, other = NULL;
  CUdeviceptr memory = 0;
  unsigned value[4] = {0, 0, 0, 0};
  DONE(init(0));
  DONE(name_of(name, sizeof name, 0));
  check(strncmp(name, "Castor ", 7) == 0, name);
  DONE(create(&context, 0, 0));
  DONE(create_4(&other, NULL, 0, 0));
  check(context != NULL && context == other, "there is one context");
  DONE(pop(NULL));
  DONE(allocate(&memory, sizeof value));
  DONE(fill(memory, 42, 4));
  DONE(copy(value, memory, sizeof value));
  check(value[0] == 42 && value[3] == 42, "memory");
  if (failures == 0) printf("all checks passed\n");
  return failures != 0;
}
