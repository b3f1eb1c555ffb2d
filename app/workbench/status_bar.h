// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStatusBar>

namespace sparserl {

/// A status bar that ends a message with dots where there is no room for all of it, and tells the whole
/// message in a tool tip; Qt's own cuts it at the first permanent widget. For bars with permanent widgets
/// only.
class StatusBar : public QStatusBar
{
    Q_OBJECT
public:
    using QStatusBar::QStatusBar;
    /// The message as it is painted, with dots at its end if it is too long.
    QString shownMessage() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRect messageRoom() const;
};

} // namespace sparserl
