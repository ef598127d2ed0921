#!/bin/bash
# Set-up, build and main job: compiles unmodified CUDA programs with castor-cc and runs them.
#
#   platforms/quickstart.sh
set -euo pipefail
exec </dev/null

root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
build="$root/build/release"
programs="$build/quickstart"

"$root/cmake/install-packages.sh" first
cd "$root"
# Builds only what a user runs. tests/run.sh configures and builds tests and benchmarks in the same folder.
mkdir -p "$build"
cmake --preset release -DCASTOR_BUILD_TESTS=OFF -DCASTOR_BUILD_BENCHMARKS=OFF >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 1; }
cmake --build "$build" --parallel "$(nproc)" --target castor castor-cc castor_cudart castor_manual

mkdir -p "$programs"
cd "$programs"
export PATH="$build/bin:$PATH"
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

for program in vector_add matmul reduction; do
  printf '\n$ castor-cc -O2 sw/kernels/%s.cu -o %s\n' "$program" "$program"
  castor-cc -O2 "$root/sw/kernels/$program.cu" -o "$program"
  show "./$program"
done
show castor list kernels ./matmul
show castor run --platform kepler_k20c_study --summary --timeline matmul-timeline.json ./matmul --n 200

printf '\nPrograms and timeline (open it at ui.perfetto.dev) lie in %s, castor-cc and castor in %s\n' "$programs" "$build/bin"
