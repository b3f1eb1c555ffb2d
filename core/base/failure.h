// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <stdexcept>
#include <utility>

namespace sparserl {

/// Carries an Error out of a computation that cannot return a Result, such as a loop over tensors. The caller
/// of the whole computation (a command, a stage) catches it and returns its Error.
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
