// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QScrollBar>
#include <vector>

namespace sparserl {

/// A vertical scroll bar with marks for positions in the whole text.
class HeatScrollBar : public QScrollBar
{
    Q_OBJECT

public:
    struct Mark
    {
        double place = 0; ///< In [0, 1) of the text.
        QColor colour;
    };
    explicit HeatScrollBar(QWidget* parent);
    /// `lineShare`: one line as a fraction of the text.
    void setMarks(std::vector<Mark> marks, double lineShare);
    const std::vector<Mark>& marks() const { return m_marks; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Mark> m_marks;
    double m_lineShare = 0;
};

} // namespace sparserl
