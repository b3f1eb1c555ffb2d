// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "widgets/common/session.h"

#include <QWidget>
#include <vector>

class QPlainTextEdit;

namespace sparserl {

/// What a run said, newest at the end: log events of the journal, then the tail of worker.log. Stays where
/// the user scrolled to.
class LogView : public QWidget
{
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);
    void show(ProjectSession* session, const RunSummary& run);
    void clear();

Q_SIGNALS:
    void problem(const QString& sentence);

private:
    void setLines(const QStringList& lines);
    QPlainTextEdit* m_text;
    JobTracker m_jobs{this};
};

} // namespace sparserl
