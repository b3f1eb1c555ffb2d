// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QLineEdit;
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
    using Values = std::vector<std::string> CandidateFilter::*;
    struct Drop
    {
        QToolButton* button;
        QString name;
        Values values;
    };
    void fillChips(const std::vector<FacetCount>& verdicts);
    void fillDrop(Drop& drop, const std::vector<FacetCount>& counts);
    void toggle(Values values, const std::string& value, bool on);
    void updateDropText(const Drop& drop);

    CandidateFilter m_filter;
    QWidget* m_chips;
    QLineEdit* m_search;
    QToolButton *m_starred, *m_clear;
    QCheckBox* m_distinct;
    std::vector<Drop> m_drops;
    QTimer* m_typing;
};

} // namespace sparserl
