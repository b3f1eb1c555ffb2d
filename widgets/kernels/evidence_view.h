// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QWidget>
#include <optional>
#include <vector>

class QTableWidget;

namespace sparserl {

/// The basis of a result: program, device, inputs, and checks.
class EvidenceView : public QWidget
{
    Q_OBJECT

public:
    explicit EvidenceView(QWidget* parent = nullptr);
    /// `lineage`: the result of ProjectReader::lineage() for a program from a search.
    void show(const CandidateRow& candidate, const std::optional<VerdictRecord>& record,
              bool countedLater = false, const std::vector<LineageRow>& lineage = {});
    QTableWidget* table() const { return m_table; }

private:
    QTableWidget* m_table;
};

} // namespace sparserl
