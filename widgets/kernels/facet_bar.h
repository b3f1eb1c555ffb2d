// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QLineEdit;
class QMenu;
class QTimer;
class QToolButton;

namespace sparserl {

/// Narrows the candidates: verdicts as chips with counts, other facets as drop-down lists with counts, text
/// search.
class FacetBar : public QWidget
{
    Q_OBJECT

public:
    explicit FacetBar(QWidget* parent = nullptr);

    const CandidateFilter& filter() const { return m_filter; }
    /// Replaces the filter, as "show this matrix's kernels" does.
    void setFilter(const CandidateFilter& filter);
    void setFacets(const CandidateFacets& facets);
    void focusSearch();
    void clearFilter();

Q_SIGNALS:
    void filterChanged();

private:
    struct Drop
    {
        QToolButton* button;
        QString name;
        std::vector<std::string> CandidateFilter::*values; ///< Null: the runs.
        std::vector<FacetCount> CandidateFacets::*counts;
        bool ordered = false; ///< As they come; else by name.
    };
    void fillChips(std::vector<FacetCount> verdicts);
    void addSearch(QMenu* menu, const QString& name);
    void fillDrop(Drop& drop, std::vector<FacetCount> counts);
    /// The chosen values as texts.
    std::vector<std::string> chosen(const Drop& drop) const;
    void toggle(const Drop& drop, const std::string& value, bool on);
    QString labelOf(const Drop& drop, const FacetCount& facet) const;
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
