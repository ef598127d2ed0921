#!/bin/bash
# The long tests, which .ci/run leaves out: in parts of at most an hour, each recorded. docs/campaign.md says what they are.
#
#   tests/campaign.sh              every part that has not passed on this tree
#   tests/campaign.sh PART...      these parts, if they have not passed on this tree; a name followed by * stands for all
#                                  parts that begin so
#   tests/campaign.sh list         the parts, with what became of them
#
# A campaign that was stopped goes on with the part that it was in. The exit code is 0 if all wanted parts have passed.
set -euo pipefail
exec </dev/null
exec python3 -B "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/campaign.py" "$@"
