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
    FilterEdit* filterEdit() const { return m_filter; }
    RunFigureStore* figures() const { return m_figures; }
    /// Metrics, parameters and tags that are columns.
    const std::vector<RunFigure>& figureColumns() const { return m_figureColumns; }
    void setFigure(const RunFigure& figure, bool shown);
    /// Opens the dialog that chooses columns.
    RunColumnsDialog* chooseColumns();
    /// The runs that the filter leaves, in the order of the list, collapsed groups included.
    std::vector<RunRow> filtered() const;
    RunGrouper* grouper() const { return m_grouper; }

    void setSession(ProjectSession* session);
    void setRuns(std::vector<RunSummary> runs);
    /// Selects a run by name, as soon as there is one.
    void select(const QString& run);
    /// What is to be selected and is not there yet.
    const QString& wanted() const { return m_wanted; }
    /// Stays on the charts, too.
    void setBaseline(const std::optional<RunId>& run);
    /// Nothing while a group is the current row.
    std::optional<RunSummary> current() const;
    /// The current run, the others that are selected, those of selected groups, and those with an open eye.
    std::vector<RunSummary> charted() const;
    /// The groups that are selected: each is one curve on the charts.
    std::vector<RunGroup> chartedGroups() const;
    void fillMenu(QMenu* menu);
    /// Writes the curves of the selected runs into a new folder, as an entry of the tasks.
    void exportSelected(CurveFormat format, const QString& folder);
    /// A star is given and taken in other places, too.
    void setStarred(const std::string& run, bool on);

    /// Columns, filter and saved filters: lines for setState().
    QStringList state() const;
    void setState(const QStringList& lines);
    /// The columns alone: lines for setColumns().
    QStringList columns() const;
    void setColumns(const QStringList& lines);

Q_SIGNALS:
    /// Another run is the current one, or others are on the charts.
    void changed();
    void newRunAsked();
    void forkAsked(const QString& run);
    void baselineAsked(const QString& run);
    void stateChanged();
    /// Metrics or parameters of runs are others.
    void figuresChanged();
    void statusMessage(const QString& sentence);

private:
    QWidget* makeBar();
    QLayout* makeFilter();
    void makeActions();
    void makeTable();
    void makeGroupActions();
    void rowClicked(const QModelIndex& index);
    /// The head in this row of the table; null for a run.
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
    void updateWords();
    void setFigures(std::vector<RunFigure> figures);
    QStringList figureLines() const;
    void setFigureLines(const QStringList& lines);
    void showRows();
    void annotate(const std::vector<Annotation>& annotations, const QString& what);
    void toggle(Annotation::Field field, const std::function<bool(const AnnotationState&)>& has,
                const QString& on, const QString& off);
    /// Of all that are selected; empty: each its own again.
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
    QTimer* m_marks; ///< Which rows are on the charts is shown a moment later.
    QTimer m_tellMistake;
    std::vector<RunFigure> m_figureColumns;
    bool m_movingColumns = false;
    QAction *m_show, *m_star, *m_archive, *m_notes, *m_find;
    QAction *m_collapse, *m_expand; ///< Left and right, as in trees; only while there are groups.
    std::vector<RunRow> m_rows;
    std::vector<std::pair<Annotation, double>> m_onTheWay; ///< Not in the index yet, and since when.
    QStringList m_savedFilters;
    QString m_wanted;
    std::optional<RunId> m_baseline;
};

} // namespace sparserl
