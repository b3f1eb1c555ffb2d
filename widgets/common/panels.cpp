// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/panels.h"

#include "widgets/common/icons.h"
#include "widgets/common/theme.h"

#include <QApplication>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStyle>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

namespace sparserl {

EmptyState::EmptyState(const QString& icon, const QString& title, const QString& sentence, QWidget* parent)
    : QWidget(parent)
    , m_iconName(icon)
    , m_icon(new QLabel(this))
    , m_title(makeHeading(title, this, 1.2))
    , m_sentence(makeMuted(sentence, this))
    , m_buttons(new QHBoxLayout)
{
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_icon->setAlignment(Qt::AlignCenter);
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_sentence->setMaximumWidth(440);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->addStretch(2);
    layout->addWidget(m_icon);
    layout->addSpacing(6);
    layout->addWidget(m_title);
    auto* centred = new QHBoxLayout;
    centred->addStretch(1);
    centred->addWidget(m_sentence, 8);
    centred->addStretch(1);
    layout->addLayout(centred);
    layout->addSpacing(8);
    m_buttons->setSpacing(8);
    m_buttons->addStretch();
    m_buttons->addStretch();
    layout->addLayout(m_buttons);
    layout->addStretch(3);
    updateIcon();
}

void EmptyState::updateIcon()
{
    m_icon->setPixmap(themedIcon(m_iconName, Theme::of(this).muted)
                          .pixmap(QSize(atTextSize(44), atTextSize(44)), devicePixelRatioF()));
}

QPushButton* EmptyState::addButton(const QString& text, bool primary)
{
    auto* button = makeButton(text, this);
    if (primary)
        makePrimary(button);
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    return button;
}

void EmptyState::setText(const QString& title, const QString& sentence)
{
    m_title->setText(title);
    m_sentence->setText(sentence);
}

void EmptyState::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateIcon();
}

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
    , m_actions(new QHBoxLayout)
{
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 6, 6, 6);
    layout->addWidget(m_icon, 0, Qt::AlignVCenter);
    layout->addWidget(m_text, 1);
    layout->addLayout(m_actions);
    auto* close = makeToolButton(QStringLiteral("cross"), {}, tr("Close this message"), this);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    layout->addWidget(close, 0, Qt::AlignTop);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    hide();
}

void MessageBar::showMessage(Level level, const QString& sentence)
{
    while (QLayoutItem* item = m_actions->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    m_level = level;
    updateIcon();
    m_text->setText(sentence);
    setAccessibleName(sentence);
    show();
    update();
}

QColor MessageBar::tint() const
{
    const Theme& theme = Theme::of(this);
    return m_level == Level::Info ? theme.accent : m_level == Level::Warning ? theme.warn : theme.bad;
}

void MessageBar::updateIcon()
{
    m_icon->setPixmap(
        themedIcon(m_level == Level::Info ? QStringLiteral("info") : QStringLiteral("warning"), tint())
            .pixmap(QSize(atTextSize(18), atTextSize(18)), devicePixelRatioF()));
}

void MessageBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        updateIcon();
}

QPushButton* MessageBar::addAction(const QString& text)
{
    auto* button = makeButton(text, this);
    m_actions->addWidget(button);
    return button;
}

void MessageBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(blend(theme.base, tint(), 0.45), 1));
    painter.setBrush(blend(theme.base, tint(), 0.09));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

QFrame* makeCard(QWidget* parent)
{
    auto* card = new QFrame(parent);
    card->setProperty("card", true);
    return card;
}

namespace {

/// A label that is larger than other text by a factor, whatever the size of that becomes.
class Heading : public QLabel
{
public:
    Heading(const QString& text, QWidget* parent, double scale)
        : QLabel(text, parent)
        , m_scale(scale)
    {
        enlarge();
    }

protected:
    void changeEvent(QEvent* event) override
    {
        QLabel::changeEvent(event);
        if (event->type() == QEvent::StyleChange) // as after every change of looks
            enlarge();
    }

private:
    void enlarge()
    {
        QFont font = QApplication::font();
        font.setWeight(QFont::DemiBold);
        font.setPointSizeF(font.pointSizeF() * m_scale);
        if (font != this->font())
            setFont(font);
    }
    double m_scale;
};

} // namespace

QLabel* makeHeading(const QString& text, QWidget* parent, double scale)
{
    return new Heading(text, parent, scale);
}

