// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/policy_facts.h"
#include "project/queries/queries.h"
#include "project/run/run_config.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/memory_fit.h"

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

/// A run whose parameters a new run may copy, or with which it may be compared.
struct LaunchReference
{
    std::string run;
    QString label;
    RunConfig config;
};

/// Asks for the settings of a new run: stage, preset, starting point, and every declared parameter.
class LaunchDialog : public QDialog
{
    Q_OBJECT

public:
    LaunchDialog(std::vector<CheckpointRow> checkpoints, const std::filesystem::path& project,
                 QWidget* parent);

    /// Sets the runs of the project, newest first. Replaces the current choice of a preset by the preset that
    /// the project used last for the stage.
    void setRuns(std::vector<LaunchReference> runs);
    /// Copies a run's stage and parameters, except that `values` replace the run's own values.
    void takeOver(const std::string& run, const std::map<std::string, std::string>& values);
    void setTitle(const QString& title);
    /// Updates the list of checkpoints. If the chosen checkpoint no longer exists, the newest remaining
    /// checkpoint of its run is chosen instead, and a note says so.
    void setCheckpoints(std::vector<CheckpointRow> checkpoints);
    /// Updates the number of training matrices and of held-out matrices in the project. A stage cannot be
    /// started if it lacks matrices that it needs.
    void setMatrices(std::size_t training, std::size_t heldOut);
    /// Sets the share of correct programs that each run reported last, for runs that reported one.
    void setCorrectRates(std::map<RunId, double> rates);
    /// Sets initial values that replace those of the presets. Parameters that a stage does not have are
    /// ignored.
    void setDefaults(const std::map<std::string, std::string>& values);
    /// A note about a checkpoint that no longer exists, or empty.
    QLabel* note() const { return m_note; }
    /// Chooses a stage, a preset and a checkpoint as a user would. Unknown names do not change the choice.
    void choose(const std::string& stage, const std::string& preset, const std::filesystem::path& checkpoint);
    ParameterForm* form() const { return m_form; }
    /// The choice of the machine on which the run executes.
    HostChooser* where() const { return m_where; }
    /// The configuration that run.toml will contain.
    RunConfig config() const;
    /// Why the run cannot start with the current settings, or empty.
    QString problem() const;
    /// For a fork: which state is continued, or which state starts again and why. Otherwise hidden.
    QLabel* forkNote() const { return m_forkNote; }
    /// Suggests other values because of the project's matrices or the checkpoint. Hidden if there is no
    /// suggestion.
    QLabel* suggestion() const { return m_suggestion; }
    /// What the files of the chosen policy say about it. Hidden if the run starts from scratch.
    QLabel* policyFacts() const { return m_facts; }
    /// The memory that the stage will need for the policy. Hidden if the policy is not known before the run.
    QLabel* memory() const { return m_memory; }
    QLabel* tooLarge() const { return m_tooLarge; } ///< Hidden if the stage fits into memory.
    /// The button that enters the suggested values. Hidden if there are none.
    QPushButton* takeSuggestion() const { return m_take; }

public Q_SLOTS:
    /// Hides the form and requests the run. The code that creates the run deletes the form or calls refuse().
    /// If the chosen checkpoint no longer exists, another one is chosen instead, and the form stays open so
    /// that the user can check the choice.
    void accept() override;
    /// Shows the form again, unchanged, with the reason why the run could not be created.
    void refuse(const QString& sentence);

Q_SIGNALS:
    void startAsked();

private:
    QLayout* makeBar();
    void orderTabs();
    void fillParents(const QString& chosen);
    void fillPresets();
    void applyPreset();
    void fillComparisons();
    void applyComparison();
    int usualPreset() const;
    std::optional<ParameterSet> parametersOf(int choice) const;
    QString labelOf(int choice) const;
    /// For a fork: what it continues with the current settings. nullopt for a new run, and if the chosen run
    /// and checkpoint no longer belong to the fork.
    std::optional<Result<ForkPlan>> forkPlan() const;
    const CheckpointRow* chosenCheckpoint() const;
    QString endpointProblem() const;
    void tellPolicy();
    QString sizeProblem(const PolicyFacts& facts);
    void validate();
    void suggest();
    void enterSuggestion();
    /// Updates the form after a change, and removes the reason of the last refusal.
    void reconsider();
    StageKind stage() const;

    std::vector<CheckpointRow> m_checkpoints;
    std::map<RunId, double> m_correctRates;
    /// Number of training matrices, and of held-out matrices.
    std::optional<std::pair<std::size_t, std::size_t>> m_matrices;
    std::vector<Preset> m_presets;
    std::vector<LaunchReference> m_runs;
    std::filesystem::path m_project;
    QComboBox *m_stage, *m_preset, *m_parent, *m_compare;
    QLineEdit *m_title, *m_search;
    QCheckBox* m_changedOnly;
    std::optional<std::size_t> m_fork; ///< Index into m_runs of the run that is forked.
    QLabel *m_about, *m_facts, *m_note, *m_forkNote, *m_memory, *m_tooLarge, *m_suggestion, *m_problem;
    /// The facts about the policy in a folder, read once.
    std::optional<std::pair<QString, Result<PolicyFacts>>> m_known;
    /// Memory of the device of the name that was last entered, read once.
    std::optional<std::pair<std::string, std::optional<DeviceMemory>>> m_device;
    std::map<std::string, std::string> m_defaults;
    std::map<std::string, std::string> m_suggested; ///< The values that m_take enters.
    QString m_refusal;                              ///< Why the run could not be created the last time.
    QPushButton *m_take, *m_start = nullptr;
    ParameterForm* m_form;
    HostChooser* m_where;
};

} // namespace sparserl
