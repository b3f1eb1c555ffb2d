// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace sparserl {

/// The bar above SASS: its architecture, and whether control codes are shown.
class SassBar : public QWidget
{
    Q_OBJECT

public:
    explicit SassBar(QWidget* parent = nullptr);
    QString architecture() const; ///< "sm_90"
    /// Ignores architectures that are not in the list.
    void setArchitecture(const QString& architecture);
    bool controlsShown() const;
    void setControlsShown(bool on);

    /// Explains the parts of a control code.
    static QString legend();

Q_SIGNALS:
    void architectureChosen(const QString& architecture);
    void controlsToggled(bool on);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QComboBox* m_architecture;
    QToolButton* m_controls;
};

} // namespace sparserl
