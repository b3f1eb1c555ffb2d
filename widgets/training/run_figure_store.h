// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/run_figures.h"
#include "widgets/common/session.h"

#include <QObject>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace sparserl {

/// Metrics and parameters of all runs, as far as a column, a filter or a plot wants them: nothing is read
/// before somebody asks.
class RunFigureStore : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    void setSession(ProjectSession* session);
    /// The runs that there are: reads what is wanted of them again, parameters once each.
    void setRuns(const std::vector<RunSummary>& runs);
    /// Keeps the values of these up to date, for `user`, until it wants others.
    void want(const QString& user, const std::vector<RunFigure>& figures);
    /// Reads which metrics and parameters there are, once.
    void wantNames();
    /// Whether names() is what the runs have.
    bool named() const { return m_named; }
    const RunNames& names() const { return m_names; }
    /// Never null.
    std::shared_ptr<const RunFigures> of(RunId run) const;
    const std::map<RunId, std::shared_ptr<const ParameterTexts>>& parameters() const { return m_parameters; }
    /// Reads the parameters of all runs that it does not have yet, a hundred at a time.
    void readParameters();
    bool readingParameters() const { return m_parameterJobs.running(); }

Q_SIGNALS:
    /// Values of a run are others.
    void changed();
    /// names() or named() is.
    void namesChanged();
    /// Those of every run are there.
    void parametersRead();
    void problem(const QString& sentence);

private:
    bool wantsParameters() const;
    void readMetrics();
    void readNames();

    ProjectSession* m_session = nullptr;
    std::vector<RunId> m_runs;
    std::map<QString, std::vector<RunFigure>> m_wanted;
    std::map<RunId, std::shared_ptr<const ParameterTexts>> m_parameters;
    std::map<RunId, std::shared_ptr<const RunFigures>> m_figures;
    RunNames m_names;
    bool m_named = false, m_namesWanted = false, m_parametersWanted = false;
    bool m_again = false; ///< Metrics are to be read once more when the answer has come.
    JobTracker m_parameterJobs{this}, m_metricJobs{this}, m_nameJobs{this};
};

} // namespace sparserl
