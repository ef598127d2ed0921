#!/bin/bash
# Set-up, build, all tests. The last line is "N passed, N failed"; the exit code is 0 only if tests ran and none failed.
#
#   tests/run.sh [preset] [ctest arguments...]      default preset: release
#   CASTOR_TEST_TARGETS     what to build, if not everything
#   CASTOR_LADDER           hardware blocks that run all their tests, the others run a sample: changed (default: those whose
#                           sources are not the ones with which they last passed them, tests/ladder.py), all, or names
#                           separated by semicolons
#   CASTOR_TEST_HOUSE       tests of what is no block's: ON; with_blocks, those in which blocks take part; OFF (default: ON, and
#                           with_blocks if nothing but blocks has changed since all of them passed, tests/ladder.py house)
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
ladder="${CASTOR_LADDER:-changed}"
if [[ $ladder == changed ]]; then
  ladder="$(tests/ladder.py changed | paste -sd ';')"
fi
house="${CASTOR_TEST_HOUSE:-ON}"
if [[ -z ${CASTOR_TEST_HOUSE:-} && ${CASTOR_LADDER:-changed} == changed && $(tests/ladder.py house) == "as recorded" ]]; then
  house=with_blocks
fi
if ! { cmake --preset "$preset" "-DCASTOR_LADDER=${ladder:-none}" "-DCASTOR_TEST_HOUSE=$house" && cmake --build "$build" --parallel "$jobs" --target ${CASTOR_TEST_TARGETS:-all}; }; then
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
