// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/preferences.h"
#include "widgets/common/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>
#include <QVariantMap>

namespace sparserl {

/// Everything the window remembers between starts, with typed access. Projects never depend on it.
class Settings
{
public:
    /// The user's settings file, or `file` (tests).
    explicit Settings(const QString& file = {});

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);

    /// What stands there and cannot be is the default.
    Preferences preferences() const;
    void setPreferences(const Preferences& preferences);

    QStringList recentProjects() const; ///< Newest first, at most 10.
    void addRecentProject(const QString& path);
    void removeRecentProject(const QString& path);

    QByteArray geometry() const; ///< Of the window.
    void setGeometry(const QByteArray& geometry);
    QVariantMap lastLayout() const; ///< How the window was arranged last.
    void setLastLayout(const QVariantMap& layout);
    void resetLayout();              ///< Forgets both.
    QStringList layoutNames() const; ///< Those that the user keeps, in order.
    QVariantMap layout(const QString& name) const;
    void setLayout(const QString& name, const QVariantMap& layout); ///< An empty one is forgotten.

    /// What a page remembers of one project.
    QStringList projectState(const QString& project, const QString& page) const;
    void setProjectState(const QString& project, const QString& page, const QStringList& state);

    QString page() const;
    void setPage(const QString& page);

private:
    void migrate();
    mutable QSettings m_store;
};

} // namespace sparserl
