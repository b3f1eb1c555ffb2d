// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace sparserl {

/// The text of a program (any bytes) and its hash. Copies share both, so a text in requests, caches and
/// records is stored and hashed only once.
class ProgramText
{
public:
    ProgramText() = default;
    ProgramText(std::string text);
    ProgramText(const char* text)
        : ProgramText(std::string(text))
    {
    }

    const std::string& text() const { return m_shared ? m_shared->text : nothing().text; }
    operator const std::string&() const { return text(); }
    /// The SHA-256 of the text in hex, as in VerdictRecord::programHash.
    const std::string& hash() const { return m_shared ? m_shared->hash : nothing().hash; }
    friend bool operator==(const ProgramText& one, const ProgramText& other)
    {
        return one.m_shared == other.m_shared || one.text() == other.text();
    }

private:
    struct Hashed
    {
        std::string text, hash;
    };
    static const Hashed& nothing();

    std::shared_ptr<const Hashed> m_shared; ///< Null for the empty text.
};

} // namespace sparserl
