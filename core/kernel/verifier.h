// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The reason why no continuation of a sample is a program that compiles.
struct Stop
{
    int line = 0; ///< The line in the text so far, from 1.
    std::string reason;
    bool plan = false; ///< The fault is in a plan line.
};

/// Checks a kernel program while it is being generated (paper A.3; docs/design.md 4). It checks each plan
/// line at the end of the line, and code at each `;`, `{` and `}`. For code, it checks brackets, the grammar
/// of statements and expressions, undeclared and redeclared names, function arguments, operand types,
/// conversions and constness. After code that it does not understand, it checks only brackets; after macros
/// that could hide brackets, it checks nothing. It never stops a prefix of a program that NVRTC compiles.
class IncrementalVerifier
{
public:
    IncrementalVerifier();
    ~IncrementalVerifier();
    IncrementalVerifier(IncrementalVerifier&&) noexcept;
    IncrementalVerifier& operator=(IncrementalVerifier&&) noexcept;

    /// Appends text. Pieces may end anywhere, even inside a character. After a Stop, every call returns this
    /// Stop again.
    std::optional<Stop> feed(std::string_view piece);
    /// Ends the text and also reports unclosed or missing parts. Call it once, after the last feed().
    std::optional<Stop> finish();

    enum class Mode
    {
        Plan,
        Full,
        BracketsOnly,
        Off
    };
    Mode mode() const; ///< The current level of checks.
    const std::string& text() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace sparserl
