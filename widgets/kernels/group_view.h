// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/session.h"

#include <QWidget>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace sparserl {

/// The group of a sample: the programs that the policy wrote for the same target in the same step, side by
/// side with their rewards. Estimators such as GRPO learn from the differences of these rewards.
class GroupView : public QWidget
{
    Q_OBJECT

public:
    explicit GroupView(QWidget* parent = nullptr);
    /// Returns whether a candidate was sampled from a policy by a run.
    static bool hasGroup(const CandidateRow& candidate);
    void setSession(ProjectSession* session);
    /// Sets the program. Its group is loaded when this view becomes visible.
    void show(const CandidateRow& candidate);
    QTableWidget* table() const { return m_table; }
    QLabel* note() const { return m_note; }

public Q_SLOTS:
    /// Compares the program with the selected one.
    void compareChosen();

Q_SIGNALS:
    void compareAsked(const CandidateRow& other);
    void openAsked(const CandidateRow& other);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void load();
    void fill(std::vector<CandidateRow> group);
    void fillRow(int row);
    const CandidateRow* chosen() const; ///< Null: none, or the sample itself.
    void updateButtons();

    ProjectSession* m_session = nullptr;
    std::optional<CandidateRow> m_candidate;
    bool m_stale = false;
    std::vector<CandidateRow> m_group;
    double m_mean = 0; ///< Of the rewards; NaN if a reward is missing.
    JobTracker m_jobs{this};
    QTableWidget* m_table;
    QLabel* m_note;
    QPushButton *m_compare, *m_open;
};

} // namespace sparserl
