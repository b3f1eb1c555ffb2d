// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/page.h"
#include "widgets/common/session.h"
#include "widgets/kernels/candidate_model.h"

class QLabel;
class QStackedWidget;
class QTableView;

namespace sparserl {

class FacetBar;
class KernelDetail;

/// All programs of all runs, what became of them, and why.
class KernelsPage : public Page
{
    Q_OBJECT

public:
    explicit KernelsPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Kernels"); }
    QString iconName() const override { return QStringLiteral("kernels"); }
    void fillMenu(QMenu* menu) override;
    CandidateModel* model() const { return m_model; }
    FacetBar* facets() const { return m_facets; }
    KernelDetail* detail() const { return m_detail; }
    QTableView* table() const { return m_table; }

public Q_SLOTS:
    /// "matrix:NAME", "run:NAME" or a program's hash.
    void select(const QString& key) override;

protected:
    void sessionChanged() override;
    void refresh() override;

private:
    QWidget* makeList();
    void askFacets();
    void loaded();
    void showCurrent();

    CandidateModel* m_model;
    FacetBar* m_facets;
    QTableView* m_table;
    QLabel* m_count;
    QStackedWidget* m_stack;
    KernelDetail* m_detail;
    QString m_pendingMatrix, m_pendingRun;
    bool m_again = false, m_everLoaded = false;
    JobTracker m_facetJobs{this};
};

} // namespace sparserl
