// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/project_page.h"
#include "widgets/kernels/candidate_model.h"

#include <QPointer>

class QLabel;
class QProgressBar;
class QTableView;
class QTimer;

namespace sparserl {

class FacetBar;
class KernelDetail;
class SpecialiseDialog;
class SftChooser;

/// All programs of all runs, what became of them, and why.
class KernelsPage : public ProjectPage
{
    Q_OBJECT

public:
    explicit KernelsPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Kernels"); }
    QString menuTitle() const override { return tr("&Kernels"); }
    QStringList layoutState() const override;
    void applyLayoutState(const QStringList& state) override;
    QString selectedKey() const override;
    void restoreSelection(const QString& key) override;
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
    /// The chosen programs join the SFT set, or leave it.
    void toggleSft();
    /// Lets a policy of the project write programs here.
    void writePrograms();
    /// Trains a policy of the project on a few matrices and ranks what it writes for them.
    void specialise();
    /// Asks for a search and starts it as a run of the project.
    void startSearch();
    /// The programs of the same family for the same matrix, in the order in which policies came to them.
    void showSimilar();
    /// Orders by a column: the best first, and when it is asked for again the other way round.
    void orderBy(int column);

protected:
    void projectChanged() override;
    void refresh() override;

private:
    QWidget* makeList();
    QWidget* makeSearchStrip(QWidget* parent);
    /// The digest of the matrix of the program that is shown, if any.
    std::vector<std::string> shownMatrix() const;
    void askFacets();
    void loaded(CandidateModel::Change change);
    void showCurrent();
    void showSearch();
    void searchCancelled();
    /// The chosen programs, at most a thousand; more are a problem that is told by `tooMany`.
    std::optional<std::vector<CandidateId>> chosen(const QString& tooMany);

    CandidateModel* m_model;
    FacetBar* m_facets;
    QTableView* m_table;
    QLabel* m_count;
    KernelDetail* m_detail;
    SftChooser* m_sft;
    QWidget* m_searchStrip;
    QProgressBar* m_searchBar;
    QTimer* m_searchPoll;
    TaskTicket m_searchTask;
    CancelToken m_facetCancel;
    QPointer<SpecialiseDialog> m_specialising;
    JobTracker m_facetJobs{this}, m_exportJobs{this};
    bool m_facetsAgain = false;
    QString m_pendingMatrix, m_pendingRun;
    std::optional<CandidateId> m_pendingSelection; ///< Of the last time, until the programs are there.
    bool m_everLoaded = false;
};

} // namespace sparserl
