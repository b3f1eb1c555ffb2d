// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/facet_bar.h"

#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/flow_layout.h"
#include "widgets/kernels/verdict_text.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

namespace sparserl {

namespace {

// A rounded toggle in the verdict's colour, with its count.
class Chip : public QAbstractButton
{
public:
    Chip(const QString& text, const QString& count, Tone tone, QWidget* parent)
        : QAbstractButton(parent)
        , m_count(count)
        , m_tone(tone)
    {
        setText(text);
        setCheckable(true);
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setAccessibleName(QStringLiteral("%1: %2").arg(text, count));
    }
    QSize sizeHint() const override
    {
        const QFontMetrics m(font());
        return {m.horizontalAdvance(text()) + m.horizontalAdvance(m_count) + 28, m.height() + 6};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Theme& theme = Theme::of(this);
        const QColor colour = toneColour(theme, m_tone);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF area = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
        painter.setPen(QPen(hasFocus()    ? theme.accent
                            : isChecked() ? colour
                                          : theme.border,
                            hasFocus() ? 1.4 : 1));
        painter.setBrush(isChecked() ? blend(theme.base, colour, theme.dark ? 0.26 : 0.15) : theme.base);
        painter.drawRoundedRect(area, area.height() / 2, area.height() / 2);
        painter.setPen(isChecked() ? colour : theme.text);
        painter.drawText(area.adjusted(10, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
        painter.setPen(theme.muted);
        painter.drawText(area.adjusted(0, 0, -10, 0), Qt::AlignRight | Qt::AlignVCenter, m_count);
    }

private:
    QString m_count;
    Tone m_tone;
};

bool contains(const std::vector<std::string>& list, const std::string& value)
{
    return std::find(list.begin(), list.end(), value) != list.end();
}

} // namespace

FacetBar::FacetBar(QWidget* parent)
    : QWidget(parent)
    , m_chips(new QWidget(this))
    , m_search(new QLineEdit(this))
    , m_starred(makeToolButton(QStringLiteral("star"), {}, tr("Only starred programs"), this))
    , m_clear(makeToolButton(QStringLiteral("cross"), {}, tr("Remove all filters"), this))
    , m_distinct(new QCheckBox(tr("Once each"), this))
    , m_typing(new QTimer(this))
{
    m_filter.distinctPrograms = true;
    m_distinct->setChecked(true);
    m_distinct->setToolTip(tr("Show a program that was sampled several times for a matrix only once."));
    m_search->setPlaceholderText(tr("Find in source, message, matrix"));
    m_search->setAccessibleName(tr("Find in source, message or matrix"));
    m_search->setClearButtonEnabled(true);
    m_starred->setCheckable(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* line = new QHBoxLayout;
    line->addWidget(m_search, 1);
    const std::pair<QString, Values> drops[] = {
        {tr("Matrix"), &CandidateFilter::matrices}, {tr("Family"), &CandidateFilter::families},
        {tr("Flag"), &CandidateFilter::flags},      {tr("Origin"), &CandidateFilter::origins},
        {tr("Split"), &CandidateFilter::splits},    {tr("Task"), &CandidateFilter::tasks}};
    auto* second = new QWidget(this); // two lines where one is too narrow
    auto* flow = new FlowLayout(second, 6);
    for (const auto& [name, values] : drops) {
        auto* button = new QToolButton(this);
        button->setProperty("framed", true);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setMenu(new QMenu(button));
        flow->addWidget(button);
        m_drops.push_back({button, name, values});
        updateDropText(m_drops.back());
    }
    m_drops.back().button->hide();
    m_distinct->setFixedHeight(m_drops.front().button->sizeHint().height()); // on one line with the buttons
    flow->addWidget(m_distinct);
    line->addWidget(m_starred);
    line->addWidget(m_clear);
    layout->addLayout(line);
    layout->addWidget(second);
    new FlowLayout(m_chips, 5);
    layout->addWidget(m_chips);

    m_typing->setSingleShot(true);
    m_typing->setInterval(200);
    connect(m_search, &QLineEdit::textChanged, m_typing, qOverload<>(&QTimer::start));
    connect(m_typing, &QTimer::timeout, this, [this] {
        m_filter.text = m_search->text().trimmed().toStdString();
        Q_EMIT filterChanged();
    });
    connect(m_starred, &QToolButton::toggled, this, [this](bool on) {
        m_filter.starredOnly = on;
        Q_EMIT filterChanged();
    });
    connect(m_distinct, &QCheckBox::toggled, this, [this](bool on) {
        m_filter.distinctPrograms = on;
        Q_EMIT filterChanged();
    });
    connect(m_clear, &QToolButton::clicked, this, &FacetBar::clearFilter);
}

void FacetBar::clearFilter()
{
    CandidateFilter none;
    none.distinctPrograms = m_distinct->isChecked();
    setFilter(none);
}

void FacetBar::setFilter(const CandidateFilter& filter)
{
    m_filter = filter;
    {
        const QSignalBlocker search(m_search), starred(m_starred), distinct(m_distinct);
        m_search->setText(toQString(filter.text));
        m_starred->setChecked(filter.starredOnly);
        m_distinct->setChecked(filter.distinctPrograms);
    }
    for (const Drop& drop : m_drops)
        updateDropText(drop);
    Q_EMIT filterChanged();
}

void FacetBar::focusSearch()
{
    m_search->setFocus();
    m_search->selectAll();
}

void FacetBar::toggle(Values values, const std::string& value, bool on)
{
    auto& list = m_filter.*values;
    list.erase(std::remove(list.begin(), list.end(), value), list.end());
    if (on)
        list.push_back(value);
    for (const Drop& drop : m_drops)
        updateDropText(drop);
    Q_EMIT filterChanged();
}

void FacetBar::updateDropText(const Drop& drop)
{
    const auto count = (m_filter.*drop.values).size();
    drop.button->setText(count == 0 ? QString(drop.name + QStringLiteral(" ▾"))
                                    : QStringLiteral("%1 (%2) ▾").arg(drop.name).arg(count));
    drop.button->setAccessibleName(tr("Filter by %1").arg(drop.name));
    drop.button->setChecked(count > 0);
}

void FacetBar::fillChips(const std::vector<FacetCount>& verdicts)
{
    const auto focused =
        m_chips->focusWidget() ? m_chips->focusWidget()->property("value").toString() : QString();
    while (QLayoutItem* item = m_chips->layout()->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const FacetCount& facet : verdicts) {
        const bool checked = contains(m_filter.verdicts, facet.value);
        if (facet.count == 0 && !checked)
            continue;
        const auto verdict = verdictFromName(facet.value);
        auto* chip = new Chip(verdictText(verdict), formatCount(facet.count), verdictTone(verdict), m_chips);
        chip->setChecked(checked);
        chip->setToolTip(verdictHelp(verdict));
        chip->setProperty("value", toQString(facet.value));
        connect(chip, &QAbstractButton::toggled, this,
                [this, value = facet.value](bool on) { toggle(&CandidateFilter::verdicts, value, on); });
        m_chips->layout()->addWidget(chip);
        chip->show();
        if (chip->property("value").toString() == focused && !focused.isEmpty())
            chip->setFocus();
    }
    updateGeometry();
}

void FacetBar::fillDrop(Drop& drop, const std::vector<FacetCount>& counts)
{
    QMenu* menu = drop.button->menu();
    if (menu->isVisible())
        return; // not under the user's pointer
    menu->clear();
    for (const FacetCount& facet : counts) {
        const auto task = taskFromName(facet.value);
        const QString label = facet.label.empty()                              ? tr("(none)")
                              : task && drop.values == &CandidateFilter::tasks ? taskText(*task)
                                                                               : toQString(facet.label);
        QAction* action = menu->addAction(QStringLiteral("%1\t%2").arg(label, formatCount(facet.count)));
        action->setCheckable(true);
        action->setChecked(contains(m_filter.*drop.values, facet.value));
        connect(action, &QAction::toggled, this,
                [this, values = drop.values, value = facet.value](bool on) { toggle(values, value, on); });
    }
    drop.button->setEnabled(!counts.empty());
}

void FacetBar::setFacets(const CandidateFacets& facets)
{
    fillChips(facets.verdicts);
    const std::vector<FacetCount>* lists[] = {&facets.matrices, &facets.families, &facets.flags,
                                              &facets.origins,  &facets.splits,   &facets.tasks};
    for (std::size_t i = 0; i < m_drops.size(); ++i)
        fillDrop(m_drops[i], *lists[i]);
    m_drops.back().button->setVisible(facets.tasks.size() > 1 ||
                                      !m_filter.tasks.empty()); // most projects have one
}

} // namespace sparserl
