// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/kernels/command_job.h"

#include <QDialog>
#include <filesystem>

class QCheckBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace sparserl {

/// Makes a policy of a pretrained model (`sparserl policy import`): a folder in Hugging Face's layout, or a
/// GGUF file.
class ModelDialog : public QDialog
{
    Q_OBJECT

public:
    /// `project`: the open one, below which policies are proposed to lie; may be empty.
    ModelDialog(std::filesystem::path project, QWidget* parent);
    QLineEdit* model() const { return m_model; }
    QLineEdit* folder() const { return m_folder; }
    QCheckBox* inWords() const { return m_inWords; }
    QSpinBox* entries() const { return m_entries; }
    QLabel* outcome() const { return m_outcome; }
    bool importing() const { return m_command.running(); }

public Q_SLOTS:
    /// Begins, or gives up what is under way; then nothing is left of it.
    void start();

private:
    void propose();
    void ended(const std::vector<nlohmann::json>& lines, const QString& problem);
    void setRunning(bool running);

    std::filesystem::path m_project;
    QLineEdit *m_model, *m_folder;
    QCheckBox* m_inWords;
    QSpinBox* m_entries;
    QProgressBar* m_busy;
    QLabel* m_outcome;
    QPushButton* m_start;
    QString m_proposed; ///< What the dialog wrote into m_folder last.
    CommandJob m_command{this};
};

} // namespace sparserl
