#!/bin/bash
# Runs a test of a build with sanitizers. The system's SystemC tells the sanitizer of each switch between coroutines, but
# what it leaves as the stack of the main thread may be that of a coroutine that has ended, whose memory is free: clang 14's
# leak checker then crashes while it looks there for pointers (in some runs of ten thousand on one kernel, in half of those
# of one test on another; never with fixed addresses). Such a run says nothing of the test: it is told, and repeated once
# without the search on stacks. Whatever else the run ends with is its result.
#
#   leaks_checked.sh command [argument...]
set -uo pipefail

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if ((status != 0)) && grep -q 'LeakSanitizer has encountered a fatal error' "$log"; then
  printf '\nThe leak checker crashed: once more, without stacks\n\n'
  status=0
  LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}use_stacks=0" "$@" 2>&1 || status=$?
fi
exit "$status"
