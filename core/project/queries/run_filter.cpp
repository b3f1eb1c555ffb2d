// SPDX-License-Identifier: Apache-2.0
#include "project/queries/run_filter.h"

#include "project/run/metrics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

using Texts = std::vector<std::string>;

struct State
{
    std::string_view name;
    bool (*holds)(const RunSummary&);
};
constexpr State states[] = {{"starred", [](const RunSummary& run) { return run.notes.starred; }},
                            {"archived", [](const RunSummary& run) { return run.notes.archived; }},
                            {"shown", [](const RunSummary& run) { return run.notes.shown; }},
                            {"working", [](const RunSummary& run) { return run.hasWorker; }}};

Texts statesOf(const RunSummary& run)
{
    Texts texts;
    for (const State& state : states)
        if (state.holds(run))
            texts.emplace_back(state.name);
    return texts;
}

struct RunText
{
    std::string_view key, help;
    Texts (*values)(const RunSummary&);
};
constexpr RunText runTexts[] = {
    {"name", "Folder or title of the run.",
     [](const RunSummary& run) {
         return Texts{run.name, run.title};
     }},
    {"stage", "pretrain, sft, rft, rl or evaluate.", [](const RunSummary& run) { return Texts{run.stage}; }},
    {"status",
     {}, // runStatusWords()
     [](const RunSummary& run) { return Texts{std::string(nameOf(run.status))}; }},
    {"tag", "A tag that you gave it.", [](const RunSummary& run) { return run.notes.tags; }},
    {"host", "The machine that it works on, if not this one.",
     [](const RunSummary& run) { return run.remote ? Texts{run.remote->host} : Texts(); }},
    {"preset", "What its parameters began from.", [](const RunSummary& run) { return Texts{run.preset}; }},
    {"algorithm", "ppo, grpo, ...", [](const RunSummary& run) { return Texts{run.algorithm}; }},
    {"from", "The run or policy that it started from.",
     [](const RunSummary& run) { return Texts{parentName(run)}; }},
    {"note", "Your note.", [](const RunSummary& run) { return Texts{run.notes.note}; }},
    {"is", "starred, archived, shown (on the charts) or working (it has a worker).", statesOf}};
constexpr std::size_t isField = std::size(runTexts) - 1, statusField = 2;
static_assert(runTexts[statusField].key == "status");

struct RunNumber
{
    std::string_view key, help;
    double (*value)(const RunSummary&);
};
constexpr RunNumber runNumbers[] = {
    {"last", "Last value of the main metric.",
     [](const RunSummary& run) { return run.headline.empty() ? std::nan("") : run.lastValue; }},
    {"step", "Last step.", [](const RunSummary& run) { return static_cast<double>(run.step); }},
    {"programs", "Programs that it sampled.",
     [](const RunSummary& run) { return static_cast<double>(run.samples); }},
    {"checkpoints", "How many checkpoints it has.",
     [](const RunSummary& run) { return static_cast<double>(run.checkpoints); }}};
constexpr std::size_t firstFigure = std::size(runTexts) + std::size(runNumbers);

template <typename Field, std::size_t N>
std::optional<std::size_t> placeOf(const Field (&fields)[N], std::string_view key)
{
    const auto* it =
        std::find_if(std::begin(fields), std::end(fields), [&](const auto& f) { return f.key == key; });
    return it == std::end(fields) ? std::nullopt
                                  : std::optional(static_cast<std::size_t>(it - std::begin(fields)));
}

/// Every name of a metric that there may be.
std::set<std::string> metricNames(const RunNames* names)
{
    std::set<std::string> all;
    for (const MetricDescription& metric : metricDescriptions())
        for (std::string& name : metric.names())
            all.insert(std::move(name));
    if (names)
        for (const auto& [name, splits] : names->metrics)
            all.insert(name);
    return all;
}

/// "correct_rate" is "kernel/correct_rate", as only one name ends like that; empty where none or several do.
std::string wholeName(const std::string& end, const RunNames* names)
{
    std::string whole;
    for (const std::string& name : metricNames(names)) {
        if (!name.ends_with("/" + end))
            continue;
        if (!whole.empty())
            return {};
        whole = name;
    }
    return whole;
}

/// The metric or parameter of this name.
std::optional<RunFigure> figureOf(const std::string& name, const RunNames* names)
{
    RunFigure metric = metricFigure(name);
    if (findMetric(metric.name) || (names && names->metrics.contains(metric.name)))
        return metric;
    if (std::string whole = wholeName(metric.name, names); !whole.empty()) {
        metric.name = std::move(whole);
        return metric;
    }
    if (names ? names->parameters.contains(name) || names->declared.contains(name)
              : name.find('.') != std::string::npos)
        return RunFigure{RunFigure::Kind::Parameter, name, {}};
    return !names && name.find('/') != std::string::npos ? std::optional(metric) : std::nullopt;
}

