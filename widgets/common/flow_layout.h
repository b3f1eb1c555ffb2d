// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLayout>
#include <QList>

namespace sparserl {

/// Arranges widgets in lines like words in a paragraph, aligned to the left or right. The first widget of a
/// line that expands horizontally takes what the others leave.
class FlowLayout : public QLayout
{
public:
    FlowLayout(QWidget* parent, int spacing, Qt::AlignmentFlag side = Qt::AlignLeft);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { m_items.append(item); }
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool move) const;
    QList<QLayoutItem*> m_items;
    int m_gap;
    Qt::AlignmentFlag m_side;
};

} // namespace sparserl
