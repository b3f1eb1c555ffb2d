// SPDX-License-Identifier: Apache-2.0
#include "kernel/verifier.h"

#include "base/printable.h"
#include "kernel/code_checker.h"
#include "kernel/plan_reader.h"
#include "kernel/text_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

struct IncrementalVerifier::State
{
    /// The whole of it at once: tokens point into the text, so it must never move.
    State() { text.reserve(maxProgramBytes); }

    std::string text;
    std::size_t lineStart = 0; ///< Offset of the line being written.
    std::size_t searched = 0;  ///< No end of that line before here,
    std::size_t blankTo = 0;   ///< and nothing but blanks.
    int lineNumber = 1;
    PlanReader reader;
    Lexer lexer;
    CodeChecker checker;
    std::optional<Stop> stop;

    std::optional<Stop> readLines();
    std::optional<Stop> readLine(std::string_view line);
    std::optional<Stop> enterCode();
    std::optional<Stop> readTokens(bool last);
    /// Names in it can be as long as the text.
    const std::optional<Stop>& shortenReason()
    {
        if (stop)
            stop->reason = shortened(std::move(stop->reason));
        return stop;
    }
};

std::optional<Stop> IncrementalVerifier::State::enterCode()
{
    if (const auto plan = reader.finish(lineNumber); !plan)
        return Stop{plan.error().line, plan.error().reason + " before the first line of code", true};
    for (const PlanConst& constant : reader.plan().consts)
        checker.predeclare(constant.name);
    return std::nullopt;
}

std::optional<Stop> IncrementalVerifier::State::readLine(std::string_view line)
{
    const bool before = reader.inCode();
    const auto kind = reader.read(line, lineNumber);
    if (!kind)
        return Stop{kind.error().line, kind.error().reason, true};
    return !before && reader.inCode() ? enterCode() : std::nullopt;
}

std::optional<Stop> IncrementalVerifier::State::readLines()
{
    while (true) {
        const std::size_t feed = text.find('\n', std::max(searched, lineStart));
        if (feed == std::string::npos)
            break;
        std::string_view line = std::string_view(text).substr(lineStart, feed - lineStart);
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        if (auto reason = readLine(line))
            return reason;
        lineStart = feed + 1;
        ++lineNumber;
    }
    searched = text.size();
    // The line being written: code shows by its first characters, a plan line only when it ends.
    const std::string_view line = std::string_view(text).substr(lineStart);
    blankTo = std::min(text.find_first_not_of(" \t\v\f\r", std::max(blankTo, lineStart)), text.size());
    if (blankTo == text.size())
        return std::nullopt;
    const std::string_view content = std::string_view(text).substr(blankTo);
    const bool slashes = content.substr(0, 2) == std::string_view("//").substr(0, content.size());
    if (reader.inCode())
        return content.substr(0, 3) == "//!" ? readLine(line) : std::nullopt;
    return slashes ? std::nullopt : readLine(line);
}

std::optional<Stop> IncrementalVerifier::State::readTokens(bool last)
{
    if (!reader.inCode())
        return std::nullopt;
    while (checker.mode() != Mode::Off) {
        const auto token = lexer.next(text, last);
        if (!token)
            break;
        if (auto reason = checker.take(*token))
            return reason;
    }
    return std::nullopt;
}

IncrementalVerifier::IncrementalVerifier()
    : m_state(std::make_unique<State>())
{
}

IncrementalVerifier::~IncrementalVerifier() = default;
IncrementalVerifier::IncrementalVerifier(IncrementalVerifier&&) noexcept = default;
IncrementalVerifier& IncrementalVerifier::operator=(IncrementalVerifier&&) noexcept = default;

std::optional<Stop> IncrementalVerifier::feed(std::string_view piece)
{
    State& s = *m_state;
    if (s.stop)
        return s.stop;
    if (s.text.size() + piece.size() > maxProgramBytes)
        return s.stop = Stop{s.lineNumber, fmt::format("more than {} bytes", maxProgramBytes), true};
    if (piece.find('\0') != std::string_view::npos)
        return s.stop = Stop{s.lineNumber, "the text contains a NUL byte", true};
    s.text += piece;
    s.stop = s.readLines();
    if (!s.stop)
        s.stop = s.readTokens(false);
    return s.shortenReason();
}

std::optional<Stop> IncrementalVerifier::finish()
{
    State& s = *m_state;
    if (!s.stop)
        s.stop = s.readTokens(true);
    if (!s.stop && s.reader.inCode())
        s.stop = s.checker.finish();
    if (!s.stop) {
        if (const auto program = parseProgram(s.text); !program)
            s.stop = Stop{program.error().line, program.error().reason, true};
    }
    return s.shortenReason();
}

IncrementalVerifier::Mode IncrementalVerifier::mode() const
{
    return m_state->reader.inCode() ? m_state->checker.mode() : Mode::Plan;
}

const std::string& IncrementalVerifier::text() const
{
    return m_state->text;
}

} // namespace sparserl
