// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/kernel_header.h"

#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/kernels/verdict_text.h"

#include <QEvent>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

KernelHeader::KernelHeader(QWidget* parent)
    : QWidget(parent)
    , m_title(makeHeading({}, this, 1.2))
    , m_facts(makeMuted({}, this))
    , m_speedup(makeHeading({}, this, 1.45))
    , m_failure(new QLabel(this))
    , m_badge(new BadgeLabel(this))
{
    using Action = KernelAction;
    addButton(Action::Verify, QStringLiteral("verify"), tr("Verify again"),
              tr("Judge this program on its matrix again, with counters for every line"));
    addButton(Action::Export, QStringLiteral("export"), tr("Export…"), tr("Write a stand-alone bundle"));
    addButton(Action::Star, QStringLiteral("star"), {}, tr("Star this program"));
    addButton(Action::Pin, QStringLiteral("pin"), {}, tr("Pin this program"), true);
    addButton(Action::Note, QStringLiteral("note"), {}, tr("Write a note about this program"));
    addButton(Action::Sft, QStringLiteral("book"), {}, tr("Add to the SFT set (Ctrl+Shift+S)"), true);
    addButton(Action::Ptx, {}, tr("PTX"), tr("Show the PTX (Ctrl+P)"), true);
    addButton(Action::Sass, {}, tr("SASS"), tr("Show the SASS (Ctrl+Shift+A)"), true);
    addButton(Action::Compare, QStringLiteral("compare"), {}, tr("Compare every other program with this one"),
              true);
    addButton(Action::Edit, QStringLiteral("edit"), {},
              tr("Edit a copy of this program and judge it at once"));
    letShrink(m_title);
    letShrink(m_facts);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    top->addWidget(m_title);
    top->addWidget(m_badge);
    top->addWidget(m_speedup);
    top->addStretch();
    for (const Action action : {Action::Verify, Action::Export})
        top->addWidget(button(action));
    layout->addLayout(top);
    m_second = new QBoxLayout(QBoxLayout::LeftToRight);
    m_second->setSpacing(4);
    m_second->addWidget(m_facts, 1);
    m_row = new QHBoxLayout;
    m_row->setSpacing(4);
    for (const Action action : {Action::Star, Action::Pin, Action::Note, Action::Sft, Action::Ptx,
                                Action::Sass, Action::Compare, Action::Edit})
        m_row->addWidget(button(action));
    m_second->addLayout(m_row);
    layout->addLayout(m_second);
    m_failure->setWordWrap(true);
    m_failure->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(m_failure);
}

void KernelHeader::addButton(KernelAction action, const QString& icon, const QString& text,
                             const QString& toolTip, bool checkable)
{
    QToolButton* made = makeToolButton(icon, text, toolTip, this);
    made->setCheckable(checkable);
    m_buttons[action] = made;
}

void KernelHeader::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

bool KernelHeader::event(QEvent* event)
{
    const bool done = QWidget::event(event);
    // A button has another size. Hidden pages, too, widen the window.
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange)
        arrange();
    return done;
}

void KernelHeader::arrange()
{
    // The name of the matrix comes before those of the buttons, which their tool tips tell too.
    const bool narrow = width() < 66 * fontMetrics().averageCharWidth();
    const auto style = narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon;
    for (const KernelAction action : {KernelAction::Verify, KernelAction::Export}) {
        QToolButton* one = button(action);
        if (one->toolButtonStyle() == style)
            continue;
        one->setToolButtonStyle(style);
        setStyled(one, "beside", !narrow);
    }
    // The hash tells programs apart: where the buttons leave no room for it, they stand below the facts,
    // unless large text has no room for another row.
    constexpr int linesForAnotherRow = 36;
    const int hash = fontMetrics().horizontalAdvance(QStringLiteral("0000000000 · …"));
    const bool below = width() < m_row->sizeHint().width() + m_second->spacing() + hash &&
                       window()->height() > linesForAnotherRow * fontMetrics().height();
    const auto direction = below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    if (m_second->direction() == direction)
        return;
    m_second->setDirection(direction);
    m_row->setAlignment(below ? Qt::AlignLeft : Qt::Alignment());
}

void KernelHeader::showAnnotations(const CandidateRow& candidate)
{
    button(KernelAction::Star)
        ->setIcon(themedIcon(candidate.starred ? QStringLiteral("star-filled") : QStringLiteral("star")));
    button(KernelAction::Pin)->setChecked(candidate.pinned);
    QToolButton* sft = button(KernelAction::Sft);
    sft->setChecked(candidate.inSftSet);
    sft->setToolTip(candidate.inSftSet ? tr("Remove from the SFT set (Ctrl+Shift+S)")
                                       : tr("Add to the SFT set (Ctrl+Shift+S)"));
    QToolButton* note = button(KernelAction::Note);
    note->setText(candidate.note.empty() ? QString() : QStringLiteral("●"));
    note->setToolButtonStyle(candidate.note.empty() ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
}

void KernelHeader::showVerdict(const CandidateRow& candidate, const std::optional<VerdictRecord>& record)
{
    m_title->setText(targetText(candidate.target));
    m_badge->setBadge(verdictText(candidate.verdict), verdictTone(candidate.verdict));
    m_badge->setToolTip(verdictHelp(candidate.verdict));
    const double speedup = record ? record->speedup() : candidate.speedup;
    m_speedup->setText(speedup > 0 ? formatRatio(speedup) : QString());
    m_speedup->setToolTip(
        record ? tr("Faster than %1 (%2) by this factor, without set-up.")
                     .arg(toQString(record->baselineName), toQString(record->baselineAlgorithm))
               : QString());
    QStringList facts{shortHash(candidate.programHash)};
    if (!candidate.family.empty())
        facts.append(familyText(candidate.family));
    facts.append(originText(candidate));
    if (record && !record->device.empty())
        facts.append(toQString(record->device));
    for (const std::string& flag : candidate.flags)
        facts.append(tr("⚑ %1").arg(flagText(flag)));
    m_facts->setText(facts.join(QStringLiteral("  ·  ")));

    QStringList failure;
    if (record && !record->correct()) {
        if (!record->message.empty())
            failure.append(asSentence(toQString(record->message)));
        if (const QString wrong = wrongElementText(*record); !wrong.isEmpty())
            failure.append(tr("First wrong element: %1.").arg(wrong));
        if (const QString place = placeText(*record); !place.isEmpty())
            failure.append(tr("Where: %1.").arg(place));
    }
    m_failure->setText(failure.join(QLatin1Char('\n')));
    m_failure->setVisible(!failure.isEmpty());

    QToolButton* exported = button(KernelAction::Export);
    exported->setEnabled(candidate.verdict == Verdict::Correct);
    exported->setToolTip(exported->isEnabled() ? tr("Write a stand-alone bundle")
                                               : tr("Only correct programs can be exported."));
}

} // namespace sparserl
