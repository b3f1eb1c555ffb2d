#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A tracked file that begins with #! is executable in the repository, and no other file is: continuous integration and
# the documents call scripts by their names. Shell scripts parse.
set -euo pipefail
cd "$(dirname "$0")/../.."
bad=0
while IFS=$'\t' read -r entry path; do
    [ -f "$path" ] || continue
    mode=${entry%% *}
    IFS= read -r -n 2 start < "$path" 2>/dev/null || true
    if [ "$start" = '#!' ] && [ "$mode" != 100755 ]; then
        echo "check_scripts: $path begins with #! but is not executable: chmod +x and add it" >&2
        bad=1
    elif [ "$start" != '#!' ] && [ "$mode" = 100755 ]; then
        echo "check_scripts: $path is executable but does not begin with #!" >&2
        bad=1
    fi
    if [ "$start" = '#!' ] && IFS= read -r first < "$path" && [[ $first == *bash* ]]; then
        bash -n "$path" || bad=1
    fi
done < <(git ls-files -s)
exit $bad
