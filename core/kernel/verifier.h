// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Why a sample can no longer become a program that compiles.
struct Stop
{
    int line = 0; ///< In the text fed so far, from 1.
    std::string reason;
    bool plan = false; ///< True: in a plan line.
};

/// Watches a kernel program while it is being written (paper A.3; docs/design.md 4). Plan lines are checked
/// as each ends; code at each `;`, `{` and `}`: brackets, the grammar of statements and expressions,
/// undeclared and redeclared names, arguments of functions, types of operands, conversions, what is const.
/// What it does not understand switches the sample to brackets only, and macros that could hide brackets to
/// nothing. It never stops a prefix of a program that NVRTC compiles.
class IncrementalVerifier
{
public:
    IncrementalVerifier();
    ~IncrementalVerifier();
    IncrementalVerifier(IncrementalVerifier&&) noexcept;
    IncrementalVerifier& operator=(IncrementalVerifier&&) noexcept;

    /// Appends text; pieces may end anywhere, also inside a character. After a stop every call repeats it.
    std::optional<Stop> feed(std::string_view piece);
    /// The text is complete: also reports what is unclosed or missing. Call once, last.
    std::optional<Stop> finish();

    enum class Mode
    {
        Plan,
        Full,
        BracketsOnly,
        Off
    };
    Mode mode() const; ///< How closely the text is being read by now.
    const std::string& text() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace sparserl
