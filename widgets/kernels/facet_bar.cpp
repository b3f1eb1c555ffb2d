// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/facet_bar.h"

#include "project/run/written_programs.h"
#include "widgets/common/bounded_area.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/target_text.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/verdict_text.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QCollator>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QTimer>
#include <QToolButton>
#include <QWidgetAction>
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
        painter.drawText(area.adjusted(10, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, visibleText(text()));
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

QString plainLabel(const FacetCount& count)
{
    return count.label.empty() ? FacetBar::tr("(none)") : toQString(count.label);
}

} // namespace

std::vector<FacetBar::Drop> FacetBar::drops()
{
    const auto run = [](const FacetCount& count) {
        return count.value == std::to_string(writtenPrograms) ? tr("outside any run") : plainLabel(count);
    };
    const auto times = [](const FacetCount& count) {
        return tr("%1 times as fast").arg(toQString(count.value));
    };
    const auto flag = [](const FacetCount& count) { return flagText(count.value); };
    const auto flagHint = [](const FacetCount& count) { return flagHelp(count.value); };
    const auto family = [](const FacetCount& count) { return familyText(count.value); };
    const auto task = [](const FacetCount& count) { return taskText(count.value); };
    using Facets = CandidateFacets;
    return {{.facet = &facetOf(&Facets::flags),
             .name = tr("Flag"),
             .label = flag,
             .help = flagHint,
             .ordered = true},
            {.facet = &facetOf(&Facets::matrices), .name = tr("Matrix"), .label = plainLabel},
            {.facet = &facetOf(&Facets::families), .name = tr("Family"), .label = family},
            {.facet = &facetOf(&Facets::tasks), .name = tr("Task"), .label = task, .seldom = true},
            {.facet = &facetOf(&Facets::runs), .name = tr("Run"), .label = run},
            {.facet = &facetOf(&Facets::speedups), .name = tr("Speed-up"), .label = times, .ordered = true},
            {.facet = &facetOf(&Facets::origins), .name = tr("Origin"), .label = plainLabel},
            {.facet = &facetOf(&Facets::splits), .name = tr("Split"), .label = plainLabel}};
}

