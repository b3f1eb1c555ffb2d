// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/candidate_facet.h"
#include "project/queries/queries.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QLineEdit;
class QMenu;
class QTimer;
class QToolButton;

namespace sparserl {

/// Filters the candidates: verdicts as chips with counts, other facets as drop-down lists with counts, text
/// search.
class FacetBar : public QWidget
{
    Q_OBJECT

public:
    explicit FacetBar(QWidget* parent = nullptr);

    const CandidateFilter& filter() const { return m_filter; }
    /// Replaces the filter, for example to show a matrix's kernels.
    void setFilter(const CandidateFilter& filter);
    void setFacets(const CandidateFacets& facets);
    void focusSearch();
    void clearFilter();

Q_SIGNALS:
    void filterChanged();

private:
    /// The list of a facet's values.
    struct Drop
    {
        const CandidateFacet* facet;
        QString name;
        QString (*label)(const FacetCount& count); ///< The display text of a value.
        QString (*help)(const FacetCount& count) = nullptr;
        bool ordered = false; ///< Values keep the given order; otherwise they are sorted by name.
        bool seldom = false;  ///< Shown only if there is a choice.
        QToolButton* button = nullptr;
    };
    static std::vector<Drop> drops();
    void fillChips(std::vector<FacetCount> verdicts);
    void addSearch(QMenu* menu, const QString& name);
    void fillDrop(Drop& drop, std::vector<FacetCount> counts);
    void toggle(const Drop& drop, const std::string& value, bool on);
    void updateDropText(const Drop& drop);

    CandidateFilter m_filter;
    QWidget* m_chips;
    QLineEdit* m_search;
    QToolButton *m_starred, *m_pinned, *m_sft, *m_clear;
    QCheckBox* m_distinct;
    std::vector<Drop> m_drops;
    QTimer* m_typing;
};

} // namespace sparserl
