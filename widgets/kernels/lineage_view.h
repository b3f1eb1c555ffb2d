// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/search_tree.h"
#include "widgets/common/session.h"

#include <QWidget>
#include <optional>

class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace sparserl {

class ChartWidget;

/// Shows how a program's search got from the corpus to its record: a tree of programs with a description and
/// the gain of each change, the gain by kind of edit, and the best time over the elapsed seconds.
class LineageView : public QWidget
{
    Q_OBJECT

public:
    explicit LineageView(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// Sets the program. Its lineage is loaded when this view becomes visible.
    void show(const CandidateRow& candidate);
    QTreeWidget* tree() const { return m_tree; }
    QLabel* note() const { return m_note; }
    ChartWidget* chart() const { return m_chart; }
    QPushButton* openButton() const { return m_open; }
    bool reading() const { return m_stale || m_jobs.running(); }

Q_SIGNALS:
    void openAsked(const CandidateRow& program);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void ask();
    void fill(SearchTree tree);
    void draw();
    void showChart();
    int widthOfTable() const; ///< The width at which every number and a few words of each change are visible.
    const CandidateRow* chosen() const; ///< Null: none, or the displayed program.
    void open();

    ProjectSession* m_session = nullptr;
    std::optional<CandidateRow> m_candidate;
    bool m_stale = false;
    SearchTree m_search;
    JobTracker m_jobs{this};
    QTreeWidget* m_tree;
    QLabel* m_note;
    QPushButton* m_open;
    ChartWidget* m_chart;
};

} // namespace sparserl
