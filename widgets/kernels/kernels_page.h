// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/project_page.h"
#include "widgets/kernels/candidate_model.h"

class QLabel;
class QProgressBar;
class QTableView;
class QTimer;

namespace sparserl {

class FacetBar;
class KernelDetail;

/// All programs of all runs, what became of them, and why.
class KernelsPage : public ProjectPage
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
    /// A program by its hash, or the programs of a matrix or a run.
    void go(const Destination& place) override;
    /// The chosen programs, or the one that is shown.
    void exportSelected();
    /// Lets a policy of the project write programs here.
    void writePrograms();
    /// The programs of the same family for the same matrix, in the order in which policies came to them.
    void showSimilar();

protected:
    void projectChanged() override;
    void refresh() override;

private:
    QWidget* makeList();
    QWidget* makeSearchStrip(QWidget* parent);
    void askFacets();
    void loaded(CandidateModel::Change change);
    void showCurrent();
    void showSearch();
    void searchCancelled();

    CandidateModel* m_model;
    FacetBar* m_facets;
    QTableView* m_table;
    QLabel* m_count;
    KernelDetail* m_detail;
    QWidget* m_searchStrip;
    QProgressBar* m_searchBar;
    QTimer* m_searchPoll;
    CancelToken m_facetCancel;
    JobTracker m_facetJobs{this}, m_exportJobs{this};
    bool m_facetsAgain = false;
    QString m_pendingMatrix, m_pendingRun;
    bool m_everLoaded = false;
};

} // namespace sparserl
