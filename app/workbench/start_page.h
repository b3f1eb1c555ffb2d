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

/// The page that the window shows while no project is open: ways to start, and the recent projects.
class StartPage : public QWidget
{
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);
    /// Sets the recent projects, newest first. The page checks whether they still exist when it becomes
    /// visible, not earlier.
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
    QWidget* m_card = nullptr; ///< The panel around the list of recent projects.
    QLabel *m_heading, *m_hint;
    std::vector<std::pair<QPushButton*, QString>> m_icons;
};

} // namespace sparserl
