// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/project_page.h"
#include "widgets/evaluation/evaluation_data.h"

#include <filesystem>

class QComboBox;
class QTabWidget;

namespace sparserl {

class BoxView;
class ChartWidget;
class ComparisonView;
class MatrixResults;
class PolicyList;

/// Shows the results of policies: pass@k and rates, GFLOPS by non-zeros beside the baseline, differences with
/// intervals, and the results of each matrix, with links to its kernels.
class EvaluationPage : public ProjectPage
{
    Q_OBJECT

public:
    enum class Tab
    {
        Rates,
        Boxes,
        Comparison,
        Matrices
    };
    explicit EvaluationPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Evaluation"); }
    QString menuTitle() const override { return tr("Eva&luation"); }
    QString iconName() const override { return QStringLiteral("evaluation"); }
    void fillMenu(QMenu* menu) override;
    void restoreViewState(const QStringList& state) override;

    PolicyList* policies() const { return m_policies; }
    ChartWidget* passChart() const { return m_pass; }
    ChartWidget* ratesChart() const { return m_rates; }
    BoxView* boxes() const { return m_boxes; }
    ComparisonView* comparison() const { return m_comparison; }
    MatrixResults* matrices() const { return m_matrices; }
    void showTab(Tab tab);
    /// Selects what is shown; the data arrive later.
    void choose(const EvaluationChoice& choice);
    const EvaluationView& view() const { return *m_view; }
    /// The table of the current tab, for export.
    TextTable shownTable() const;
    std::vector<TextTable> tables() const;
    /// Exports CSV, Markdown or LaTeX, according to the file's suffix. `all`: all tables instead of the
    /// current one.
    Status exportTo(const std::filesystem::path& file, bool all) const;

protected:
    void projectChanged() override;
    void refresh() override;

private:
    /// Data from the index; used only on the query thread.
    struct Read
    {
        std::string version;
        std::shared_ptr<const std::vector<EvaluationSet>> sets;
        EvaluationChoice choice;
        std::shared_ptr<const EvaluationView> view; ///< The view for `choice`; null: not computed yet.
    };
    QWidget* makeBar();
    QWidget* makeRates();
    void addExports(QMenu* menu, bool shortcut);
    void showView(std::shared_ptr<const EvaluationView> view);
    void fillCombos();
    void tick(const QString& key, bool on);
    void tellViewState();
    /// Whether there are tables to export. If not, tells the user.
    bool hasTables();
    void chooseFile(const QString& suffix, bool all);
    void copy(std::string (*format)(const TextTable&));

    PolicyList* m_policies;
    QComboBox *m_split, *m_other, *m_passes;
    ChartWidget *m_pass, *m_rates;
    BoxView* m_boxes;
    ComparisonView* m_comparison;
    MatrixResults* m_matrices;
    QTabWidget* m_tabs;
    EvaluationChoice m_choice;
    std::shared_ptr<const EvaluationView> m_view;
    std::shared_ptr<Read> m_read;
    bool m_restoring = false;
};

} // namespace sparserl
