// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "runner/call_rules.h"

namespace sparserl {

/// What happens when a process makes a refused call.
enum class Refusal
{
    Error, ///< The call fails as if permission were missing (EACCES, EPERM), or as if the kernel did not know
           ///< it.
    Marked,    ///< The call fails with `markedError`, which no call returns otherwise. Used in tests.
    Witnessed, ///< Another process counts the call and returns the same error as `Error` (runner/witness.h).
};
constexpr int markedError = 4001;

enum class CallList
{
    Needed,    ///< Allows the calls that the role needs: callRules().
    NotHarmful ///< Allows all calls except neverAllowed(). Used only for the role Gpu.
};

/// Returns the errno value with which a role's call is refused.
int refusedWith(LockedRole role, int call);

/// Permanently filters the system calls of this process and all its threads. Also refuses calls of other
/// architectures and of x32. Returns the descriptor on which the witness answers (close-on-exec) for
/// Witnessed, otherwise -1. Fails if the kernel cannot filter calls.
Result<int> filterCalls(LockedRole role, CallList list = CallList::Needed, Refusal refusal = Refusal::Error);

} // namespace sparserl
