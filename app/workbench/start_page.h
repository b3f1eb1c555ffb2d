// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QWidget>
#include <utility>
#include <vector>

class QLabel;
class QListWidget;
class QPushButton;
class QVBoxLayout;

namespace sparserl {

/// What the window shows while no project is open: what can be done first, and the projects of before.
class StartPage : public QWidget
{
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);
    /// Newest first. Whether they are still there is looked up when the page is seen, not before.
    void setRecent(const QStringList& projects);

Q_SIGNALS:
    void quickstartWanted();
    void newWanted();
    void openWanted();
    void projectWanted(const QString& path);
    void forgetWanted(const QString& path);

protected:
    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QPushButton* addChoice(QVBoxLayout* column, const QString& icon, const QString& button,
                           const QString& sentence);
    void updateIcons();
    void fill();

    QListWidget* m_recent;
    QPushButton* m_quickstart = nullptr;
    QStringList m_projects;
    QWidget* m_card = nullptr; ///< Around it.
    QLabel *m_heading, *m_hint;
    std::vector<std::pair<QPushButton*, QString>> m_icons;
};

} // namespace sparserl
