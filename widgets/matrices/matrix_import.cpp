// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrix_import.h"

#include "base/interruption.h"
#include "matrix/file_names.h"
#include "matrix/files_below.h"
#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/matrices/matrix_model.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <filesystem>

namespace sparserl {

QStringList matrixFileFilters()
{
    QStringList filters;
    for (const std::string& pattern : matrixFilePatterns())
        filters.append(QString::fromStdString(pattern));
    return filters;
}

namespace {

/// Files below a folder; what keeps them from being imported goes to `problems`.
struct FolderFiles
{
    QStringList files;
    QString problem;    ///< Why there is none; empty if there are some.
    QString passedOver; ///< A sentence; empty if nothing was passed over.
};

FolderFiles filesBelow(const QString& folder, const CancelToken& cancel)
{
    const std::filesystem::path path = folder.toStdString();
    const auto below = matrixFilesBelow(path, cancel);
    if (!below)
        return {{}, importProblem(folder, below.error()).reason, {}};
    FolderFiles found;
    for (const auto& file : below->files)
        found.files.append(toQString(file.string()));
    const QString passedOver = toQString(passedOverText(below->passedOver, path));
    if (found.files.isEmpty() && !cancel.cancelled())
        found.problem =
            passedOver.isEmpty()
                ? MatrixImport::tr(
                      "Neither this folder nor its subfolders contain a file with the extension of a "
                      "matrix file (.mtx, .smtx, .npz, .npy, .petsc, .rb, .tar.gz, .zip, ...).")
                : MatrixImport::tr("Nothing is left to import: %1.").arg(passedOver);
    else if (!passedOver.isEmpty())
        found.passedOver = MatrixImport::tr("Import %1.").arg(passedOver);
    return found;
}

} // namespace

MatrixImport::MatrixImport(QWidget* parent)
    : QFrame(parent)
    , m_text(new QLabel(this))
    , m_bar(new QProgressBar(this))
{
    setProperty("card", true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 8, 6);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(180);
    m_bar->setAccessibleName(tr("Progress of the import"));
    letShrink(m_text);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_bar);
    m_cancelButton = new QPushButton(tr("&Cancel"), this);
    connect(m_cancelButton, &QPushButton::clicked, this, &MatrixImport::cancel);
    m_list = new QPushButton(tr("Show the &list…"), this);
    connect(m_list, &QPushButton::clicked, this, [this] {
        if (m_problems.isEmpty())
            return;
        auto* report = new ImportReport(m_problems, this);
        report->setAttribute(Qt::WA_DeleteOnClose);
        report->open();
    });
    m_close = new QPushButton(tr("Close"), this);
    connect(m_close, &QPushButton::clicked, this, &MatrixImport::dismiss);
    for (QPushButton* button : {m_cancelButton, m_list, m_close})
        layout->addWidget(button);
    dismiss();
}

MatrixImport::~MatrixImport()
{
    if (m_session)
        m_session->tasks()->disconnect(this);
}

void MatrixImport::dismiss()
{
    if (running())
        return;
    m_problems.clear();
    m_added = m_refused = m_passedOver = 0;
    hide();
}

void MatrixImport::cancel()
{
    if (!running())
        return;
    std::exchange(m_waiting, {}).clear(); // their ends are heard of here
    m_session->tasks()->cancel(m_task);
    m_text->setText(tr("Stopping…"));
}

void MatrixImport::giveUp(const CancelToken& cancel)
{
    cancel.cancel();
    auto all = std::exchange(m_waiting, {}); // the ends of those that go are heard of here
    for (Waiting& one : all)
        if (!one.cancel.cancelled())
            m_waiting.push_back(std::move(one));
    all.clear();
    followTask();
}

void MatrixImport::setSession(ProjectSession* session)
{
    if (m_session) {
        m_session->tasks()->disconnect(this);
        m_session->tasks()->cancel(m_task);
    }
    std::exchange(m_waiting, {}).clear();
    m_running = false;
    m_task = 0;
    m_session = session;
    if (session)
        connect(session->tasks(), &TaskList::changed, this, &MatrixImport::followTask);
    dismiss();
}

