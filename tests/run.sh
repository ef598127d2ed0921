#!/bin/bash
# Set-up, build, all tests. The last line is "N passed, N failed"; the exit code is 0 only if tests ran and none failed.
#
#   tests/run.sh [preset] [ctest arguments...]      default preset: release
#   CASTOR_TEST_TARGETS     what to build, if not everything
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

"$root/cmake/install-packages.sh"
cd "$root"
if ! { cmake --preset "$preset" && cmake --build "$build" --parallel "$jobs" --target ${CASTOR_TEST_TARGETS:-all}; }; then
  echo "tests/run.sh: the build failed" >&2
  echo "0 passed, 1 failed"
  exit 1
fi

rm -rf "$build/test-results"
mkdir -p "$build/test-results"
status=0
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error \
  --output-junit "$build/test-results/ctest.xml" "$@" || status=$?
# ctest's own verdict stands beside the count: a test it could not even start must not pass for nothing.
python3 tests/summarise.py "$build/test-results" || status=1
exit "$status"
