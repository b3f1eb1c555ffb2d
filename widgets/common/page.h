// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeySequence>
#include <QStringList>
#include <QWidget>
#include <string>

class QAction;
class QMenu;

namespace sparserl {

class ProjectSession;

/// A place in the window: a page with a selection.
struct Destination
{
    enum class Kind
    {
        Training,        ///< The page Training; with a key, the run of this name.
        Matrix,          ///< The matrix of this name.
        Program,         ///< The program with this hash.
        KernelsOfMatrix, ///< Programs of the matrix with this name, optionally of one run or task.
        KernelsOfRun,    ///< Programs of the run with this name.
        Project          ///< Another project; the key is its path.
    };
    Kind kind = Kind::Training;
    QString key;
    QString run = {};      ///< Name of the run, for kinds that have one in addition to the key.
    std::string task = {}; ///< As in taskWords(), if a matrix has several tasks.

    QString page() const; ///< Object name of its page.
};

/// One page of the window. A hidden page does not refresh until it is shown.
class Page : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual QString title() const = 0;
    virtual QString iconName() const = 0;
    /// The title of its menu, with its shortcut letter.
    virtual QString menuTitle() const = 0;
    /// Adds the page's actions to its menu.
    virtual void fillMenu(QMenu* menu);
    /// Whether an action of fillMenu() is about what is selected on the page, and does nothing if nothing is.
    static bool needsSelection(const QAction* action);
    virtual bool hasSelection() const { return !selectedKey().isEmpty(); }
    /// Whether the page shows what the open project has, and is not reading.
    virtual bool isRead() const { return true; }

    ProjectSession* session() const { return m_session; }
    /// Sets the open project; null: none is open.
    void setSession(ProjectSession* session);
    /// Restores the state that this page last saved for this project with viewStateChanged(); empty the first
    /// time.
    virtual void restoreViewState(const QStringList& state);
    /// The state saved in a named layout: columns, sets of charts, but no filters or selections.
    virtual QStringList layoutState() const { return {}; }
    virtual void applyLayoutState(const QStringList&) {}
    /// The selection for restoreSelection() when this project is opened again; may be empty.
    virtual QString selectedKey() const { return {}; }
    virtual void restoreSelection(const QString& key) { select(key); }

Q_SIGNALS:
    void statusMessage(const QString& sentence);
    void problem(const QString& sentence);
    /// Requests another place.
    void navigate(const Destination& place);
    /// A state to restore when this project is opened again.
    void viewStateChanged(const QStringList& state);

public Q_SLOTS:
    /// Selects the object with this key (the name of a run or a matrix, the hash of a program).
    virtual void select(const QString& key);
    /// Shows a place of this page; by default, calls select() with its key.
    virtual void go(const Destination& place);

protected:
    /// Marks the actions of a menu from position `first` on, and those of submenus: needsSelection().
    static void markSelection(const QMenu* menu, qsizetype first);
    /// The project was opened or closed.
    virtual void sessionChanged() = 0;
    /// The index has changed. Called while the page is visible, or when it becomes visible.
    virtual void refresh() = 0;
    void showEvent(QShowEvent* event) override;

private:
    void scheduleRefresh();

    ProjectSession* m_session = nullptr;
    bool m_stale = false;
};

} // namespace sparserl
