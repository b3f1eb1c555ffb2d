// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "project/files/project.h"
#include "project/files/verifications.h"
#include "project/index/index.h"
#include "project/queries/queries.h"
#include "project/run/control.h"
#include "project/run/written_programs.h"
#include "widgets/common/background.h"
#include "widgets/common/preferences.h"
#include "widgets/common/problem_book.h"
#include "widgets/common/task_threads.h"

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

class QTimer;

namespace sparserl {

/// The pages' interface to an open project. There are separate threads for queries, long queries, the indexer
/// (unless another process is the indexer), files, and small synced writes. Each task also has its own
/// thread. Pages never access files or SQLite directly.
class ProjectSession : public QObject
{
    Q_OBJECT

public:
    /// Opens a project. Reads only project.toml; slow work happens later. For an untrusted project, the index
    /// is in a temporary folder, and nothing is written. Journals are read for `readSeconds` at a time; what
    /// then remains is an entry of tasks().
    static Result<std::unique_ptr<ProjectSession>> open(const std::filesystem::path& path,
                                                        double readSeconds = 1.5);
    ~ProjectSession() override;

    const std::filesystem::path& path() const { return m_path; }
    QString title() const { return m_title; }
    /// Whether the user trusts the project (core/base/trust.h). For an untrusted project, no program is
    /// started, no host is contacted, and no counters are computed automatically.
    bool trusted() const { return m_trusted; }
    /// Trusts the project.
    Status trust();
    /// Which process keeps the index up to date, if it is not this one; otherwise empty.
    QString indexerState() const { return m_indexerState; }

    /// Runs `ask` with a reader on the query thread and `done` with its answer on this thread; `jobs` drops
    /// outdated answers.
    template <typename T>
    void query(JobTracker& jobs, std::function<Result<T>(ProjectReader&)> ask,
               std::function<void(Result<T>)> done)
    {
        queryOn<T>(*m_queries, m_reader, jobs, std::move(ask), std::move(done));
    }

    /// The same for queries over all candidates, which may take seconds. They have their own thread and do
    /// not delay other queries. Callers keep a CancelToken and cancel unwanted queries.
    template <typename T>
    void search(JobTracker& jobs, std::function<Result<T>(ProjectReader&)> ask,
                std::function<void(Result<T>)> done)
    {
        queryOn<T>(*m_searching, m_searcher, jobs, std::move(ask), std::move(done));
    }

    /// Runs short work with the project (such as loading a matrix) on the work thread.
    template <typename T>
    void work(JobTracker& jobs, std::function<Result<T>(Project&)> task, std::function<void(Result<T>)> done)
    {
        auto path = m_path;
        jobs.start<Result<T>>(
            *m_work,
            [path, task = std::move(task)]() -> Result<T> {
                return guarded<T>([&]() -> Result<T> {
                    SPARSERL_TRY(auto project, Project::open(path));
                    return task(project);
                });
            },
            noted<T>(jobs, std::move(done)));
    }

    /// The same for frequent queries that need only the path of the project's folder. Opens no project.
    template <typename T>
    void look(JobTracker& jobs, std::function<Result<T>(const std::filesystem::path&)> task,
              std::function<void(Result<T>)> done)
    {
        jobs.start<Result<T>>(
            *m_work,
            [path = m_path, task = std::move(task)]() -> Result<T> {
                return guarded<T>([&] { return task(path); });
            },
            noted<T>(jobs, std::move(done)));
    }

