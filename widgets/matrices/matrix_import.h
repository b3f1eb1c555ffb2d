// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/matrices/import_report.h"

#include <QFrame>
#include <QStringList>
#include <deque>
#include <functional>

class QLabel;
class QProgressBar;
class QPushButton;

namespace sparserl {

/// The split that new matrices get.
enum class ImportSplit
{
    Train,
    HeldOut,
    EveryFifthHeldOut ///< The fifth, tenth, ... of one import.
};

/// Imports files and folders one after the other with progress and cancel; a bad file does not stop the
/// others. Afterwards every file that was not taken is listed with its reason until the user closes the line.
class MatrixImport : public QFrame
{
    Q_OBJECT

public:
    explicit MatrixImport(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// Files, and folders with all matrix files below them. While something is imported already, more waits
    /// its turn and the line says so.
    void start(const QStringList& paths, ImportSplit split);
    void startGenerated(const std::string& generator, const std::string& name, const std::string& split);
    bool running() const { return m_jobs.running(); }
    /// Of everything imported since the line was closed.
    const QList<ImportProblem>& problems() const { return m_problems; }

Q_SIGNALS:
    /// Names of what was added; a sentence for each file that was not, and for what is wrong with those that
    /// were.
    void finished(const QStringList& added, const QStringList& problems);

private:
    struct Outcome
    {
        QStringList added;
        QList<ImportProblem> problems;
        qsizetype refused = 0; ///< Files among the problems that were not added.
    };
    using Report = std::function<void(double fraction, const QString& text)>;
    using Import = std::function<Result<Outcome>(Project&)>;
    struct Waiting
    {
        qsizetype paths = 0;
        QString first;
        Import import;
    };
    /// Runs it now or behind what runs; `first` is its line until it makes progress.
    void enqueue(qsizetype paths, const QString& first, Import import);
    void next();
    void cancel();
    void dismiss();
    void showText(const QString& text);
    Report reporter();
    void done(Result<Outcome> outcome);
    static Result<Outcome> importAll(Project& project, const QStringList& paths, ImportSplit split,
                                     const CancelToken& cancel, const Report& report);

    ProjectSession* m_session = nullptr;
    CancelToken m_cancel;
    std::deque<Waiting> m_waiting;
    QString m_line; ///< What was said last, without what waits.
    QList<ImportProblem> m_problems;
    qsizetype m_added = 0, m_refused = 0; ///< Since the line was closed.
    QLabel* m_text;
    QProgressBar* m_bar;
    QPushButton *m_cancelButton, *m_list, *m_close;
    JobTracker m_jobs{this};
};

/// Matrix files below a folder, by name: .mtx and .smtx, plain or gzip.
QStringList matrixFilesBelow(const QString& folder, const CancelToken& cancel);

} // namespace sparserl
