// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QButtonGroup;
class QVBoxLayout;

namespace sparserl {

/// The list of pages at the left edge. Arrow keys move in it; each page has its shortcut Ctrl+1, Ctrl+2, ...
class NavBar : public QWidget
{
    Q_OBJECT

public:
    explicit NavBar(QWidget* parent = nullptr);
    void addPage(const QString& icon, const QString& title);
    /// Marks a page as the current one; -1: none, for example without a project.
    void setCurrent(int index);

Q_SIGNALS:
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QVBoxLayout* m_layout;
    QButtonGroup* m_group;
};

} // namespace sparserl
