// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "runner/call_rules.h"

namespace sparserl {

/// What becomes of a call that is refused.
enum class Refusal
{
    Error,  ///< It fails as if permission was missing (EACCES, EPERM), or as if the kernel did not know it.
    Marked, ///< It fails with `markedError`, which no call gives: for tests.
    Witnessed, ///< Another process is asked, which counts it and says the same as `Error` (runner/witness.h).
};
constexpr int markedError = 4001;

enum class CallList
{
    Needed,    ///< callRules(): what the role needs.
    NotHarmful ///< Everything but neverAllowed(), for the role Gpu only.
};

/// What a refused call of the role fails with.
int refusedWith(LockedRole role, int call);

/// Filters the system calls of this process and all its threads, for good. Also refused are calls of other
/// architectures and of x32. Returns the descriptor of who is asked (Witnessed; close-on-exec), else -1.
/// Fails where this kernel cannot do that.
Result<int> filterCalls(LockedRole role, CallList list = CallList::Needed, Refusal refusal = Refusal::Error);

} // namespace sparserl
