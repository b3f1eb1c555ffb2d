// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QDialog>
#include <vector>

class QLineEdit;
class QPlainTextEdit;

namespace sparserl {

/// Tags and note of a run.
class RunNotesDialog : public QDialog
{
    Q_OBJECT

public:
    /// `known`: the tags of all runs, to be completed.
    RunNotesDialog(const RunSummary& run, const QStringList& known, QWidget* parent);

    void setTags(const QString& tags); ///< Separated by commas.
    void setNote(const QString& note);
    /// What has to be written for the run to have what the dialog shows.
    std::vector<Annotation> changes() const;

private:
    RunSummary m_run;
    QLineEdit* m_tags;
    QPlainTextEdit* m_note;
};

} // namespace sparserl
