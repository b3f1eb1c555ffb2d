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

/// A sentence on how many of the warps that could be resident are, and why not more (VerdictRecord).
QString occupancyText(double occupancy, const std::string& limiter);

/// What costs a program time, a sentence each; choosing one goes to its line.
class FindingsView : public QWidget
{
    Q_OBJECT

public:
    explicit FindingsView(QWidget* parent = nullptr);
    /// Gives how many there are.
    int show(const std::optional<VerdictRecord>& record);
    QListWidget* list() const { return m_list; }

Q_SIGNALS:
    void lineChosen(int line); ///< From 1.

private:
    QListWidget* m_list;
    QLabel* m_note;
};

} // namespace sparserl
