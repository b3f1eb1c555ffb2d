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

/// All programs of all runs with their results and reasons.
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
    bool hasSelection() const override;
    void restoreSelection(const QString& key) override;
    QString iconName() const override { return QStringLiteral("kernels"); }
    void fillMenu(QMenu* menu) override;
    CandidateModel* model() const { return m_model; }
    FacetBar* facets() const { return m_facets; }
    KernelDetail* detail() const { return m_detail; }
    QTableView* table() const { return m_table; }

public Q_SLOTS:
    /// Shows a program by its hash, or the programs of a matrix or a run.
    void go(const Destination& place) override;
    /// Exports the selected programs, or the displayed one.
    void exportSelected();
    /// Adds the selected programs to the SFT set, or removes them.
    void toggleSft();
    /// Lets a policy of the project write programs.
    void writePrograms();
    /// Trains a policy of the project on a few matrices and ranks its programs for them.
    void specialise();
    /// Configures a search and starts it as a run of the project.
    void startSearch();
    /// Shows the programs of the same family for the same matrix, in the order of their creation.
    void showSimilar();
    /// Sorts by a column, best first; a second call reverses the order.
    void orderBy(int column);

protected:
    void projectChanged() override;
    void refresh() override;

private:
    QWidget* makeList();
    QWidget* makeSearchStrip(QWidget* parent);
    /// The digest of the displayed program's matrix, if any.
    std::vector<std::string> shownMatrix() const;
    void askFacets();
    void loaded(CandidateModel::Change change);
    void showCurrent();
    void showSearch();
    void searchCancelled();
    /// The selected programs, at most a thousand; `tooMany` is the message for more.
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
    std::optional<CandidateId> m_pendingSelection; ///< From the last session, until the programs are loaded.
    bool m_everLoaded = false;
};

} // namespace sparserl
