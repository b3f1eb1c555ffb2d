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

/// The metrics and parameters of all runs that a column, a filter or a plot uses. Nothing is read before it
/// is requested.
class RunFigureStore : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    void setSession(ProjectSession* session);
    /// Sets the runs. Reads the requested metrics again, but the parameters of each run only once.
    void setRuns(const std::vector<RunSummary>& runs);
    /// Keeps the values of these figures up to date until `user` requests others.
    void want(const QString& user, const std::vector<RunFigure>& figures);
    /// Reads the names of all metrics and parameters, once.
    void wantNames();
    /// Whether names() is complete.
    bool named() const { return m_named; }
    const RunNames& names() const { return m_names; }
    /// The figures of a run; never null.
    std::shared_ptr<const RunFigures> of(RunId run) const;
    const std::map<RunId, std::shared_ptr<const ParameterTexts>>& parameters() const { return m_parameters; }
    /// Reads the parameters of all runs for which they have not been read yet, a hundred runs at a time.
    void readParameters();
    bool readingParameters() const { return m_parameterJobs.running(); }

Q_SIGNALS:
    /// Values of some runs have changed.
    void changed();
    /// names() or named() has changed.
    void namesChanged();
    /// The parameters of every run have been read.
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
    bool m_again = false; ///< Metrics must be read again after the pending answer has arrived.
    JobTracker m_parameterJobs{this}, m_metricJobs{this}, m_nameJobs{this};
};

} // namespace sparserl
