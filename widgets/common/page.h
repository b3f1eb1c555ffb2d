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

/// A place in the window: a page with something of it selected.
struct Destination
{
    enum class Kind
    {
        Training,        ///< The page; a run by its name, if the key is not empty.
        Matrix,          ///< By its name.
        Program,         ///< By its hash.
        KernelsOfMatrix, ///< Those of the matrix of this name, of one run or task if it is said.
        KernelsOfRun,    ///< Those of the run of this name.
        Project          ///< Another project, by its path.
    };
    Kind kind = Kind::Training;
    QString key;
    QString run = {};      ///< A run's name, where the kind has one beside its key.
    std::string task = {}; ///< As taskWords() has it, where a matrix has several.

    QString page() const; ///< The object name of its page.
};

/// One page of the window. A hidden page does not refresh: it remembers that it should and does so when
/// shown.
class Page : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual QString title() const = 0;
    virtual QString iconName() const = 0;
    /// The title of its menu, with the letter that opens it.
    virtual QString menuTitle() const = 0;
    /// Adds the page's actions to its menu.
    virtual void fillMenu(QMenu* menu);

    ProjectSession* session() const { return m_session; }
    /// Null: no project is open.
    void setSession(ProjectSession* session);
    /// What viewStateChanged() told last time for this project; empty: the first time.
    virtual void restoreViewState(const QStringList& state);
    /// What a named layout keeps of it: columns, sets of charts; never filters or what is selected.
    virtual QStringList layoutState() const { return {}; }
    virtual void applyLayoutState(const QStringList&) {}
    /// What is selected, for restoreSelection() when this project is opened the next time; may be empty.
    virtual QString selectedKey() const { return {}; }
    virtual void restoreSelection(const QString& key) { select(key); }

Q_SIGNALS:
    void statusMessage(const QString& sentence);
    void problem(const QString& sentence);
    /// Show another place.
    void navigate(const Destination& place);
    /// A choice that is to be there again when this project is opened the next time.
    void viewStateChanged(const QStringList& state);

public Q_SLOTS:
    /// Selects what has this key (a run's, a matrix's name, a program's hash).
    virtual void select(const QString& key);
    /// Shows a place of this page; select() of its key unless the page knows better.
    virtual void go(const Destination& place);

protected:
    /// The project was opened or closed.
    virtual void sessionChanged() = 0;
    /// The index changed while (or before) the page is visible.
    virtual void refresh() = 0;
    void showEvent(QShowEvent* event) override;

private:
    void scheduleRefresh();

    ProjectSession* m_session = nullptr;
    bool m_stale = false;
};

} // namespace sparserl
