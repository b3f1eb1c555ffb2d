// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStatusBar>

namespace sparserl {

/// A status bar that elides a message that is too long, and shows the whole message in a tool tip. Qt's
/// status bar cuts a message at the first permanent widget. Only for bars with permanent widgets.
class StatusBar : public QStatusBar
{
    Q_OBJECT
public:
    using QStatusBar::QStatusBar;
    /// The message as it is painted, elided if it is too long.
    QString shownMessage() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRect messageRoom() const;
};

} // namespace sparserl
