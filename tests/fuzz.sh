#!/bin/bash
# Runs a fuzz target of the build with sanitizers, from its corpus; it is built before. What it finds lies in
# build/asan/found; the corpus in the tree changes only by hand.
#
#   tests/fuzz.sh TARGET OPTION...      such as -max_total_time=60, of libFuzzer
set -euo pipefail

name="$1"
shift
build="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")/build/asan"
mkdir -p "$build/found/$name"
"$build/tests/fuzz/$name" -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$build/found/crash-$name-" "$@" \
  "$build/found/$name" "$(<"$build/tests/fuzz/$name.corpus")"
