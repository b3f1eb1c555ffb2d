// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/findings.h"

#include <QWidget>
#include <optional>
#include <string>

class QLabel;
class QListWidget;

namespace sparserl {

/// A finding as a sentence.
QString findingText(const Finding& finding, const VerdictRecord& record);

/// A sentence about the occupancy (the share of the possible resident warps that is used) and about the
/// resource that limits it (as in VerdictRecord).
QString occupancyText(double occupancy, const std::string& limiter);

/// The findings about a program's time, one sentence each; selecting one goes to its line.
class FindingsView : public QWidget
{
    Q_OBJECT

public:
    explicit FindingsView(QWidget* parent = nullptr);
    /// Returns the number of findings.
    int show(const std::optional<VerdictRecord>& record);
    QListWidget* list() const { return m_list; }

Q_SIGNALS:
    void lineChosen(int line); ///< From 1.

private:
    QListWidget* m_list;
    QLabel* m_note;
};

} // namespace sparserl
