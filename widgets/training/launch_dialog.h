// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "project/run_config.h"
#include "training/stage_parameters.h"

#include <QDialog>
#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace sparserl {

class ParameterForm;

/// Asks what to train: stage, preset, where to start from, and every declared parameter.
class LaunchDialog : public QDialog
{
    Q_OBJECT

public:
    LaunchDialog(std::vector<CheckpointRow> checkpoints, const std::filesystem::path& project,
                 QWidget* parent);

    /// Chooses a stage, a preset and a checkpoint, as a user would. Unknown names leave the choice as it is.
    void choose(const std::string& stage, const std::string& preset, const std::filesystem::path& checkpoint);
    ParameterForm* form() const { return m_form; }
    /// What run.toml will hold.
    RunConfig config() const;
    /// Why the run cannot start as it stands, or empty.
    QString problem() const;

private:
    void fillPresets();
    void applyPreset();
    void validate();
    StageKind stage() const;

    std::vector<CheckpointRow> m_checkpoints;
    std::vector<Preset> m_presets;
    std::filesystem::path m_project;
    QComboBox *m_stage, *m_preset, *m_parent;
    QLineEdit *m_title, *m_search;
    QCheckBox* m_changedOnly;
    QLabel *m_about, *m_problem;
    QPushButton* m_start;
    ParameterForm* m_form;
};

} // namespace sparserl
