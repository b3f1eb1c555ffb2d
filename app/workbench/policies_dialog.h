// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/policy_facts.h"
#include "widgets/common/session.h"

#include <QDialog>
#include <filesystem>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QTableWidget;

namespace sparserl {

/// A policy of the project, as the list shows it.
struct ListedPolicy
{
    QString name;
    std::filesystem::path folder;
    Result<PolicyFacts> facts;
};

/// Lists the policies of the project: checkpoints of runs, imported models and the default policy, each with
/// its architecture, weights, tokenizer, adapters and licence.
class PoliciesDialog : public QDialog
{
    Q_OBJECT

public:
    PoliciesDialog(ProjectSession* session, QWidget* parent);
    QTableWidget* table() const { return m_table; }
    QLabel* about() const { return m_about; }
    QPlainTextEdit* licence() const { return m_licence; }
    bool loading() const { return m_loading; }

private:
    void fill(std::vector<ListedPolicy> policies);
    void showChosen();

    QTableWidget* m_table;
    QLabel* m_about;
    QPlainTextEdit* m_licence;
    std::vector<ListedPolicy> m_policies;
    bool m_loading = true;
    JobTracker m_jobs{this};
};

} // namespace sparserl
