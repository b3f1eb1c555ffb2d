// SPDX-License-Identifier: Apache-2.0
#include "training/work/alarms.h"

#include "base/json.h"
#include "base/quantile.h"
#include "training/parameters/parameter_keys.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

enum class Kind
{
    Below,
    Above,
    AboveLate,    ///< Likewise, behind the first `learning` steps.
    TimesFirst,   ///< More than bound * first + slack.
    ShareOfFirst, ///< Less than bound * first, and than first - slack: of few programs, one more or less is
                  ///< chance.
    DropFromFirst,
    Outlier ///< More than bound * (median of the last ones + slack).
};

struct Rule
{
    MetricId metric;
    std::string_view what; ///< Begins the sentence.
    Kind kind;
    Param<double> bound;
    Param<std::string> action;
    std::string_view part = {}; ///< Of the metric.

    std::string name() const { return part.empty() ? std::string(metric.text) : metric.part(part); }
};

constexpr double slack = 0.1;
constexpr std::size_t remembered = 20;
constexpr std::int64_t learning = 100; ///< Steps in which a loss may be as high as it likes.

const std::vector<Rule>& rules()
{
    using namespace param;
    static const std::vector<Rule> all{
        {metric::loss, "The loss", Kind::Outlier, alarm::loss, alarm::lossAction},
        {metric::policyLoss, "The policy's loss", Kind::Outlier, alarm::loss, alarm::lossAction},
        {metric::valueLoss, "The critic's loss", Kind::Outlier, alarm::loss, alarm::lossAction},
        {metric::loss, "The loss", Kind::AboveLate, alarm::unlearned, alarm::unlearnedAction},
        {metric::gradNorm, "The gradient's norm", Kind::Below, alarm::gradient, alarm::gradientAction},
        {metric::actorGradNorm, "The gradient's norm", Kind::Below, alarm::gradient, alarm::gradientAction},
        {metric::entropy, "The entropy", Kind::Below, alarm::entropyLow, alarm::entropyLowAction},
        {metric::entropy, "The entropy", Kind::TimesFirst, alarm::entropyHigh, alarm::entropyHighAction},
        {metric::klSftK1, "The KL to reference", Kind::Above, alarm::kl, alarm::klAction},
        {metric::compileRate, "The share of programs that compile", Kind::ShareOfFirst, alarm::compileRate,
         alarm::compileRateAction},
        {metric::rolloutFamilyEntropy, "The entropy of the kernel families", Kind::ShareOfFirst,
         alarm::families, alarm::familiesAction},
        {metric::reward, "The mean reward", Kind::DropFromFirst, alarm::reward, alarm::rewardAction},
        {metric::logProbDifference,
         "The mean difference between the log-probabilities of sampler and training", Kind::Above,
         alarm::sampler, alarm::samplerAction, "mean"},
        {metric::explainedVariance, "The critic's explained variance", Kind::Below, alarm::explainedVariance,
         alarm::explainedVarianceAction},
    };
    return all;
}

double medianOf(const std::deque<double>& values)
{
    return median({values.begin(), values.end()});
}

/// Nothing where the value is within bounds, else the bound in words.
std::optional<std::string> broken(const Rule& rule, double bound, double value, double first,
                                  const std::deque<double>& recent)
{
    switch (rule.kind) {
    case Kind::Below:
        return value < bound ? std::optional(fmt::format("below {:.3g}", bound)) : std::nullopt;
    case Kind::Above:
    case Kind::AboveLate:
        return value > bound ? std::optional(fmt::format("above {:.3g}", bound)) : std::nullopt;
    case Kind::TimesFirst:
        return value > bound * first + slack
                   ? std::optional(fmt::format("more than {:.3g} times the first, {:.3g}", bound, first))
                   : std::nullopt;
    case Kind::ShareOfFirst:
        return value < bound * first && value < first - slack
                   ? std::optional(fmt::format("less than {:.3g} of the first, {:.3g}", bound, first))
                   : std::nullopt;
    case Kind::DropFromFirst:
        return value < first - bound
                   ? std::optional(fmt::format("more than {:.3g} below the first, {:.3g}", bound, first))
                   : std::nullopt;
    case Kind::Outlier:
        if (!recent.empty() && std::abs(value) > bound * (medianOf(recent) + slack))
            return fmt::format("more than {:.3g} times its median so far, {:.3g}", bound, medianOf(recent));
        return std::nullopt;
    }
    return std::nullopt;
}

} // namespace

