// SPDX-License-Identifier: Apache-2.0
#include "tests/widgets/gui_test.h"

#include "tests/drawn_share.h"
#include "tests/patience.h"
#include "widgets/common/format.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QColor>
#include <QDir>
#include <QDirIterator>
#include <QFont>
#include <QImage>
#include <QKeySequence>
#include <QLabel>
#include <QLocale>
#include <QMap>
#include <QMenuBar>
#include <QPointer>
#include <QProcess>
#include <QProcessEnvironment>
#include <QPushButton>
#include <QStandardPaths>
#include <QTabBar>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sparserl::test {

namespace {

std::mutex warningsMutex;
QStringList warnings;
QtMessageHandler previous = nullptr;

void collect(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    const bool noise = message.startsWith(QLatin1String("This plugin does not support ")) ||
                       message.contains(QLatin1String("XDG_RUNTIME_DIR"));
    if ((type == QtWarningMsg || type == QtCriticalMsg) && !noise) {
        const std::lock_guard lock(warningsMutex);
        warnings.append(message);
    }
    previous(type, context, message);
}

} // namespace

void prepareGui(QApplication& application)
{
    guardTexts(application);
    QStandardPaths::setTestModeEnabled(true);
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QCoreApplication::setApplicationVersion(QStringLiteral("test"));
    QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 9));
    // A word that is typed into a list is one, however long the machine takes from letter to letter.
    QApplication::setKeyboardInputInterval(patience());
    applyTheme(application, ThemeChoice::Light);
    previous = qInstallMessageHandler(collect);
}

QStringList takeWarnings()
{
    const std::lock_guard lock(warningsMutex);
    return std::exchange(warnings, {});
}

QStringList sharedKeys(const QWidget& window)
{
    QMap<QString, QStringList> owners;
    const auto add = [&](const QString& text, const QString& where = {}) {
        if (const QKeySequence key = QKeySequence::mnemonic(text); !key.isEmpty())
            owners[where + key.toString()].append(text);
    };
    QList<QPointer<QMenu>> menus; // one that fills itself may delete those within
    for (QMenu* menu : window.findChildren<QMenu*>())
        menus.append(menu);
    for (const QPointer<QMenu>& menu : menus)
        if (menu)
            Q_EMIT menu->aboutToShow();
    const QList<QMenu*> filled = window.findChildren<QMenu*>();
    for (qsizetype i = 0; i < filled.size(); ++i)
        for (const QAction* action : filled[i]->actions())
            if (action->isVisible())
                add(action->text(), QStringLiteral("in menu %1 “%2” ").arg(i).arg(filled[i]->title()));
    for (const QMenuBar* bar : window.findChildren<QMenuBar*>())
        for (const QAction* action : bar->actions())
            if (action->isVisible())
                add(action->text());
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->isVisible() && label->buddy())
            add(label->text());
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
        if (button->isVisible())
            add(button->text());
    for (const QTabBar* bar : window.findChildren<QTabBar*>())
        for (int tab = 0; bar->isVisible() && tab < bar->count(); ++tab)
            add(bar->tabText(tab));
    QStringList shared;
    for (auto it = owners.begin(); it != owners.end(); ++it)
        if (it->size() > 1)
            shared.append(it.key() + QStringLiteral(": ") + it->join(QStringLiteral(", ")));
    return shared;
}

QStringList richLabels(const QWidget& window)
{
    QList<const QLabel*> labels;
    for (const QLabel* label : window.findChildren<QLabel*>())
        labels.append(label);
    if (const auto* itself = qobject_cast<const QLabel*>(&window))
        labels.append(itself);
    QStringList found;
    for (const QLabel* label : labels)
        if (label->testAttribute(Qt::WA_WState_Polished) && label->textFormat() != Qt::PlainText &&
            !label->text().isEmpty() && !label->property("sparserlRichText").toBool())
            found.append(label->text());
    return found;
}

