// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/session.h"

#include "base/beneath.h"
#include "base/lock.h"
#include "base/trust.h"
#include "project/files/sent_project.h"
#include "project/files/sft_set.h"
#include "widgets/common/format.h"
#include "widgets/common/undo_commands.h"

#include <QPointer>
#include <QTimer>
#include <algorithm>

namespace sparserl {

namespace {

/// How often a project is looked at: in a quiet one, where nothing has changed for ten seconds, half as
/// often.
constexpr int tickMilliseconds = 250, quietMilliseconds = 500, quietAfter = 40;

struct Tick
{
    bool changed = false, indexing = false, rebuilt = false;
    std::int64_t dataVersion = -1;
    std::int64_t unreadRuns = 0, unreadBytes = 0;
    std::vector<std::string> problems;
    std::string state;
};

} // namespace

Result<std::unique_ptr<ProjectSession>> ProjectSession::open(const std::filesystem::path& path,
                                                             double readSeconds)
{
    SPARSERL_TRY(auto project, Project::open(path));
    std::optional<TempDir> ownIndex;
    if (!requireTrust(project.path())) {
        SPARSERL_TRY(ownIndex, TempDir::create("sparserl-index"));
    }
    return std::unique_ptr<ProjectSession>(new ProjectSession(project, std::move(ownIndex), readSeconds));
}

std::filesystem::path ProjectSession::indexPlace() const
{
    // A folder in it: the other is locked for as long as it is there (FolderLock).
    return m_trusted || !m_ownIndex ? std::filesystem::path() : m_ownIndex->path() / "index";
}

Status ProjectSession::trust()
{
    for (const auto& project : projectsAround(m_path))
        SPARSERL_CHECK(trustSentProject(project));
    m_trusted = true;
    // The index is kept in the project from now on.
    for (const auto& [thread, its] :
         {std::pair(m_queries.get(), m_reader), std::pair(m_searching.get(), m_searcher),
          std::pair(m_indexing.get(), m_watcher)})
        thread->post([reader = its] { reader->reset(); });
    m_indexing->post([indexer = m_indexer] { indexer->reset(); });
    updateNow();
    Q_EMIT trustChanged();
    return {};
}

ProjectSession::ProjectSession(const Project& project, std::optional<TempDir> ownIndex, double readSeconds)
    : m_path(project.path())
    , m_trusted(!ownIndex)
    , m_readSeconds(readSeconds)
    , m_ownIndex(std::move(ownIndex))
    , m_title(toQString(project.title()))
    , m_reader(std::make_shared<std::unique_ptr<ProjectReader>>())
    , m_searcher(std::make_shared<std::unique_ptr<ProjectReader>>())
    , m_watcher(std::make_shared<std::unique_ptr<ProjectReader>>())
    , m_indexer(std::make_shared<std::unique_ptr<Indexer>>())
    , m_ticks(this)
    , m_nextTick(new QTimer(this))
    , m_queries(std::make_unique<BackgroundThread>(QStringLiteral("queries")))
    , m_searching(std::make_unique<BackgroundThread>(QStringLiteral("searches")))
    , m_indexing(std::make_unique<BackgroundThread>(QStringLiteral("indexer")))
    , m_work(std::make_unique<BackgroundThread>(QStringLiteral("work")))
    , m_writing(std::make_unique<BackgroundThread>(QStringLiteral("writes")))
    , m_problems([this](const QString& sentence) {
        m_toldProblems.removeAll(sentence); // if it comes again, it is news
        Q_EMIT problemGone(sentence);
    })
{
    if (m_title.isEmpty())
        m_title = toQString(m_path.filename().string());
    connect(&m_tasks, &TaskList::ended, this, [this](const TaskEntry& task) {
        if (task.state == TaskState::Done || task.state == TaskState::Failed)
            m_problems.note(qHash(task.name.title), task.state == TaskState::Failed ? task.said : QString());
    });
    m_nextTick->setSingleShot(true);
    connect(m_nextTick, &QTimer::timeout, this, &ProjectSession::tick);
    tick();
}

ProjectSession::~ProjectSession()
{
    m_writing->finish();
    m_cancel.cancel();
    m_threads.stop();
    m_ticks.cancel();
    // Threads first: what they hold is theirs until they have ended.
    m_queries.reset();
    m_searching.reset();
    m_indexing.reset();
    m_work.reset();
    m_writing.reset();
}

void ProjectSession::tick()
{
    auto indexer = m_indexer;
    auto watcher = m_watcher;
    const auto path = m_path, place = indexPlace();
    const auto cancel = m_cancel;
    const std::int64_t known = m_dataVersion;
    m_again = false;
    const auto look = [indexer, watcher, unkept = m_unkept, path, place, cancel, known,
                       seconds = m_readSeconds]() -> Result<Tick> {
        Tick tick;
        if (!*indexer) {
            auto opened = Indexer::open(path, place);
            if (opened) {
                *indexer = std::make_unique<Indexer>(std::move(*opened));
                unkept->set(std::nullopt);
                watcher->reset();
            } else {
                tick.state = opened.error().sentence();
                const bool kept = FileLock::isLocked((place.empty() ? path : place) / "index.lock");
                unkept->set(kept ? std::nullopt : std::optional(opened.error()));
            }
        }
        if (*indexer) {
            tick.indexing = true;
            auto update = (*indexer)->glance(cancel, seconds);
            if (update) {
                tick.unreadRuns = update->unreadRuns;
                tick.unreadBytes = update->unreadBytes;
                tick.changed = update->anything() || update->rebuilt;
                tick.rebuilt = update->rebuilt;
                tick.problems = update->problems;
            } else if (!cancel.cancelled()) {
                tick.problems.push_back(update.error().sentence());
            }
            return tick;
        }
        // Another process indexes: watch its commits.
        if (!*watcher) {
            if (auto reader = ProjectReader::open(path, place))
                *watcher = std::make_unique<ProjectReader>(std::move(*reader));
        }
        if (*watcher) {
            if (auto version = (*watcher)->dataVersion()) {
                tick.dataVersion = *version;
                tick.changed = *version != known;
            }
        }
        return tick;
    };
    m_ticks.start<Tick>(
        *m_indexing,
        [indexer, watcher, look]() -> Tick {
            auto tick = guarded<Tick>(look);
            if (tick)
                return std::move(*tick);
            // In the middle of anything: opened anew at the next tick.
            indexer->reset();
            watcher->reset();
            Tick failed;
            failed.indexing = true;
            failed.problems.push_back(tick.error().sentence());
            return failed;
        },
        [this](const Tick& result) {
            m_dataVersion = result.dataVersion;
            const QString state =
                result.indexing
                    ? QString()
                    : tr("This window does not maintain the index: %1").arg(toQString(result.state));
            if (state != m_indexerState) {
                m_indexerState = state;
                Q_EMIT indexerStateChanged();
            }
            if (result.rebuilt)
                Q_EMIT problem(tr(
                    "The index was damaged or missing; it was rebuilt from the journals. Nothing is lost."));
            QStringList found;
            for (const std::string& sentence : result.problems)
                found.append(toQString(sentence));
            m_problems.look(found);
            for (const QString& text : found) {
                if (m_toldProblems.contains(text))
                    continue;
                m_toldProblems.append(text);
                Q_EMIT problem(text);
            }
            const bool first = !m_ready;
            m_ready = true;
            if (first)
                Q_EMIT ready();
            if (result.changed || first)
                Q_EMIT changed();
            showReading(result.unreadRuns, result.unreadBytes);
            m_again = m_again || result.unreadRuns > 0;
            m_quietTicks = result.changed || m_again ? 0 : std::min(m_quietTicks + 1, quietAfter);
            m_nextTick->start(m_again                      ? 0
                              : m_quietTicks >= quietAfter ? quietMilliseconds
                                                           : tickMilliseconds);
        });
}

// As an entry of the tasks, with how far it is; a project of a few runs never has one.
void ProjectSession::showReading(std::int64_t runs, std::int64_t bytes)
{
    if (runs == 0) {
        if (m_reading.active())
            m_reading.done(tr("All programs are listed."));
        m_readingBytes = 0;
        return;
    }
    m_readingBytes = std::max(m_readingBytes, bytes);
    if (!m_reading.active())
        m_reading = TaskTicket(&m_tasks, {tr("Read the journals"), m_title, true}, {});
    const double left =
        static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, m_readingBytes));
    m_reading.say(1 - left, counted(runs, tr("the programs of one run remain to be read"),
                                    tr("the programs of %1 runs remain to be read")));
}

