// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "project/run/run_config.h"
#include "training/parameters/stage_parameters.h"

#include <QDialog>
#include <map>
#include <optional>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace sparserl {

class HostChooser;
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
    /// The checkpoints as they are by now. Where the chosen one is gone, the newest of its run that is left
    /// takes its place, and a note says so.
    void setCheckpoints(std::vector<CheckpointRow> checkpoints);
    /// How many matrices the project has to train on and to hold out, as it is by now: a stage without the
    /// ones that it needs cannot be started.
    void setMatrices(std::size_t training, std::size_t heldOut);
    /// What presets are begun with instead of their own values; what a stage does not have is left out.
    void setDefaults(const std::map<std::string, std::string>& values);
    /// What became of the choice of the checkpoint meanwhile, or empty.
    QLabel* note() const { return m_note; }
    /// Chooses a stage, a preset and a checkpoint, as a user would. Unknown names leave the choice as it is.
    void choose(const std::string& stage, const std::string& preset, const std::filesystem::path& checkpoint);
    ParameterForm* form() const { return m_form; }
    /// Where the run is to work.
    HostChooser* where() const { return m_where; }
    /// What run.toml will hold.
    RunConfig config() const;
    /// Why the run cannot start as it stands, or empty.
    QString problem() const;
    /// Of a fork: what goes on, or what starts again and why. Hidden otherwise.
    QLabel* forkNote() const { return m_forkNote; }
    /// What the project's matrices and the checkpoint suggest to set otherwise. Hidden where nothing is.
    QLabel* suggestion() const { return m_suggestion; }
    /// Enters the values that are suggested; hidden where none are.
    QPushButton* takeSuggestion() const { return m_take; }

public Q_SLOTS:
    /// Hides the form and asks for the run; who makes it deletes the form, or calls refuse(). Not while the
    /// chosen checkpoint is gone: then another is chosen, for the user to look at.
    void accept() override;
    /// Shows the form again, as it was, with the reason why the run could not be made.
    void refuse(const QString& sentence);

Q_SIGNALS:
    void startAsked();

private:
    QLayout* makeBar();
    void fillParents(const QString& chosen);
    void fillPresets();
    void applyPreset();
    void fillComparisons();
    void applyComparison();
    int usualPreset() const;
    std::optional<ParameterSet> parametersOf(int choice) const;
    QString labelOf(int choice) const;
    /// Of a fork: what it keeps as it stands. Nothing for a new run, and where the form's run and checkpoint
    /// are not of the fork any more.
    std::optional<Result<ForkPlan>> forkPlan() const;
    const CheckpointRow* chosenCheckpoint() const;
    QString endpointProblem() const;
    void validate();
    void suggest();
    void enterSuggestion();
    /// Something was changed: what was refused was something else.
    void reconsider();
    StageKind stage() const;

    std::vector<CheckpointRow> m_checkpoints;
    std::optional<std::pair<std::size_t, std::size_t>> m_matrices; ///< To train on, held out.
    std::vector<Preset> m_presets;
    std::vector<LaunchReference> m_runs;
    std::filesystem::path m_project;
    QComboBox *m_stage, *m_preset, *m_parent, *m_compare;
    QLineEdit *m_title, *m_search;
    QCheckBox* m_changedOnly;
    std::optional<std::size_t> m_fork; ///< Of m_runs: what is forked.
    QLabel *m_about, *m_note, *m_forkNote, *m_suggestion, *m_problem;
    std::map<std::string, std::string> m_defaults;
    std::map<std::string, std::string> m_suggested; ///< What m_take enters.
    QString m_refusal;                              ///< Why the run could not be made the last time.
    QPushButton *m_take, *m_start;
    ParameterForm* m_form;
    HostChooser* m_where;
};

} // namespace sparserl
