// SPDX-License-Identifier: Apache-2.0
#include "reward/expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <muParser.h>
#include <optional>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

constexpr std::array quantities{
    RewardQuantity{"compiled", "1 if the program compiles and its plan is right, else 0"},
    RewardQuantity{"correct", "1 if it is correct and not suspicious, else 0"},
    RewardQuantity{"wrong_result", "1 if it finished with a wrong result, else 0"},
    RewardQuantity{"speedup", "t_base / t of a correct program, else 0"},
    RewardQuantity{"z",
                   "(ln(speedup) - mu) / sigma, limited to [-2, 2], where mu and sigma are the mean and the "
                   "standard deviation over the corpus programs of the matrix; 0 if not correct"},
    RewardQuantity{"t", "microseconds per call of a correct program, else 0"},
    RewardQuantity{"t_base", "microseconds per call of the baseline; 0 if not correct"},
    RewardQuantity{"t_default", "microseconds of cuSPARSE's DEFAULT algorithm; 0 if unknown or not correct"},
    RewardQuantity{"t_best", "microseconds of cuSPARSE's best CSR routine; 0 if unknown or not correct"},
    RewardQuantity{"record", "speed-up of the fastest corpus program known for the matrix; 0 if unknown"},
    RewardQuantity{"share", "share of the physical limit that a correct program reaches, 0 to 1"},
    RewardQuantity{"bytes", "compulsory bytes of a call"},
    RewardQuantity{"setup", "microseconds of the prepare kernels of a correct program"},
    RewardQuantity{"shared", "bytes of shared memory of a block"},
    RewardQuantity{"over_shared", "1 above 48 KiB of shared memory (SparseRL A.25), else 0"},
    RewardQuantity{"registers", "registers of a thread"},
    RewardQuantity{"occupancy", "share of a multiprocessor's warps that fit, 0 to 1"},
    RewardQuantity{"copied", "1 if it is nearly identical to the reference program, else 0"},
    RewardQuantity{"tokens", "tokens of the program"},
    RewardQuantity{"truncated", "1 if it was cut off by the length limit, else 0"},
    RewardQuantity{"syntax_match", "PPOCoder's match of syntax trees with the matrix's best corpus program, "
                                   "0 to 1"},
    RewardQuantity{"dataflow_match", "the same for data flow"},
};

/// Constants, not variables: the grammar has assignments, and a program's reward must not depend on the one
/// before. Each evaluation has a parser of its own, which some ten microseconds pay for.
mu::Parser parserOf(const std::string& text, const RewardValues& values)
{
    mu::Parser parser;
    for (const RewardQuantity& quantity : quantities) {
        const auto found = values.find(quantity.name);
        parser.DefineConst(std::string(quantity.name), found == values.end() ? 0.0 : found->second);
    }
    parser.SetExpr(text);
    return parser;
}

struct Outcome
{
    int rank; ///< 0 not compiled, 1 wrong, 2 correct.
    const char* words;
    RewardValues values;
};

/// What programs usually come to, from the worst of each rank to the best.
std::vector<Outcome> usualOutcomes()
{
    const RewardValues wrong{{"compiled", 1},    {"record", 2},  {"registers", 32},
                             {"occupancy", 0.5}, {"bytes", 1e6}, {"tokens", 300}};
    std::vector<Outcome> all{
        {0, "a program that does not compile", {{"record", 2}, {"bytes", 1e6}, {"tokens", 300}}},
        {0,
         "a program that was cut off",
         {{"record", 2}, {"bytes", 1e6}, {"tokens", 1000}, {"truncated", 1}}},
        {1, "a program that fails when it runs", wrong},
        {1, "a program with a wrong result", wrong}};
    all.back().values["wrong_result"] = 1;
    all.push_back({1, "a wrong program with 64 KiB of shared memory", wrong});
    all.back().values.insert({{"shared", 65536}, {"over_shared", 1}});
    const std::array<std::pair<double, const char*>, 4> speeds{
        {{0.02, "a correct program 50 times as slow as "
                "the baseline"},
         {0.5, "a correct program half as fast as the "
               "baseline"},
         {1, "a correct program as fast as the baseline"},
         {4, "a correct program 4 times as fast as the "
             "baseline"}}};
    for (const auto& [speedup, words] : speeds) {
        RewardValues values = wrong;
        values.insert({{"correct", 1},
                       {"speedup", speedup},
                       {"z", std::clamp(std::log(speedup) / 0.5, -2.0, 2.0)},
                       {"t", 10 / speedup},
                       {"t_base", 10},
                       {"t_default", 12},
                       {"t_best", 10},
                       {"share", std::min(1.0, 0.2 * speedup)}});
        all.push_back({2, words, values});
        // Where no library was timed, and nothing is known of the matrix.
        for (const std::string_view unknown : {"t_default", "t_best", "record"})
            values[unknown] = 0;
        all.push_back({2, words, values});
    }
    return all;
}

