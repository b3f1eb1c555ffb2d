// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/training/steered_parameters.h"

#include <QWidget>
#include <map>
#include <optional>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace sparserl {

enum SteerColumn
{
    SteerName,
    SteerNow,
    SteerNew,
    SteerAsked,
    SteerStarted,
    SteerEffect,
    SteerMeaning,
    SteerColumns
};

/// Shows the parameters of a run that can change without a restart: the value at the start, the current
/// value, a requested value that has not taken effect yet, and a cell for a new value. Nothing is sent until
/// the button is pressed.
class SteerPanel : public QWidget
{
    Q_OBJECT

public:
    explicit SteerPanel(QWidget* parent = nullptr);

    /// Shows the parameters of a run; null: they are still being read. For a different run, typed values are
    /// discarded.
    void show(const RunSummary& run, const SteeredParameters* steered);
    void clear();
    /// Types a value as a user would.
    void enter(const std::string& key, const QString& value);
    /// The request to change a parameter of this run has been written: the typed value becomes the requested
    /// one.
    void sent(std::int64_t run, const std::string& key, const QString& value);
    /// The typed values that are valid, by key.
    std::map<std::string, std::string> edits() const;
    /// Why a typed value is refused, or empty.
    QString problem() const;
    void focusFirst();
    const QTableWidget* table() const { return m_table; }

Q_SIGNALS:
    /// `checkpointFirst`: a checkpoint must be written first, so that the user can return to the previous
    /// state.
    void changesAsked(const std::map<std::string, std::string>& values, bool checkpointFirst);
    /// The user wants to fork the run with these values.
    void forkAsked(const std::map<std::string, std::string>& values);

private:
    void fill(const SteeredParameters& steered);
    void fillHistory(const SteeredParameters& steered);
    void check();
    bool isDone() const; ///< Whether the run is done, so that it can no longer change.
    void filter();
    void send();
    int rowOf(const std::string& key) const;
    std::string keyAt(int row) const;

    std::optional<RunSummary> m_run;
    ParameterSet m_values;
    QLabel *m_about, *m_problem, *m_historyTitle;
    QLineEdit* m_search;
    QTableWidget *m_table, *m_history;
    QCheckBox* m_checkpoint;
    QPushButton *m_send, *m_fork;
    bool m_filling = false, m_askedForNothing = false;
};

} // namespace sparserl
