// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace sparserl {

/// What work says that its CancelToken ended before it was complete. Whoever asked for the end must tell it
/// from a failure that came at the same time, which a look at the token cannot.
inline Error interruption()
{
    return {"The work was interrupted", {}, 0, {}, ErrorKind::Interruption};
}

/// Whether an error is that of interruption(), whatever somebody on its way has made of its text.
inline bool isInterruption(const Error& error)
{
    return error.kind == ErrorKind::Interruption;
}

} // namespace sparserl
