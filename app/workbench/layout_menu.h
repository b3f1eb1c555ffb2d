// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMenu>
#include <QVariantMap>
#include <functional>

class QUndoStack;

namespace sparserl {

class Settings;

/// The window's functions for a layout menu.
struct LayoutHooks
{
    std::function<QVariantMap()> capture;
    std::function<void(const QVariantMap&)> apply;
    std::function<QUndoStack*()> undoStack; ///< The current undo stack; null: nothing can be undone.
    std::function<void(const QString& sentence)> tell;
};

/// The menu of named layouts: applies, saves, renames and deletes them.
class LayoutMenu : public QMenu
{
    Q_OBJECT

public:
    LayoutMenu(Settings& settings, LayoutHooks hooks, QWidget* parent);
    /// Fills the menu from the settings.
    void fill();
    /// Saves the current arrangement, and replaces a layout of this name.
    void keep(const QString& name);
    void rename(const QString& from, const QString& to);
    void forget(const QString& name);
    void applyNamed(const QString& name);

private:
    void askForName(const QString& title, const QString& name,
                    const std::function<void(const QString&)>& done);
    void change(const QString& what, const QMap<QString, QVariantMap>& after);

    QMenu *m_renaming, *m_deleting;
    Settings& m_settings;
    LayoutHooks m_hooks;
};

} // namespace sparserl
