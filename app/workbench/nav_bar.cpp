// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/nav_bar.h"

#include "widgets/common/icons.h"
#include "widgets/common/theme.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

namespace {

// Icon above text, an accent bar at the left of the current page.
class NavButton : public QAbstractButton
{
public:
    NavButton(const QString& icon, const QString& title, QWidget* parent)
        : QAbstractButton(parent)
        , m_iconName(icon)
    {
        setText(title);
        setCheckable(true);
        setAccessibleName(title);
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setAttribute(Qt::WA_Hover);
    }
    QSize sizeHint() const override
    {
        const QFontMetrics metrics(nameFont(true));
        return {std::max(88, metrics.horizontalAdvance(text()) + 20),
                std::max(64, 26 + atTextSize(iconSide) + metrics.height())};
    }

protected:
    void changeEvent(QEvent* event) override
    {
        QAbstractButton::changeEvent(event);
        if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
            updateGeometry();
    }
    void paintEvent(QPaintEvent*) override
    {
        const Theme& theme = Theme::of(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF area = QRectF(rect()).adjusted(7, 3, -7, -3);
        if (isChecked() || underMouse()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(isChecked() ? theme.selection : theme.grid);
            painter.drawRoundedRect(area, 7, 7);
        }
        if (hasFocus()) {
            painter.setPen(QPen(theme.accent, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7);
        }
        const QColor colour = isChecked() ? theme.accent : theme.muted;
        const int side = atTextSize(iconSide);
        const QRect icon((width() - side) / 2, static_cast<int>(area.top()) + 8, side, side);
        themedIcon(m_iconName, colour).paint(&painter, icon);
        painter.setFont(nameFont(isChecked()));
        painter.setPen(isChecked() ? theme.text : theme.muted);
        painter.drawText(QRectF(0, area.top() + side + 11, width(), area.height() - side - 12),
                         Qt::AlignHCenter | Qt::AlignTop, text());
    }

private:
    static constexpr int iconSide = 22;

    QFont nameFont(bool current) const
    {
        QFont font = this->font();
        font.setPointSizeF(font.pointSizeF() * 0.86);
        if (current)
            font.setWeight(QFont::DemiBold);
        return font;
    }
    QString m_iconName;
};

} // namespace

NavBar::NavBar(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QVBoxLayout(this))
    , m_group(new QButtonGroup(this))
{
    setAccessibleName(tr("Pages"));
    m_layout->setContentsMargins(0, 6, 0, 8);
    m_layout->setSpacing(0);
    m_layout->addStretch();
    m_group->setExclusive(true);
    connect(m_group, &QButtonGroup::idClicked, this, &NavBar::currentChanged);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred); // as wide as the longest name
}

void NavBar::addPage(const QString& icon, const QString& title)
{
    const int index = static_cast<int>(m_group->buttons().size());
    auto* button = new NavButton(icon, title, this);
    button->setToolTip(tr("%1 (Ctrl+%2)").arg(title).arg(index + 1));
    m_group->addButton(button, index);
    m_layout->insertWidget(index, button);
}

void NavBar::setCurrent(int index)
{
    if (QAbstractButton* button = m_group->button(index)) {
        button->setChecked(true);
    } else if (QAbstractButton* checked = m_group->checkedButton()) {
        m_group->setExclusive(false); // an exclusive group has one that is checked
        checked->setChecked(false);
        m_group->setExclusive(true);
    }
}

void NavBar::keyPressEvent(QKeyEvent* event)
{
    const int count = static_cast<int>(m_group->buttons().size());
    int index = m_group->checkedId();
    if (event->key() == Qt::Key_Down)
        index = std::min(index + 1, count - 1);
    else if (event->key() == Qt::Key_Up)
        index = std::max(index - 1, 0);
    else
        return QWidget::keyPressEvent(event);
    setCurrent(index);
    m_group->button(index)->setFocus();
    Q_EMIT currentChanged(index);
}

void NavBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.window);
    painter.setPen(QPen(theme.border, 1));
    painter.drawLine(QPointF(width() - 0.5, 0), QPointF(width() - 0.5, height()));
}

} // namespace sparserl
