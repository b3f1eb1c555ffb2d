// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_figure_store.h"

#include "project/queries/run_filter.h"
#include "training/parameters/stage_parameters.h"
#include "widgets/common/format.h"

#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

/// So that no other question waits long for the query thread.
constexpr std::size_t readAtOnce = 100;

using ReadParameters = std::vector<std::pair<RunId, std::shared_ptr<const ParameterTexts>>>;
using ReadMetrics = std::map<std::string, std::vector<RunMetric>>;
using ReadNames = std::map<std::string, std::set<std::string>>;

} // namespace

void RunFigureStore::setSession(ProjectSession* session)
{
    for (JobTracker* jobs : {&m_parameterJobs, &m_metricJobs, &m_nameJobs})
        jobs->cancel();
    m_session = session;
    m_runs.clear();
    m_parameters.clear();
    m_figures.clear();
    m_names = {};
    m_names.declared = declaredParameters();
    m_named = m_namesWanted = m_parametersWanted = m_again = false;
}

void RunFigureStore::setRuns(const std::vector<RunSummary>& runs)
{
    m_runs.clear();
    const auto tags = std::exchange(m_names.tags, {});
    for (const RunSummary& run : runs) {
        m_runs.push_back(run.id);
        m_names.tags.insert(run.notes.tags.begin(), run.notes.tags.end());
    }
    if (tags != m_names.tags)
        Q_EMIT namesChanged();
    if (m_parametersWanted || m_namesWanted || wantsParameters())
        readParameters();
    readMetrics();
    if (m_namesWanted)
        readNames();
}

void RunFigureStore::want(const QString& user, const std::vector<RunFigure>& figures)
{
    std::vector<RunFigure>& before = m_wanted[user];
    if (before == figures)
        return;
    before = figures;
    if (wantsParameters())
        readParameters();
    readMetrics();
}

void RunFigureStore::wantNames()
{
    if (m_namesWanted)
        return;
    m_namesWanted = true;
    readParameters();
    readNames();
}

bool RunFigureStore::wantsParameters() const
{
    return std::any_of(m_wanted.begin(), m_wanted.end(), [](const auto& user) {
        return std::any_of(user.second.begin(), user.second.end(),
                           [](const RunFigure& figure) { return figure.kind == RunFigure::Kind::Parameter; });
    });
}

std::shared_ptr<const RunFigures> RunFigureStore::of(RunId run) const
{
    static const auto none = std::make_shared<const RunFigures>();
    const auto found = m_figures.find(run);
    return found == m_figures.end() ? none : found->second;
}

void RunFigureStore::readMetrics()
{
    std::set<std::string> metrics;
    for (const auto& [user, figures] : m_wanted)
        for (const RunFigure& figure : figures)
            if (figure.kind == RunFigure::Kind::Metric)
                metrics.insert(figure.name);
    if (!m_session || metrics.empty())
        return;
    if (m_metricJobs.running()) {
        m_again = true;
        return;
    }
    m_session->query<ReadMetrics>(
        m_metricJobs,
        [metrics](ProjectReader& reader) -> Result<ReadMetrics> {
            ReadMetrics read;
            for (const std::string& metric : metrics) {
                SPARSERL_TRY(read[metric], reader.latestOfRuns(metric));
            }
            return read;
        },
        [this](Result<ReadMetrics> read) {
            if (!read) {
                Q_EMIT problem(sentenceOf(read.error()));
                return;
            }
            std::map<RunId, RunFigures> fresh;
            for (const auto& [metric, values] : *read)
                for (const RunMetric& value : values)
                    fresh[value.run].metrics[metric][value.split] = value.value;
            bool different = false;
            for (const RunId run : m_runs) {
                RunFigures& figures = fresh[run];
                figures.parameters = of(run)->parameters;
                if (figures == *of(run))
                    continue;
                different = true;
                m_figures[run] = std::make_shared<const RunFigures>(std::move(figures));
            }
            if (different)
                Q_EMIT changed();
            if (std::exchange(m_again, false))
                readMetrics();
        });
}

void RunFigureStore::readNames()
{
    if (!m_session || m_nameJobs.running())
        return;
    m_session->query<ReadNames>(
        m_nameJobs, [](ProjectReader& reader) { return reader.metricsOfRuns(); },
        [this](Result<ReadNames> read) {
            if (!read) {
                Q_EMIT problem(sentenceOf(read.error()));
                return;
            }
            const bool same = m_names.metrics == *read;
            m_names.metrics = std::move(*read);
            const bool all = std::all_of(m_runs.begin(), m_runs.end(),
                                         [this](RunId run) { return m_parameters.contains(run); });
            if (std::exchange(m_named, all) != all || !same)
                Q_EMIT namesChanged();
        });
}

void RunFigureStore::readParameters()
{
    m_parametersWanted = true;
    if (!m_session || m_parameterJobs.running())
        return;
    std::vector<RunId> missing;
    for (const RunId run : m_runs)
        if (!m_parameters.contains(run) && missing.size() < readAtOnce)
            missing.push_back(run);
    if (missing.empty())
        return;
    m_session->query<ReadParameters>(
        m_parameterJobs,
        [missing](ProjectReader& reader) -> Result<ReadParameters> {
            ReadParameters read;
            for (const RunId run : missing)
                read.emplace_back(run, readParameterTexts(reader, run));
            return read;
        },
        [this](Result<ReadParameters> read) {
            if (!read) {
                Q_EMIT problem(sentenceOf(read.error()));
                return;
            }
            for (auto& [run, values] : *read) {
                for (const auto& [key, value] : *values)
                    m_names.parameters.insert(key);
                RunFigures figures = *of(run);
                figures.parameters = values;
                m_figures[run] = std::make_shared<const RunFigures>(std::move(figures));
                m_parameters[run] = std::move(values);
            }
            const bool all = std::all_of(m_runs.begin(), m_runs.end(),
                                         [this](RunId run) { return m_parameters.contains(run); });
            if (!all) {
                readParameters();
                return;
            }
            if (m_namesWanted && !m_nameJobs.running())
                m_named = true;
            Q_EMIT namesChanged();
            Q_EMIT changed();
            Q_EMIT parametersRead();
        });
}

} // namespace sparserl
