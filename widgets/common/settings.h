// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>

namespace sparserl {

/// Everything the window remembers between starts, with typed access. Projects never depend on it.
class Settings
{
public:
    /// The user's settings file, or `file` (tests).
    explicit Settings(const QString& file = {});

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);

    QStringList recentProjects() const; ///< Newest first, at most 10.
    void addRecentProject(const QString& path);
    void removeRecentProject(const QString& path);

    QByteArray state(const QString& key) const; ///< Window geometry, splitters, headers by object name.
    void setState(const QString& key, const QByteArray& state);
    void resetLayout(); ///< Forgets all states.

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
