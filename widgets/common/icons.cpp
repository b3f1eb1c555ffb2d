// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/icons.h"

#include "widgets/common/theme.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

namespace sparserl {

namespace {

// Renders the drawing when asked, in the palette of that moment: a theme change needs no new icons.
class ThemedIconEngine : public QIconEngine
{
public:
    ThemedIconEngine(QString name, QByteArray drawing, const QColor& tint)
        : m_name(std::move(name))
        , m_drawing(std::move(drawing))
        , m_tint(tint)
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const Theme& theme = Theme::of(QApplication::palette());
        QColor colour = m_tint.isValid() ? m_tint : state == QIcon::On ? theme.accent : theme.text;
        if (mode == QIcon::Disabled)
            colour = blend(theme.base, theme.muted, 0.5);
        QByteArray drawing = m_drawing;
        drawing.replace("#000", colour.name().toLatin1());
        QSvgRenderer renderer(drawing);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        renderer.render(painter, rect);
        painter->restore();
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        if (size.isEmpty()) // asked for by views that have no room yet; a painter would warn of it
            return {};
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return pixmap;
    }

    QIconEngine* clone() const override { return new ThemedIconEngine(m_name, m_drawing, m_tint); }
    QString iconName() override { return m_name; }

private:
    QString m_name;
    QByteArray m_drawing;
    QColor m_tint;
};

} // namespace

QIcon themedIcon(const QString& name, const QColor& tint)
{
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT_X(opened, "themedIcon", qPrintable(name));
    return opened ? QIcon(new ThemedIconEngine(name, file.readAll(), tint)) : QIcon();
}

} // namespace sparserl
