// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace sparserl {

/// What stands above SASS: whose it is, and whether its control codes are shown.
class SassBar : public QWidget
{
    Q_OBJECT

public:
    explicit SassBar(QWidget* parent = nullptr);
    QString architecture() const; ///< "sm_90"
    /// Nothing happens for one that is not in the list.
    void setArchitecture(const QString& architecture);
    bool controlsShown() const;
    void setControlsShown(bool on);

    /// What the parts of a control code say.
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