    /// Runs work that may take long (imports) or must start immediately (launches) on its own thread, as an
    /// entry of tasks(). `done` receives the answer on this thread if `context` is alive, and may end the
    /// entry with a sentence. If it does not, the answer determines how the entry ends.
    template <typename T>
    void runTask(TaskName name, std::function<Result<T>(Project&, const TaskWork&)> work,
                 const QObject* context, std::function<void(Result<T>, TaskTicket&)> done)
    {
        const CancelToken cancel;
        runTask<T>(TaskTicket(&m_tasks, std::move(name), [cancel] { cancel.cancel(); }), cancel,
                   std::move(work), context, std::move(done));
    }
    /// The same for an entry that was waiting; cancelling the entry cancels the token `cancel`.
    template <typename T>
    void runTask(TaskTicket task, const CancelToken& cancel,
                 std::function<Result<T>(Project&, const TaskWork&)> work, const QObject* context,
                 std::function<void(Result<T>, TaskTicket&)> done)
    {
        m_threads.start(std::move(task), cancel,
                        taskWork<T>(m_path, std::move(work), context, std::move(done)));
    }
    /// The long tasks of this project. Code that does not use runTask() holds a TaskTicket of this list.
    TaskList* tasks() { return &m_tasks; }
    /// The current user settings.
    const Preferences& preferences() const { return m_preferences; }
    void setPreferences(const Preferences& preferences) { m_preferences = preferences; }
    /// Reversible actions, in the order in which they were done.
    QUndoStack* undoStack() { return &m_undo; }
    /// Records a repeated judgement of a program and updates the index immediately.
    void recordVerification(Verification verification);
    /// Stores a program from outside runs as a candidate. `done` is called on this thread if `context` is
    /// alive, with the result of writing to disk.
    void keepProgram(WrittenProgram program, const QObject* context, std::function<void(Status)> done);
    /// Calls `done` after all writes so far are complete, if `context` is alive. Use it before starting a
    /// program that reads what was written.
    void afterWrites(const QObject* context, std::function<void()> done);
    /// The same, but only if none of these writes failed. A sentence that something was done is said there: a
    /// failure is reported by problem().
    void onceWritten(const QObject* context, std::function<void()> done);
    /// Adds annotations as one step of undoStack(), and updates the index immediately. `what` describes the
    /// step, such as "star of 0003-rl".
    void annotate(const std::vector<Annotation>& annotations, const QString& what);
    /// The same for one annotation, with a generated description.
    void annotate(const Annotation& annotation);
    /// Stores the text of a program for the project's SFT set. Whether the program is in the set is recorded
    /// as an annotation.
    void keepForSft(const std::string& hash, const std::string& text);
    /// Changes project.toml after earlier changes, without waiting for imports. No change is dropped. A
    /// failure is reported by problem(). `done` is called on this thread if `context` is alive, and is told
    /// whether the change succeeded.
    void change(std::function<Status(Project&)> task, const QObject* context,
                std::function<void(bool good)> done);
    /// Writes a command to a run's control file; `done` is called on this thread once it is on disk, if
    /// `context` is alive.
    void control(const std::filesystem::path& run, ControlCommand command, const QObject* context,
                 std::function<void()> done);
    /// Reads journals and project.toml immediately instead of at the next tick.
    void updateNow();
    /// Whether the first update after opening is complete, so that the index can be queried.
    bool isReady() const { return m_ready; }
    /// True while any answer is pending.
    bool busy() const;

Q_SIGNALS:
    /// The index changed: query again. At most four times a second.
    void changed();
    /// The first update after opening is complete.
    void ready();
    /// A problem in the background, as a sentence.
    void problem(const QString& sentence);
    /// A reported problem no longer exists.
    void problemGone(const QString& sentence);
    void indexerStateChanged();
    void trustChanged();
    /// The annotation is being written to the disk and to the index.
    void annotationAdded(const sparserl::Annotation& annotation);
    void annotationTakenBack(const std::string& id);

private:
    friend class AnnotateCommand;
    ProjectSession(const Project& project, std::optional<TempDir> ownIndex, double readSeconds);
    void tick();
    /// The folder of the index; empty: the project's folder.
    std::filesystem::path indexPlace() const;
    /// Runs a write that must not be dropped. A failure is reported by problem(). Closing the project waits
    /// for the write.
    void write(std::function<Result<std::string>()> task, std::function<void()> done = {},
               std::function<void()> failed = {});
    void noteFailedWrite(const Error& error);
    void addAnnotation(const Annotation& annotation);
    /// The annotation could not be written and is no longer displayed.
    void forgetAnnotation(const std::string& id);
    void takeBackAnnotation(const std::string& id);

