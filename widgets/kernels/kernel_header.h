// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QWidget>
#include <map>
#include <optional>

class QLabel;
class QToolButton;

namespace sparserl {

class BadgeLabel;

/// What can be done with a program that is shown.
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

/// The head of a program's page: its matrix, verdict, speed-up, facts and failure, and a button for each
/// action.
class KernelHeader : public QWidget
{
    Q_OBJECT

public:
    explicit KernelHeader(QWidget* parent = nullptr);
    QToolButton* button(KernelAction action) const { return m_buttons.at(action); }
    /// What the user attached to the program.
    void showAnnotations(const CandidateRow& candidate);
    void showVerdict(const CandidateRow& candidate, const std::optional<VerdictRecord>& record);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Buttons have their names where there is room.
    void nameButtons();
    void addButton(KernelAction action, const QString& icon, const QString& text, const QString& toolTip,
                   bool checkable = false);

    std::map<KernelAction, QToolButton*> m_buttons;
    QLabel *m_title, *m_facts, *m_speedup, *m_failure;
    BadgeLabel* m_badge;
};

} // namespace sparserl
