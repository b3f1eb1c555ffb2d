// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QWidget>
#include <optional>
#include <vector>

class QTableWidget;

namespace sparserl {

/// Everything a number rests on: what was run, where, with which inputs, and how it was checked.
class EvidenceView : public QWidget
{
    Q_OBJECT

public:
    explicit EvidenceView(QWidget* parent = nullptr);
    /// `lineage`: of a search's program, as ProjectReader::lineage() has it.
    void show(const CandidateRow& candidate, const std::optional<VerdictRecord>& record,
              bool countedLater = false, const std::vector<LineageRow>& lineage = {});
    QTableWidget* table() const { return m_table; }

private:
    QTableWidget* m_table;
};

} // namespace sparserl
