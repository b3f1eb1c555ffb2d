// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace sparserl {

/// The memory and the remaining steps for matching patterns in one text, for one thread. The number of steps
/// is limited because a pattern from a file may take exponential time.
class PatternWork
{
public:
    /// Allows enough memory and steps for a text of this many bytes and for the texts that a tokenizer's
    /// steps make from it.
    explicit PatternWork(std::size_t textBytes);
    ~PatternWork();
    PatternWork(const PatternWork&) = delete;
    PatternWork& operator=(const PatternWork&) = delete;

    struct Impl;

private:
    friend class TextPattern;
    std::unique_ptr<Impl> m_impl;
};

/// A compiled regular expression for UTF-8. A value type; copies share the compiled code. Thread-safe.
class TextPattern
{
public:
    /// Compiles a pattern from a tokenizer.json (pattern_syntax.h).
    static Result<TextPattern> compile(std::string_view pattern);
    /// Returns a pattern that matches this text literally. The text must be UTF-8 and not empty.
    static Result<TextPattern> literal(std::string_view text);

    /// Calls `take` with the begin and the end of each match, in order. As with Oniguruma, a match may be
    /// empty, but not at the end of the previous match. `text` must be UTF-8. Throws a Failure if the pattern
    /// needs too many steps or too much memory.
    void forEachMatch(std::string_view text, PatternWork& work,
                      const std::function<void(std::size_t begin, std::size_t end)>& take) const;

private:
    struct Code;
    std::shared_ptr<const Code> m_code;
};

} // namespace sparserl
