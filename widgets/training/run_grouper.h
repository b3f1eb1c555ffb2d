// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/training/run_groups.h"

#include <QObject>

class QMenu;

namespace sparserl {

class RunFigureStore;

/// How the list of runs is grouped: the user's choice, and the collapsed groups.
class RunGrouper : public QObject
{
    Q_OBJECT

public:
    /// `figures` reads the parameters of runs on request.
    RunGrouper(RunFigureStore* figures, QObject* parent);

    /// Forgets everything about the runs. Call it for another project.
    void clear();
    const RunGrouping& grouping() const { return m_grouping; }
    void group(const RunGrouping& grouping);
    std::vector<RunRow> arrange(std::vector<RunRow> rows,
                                const std::function<bool(const RunRow&)>& passes) const;

    void setCollapsed(const QString& head, bool collapsed);
    /// Collapses or expands all groups with these heads.
    void setAllCollapsed(const QStringList& heads);
    /// Fills a menu with the ways to group, including parameters that differ between the runs once they have
    /// been read.
    void fillMenu(QMenu* menu);

    /// Lines for setState().
    QStringList state() const;
    void setState(const QStringList& lines);

Q_SIGNALS:
    /// The grouping has changed, so rows must be arranged again.
    void changed();
    /// The user has made a choice that is saved.
    void chosen();

private:
    void fillParameters(QMenu* menu);
    QAction* addChoice(QMenu* menu, const QString& text, const RunGrouping& grouping);

    RunFigureStore* m_figures;
    RunGrouping m_grouping;
    std::set<QString> m_collapsed;
};

} // namespace sparserl
