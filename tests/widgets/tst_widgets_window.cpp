// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/capabilities_dialog.h"
#include "app/workbench/main_window.h"
#include "app/workbench/status_bar.h"
#include "app/workbench/task_strip.h"
#include "tests/drawn_share.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/panels.h"
#include "widgets/common/screen_fit.h"
#include "widgets/common/session.h"
#include "widgets/common/settings.h"
#include "widgets/common/tasks.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/run_list.h"
#include "widgets/training/training_page.h"

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDialog>
#include <QGraphicsTextItem>
#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QRegularExpression>
#include <QScreen>
#include <QSet>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

using namespace sparserl;

namespace {

// Colours that differ visibly: an empty page has a handful.
int distinctColours(const QImage& image)
{
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, y) & 0xf8f8f8);
    return static_cast<int>(colours.size());
}

/// What of a window needs most of its width or height, to tell why it is too large.
QString largest(const QWidget& window, Qt::Orientation direction)
{
    std::multimap<int, QString, std::greater<>> all;
    const auto extent = [direction](const QSize& size) {
        return direction == Qt::Horizontal ? size.width() : size.height();
    };
    for (const QWidget* widget : window.findChildren<QWidget*>())
        all.emplace(std::max(extent(widget->minimumSize()), extent(widget->minimumSizeHint())),
                    QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') +
                        widget->objectName());
    QStringList said;
    for (auto it = all.begin(); it != all.end() && said.size() < 12; ++it)
        said << QStringLiteral("%1 %2").arg(it->second).arg(it->first);
    return said.join(QStringLiteral(", "));
}

/// Buttons and fields that are seen in part only, or have less room than they need.
QString cutControls(const QWidget& page)
{
    QStringList cut;
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
        const bool control = qobject_cast<const QAbstractButton*>(widget) ||
                             qobject_cast<const QComboBox*>(widget) ||
                             qobject_cast<const QAbstractSpinBox*>(widget);
        if (!control || !widget->isVisible() || !widget->parentWidget()->isVisible())
            continue;
        bool scrolls = false;
        for (const QWidget* up = widget->parentWidget(); up && up != &page; up = up->parentWidget())
            scrolls = scrolls || qobject_cast<const QAbstractScrollArea*>(up) ||
                      qobject_cast<const QAbstractSpinBox*>(up) || qobject_cast<const QTabBar*>(up) ||
                      qobject_cast<const QLineEdit*>(up);
        const int needs = widget->minimumSizeHint().width();
        if (!scrolls && (widget->visibleRegion().boundingRect().width() < widget->width() ||
                         widget->width() < std::min(needs, widget->maximumWidth())))
            cut << QStringLiteral("%1 '%2' %3 of %4")
                       .arg(QLatin1String(widget->metaObject()->className()), widget->accessibleName())
                       .arg(std::min(widget->width(), widget->visibleRegion().boundingRect().width()))
                       .arg(needs);
    }
    return cut.join(QStringLiteral(", "));
}

/// Heads of tables that are too narrow for their title, or for eight letters of a long one, and those that
/// would not end in dots.
QString cutHeads(const QWidget& page)
{
    QStringList cut;
    for (const auto* table : page.findChildren<QTableView*>()) {
        const QHeaderView* header = table->horizontalHeader();
        if (!table->isVisible() || !header->isVisible() || !table->model())
            continue;
        const QFontMetrics letters = header->fontMetrics();
        for (int column = 0; column < header->count(); ++column) {
            const QString title = table->model()->headerData(column, Qt::Horizontal).toString();
            const int needs = std::min(letters.horizontalAdvance(title),
                                       letters.horizontalAdvance(QStringLiteral("nnnnnnnn")));
            if (!table->isColumnHidden(column) && !title.isEmpty() &&
                (header->sectionSize(column) < needs || header->textElideMode() != Qt::ElideRight))
                cut << QStringLiteral("%1: %2 has %3 of %4")
                           .arg(table->accessibleName(), title)
                           .arg(header->sectionSize(column))
                           .arg(needs);
        }
    }
    return cut.join(QStringLiteral(", "));
}

