// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "endpoint/capabilities.h"
#include "endpoint/endpoint_settings.h"
#include "widgets/kernels/command_job.h"

#include <QDialog>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace sparserl {

/// The user's endpoints (docs/endpoints.md): lists them, adds one, and tests what a server can do. The result
/// of the last test is shown with its endpoint. A key is neither shown nor entered here, only where it is.
class EndpointsDialog : public QDialog
{
    Q_OBJECT

public:
    explicit EndpointsDialog(QWidget* parent);
    QTableWidget* table() const { return m_table; }
    QLabel* outcome() const { return m_outcome; }
    QTableWidget* capabilities() const { return m_capabilities; }
    QLabel* tested() const { return m_testedAt; }
    QPushButton* testButton() const { return m_test; }
    bool testing() const { return m_command.running(); }

public Q_SLOTS:
    /// Tests the server of the selected endpoint, or gives this up.
    void test();
    void add();

private:
    void fill(const QString& chosen);
    void told(const std::vector<nlohmann::json>& lines, const QString& problem);
    void updateButtons();
    void showLastTest();
    void showCapabilities(const std::vector<TestedCapability>& tested, const QString& when);

    std::vector<EndpointSettings> m_endpoints; ///< In the order of the rows.
    QTableWidget *m_table, *m_capabilities;
    QProgressBar* m_busy;
    QLabel *m_outcome, *m_testedAt;
    QPushButton *m_add, *m_test;
    QString m_tested; ///< Name of the endpoint that is asked.
    CommandJob m_command{this};
};

/// Describes a new endpoint.
class NewEndpointDialog : public QDialog
{
    Q_OBJECT

public:
    explicit NewEndpointDialog(QWidget* parent);
    /// What the fields say.
    EndpointSettings settings() const;
    QLabel* problem() const { return m_problem; }

public Q_SLOTS:
    /// Adds it to the user's endpoints, or shows why it cannot be added.
    void accept() override;

private:
    QLineEdit *m_name, *m_url, *m_model, *m_key;
    QComboBox* m_keyKind;
    QSpinBox *m_requests, *m_tokens, *m_concurrent;
    QLabel* m_problem;
};

} // namespace sparserl
