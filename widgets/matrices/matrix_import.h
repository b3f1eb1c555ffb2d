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

/// Imports files and folders one after the other, each as a task of the session whose progress stands here,
/// too; a bad file does not stop the others. Afterwards every file that was not taken is listed with its
/// reason until the user closes the line.
class MatrixImport : public QFrame
{
    Q_OBJECT

public:
    explicit MatrixImport(QWidget* parent = nullptr);
    ~MatrixImport() override;
    void setSession(ProjectSession* session);
    /// Files, and folders with all matrix files below them. While something is imported already, more waits
    /// its turn and the line says so.
    void start(const QStringList& paths, ImportSplit split);
    void startGenerated(const std::string& generator, const std::string& name, const std::string& split);
    bool running() const { return m_running; }
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
        qsizetype refused = 0;    ///< Files among the problems that were not added.
        qsizetype passedOver = 0; ///< Folders among them, of which not everything was looked at.
    };
    using Import = std::function<Result<Outcome>(Project&, const TaskWork&)>;
    struct Waiting
    {
        QStringList paths; ///< Or a generator.
        QString first;
        Import import;
        CancelToken cancel;
        TaskTicket task;
    };
    /// Runs it now or behind what runs; `first` is its line until it makes progress.
    void enqueue(const TaskName& name, const QStringList& paths, const QString& first, Import import);
    void next();
    /// One that waits is given up alone.
    void giveUp(const CancelToken& cancel);
    void cancel();
    void dismiss();
    void followTask();
    void showText(const QString& text);
    void take(const Outcome& outcome);
    /// Of everything that was imported since the line was closed; there is a problem.
    QString summary() const;
    static Result<Outcome> importAll(Project& project, const QStringList& paths, ImportSplit split,
                                     const TaskWork& work);
    static void tell(const QStringList& paths, const Outcome& outcome, TaskTicket& task, bool cancelled);

    QPointer<ProjectSession> m_session;
    bool m_running = false;
    quint64 m_task = 0; ///< The entry of what runs.
    std::deque<Waiting> m_waiting;
    QList<ImportProblem> m_problems;
    qsizetype m_added = 0, m_refused = 0, m_passedOver = 0; ///< Since the line was closed.
    QLabel* m_text;
    QProgressBar* m_bar;
    QPushButton *m_cancelButton, *m_list, *m_close;
};

/// How files of matrices are called, for dialogs and searches: "*.mtx", "*.npz", ...
QStringList matrixFileFilters();

} // namespace sparserl
