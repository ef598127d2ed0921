#!/bin/bash
# Sets up, builds, and tries everything that a user's build contains: programs, blocks with their RTL, documents, the
# installed package; and the unit tests that every compiler has to pass. The others run under sanitizers (.ci/run unit). The last line is "N passed, N failed"; the exit code is 0 only if tests ran and none failed.
#
#   tests/run.sh [preset] [ctest arguments...]      default preset: release
#   CASTOR_TEST_TARGETS     what to build, if not everything
#   CASTOR_TEST_UNIT        unit tests: compiler (default), those that every compiler has to pass; all
#   CASTOR_TEST_ORDER       "random": tests in random order
set -euo pipefail
exec </dev/null

root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
preset=release
if (($# > 0)) && [[ $1 != -* ]]; then
  preset="$1"
  shift
fi
build="$root/build/$preset"
jobs="$(nproc)"
order=()
[[ ${CASTOR_TEST_ORDER:-} != random ]] || order=(--schedule-random)

"$root/cmake/install-packages.sh"
cd "$root"
if ! { cmake --preset "$preset" "-DCASTOR_TEST_UNIT=${CASTOR_TEST_UNIT:-compiler}" &&
  cmake --build "$build" --parallel "$jobs" --target ${CASTOR_TEST_TARGETS:-all}; }; then
  echo "tests/run.sh: the build failed" >&2
  echo "0 passed, 1 failed"
  exit 1
fi

rm -rf "$build/test-results"
mkdir -p "$build/test-results"
status=0
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error "${order[@]}" \
  --output-junit "$build/test-results/ctest.xml" "$@" || status=$?
# ctest's own verdict stands beside the count: a test it could not even start must not pass for nothing.
python3 tests/summarise.py "$build/test-results" || status=1
exit "$status"