class RunSubject final : public FilterSubject
{
public:
    RunSubject(const RunSummary& run, const RunFigures& figures, const std::vector<RunFigure>& asked)
        : m_run(run)
        , m_figures(figures)
        , m_asked(asked)
    {
    }
    std::optional<double> number(std::size_t field) const override
    {
        if (field >= firstFigure)
            return m_figures.number(m_asked[field - firstFigure]);
        const double value = runNumbers[field - std::size(runTexts)].value(m_run);
        return std::isnan(value) ? std::nullopt : std::optional(value);
    }
    bool anyText(std::size_t field, const std::function<bool(const std::string&)>& wanted) const override
    {
        if (field >= firstFigure) {
            const std::string* text = m_figures.parameter(m_asked[field - firstFigure].name);
            return text && wanted(*text);
        }
        const Texts texts = runTexts[field].values(m_run);
        return std::any_of(texts.begin(), texts.end(), wanted);
    }
    bool mentions(const std::string& part) const override
    {
        for (std::size_t field = 0; field < isField; ++field)
            if (anyText(field, [&](const std::string& text) { return filterFinds(text, part); }))
                return true;
        return false;
    }

private:
    const RunSummary& m_run;
    const RunFigures& m_figures;
    const std::vector<RunFigure>& m_asked;
};

} // namespace

Result<RunFilter> RunFilter::parse(std::string_view text, const RunNames* names)
{
    RunFilter filter;
    FilterVocabulary vocabulary;
    vocabulary.rows = "runs";
    vocabulary.example = "correct_rate > 0.5";
    vocabulary.remedy = "Use for example status, stage, tag, step, or the name of a metric or a parameter";
    vocabulary.colons = true;
    vocabulary.exact = runTexts[isField].key;
    vocabulary.find = [&](const std::string& name) -> std::optional<FilterField> {
        using Kind = FilterField::Kind;
        const std::string key = filterCase(name);
        if (const auto place = placeOf(runTexts, key))
            return FilterField{*place, Kind::Text};
        if (const auto place = placeOf(runNumbers, key))
            return FilterField{std::size(runTexts) + *place, Kind::Number};
        const auto figure = figureOf(name, names);
        if (!figure)
            return {};
        filter.m_figures.push_back(*figure);
        return FilterField{firstFigure + filter.m_figures.size() - 1,
                           figure->kind == RunFigure::Kind::Metric ? Kind::Number : Kind::Either};
    };
    vocabulary.names = [&] {
        std::vector<std::string> all;
        for (const RunFilterName& name : runFilterNames())
            all.push_back(name.key);
        for (const std::string& name : metricNames(names)) {
            all.push_back(name);
            all.push_back(name.substr(name.rfind('/') + 1));
        }
        if (names) {
            all.insert(all.end(), names->parameters.begin(), names->parameters.end());
            all.insert(all.end(), names->declared.begin(), names->declared.end());
        }
        return all;
    };
    vocabulary.check = [](const FilterField& field, const std::string& value) -> std::optional<Error> {
        if (field.id == statusField) {
            const auto words = runStatuses();
            if (std::any_of(words.begin(), words.end(),
                            [&](const RunStatusWord& one) { return one.word.find(value) != one.word.npos; }))
                return {};
            return Error{
                fmt::format("no run has the status \"{}\"", value), {}, 0, "Use " + runStatusWords()};
        }
        const auto& known = runFilterStates();
        if (field.id != isField || std::find(known.begin(), known.end(), value) != known.end())
            return {};
        return Error{
            fmt::format("a run cannot be \"{}\"", value), {}, 0, "Use starred, archived, shown or working"};
    };
    SPARSERL_TRY(filter.m_tree, FilterTree::parse(text, vocabulary));
    filter.m_archived = filter.m_tree.compares(isField, "archived");
    return filter;
}

bool RunFilter::matches(const RunSummary& run, const RunFigures& figures) const
{
    return (!run.notes.archived || m_archived) && m_tree.matches(RunSubject(run, figures, m_figures));
}

const std::vector<RunFilterName>& runFilterNames()
{
    static const std::vector<RunFilterName> names = [] {
        std::vector<RunFilterName> all;
        for (const RunText& text : runTexts)
            all.push_back({std::string(text.key),
                           text.help.empty() ? runStatusWords() + "." : std::string(text.help), false});
        for (const RunNumber& number : runNumbers)
            all.push_back({std::string(number.key), std::string(number.help), true});
        return all;
    }();
    return names;
}

const std::vector<std::string>& runFilterStates()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const State& state : states)
            all.emplace_back(state.name);
        return all;
    }();
    return names;
}

std::shared_ptr<const ParameterTexts> readParameterTexts(ProjectReader& reader, RunId run)
{
    ParameterTexts texts;
    if (const auto config = reader.runConfig(run))
        for (const auto& [key, value] : config->parameters)
            texts[key] = toText(value);
    return std::make_shared<const ParameterTexts>(std::move(texts));
}

} // namespace sparserl
