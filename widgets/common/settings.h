// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/preferences.h"
#include "widgets/common/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>
#include <QVariantMap>

namespace sparserl {

/// The window's persistent state, with typed access. Projects never depend on it.
class Settings
{
public:
    /// The user's settings file, or `file` (tests).
    explicit Settings(const QString& file = {});

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);

    /// Invalid values are replaced by defaults.
    Preferences preferences() const;
    void setPreferences(const Preferences& preferences);

    QStringList recentProjects() const; ///< Newest first, at most 10.
    void addRecentProject(const QString& path);
    void removeRecentProject(const QString& path);

    QByteArray geometry() const; ///< Geometry of the window.
    void setGeometry(const QByteArray& geometry);
    QVariantMap lastLayout() const; ///< The last arrangement of the window.
    void setLastLayout(const QVariantMap& layout);
    void resetLayout();              ///< Removes the geometry and the last arrangement.
    QStringList layoutNames() const; ///< Names of the user's layouts, in order.
    QVariantMap layout(const QString& name) const;
    void setLayout(const QString& name, const QVariantMap& layout); ///< An empty layout removes the name.

    /// A page's saved state for one project.
    QStringList projectState(const QString& project, const QString& page) const;
    void setProjectState(const QString& project, const QString& page, const QStringList& state);

    QString page() const;
    void setPage(const QString& page);

private:
    void migrate();
    mutable QSettings m_store;
};

} // namespace sparserl
