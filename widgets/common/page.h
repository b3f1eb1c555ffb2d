// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeySequence>
#include <QStringList>
#include <QWidget>

class QAction;
class QMenu;

namespace sparserl {

class ProjectSession;

/// One page of the window. A hidden page does not refresh: it remembers that it should and does so when
/// shown.
class Page : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual QString title() const = 0;
    virtual QString iconName() const = 0;
    /// Adds the page's actions to its menu.
    virtual void fillMenu(QMenu* menu);

    ProjectSession* session() const { return m_session; }
    /// Null: no project is open.
    void setSession(ProjectSession* session);
    /// What viewStateChanged() told last time for this project; empty: the first time.
    virtual void restoreViewState(const QStringList& state);

Q_SIGNALS:
    void statusMessage(const QString& sentence);
    void problem(const QString& sentence);
    /// Show another page with something selected: a run's, a matrix's or a program's key.
    void navigate(const QString& page, const QString& key);
    /// A choice that is to be there again when this project is opened the next time.
    void viewStateChanged(const QStringList& state);

public Q_SLOTS:
    virtual void select(const QString& key);

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
