// Names and texts of error codes, as CUDA's.

#include "cuda_runtime_api.h"
#include "runtime/session.h"

namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
#define CASTOR_ERROR(code, text) {code, #code, text},
#include "runtime/error_texts.inc"
#undef CASTOR_ERROR
};

const ErrorText* find(cudaError_t code) {
  for (const ErrorText& error : kErrors) {
    if (error.code == code) return &error;
  }
  return nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError(void) {
  cudaError_t& last = castor::runtime::last_error();
  const cudaError_t error = last;
  last = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return castor::runtime::last_error(); }

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* const found = find(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* const found = find(error);
  return found == nullptr ? "unrecognized error code" : found->text;
}

}  // extern "C"