void ProjectSession::updateNow()
{
    // A running update may have passed the new line already: ask for one more behind it.
    m_again = true;
    m_quietTicks = 0;
    if (m_nextTick->isActive())
        m_nextTick->start(0);
}

void ProjectSession::write(std::function<Result<std::string>()> task, std::function<void()> done,
                           std::function<void()> failed)
{
    m_writing->post([this, task = std::move(task), done = std::move(done), failed = std::move(failed)] {
        const auto written = task();
        QMetaObject::invokeMethod(
            this,
            [this, written, done, failed] {
                m_problems.note(m_writing.get(), written);
                if (!written)
                    noteFailedWrite(written.error());
                if (const auto& next = written ? done : failed)
                    next();
                updateNow();
            },
            Qt::QueuedConnection);
    });
}

void ProjectSession::change(std::function<Status(Project&)> task, const QObject* context,
                            std::function<void(bool good)> done)
{
    m_writing->post([this, path = m_path, task = std::move(task), context = QPointer<const QObject>(context),
                     done = std::move(done)] {
        const auto status = guarded<void>([&]() -> Status {
            SPARSERL_TRY(auto project, Project::open(path));
            return task(project);
        });
        QMetaObject::invokeMethod(
            this,
            [this, status, context, done] {
                m_problems.note(&m_undo, status);
                if (!status)
                    noteFailedWrite(status.error());
                if (context)
                    done(status.has_value());
                updateNow();
            },
            Qt::QueuedConnection);
    });
}

