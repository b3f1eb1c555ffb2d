// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/settings.h"

#include "base/settings_file.h"

#include <QUrl>
#include <algorithm>

namespace sparserl {

namespace {

// A path has slashes, which part keys.
QString projectKey(const QString& project, const QString& page)
{
    return QStringLiteral("projects/%1/%2").arg(QString::fromLatin1(QUrl::toPercentEncoding(project)), page);
}

QString layoutKey(const QString& name)
{
    return QStringLiteral("layouts/%1").arg(QString::fromLatin1(QUrl::toPercentEncoding(name)));
}

constexpr int currentVersion = 2; ///< 2: one map for the arrangement.

/// Which projects somebody opens is nobody else's affair. Qt keeps the mode of a file that is there.
QSettings makeStore(const QString& file)
{
    if (file.isEmpty())
        static_cast<void>(
            preparePrivateFile(userSettingsFolder() / "workbench.ini")); // else Qt says that it cannot write
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

Preferences Settings::preferences() const
{
    const Preferences usual;
    const auto value = [this](const char* key, const auto& otherwise) {
        return m_store.value(QLatin1String("preferences/") + QLatin1String(key), otherwise);
    };
    Preferences now;
    now.textPercent = std::clamp(value("textPercent", usual.textPercent).toInt(),
                                 Preferences::leastTextPercent, Preferences::mostTextPercent);
    now.codeFamily = value("codeFamily", usual.codeFamily).toString();
    now.codePoints = std::clamp(value("codePoints", usual.codePoints).toInt(), 0, 40);
    now.curves = curvePaletteFromName(value("curves", nameOf(usual.curves)).toString());
    now.device = value("device", usual.device).toString();
    now.judgeDevice = value("judgeDevice", usual.judgeDevice).toString();
    now.threads = std::clamp(value("threads", usual.threads).toInt(), Preferences::threadsOfPreset, 1024);
    now.countInBackground = value("countInBackground", usual.countInBackground).toBool();
    now.exportFolder = value("exportFolder", usual.exportFolder).toString();
    now.rememberLayout = value("rememberLayout", usual.rememberLayout).toBool();
    return now;
}

void Settings::setPreferences(const Preferences& preferences)
{
    const auto keep = [this](const char* key, const QVariant& value) {
        m_store.setValue(QLatin1String("preferences/") + QLatin1String(key), value);
    };
    keep("textPercent", preferences.textPercent);
    keep("codeFamily", preferences.codeFamily);
    keep("codePoints", preferences.codePoints);
    keep("curves", nameOf(preferences.curves));
    keep("device", preferences.device);
    keep("judgeDevice", preferences.judgeDevice);
    keep("threads", preferences.threads);
    keep("countInBackground", preferences.countInBackground);
    keep("exportFolder", preferences.exportFolder);
    keep("rememberLayout", preferences.rememberLayout);
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

QByteArray Settings::geometry() const
{
    return m_store.value(QStringLiteral("layout/geometry")).toByteArray();
}

void Settings::setGeometry(const QByteArray& geometry)
{
    m_store.setValue(QStringLiteral("layout/geometry"), geometry);
}

QVariantMap Settings::lastLayout() const
{
    return m_store.value(QStringLiteral("layout/last")).toMap();
}

void Settings::setLastLayout(const QVariantMap& layout)
{
    m_store.setValue(QStringLiteral("layout/last"), layout);
}

QStringList Settings::layoutNames() const
{
    m_store.beginGroup(QStringLiteral("layouts"));
    QStringList names;
    for (const QString& key : m_store.childKeys())
        names.append(QUrl::fromPercentEncoding(key.toLatin1()));
    m_store.endGroup();
    names.sort(Qt::CaseInsensitive);
    return names;
}

QVariantMap Settings::layout(const QString& name) const
{
    return m_store.value(layoutKey(name)).toMap();
}

void Settings::setLayout(const QString& name, const QVariantMap& layout)
{
    if (layout.isEmpty())
        m_store.remove(layoutKey(name));
    else
        m_store.setValue(layoutKey(name), layout);
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
