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
    EveryFifthHeldOut ///< The fifth, tenth, ... matrix of an import is held out.
};

/// Imports files and folders in sequence. Each is a task of the session, and this line shows its progress,
/// too. An invalid file does not stop the others. After the import, the line lists every file that was not
/// imported, with the reason, until the user closes it.
class MatrixImport : public QFrame
{
    Q_OBJECT

public:
    explicit MatrixImport(QWidget* parent = nullptr);
    ~MatrixImport() override;
    void setSession(ProjectSession* session);
    /// Imports files, and all matrix files below folders. During another import, they wait for their turn,
    /// and the line says so.
    void start(const QStringList& paths, ImportSplit split);
    void startGenerated(const std::string& generator, const std::string& name, const std::string& split);
    bool running() const { return m_running; }
    /// The problems of all imports since the line was last closed.
    const QList<ImportProblem>& problems() const { return m_problems; }

Q_SIGNALS:
    /// `added`: names of the added matrices. `problems`: one sentence for each file that was not added, and
    /// for each warning.
    void finished(const QStringList& added, const QStringList& problems);

private:
    struct Outcome
    {
        QStringList added;
        QList<ImportProblem> problems;
        qsizetype refused = 0;    ///< Number of files that were not added.
        qsizetype passedOver = 0; ///< Number of folders in which something was skipped.
    };
    using Import = std::function<Result<Outcome>(Project&, const TaskWork&)>;
    struct Waiting
    {
        QStringList paths; ///< Paths of files and folders, or a generator.
        QString first;
        Import import;
        CancelToken cancel;
        TaskTicket task;
    };
    /// Runs an import now, or after the current one. `first`: the text of the line until the import makes
    /// progress.
    void enqueue(const TaskName& name, const QStringList& paths, const QString& first, Import import);
    void next();
    /// Cancels one waiting import; the others stay.
    void giveUp(const CancelToken& cancel);
    void cancel();
    void dismiss();
    void followTask();
    void showText(const QString& text);
    void take(const Outcome& outcome);
    /// A summary of all imports since the line was last closed. Requires that there was a problem.
    QString summary() const;
    static Result<Outcome> importAll(Project& project, const QStringList& paths, ImportSplit split,
                                     const TaskWork& work);
    static void tell(const QStringList& paths, const Outcome& outcome, TaskTicket& task, bool cancelled);

    QPointer<ProjectSession> m_session;
    bool m_running = false;
    quint64 m_task = 0; ///< The task of the current import.
    std::deque<Waiting> m_waiting;
    QList<ImportProblem> m_problems;
    qsizetype m_added = 0, m_refused = 0, m_passedOver = 0; ///< Since the line was closed.
    QLabel* m_text;
    QProgressBar* m_bar;
    QPushButton *m_cancelButton, *m_list, *m_close;
};

/// Name patterns of matrix files, for dialogs and searches: "*.mtx", "*.npz", ...
QStringList matrixFileFilters();

} // namespace sparserl
