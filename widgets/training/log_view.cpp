// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/log_view.h"

#include "project/run/launch.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"

#include <QCheckBox>
#include <QDateTime>
#include <QEvent>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>

namespace sparserl {

namespace {

constexpr std::size_t logLines = 2000, workerLines = 500;

constexpr qsizetype mostMarks = 500;

/// "2026-11-22T12:00:00.000Z warning text": what the worker's log looks like.
bool isWarning(const std::string& line)
{
    return line.find("Z warning ") != std::string::npos || line.find("Z error ") != std::string::npos;
}

struct LogAnswer
{
    std::vector<LogRow> rows;
    std::vector<std::string> worker;
};

} // namespace

LogView::LogView(QWidget* parent)
    : QWidget(parent)
    , m_text(new QPlainTextEdit(this))
    , m_search(new QLineEdit(this))
    , m_only(new QCheckBox(tr("&Only matching lines"), this))
    , m_warnings(new QCheckBox(tr("Only &warnings"), this))
    , m_count(makeMuted({}, this))
{
    m_text->setReadOnly(true);
    followCodeFont(m_text);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setAccessibleName(tr("Log of the run"));
    m_text->setPlaceholderText(tr("This run has not logged anything yet."));
    m_search->setPlaceholderText(tr("Search the log"));
    m_search->setAccessibleName(tr("Search the log"));
    m_search->setToolTip(tr("Enter finds the next line, Shift+Enter the previous one."));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(260);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(10);
    bar->addWidget(m_search, 1);
    bar->addWidget(m_only);
    bar->addWidget(m_warnings);
    bar->addStretch();
    bar->addWidget(m_count);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(6);
    layout->addLayout(bar);
    layout->addWidget(m_text);
    connect(m_search, &QLineEdit::textChanged, this, &LogView::fill);
    connect(m_only, &QCheckBox::toggled, this, &LogView::fill);
    connect(m_warnings, &QCheckBox::toggled, this, &LogView::fill);
    connect(m_search, &QLineEdit::returnPressed, this,
            [this] { findNext(QGuiApplication::keyboardModifiers() & Qt::ShiftModifier); });
}

void LogView::setFilter(const QString& text)
{
    m_only->setChecked(!text.isEmpty());
    m_search->setText(text);
}

void LogView::focusFilter()
{
    m_search->setFocus();
    m_search->selectAll();
}

QString LogView::text() const
{
    return m_text->toPlainText();
}

void LogView::clear()
{
    m_jobs.cancel();
    setLines({});
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
            std::vector<Line> lines;
            for (const LogRow& row : answer->rows) {
                const auto when = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(row.t * 1000));
                const bool warning = row.event.level != "info" && row.event.level != "debug";
                const QString level = toQString(row.event.level), said = toQString(row.event.text);
                lines.push_back({QStringLiteral("%1  step %2  %3  %4")
                                     .arg(when.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")))
                                     .arg(row.step, -6)
                                     .arg(level, -7)
                                     .arg(said),
                                 warning,
                                 QStringLiteral("%1 %2 %3%4")
                                     .arg(when.toString(QStringLiteral("HH:mm")))
                                     .arg(row.step)
                                     .arg(warning ? level + QStringLiteral(": ") : QString(), said)});
            }
            if (!answer->worker.empty()) {
                lines.push_back({});
                lines.push_back({tr("--- output of the worker ---")});
                for (const std::string& line : answer->worker)
                    lines.push_back({toQString(line), isWarning(line)});
            }
            setLines(std::move(lines));
        });
}

void LogView::setLines(std::vector<Line> lines)
{
    m_lines = std::move(lines);
    fill();
}

void LogView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    followWidth();
}

void LogView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        followWidth();
}

void LogView::followWidth()
{
    constexpr int lettersBefore = 44, lettersOfText = 30; // time, step and level; a few words at least
    const int letter = QFontMetrics(m_text->font()).averageCharWidth();
    const bool narrow = m_text->width() < (lettersBefore + lettersOfText) * letter;
    if (narrow == m_isNarrow)
        return;
    m_isNarrow = narrow;
    fill();
}

void LogView::fill()
{
    const QString wanted = m_search->text();
    QStringList shown;
    qsizetype found = 0;
    for (const Line& line : m_lines) {
        const QString& text = m_isNarrow && !line.narrow.isEmpty() ? line.narrow : line.text;
        const bool has = !wanted.isEmpty() && text.contains(wanted, Qt::CaseInsensitive);
        found += has ? 1 : 0;
        if ((m_warnings->isChecked() && !line.warning) || (m_only->isChecked() && !wanted.isEmpty() && !has))
            continue;
        shown.append(text);
    }
    m_count->setText(wanted.isEmpty() ? QString()
                     : found == 0     ? tr("not found")
                                      : counted(found, tr("one line"), tr("%1 lines")));
    if (shown != m_shown) {
        m_shown = shown;
        QScrollBar* bar = m_text->verticalScrollBar();
        const bool atEnd = bar->value() >= bar->maximum() - 2;
        const int value = bar->value();
        m_text->setPlainText(shown.join(QLatin1Char('\n')));
        bar->setValue(atEnd ? bar->maximum() : value);
    }
    // Every place is marked, the next one is selected by Enter.
    QList<QTextEdit::ExtraSelection> marks;
    const Theme& theme = Theme::of(this);
    if (!wanted.isEmpty()) {
        for (QTextCursor at = m_text->document()->find(wanted); !at.isNull() && marks.size() < mostMarks;
             at = m_text->document()->find(wanted, at)) {
            QTextEdit::ExtraSelection mark;
            mark.cursor = at;
            mark.format.setBackground(blend(theme.base, theme.warn, 0.3));
            marks.append(mark);
        }
    }
    m_text->setExtraSelections(marks);
}

void LogView::findNext(bool backward)
{
    const QTextDocument::FindFlags flags =
        backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (m_text->find(m_search->text(), flags))
        return;
    m_text->moveCursor(backward ? QTextCursor::End : QTextCursor::Start); // round and round
    m_text->find(m_search->text(), flags);
}

} // namespace sparserl
