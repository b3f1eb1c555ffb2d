// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace sparserl {

/// What matching needs besides patterns, for one text and one thread: memory, and how many steps are left. A
/// pattern out of a file may take time that is exponential in the text.
class PatternWork
{
public:
    /// For patterns over a text of so many bytes and what is made of it.
    explicit PatternWork(std::size_t textBytes);
    ~PatternWork();
    PatternWork(const PatternWork&) = delete;
    PatternWork& operator=(const PatternWork&) = delete;

    struct Impl;

private:
    friend class TextPattern;
    std::unique_ptr<Impl> m_impl;
};

/// A compiled regular expression over UTF-8. A value; copies share it; may be used from several threads.
class TextPattern
{
public:
    /// Of a tokenizer.json (pattern_syntax.h).
    static Result<TextPattern> compile(std::string_view pattern);
    /// Finds this text, which is not empty and UTF-8.
    static Result<TextPattern> literal(std::string_view text);

    /// Calls with begin and end of each match in order, as Oniguruma iterates: matches may be empty, but not
    /// where the one before ended. `text` is UTF-8. Throws a Failure where the pattern takes more steps or
    /// memory than a pre-tokenizer's may.
    void forEachMatch(std::string_view text, PatternWork& work,
                      const std::function<void(std::size_t begin, std::size_t end)>& take) const;

private:
    struct Code;
    std::shared_ptr<const Code> m_code;
};

} // namespace sparserl
