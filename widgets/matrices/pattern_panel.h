// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/pattern.h"
#include "matrix/reorder.h"
#include "widgets/common/background.h"

#include <QFrame>
#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QToolButton;

namespace sparserl {

class PatternView;

/// Shows the pattern of a matrix and controls for the picture: shading, zoom, another order beside it with
/// linked zoom, marks for the entries that a policy reads, and export as a file.
class PatternPanel : public QFrame
{
    Q_OBJECT

public:
    explicit PatternPanel(QWidget* parent = nullptr);
    ~PatternPanel() override;

    void setPattern(std::shared_ptr<const MatrixPattern> pattern, const QString& name);
    /// Sets how the newest policy reads a matrix: the number of entries, and whether they come from windows
    /// of whole rows or from anywhere in the matrix.
    void setPolicySight(const QString& policy, int entries, bool windows);
    PatternView* pattern() const { return m_view; }
    PatternView* otherOrder() const { return m_other; } ///< Visible once an order has been chosen.
    QComboBox* orders() const { return m_order; }
    QToolButton* policyButton() const { return m_policyButton; }
    void saveAs(const QString& file);
    QLineEdit* place() const { return m_place; }
    QLabel* readout() const { return m_readout; }
    /// Goes to the place in the field: "row, column".
    void goToPlace();
    /// Moves the keyboard focus into the field.
    void askPlace();

Q_SIGNALS:
    void problem(const QString& sentence);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeBar();
    QWidget* makeViews();
    void askFile();
    void showOrder();
    void showMarks();
    void showReordered(std::shared_ptr<const MatrixPattern> pattern, const ReorderedMatrix& by,
                       const QString& caption);

    std::shared_ptr<const MatrixPattern> m_pattern;
    QString m_name, m_policy;
    int m_entries = 96;
    bool m_windows = true;
    PatternView *m_view, *m_other;
    QComboBox *m_order, *m_shading;
    QToolButton* m_policyButton;
    QLabel* m_heading = nullptr;
    QLineEdit* m_place; ///< "row, column"
    QLabel *m_caption, *m_otherCaption, *m_wait, *m_readout;
    QStackedWidget* m_otherStack;
    QWidget* m_otherSide;
    CancelToken m_cancel;
    JobTracker m_jobs{this};
    std::unique_ptr<BackgroundThread> m_thread; ///< Computes orders; created for the first one.
};

} // namespace sparserl