FacetBar::FacetBar(QWidget* parent)
    : QWidget(parent)
    , m_chips(new QWidget(this))
    , m_search(new QLineEdit(this))
    , m_starred(makeToolButton(QStringLiteral("star"), {}, tr("Only starred programs"), this))
    , m_pinned(makeToolButton(QStringLiteral("pin"), {}, tr("Only pinned programs"), this))
    , m_sft(makeToolButton(QStringLiteral("book"), {}, tr("Only programs of the SFT set"), this))
    , m_clear(makeToolButton(QStringLiteral("filter-off"), {}, tr("Remove all filters"), this))
    , m_distinct(new QCheckBox(tr("Hide duplicates"), this))
    , m_drops(drops())
    , m_typing(new QTimer(this))
{
    m_filter.distinctPrograms = true;
    m_distinct->setChecked(true);
    m_distinct->setToolTip(
        tr("Shows each program only once, even if several runs or matrices have it: only the row that comes "
           "first in the current order is shown. If this is not ticked, each sample has its own row."));
    m_search->setPlaceholderText(tr("Find in source, message, matrix"));
    m_search->setAccessibleName(tr("Find in source, message or matrix"));
    m_search->setClearButtonEnabled(true);
    m_starred->setCheckable(true);
    m_pinned->setCheckable(true);
    m_sft->setCheckable(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* first = new QWidget(this); // Large text takes two lines.
    auto* marks = new QWidget(first);
    auto* across = new QHBoxLayout(marks);
    across->setContentsMargins(0, 0, 0, 0);
    for (QWidget* mark : {m_starred, m_pinned, m_sft, m_clear})
        across->addWidget(mark);
    auto* line = new FlowLayout(first, 6);
    line->addWidget(m_search);
    line->addWidget(m_distinct);
    line->addWidget(marks);
    layout->addWidget(first);
    // In large text on a small screen, these would leave no room for the list.
    auto* filters = new QWidget(this);
    auto* lines = new QVBoxLayout(filters);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(8);
    new FlowLayout(m_chips, 5);
    lines->addWidget(m_chips);
    auto* second = new QWidget(filters); // two lines where one is too narrow
    auto* flow = new FlowLayout(second, 6);
    for (Drop& drop : m_drops) {
        drop.button = new QToolButton(this);
        drop.button->setProperty("framed", true);
        drop.button->setPopupMode(QToolButton::InstantPopup);
        drop.button->setFocusPolicy(Qt::StrongFocus);
        drop.button->setMenu(new QMenu(drop.button));
        flow->addWidget(drop.button);
        updateDropText(drop);
    }

    lines->addWidget(second);
    constexpr double mostOfScreen = 0.25;
    layout->addWidget(new BoundedArea(filters, mostOfScreen, this));

    m_typing->setSingleShot(true);
    m_typing->setInterval(200);
    connect(m_search, &QLineEdit::textChanged, m_typing, qOverload<>(&QTimer::start));
    connect(m_typing, &QTimer::timeout, this, [this] {
        m_filter.text = m_search->text().trimmed().toStdString();
        Q_EMIT filterChanged();
    });
    const auto sets = [this](QAbstractButton* button, bool CandidateFilter::*member) {
        connect(button, &QAbstractButton::toggled, this, [this, member](bool on) {
            m_filter.*member = on;
            Q_EMIT filterChanged();
        });
    };
    sets(m_starred, &CandidateFilter::starredOnly);
    sets(m_pinned, &CandidateFilter::pinnedOnly);
    sets(m_sft, &CandidateFilter::sftOnly);
    sets(m_distinct, &CandidateFilter::distinctPrograms);
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
        const QSignalBlocker search(m_search), starred(m_starred), pinned(m_pinned), sft(m_sft),
            distinct(m_distinct);
        m_search->setText(toQString(filter.text));
        m_starred->setChecked(filter.starredOnly);
        m_pinned->setChecked(filter.pinnedOnly);
        m_sft->setChecked(filter.sftOnly);
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

void FacetBar::toggle(const Drop& drop, const std::string& value, bool on)
{
    drop.facet->want(m_filter, value, on);
    updateDropText(drop);
    Q_EMIT filterChanged();
}

void FacetBar::updateDropText(const Drop& drop)
{
    const auto count = drop.facet->wantedBy(m_filter).size();
    drop.button->setText(count == 0 ? QString(drop.name + QStringLiteral(" ▾"))
                                    : QStringLiteral("%1 (%2) ▾").arg(drop.name).arg(count));
    drop.button->setAccessibleName(tr("Filter by %1").arg(drop.name));
    drop.button->setChecked(count > 0);
}

void FacetBar::fillChips(std::vector<FacetCount> verdicts)
{
    // From the end of the judge's way to its beginning, always: a chip is where it was.
    const auto place = [](const FacetCount& facet) {
        const auto verdict = verdictFromName(facet.value);
        return verdict ? -static_cast<int>(*verdict) : 1;
    };
    std::sort(verdicts.begin(), verdicts.end(),
              [&](const FacetCount& x, const FacetCount& y) { return place(x) < place(y); });
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
        connect(chip, &QAbstractButton::toggled, this, [this, value = facet.value](bool on) {
            std::erase(m_filter.verdicts, value);
            if (on)
                m_filter.verdicts.push_back(value);
            Q_EMIT filterChanged();
        });
        m_chips->layout()->addWidget(chip);
        chip->show();
        if (chip->property("value").toString() == focused && !focused.isEmpty())
            chip->setFocus();
    }
    updateGeometry();
}

// A line at the top of a long menu that leaves those of its entries that have what is typed.
void FacetBar::addSearch(QMenu* menu, const QString& name)
{
    auto* words = new QLineEdit(menu);
    words->setPlaceholderText(tr("Find in %1").arg(name));
    words->setAccessibleName(words->placeholderText());
    words->setClearButtonEnabled(true);
    auto* line = new QWidgetAction(menu);
    line->setDefaultWidget(words);
    menu->addAction(line);
    connect(words, &QLineEdit::textChanged, menu, [menu](const QString& typed) {
        for (QAction* action : menu->actions())
            if (action->isCheckable())
                action->setVisible(action->text()
                                       .section(QLatin1Char('\t'), 0, 0)
                                       .contains(typed.trimmed(), Qt::CaseInsensitive));
    });
    connect(words, &QLineEdit::returnPressed, menu, [menu] {
        QAction* only = nullptr;
        int left = 0;
        for (QAction* action : menu->actions())
            if (action->isCheckable() && action->isVisible()) {
                only = action;
                ++left;
            }
        if (left == 1) {
            menu->close();
            only->toggle();
        }
    });
    connect(menu, &QMenu::aboutToShow, words, [words] {
        words->clear();
        QTimer::singleShot(0, words, [words] { words->setFocus(); });
    });
}

void FacetBar::fillDrop(Drop& drop, std::vector<FacetCount> counts)
{
    QMenu* menu = drop.button->menu();
    if (menu->isVisible())
        return; // not under the user's pointer
    menu->clear();
    menu->setToolTipsVisible(drop.help != nullptr);
    if (!drop.ordered) {
        QCollator collator;
        collator.setNumericMode(true);
        std::sort(counts.begin(), counts.end(), [&](const FacetCount& x, const FacetCount& y) {
            return collator.compare(toQString(x.label), toQString(y.label)) < 0;
        });
    }
    const auto on = drop.facet->wantedBy(m_filter);
    constexpr std::size_t manyValues = 12;
    if (counts.size() > manyValues)
        addSearch(menu, drop.name);
    for (const FacetCount& facet : counts) {
        QAction* action =
            menu->addAction(QStringLiteral("%1\t%2").arg(drop.label(facet), formatCount(facet.count)));
        action->setCheckable(true);
        action->setChecked(contains(on, facet.value));
        if (drop.help != nullptr)
            action->setToolTip(drop.help(facet));
        connect(action, &QAction::toggled, this,
                [this, drop, value = facet.value](bool checked) { toggle(drop, value, checked); });
    }
    drop.button->setEnabled(!counts.empty());
}

void FacetBar::setFacets(const CandidateFacets& facets)
{
    fillChips(facets.verdicts);
    for (Drop& drop : m_drops)
        fillDrop(drop, facets.*drop.facet->counts);
    for (const Drop& drop : m_drops) {
        if (drop.seldom)
            drop.button->setVisible((facets.*drop.facet->counts).size() > 1 ||
                                    drop.facet->isRestrictedBy(m_filter));
    }
}

} // namespace sparserl
