// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrix_import.h"

#include "base/interruption.h"
#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/matrices/matrix_model.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>

namespace sparserl {

QStringList matrixFilesBelow(const QString& folder, const CancelToken& cancel)
{
    QStringList files;
    QDirIterator it(folder,
                    {QStringLiteral("*.mtx"), QStringLiteral("*.mtx.gz"), QStringLiteral("*.smtx"),
                     QStringLiteral("*.smtx.gz")},
                    QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext() && !cancel.cancelled())
        files.append(it.next());
    files.sort();
    return files;
}

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

void MatrixImport::dismiss()
{
    if (running())
        return;
    m_problems.clear();
    m_added = m_refused = 0;
    hide();
}

void MatrixImport::cancel()
{
    if (!running())
        return;
    m_cancel.cancel();
    m_waiting.clear();
    m_text->setText(tr("Stopping…"));
}

void MatrixImport::setSession(ProjectSession* session)
{
    m_cancel.cancel();
    m_jobs.cancel();
    m_waiting.clear();
    m_session = session;
    dismiss();
}

void MatrixImport::showText(const QString& text)
{
    m_line = text;
    if (m_cancel.cancelled())
        return;
    qsizetype waiting = 0;
    for (const Waiting& one : m_waiting)
        waiting += one.paths;
    m_text->setText(
        waiting == 0 ? text
                     : tr("%1 (%2)").arg(text, counted(waiting, tr("one more waits"), tr("%1 more wait"))));
    m_text->setToolTip(m_text->text());
}

MatrixImport::Report MatrixImport::reporter()
{
    // Called on the work thread: at most ten messages a second reach the window.
    auto clock = std::make_shared<QElapsedTimer>();
    QPointer<MatrixImport> self(this);
    return [self, clock](double fraction, const QString& text) {
        if (clock->isValid() && clock->elapsed() < 100)
            return;
        clock->start();
        QMetaObject::invokeMethod(
            qApp,
            [self, fraction, text] {
                if (!self || !self->running())
                    return;
                self->m_bar->setValue(static_cast<int>(fraction * 1000));
                self->showText(text);
            },
            Qt::QueuedConnection);
    };
}

Result<MatrixImport::Outcome> MatrixImport::importAll(Project& project, const QStringList& paths,
                                                      ImportSplit split, const CancelToken& cancel,
                                                      const Report& report)
{
    Outcome outcome;
    QStringList files;
    for (const QString& path : paths) {
        if (!QFileInfo(path).isDir()) {
            files.append(path);
            continue;
        }
        report(0, tr("Looking for matrices in %1…").arg(path));
        const QStringList found = matrixFilesBelow(path, cancel);
        if (found.isEmpty() && !cancel.cancelled()) {
            outcome.problems.append(
                {path, tr("There is no .mtx or .smtx file, plain or gzip, in this folder or below it.")});
            ++outcome.refused;
        }
        files.append(found);
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
            outcome.problems.append({file, toQString(warning.sentence(name.toStdString()))});
        };
        // Memory that runs out on one file says nothing about the next.
        const auto entry =
            guarded<MatrixEntry>([&] { return project.addMatrix(file.toStdString(), options); });
        if (entry) {
            outcome.added.append(toQString(entry->name));
        } else if (!isInterruption(entry.error())) {
            outcome.problems.append({file, sentenceOf(entry.error())});
            ++outcome.refused;
        }
    }
    return outcome;
}

void MatrixImport::start(const QStringList& paths, ImportSplit split)
{
    if (!m_session || paths.isEmpty())
        return;
    if (!running() || m_cancel.cancelled())
        m_cancel = CancelToken();
    enqueue(paths.size(), tr("Importing…"),
            [paths, split, cancel = m_cancel, report = reporter()](Project& project) {
                return importAll(project, paths, split, cancel, report);
            });
}

void MatrixImport::startGenerated(const std::string& generator, const std::string& name,
                                  const std::string& split)
{
    if (!m_session)
        return;
    if (!running() || m_cancel.cancelled())
        m_cancel = CancelToken();
    AddMatrixOptions options;
    options.name = name;
    options.split = split;
    options.cancel = m_cancel;
    const QString text = toQString(generator);
    enqueue(1, tr("Generating %1…").arg(text),
            [generator, options, text](Project& project) -> Result<Outcome> {
                Outcome outcome;
                const auto entry = options.cancel.cancelled() ? Result<MatrixEntry>(fail(interruption()))
                                                              : project.addGenerated(generator, options);
                if (entry) {
                    outcome.added.append(toQString(entry->name));
                } else if (!isInterruption(entry.error())) {
                    outcome.problems.append({text, sentenceOf(entry.error())});
                    ++outcome.refused;
                }
                return outcome;
            });
}

void MatrixImport::enqueue(qsizetype paths, const QString& first, Import import)
{
    m_waiting.push_back({paths, first, std::move(import)});
    if (running())
        showText(m_line);
    else
        next();
}

void MatrixImport::next()
{
    if (m_waiting.empty() || !m_session)
        return;
    Waiting one = std::move(m_waiting.front());
    m_waiting.pop_front();
    m_bar->setValue(0);
    m_bar->show();
    m_cancelButton->show();
    m_list->hide();
    m_close->hide();
    showText(one.first);
    show();
    m_session->longWork<Outcome>(m_jobs, std::move(one.import),
                                 [this](Result<Outcome> outcome) { done(std::move(outcome)); });
}

void MatrixImport::done(Result<Outcome> outcome)
{
    if (!outcome)
        outcome = Outcome{{}, {{tr("Import"), sentenceOf(outcome.error())}}, 1};
    m_problems.append(outcome->problems);
    m_added += outcome->added.size();
    m_refused += outcome->refused;
    m_session->updateNow();
    if (!m_waiting.empty()) {
        next();
    } else if (m_problems.isEmpty()) {
        dismiss();
    } else {
        const QString added =
            m_added == 0 ? tr("No matrix was added")
                         : counted(m_added, tr("One matrix was added"), tr("%1 matrices were added"));
        const qsizetype odd = m_problems.size() - m_refused;
        QStringList parts{m_problems.size() == 1 && m_refused == 1
                              ? tr("%1, one was not: %2").arg(added, m_problems.first().reason)
                          : m_refused > 0 ? tr("%1, %2 were not.").arg(added, formatCount(m_refused))
                                          : added + QLatin1Char('.')};
        if (odd > 0)
            parts.append(counted(odd, tr("One file breaks rules of its format."),
                                 tr("%1 files break rules of their formats.")));
        m_bar->hide();
        m_cancelButton->hide();
        m_list->show();
        m_close->show();
        showText(parts.join(QLatin1Char(' ')));
    }
    QStringList sentences;
    for (const ImportProblem& one : outcome->problems)
        sentences.append(one.reason);
    Q_EMIT finished(outcome->added, sentences);
}

} // namespace sparserl
