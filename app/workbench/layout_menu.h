// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMenu>
#include <QVariantMap>
#include <functional>

class QUndoStack;

namespace sparserl {

class Settings;

/// What a menu of layouts needs of its window.
struct LayoutHooks
{
    std::function<QVariantMap()> capture;
    std::function<void(const QVariantMap&)> apply;
    std::function<QUndoStack*()> undoStack; ///< Null: nothing can be taken back now.
    std::function<void(const QString& sentence)> tell;
};

/// Named layouts: each applies itself; the rest keeps, renames and deletes them.
class LayoutMenu : public QMenu
{
    Q_OBJECT

public:
    LayoutMenu(Settings& settings, LayoutHooks hooks, QWidget* parent);
    /// Its lines, as the settings have them now.
    void fill();
    /// Keeps the arrangement of now; one of this name is replaced.
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
