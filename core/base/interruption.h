// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace sparserl {

/// The Error of work that its CancelToken stopped early. It lets the caller tell an interruption from a
/// failure that happens at the same moment; the state of the token alone does not.
inline Error interruption()
{
    return {"The work was interrupted", {}, 0, {}, ErrorKind::Interruption};
}

/// Whether an error came from interruption(), even if its text was changed on the way.
inline bool isInterruption(const Error& error)
{
    return error.kind == ErrorKind::Interruption;
}

} // namespace sparserl
