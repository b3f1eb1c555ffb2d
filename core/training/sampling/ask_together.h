// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstddef>
#include <functional>

namespace sparserl {

/// Questions to a server. Up to `concurrent` of them wait for their answers at the same time.
struct Questions
{
    std::size_t count = 0;
    int concurrent = 1;
    /// Asks question i, on a thread of its own. An exception becomes an Error.
    std::function<Status(std::size_t i)> ask;
    /// Called on the caller's thread after question i was answered. May be empty.
    std::function<void(std::size_t i)> answered;
    /// Called on the caller's thread many times per second, until all questions are answered. May be empty.
    std::function<void()> meanwhile;
};

/// Asks all questions, in order. After a failure, asks no further question, because it would fail, too;
/// questions that were asked before are still answered. Returns the first failure, or interruption() if
/// `cancel` came before all questions were answered.
Status askTogether(const Questions& questions, const CancelToken& cancel);

} // namespace sparserl
