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

/// How the search that a program is of came from the corpus to its record: a tree of programs with each
/// change in words and its gain, what each kind of edit gained, and the best time over the seconds.
class LineageView : public QWidget
{
    Q_OBJECT

public:
    explicit LineageView(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// Read as soon as this is looked at.
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

private:
    void ask();
    void fill(SearchTree tree);
    void draw();
    const CandidateRow* chosen() const; ///< Null: none, or the program that is shown.
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