std::optional<double> evaluate(const std::string& text, const RewardValues& values)
{
    try {
        const double value = parserOf(text, values).Eval();
        return std::isfinite(value)
                   ? std::optional(std::clamp(value, -RewardExpression::limit, RewardExpression::limit))
                   : std::nullopt;
    } catch (const mu::ParserError&) {
        return std::nullopt;
    }
}

std::string allNames()
{
    std::string names;
    for (const RewardQuantity& quantity : quantities)
        names += (names.empty() ? "" : ", ") + std::string(quantity.name);
    return names;
}

} // namespace

std::span<const RewardQuantity> rewardQuantities()
{
    return quantities;
}

Result<RewardExpression> RewardExpression::parse(std::string_view text)
{
    const std::string what = "reward.expression ";
    if (text.find_first_not_of(" \t\n") == std::string_view::npos)
        return fail(what + "is empty", "Give a formula such as compiled + correct + min(speedup, 3), or use "
                                       "another reward.preset");
    if (text.size() > longest)
        return fail(fmt::format("{}has {} bytes", what, text.size()), fmt::format("Use at most {}", longest));
    RewardExpression expression{std::string(text)};
    try {
        mu::Parser parser = parserOf(expression.m_text, {});
        int count = 0;
        parser.Eval(count);
        if (count != 1)
            return fail(fmt::format("{}has {} values", what, count), "Write one formula, without commas "
                                                                     "outside of functions");
        // With variables in the place of constants the parser tells which ones there are.
        mu::Parser names;
        std::array<double, quantities.size()> places{};
        for (std::size_t i = 0; i < quantities.size(); ++i)
            names.DefineVar(std::string(quantities[i].name), &places[i]);
        names.SetExpr(expression.m_text);
        for (const auto& [name, place] : names.GetUsedVar())
            expression.m_uses[name] = true;
    } catch (const mu::ParserError& error) {
        return fail(fmt::format("{}cannot be read: {}", what, error.GetMsg()),
                    "Use numbers, + - * / ^, comparisons, && ||, condition ? a : b, min, max, abs, ln, exp, "
                    "sqrt, and " +
                        allNames());
    }
    for (const Outcome& outcome : usualOutcomes())
        if (!evaluate(expression.m_text, outcome.values))
            return fail(fmt::format("{}has no finite value for {}", what, outcome.words),
                        "Guard divisions and logarithms, as in correct ? ln(speedup) : 0");
    return expression;
}

bool RewardExpression::uses(std::string_view quantity) const
{
    return m_uses.contains(quantity);
}

double RewardExpression::value(const RewardValues& values) const
{
    if (const auto value = evaluate(m_text, values))
        return *value;
    return evaluate(m_text, usualOutcomes().front().values).value_or(0);
}

std::string RewardExpression::orderWarning() const
{
    const auto outcomes = usualOutcomes();
    std::vector<double> paid;
    paid.reserve(outcomes.size());
    for (const Outcome& outcome : outcomes)
        paid.push_back(value(outcome.values));
    for (std::size_t b = 0; b < outcomes.size(); ++b) {
        for (std::size_t w = 0; w < outcomes.size(); ++w) {
            const Outcome &better = outcomes[b], &worse = outcomes[w];
            if (worse.rank >= better.rank)
                continue;
            const double low = paid[b], high = paid[w];
            // A wrong program may get what one gets that does not compile, as in several papers.
            if (better.rank == 2 ? low <= high : low < high)
                return fmt::format(
                    "reward.expression pays {} {:.3g} and {} {:.3g}: a policy learns to prefer "
                    "what pays more",
                    better.words, low, worse.words, high);
        }
    }
    return {};
}

} // namespace sparserl
