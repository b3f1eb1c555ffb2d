// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/relatives.h"
#include "widgets/common/session.h"

#include <QWidget>
#include <atomic>
#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTableWidget;
class QTimer;

namespace sparserl {

class GroupView;

/// The relatives of a program in the project, most similar first or sorted by the clicked column, each with
/// verdict and speed-up, for comparison. For a sample of a policy, the user can choose its group instead.
class RelativesView : public QWidget
{
    Q_OBJECT

public:
    explicit RelativesView(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// Sets the program. Its relatives are loaded when this view becomes visible.
    void show(const CandidateRow& candidate);
    QTableWidget* table() const { return m_table; }
    QLabel* note() const { return m_note; }
    QComboBox* kinds() const { return m_kinds; } ///< Relatives or group; hidden if there is no group.
    GroupView* group() const { return m_group; }
    bool searching() const { return m_jobs.running(); }

public Q_SLOTS:
    /// Compares the program with the selected relative.
    void compareChosen();
    void cancel();

Q_SIGNALS:
    void compareAsked(const CandidateRow& relative);
    void openAsked(const CandidateRow& relative);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void ask();
    void fill(Relatives relatives);
    void fillRows();
    void sortBy(int column, Qt::SortOrder order);
    const CandidateRow* chosen() const; ///< Null: none, or the program itself.
    void updateButtons();

    ProjectSession* m_session = nullptr;
    std::optional<CandidateRow> m_candidate;
    bool m_stale = false;
    std::vector<Relative> m_chain;
    CancelToken m_cancel;
    std::shared_ptr<std::atomic<double>> m_progress;
    JobTracker m_jobs{this};
    QComboBox* m_kinds;
    QStackedWidget* m_pages;
    GroupView* m_group;
    QTableWidget* m_table;
    QLabel* m_note;
    QProgressBar* m_bar;
    QPushButton *m_compare, *m_open, *m_stop;
    QTimer* m_poll;
};

} // namespace sparserl
