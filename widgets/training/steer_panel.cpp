// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/steer_panel.h"

#include "verdict/names.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/training/run_model.h"

#include <QCheckBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QTableWidget>

namespace sparserl {

namespace {

constexpr int mostHistory = 5; // rows seen at once

// A cell that looks like what it is: a field to type into.
class FieldDelegate : public PlainDelegate
{
public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = Theme::of(option.palette);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen((option.state & QStyle::State_Selected) ? theme.accent : theme.border, 1));
        painter->setBrush(theme.base);
        painter->drawRoundedRect(QRectF(option.rect).adjusted(2.5, 2.5, -6.5, -2.5), 3, 3);
        painter->setPen(theme.text);
        painter->setFont(option.font);
        painter->drawText(option.rect.adjusted(8, 0, -8, 0), Qt::AlignVCenter | Qt::AlignLeft,
                          index.data().toString());
        painter->restore();
    }
};

void put(QTableWidget* table, int row, int column, const QString& text, const QColor& colour = {})
{
    QTableWidgetItem* item = table->item(row, column);
    if (!item) {
        item = new QTableWidgetItem;
        item->setFlags(item->flags() & ~Qt::ItemIsEditable);
        table->setItem(row, column, item);
    }
    if (item->text() != text)
        item->setText(text);
    const QBrush brush = colour.isValid() ? QBrush(colour) : QBrush();
    if (item->foreground() != brush)
        item->setForeground(brush);
}

} // namespace

SteerPanel::SteerPanel(QWidget* parent)
    : QWidget(parent)
    , m_about(makeMuted({}, this))
    , m_problem(new QLabel(this))
    , m_historyTitle(makeHeading(tr("Changes"), this))
    , m_search(new QLineEdit(this))
    , m_table(new QTableWidget(0, SteerColumns, this))
    , m_history(new QTableWidget(0, 4, this))
    , m_checkpoint(new QCheckBox(tr("Write a chec&kpoint first"), this))
    , m_send(new QPushButton(tr("&Change it"), this))
    , m_fork(new QPushButton(tr("Fork &with these values…"), this))
{
    m_about->setWordWrap(true);
    m_problem->setWordWrap(true);
    m_problem->setProperty("bad", true);
    m_search->setPlaceholderText(tr("Find a parameter"));
    m_search->setAccessibleName(tr("Find a parameter"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(220);
    styleTable(m_table);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                             QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->setHorizontalHeaderLabels({tr("Parameter"), tr("Now"), tr("New value"), tr("Requested"),
                                        tr("At the start"), tr("Takes effect"), tr("Meaning")});
    m_table->setAccessibleName(tr("Parameters that can change during the run"));
    fitColumns(m_table,
               {QStringLiteral("alarm.entropy_high_action"), QStringLiteral("0.000000"),
                QStringLiteral("0.0000000000"), QStringLiteral("0.000000"), QStringLiteral("0.000000"),
                QStringLiteral("next iteration"), QStringLiteral("a few words")},
               SteerMeaning);
    m_table->setItemDelegateForColumn(SteerNew, new FieldDelegate(m_table));
    styleTable(m_history);
    m_history->setHorizontalHeaderLabels({tr("Step"), tr("Time"), tr("Change"), tr("Outcome")});
    m_history->setAccessibleName(tr("Changes to this run"));
    fitColumns(m_history,
               {QStringLiteral("000,000"), QStringLiteral("2026-00-00 00:00:00"),
                QStringLiteral("rl.entropy_coefficient = 0.0000"), QStringLiteral("a few words")},
               3);
    m_checkpoint->setChecked(true);
    m_checkpoint->setToolTip(tr("Lets you return to the state before the change."));
    makePrimary(m_send);

    // Large text needs more room than a small window has: the panel scrolls before its parts are squeezed.
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 4, 0, 0);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    outer->addWidget(area);
    auto* content = new QWidget(area);
    area->setWidget(content);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    m_table->setMinimumHeight(atTextSize(130));
    m_history->setMinimumHeight(atTextSize(80));
    auto* top = new QHBoxLayout;
    top->addWidget(m_about, 1);
    top->addWidget(m_search);
    layout->addLayout(top);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_checkpoint); // not beside the buttons: large text has no room for it there
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_fork);
    buttons->addWidget(m_send);
    layout->addLayout(buttons);
    layout->addWidget(m_historyTitle);
    layout->addWidget(m_history);

    connect(m_table, &QTableWidget::cellChanged, this, [this](int, int column) {
        if (!m_filling && column == SteerNew)
            check();
    });
    connect(m_search, &QLineEdit::textChanged, this, &SteerPanel::filter);
    connect(m_send, &QPushButton::clicked, this, &SteerPanel::send);
    connect(m_fork, &QPushButton::clicked, this, [this] { Q_EMIT forkAsked(edits()); });
    clear();
}