void MatrixImport::followTask()
{
    const TaskEntry* task = running() ? m_session->tasks()->find(m_task) : nullptr;
    if (!task || task->state != TaskState::Running)
        return;
    m_bar->setValue(static_cast<int>(std::max(0.0, task->fraction) * 1000));
    qsizetype waiting = 0;
    for (const Waiting& one : m_waiting)
        waiting += one.paths.size();
    showText(waiting == 0 ? task->said
                          : tr("%1 (%2)").arg(task->said,
                                              counted(waiting, tr("one more queued"), tr("%1 more queued"))));
}

void MatrixImport::showText(const QString& text)
{
    m_text->setText(text);
    m_text->setToolTip(text);
}

Result<MatrixImport::Outcome> MatrixImport::importAll(Project& project, const QStringList& paths,
                                                      ImportSplit split, const TaskWork& work)
{
    const CancelToken& cancel = work.cancel;
    const auto& report = work.say;
    Outcome outcome;
    QStringList files;
    for (const QString& path : paths) {
        if (!QFileInfo(path).isDir()) {
            files.append(path);
            continue;
        }
        report(0, tr("Looking for matrices in %1…").arg(path));
        const FolderFiles found = filesBelow(path, cancel);
        if (!found.problem.isEmpty()) {
            outcome.problems.append({path, found.problem});
            ++outcome.refused;
        }
        if (!found.passedOver.isEmpty()) {
            outcome.problems.append({path, found.passedOver});
            ++outcome.passedOver;
        }
        files.append(found.files);
    }
    for (qsizetype i = 0; i < files.size() && !cancel.cancelled(); ++i) {
        const QString& file = files[i];
        const QString name = QFileInfo(file).fileName();
        AddMatrixOptions options;
        const bool out =
            split == ImportSplit::HeldOut || (split == ImportSplit::EveryFifthHeldOut && i % 5 == 4);
        options.split = split::of(out);
        options.cancel = cancel;
        options.progress = [&](double fraction, std::string_view phase) {
            report((static_cast<double>(i) + fraction) / static_cast<double>(files.size()),
                   files.size() == 1
                       ? tr("Importing %1: %2").arg(name, toQString(phase))
                       : tr("Importing %1 of %2, %3: %4")
                             .arg(formatCount(i + 1), formatCount(files.size()), name, toQString(phase)));
        };
        options.progress(0, "reading");
        options.onWarning = [&](const MatrixWarning& warning) {
            outcome.problems.append(importProblem(file, warning));
        };
        // Memory that runs out on one file says nothing about the next.
        const auto entry =
            guarded<MatrixEntry>([&] { return project.addMatrix(file.toStdString(), options); });
        if (entry) {
            outcome.added.append(toQString(entry->name));
        } else if (!isInterruption(entry.error())) {
            outcome.problems.append(importProblem(file, entry.error()));
            ++outcome.refused;
        }
    }
    return outcome;
}

void MatrixImport::start(const QStringList& paths, ImportSplit split)
{
    if (!m_session || paths.isEmpty())
        return;
    const QString name = QFileInfo(paths.first()).fileName();
    enqueue({tr("Import"),
             paths.size() == 1 ? name : tr("%1 and %2 more").arg(name, formatCount(paths.size() - 1))},
            paths, tr("Importing…"), [paths, split](Project& project, const TaskWork& work) {
                return importAll(project, paths, split, work);
            });
}

void MatrixImport::startGenerated(const std::string& generator, const std::string& name,
                                  const std::string& split)
{
    if (!m_session)
        return;
    AddMatrixOptions options;
    options.name = name;
    options.split = split;
    const QString text = toQString(generator);
    enqueue({tr("Generate a matrix"), text}, {text}, tr("Generating %1…").arg(text),
            [generator, options, text](Project& project, const TaskWork& work) -> Result<Outcome> {
                Outcome outcome;
                AddMatrixOptions all = options;
                all.cancel = work.cancel;
                const auto entry = work.cancel.cancelled() ? Result<MatrixEntry>(fail(interruption()))
                                                           : project.addGenerated(generator, all);
                if (entry) {
                    outcome.added.append(toQString(entry->name));
                } else if (!isInterruption(entry.error())) {
                    outcome.problems.append(importProblem(text, entry.error()));
                    ++outcome.refused;
                }
                return outcome;
            });
}

