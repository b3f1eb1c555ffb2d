// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/common/settings.h"

#include <QMainWindow>
#include <memory>

class QAction;
class QLabel;
class QMenu;
class QStackedWidget;

namespace sparserl {

class LayoutMenu;
class MessageBar;
class NavBar;
class Page;
class ProjectJobTask;
class StartPage;
class TaskPanel;
class TaskStrip;
struct Destination;

/// The main window, which combines the pages for one open project. All other functions are in the pages.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a project. On failure, the previous project stays open, and the reason is shown.
    bool openProject(const QString& path);
    ProjectSession* session() const { return m_session.get(); }

    int pageCount() const { return static_cast<int>(m_pages.size()); }
    QString pageKey(int index) const; ///< "matrices", "training", "kernels", "evaluation"
    void showPage(int index);
    bool showPage(const QString& key);
    Page* page(const QString& key) const;
    /// Whether data are still being loaded.
    bool busy() const;
    /// The last problem that was shown, or empty.
    QString lastProblem() const { return m_lastProblem; }
    ProjectJobTask* job() const { return m_job; }
    TaskPanel* taskPanel() const { return m_taskPanel; }
    TaskStrip* taskStrip() const { return m_taskStrip; }
    /// Sets whether the window closes without a question about live runs (for screenshots and tests).
    void setQuietClose(bool quiet) { m_quietClose = quiet; }

protected:
    void closeEvent(QCloseEvent* event) override;
    bool event(QEvent* event) override;

private:
    void addPage(Page* page);
    void go(const Destination& place);
    void makeMenus();
    void makeEditMenu();
    void makeViewMenu();
    void makeStatusBar();
    void stepBack(bool undo);
    void followUndoStack();
    void fillRecent();
    void closeProject();
    void newProject();
    void chooseProject();
    void tryQuickstart();
    void runJob();
    void showPalette();
    /// Shows a page, waits until it has been read, and does what its menu's command with this path does.
    void runPageCommand(int page, const QStringList& path);
    void sayIfNothingIsSelected(const QAction* action);
    void showAbout();
    void showSettings();
    void applyPreferences();
    void resetLayout();
    void keepSelection();
    LayoutMenu* makeLayoutMenu(QWidget* parent);
    void setTheme(ThemeChoice choice);
    void reportProblem(const QString& sentence);
    void showTrust();
    void askForTrust();
    QString projectPath() const; ///< Path of the open project; empty: none is open.
    void updateTitle();

    Settings& m_settings;
    std::unique_ptr<ProjectSession> m_session;
    NavBar* m_nav;
    MessageBar* m_message;
    MessageBar* m_trust;
    QStackedWidget* m_stack;
    StartPage* m_start;
    ProjectJobTask* m_job;
    TaskPanel* m_taskPanel;
    TaskStrip* m_taskStrip;
    QLabel* m_indexer;
    JobTracker m_names{this}; ///< Reads the names for the command palette.
    QMenu *m_recent = nullptr, *m_pageMenu = nullptr;
    QAction *m_undo = nullptr, *m_redo = nullptr;
    std::vector<Page*> m_pages;
    QList<QAction*> m_themes; ///< In the order of ThemeChoice.
    LayoutMenu* m_layouts = nullptr;
    QVariantMap m_firstLayout; ///< The layout before any change by the user.
    QFont m_desktopFont;
    int m_current = 0;
    QString m_lastProblem;
    bool m_showsJobEnd = false; ///< The message is that of a job that has ended.
    bool m_quietClose = false;
};

} // namespace sparserl