void SteerPanel::clear()
{
    m_run.reset();
    m_table->setRowCount(0);
    m_history->setRowCount(0);
    m_history->hide();
    m_historyTitle->hide();
    m_askedForNothing = false;
    m_about->setText(tr("Reading the parameters…"));
    check();
}

void SteerPanel::show(const RunSummary& run, const SteeredParameters* steered)
{
    if (!m_run || m_run->id != run.id)
        clear();
    m_run = run;
    if (steered)
        fill(*steered);
    m_fork->setEnabled(run.checkpoints > 0);
    m_fork->setToolTip(run.checkpoints > 0 ? tr("Starts a new run from the last checkpoint of this one.")
                                           : tr("There is no checkpoint yet from which to start."));
    m_checkpoint->setVisible(run.hasWorker);
    check();
}

void SteerPanel::fill(const SteeredParameters& steered)
{
    const QScopedValueRollback filling(m_filling, true);
    const Theme& theme = Theme::of(this);
    m_values = steered.values;
    std::vector<const ParameterSpec*> specs;
    for (const ParameterSpec& spec : steered.values.declarations().specs())
        if (spec.effect != ParameterEffect::Restart)
            specs.push_back(&spec);
    m_table->setRowCount(static_cast<int>(specs.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const ParameterSpec& spec = *specs[static_cast<std::size_t>(row)];
        const QString started = toQString(toText(steered.started.value(spec.key)));
        const QString now = toQString(toText(steered.values.value(spec.key)));
        const auto asked = steered.pending.find(spec.key);
        put(m_table, row, SteerName, toQString(spec.key));
        put(m_table, row, SteerStarted, started, theme.muted);
        put(m_table, row, SteerNow, now, started == now ? QColor() : theme.accent);
        put(m_table, row, SteerAsked, asked == steered.pending.end() ? QString() : toQString(asked->second),
            theme.warn);
        put(m_table, row, SteerEffect,
            spec.effect == ParameterEffect::Live ? tr("at once") : tr("next iteration"), theme.muted);
        put(m_table, row, SteerMeaning, toQString(spec.helpText), theme.muted);
        if (!m_table->item(row, SteerNew)) {
            m_table->setItem(row, SteerNew, new QTableWidgetItem);
            QString tip = toQString(spec.helpText);
            if (!spec.rangeText().empty())
                tip += tr(" It must be %1.").arg(toQString(spec.rangeText()));
            for (int column = 0; column < SteerColumns; ++column)
                m_table->item(row, column)->setToolTip(tip);
        }
    }
    m_about->setText(
        specs.empty()
            ? tr("No parameter of this stage can change while it runs. Fork the run to use other parameters.")
        : m_run->hasWorker
            ? tr("Type in the “New value” column. Each change is marked on every chart when it takes "
                 "effect.")
        : isDone() ? tr("The run is done and can no longer change. A fork continues with other values.")
                   : tr("No worker is running: a change takes effect when the run is resumed."));
    fillHistory(steered);
    filter();
}

void SteerPanel::fillHistory(const SteeredParameters& steered)
{
    const bool any = !steered.changes.empty();
    m_history->setVisible(any);
    m_historyTitle->setVisible(any);
    m_history->setRowCount(static_cast<int>(steered.changes.size()));
    const Theme& theme = Theme::of(this);
    for (int row = 0; row < m_history->rowCount(); ++row) {
        const ControlMark& mark = steered.changes[steered.changes.size() - 1 - static_cast<std::size_t>(row)];
        const bool applied = mark.event.outcome == control_outcome::applied;
        put(m_history, row, 0, formatCount(mark.step));
        put(m_history, row, 1,
            QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(mark.t * 1000))
                .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
            theme.muted);
        put(m_history, row, 2,
            QStringLiteral("%1 = %2").arg(toQString(mark.event.key), toQString(mark.event.value)));
        put(m_history, row, 3, applied ? tr("applied") : tr("refused: %1").arg(toQString(mark.event.message)),
            applied ? QColor() : theme.bad);
    }
    const int seen = std::min(mostHistory, m_history->rowCount());
    m_history->setFixedHeight(m_history->horizontalHeader()->sizeHint().height() +
                              seen * m_history->verticalHeader()->defaultSectionSize() + 4);
}