void ProjectSession::annotate(const std::vector<Annotation>& annotations, const QString& what)
{
    if (!annotations.empty())
        m_undo.push(new AnnotateCommand(this, annotations, what));
}

void ProjectSession::annotate(const Annotation& annotation)
{
    annotate({annotation}, annotationText(annotation));
}

void ProjectSession::addAnnotation(const Annotation& annotation)
{
    write([path = m_path, annotation] { return sparserl::addAnnotation(path, annotation); }, {},
          [this, id = annotation.id] { forgetAnnotation(id); });
    Q_EMIT annotationAdded(annotation);
}

void ProjectSession::forgetAnnotation(const std::string& id)
{
    // The last thing that was done, as a rule: it was not done, and cannot be undone.
    for (int i = m_undo.count() - 1; i >= 0; --i) {
        auto* command = const_cast<AnnotateCommand*>(dynamic_cast<const AnnotateCommand*>(m_undo.command(i)));
        if (!command || !command->isOf(id))
            continue;
        command->setLost();
        if (i + 1 == m_undo.index())
            m_undo.undo(); // which removes it
        break;
    }
    Q_EMIT annotationTakenBack(id);
}

void ProjectSession::keepForSft(const std::string& hash, const std::string& text)
{
    write([path = m_path, hash, text] { return sparserl::keepForSft(path, hash, text); });
}

void ProjectSession::takeBackAnnotation(const std::string& id)
{
    write([path = m_path, id]() -> Result<std::string> {
        SPARSERL_CHECK(undoAnnotation(path, id));
        return id;
    });
    Q_EMIT annotationTakenBack(id);
}

void ProjectSession::recordVerification(Verification verification)
{
    write([path = m_path, verification = std::move(verification)] {
        return addVerification(path, verification);
    });
}

void ProjectSession::keepProgram(WrittenProgram program, const QObject* context,
                                 std::function<void(Status)> done)
{
    m_writing->post([this, path = m_path, program = std::move(program),
                     context = QPointer<const QObject>(context), done = std::move(done)] {
        const auto written = guarded<std::string>([&] { return addWrittenProgram(path, program); });
        QMetaObject::invokeMethod(
            this,
            [this, written, context, done] {
                if (context)
                    done(written ? Status() : Status(fail(written.error())));
                updateNow();
            },
            Qt::QueuedConnection);
    });
}

void ProjectSession::afterWrites(const QObject* context, std::function<void()> done)
{
    m_writing->post([this, context = QPointer<const QObject>(context), done = std::move(done)] {
        QMetaObject::invokeMethod(
            this,
            [context, done] {
                if (context)
                    done();
            },
            Qt::QueuedConnection);
    });
}

void ProjectSession::noteFailedWrite(const Error& error)
{
    ++m_failedWrites;
    Q_EMIT problem(sentenceOf(error));
}

void ProjectSession::onceWritten(const QObject* context, std::function<void()> done)
{
    afterWrites(context, [this, failed = m_failedWrites, done = std::move(done)] {
        if (m_failedWrites == failed)
            done();
    });
}

void ProjectSession::control(const std::filesystem::path& run, ControlCommand command, const QObject* context,
                             std::function<void()> done)
{
    write([run, command = std::move(command)] { return appendControl(run, command); },
          [context = QPointer<const QObject>(context), done = std::move(done)] {
              if (context)
                  done();
          });
}

bool ProjectSession::busy() const
{
    return !m_ready || m_queries->pending() + m_searching->pending() > 0 || m_work->pending() > 0 ||
           m_threads.running() || m_writing->pending() > 0;
}

} // namespace sparserl
