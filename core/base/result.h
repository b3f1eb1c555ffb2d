// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sparserl {

/// What kind of failure an Error is: decides by itself, never by its text.
enum class ErrorKind
{
    Failure,
    Interruption, ///< None of it: a CancelToken ended the work (base/interruption.h).
    OutOfMemory,  ///< The work asked for more memory than there is.
    NewerVersion  ///< A newer version has written the file (base/format_number.h).
};

/// An expected failure, told as a sentence: what went wrong, where, and what the user can do about it.
struct Error
{
    std::string what;   ///< What went wrong; a sentence without a final full stop.
    std::string file;   ///< The file it happened in, or empty.
    int line = 0;       ///< Line in `file` starting at 1, or 0.
    std::string remedy; ///< What to do now, or empty.
    ErrorKind kind = ErrorKind::Failure;

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

/// A failure because more memory was asked for than there is.
inline tl::unexpected<Error> failOutOfMemory(std::string what, std::string remedy = {})
{
    return tl::unexpected(Error{std::move(what), {}, 0, std::move(remedy), ErrorKind::OutOfMemory});
}

inline tl::unexpected<Error> fail(Error error)
{
    return tl::unexpected(std::move(error));
}

} // namespace sparserl

/// `SPARSERL_TRY(const auto rows, readRows(file));` declares `rows` with the value that readRows returned, or
/// returns its error from the function around. The first argument may also be a variable that exists
/// (`m_rows`). A statement, to be written on a line of its own: it expands to several.
#define SPARSERL_TRY(target, ...)                                                                            \
    auto&& SPARSERL_TRY_NAME(sparserlTried, __LINE__) = (__VA_ARGS__);                                       \
    if (!SPARSERL_TRY_NAME(sparserlTried, __LINE__)) [[unlikely]]                                            \
        return ::tl::unexpected(std::move(SPARSERL_TRY_NAME(sparserlTried, __LINE__)).error());              \
    target = *std::move(SPARSERL_TRY_NAME(sparserlTried, __LINE__))

/// `SPARSERL_CHECK(writeRows(file));` returns the error from the function around if there is one. For a
/// Status, or where a Result's value is not wanted.
#define SPARSERL_CHECK(...)                                                                                  \
    do {                                                                                                     \
        if (auto&& sparserlChecked = (__VA_ARGS__); !sparserlChecked) [[unlikely]]                           \
            return ::tl::unexpected(std::move(sparserlChecked).error());                                     \
    } while (false)

#define SPARSERL_TRY_NAME(prefix, line) SPARSERL_TRY_JOIN(prefix, line)
#define SPARSERL_TRY_JOIN(prefix, line) prefix##line
