// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QWidget>
#include <map>
#include <optional>

class QBoxLayout;
class QLabel;
class QToolButton;

namespace sparserl {

class BadgeLabel;

/// An action on the displayed program.
enum class KernelAction
{
    Verify,
    Export,
    Star,
    Pin,
    Note,
    Sft,
    Ptx,
    Sass,
    Compare,
    Edit
};

/// The header of a program's page: matrix, verdict, speed-up, facts and failure, and a button per action.
class KernelHeader : public QWidget
{
    Q_OBJECT

public:
    explicit KernelHeader(QWidget* parent = nullptr);
    QToolButton* button(KernelAction action) const { return m_buttons.at(action); }
    /// Shows the user's annotations of the program.
    void showAnnotations(const CandidateRow& candidate);
    void showVerdict(const CandidateRow& candidate, const std::optional<VerdictRecord>& record);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// Shows button labels if there is space, and moves the buttons below the facts if there is none.
    void arrange();
    void addButton(KernelAction action, const QString& icon, const QString& text, const QString& toolTip,
                   bool checkable = false);

    std::map<KernelAction, QToolButton*> m_buttons;
    QLabel *m_title, *m_facts, *m_speedup, *m_failure;
    BadgeLabel* m_badge;
    QBoxLayout *m_second, *m_row;
};

} // namespace sparserl
