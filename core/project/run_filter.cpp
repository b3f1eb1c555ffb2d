// SPDX-License-Identifier: Apache-2.0
#include "project/run_filter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace sparserl {
namespace {

constexpr std::array<std::string_view, 8> textKeys{"name", "stage",  "status",    "tag",
                                                   "host", "preset", "algorithm", "from"};
constexpr std::array<std::string_view, 4> numberKeys{"last", "step", "programs", "checkpoints"};
constexpr std::array<std::string_view, 4> states{"starred", "archived", "shown", "running"};

std::string lower(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

bool has(const std::string& text, const std::string& part)
{
    return lower(text).find(part) != std::string::npos;
}

template <std::size_t N>
bool known(const std::array<std::string_view, N>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words;
    std::string word;
    bool quoted = false, any = false;
    for (const char c : text) {
        if (c == '"') {
            quoted = !quoted;
            any = true;
        } else if (!quoted && (c == ' ' || c == '\t')) {
            if (any)
                words.push_back(std::exchange(word, {}));
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    if (any)
        words.push_back(word);
    return words;
}

bool isIn(const std::string& state, const RunSummary& run)
{
    if (state == "starred")
        return run.notes.starred;
    if (state == "archived")
        return run.notes.archived;
    if (state == "shown")
        return run.notes.shown;
    return run.hasWorker;
}

double numberOf(const std::string& key, const RunSummary& run)
{
    if (key == "last")
        return run.headline.empty() ? std::nan("") : run.lastValue;
    if (key == "step")
        return static_cast<double>(run.step);
    if (key == "programs")
        return static_cast<double>(run.samples);
    return static_cast<double>(run.checkpoints);
}

bool hasTag(const RunSummary& run, const std::string& part)
{
    return std::any_of(run.notes.tags.begin(), run.notes.tags.end(),
                       [&](const std::string& tag) { return has(tag, part); });
}

bool textHolds(const std::string& key, const std::string& value, const RunSummary& run)
{
    if (key == "name")
        return has(run.name, value) || has(run.title, value);
    if (key == "stage")
        return has(run.stage, value);
    if (key == "status")
        return has(std::string(nameOf(run.status)), value);
    if (key == "tag")
        return hasTag(run, value);
    if (key == "preset")
        return has(run.preset, value);
    if (key == "algorithm")
        return has(run.algorithm, value);
    if (key == "host")
        return run.remote && has(run.remote->host, value);
    return has(run.parentRun, value);
}

} // namespace

std::vector<std::string> RunFilter::words()
{
    std::vector<std::string> words;
    words.reserve(states.size() + textKeys.size() + numberKeys.size());
    for (const std::string_view state : states)
        words.push_back(fmt::format("is:{}", state));
    for (const std::string_view key : textKeys)
        words.push_back(fmt::format("{}:", key));
    for (const std::string_view key : numberKeys)
        words.push_back(fmt::format("{}>", key));
    return words;
}

Result<RunFilter> RunFilter::parse(std::string_view text)
{
    RunFilter filter;
    for (std::string& word : wordsOf(text)) {
        SPARSERL_TRY(auto term, parseTerm(std::move(word)));
        filter.m_archived = filter.m_archived || (term.key == "is" && term.value == "archived");
        filter.m_terms.push_back(std::move(term));
    }
    return filter;
}

Result<RunFilter::Term> RunFilter::parseTerm(std::string word)
{
    Term term;
    if (word.size() > 1 && word.front() == '-') {
        term.negated = true;
        word.erase(0, 1);
    }
    const auto at = word.find_first_of(":<>=");
    const std::string key = at == std::string::npos ? std::string() : lower(word.substr(0, at));
    const bool plain = at == std::string::npos || key.empty() ||
                       !std::all_of(key.begin(), key.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (plain) {
        term.value = lower(word);
        return term;
    }
    term.key = key;
    term.comparison = word[at];
    std::string value = word.substr(at + 1);
    if (term.comparison == ':') {
        term.value = lower(value);
        if (key == "is" && !known(states, term.value))
            return fail(fmt::format("a run cannot be \"{}\"", value),
                        "Use is:starred, is:archived, is:shown or is:running");
        if (key != "is" && !known(textKeys, key))
            return fail(fmt::format("runs have no \"{}\" to look for", key),
                        "Use name, stage, status, tag, preset, algorithm, host, from or is");
        return term;
    }
    if (!known(numberKeys, key))
        return fail(fmt::format("\"{}\" is no number of a run", key),
                    "Use last, step, programs or checkpoints");
    if (term.comparison != '=' && value.starts_with('=')) {
        term.orEqual = true;
        value.erase(0, 1);
    }
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), term.number);
    if (code != std::errc() || end != value.data() + value.size())
        return fail(
            fmt::format("\"{}\" needs a number behind it, such as {}{}0.5", key, key, term.comparison));
    return term;
}

bool RunFilter::holds(const Term& term, const RunSummary& run)
{
    if (term.comparison != ':') {
        const double value = numberOf(term.key, run);
        if (term.comparison == '=' || (term.orEqual && value == term.number))
            return value == term.number;
        return term.comparison == '<' ? value < term.number : value > term.number;
    }
    if (term.key == "is")
        return isIn(term.value, run);
    if (!term.key.empty())
        return textHolds(term.key, term.value, run);
    return has(run.notes.note, term.value) ||
           std::any_of(textKeys.begin(), textKeys.end(),
                       [&](std::string_view key) { return textHolds(std::string(key), term.value, run); });
}

bool RunFilter::matches(const RunSummary& run) const
{
    if (run.notes.archived && !m_archived)
        return false;
    return std::all_of(m_terms.begin(), m_terms.end(),
                       [&](const Term& term) { return holds(term, run) != term.negated; });
}

} // namespace sparserl
