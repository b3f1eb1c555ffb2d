// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"

#include <QFrame>
#include <QStringList>
#include <deque>
#include <functional>

class QLabel;
class QProgressBar;

namespace sparserl {

/// Imports files one after the other with progress and cancel; a bad file does not stop the others.
class MatrixImport : public QFrame
{
    Q_OBJECT

public:
    explicit MatrixImport(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// While something is imported already, more waits its turn and the line says so.
    void start(const QStringList& files, const std::string& split);
    void startGenerated(const std::string& generator, const std::string& name, const std::string& split);
    bool running() const { return m_jobs.running(); }

Q_SIGNALS:
    /// Names of what was added; a sentence for each file that was not, and for what is wrong with those that
    /// were.
    void finished(const QStringList& added, const QStringList& problems);

private:
    struct Outcome
    {
        QStringList added, problems;
    };
    using Import = std::function<Result<Outcome>(Project&)>;
    /// Runs it now or behind what runs; `first` is its line until it makes progress.
    void enqueue(qsizetype files, const QString& first, Import import);
    void next();
    void showText(const QString& text);
    Progress progressTo(const QString& file, double from, double to);
    void showProgress(double fraction, const QString& text);
    void done(const Outcome& outcome);

    ProjectSession* m_session = nullptr;
    struct Waiting
    {
        qsizetype files = 0;
        QString first;
        Import import;
    };
    CancelToken m_cancel;
    std::deque<Waiting> m_waiting;
    QString m_line; ///< What was said last, without what waits.
    QLabel* m_text;
    QProgressBar* m_bar;
    JobTracker m_jobs{this};
};

} // namespace sparserl
