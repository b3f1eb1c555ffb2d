// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/noted_chart.h"

#include "widgets/common/chart_widget.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"

#include <QLabel>
#include <QVBoxLayout>

namespace sparserl {

namespace {

constexpr int roomForNote = 260; // below that the chart needs all lines for itself

} // namespace

NotedChart::NotedChart(QWidget* parent)
    : QWidget(parent)
    , m_chart(new ChartWidget(this))
    , m_note(makeMuted({}, this))
{
    m_chart->setFramed(false);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(12, 4, 12, 6);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_chart, 1);
    layout->addWidget(m_note);
}

void NotedChart::setNote(const QString& sentence)
{
    m_note->setText(sentence);
    m_chart->setToolTip(sentence); // where there is no room below
}

QSize NotedChart::minimumSizeHint() const
{
    constexpr int lowest = 160; // with a legend and an axis, and a plot between them
    return {QWidget::minimumSizeHint().width(), besideText(lowest)}; // a window of 800 pixels must hold it
}

void NotedChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_note->setVisible(height() >= atTextSize(roomForNote));
}

} // namespace sparserl
