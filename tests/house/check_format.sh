#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ source stands as clang-format 14 writes it; programs that models may have written stay as they are.
#   tests/house/check_format.sh [--fix]
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v clang-format >/dev/null || { echo "check_format: clang-format is missing; packaging/setup installs it" >&2; exit 1; }
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
find app core packaging tests widgets \( -path tests/adversarial/programs -o -path tests/honest/programs \) -prune \
    -o \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 -n 50 -P "$(nproc)" clang-format "${mode[@]}"
