// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run_filter.h"
#include "widgets/common/session.h"
#include "widgets/training/run_model.h"

#include <QSortFilterProxyModel>
#include <QWidget>
#include <map>
#include <optional>
#include <set>

class QAction;
class QLineEdit;
class QMenu;
class QTableView;
class QTimer;

namespace sparserl {

class LineageDelegate;

/// The rows that a RunFilter leaves.
class RunProxy : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setFilter(RunFilter filter);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    RunFilter m_filter;
};

/// The runs of a project: filtered, sorted or below their parents; which of them are on the charts, and what
/// the user wrote on them. What is clicked counts at once, the index follows.
class RunList : public QWidget
{
    Q_OBJECT

public:
    explicit RunList(QWidget* parent = nullptr);

    RunModel* model() const { return m_model; }
    RunProxy* visibleModel() const { return m_proxy; }
    QTableView* table() const { return m_table; }
    QLineEdit* filterEdit() const { return m_filter; }

    void setSession(ProjectSession* session);
    void setRuns(std::vector<RunSummary> runs);
    /// Selects a run by name, as soon as there is one.
    void select(const QString& run);
    /// Stays on the charts, too.
    void setBaseline(const std::optional<RunId>& run);
    std::optional<RunSummary> current() const;
    /// The current run, the others that are selected, and those with an open eye.
    std::vector<RunSummary> charted() const;
    void fillMenu(QMenu* menu);
    /// A star is given and taken in other places, too.
    void setStarred(const std::string& run, bool on);

    /// Columns, filter and saved filters: lines for setState().
    QStringList state() const;
    void setState(const QStringList& lines);

Q_SIGNALS:
    /// Another run is the current one, or others are on the charts.
    void changed();
    void newRunAsked();
    void forkAsked(const QString& run);
    void baselineAsked(const QString& run);
    void stateChanged();
    void statusMessage(const QString& sentence);

private:
    QWidget* makeBar();
    void makeActions();
    void makeTable();
    void rowClicked(const QModelIndex& index);
    void showContextMenu(const QPoint& position);
    void showColumnMenu(const QPoint& position);
    void fillFilterMenu(QMenu* menu);
    void fillColourMenu(QMenu* menu);
    void applyFilter();
    void showRows();
    void annotate(const std::vector<Annotation>& annotations, const QString& what);
    void toggle(Annotation::Field field, const std::function<bool(const AnnotationState&)>& has,
                const QString& on, const QString& off);
    void undo();
    void editNotes();
    std::vector<RunSummary> selected() const;

    ProjectSession* m_session = nullptr;
    RunModel* m_model;
    RunProxy* m_proxy;
    QTableView* m_table;
    QLineEdit* m_filter;
    LineageDelegate* m_lineage;
    QTimer* m_marks; ///< Which rows are on the charts is shown a moment later.
    QAction *m_show, *m_star, *m_archive, *m_notes, *m_undoAction, *m_find;
    std::vector<RunRow> m_rows;
    std::vector<std::pair<Annotation, double>> m_onTheWay; ///< Not in the index yet, and since when.
    struct Done
    {
        QString what;
        std::vector<std::string> ids;
    };
    std::vector<Done> m_done;
    QStringList m_savedFilters;
    QString m_wanted;
    std::optional<RunId> m_baseline;
};

} // namespace sparserl
