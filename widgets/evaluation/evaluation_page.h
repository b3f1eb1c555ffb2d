// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/project_page.h"
#include "widgets/common/row_model.h"
#include "widgets/evaluation/evaluation_data.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QToolButton;

namespace sparserl {

class ChartWidget;

using EvaluationModel = RowModel<EvaluationLine>;

/// What a policy achieves on each matrix, and how two policies compare.
class EvaluationPage : public ProjectPage
{
    Q_OBJECT

public:
    explicit EvaluationPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Evaluation"); }
    QString iconName() const override { return QStringLiteral("evaluation"); }
    void fillMenu(QMenu* menu) override;
    EvaluationModel* model() const { return m_model; }
    ChartWidget* passChart() const { return m_pass; }
    /// Chooses what is shown and what it is compared with (keys of EvaluationSet; empty: nothing).
    void choose(const QString& first, const QString& second);

public Q_SLOTS:
    void exportCsv();
    void exportMarkdown();

protected:
    void projectChanged() override;
    void refresh() override;

private:
    struct Tile
    {
        QLabel *value, *note;
    };
    QWidget* makeBar();
    QWidget* makeTable();
    QWidget* makeTiles();
    EvaluationModel* makeModel();
    void showSets(std::vector<EvaluationSet> sets);
    void showChoice();
    void showTiles(const EvaluationSet& first, const EvaluationSet* second);
    void showCharts(const EvaluationSet& first, const EvaluationSet* second);
    const EvaluationSet* find(const QString& key) const;
    void save(const QString& title, const QString& filter, const QString& suffix, const QString& text);

    EvaluationModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QTableView* m_table;
    QComboBox *m_first, *m_second;
    ChartWidget *m_pass, *m_speedups;
    std::vector<Tile> m_tiles;
    std::vector<EvaluationSet> m_sets;
    bool m_comparing = false;
};

} // namespace sparserl
