// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/training/run_groups.h"

#include <QObject>

class QMenu;

namespace sparserl {

class RunFigureStore;

/// How the list of runs is grouped now: what the user chose, and which groups are collapsed.
class RunGrouper : public QObject
{
    Q_OBJECT

public:
    /// `figures` has the parameters of runs, and reads them when they are wanted.
    RunGrouper(RunFigureStore* figures, QObject* parent);

    /// Another project has other runs.
    void clear();
    const RunGrouping& grouping() const { return m_grouping; }
    void group(const RunGrouping& grouping);
    std::vector<RunRow> arrange(std::vector<RunRow> rows,
                                const std::function<bool(const RunRow&)>& passes) const;

    void setCollapsed(const QString& head, bool collapsed);
    /// All of these, or none.
    void setAllCollapsed(const QStringList& heads);
    /// The ways to group: parameters that differ, once they are read.
    void fillMenu(QMenu* menu);

    /// Lines for setState().
    QStringList state() const;
    void setState(const QStringList& lines);

Q_SIGNALS:
    /// The rows belong elsewhere now.
    void changed();
    /// The user has chosen something that is kept.
    void chosen();

private:
    void fillParameters(QMenu* menu);
    QAction* addChoice(QMenu* menu, const QString& text, const RunGrouping& grouping);

    RunFigureStore* m_figures;
    RunGrouping m_grouping;
    std::set<QString> m_collapsed;
};

} // namespace sparserl
