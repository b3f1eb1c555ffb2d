// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <stdexcept>
#include <utility>

namespace sparserl {

/// An Error from the middle of a computation that has no Result to hand it through, such as a loop over
/// tensors. The one who runs the whole computation (a command, a stage) catches it and goes on with its
/// Error.
class Failure : public std::runtime_error
{
public:
    explicit Failure(Error error)
        : std::runtime_error(error.sentence())
        , m_error(std::move(error))
    {
    }
    const Error& error() const { return m_error; }

private:
    Error m_error;
};

} // namespace sparserl