QString touchingButtons(const QWidget& inside)
{
    for (const QPushButton* left : inside.findChildren<QPushButton*>())
        for (const QPushButton* right : inside.findChildren<QPushButton*>()) {
            if (left == right || !left->isVisible() || !right->isVisible() ||
                left->parentWidget() != right->parentWidget())
                continue;
            const QRect here = left->geometry(), there = right->geometry();
            const int between = there.left() - here.right() - 1;
            if (here.top() <= there.bottom() && there.top() <= here.bottom() && there.left() >= here.left() &&
                between < 4)
                return QStringLiteral("%1 pixels between \"%2\" and \"%3\"")
                    .arg(between)
                    .arg(left->text(), right->text());
        }
    return {};
}

QStringList entriesBelow(const std::filesystem::path& folder)
{
    QStringList list;
    for (QDirIterator it(toQString(folder.string()),
                         QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
         it.hasNext();) {
        it.next();
        list << it.filePath();
    }
    list.sort();
    return list;
}

bool picturesAreDark()
{
    return qEnvironmentVariable("SPARSERL_PICTURES_THEME") == QLatin1String("dark");
}

QString pictureKind()
{
    return QStringLiteral("%1-%2x")
        .arg(picturesAreDark() ? QStringLiteral("dark") : QStringLiteral("light"))
        .arg(std::max(1, qEnvironmentVariableIntValue("QT_SCALE_FACTOR")));
}

void addThemesAndScales()
{
    QTest::addColumn<QString>("theme");
    QTest::addColumn<int>("scale");
    QTest::newRow("dark 2x") << QStringLiteral("dark") << 2;
    if (qEnvironmentVariable("SPARSERL_PICTURES") == QLatin1String("all")) {
        QTest::newRow("dark 1x") << QStringLiteral("dark") << 1;
        QTest::newRow("light 2x") << QStringLiteral("light") << 2;
    }
}

QStringList drawnAgain(const QStringList& functions)
{
    const DrawnShare share(static_cast<std::uint64_t>(functions.size()));
    if (share.everything() || qEnvironmentVariable("SPARSERL_PICTURES") == QLatin1String("all"))
        return functions;
    std::vector<std::pair<std::string, std::string>> all;
    for (const QString& function : functions)
        all.emplace_back("one", function.toStdString());
    return {QString::fromStdString(*share.oneOfEach(all).begin())};
}

QString againIn(const QString& theme, int scale, const QStringList& functions)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QString::number(scale));
    environment.insert(QStringLiteral("SPARSERL_PICTURES_THEME"), theme);
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    // By the name that this test was started by: the program may be that of a group of tests.
    process.start(QCoreApplication::arguments().front(), functions);
    if (!process.waitForFinished(patience(300'000)))
        return QStringLiteral("it did not end: ") + QString::fromUtf8(process.readAll());
    return process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0
               ? QString()
               : QStringLiteral("it failed: ") + QString::fromUtf8(process.readAll());
}

QString wrongWithPictures(const QString& folder, const QString& theme, int scale)
{
    const QString here = folder + u'/' + pictureKind(),
                  there = QStringLiteral("%1/%2-%3x").arg(folder, theme).arg(scale);
    const QStringList names = QDir(here).entryList(QDir::Files);
    if (names.isEmpty() || QDir(there).entryList(QDir::Files) != names)
        return there + QStringLiteral(" has other pictures");
    for (const QString& name : names) {
        const QImage one(here + u'/' + name), other(there + u'/' + name);
        // Dialogs and menus are as large as their text and the screen let them be.
        if (one.size() == QSize(1280, 800) && other.size() != one.size() * scale)
            return QStringLiteral("%1 is %2 x %3").arg(name).arg(other.width()).arg(other.height());
        const QColor corner(other.pixel(3, other.height() - 3));
        if ((corner.lightness() < 128) != (theme == u"dark"))
            return name + QStringLiteral(" has another theme");
    }
    return {};
}

} // namespace sparserl::test
