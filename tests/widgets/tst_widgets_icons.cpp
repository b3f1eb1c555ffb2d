// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/main_window.h"
#include "tests/patience.h"
#include "tests/widgets/every_dialog.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/icons.h"
#include "widgets/common/page.h"
#include "widgets/common/settings.h"

#include <QAbstractButton>
#include <QAction>
#include <QDialog>
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QRegularExpression>
#include <QSet>
#include <QStyle>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>

using namespace sparserl;

namespace {

/// Words of what something is done to, and the small ones, say nothing of what is done.
const QStringList& otherWords()
{
    static const QStringList words =
        QStringLiteral(
            "all and are chart code ctrl every file from its line list matrix others program "
            "run selected shift that the them this with policy project runs programs table into not")
            .split(QLatin1Char(' '));
    return words;
}

QStringList wordsOf(QString text)
{
    static const QRegularExpression between(QStringLiteral("[^a-z]+"));
    QStringList words;
    for (const QString& word : text.remove(QLatin1Char('&')).toLower().split(between, Qt::SkipEmptyParts))
        if (word.size() > 2 && !otherWords().contains(word))
            words.append(word);
    return words;
}

/// "star" and "starred" are one word.
bool saysWord(const QString& text, const QString& word)
{
    const QStringList words = wordsOf(text);
    return std::ranges::any_of(
        words, [&](const QString& other) { return other.startsWith(word) || word.startsWith(other); });
}

/// A word that all of the texts have.
QString commonWord(const QSet<QString>& texts)
{
    const QStringList all(texts.begin(), texts.end());
    for (const QString& word : wordsOf(all.front()))
        if (std::ranges::all_of(all, [&](const QString& text) { return saysWord(text, word); }))
            return word;
    return {};
}

} // namespace

class TestIcons : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneWordOfSeveralTexts()
    {
        QVERIFY(commonWord({QStringLiteral("&Star"), QStringLiteral("Only starred programs")})
                    .startsWith(QLatin1String("star")));
        QCOMPARE(commonWord({QStringLiteral("Next stage…"), QStringLiteral("&New run…")}), QString());
        QCOMPARE(commonWord({QStringLiteral("Find a run"), QStringLiteral("Star this run")}), QString());
    }

    // Whatever has an icon, in every page, menu and dialog: who learned it in one place knows it in all.
    void oneIconHasOneMeaning()
    {
        QVERIFY(test::makeProject(path()));
        {
            Settings settings(m_directory.filePath(QStringLiteral("window.ini")));
            MainWindow window(settings);
            window.setQuietClose(true);
            window.show();
            collect(window); // the page to begin with
            QVERIFY(window.openProject(QString::fromStdString(path().string())));
            for (int i = 0; i < window.pageCount(); ++i) {
                window.showPage(i);
                QTest::qWait(50);
                QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
                for (auto* tabs : window.page(window.pageKey(i))->findChildren<QTabWidget*>())
                    for (int tab = 0; tab < tabs->count(); ++tab)
                        tabs->setCurrentIndex(tab);
                collect(window);
            }
        }
        test::EveryDialog dialogs;
        const Status opened = dialogs.open(path(), m_directory.filePath(QStringLiteral("dialogs.ini")));
        QVERIFY2(opened, opened ? "" : opened.error().sentence().c_str());
        for (const auto& maker : dialogs.list()) {
            const std::unique_ptr<QDialog> dialog(maker.make());
            collect(*dialog);
        }
        dialogs.close();
        QVERIFY2(m_texts.size() > 25, qPrintable(QString::number(m_texts.size())));
        QStringList several;
        for (auto it = m_texts.begin(); it != m_texts.end(); ++it)
            if (commonWord(it.value()).isEmpty())
                several << it.key() + QStringLiteral(": ") +
                               QStringList(it->begin(), it->end()).join(QStringLiteral(" | "));
        QVERIFY2(several.isEmpty(), qPrintable(several.join(QLatin1Char('\n'))));
    }

    // No two icons are one drawing under two names.
    void everyIconHasADrawingOfItsOwn()
    {
        QMap<QByteArray, QString> drawings;
        QDirIterator files(QStringLiteral(":/icons"), {QStringLiteral("*.svg")}, QDir::Files);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray drawing = file.readAll();
            QVERIFY2(!drawings.contains(drawing), qPrintable(file.fileName() + drawings.value(drawing)));
            drawings[drawing] = file.fileName();
        }
        QVERIFY(drawings.size() > 30);
        QCOMPARE(themedIcon(QStringLiteral("plus")).name(), QStringLiteral("plus"));
    }

    // Those of a style are bitmaps for one scale and one theme.
    void messagesHaveIconsOfTheWindow()
    {
        const auto name = [](QStyle::StandardPixmap which) {
            return qApp->style()->standardIcon(which).name();
        };
        QCOMPARE(name(QStyle::SP_MessageBoxQuestion), QStringLiteral("question"));
        QCOMPARE(name(QStyle::SP_MessageBoxInformation), QStringLiteral("info"));
        QCOMPARE(name(QStyle::SP_MessageBoxWarning), QStringLiteral("warning"));
        QCOMPARE(name(QStyle::SP_MessageBoxCritical), QStringLiteral("warning"));
        QMessageBox box(QMessageBox::Question, {}, {});
        QVERIFY(!box.iconPixmap().isNull());
    }

private:
    void add(const QIcon& icon, QStringList texts)
    {
        QString name = icon.name();
        if (name == QLatin1String("star-filled")) // which of the two says whether it is on
            name = QStringLiteral("star");
        texts.removeDuplicates();
        if (QFile::exists(QStringLiteral(":/icons/%1.svg").arg(name))) // not those of the style
            m_texts[name].insert(texts.join(QStringLiteral("; ")));
    }
    void collect(const QWidget& window)
    {
        QList<QPointer<QMenu>> menus; // one that fills itself may delete those within
        for (QMenu* menu : window.findChildren<QMenu*>())
            menus.append(menu);
        for (const QPointer<QMenu>& menu : menus)
            if (menu)
                Q_EMIT menu->aboutToShow();
        for (const QAction* action : window.findChildren<QAction*>())
            add(action->icon(), {action->text(), action->toolTip()});
        for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
            add(button->icon(), {button->text(), button->toolTip()});
    }
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }

    QTemporaryDir m_directory;
    QMap<QString, QSet<QString>> m_texts; ///< By icon, what is written on and about it.
};

SPARSERL_GUI_TEST_MAIN(TestIcons)
#include "tst_widgets_icons.moc"
