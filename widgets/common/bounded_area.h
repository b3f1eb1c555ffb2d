// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>

namespace sparserl {

/// Shows a widget whose height depends on its width, as high as it needs. What would be higher than the given
/// share of the screen scrolls instead of pushing its neighbours away.
class BoundedArea : public QScrollArea
{
public:
    /// `share`: of the height of the screen, from 0 to 1. Takes ownership of `content`.
    BoundedArea(QWidget* content, double share, QWidget* parent);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
    double m_share;
};

} // namespace sparserl
