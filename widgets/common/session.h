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

/// An open project as the pages see it: queries on a thread of their own, long ones on another, the indexer
/// on another (this window is the indexer unless some other process is), files on a third, small writes that
/// are synced to the disk on a fourth, and each task on one of its own. Pages never touch files or SQLite
/// themselves.
class ProjectSession : public QObject
{
    Q_OBJECT

public:
    /// Reads project.toml only; everything slow happens later. Of a project that the user does not trust, the
    /// index is kept in a temporary folder, and nothing is written.
    static Result<std::unique_ptr<ProjectSession>> open(const std::filesystem::path& path);
    ~ProjectSession() override;

    const std::filesystem::path& path() const { return m_path; }
    QString title() const { return m_title; }
    /// Whether the user trusts the project (core/base/trust.h). Until then nothing is started, contacted or
    /// counted by itself.
    bool trusted() const { return m_trusted; }
    /// Trusts it from now on.
    Status trust();
    /// Whether this process keeps the index up to date, and if not, who does.
    QString indexerState() const { return m_indexerState; }

    /// Runs `ask` with a reader on the query thread and `done` with its answer here; `jobs` drops stale
    /// answers.
    template <typename T>
    void query(JobTracker& jobs, std::function<Result<T>(ProjectReader&)> ask,
               std::function<void(Result<T>)> done)
    {
        queryOn<T>(*m_queries, m_reader, jobs, std::move(ask), std::move(done));
    }

    /// The same for what looks at every candidate and may take seconds: on a thread of its own, so that no
    /// query waits for it. Whoever asks keeps a CancelToken and gives up what is not wanted any more.
    template <typename T>
    void search(JobTracker& jobs, std::function<Result<T>(ProjectReader&)> ask,
                std::function<void(Result<T>)> done)
    {
        queryOn<T>(*m_searching, m_searcher, jobs, std::move(ask), std::move(done));
    }

    /// Runs what the user waits for a moment (loading a matrix) with the project on the work thread.
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

    /// The same for what needs the project's folder only and is asked again and again: nothing is opened.
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

