// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/flow.h"
#include "base/result.h"

#include <string>

namespace sparserl {

/// Whose runners are at work: it hears what becomes of them.
class Machinery
{
public:
    virtual ~Machinery() = default;
    /// A sentence about the runners.
    virtual void log(const std::string& sentence) = 0;
    /// Our machinery failed, no candidate: nothing goes on any more. `co_await broken(error)` does not come
    /// back. (By reference: GCC 12 destroys what is made of braces within a co_await twice.)
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
