// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrix_import.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/matrices/matrix_model.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>

namespace sparserl {

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
    layout->addWidget(m_text, 1);
    layout->addWidget(m_bar);
    auto* cancel = new QPushButton(tr("&Cancel"), this);
    connect(cancel, &QPushButton::clicked, this, [this] {
        m_cancel.cancel();
        m_waiting.clear();
        m_text->setText(tr("Stopping…"));
    });
    layout->addWidget(cancel);
    hide();
}

void MatrixImport::setSession(ProjectSession* session)
{
    m_cancel.cancel();
    m_jobs.cancel();
    m_waiting.clear();
    m_session = session;
    hide();
}

void MatrixImport::showProgress(double fraction, const QString& text)
{
    m_bar->setValue(static_cast<int>(fraction * 1000));
    showText(text);
}

void MatrixImport::showText(const QString& text)
{
    m_line = text;
    if (m_cancel.cancelled())
        return;
    qsizetype waiting = 0;
    for (const Waiting& one : m_waiting)
        waiting += one.files;
    m_text->setText(
        waiting == 0 ? text
                     : tr("%1 (%2)").arg(text, counted(waiting, tr("one more waits"), tr("%1 more wait"))));
}

Progress MatrixImport::progressTo(const QString& file, double from, double to)
{
    // Called on the work thread: at most ten messages a second reach the window.
    auto clock = std::make_shared<QElapsedTimer>();
    QPointer<MatrixImport> self(this);
    return [self, file, from, to, clock](double fraction, std::string_view phase) {
        if (clock->isValid() && clock->elapsed() < 100)
            return;
        clock->start();
        const QString text = tr("Importing %1: %2").arg(file, toQString(phase));
        const double share = from + (to - from) * fraction;
        QMetaObject::invokeMethod(
            qApp,
            [self, share, text] {
                if (self)
                    self->showProgress(share, text);
            },
            Qt::QueuedConnection);
    };
}

void MatrixImport::start(const QStringList& files, const std::string& split)
{
    if (!m_session || files.isEmpty())
        return;
    if (!running() || m_cancel.cancelled())
        m_cancel = CancelToken();
    std::vector<std::pair<std::string, AddMatrixOptions>> jobs;
    for (qsizetype i = 0; i < files.size(); ++i) {
        AddMatrixOptions options;
        options.split = split;
        options.cancel = m_cancel;
        options.progress = progressTo(QFileInfo(files[i]).fileName(), static_cast<double>(i) / files.size(),
                                      static_cast<double>(i + 1) / files.size());
        jobs.emplace_back(files[i].toStdString(), options);
    }
    enqueue(files.size(), counted(files.size(), tr("Importing one file…"), tr("Importing %1 files…")),
            [jobs, cancel = m_cancel](Project& project) -> Result<Outcome> {
                Outcome outcome;
                for (auto [file, options] : jobs) {
                    if (cancel.cancelled())
                        break;
                    const std::string name = std::filesystem::path(file).filename().string();
                    options.onWarning = [&outcome, name](const MatrixWarning& warning) {
                        outcome.problems.append(toQString(warning.sentence(name)));
                    };
                    auto entry = project.addMatrix(file, options);
                    if (entry)
                        outcome.added.append(toQString(entry->name));
                    else if (!cancel.cancelled())
                        outcome.problems.append(sentenceOf(entry.error()));
                }
                return outcome;
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
    options.progress = progressTo(toQString(generator), 0, 1);
    enqueue(1, tr("Generating %1…").arg(toQString(generator)),
            [generator, options](Project& project) -> Result<Outcome> {
                SPARSERL_TRY(auto entry, project.addGenerated(generator, options));
                return Outcome{{toQString(entry.name)}, {}};
            });
}

void MatrixImport::enqueue(qsizetype files, const QString& first, Import import)
{
    m_waiting.push_back({files, first, std::move(import)});
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
    showProgress(0, one.first);
    show();
    m_session->longWork<Outcome>(m_jobs, std::move(one.import), [this](Result<Outcome> outcome) {
        done(outcome ? *outcome : Outcome{{}, {sentenceOf(outcome.error())}});
    });
}

void MatrixImport::done(const Outcome& outcome)
{
    m_session->updateNow();
    if (m_waiting.empty())
        hide();
    else
        next();
    Q_EMIT finished(outcome.added, outcome.problems);
}

} // namespace sparserl
