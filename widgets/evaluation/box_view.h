// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/row_model.h"
#include "widgets/evaluation/evaluation_data.h"

#include <QWidget>

class QTableView;

namespace sparserl {

class ChartWidget;

/// GFLOPS by non-zeros as box plots and as a table.
class BoxView : public QWidget
{
    Q_OBJECT

public:
    explicit BoxView(QWidget* parent = nullptr);

    void showView(const EvaluationView& view);
    ChartWidget* chart() const { return m_chart; }
    RowModel<BoxLine>* model() const { return m_model; }

private:
    ChartWidget* m_chart;
    RowModel<BoxLine>* m_model;
    QTableView* m_table;
};

} // namespace sparserl