void Alarms::observeSignal(std::int64_t step, const Metrics& metrics, Report& report)
{
    const auto compiled = metrics.find(std::string(metric::compileRate.text));
    const auto equal = metrics.find(std::string(metric::rewardZeroStd.text));
    const bool none = compiled != metrics.end() && compiled->second == 0;
    const bool same = equal != metrics.end() && equal->second >= 1;
    Watch& watch = m_watches[std::string(param::alarm::silent.key)];
    const std::string& action = m_p[param::alarm::silentAction];
    if (action == "off" || !(none || same)) {
        watch = {};
        return;
    }
    if (watch.streak++ == 0)
        watch.since = step;
    const std::int64_t most = m_p[param::alarm::silent];
    if (watch.streak < most)
        return;
    watch.grave = action != "warn";
    const auto sentence =
        fmt::format("Since step {}, {} iterations in a row, {} ({})", watch.since, watch.streak,
                    none ? "no program compiles"
                         : "all programs of each group have the same reward, so that there "
                           "is nothing to learn from",
                    param::alarm::silent.key);
    if (!watch.first) { // Not said of these iterations yet: the bound may have been lowered meanwhile.
        report.warnings.push_back(sentence);
        watch.first = static_cast<double>(watch.streak);
    }
    if (watch.grave)
        (action == "stop" ? report.stop : report.pause) = sentence;
}

Alarms::Report Alarms::observe(const std::string& split, std::int64_t step, const Metrics& metrics, bool last)
{
    Report report;
    const auto norm = metrics.find(std::string(metric::criticGradNorm.text));
    if (norm != metrics.end() && !std::isfinite(norm->second))
        report.stop = fmt::format("The norm of the critic's gradient is not finite at step {}", step);
    if (split == split::train && m_p.has(param::alarm::silent.key))
        observeSignal(step, metrics, report);
    for (const Rule& rule : rules()) {
        const std::string name = rule.name();
        const auto found = metrics.find(name);
        if (found == metrics.end() || !m_p.has(rule.bound.key))
            continue;
        // Before the policy learns, a critic that explains nothing is what there is to be.
        if (rule.bound.key == param::alarm::explainedVariance.key &&
            !metrics.contains(std::string(metric::policyLoss.text)))
            continue;
        // Samples that were drawn before the last update are no news of the sampler.
        if (rule.bound.key == param::alarm::sampler.key && m_p[param::rl::judgeAhead])
            continue;
        if (rule.kind == Kind::AboveLate && step <= learning)
            continue;
        // Without a difference in rewards there is nothing to learn, and no gradient.
        if (rule.bound.key == param::alarm::gradient.key) {
            const auto equal = metrics.find(std::string(metric::rewardZeroStd.text));
            if (equal != metrics.end() && equal->second >= 1)
                continue;
        }
        const double value = found->second;
        if (!std::isfinite(value)) {
            report.stop = fmt::format("{} is not finite at step {}", rule.what, step);
            continue;
        }
        const std::string& action = m_p[rule.action];
        auto& watch = m_watches[split + " " + std::string(rule.bound.key) + " " + name];
        if (!watch.first)
            watch.first = value;
        const auto bound =
            action == "off" ? std::nullopt : broken(rule, m_p[rule.bound], value, *watch.first, watch.recent);
        if (!bound) {
            watch.streak = 0;
            watch.grave = false;
            if (rule.kind == Kind::Outlier)
                watch.recent.push_back(std::abs(value));
            if (watch.recent.size() > remembered)
                watch.recent.pop_front();
            continue;
        }
        if (watch.streak++ == 0)
            watch.since = step;
        watch.grave = action != "warn";
        const auto sentence =
            fmt::format("{} is {:.3g} at step {}{}: {} ({})", rule.what, value, step,
                        split == split::train ? "" : " on " + split + " matrices", *bound, rule.bound.key);
        // What may end the run is told at once; a single odd value is no reason to warn of anything else.
        if (watch.streak == (watch.grave ? 1 : m_p[param::alarm::patience]))
            report.warnings.push_back(sentence);
        if (watch.grave && (last || watch.streak >= m_p[param::alarm::patience]))
            (action == "stop" ? report.stop : report.pause) = sentence;
    }
    return report;
}

bool Alarms::sound() const
{
    return std::none_of(m_watches.begin(), m_watches.end(),
                        [](const auto& item) { return item.second.streak > 0 && item.second.grave; });
}

std::optional<std::int64_t> Alarms::since() const
{
    std::optional<std::int64_t> earliest;
    for (const auto& [key, watch] : m_watches) {
        if (watch.streak > 0 && watch.grave)
            earliest = std::min(earliest.value_or(watch.since), watch.since);
    }
    return earliest;
}

nlohmann::json Alarms::state() const
{
    nlohmann::json state = nlohmann::json::object();
    for (const auto& [key, watch] : m_watches) {
        state[key] = {{"recent", watch.recent},
                      {"streak", watch.streak},
                      {"since", watch.since},
                      {"grave", watch.grave}};
        if (watch.first)
            state[key]["first"] = *watch.first;
    }
    return state;
}

void Alarms::restore(const nlohmann::json& state)
{
    m_watches.clear();
    if (!state.is_object())
        return;
    for (const auto& [key, item] : state.items()) {
        auto& watch = m_watches[key];
        for (const double value : jsonValue<std::vector<double>>(item, "recent", {}))
            watch.recent.push_back(value);
        watch.streak = jsonValue<std::int64_t>(item, "streak", 0);
        watch.since = jsonValue<std::int64_t>(item, "since", 0);
        watch.grave = jsonValue(item, "grave", false);
        if (item.contains("first"))
            watch.first = jsonValue(item, "first", 0.0);
    }
}

} // namespace sparserl
