// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace sparserl {

/// Working state of pattern matching for one text and one thread: memory and the remaining step budget. A
/// pattern from a file may take exponential time.
class PatternWork
{
public:
    /// For patterns over a text of this many bytes and its transformations.
    explicit PatternWork(std::size_t textBytes);
    ~PatternWork();
    PatternWork(const PatternWork&) = delete;
    PatternWork& operator=(const PatternWork&) = delete;

    struct Impl;

private:
    friend class TextPattern;
    std::unique_ptr<Impl> m_impl;
};

/// A compiled regular expression over UTF-8. A value type; copies share it. Thread-safe.
class TextPattern
{
public:
    /// Compiles a pattern of a tokenizer.json (pattern_syntax.h).
    static Result<TextPattern> compile(std::string_view pattern);
    /// Matches this non-empty UTF-8 text literally.
    static Result<TextPattern> literal(std::string_view text);

    /// Calls the function with begin and end of each match in order, iterating like Oniguruma: matches may be
    /// empty, but not at the end of the previous match. `text` is UTF-8. Throws a Failure if the pattern
    /// exceeds the step or memory budget.
    void forEachMatch(std::string_view text, PatternWork& work,
                      const std::function<void(std::size_t begin, std::size_t end)>& take) const;

private:
    struct Code;
    std::shared_ptr<const Code> m_code;
};

} // namespace sparserl