/// Names in legends of charts that end beyond their chart, and texts of one line that end beyond their label.
QString cutTexts(const QWidget& page)
{
    QStringList cut;
    for (const auto* view : page.findChildren<ChartWidget*>()) {
        if (!view->isVisible() || !view->chart()->legend()->isVisible())
            continue;
        for (const QGraphicsItem* item : view->scene()->items())
            if (const auto* name = dynamic_cast<const QGraphicsTextItem*>(item);
                name && view->chart()->legend()->isAncestorOf(name) && name->isVisible() &&
                name->sceneBoundingRect().right() > view->chart()->rect().right())
                cut << QStringLiteral("%1: %2 ends at %3 of %4")
                           .arg(view->data().title, name->toPlainText())
                           .arg(name->sceneBoundingRect().right())
                           .arg(view->chart()->rect().right());
    }
    for (const auto* label : page.findChildren<QLabel*>())
        if (label->isVisible() && label->textFormat() == Qt::RichText && !label->wordWrap() &&
            label->sizeHint().width() > label->width())
            cut << QStringLiteral("'%1' has %2 of %3")
                       .arg(label->text())
                       .arg(label->width())
                       .arg(label->sizeHint().width());
    return cut.join(QStringLiteral(", "));
}

} // namespace

class TestWindow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto made = test::makeProject(projectPath());
        QVERIFY2(made, made ? "" : made.error().sentence().c_str());
        m_live = std::move(*made);
    }

    // The program itself writes its pages, in both themes and both scales: by lot each theme in one of these.
    void screenshots_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("scale");
        const test::DrawnShare share(2);
        const bool all =
            share.everything() || qEnvironmentVariable("SPARSERL_PICTURES") == QLatin1String("all");
        const int scaleOfLight = share.has("light 1x") ? 1 : 2;
        for (const char* theme : {"light", "dark"})
            for (const int scale : {1, 2})
                if (all || (scale == scaleOfLight) == (theme == std::string_view("light")))
                    QTest::addRow("%s %dx", theme, scale) << QString::fromLatin1(theme) << scale;
    }
    void screenshots()
    {
        QFETCH(QString, theme);
        QFETCH(int, scale);
        const QString directory = QStringLiteral("pages/%1-%2x").arg(theme).arg(scale);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QString::number(scale));
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(SPARSERL_BIN_DIR "/sparserl-workbench"),
                      {QString::fromStdString(projectPath().string()), QStringLiteral("--theme"), theme,
                       QStringLiteral("--size"), QStringLiteral("1280x800"), QStringLiteral("--screenshot"),
                       directory, QStringLiteral("--settings"),
                       m_directory.filePath(QStringLiteral("settings.ini"))});
        QVERIFY(process.waitForFinished(test::patience()));
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0, said.constData());
        QVERIFY2(!said.contains("QPainter") && !said.contains("QObject::"), said.constData());
        for (const char* page :
             {"matrices", "training", "training-steering", "training-log", "training-parameters",
              "training-cost", "training-scatter", "kernels", "kernels-findings", "kernels-roofline",
              "kernels-memory", "kernels-tokens", "kernels-relatives", "kernels-log", "kernels-evidence",
              "evaluation", "evaluation-by-non-zeros", "evaluation-comparison", "evaluation-matrices"}) {
            const QImage image(QStringLiteral("%1/%2.png").arg(directory, QLatin1String(page)));
            QCOMPARE(image.size(), QSize(1280, 800) * scale);
            QVERIFY2(distinctColours(image) > 60, page);
            const bool darkCorner = QColor(image.pixel(3, image.height() - 3)).lightness() < 128;
            QCOMPARE(darkCorner, theme == QLatin1String("dark"));
        }
    }

    // A window of 1,024 pixels is enough for every page, and so is a laptop's screen of 720 lines.
    void pagesFitSmallScreens()
    {
        Settings settings(m_directory.filePath(QStringLiteral("small.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
        window.resize(1024, 720);
        window.show();
        int lists = 0;
        QStringList shared; // a key with Alt does one thing
        for (int i = 0; i < window.pageCount(); ++i) {
            window.showPage(i);
            QTest::qWait(100);
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
            QCOMPARE(window.width(), 1024); // no page widens it, not even while it comes up
            for (auto* tabs : window.page(window.pageKey(i))->findChildren<QTabWidget*>()) {
                int seen = 0; // Only a search's programs have a lineage, for example.
                for (int tab = 0; tab < tabs->count(); ++tab) {
                    if (!tabs->isTabVisible(tab))
                        continue;
                    ++seen;
                    tabs->setCurrentIndex(tab);
                    QTest::qWait(20);
                    const QString touching = test::touchingButtons(window);
                    QVERIFY2(touching.isEmpty(), qPrintable(tabs->tabText(tab) + u": " + touching));
                    shared += test::sharedKeys(window);
                }
                // Tabs that do not fit are in a list, by which each is reached.
                const auto* list = tabs->findChild<QToolButton*>(QStringLiteral("tabMenu"));
                QVERIFY(list && list->menu());
                if (!tabs->isVisible())
                    continue;
                QVERIFY(list->isVisible() || tabs->tabBar()->sizeHint().width() <= tabs->tabBar()->width());
                lists += list->isVisible() ? 1 : 0;
                Q_EMIT list->menu()->aboutToShow();
                QCOMPARE(list->menu()->actions().size(), seen);
                list->menu()->actions().constFirst()->trigger();
                QCOMPARE(tabs->currentIndex(), 0);
            }
            shared += test::sharedKeys(window);
            const QSize size = window.page(window.pageKey(i))->minimumSizeHint();
            constexpr int room = 1024 - 88; // beside the bar of pages
            QVERIFY2(size.width() <= room && size.height() <= 640, qPrintable(QStringLiteral("%1: %2 x %3")
                                                                                  .arg(window.pageKey(i))
                                                                                  .arg(size.width())
                                                                                  .arg(size.height())));
        }
        QVERIFY(lists > 0); // those of a program
        shared.removeDuplicates();
        QVERIFY2(shared.isEmpty(), qPrintable(shared.join(u"; ")));
    }

    // A page of the default size shows the names of all its tabs; no arrows hide one of them.
    void tabsAreSeenWhole()
    {
        Settings settings(m_directory.filePath(QStringLiteral("tabs.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
        window.resize(1280, 800);
        window.show();
        int bars = 0;
        for (int i = 0; i < window.pageCount(); ++i) {
            window.showPage(i);
            QTest::qWait(100);
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
            for (auto* bar : window.page(window.pageKey(i))->findChildren<QTabBar*>()) {
                if (!bar->isVisible())
                    continue;
                ++bars;
                const int last = bar->tabRect(bar->count() - 1).right();
                QVERIFY2(last < bar->width(), qPrintable(QStringLiteral("%1: \"%2\" ends at %3 of %4")
                                                             .arg(window.pageKey(i))
                                                             .arg(bar->tabText(bar->count() - 1))
                                                             .arg(last)
                                                             .arg(bar->width())));
            }
        }
        QVERIFY(bars >= 3);
    }

    // The program makes its window before there is a style sheet, which is faster: nothing is laid out in
    // another way for that.
    void styleSheetMayComeLater()
    {
        const auto places = [&](bool later) {
            if (later)
                qApp->setStyleSheet(QString());
            Settings settings(
                m_directory.filePath(later ? QStringLiteral("later.ini") : QStringLiteral("first.ini")));
            MainWindow window(settings);
            window.setQuietClose(true);
            if (!window.openProject(QString::fromStdString(projectPath().string())))
                return QStringList();
            if (later)
                applyStyleSheet(*qApp);
            window.show();
            QStringList all;
            for (int i = 0; i < window.pageCount(); ++i) {
                window.showPage(i);
                QTest::qWait(300);
                if (!QTest::qWaitFor([&] { return !window.busy(); }, test::patience()))
                    return QStringList();
                QTest::qWait(300);
                for (const QWidget* widget : window.findChildren<QWidget*>())
                    if (widget->isVisible() && !widget->size().isEmpty())
                        all << QStringLiteral("%1: %2 '%3' at %4, %5, %6 x %7")
                                   .arg(window.pageKey(i), QLatin1String(widget->metaObject()->className()),
                                        widget->objectName())
                                   .arg(widget->mapTo(&window, QPoint()).x())
                                   .arg(widget->mapTo(&window, QPoint()).y())
                                   .arg(widget->width())
                                   .arg(widget->height());
            }
            return all;
        };
        const QStringList first = places(false), later = places(true);
        QVERIFY(first.size() > 100);
        QStringList moved;
        for (const QString& place : later)
            if (!first.contains(place))
                moved << place;
        QVERIFY2(moved.isEmpty(), qPrintable(moved.join(u'\n')));
    }

    // The size of text that the settings have holds for everything from the first picture on.
    void textSizeHoldsFromTheStart()
    {
        qApp->setStyleSheet(QString()); // as in the program: it comes after the window was made
        Settings settings(m_directory.filePath(QStringLiteral("large.ini")));
        Preferences large;
        large.textPercent = Preferences::mostTextPercent;
        settings.setPreferences(large);
        const double usual = QApplication::font().pointSizeF();
        {
            MainWindow window(settings);
            window.setQuietClose(true);
            QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
            applyStyleSheet(*qApp);
            window.resize(1280, 800);
            window.show();
            QCOMPARE(QApplication::font().pointSizeF(), 2 * usual);
            QStringList small;
            for (int i = 0; i < window.pageCount(); ++i) {
                window.showPage(i);
                QTest::qWait(100);
                QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
                // Several runs have a baseline beside the rest.
                const QString key = window.pageKey(i);
                if (auto* training = qobject_cast<TrainingPage*>(window.page(key))) {
                    training->list()->table()->selectAll();
                    QTRY_VERIFY_WITH_TIMEOUT(training->charts()->curves().runs().size() > 3 &&
                                                 !training->charts()->baselineBox()->isHidden(),
                                             test::patience());
                    QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
                    QTest::qWait(100);
                }
                // Layouts follow their contents a little later.
                QTRY_VERIFY2_WITH_TIMEOUT(cutControls(*window.page(key)).isEmpty(),
                                          qPrintable(key + u": " + cutControls(*window.page(key))),
                                          test::patience());
                QTRY_VERIFY2_WITH_TIMEOUT(cutHeads(*window.page(key)).isEmpty(),
                                          qPrintable(key + u": " + cutHeads(*window.page(key))),
                                          test::patience());
                QTRY_VERIFY2_WITH_TIMEOUT(cutTexts(*window.page(key)).isEmpty(),
                                          qPrintable(key + u": " + cutTexts(*window.page(key))),
                                          test::patience());
                // Beside the bar of pages, 1,280 pixels have room for a page.
                constexpr int room = 1280 - 145;
                const QWidget* page = window.page(key);
                QTRY_VERIFY2_WITH_TIMEOUT(page->minimumSizeHint().width() <= room,
                                          qPrintable(key + u": " + largest(*page, Qt::Horizontal)),
                                          test::patience());
                // With what is said about a program above it, too.
                if (auto* kernels = qobject_cast<KernelsPage*>(window.page(key)))
                    kernels->detail()->findChild<MessageBar*>()->showMessage(
                        MessageBar::Level::Info, QStringLiteral("something about a program ").repeated(5));
                QTRY_VERIFY2_WITH_TIMEOUT(window.minimumSizeHint().height() <= 800,
                                          qPrintable(key + u": " + largest(*page, Qt::Vertical)),
                                          test::patience());
                QVERIFY(window.grab().save(QStringLiteral("text-200-%1.png").arg(window.pageKey(i))));
                for (const QWidget* widget : window.findChildren<QWidget*>())
                    if (widget->isVisible() && widget->font().pointSizeF() < 1.2 * usual)
                        small << QStringLiteral("%1 '%2' %3")
                                     .arg(QLatin1String(widget->metaObject()->className()),
                                          widget->objectName())
                                     .arg(widget->font().pointSizeF());
            }
            QVERIFY2(small.isEmpty(), qPrintable(small.mid(0, 20).join(u'\n')));
        }
        QCOMPARE(QApplication::font().pointSizeF(), usual);
    }

    // A message, what the index does and what the tasks say stand beside each other, however long they are.
    void statusTextsHaveTheirOwnRoom_data()
    {
        QTest::addColumn<int>("percent");
        QTest::addColumn<int>("width");
        QTest::newRow("small window") << 100 << 1024;
        QTest::newRow("large text") << 200 << 1280;
    }
    void statusTextsHaveTheirOwnRoom()
    {
        QFETCH(int, percent);
        QFETCH(int, width);
        Settings settings(m_directory.filePath(QStringLiteral("status.ini")));
        Preferences preferences;
        preferences.textPercent = percent;
        settings.setPreferences(preferences);
        {
            MainWindow window(settings);
            window.setQuietClose(true);
            QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
            window.resize(width, 720);
            window.show();
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
            const QString text =
                QStringLiteral("something that takes more words than there is room for ").repeated(6);
            TaskTicket ticket(window.session()->tasks(), {text, text}, {});
            ticket.say(0.5, text);
            window.statusBar()->showMessage(text);
            auto* strip = window.findChild<TaskStrip*>();
            QVERIFY(strip);
            // As the index does; the label has no name of its own.
            QLabel* indexer = nullptr;
            for (auto* label : window.statusBar()->findChildren<QLabel*>(Qt::FindDirectChildrenOnly))
                indexer = label;
            QVERIFY(indexer);
            indexer->setText(text);
            QTRY_VERIFY_WITH_TIMEOUT(strip->width() > 300, test::patience());
            QTest::qWait(50);
            QCOMPARE(window.width(), width); // no text widens it
            const QRect bar = window.statusBar()->rect();
            QVERIFY(!indexer->geometry().intersects(strip->geometry()));
            QVERIFY(bar.contains(indexer->geometry()) && bar.contains(strip->geometry()));
            const int message = std::min(indexer->x(), strip->x());
            QVERIFY2(message >= width / 5, qPrintable(QString::number(message)));
            saysAllOfAMessage(*qobject_cast<StatusBar*>(window.statusBar()), text, message);
            for (const auto* part : strip->findChildren<QWidget*>())
                if (part->isVisible())
                    QVERIFY(part->visibleRegion().boundingRect().width() == part->width());
        }
    }

private:
    /// Too long a message ends with dots before `end`, as painted, and its tool tip has all of it; a short
    /// one has neither.
    void saysAllOfAMessage(StatusBar& bar, const QString& text, int end)
    {
        const QPoint within(20, bar.height() / 2);
        const auto tip = [&] {
            QToolTip::hideText();
            QHelpEvent help(QEvent::ToolTip, within, bar.mapToGlobal(within));
            QApplication::sendEvent(&bar, &help);
            return QToolTip::text();
        };
        const auto painted = [&] { return bar.grab().toImage().copy(0, 0, end, bar.height()); };
        bar.showMessage(text);
        const QString shown = bar.shownMessage();
        QVERIFY2(shown.endsWith(QChar(0x2026)) && text.startsWith(shown.chopped(1)), qPrintable(shown));
        QVERIFY(shown.size() > 10);
        QVERIFY(bar.fontMetrics().horizontalAdvance(shown) < end);
        QCOMPARE(tip().simplified(), text.simplified());
        const QImage cut = painted();
        bar.showMessage(shown); // fits, and looks the same: the dots are painted
        QCOMPARE(painted(), cut);
        QCOMPARE(bar.shownMessage(), shown);
        QTRY_VERIFY_WITH_TIMEOUT(tip().isEmpty(), test::patience());
        bar.showMessage(text);
    }

private Q_SLOTS:
    // No window and no dialog appears larger than its screen.
    void windowsFitTheirScreen()
    {
        const QMargins frame(4, 32, 4, 4);
        const QRect laptop(0, 0, 1280, 760);
        QCOMPARE(placeOnScreen({100, 100, 800, 600}, laptop, frame), QRect(100, 100, 800, 600));
        QCOMPARE(placeOnScreen({0, 0, 1360, 860}, laptop, frame), QRect(4, 32, 1272, 724));
        QCOMPARE(placeOnScreen({900, 500, 800, 600}, laptop, frame), QRect(476, 156, 800, 600));
        const QRect second(1920, 0, 1024, 768); // beside another one
        QCOMPARE(placeOnScreen({1000, 50, 900, 700}, second, frame), QRect(1924, 50, 900, 700));
        const QSize room = QApplication::primaryScreen()->availableGeometry().size();
        QApplication& application = *static_cast<QApplication*>(qApp);
        QWidget before;
        before.resize(room * 2);
        before.show();
        QCOMPARE(before.size(), room * 2); // as Qt does it
        const auto* kept = keepOnScreen(application);
        QDialog dialog;
        dialog.resize(room * 2);
        dialog.show();
        QVERIFY(dialog.width() <= room.width() && dialog.height() <= room.height());
        QWidget small;
        small.resize(200, 100);
        small.show();
        QCOMPARE(small.size(), QSize(200, 100));
        delete kept;
    }

    /// The program itself, on a screen that is smaller than the window is by default.
    void beginsWithinItsScreen()
    {
        QProcess window;
        window.setProcessChannelMode(QProcess::MergedChannels);
        window.start(QStringLiteral(SPARSERL_BIN_DIR "/sparserl-workbench"),
                     {QString::fromStdString(projectPath().string()), QStringLiteral("--measure-start"),
                      QStringLiteral("--settings"),
                      m_directory.filePath(QStringLiteral("small-screen.ini"))});
        QVERIFY(window.waitForFinished(test::patience()));
        const QString said = QString::fromUtf8(window.readAll());
        const QRegularExpression line(
            QStringLiteral("data shown after \\d+ ms in a window of (\\d+) x (\\d+) pixels"));
        const auto size = line.match(said);
        QVERIFY2(window.exitCode() == 0 && size.hasMatch(), qPrintable(said));
        // This platform's screen, which the program has here, too, is narrower than what the pages need.
        const QSize room = QApplication::primaryScreen()->availableGeometry().size();
        constexpr int usualWidth = 1360, needed = 1024;
        QVERIFY(room.width() < needed && needed < usualWidth);
        QVERIFY2(size.captured(1).toInt() <= needed && size.captured(2).toInt() <= room.height(),
                 qPrintable(said));
    }

    void aboutShowsThisMachine()
    {
        CapabilitiesDialog dialog({}, nullptr);
        dialog.show();
        const auto sentences = [&] {
            QStringList all;
            for (const QLabel* label : dialog.findChildren<QLabel*>())
                all.append(label->text());
            return all.join(QLatin1Char('\n'));
        };
        QTRY_VERIFY_WITH_TIMEOUT(sentences().contains(QLatin1String("NVRTC")), test::patience());
        QVERIFY(dialog.grab().save(QStringLiteral("about.png")));
        dialog.close();
    }

    // Every model of the window, of every page, while its table is sorted by every column and its rows are
    // gone through, with a project and after it was closed.
    void modelsKeepWhatTheyPromise()
    {
        Settings settings(m_directory.filePath(QStringLiteral("models.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        std::map<QAbstractItemModel*, std::unique_ptr<QAbstractItemModelTester>> testers;
        const auto watch = [&] {
            for (auto* model : window.findChildren<QAbstractItemModel*>())
                if (!testers.contains(model))
                    testers[model] = std::make_unique<QAbstractItemModelTester>(
                        model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        };
        watch(); // while they are empty
        const std::size_t atFirst = testers.size();
        QVERIFY2(atFirst >= 8, qPrintable(QString::number(atFirst)));
        QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
        window.show();
        int sorted = 0;
        for (int i = 0; i < window.pageCount(); ++i) {
            window.showPage(i);
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
            watch();
            for (auto* view : window.page(window.pageKey(i))->findChildren<QTableView*>()) {
                if (!view->isVisible() || !view->model() || view->model()->rowCount() == 0)
                    continue;
                for (int column = 0; view->isSortingEnabled() && column < view->model()->columnCount();
                     ++column) {
                    view->sortByColumn(column, Qt::AscendingOrder);
                    view->sortByColumn(column, Qt::DescendingOrder);
                    ++sorted;
                }
                for (int row = 0; row < std::min(5, view->model()->rowCount()); ++row) {
                    view->setCurrentIndex(view->model()->index(row, 0));
                    QTest::qWait(10);
                }
                QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
            }
        }
        QVERIFY2(sorted > 10, qPrintable(QString::number(sorted)));
        QTest::keySequence(&window, QKeySequence(QKeySequence::Close));
        QTRY_VERIFY_WITH_TIMEOUT(!window.session(), test::patience());
        watch();
        QVERIFY(testers.size() >= atFirst);
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void refusesWhatIsNoProject()
    {
        Settings settings(m_directory.filePath(QStringLiteral("other.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        window.show();
        QVERIFY(!window.openProject(m_directory.filePath(QStringLiteral("nowhere"))));
        QVERIFY(!window.session());
        QVERIFY(settings.recentProjects().isEmpty());
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void remembersPageAndProject()
    {
        const QString file = m_directory.filePath(QStringLiteral("remember.ini"));
        {
            Settings settings(file);
            MainWindow window(settings);
            window.setQuietClose(true);
            QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
            QVERIFY(window.showPage(QStringLiteral("kernels")));
            window.show();
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
            window.close();
        }
        Settings settings(file);
        QCOMPARE(settings.page(), QStringLiteral("kernels"));
        QCOMPARE(settings.recentProjects(), QStringList(QString::fromStdString(projectPath().string())));
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    // A run that lives when the window opens is found, and what its worker appends arrives.
    void reattachesToLiveRun()
    {
        Settings settings(m_directory.filePath(QStringLiteral("live.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        window.showPage(QStringLiteral("training"));
        QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
        window.show();
        auto* page = qobject_cast<TrainingPage*>(window.page(QStringLiteral("training")));
        QVERIFY(page);
        const auto run = [&]() -> const RunSummary* {
            return page->model()->row(page->model()->indexOfKey(QStringLiteral("0006-rl")));
        };
        QTRY_VERIFY_WITH_TIMEOUT(run() != nullptr, test::patience());
        QCOMPARE(run()->status, RunStatus::Running);
        const auto samples = run()->samples;
        JournalWriter& journal = m_live.sessions.front()->journal();
        SampleEvent sample;
        sample.programHash = std::string(64, 'a');
        sample.target.name = "poisson2d";
        QVERIFY(journal.append(43, sample));
        QVERIFY(journal.flush());
        QTRY_COMPARE_WITH_TIMEOUT(run()->samples, samples + 1, test::patience());
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void cleanup() { QVERIFY(QApplication::topLevelWidgets().isEmpty()); }

private:
    std::filesystem::path projectPath() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    QTemporaryDir m_directory;
    test::LiveRuns m_live;
};

SPARSERL_GUI_TEST_MAIN(TestWindow)
#include "tst_widgets_window.moc"
