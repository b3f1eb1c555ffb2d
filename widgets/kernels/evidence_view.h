// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"

#include <QWidget>
#include <optional>

class QTableWidget;

namespace sparserl {

/// Everything a number rests on: what was run, where, with which inputs, and how it was checked.
class EvidenceView : public QWidget
{
    Q_OBJECT

public:
    explicit EvidenceView(QWidget* parent = nullptr);
    void show(const CandidateRow& candidate, const std::optional<VerdictRecord>& record,
              bool countedLater = false);
    QTableWidget* table() const { return m_table; }

private:
    QTableWidget* m_table;
};

} // namespace sparserl
