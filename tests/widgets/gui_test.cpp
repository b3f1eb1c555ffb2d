// SPDX-License-Identifier: Apache-2.0
#include "tests/widgets/gui_test.h"

#include "widgets/common/format.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QDir>
#include <QDirIterator>
#include <QFont>
#include <QKeySequence>
#include <QLabel>
#include <QLocale>
#include <QMap>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QStandardPaths>
#include <QTabBar>
#include <atomic>
#include <mutex>

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

} // namespace sparserl::test
