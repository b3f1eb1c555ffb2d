// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/training/run_groups.h"

#include <QObject>

class QMenu;

namespace sparserl {

/// How the list of runs is grouped now: what the user chose, which groups are collapsed, and the parameters
/// of runs, which are read once each and only when somebody asks for them.
class RunGrouper : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    void setSession(ProjectSession* session);
    const RunGrouping& grouping() const { return m_grouping; }
    void group(const RunGrouping& grouping);
    /// The runs that there are; reads the parameters of those that are new where they are needed.
    void setRuns(const std::vector<RunRow>& runs);
    std::vector<RunRow> arrange(std::vector<RunRow> rows,
                                const std::function<bool(const RunSummary&)>& passes) const;

    void setCollapsed(const QString& head, bool collapsed);
    /// All of these, or none.
    void setAllCollapsed(const QStringList& heads);
    /// The ways to group: parameters that differ, once they are read.
    void fillMenu(QMenu* menu);
    /// Reads the parameters of all runs that it does not have yet, a hundred at a time.
    void readParameters();
    const RunValues& parameters() const { return m_values; }

    /// Lines for setState().
    QStringList state() const;
    void setState(const QStringList& lines);

Q_SIGNALS:
    /// The rows belong elsewhere now.
    void changed();
    /// The user has chosen something that is kept.
    void chosen();
    void parametersRead();
    void problem(const QString& sentence);

private:
    void fillParameters(QMenu* menu);
    QAction* addChoice(QMenu* menu, const QString& text, const RunGrouping& grouping);

    ProjectSession* m_session = nullptr;
    RunGrouping m_grouping;
    std::set<QString> m_collapsed;
    std::vector<RunId> m_runs;
    RunValues m_values;
    bool m_wanted = false; ///< Somebody looks at parameters.
    JobTracker m_jobs{this};
};

} // namespace sparserl
