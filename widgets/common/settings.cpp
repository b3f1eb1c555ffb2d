// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/settings.h"

#include <QUrl>

namespace sparserl {

namespace {

// A path has slashes, which part keys.
QString projectKey(const QString& project, const QString& page)
{
    return QStringLiteral("projects/%1/%2").arg(QString::fromLatin1(QUrl::toPercentEncoding(project)), page);
}

constexpr int currentVersion = 1;

QSettings makeStore(const QString& file)
{
    return file.isEmpty() ? QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("sparserl"),
                                      QStringLiteral("workbench"))
                          : QSettings(file, QSettings::IniFormat);
}

} // namespace

Settings::Settings(const QString& file)
    : m_store(makeStore(file))
{
    migrate();
}

void Settings::migrate()
{
    // Version n to n + 1, one step at a time; layouts of another version are dropped, choices are kept.
    const int version = m_store.value(QStringLiteral("version"), currentVersion).toInt();
    if (version != currentVersion)
        resetLayout();
    m_store.setValue(QStringLiteral("version"), currentVersion);
}

ThemeChoice Settings::theme() const
{
    const QString name = m_store.value(QStringLiteral("theme")).toString();
    return name == QLatin1String("light")  ? ThemeChoice::Light
           : name == QLatin1String("dark") ? ThemeChoice::Dark
                                           : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice)
{
    m_store.setValue(QStringLiteral("theme"), choice == ThemeChoice::Light  ? QStringLiteral("light")
                                              : choice == ThemeChoice::Dark ? QStringLiteral("dark")
                                                                            : QStringLiteral("system"));
}

QStringList Settings::recentProjects() const
{
    return m_store.value(QStringLiteral("recentProjects")).toStringList();
}

void Settings::addRecentProject(const QString& path)
{
    QStringList list = recentProjects();
    list.removeAll(path);
    list.prepend(path);
    m_store.setValue(QStringLiteral("recentProjects"), list.mid(0, 10));
}

void Settings::removeRecentProject(const QString& path)
{
    QStringList list = recentProjects();
    list.removeAll(path);
    m_store.setValue(QStringLiteral("recentProjects"), list);
}

QByteArray Settings::state(const QString& key) const
{
    return m_store.value(QStringLiteral("layout/") + key).toByteArray();
}

void Settings::setState(const QString& key, const QByteArray& state)
{
    m_store.setValue(QStringLiteral("layout/") + key, state);
}

void Settings::resetLayout()
{
    m_store.remove(QStringLiteral("layout"));
}

QStringList Settings::projectState(const QString& project, const QString& page) const
{
    return m_store.value(projectKey(project, page)).toStringList();
}

void Settings::setProjectState(const QString& project, const QString& page, const QStringList& state)
{
    m_store.setValue(projectKey(project, page), state);
}

QString Settings::page() const
{
    return m_store.value(QStringLiteral("page")).toString();
}

void Settings::setPage(const QString& page)
{
    m_store.setValue(QStringLiteral("page"), page);
}

} // namespace sparserl
