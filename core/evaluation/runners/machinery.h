// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/flow.h"
#include "base/result.h"

#include <string>

namespace sparserl {

/// The owner of the runners, which receives reports about them.
class Machinery
{
public:
    virtual ~Machinery() = default;
    /// Receives a sentence about the runners.
    virtual void log(const std::string& sentence) = 0;
    /// Reports a failure of our machinery, not of a candidate, and stops all work. `co_await broken(error)`
    /// does not resume. (The argument is a reference, because GCC 12 destroys a braced temporary in a
    /// co_await expression twice.)
    Never broken(const Error& error)
    {
        breakDown(error);
        return {};
    }
    Never broken(Error&&) = delete;

protected:
    virtual void breakDown(Error error) = 0;
};

} // namespace sparserl
