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

/// A run whose parameters a new one may take over, or be compared with.
struct LaunchReference
{
    std::string run;
    QString label;
    RunConfig config;
};

/// Asks what to train: stage, preset, where to start from, and every declared parameter.
class LaunchDialog : public QDialog
{
    Q_OBJECT

public:
    LaunchDialog(std::vector<CheckpointRow> checkpoints, const std::filesystem::path& project,
                 QWidget* parent);

    /// The runs of the project, newest first. What is chosen so far is chosen anew: the preset that the
    /// project used last for the stage.
    void setRuns(std::vector<LaunchReference> runs);
    /// Takes a run's stage and parameters over, with these values in place of its own.
    void takeOver(const std::string& run, const std::map<std::string, std::string>& values);
    void setTitle(const QString& title);
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
    void fillComparisons();
    void applyComparison();
    int usualPreset() const;
    std::optional<ParameterSet> parametersOf(int choice) const;
    QString labelOf(int choice) const;
    void validate();
    StageKind stage() const;

    std::vector<CheckpointRow> m_checkpoints;
    std::vector<Preset> m_presets;
    std::vector<LaunchReference> m_runs;
    std::filesystem::path m_project;
    QComboBox *m_stage, *m_preset, *m_parent, *m_compare;
    QLineEdit *m_title, *m_search;
    QCheckBox* m_changedOnly;
    QLabel *m_about, *m_problem;
    QPushButton* m_start;
    ParameterForm* m_form;
};

} // namespace sparserl
