// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/training/run_curves.h"
#include "widgets/training/run_model.h"
#include "widgets/training/run_proxy.h"

#include <QTimer>
#include <QWidget>
#include <map>
#include <optional>
#include <set>

class QAction;
class QLabel;
class QLayout;
class QMenu;
class QTableView;

namespace sparserl {

enum class CurveFormat;
class FilterEdit;
class LineageDelegate;
class RunColumnsDialog;
class RunFigureStore;
class RunGrouper;

/// Lists the runs of a project, filtered, and sorted or below their parents. Shows which runs are on the
/// charts, and the user's notes. A click takes effect at once; the index is updated later.
class RunList : public QWidget
{
    Q_OBJECT

public:
    explicit RunList(QWidget* parent = nullptr);

    RunModel* model() const { return m_model; }
    RunProxy* visibleModel() const { return m_proxy; }
    QTableView* table() const { return m_table; }
    FilterEdit* filterEdit() const { return m_filter; }
    RunFigureStore* figures() const { return m_figures; }
    /// The metrics, parameters and tags that are columns.
    const std::vector<RunFigure>& figureColumns() const { return m_figureColumns; }
    void setFigure(const RunFigure& figure, bool shown);
    /// Opens the dialog that chooses columns.
    RunColumnsDialog* chooseColumns();
    /// The runs that pass the filter, in the order of the list, including those in collapsed groups.
    std::vector<RunRow> filtered() const;
    RunGrouper* grouper() const { return m_grouper; }

    void setSession(ProjectSession* session);
    void setRuns(std::vector<RunSummary> runs);
    /// Selects the run of this name as soon as it is in the list.
    void select(const QString& run);
    /// The name of the run that will be selected once it is in the list, or empty.
    const QString& wanted() const { return m_wanted; }
    /// Sets the baseline, which also stays on the charts.
    void setBaseline(const std::optional<RunId>& run);
    /// The current run; nullopt if the current row is a group.
    std::optional<RunSummary> current() const;
    /// The current run, the other selected runs, the runs of selected groups, and the runs with an open eye.
    std::vector<RunSummary> charted() const;
    /// The selected groups. Each is one curve on the charts.
    std::vector<RunGroup> chartedGroups() const;
    void fillMenu(QMenu* menu);
    /// Adds the actions for the selected runs.
    void fillSelectionMenu(QMenu* menu);
    bool hasSelection() const;
    /// Writes the curves of the selected runs into a new folder. The work is an entry of the task list.
    void exportSelected(CurveFormat format, const QString& folder);
    /// Adds or removes the star of a run, for code outside this list.
    void setStarred(const std::string& run, bool on);

    /// Columns, filter and saved filters, as lines for setState().
    QStringList state() const;
    void setState(const QStringList& lines);
    /// Only the columns, as lines for setColumns().
    QStringList columns() const;
    void setColumns(const QStringList& lines);

Q_SIGNALS:
    /// The current run, or the set of runs on the charts, has changed.
    void changed();
    void newRunAsked();
    void forkAsked(const QString& run);
    void baselineAsked(const QString& run);
    void stateChanged();
    /// Metrics or parameters of runs have changed.
    void figuresChanged();
    void statusMessage(const QString& sentence);

private:
    QWidget* makeBar();
    QLayout* makeFilter();
    void makeActions();
    void makeTable();
    void makeGroupActions();
    void rowClicked(const QModelIndex& index);
    /// The group head in this row of the table; null for a run.
    const RunGroupHead* headAt(const QModelIndex& index) const;
    void setCollapsed(const QModelIndex& head, bool collapsed);
    void showGroupMenu(const QPoint& position);
    void reveal(const QString& run);
    void keepPlace(const QString& current, const QStringList& selected);
    void showContextMenu(const QPoint& position);
    void showColumnMenu(const QPoint& position);
    void fillFilterMenu(QMenu* menu);
    void fillExportMenu(QMenu* menu);
    void fillColourMenu(QMenu* menu);
    void applyFilter();
    /// Filters the rows. The run that was selected before stays selected, or is again as soon as it passes.
    void filterRows(RunFilter filter);
    void updateWords();
    void setFigures(std::vector<RunFigure> figures);
    QStringList figureLines() const;
    void setFigureLines(const QStringList& lines);
    void showRows();
    void annotate(const std::vector<Annotation>& annotations, const QString& what);
    void toggle(Annotation::Field field, const std::function<bool(const AnnotationState&)>& has,
                const QString& on, const QString& off);
    /// Sets the colour of all selected runs; empty: restores the default colour of each.
    void setColour(const std::string& value);
    void setSavedFilters(const QStringList& filters);
    void editNotes();
    std::vector<RunSummary> selected() const;

    ProjectSession* m_session = nullptr;
    RunModel* m_model;
    RunProxy* m_proxy;
    QTableView* m_table;
    FilterEdit* m_filter;
    QLabel* m_filterProblem;
    LineageDelegate* m_lineage;
    RunFigureStore* m_figures;
    RunGrouper* m_grouper;
    QTimer* m_marks; ///< Updates the marks of rows that are on the charts, after a short delay.
    QTimer m_tellMistake;
    std::vector<RunFigure> m_figureColumns;
    bool m_movingColumns = false;
    QAction *m_show, *m_star, *m_archive, *m_notes, *m_find;
    /// The left and right arrow keys, as in trees. Enabled only while there are groups.
    QAction *m_collapse, *m_expand;
    std::vector<RunRow> m_rows;
    /// Annotations that are not in the index yet, with the times at which they were made.
    std::vector<std::pair<Annotation, double>> m_onTheWay;
    QString m_beforeFilter; ///< The run that was current before the filter took it away.
    QString m_leftByFilter; ///< The run that the filter left current.
    QStringList m_savedFilters;
    QString m_wanted;
    std::optional<RunId> m_baseline;
};

} // namespace sparserl