    /// Runs what may take long (imports) or must not wait for anything (launches) on a thread of its own, as
    /// an entry of tasks(). `done` gets the answer here, if `context` lives, and may end the entry with a
    /// sentence; else it ends by what the answer is.
    template <typename T>
    void runTask(TaskName name, std::function<Result<T>(Project&, const TaskWork&)> work,
                 const QObject* context, std::function<void(Result<T>, TaskTicket&)> done)
    {
        const CancelToken cancel;
        runTask<T>(TaskTicket(&m_tasks, std::move(name), [cancel] { cancel.cancel(); }), cancel,
                   std::move(work), context, std::move(done));
    }
    /// The same with an entry that waited; it cancels `cancel`.
    template <typename T>
    void runTask(TaskTicket task, const CancelToken& cancel,
                 std::function<Result<T>(Project&, const TaskWork&)> work, const QObject* context,
                 std::function<void(Result<T>, TaskTicket&)> done)
    {
        m_threads.start(std::move(task), cancel,
                        taskWork<T>(m_path, std::move(work), context, std::move(done)));
    }
    /// The long things of this project: who does one without runTask() holds a TaskTicket of this list.
    TaskList* tasks() { return &m_tasks; }
    /// What the user chose in the settings, as it is now.
    const Preferences& preferences() const { return m_preferences; }
    void setPreferences(const Preferences& preferences) { m_preferences = preferences; }
    /// What can be taken back, in the order in which it was done.
    QUndoStack* undoStack() { return &m_undo; }
    /// Writes down that a program was judged once more, and lets the index take it up at once.
    void recordVerification(Verification verification);
    /// Keeps a program that no run wrote as a candidate of its own. `done` is called here, if `context`
    /// lives, with whether it is on the disk.
    void keepProgram(WrittenProgram program, const QObject* context, std::function<void(Status)> done);
    /// Calls back, while `context` lives, once all that was to be written until now is: for programs that are
    /// started to read it.
    void afterWrites(const QObject* context, std::function<void()> done);
    /// Adds annotations, which the index takes up at once, as one step of undoStack(); `what` was done, such
    /// as "star of 0003-rl".
    void annotate(const std::vector<Annotation>& annotations, const QString& what);
    /// The same for one, in words of its own.
    void annotate(const Annotation& annotation);
    /// Keeps the text of a program for the project's SFT set; that it is in it is an annotation.
    void keepForSft(const std::string& hash, const std::string& text);
    /// Changes project.toml, behind what was asked before, never behind an import; nothing is dropped. A
    /// failure becomes problem(). `done` is called here with whether it went well, if `context` lives.
    void change(std::function<Status(Project&)> task, const QObject* context,
                std::function<void(bool good)> done);
    /// Writes a command to a run's control file; `done` is called here once it is on the disk, if `context`
    /// lives.
    void control(const std::filesystem::path& run, ControlCommand command, const QObject* context,
                 std::function<void()> done);
    /// Reads journals and project.toml now instead of at the next tick.
    void updateNow();
    /// The first update after opening is done: there is an index to ask.
    bool isReady() const { return m_ready; }
    /// True while any answer is still on its way.
    bool busy() const;

Q_SIGNALS:
    /// The index changed: ask again. At most four times a second.
    void changed();
    /// The first update after opening is done.
    void ready();
    /// Something went wrong in the background; a sentence.
    void problem(const QString& sentence);
    /// What a sentence about a problem said is so no more.
    void problemGone(const QString& sentence);
    void indexerStateChanged();
    void trustChanged();
    /// Is on its way to the disk and the index.
    void annotationAdded(const sparserl::Annotation& annotation);
    void annotationTakenBack(const std::string& id);

private:
    friend class AnnotateCommand;
    ProjectSession(const Project& project, std::optional<TempDir> ownIndex);
    void tick();
    /// Where the index is kept; empty: in the project.
    std::filesystem::path indexPlace() const;
    /// Runs a write that must not be dropped; a failure becomes problem(). Closing the project waits for it.
    void write(std::function<Result<std::string>()> task, std::function<void()> done = {},
               std::function<void()> failed = {});
    void addAnnotation(const Annotation& annotation);
    /// It could not be written: nothing shows it any more.
    void forgetAnnotation(const std::string& id);
    void takeBackAnnotation(const std::string& id);

    /// An error that several threads look at.
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

    /// Notes how each answer to the same question went.
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
    std::optional<TempDir> m_ownIndex; ///< Of a project that is not trusted.
    QString m_title, m_indexerState;
    std::shared_ptr<std::unique_ptr<ProjectReader>> m_reader;   ///< Touched on the query thread only.
    std::shared_ptr<std::unique_ptr<ProjectReader>> m_searcher; ///< Touched on the search thread only.
    std::shared_ptr<std::unique_ptr<ProjectReader>>
        m_watcher;                                       ///< Indexer thread only: polls another's index.
    std::shared_ptr<std::unique_ptr<Indexer>> m_indexer; ///< Indexer thread only.
    /// Why neither this window nor another program keeps the index: that it cannot be read follows from this,
    /// and two sentences would be told about one fault.
    std::shared_ptr<SharedError> m_unkept = std::make_shared<SharedError>();
    JobTracker m_ticks;
    QTimer* m_nextTick;
    int m_quietTicks = 0; ///< One after another that found nothing new.
    CancelToken m_cancel;
    bool m_ready = false, m_again = false;
    std::int64_t m_dataVersion = -1;
    QStringList m_toldProblems;
    std::unique_ptr<BackgroundThread> m_queries, m_searching, m_indexing, m_work, m_writing;
    Preferences m_preferences;
    ProblemBook m_problems;
    TaskList m_tasks;
    TaskTicket m_reading;            ///< While there are journals that are not read whole.
    std::int64_t m_readingBytes = 0; ///< The most that were unread since it began.
    TaskThreads m_threads;
    QUndoStack m_undo;
};

} // namespace sparserl
