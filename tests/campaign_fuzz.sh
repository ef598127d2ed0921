#!/bin/bash
# Runs a fuzz target from its corpus for so many seconds. What it finds lies in build/asan/found.
#
#   tests/campaign_fuzz.sh TARGET SECONDS
set -euo pipefail

cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
name="$1"
build="$PWD/build/asan"
cmake --preset asan >/dev/null
cmake --build "$build" --parallel --target "$name"
mkdir -p "$build/found/$name"
"$build/tests/fuzz/$name" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="$build/found/crash-$name-" "$build/found/$name" "$(<"$build/tests/fuzz/$name.corpus")"
