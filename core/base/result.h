// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sparserl {

/// The kind of an Error. Code that distinguishes failures uses it, never the text.
enum class ErrorKind
{
    Failure,
    Interruption, ///< Not a failure: a CancelToken stopped the work (base/interruption.h).
    OutOfMemory,  ///< The work needed more memory than is available.
    NewerVersion  ///< A newer version wrote the file (base/format_number.h).
};

/// An expected failure as a sentence: what went wrong, where, and what the user can do about it.
struct Error
{
    std::string what;   ///< What went wrong: a sentence without its final full stop.
    std::string file;   ///< The file concerned, or empty.
    int line = 0;       ///< Line in `file`, from 1; 0 if unknown.
    std::string remedy; ///< What the user can do, or empty.
    ErrorKind kind = ErrorKind::Failure;

    /// Returns "FILE:LINE: WHAT. REMEDY" on one line, without the parts that are empty.
    std::string sentence() const;
};

/// A value or the reason for its absence. Use it for failures that users can cause. Programming errors fail
/// an assertion.
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

/// A failure because the work needed more memory than is available.
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
/// returns its error from the enclosing function. The first argument may also be an existing variable
/// (`m_rows`). Expands to several statements, so write it on its own line.
#define SPARSERL_TRY(target, ...)                                                                            \
    auto&& SPARSERL_TRY_NAME(sparserlTried, __LINE__) = (__VA_ARGS__);                                       \
    if (!SPARSERL_TRY_NAME(sparserlTried, __LINE__)) [[unlikely]]                                            \
        return ::tl::unexpected(std::move(SPARSERL_TRY_NAME(sparserlTried, __LINE__)).error());              \
    target = *std::move(SPARSERL_TRY_NAME(sparserlTried, __LINE__))

/// `SPARSERL_CHECK(writeRows(file));` returns any error from the enclosing function. Use it for a Status, or
/// for a Result whose value is not needed.
#define SPARSERL_CHECK(...)                                                                                  \
    do {                                                                                                     \
        if (auto&& sparserlChecked = (__VA_ARGS__); !sparserlChecked) [[unlikely]]                           \
            return ::tl::unexpected(std::move(sparserlChecked).error());                                     \
    } while (false)

#define SPARSERL_TRY_NAME(prefix, line) SPARSERL_TRY_JOIN(prefix, line)
#define SPARSERL_TRY_JOIN(prefix, line) prefix##line