void MatrixImport::enqueue(const TaskName& name, const QStringList& paths, const QString& first,
                           Import import)
{
    const CancelToken cancel;
    TaskTicket task(
        m_session->tasks(), name,
        [self = QPointer(this), cancel] {
            if (self)
                self->giveUp(cancel);
        },
        TaskState::Waiting);
    m_waiting.push_back({paths, first, std::move(import), cancel, std::move(task)});
    if (running())
        followTask();
    else
        next();
}

void MatrixImport::next()
{
    if (m_waiting.empty() || !m_session)
        return;
    Waiting one = std::move(m_waiting.front());
    m_waiting.pop_front();
    m_running = true;
    m_task = one.task.id();
    m_bar->setValue(0);
    m_bar->show();
    m_cancelButton->show();
    m_list->hide();
    m_close->hide();
    show();
    one.task.run();
    one.task.say(0, one.first);
    m_session->runTask<Outcome>(
        std::move(one.task), one.cancel, std::move(one.import), this,
        [this, session = m_session.get(), cancel = one.cancel, paths = one.paths](Result<Outcome> outcome,
                                                                                  TaskTicket& task) {
            if (!outcome)
                outcome = Outcome{{}, {{tr("Import"), sentenceOf(outcome.error())}}, 1, 0};
            tell(paths, *outcome, task, cancel.cancelled());
            if (m_session == session)
                take(*outcome);
        });
}

void MatrixImport::tell(const QStringList& paths, const Outcome& outcome, TaskTicket& task, bool cancelled)
{
    const auto added = outcome.added.size();
    const QString text = added == 0
                             ? tr("No matrix was added.")
                             : counted(added, tr("One matrix was added."), tr("%1 matrices were added."));
    QStringList lines;
    for (const ImportProblem& one : outcome.problems)
        lines.append(one.sentence());
    const QString report = lines.join(QLatin1Char('\n'));
    if (cancelled)
        task.cancelled(tr("Cancelled. %1").arg(text));
    else if (added == 0 && outcome.refused > 0)
        // The task is called after a path that stands alone.
        outcome.problems.size() > 1                           ? task.failed(text, report)
        : paths == QStringList(outcome.problems.first().file) ? task.failed(outcome.problems.first().reason)
                                                              : task.failed(report);
    else if (outcome.refused > 0)
        task.done(tr("%1 %2").arg(text, counted(outcome.refused, tr("One file was refused."),
                                                tr("%1 files were refused."))),
                  report);
    else
        task.done(text, report);
}

QString MatrixImport::summary() const
{
    const QString added = m_added == 0
                              ? tr("No matrix was added")
                              : counted(m_added, tr("One matrix was added"), tr("%1 matrices were added"));
    const qsizetype odd = m_problems.size() - m_refused - m_passedOver;
    QStringList parts{m_problems.size() == 1 && m_refused == 1
                          ? tr("%1; one file was refused: %2").arg(added, m_problems.first().sentence())
                      : m_refused > 0
                          ? tr("%1; %2").arg(added, counted(m_refused, tr("one file was refused."),
                                                            tr("%1 files were refused.")))
                          : added + QLatin1Char('.')};
    if (m_problems.size() == 1 && m_passedOver == 1)
        parts.append(m_problems.first().reason);
    else if (m_passedOver > 0)
        parts.append(counted(m_passedOver, tr("Something in one folder was skipped."),
                             tr("Something in %1 folders was skipped.")));
    if (odd > 0)
        parts.append(counted(odd, tr("One file breaks rules of its format."),
                             tr("%1 files break rules of their formats.")));
    return parts.join(QLatin1Char(' '));
}

void MatrixImport::take(const Outcome& outcome)
{
    m_running = false;
    m_problems.append(outcome.problems);
    m_added += outcome.added.size();
    m_refused += outcome.refused;
    m_passedOver += outcome.passedOver;
    m_session->updateNow();
    if (!m_waiting.empty()) {
        next();
    } else if (m_problems.isEmpty()) {
        dismiss();
    } else {
        m_bar->hide();
        m_cancelButton->hide();
        m_list->show();
        m_close->show();
        showText(summary());
    }
    QStringList sentences;
    for (const ImportProblem& one : outcome.problems)
        sentences.append(one.sentence());
    Q_EMIT finished(outcome.added, sentences);
}

} // namespace sparserl
