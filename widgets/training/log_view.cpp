// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/log_view.h"

#include "project/launch.h"
#include "widgets/common/format.h"

#include <QDateTime>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>

namespace sparserl {

namespace {

constexpr std::size_t logLines = 400, workerLines = 200;

struct LogAnswer
{
    std::vector<LogRow> rows;
    std::vector<std::string> worker;
};

} // namespace

LogView::LogView(QWidget* parent)
    : QWidget(parent)
    , m_text(new QPlainTextEdit(this))
{
    m_text->setReadOnly(true);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setAccessibleName(tr("Log of the run"));
    m_text->setPlaceholderText(tr("This run has not said anything yet."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_text);
}

void LogView::clear()
{
    m_jobs.cancel();
    m_text->clear();
}

void LogView::show(ProjectSession* session, const RunSummary& run)
{
    if (m_jobs.running())
        return;
    const RunId id = run.id;
    const auto path = run.path;
    session->query<LogAnswer>(
        m_jobs,
        [id, path](ProjectReader& reader) -> Result<LogAnswer> {
            SPARSERL_TRY(auto rows, reader.logTail(id, logLines));
            return LogAnswer{std::move(rows), workerLogTail(path, workerLines)};
        },
        [this](Result<LogAnswer> answer) {
            if (!answer) {
                Q_EMIT problem(sentenceOf(answer.error()));
                return;
            }
            QStringList lines;
            for (const LogRow& row : answer->rows) {
                const auto when = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(row.t * 1000));
                lines.append(QStringLiteral("%1  step %2  %3  %4")
                                 .arg(when.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")))
                                 .arg(row.step, -6)
                                 .arg(toQString(row.event.level), -7)
                                 .arg(toQString(row.event.text)));
            }
            if (!answer->worker.empty()) {
                lines.append(QString());
                lines.append(tr("--- what the worker printed ---"));
                for (const std::string& line : answer->worker)
                    lines.append(toQString(line));
            }
            setLines(lines);
        });
}

void LogView::setLines(const QStringList& lines)
{
    const QString text = lines.join(QLatin1Char('\n'));
    if (text == m_text->toPlainText())
        return;
    QScrollBar* bar = m_text->verticalScrollBar();
    const bool atEnd = bar->value() >= bar->maximum() - 2;
    const int value = bar->value();
    m_text->setPlainText(text);
    bar->setValue(atEnd ? bar->maximum() : value);
}

} // namespace sparserl
