// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/run_config.h"
#include "widgets/common/session.h"

#include <QDialog>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace sparserl {

/// Asks for the settings of a search (docs/search.md): matrices, policy, device, budget. Initial values come
/// from the project's last search. The caller that starts the search closes the dialog.
class SearchDialog : public QDialog
{
    Q_OBJECT

public:
    /// `digests`: the matrices that are selected initially; none: the matrices of the last search.
    SearchDialog(ProjectSession* session, std::vector<std::string> digests, QWidget* parent);
    QListWidget* matrices() const { return m_matrices; }
    QComboBox* task() const { return m_task; }
    QSpinBox* columns() const { return m_columns; }
    QComboBox* device() const { return m_device; }
    QComboBox* policy() const { return m_policy; }
    QComboBox* budget() const { return m_budget; }
    QSpinBox* seconds() const { return m_seconds; }
    QSpinBox* programs() const { return m_programs; }
    QLabel* outcome() const { return m_outcome; }
    QPushButton* startButton() const { return m_start; }

    /// The configuration of the requested run, without a project.
    RunConfig config() const;
    /// Shows why the search did not start and re-enables the form.
    void refuse(const QString& sentence);

public Q_SLOTS:
    void start();

Q_SIGNALS:
    void startAsked();

private:
    struct Choices;
    void fill(const Choices& choices);
    void takeOver(const RunConfig& last);
    void showBudget();
    QStringList chosen() const;

    std::vector<std::string> m_digests;
    QListWidget* m_matrices;
    QComboBox *m_task, *m_policy, *m_device, *m_budget;
    QSpinBox *m_columns, *m_seconds, *m_programs;
    QLabel* m_outcome;
    QPushButton* m_start;
    JobTracker m_jobs{this};
};

} // namespace sparserl
