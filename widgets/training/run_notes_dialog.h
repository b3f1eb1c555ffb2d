// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QDialog>
#include <vector>

class QLineEdit;
class QPlainTextEdit;

namespace sparserl {

/// Edits the tags and the note of a run.
class RunNotesDialog : public QDialog
{
    Q_OBJECT

public:
    /// `known`: the tags of all runs, for completion.
    RunNotesDialog(const RunSummary& run, const QStringList& known, QWidget* parent);

    void setTags(const QString& tags); ///< Separated by commas.
    void setNote(const QString& note);
    /// The annotations that must be written so that the run has the tags and the note in the dialog.
    std::vector<Annotation> changes() const;

Q_SIGNALS:
    /// The user wants the changes to be written. The dialog stays open until it is accepted, so that nothing
    /// typed is lost if they cannot be written.
    void saveAsked();

private:
    RunSummary m_run;
    QLineEdit* m_tags;
    QPlainTextEdit* m_note;
};

} // namespace sparserl
