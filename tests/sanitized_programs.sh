#!/bin/bash
# The tests of CUDA programs of one build, over the runtime of a build with sanitizers, which is loaded in its place. The
# programs themselves are not instrumented; what they call is. The runtime's build is clang's, the other g++'s: both must
# give the same output, cycles and statistics, which counts as one test more. The last line is "N passed, N failed".
#
#   tests/sanitized_programs.sh <build folder> <build folder with sanitizers> [all]
#
# Runs the tests with the label "sanitized" (castor_runs_over_sanitizers), or all that can be run so.
set -euo pipefail

root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
build="$(readlink -f "$1")"
sanitized="$(readlink -f "$2")"
library="$(dirname "$(find "$sanitized" -name libcastor_cudart.so -print -quit)")"
[[ -e $library/libcastor_cudart.so ]] || { echo "no libcastor_cudart.so in $sanitized"; exit 1; }
program="$(find "$build/kernels" -type f -executable -print -quit)"
loaded="$(LD_LIBRARY_PATH="$library" ldd "$program")"  # in full: a pipe that ends early would look like a failure
grep -q "$library/libcastor_cudart.so" <<<"$loaded" ||
  { echo "$program does not follow LD_LIBRARY_PATH"; exit 1; }

results="$sanitized/test-results-programs"
rm -rf "$results"
mkdir -p "$results"
status=0
# Tests that say nothing of the runtime, or have a program of their own: platforms elaborated by the test, the castor
# command with its experiments, waves and reports, documents, the library under its other name; and what needs RTL.
elsewhere='_at_O0$|^cli$|^command_line$|^kernels_report$|^python_package$|^looking$|^experiment_|^api_libcuda$'
elsewhere+='|^kernel_groups$|^documents_typed_as_they_stand$|^cuda_document_is_up_to_date$|^kernel_arguments$|^evidence_is_fresh_or_due$|_engines$|^policies_|^timing_|^lockstep_|_platform_test$'
chosen=(-L '^sanitized$')
[[ ${3:-} != all ]] || chosen=(-L '^platform$' -E "$elsewhere")
# What these runs cost stands beside their results, not among those of the build's own tests.
own="$build/test-results/costs.txt"
touch "$own"
mv "$own" "$own.own"
trap 'mv "$own.own" "$own"' EXIT
# A report ends the program with a code that no test expects. Programs keep what they allocate, as CUDA's do; leaks of
# the runtime are found by the unit tests. The sanitized runtime has no RTL: tests of a block's engines need the build's own.
env LD_LIBRARY_PATH="$library" LD_PRELOAD="$(clang++-14 -print-file-name=libclang_rt.asan-x86_64.so)" \
  CASTOR_TEST_RUNS="$results/runs" \
  CASTOR_TEST_MACHINES=1 CASTOR_TEST_FIRST_RUN=1 \
  ASAN_OPTIONS=detect_leaks=0:exitcode=77 UBSAN_OPTIONS=exitcode=77:print_stacktrace=1 \
  ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --no-tests=error "${chosen[@]}" \
  --output-junit "$results/ctest.xml" || status=$?
mv "$own" "$results/costs.txt"
equal=1
"$root/tests/compare_runs.py" "$build/test-results/runs" "$results/runs" || equal=0 status=1
python3 "$root/tests/summarise.py" "$results" >"$results/summary.txt" || status=1
sed '$d' "$results/summary.txt"
tail -n 1 "$results/summary.txt" |
  awk -v equal="$equal" '{printf "%d passed, %d failed\n", $1 + equal, $3 + 1 - equal}'
exit "$status"
