// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstddef>
#include <functional>

namespace sparserl {

/// Questions to a server, several of which are on their way at a time.
struct Questions
{
    std::size_t count = 0;
    int concurrent = 1;
    /// Asks the i-th one; on a thread of its own. What it throws becomes an Error.
    std::function<Status(std::size_t i)> ask;
    /// On the caller's thread: the i-th one is answered. May be empty.
    std::function<void(std::size_t i)> answered;
    /// On the caller's thread, many times per second while answers are awaited. May be empty.
    std::function<void()> meanwhile;
};

/// Asks in order. After a failure, those on their way are still answered and no other is asked, as it would
/// fail likewise. Returns the first failure, or interruption() if `cancel` came before all were answered.
Status askTogether(const Questions& questions, const CancelToken& cancel);

} // namespace sparserl