void setStyled(QWidget* widget, const char* property, bool on)
{
    if (widget->property(property).toBool() == on)
        return;
    widget->setProperty(property, on);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

QPushButton* makeButton(const QString& text, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    button->setAutoDefault(true);
    return button;
}

void makePrimary(QPushButton* button)
{
    setStyled(button, "primary", true);
}

namespace {

/// Paints a label whose text is wider than the label with dots at its end, and tells all of it in a tool tip.
class Shortener : public QObject
{
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        auto* label = static_cast<QLabel*>(watched);
        const bool tells = event->type() == QEvent::ToolTip && label->toolTip().isEmpty();
        if ((event->type() != QEvent::Paint && !tells) || label->wordWrap() ||
            label->textFormat() == Qt::RichText || label->text().isEmpty())
            return false;
        const QRect room = label->contentsRect();
        const QString shown = label->fontMetrics().elidedText(label->text(), Qt::ElideRight, room.width());
        if (shown == label->text())
            return false;
        if (tells) {
            QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), label->text(), label);
            return true;
        }
        QPainter painter(label);
        label->style()->drawItemText(&painter, room, static_cast<int>(label->alignment()), label->palette(),
                                     label->isEnabled(), shown, label->foregroundRole());
        return true;
    }
};

} // namespace

void letShrink(QLabel* label)
{
    label->setMinimumWidth(40);
    label->installEventFilter(new Shortener(label));
}

QLabel* makeMuted(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setProperty("muted", true);
    return label;
}

void fitWrapped(QLabel* label)
{
    label->setWordWrap(true);
    QSizePolicy policy = label->sizePolicy();
    policy.setVerticalPolicy(QSizePolicy::Ignored); // of the height it likes best
    label->setSizePolicy(policy);
}

namespace {

/// The heights that rows need in today's size of text.
void levelHeights(QFormLayout* form)
{
    for (int row = 0; row < form->rowCount(); ++row) {
        QLayoutItem* name = form->itemAt(row, QFormLayout::LabelRole);
        QLayoutItem* field = form->itemAt(row, QFormLayout::FieldRole);
        if (QLayoutItem* whole = form->itemAt(row, QFormLayout::SpanningRole); whole && whole->widget())
            for (auto* button : whole->widget()->findChildren<QPushButton*>())
                button->setMinimumHeight(button->sizeHint().height());
        if (name && name->widget() && field && !(field->expandingDirections() & Qt::Vertical))
            name->widget()->setMinimumHeight(field->sizeHint().height());
    }
}

void levelNow(QFormLayout* form)
{
    levelHeights(form);
    for (int row = 0; row < form->rowCount(); ++row) {
        QLayoutItem* name = form->itemAt(row, QFormLayout::LabelRole);
        if (!name || !name->widget())
            continue;
        // The line below a letter parts it from the next one, from which it was measured closer: "Ta".
        name->widget()->setMinimumWidth(name->sizeHint().width() +
                                        name->widget()->fontMetrics().height() / 4);
    }
}

constexpr auto levelName = "levelOfLabels";

/// Levels the rows of a form again when the text size changes. A text that has come since may have any width.
class LabelLevel : public QObject
{
public:
    explicit LabelLevel(QFormLayout* form)
        : QObject(form)
        , m_form(form)
    {
        setObjectName(QLatin1String(levelName));
        form->parentWidget()->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        // The fields get the new font after their parent.
        if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
            QTimer::singleShot(0, this, [this] { levelHeights(m_form); });
        return QObject::eventFilter(watched, event);
    }

private:
    QFormLayout* m_form;
};

} // namespace

void levelLabels(QFormLayout* form)
{
    levelNow(form);
    if (form->parentWidget() != nullptr && !form->findChild<QObject*>(QLatin1String(levelName)))
        new LabelLevel(form);
}

QToolButton* makeToolButton(const QString& icon, const QString& text, const QString& toolTip, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    if (!icon.isEmpty())
        button->setIcon(themedIcon(icon));
    button->setText(text);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setToolButtonStyle(icon.isEmpty()   ? Qt::ToolButtonTextOnly
                               : text.isEmpty() ? Qt::ToolButtonIconOnly
                                                : Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    if (!text.isEmpty())
        button->setProperty("framed", true);
    button->setProperty("beside", !icon.isEmpty());
    return button;
}

namespace {

class CodeFontFollower : public QObject
{
public:
    explicit CodeFontFollower(QWidget* text)
        : QObject(text)
        , m_text(text)
    {
        text->installEventFilter(this);
        text->setFont(codeFont());
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        // As after every change of looks; the style sets its own font behind it.
        if (event->type() == QEvent::StyleChange)
            QTimer::singleShot(0, this, [this] { m_text->setFont(codeFont()); });
        return QObject::eventFilter(watched, event);
    }

private:
    QWidget* m_text;
};

} // namespace

void followCodeFont(QWidget* text)
{
    new CodeFontFollower(text);
}

} // namespace sparserl
