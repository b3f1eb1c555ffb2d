// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "runner/call_rules.h"

namespace sparserl {

/// How a call is refused.
enum class Refusal
{
    Error, ///< The call fails as if permission were missing (EACCES, EPERM), or as if the kernel did not know
           ///< it.
    Marked,    ///< The call fails with `markedError`, which no call returns otherwise. For tests.
    Witnessed, ///< Another process counts the call and returns the same error as `Error` (runner/witness.h).
};
constexpr int markedError = 4001;

enum class CallList
{
    Needed,    ///< callRules(): the calls that the role needs.
    NotHarmful ///< Everything except neverAllowed(). Only for the role Gpu.
};

/// The error of a refused call of the role.
int refusedWith(LockedRole role, int call);

/// Filters the system calls of this process and all its threads, permanently. Also refuses calls of other
/// architectures and of x32. For Witnessed, returns the descriptor on which the witness answers
/// (close-on-exec), otherwise -1. Fails if this kernel does not support this.
Result<int> filterCalls(LockedRole role, CallList list = CallList::Needed, Refusal refusal = Refusal::Error);

} // namespace sparserl