    /// An error shared between threads.
    class SharedError
    {
    public:
        void set(std::optional<Error> error)
        {
            const std::lock_guard lock(m_mutex);
            m_error = std::move(error);
        }
        std::optional<Error> get() const
        {
            const std::lock_guard lock(m_mutex);
            return m_error;
        }

    private:
        mutable std::mutex m_mutex;
        std::optional<Error> m_error;
    };

    /// Wraps the callback of a repeated query so that the success or failure of each answer is recorded.
    template <typename T>
    std::function<void(Result<T>)> noted(const JobTracker& jobs, std::function<void(Result<T>)> done)
    {
        return [this, key = &jobs, done = std::move(done)](Result<T> answer) {
            m_problems.note(key, answer);
            done(std::move(answer));
        };
    }

    template <typename T>
    void queryOn(BackgroundThread& thread, const std::shared_ptr<std::unique_ptr<ProjectReader>>& reader,
                 JobTracker& jobs, std::function<Result<T>(ProjectReader&)> ask,
                 std::function<void(Result<T>)> done)
    {
        auto path = m_path;
        auto place = indexPlace();
        jobs.start<Result<T>>(
            thread,
            [reader, path, place, cause = m_unkept, ask = std::move(ask)]() -> Result<T> {
                return guarded<T>([&]() -> Result<T> {
                    if (!*reader) {
                        auto opened = ProjectReader::open(path, place);
                        if (!opened)
                            return fail(cause->get().value_or(opened.error()));
                        *reader = std::make_unique<ProjectReader>(std::move(*opened));
                    }
                    return ask(**reader);
                });
            },
            noted<T>(jobs, std::move(done)));
    }

    void showReading(std::int64_t runs, std::int64_t bytes);

    std::filesystem::path m_path;
    bool m_trusted = true;
    double m_readSeconds;
    std::optional<TempDir> m_ownIndex; ///< For an untrusted project.
    QString m_title, m_indexerState;
    std::shared_ptr<std::unique_ptr<ProjectReader>> m_reader;   ///< Used only on the query thread.
    std::shared_ptr<std::unique_ptr<ProjectReader>> m_searcher; ///< Used only on the search thread.
    std::shared_ptr<std::unique_ptr<ProjectReader>>
        m_watcher; ///< Used only on the indexer thread: polls the index of another indexer.
    std::shared_ptr<std::unique_ptr<Indexer>> m_indexer; ///< Used only on the indexer thread.
    /// Why neither this window nor another program keeps the index. This also makes the index unreadable,
    /// which is therefore not reported separately.
    std::shared_ptr<SharedError> m_unkept = std::make_shared<SharedError>();
    JobTracker m_ticks;
    QTimer* m_nextTick;
    int m_quietTicks = 0; ///< Consecutive ticks without news.
    CancelToken m_cancel;
    bool m_ready = false, m_again = false;
    std::int64_t m_dataVersion = -1;
    QStringList m_toldProblems;
    std::unique_ptr<BackgroundThread> m_queries, m_searching, m_indexing, m_work, m_writing;
    Preferences m_preferences;
    ProblemBook m_problems;
    TaskList m_tasks;
    TaskTicket m_reading;            ///< While journals are being read.
    std::int64_t m_readingBytes = 0; ///< Maximum number of unread bytes since m_reading began.
    TaskThreads m_threads;
    QUndoStack m_undo;
    std::int64_t m_failedWrites = 0; ///< Since the project was opened.
};

} // namespace sparserl
