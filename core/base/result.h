// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sparserl {

/// An expected failure, told as a sentence: what went wrong, where, and what the user can do about it.
struct Error
{
    std::string what;   ///< What went wrong; a sentence without a final full stop.
    std::string file;   ///< The file it happened in, or empty.
    int line = 0;       ///< Line in `file` starting at 1, or 0.
    std::string remedy; ///< What to do now, or empty.

    /// "FILE:LINE: WHAT. REMEDY" on one line, leaving out what is empty.
    std::string sentence() const;
};

/// A value or the reason why there is none. For failures that users can cause; programming errors assert.
template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(std::string what, std::string remedy = {})
{
    return tl::unexpected(Error{std::move(what), {}, 0, std::move(remedy)});
}

inline tl::unexpected<Error> failAt(std::string file, int line, std::string what, std::string remedy = {})
{
    return tl::unexpected(Error{std::move(what), std::move(file), line, std::move(remedy)});
}

inline tl::unexpected<Error> fail(Error error)
{
    return tl::unexpected(std::move(error));
}

} // namespace sparserl