void SteerPanel::filter()
{
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QTableWidgetItem* item = m_table->item(row, SteerName);
        const QString text = item->text() + QLatin1Char(' ') + item->toolTip();
        m_table->setRowHidden(row, !text.contains(m_search->text().trimmed(), Qt::CaseInsensitive));
    }
    // What is typed next is for a parameter that is seen.
    const int current = m_table->currentRow();
    if (current >= 0 && !m_table->isRowHidden(current))
        return;
    int first = 0;
    while (first < m_table->rowCount() && m_table->isRowHidden(first))
        ++first;
    m_table->setCurrentCell(first < m_table->rowCount() ? first : -1, SteerNew);
}

int SteerPanel::rowOf(const std::string& key) const
{
    for (int row = 0; row < m_table->rowCount(); ++row)
        if (keyAt(row) == key)
            return row;
    return -1;
}

std::string SteerPanel::keyAt(int row) const
{
    return m_table->item(row, SteerName)->text().toStdString();
}

void SteerPanel::enter(const std::string& key, const QString& value)
{
    if (const int row = rowOf(key); row >= 0)
        m_table->item(row, SteerNew)->setText(value);
}

std::map<std::string, std::string> SteerPanel::edits() const
{
    std::map<std::string, std::string> edits;
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QTableWidgetItem* item = m_table->item(row, SteerNew);
        const std::string text = item ? item->text().trimmed().toStdString() : std::string();
        const ParameterSpec* spec = text.empty() ? nullptr : m_values.declarations().find(keyAt(row));
        if (spec && spec->parse(text))
            edits[spec->key] = text;
    }
    return edits;
}

QString SteerPanel::problem() const
{
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QTableWidgetItem* item = m_table->item(row, SteerNew);
        const std::string text = item ? item->text().trimmed().toStdString() : std::string();
        const ParameterSpec* spec = text.empty() ? nullptr : m_values.declarations().find(keyAt(row));
        if (!spec)
            continue;
        if (const auto parsed = spec->parse(text); !parsed)
            return sentenceOf(parsed.error());
    }
    return {};
}

bool SteerPanel::isDone() const
{
    return m_run && m_run->status == RunStatus::Done;
}

void SteerPanel::check()
{
    const QString text = problem();
    const auto changes = static_cast<int>(edits().size());
    m_askedForNothing = m_askedForNothing && text.isEmpty() && changes == 0;
    m_problem->setText(m_askedForNothing ? tr("Type a value in the “New value” column first.") : text);
    m_problem->setVisible(!m_problem->text().isEmpty());
    // Also before anything is entered: a click on it is what ends the typing into a cell.
    m_send->setEnabled(text.isEmpty() && m_table->rowCount() > 0 && !isDone());
    m_send->setText(changes > 1 ? tr("&Change %1 parameters").arg(changes) : tr("&Change it"));
}

void SteerPanel::send()
{
    if (!m_send->isEnabled())
        return;
    const auto values = edits();
    if (values.empty()) {
        m_askedForNothing = true;
        check();
        return;
    }
    Q_EMIT changesAsked(values, m_run && m_run->hasWorker && m_checkpoint->isChecked());
}

void SteerPanel::sent(std::int64_t run, const std::string& key, const QString& value)
{
    const int row = m_run && m_run->id == run ? rowOf(key) : -1;
    if (row < 0)
        return;
    if (QTableWidgetItem* typed = m_table->item(row, SteerNew); typed->text().trimmed() == value)
        typed->setText({});
    put(m_table, row, SteerAsked, value, Theme::of(this).warn); // until the file is read again
    check();
}

void SteerPanel::focusFirst()
{
    m_table->setFocus();
    for (int row = 0; row < m_table->rowCount(); ++row)
        if (!m_table->isRowHidden(row)) {
            m_table->setCurrentCell(row, SteerNew);
            return;
        }
}

} // namespace sparserl
