// SPDX-License-Identifier: Apache-2.0
// What the window remembers: settings, layouts, what was selected; and what docs/window.md says of its menus.
#include "app/workbench/layout_menu.h"
#include "app/workbench/main_window.h"
#include "app/workbench/settings_dialog.h"
#include "app/workbench/task_panel.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/kernels/scintilla.h"
#include "widgets/matrices/matrices_page.h"
#include "widgets/matrices/matrix_table.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/run_list.h"
#include "widgets/training/run_model.h"
#include "widgets/training/training_page.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QFontComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSet>
#include <QSpinBox>
#include <QSplitter>
#include <QStatusBar>
#include <QStyle>
#include <QStyleOptionButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <cstdlib>

using namespace sparserl;

namespace {

QString plain(QString text)
{
    return text.remove(QLatin1Char('&')).section(QLatin1Char('\t'), 0, 0);
}

void collect(const QMenu* menu, const QString& above, QSet<QString>& into)
{
    const QString here = above.isEmpty() ? plain(menu->title()) : above + u" > " + plain(menu->title());
    for (const QAction* action : menu->actions()) {
        if (action->menu())
            collect(action->menu(), here, into);
        else if (!action->isSeparator())
            into.insert(here + u" > " + plain(action->text()).section(QStringLiteral(": "), 0, 0));
    }
}

} // namespace

class TestSettings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto made = test::makeProject(path());
        QVERIFY2(made, made ? "" : made.error().sentence().c_str());
        m_live = std::move(*made);
    }

    void preferencesComeBackAndNonsenseDoesNot()
    {
        const QString file = m_directory.filePath(QStringLiteral("preferences.ini"));
        Preferences chosen;
        chosen.textPercent = 120;
        chosen.codeFamily = QStringLiteral("DejaVu Sans Mono");
        chosen.codePoints = 14;
        chosen.curves = CurvePalette::HighContrast;
        chosen.device = QStringLiteral("cpu");
        chosen.judgeDevice = QStringLiteral("sim");
        chosen.threads = 3;
        chosen.countInBackground = false;
        chosen.exportFolder = QStringLiteral("/somewhere/else");
        chosen.rememberLayout = false;
        Settings(file).setPreferences(chosen);
        QVERIFY(Settings(file).preferences() == chosen);
        {
            QSettings raw(file, QSettings::IniFormat);
            raw.setValue(QStringLiteral("preferences/textPercent"), 100'000);
            raw.setValue(QStringLiteral("preferences/threads"), QStringLiteral("many"));
            raw.setValue(QStringLiteral("preferences/curves"), QStringLiteral("infrared"));
        }
        QCOMPARE(Settings(file).preferences().textPercent, Preferences::mostTextPercent);
        QCOMPARE(Settings(file).preferences().threads, 0);
        QCOMPARE(Settings(file).preferences().curves, CurvePalette::Standard);
    }

    // By Ctrl+, from any page; each change counts at once, and all are taken back by one button.
    void dialogChangesAtOnce()
    {
        auto window = openWindow(QStringLiteral("dialog.ini"));
        QVERIFY(window);
        QTest::keyClick(window.get(), Qt::Key_Comma, Qt::ControlModifier);
        auto* dialog = window->findChild<SettingsDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        for (const QWidget* field : dialog->findChildren<QWidget*>())
            if (field->focusPolicy() != Qt::NoFocus && field->isVisible() && !field->focusProxy() &&
                (qobject_cast<const QComboBox*>(field) || qobject_cast<const QAbstractSpinBox*>(field)))
                QVERIFY2(!field->accessibleName().isEmpty() || hasBuddy(*dialog, field),
                         field->metaObject()->className());
        const qreal before = QApplication::font().pointSizeF();
        const auto spin = [&](const QString& suffixOrText) {
            for (auto* box : dialog->findChildren<QSpinBox*>())
                if (box->suffix() == suffixOrText)
                    return box;
            return static_cast<QSpinBox*>(nullptr);
        };
        QVERIFY(spin(QStringLiteral(" %")) && spin(QStringLiteral(" pt")));
        spin(QStringLiteral(" %"))->setValue(150);
        QCOMPARE(QApplication::font().pointSizeF(), before * 1.5);
        spin(QStringLiteral(" pt"))->setValue(17);
        auto* theme = dialog->findChild<QComboBox*>(); // the first field
        theme->setCurrentIndex(theme->findText(QStringLiteral("Dark")));
        QVERIFY(Theme::of(window.get()).dark);
        for (auto* box : dialog->findChildren<QCheckBox*>())
            if (box->text().startsWith(QLatin1String("Compute counters")))
                box->setChecked(false);
        QVERIFY(!window->session()->preferences().countInBackground);
        QVERIFY(dialog->grab().save(QStringLiteral("settings.png")));
        dialog->resetToDefaults();
        QCOMPARE(QApplication::font().pointSizeF(), before);
        QVERIFY(window->session()->preferences() == Preferences());
        QVERIFY(!Theme::of(window.get()).dark);
        QVERIFY(!spin(QStringLiteral(" pt"))->value());
        dialog->reject();
        window.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    // The curves of every page take other colours while they are looked at, light and dark; a colour that the
    // user gave a run does not.
    void curvesChangeAtOnce_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void curvesChangeAtOnce()
    {
        QFETCH(bool, dark);
        auto window = openWindow(dark ? QStringLiteral("curves-dark.ini") : QStringLiteral("curves.ini"));
        QVERIFY(window);
        window->showPage(QStringLiteral("evaluation"));
        QTRY_VERIFY_WITH_TIMEOUT(!window->busy(), patience);
        window->showPage(QStringLiteral("kernels"));
        auto* kernels = qobject_cast<KernelsPage*>(window->page(QStringLiteral("kernels")));
        QTRY_VERIFY_WITH_TIMEOUT(!window->busy() && kernels->model()->rowCount() > 5, patience);
        window->showPage(QStringLiteral("training"));
        auto* training = qobject_cast<TrainingPage*>(window->page(QStringLiteral("training")));
        QTRY_VERIFY_WITH_TIMEOUT(!window->busy() && training->model()->rowCount() > 3, patience);
        training->select(QStringLiteral("0002-rl"));
        const auto charts = [&] {
            QList<ChartWidget*> shown;
            for (ChartWidget* chart : window->findChildren<ChartWidget*>())
                if (!chart->data().empty() && chart->width() > 100 && chart->height() > 100)
                    shown.append(chart);
            return shown;
        };
        QTRY_VERIFY_WITH_TIMEOUT(!training->charts()->charts().front()->data().empty(), patience);
        // How many points of a picture have this colour, up to what smooth edges change.
        const auto near = [](const QColor& a, const QColor& b) {
            return qAbs(a.red() - b.red()) + qAbs(a.green() - b.green()) + qAbs(a.blue() - b.blue()) < 30;
        };
        const auto count = [&](const QImage& image, const QColor& colour) {
            int points = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    points += near(image.pixelColor(x, y), colour) ? 1 : 0;
            return points;
        };
        QTest::keyClick(window.get(), Qt::Key_Comma, Qt::ControlModifier);
        auto* dialog = window->findChild<SettingsDialog*>();
        QVERIFY(dialog);
        auto* looks = dialog->findChild<QComboBox*>(); // the first field
        looks->setCurrentIndex(
            looks->findData(static_cast<int>(dark ? ThemeChoice::Dark : ThemeChoice::Light)));
        const auto choose = [&](CurvePalette palette) {
            for (auto* box : dialog->findChildren<QComboBox*>())
                if (const int at = box->findData(nameOf(palette)); at >= 0)
                    box->setCurrentIndex(at);
        };
        for (const CurvePalette palette :
             {CurvePalette::ColourBlind, CurvePalette::HighContrast, CurvePalette::Standard}) {
            choose(palette);
            QCOMPARE(m_settings->preferences().curves, palette);
            const Theme& theme = Theme::of(window.get());
            QCOMPARE(theme.curves, palette);
            QCOMPARE(theme.dark, dark);
            QTRY_VERIFY_WITH_TIMEOUT(charts().size() >= 4, patience);
            for (ChartWidget* chart : charts()) {
                const ChartSeries& series = chart->data().series.last(); // drawn above the others
                if (series.colour < 0 || series.kind == ChartKind::Bars || series.kind == ChartKind::Boxes)
                    continue; // filled with what lies between two colours
                const QImage image = chart->grab().toImage();
                const QString what = chart->data().title + QLatin1Char(' ') + nameOf(palette);
                QVERIFY2(count(image, theme.seriesColour(series.colour)) > 0, qPrintable(what));
            }
            // The dots of the list of runs, too.
            const auto run = training->list()->current();
            QVERIFY(run);
            const QImage list = training->list()->table()->viewport()->grab().toImage();
            QVERIFY2(count(list, theme.seriesColour(runColour(*run))) > 0, qPrintable(nameOf(palette)));
            QVERIFY(window->grab().save(
                QStringLiteral("curves-%1-%2.png")
                    .arg(nameOf(palette), dark ? QStringLiteral("dark") : QStringLiteral("light"))));
        }
        dialog->reject();
        window.reset();
        applyTheme(*qobject_cast<QApplication*>(qApp), ThemeChoice::Light);
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void aChosenColourStays()
    {
        for (const bool dark : {false, true}) {
            const auto themeOf = [&](CurvePalette curves) -> const Theme& {
                return dark ? Theme::darkTheme(curves) : Theme::light(curves);
            };
            const Theme& standard = themeOf(CurvePalette::Standard);
            const Theme& safe = themeOf(CurvePalette::ColourBlind);
            for (int colour = 0; colour < 18; ++colour) {
                const int given = safe.fixedColour(colour);
                QCOMPARE(Theme::withoutPalette(given), colour);
                for (const CurvePalette curves : curvePalettes)
                    QCOMPARE(themeOf(curves).seriesColour(given), safe.seriesColour(colour));
                QVERIFY(given != standard.fixedColour(colour));
            }
            QVERIFY(standard.seriesColour(1) != safe.seriesColour(1)); // what nobody chose follows
        }
        // Numbers of a version to come are some colour.
        QVERIFY(Theme::light().seriesColour(1'000'000'000).isValid());
    }

    // Text grows and shrinks under an open window: nothing is cut off, and all is as before afterwards.
    void textChangesUnderAnOpenWindow()
    {
        auto window = openWindow(QStringLiteral("text.ini"));
        QVERIFY(window);
        const QStringList pages{QStringLiteral("matrices"), QStringLiteral("training"),
                                QStringLiteral("kernels"), QStringLiteral("evaluation")};
        for (const QString& page : pages) {
            window->showPage(page);
            QTRY_VERIFY_WITH_TIMEOUT(!window->busy(), patience);
        }
        auto* training = qobject_cast<TrainingPage*>(window->page(QStringLiteral("training")));
        training->select(QStringLiteral("0002-rl"));
        auto* kernels = qobject_cast<KernelsPage*>(window->page(QStringLiteral("kernels")));
        QTRY_VERIFY_WITH_TIMEOUT(kernels->model()->rowCount() > 5, patience);
        kernels->table()->setCurrentIndex(kernels->model()->index(4, 0));
        QTRY_VERIFY_WITH_TIMEOUT(!window->busy(), patience);
        auto before = measure(*window, pages);
        QTRY_VERIFY2_WITH_TIMEOUT((before = measure(*window, pages)).faults.isEmpty(),
                                  qPrintable(before.faults.join(QLatin1Char('\n'))), patience);

        QTest::keyClick(window.get(), Qt::Key_Comma, Qt::ControlModifier);
        auto* dialog = window->findChild<SettingsDialog*>();
        QVERIFY(dialog);
        for (auto* box : dialog->findChildren<QSpinBox*>()) {
            if (box->suffix() == QStringLiteral(" %"))
                box->setValue(Preferences::mostTextPercent);
            else if (box->suffix() == QStringLiteral(" pt"))
                box->setValue(19);
        }
        QStringList widths;
        for (const QString& page : pages)
            widths += QStringLiteral("%1: %2").arg(page).arg(window->page(page)->minimumSizeHint().width());
        QVERIFY2(window->minimumSizeHint().width() <= 1280, qPrintable(widths.join(QStringLiteral(", "))));
        auto grown = measure(*window, pages, QStringLiteral("text-200"));
        QTRY_VERIFY2_WITH_TIMEOUT(
            (grown = measure(*window, pages, QStringLiteral("text-200"))).faults.isEmpty(),
            qPrintable(grown.faults.join(QLatin1Char('\n'))), patience);
        QVERIFY(before.rows.size() >= 5);
        QVERIFY(grown.rows[QStringLiteral("Profile")] > before.rows[QStringLiteral("Profile")] * 1.4);
        // Another family of code, and back.
        for (auto* box : dialog->findChildren<QCheckBox*>())
            if (box->text().contains(QStringLiteral("ont of code")))
                box->setChecked(true);
        auto* family = dialog->findChild<QFontComboBox*>();
        QVERIFY(family && family->isEnabled());
        family->setCurrentIndex((family->currentIndex() + 1) % std::max(1, family->count()));
        QCOMPARE(codeFont().family().toLower(), family->currentFont().family().toLower());
        auto other = measure(*window, pages);
        QTRY_VERIFY2_WITH_TIMEOUT((other = measure(*window, pages)).faults.isEmpty(),
                                  qPrintable(other.faults.join(QLatin1Char('\n'))), patience);
        dialog->resetToDefaults();
        const auto after = measure(*window, pages);
        QVERIFY2(after.faults.isEmpty(), qPrintable(after.faults.join(QLatin1Char('\n'))));
        for (auto row = before.rows.begin(); row != before.rows.end(); ++row)
            QVERIFY2(std::abs(after.rows.value(row.key(), row.value()) - row.value()) <= 1,
                     qPrintable(QStringLiteral("%1: %2 and %3")
                                    .arg(row.key())
                                    .arg(row.value())
                                    .arg(after.rows.value(row.key()))));
        dialog->reject();
        window.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    // Splitters, tabs, columns and charts, under a name; renamed, deleted, and the deleting taken back.
    void layoutsAreKeptByName()
    {
        auto window = openWindow(QStringLiteral("layouts.ini"));
        QVERIFY(window);
        window->showPage(QStringLiteral("training"));
        auto* training = qobject_cast<TrainingPage*>(window->page(QStringLiteral("training")));
        auto* matrices = qobject_cast<MatricesPage*>(window->page(QStringLiteral("matrices")));
        auto* splitter = window->findChild<QSplitter*>(QStringLiteral("training.across"));
        auto* tabs = training->findChild<QTabWidget*>();
        auto* layouts = window->findChild<LayoutMenu*>();
        QVERIFY(splitter && tabs && layouts);
        QTRY_VERIFY_WITH_TIMEOUT(!window->busy(), patience);
        splitter->setSizes({700, 500});
        const QList<int> wide = splitter->sizes();
        tabs->setCurrentIndex(2);
        training->list()->table()->setColumnHidden(RunTags, false);
        training->charts()->setExtraMetric("grad_norm", true);
        matrices->table()->setColumnHidden(MatrixRows, true);
        window->taskPanel()->show();
        layouts->keep(QStringLiteral("wide & deep/1"));
        splitter->setSizes({400, 800});
        tabs->setCurrentIndex(0);
        training->list()->table()->setColumnHidden(RunTags, true);
        training->charts()->setExtraMetric("grad_norm", false);
        matrices->table()->setColumnHidden(MatrixRows, false);
        window->taskPanel()->hide();
        window->showPage(QStringLiteral("kernels"));
        layouts->keep(QStringLiteral("usual"));
        layouts->fill();
        QSet<QString> lines;
        collect(layouts, {}, lines);
        QVERIFY2(lines.contains(QStringLiteral("Layouts > Delete > Delete “usual”")),
                 qPrintable(QStringList(lines.values()).join(QLatin1Char('\n'))));

        layouts->applyNamed(QStringLiteral("wide & deep/1"));
        QVERIFY(training->isVisible());
        QCOMPARE(splitter->sizes(), wide);
        QCOMPARE(tabs->currentIndex(), 2);
        QVERIFY(!training->list()->table()->isColumnHidden(RunTags));
        QCOMPARE(training->charts()->chosenMetrics(), QStringList(QStringLiteral("grad_norm")));
        QVERIFY(matrices->table()->isColumnHidden(MatrixRows));
        QVERIFY(window->taskPanel()->isVisible());

        layouts->rename(QStringLiteral("wide & deep/1"), QStringLiteral("wide"));
        layouts->rename(QStringLiteral("usual"), QStringLiteral("wide")); // not over another
        QCOMPARE(m_settings->layoutNames(), QStringList({QStringLiteral("usual"), QStringLiteral("wide")}));
        layouts->forget(QStringLiteral("wide"));
        QCOMPARE(m_settings->layoutNames(), QStringList(QStringLiteral("usual")));
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY2_WITH_TIMEOUT(
            window->statusBar()->currentMessage().startsWith(QLatin1String("Undone: deletion of")),
            qPrintable(window->statusBar()->currentMessage()), patience);
        QCOMPARE(m_settings->layoutNames(), QStringList({QStringLiteral("usual"), QStringLiteral("wide")}));
        QVERIFY(!m_settings->layout(QStringLiteral("wide")).isEmpty());
        window.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    // The next start shows what the last one did: page, tab, splitter, run, program and matrix.
    void theNextStartGoesOn()
    {
        const QString file = QStringLiteral("again.ini");
        QList<int> sizes;
        QString program;
        {
            auto window = openWindow(file);
            QVERIFY(window);
            auto* kernels = qobject_cast<KernelsPage*>(window->page(QStringLiteral("kernels")));
            window->showPage(QStringLiteral("kernels"));
            QTRY_VERIFY_WITH_TIMEOUT(!window->busy() && kernels->model()->rowCount() > 5, patience);
            kernels->table()->setCurrentIndex(kernels->model()->index(4, 0));
            program = kernels->selectedKey();
            window->showPage(QStringLiteral("matrices"));
            auto* matrices = qobject_cast<MatricesPage*>(window->page(QStringLiteral("matrices")));
            QTRY_VERIFY_WITH_TIMEOUT(!window->busy() && matrices->model()->rowCount() > 2, patience);
            matrices->table()->setCurrentIndex(matrices->table()->proxy()->index(2, MatrixName));
            m_matrix = matrices->selectedKey();
            window->showPage(QStringLiteral("training"));
            auto* training = qobject_cast<TrainingPage*>(window->page(QStringLiteral("training")));
            QTRY_VERIFY_WITH_TIMEOUT(!window->busy() && training->model()->rowCount() > 3, patience);
            training->select(QStringLiteral("0002-rl"));
            training->findChild<QTabWidget*>()->setCurrentIndex(1);
            auto* splitter = window->findChild<QSplitter*>(QStringLiteral("training.across"));
            splitter->setSizes({620, 580});
            sizes = splitter->sizes();
            QVERIFY(window->close());
        }
        auto window = openWindow(file);
        QVERIFY(window);
        auto* training = qobject_cast<TrainingPage*>(window->page(QStringLiteral("training")));
        QVERIFY(training->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(training->selectedKey(), QStringLiteral("0002-rl"), patience);
        QCOMPARE(training->findChild<QTabWidget*>()->currentIndex(), 1);
        const auto* splitter = window->findChild<QSplitter*>(QStringLiteral("training.across"));
        QTRY_VERIFY2_WITH_TIMEOUT(
            std::abs(splitter->sizes()[0] - sizes[0]) <= 2,
            qPrintable(QStringLiteral("%1 of %2").arg(splitter->sizes()[0]).arg(sizes[0])), 5'000);
        window->showPage(QStringLiteral("matrices"));
        QTRY_COMPARE_WITH_TIMEOUT(window->page(QStringLiteral("matrices"))->selectedKey(), m_matrix,
                                  patience);
        window->showPage(QStringLiteral("kernels"));
        QTRY_COMPARE_WITH_TIMEOUT(window->page(QStringLiteral("kernels"))->selectedKey(), program, patience);
        window.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    // A checkpoint that its run removes while the form is open is replaced by the newest one left, and said.
    void theFormFollowsItsCheckpoint()
    {
        const std::filesystem::path project = m_directory.filePath(QStringLiteral("form")).toStdString();
        const auto row = [&](const char* run, const char* name, std::int64_t step) {
            CheckpointRow one;
            one.runName = run;
            one.name = name;
            one.step = step;
            one.path = project / "runs" / run / "checkpoints" / name;
            one.present = true;
            std::filesystem::create_directories(one.path);
            QFile done(toQString((one.path / "DONE").string()));
            if (!done.open(QIODevice::WriteOnly))
                qFatal("cannot write");
            return one;
        };
        std::vector<CheckpointRow> all{row("0001-sft", "step-000010", 10), row("0001-sft", "step-000020", 20),
                                       row("0001-sft", "step-000030", 30), row("0002-rl", "step-000099", 99)};
        LaunchDialog dialog(all, project, nullptr);
        dialog.setDefaults({{"threads", "3"}, {"judge.device", "sim"}, {"no.such", "1"}});
        dialog.choose("rl", "sparserl-ppo", all[1].path);
        QCOMPARE(std::get<std::int64_t>(dialog.config().parameters.at("threads")), std::int64_t(3));
        QCOMPARE(std::get<std::string>(dialog.config().parameters.at("judge.device")), std::string("sim"));
        dialog.setCheckpoints(all);
        QCOMPARE(dialog.note()->text(), QString());
        all[0].present = false;
        dialog.setCheckpoints(all); // another one
        QCOMPARE(dialog.config().parentCheckpoint, all[1].path.string());
        QCOMPARE(dialog.note()->text(), QString());
        all[1].present = false;
        dialog.setCheckpoints(all);
        QCOMPARE(dialog.config().parentCheckpoint, all[2].path.string());
        QVERIFY2(dialog.note()->text().startsWith(QLatin1String("0001-sft / step-000020 is gone")),
                 qPrintable(dialog.note()->text()));
        // In the last moment, before anybody has heard of it: the form stays and says so.
        const auto later = row("0001-sft", "step-000040", 40);
        all.push_back(later);
        dialog.setCheckpoints(all);
        std::filesystem::remove_all(all[2].path);
        dialog.open();
        dialog.accept();
        QVERIFY(dialog.isVisible());
        QCOMPARE(dialog.config().parentCheckpoint, later.path.string());
        dialog.accept();
        QVERIFY(!dialog.isVisible());
        std::filesystem::remove_all(project / "runs" / "0001-sft");
        dialog.open();
        dialog.accept();
        QVERIFY(dialog.isVisible() && !dialog.problem().isEmpty()); // none is left
    }

    // docs/window.md and docs/comparison.md name places as `Menu > Command`: each is there.
    void documentedPlacesExist()
    {
        QString text;
        for (const char* document : {"window.md", "comparison.md"}) {
            QFile file(QStringLiteral(SPARSERL_SOURCE_DIR "/docs/") + QLatin1String(document));
            QVERIFY2(file.open(QIODevice::ReadOnly), document);
            text += QString::fromUtf8(file.readAll());
        }
        auto window = openWindow(QStringLiteral("docs.ini"));
        QVERIFY(window);
        QSet<QString> places;
        for (int page = 0; page < window->pageCount(); ++page) {
            window->showPage(page);
            for (const QAction* top : window->menuBar()->actions())
                if (top->menu())
                    collect(top->menu(), {}, places);
        }
        static const QRegularExpression place(QStringLiteral("`([A-Z][^`>]+(?: > [^`>]+)+)`"));
        int named = 0;
        for (auto it = place.globalMatch(text); it.hasNext(); ++named) {
            const QString wanted = it.next().captured(1);
            QVERIFY2(places.contains(wanted), qPrintable(wanted));
        }
        QVERIFY2(named > 30, qPrintable(QString::number(named)));
    }

    void cleanup() { QVERIFY(QApplication::topLevelWidgets().isEmpty()); }

private:
    /// How texts fit into what shows them.
    struct Fit
    {
        QStringList faults;      ///< What is cut off, or in another size than all else.
        QMap<QString, int> rows; ///< Heights of the rows of tables, by name.
    };
    static Fit measure(MainWindow& window, const QStringList& pages, const QString& picture = {})
    {
        Fit fit;
        const auto nameOf = [](const QWidget* widget) {
            QString name = QLatin1String(widget->metaObject()->className());
            for (const QWidget* at = widget; at; at = at->parentWidget())
                name += QStringLiteral(" < ") + (at->accessibleName().isEmpty()
                                                     ? QLatin1String(at->metaObject()->className())
                                                     : at->accessibleName());
            return name;
        };
        const auto fault = [&](const QWidget* widget, const QString& text) {
            fit.faults.append(text + QStringLiteral(": ") + nameOf(widget));
        };
        for (const QString& page : pages) {
            window.showPage(page);
            for (auto* tabs : window.page(page)->findChildren<QTabWidget*>()) {
                const int shown = tabs->currentIndex();
                for (int tab = 0; tab < tabs->count(); ++tab) {
                    if (!tabs->isTabEnabled(tab) || !tabs->isTabVisible(tab))
                        continue;
                    tabs->setCurrentIndex(tab);
                    QTest::qWait(20);
                    check(window.page(page), fit, fault);
                }
                tabs->setCurrentIndex(shown);
            }
            QTest::qWait(50);
            check(window.page(page), fit, fault);
            if (!picture.isEmpty() && !window.grab().save(QStringLiteral("%1-%2.png").arg(picture, page)))
                qFatal("cannot write");
        }
        for (const auto* button : window.findChildren<QAbstractButton*>())
            if (button->parentWidget()->accessibleName() == QLatin1String("Pages") &&
                button->width() < button->fontMetrics().horizontalAdvance(button->text()))
                fault(button, button->text() + QStringLiteral(" is cut off"));
        fit.faults.removeDuplicates();
        return fit;
    }
    template <typename Fault>
    static void check(const QWidget* page, Fit& fit, const Fault& fault)
    {
        const qreal text = QApplication::font().pointSizeF(), code = codeFont().pointSizeF();
        for (const QWidget* widget : page->findChildren<QWidget*>()) {
            if (!widget->isVisible())
                continue;
            const int line = widget->fontMetrics().height();
            if (const auto* chart = qobject_cast<const ChartWidget*>(widget)) {
                // In the grid, which scrolls: axes and legend leave room for curves.
                bool inGrid = false;
                for (const QWidget* at = widget; at && !inGrid; at = at->parentWidget())
                    inGrid = qobject_cast<const ChartsPanel*>(at) != nullptr;
                if (inGrid && chart->height() < 12 * line)
                    fault(widget, QStringLiteral("a chart of %1 pixels").arg(chart->height()));
            } else if (const auto* box = qobject_cast<const QCheckBox*>(widget)) {
                QStyleOptionButton option;
                option.initFrom(box);
                const int side =
                    box->style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, box).height();
                if (side < atTextSize(13))
                    fault(widget, QStringLiteral("an indicator of %1 pixels").arg(side));
            } else if (const auto* table = qobject_cast<const QTableView*>(widget)) {
                const int row = table->verticalHeader()->defaultSectionSize();
                fit.rows[table->accessibleName()] = row;
                if (row < line + 4)
                    fault(widget, QStringLiteral("rows of %1 for text of %2").arg(row).arg(line));
            } else if (const auto* tree = qobject_cast<const QTreeView*>(widget)) {
                const QModelIndex first = tree->model() ? tree->model()->index(0, 0) : QModelIndex();
                if (first.isValid() && tree->visualRect(first).height() < line)
                    fault(widget, QStringLiteral("rows of a tree"));
            } else if (const auto* label = qobject_cast<const QLabel*>(widget)) {
                if (!label->text().isEmpty() && label->height() > 0 && label->height() < line - 1)
                    fault(widget, QStringLiteral("text \"%1\" of %2 in %3")
                                      .arg(label->text().left(30))
                                      .arg(line)
                                      .arg(label->height()));
            } else if (qobject_cast<const QAbstractButton*>(widget) ||
                       qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QComboBox*>(widget)) {
                const bool ofBox = qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr;
                if (!ofBox && widget->height() < line) // a box that can be edited is measured itself
                    fault(widget, QStringLiteral("%1 high for text of %2").arg(widget->height()).arg(line));
            } else if (const auto* editor = qobject_cast<const QsciScintilla*>(widget)) {
                const QFont shown = editor->lexer() ? editor->lexer()->font(0) : QFont();
                if (qAbs(shown.pointSizeF() - code) > 0.51 || shown.family() != codeFont().family())
                    fault(widget, QStringLiteral("%1 of %2 pt, not %3")
                                      .arg(shown.family())
                                      .arg(shown.pointSizeF())
                                      .arg(code));
            } else if (const auto* plain = qobject_cast<const QPlainTextEdit*>(widget)) {
                if (qAbs(plain->font().pointSizeF() - code) > 0.01 ||
                    plain->font().family() != codeFont().family())
                    fault(widget, QStringLiteral("%1 of %2 pt, not %3")
                                      .arg(plain->font().family())
                                      .arg(plain->font().pointSizeF())
                                      .arg(code));
            }
            checkSizes(widget, fault);
            checkCut(widget, fault);
            // Small print is so by a factor of what text is by itself.
            const bool hasText =
                qobject_cast<const QLabel*>(widget) || qobject_cast<const QAbstractButton*>(widget) ||
                qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const QLineEdit*>(widget);
            if (hasText && widget->font().pointSizeF() < text * 0.8)
                fault(widget, QStringLiteral("%1 pt").arg(widget->font().pointSizeF()));
        }
    }
    /// What stands beside text grows with it.
    template <typename Fault>
    static void checkSizes(const QWidget* widget, const Fault& fault)
    {
        if (const auto* button = qobject_cast<const QToolButton*>(widget);
            button && !button->icon().isNull() && button->iconSize().height() < besideText(16))
            fault(widget, QStringLiteral("an icon of %1 pixels").arg(button->iconSize().height()));
        if (const auto* bar = qobject_cast<const QScrollBar*>(widget)) {
            const int width = bar->orientation() == Qt::Vertical ? bar->width() : bar->height();
            if (width < besideText(11))
                fault(widget, QStringLiteral("a scroll bar of %1 pixels").arg(width));
        }
    }
    /// Texts that end within a letter. Those that end with an ellipsis, and cells at the edge of a table that
    /// scrolls, are whole.
    template <typename Fault>
    static void checkCut(const QWidget* widget, const Fault& fault)
    {
        const QFontMetrics letters = widget->fontMetrics();
        const auto cut = [&](const QString& text, int needed, int room) {
            if (needed > room)
                fault(widget, QStringLiteral("\"%1\" needs %2 of %3").arg(text).arg(needed).arg(room));
        };
        if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            constexpr int shortened = 40; // letShrink: it ends with an ellipsis
            if (!label->wordWrap() && label->minimumWidth() != shortened &&
                label->textFormat() != Qt::RichText && !label->text().contains(QLatin1Char('<')))
                cut(label->text(),
                    letters.size(Qt::TextSingleLine | Qt::TextShowMnemonic, label->text()).width(),
                    label->width());
        } else if (const auto* tool = qobject_cast<const QToolButton*>(widget)) {
            if (tool->toolButtonStyle() != Qt::ToolButtonIconOnly)
                cut(tool->text(), letters.size(Qt::TextShowMnemonic, tool->text()).width(), tool->width());
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            cut(button->text(), letters.size(Qt::TextShowMnemonic, button->text()).width(), button->width());
        } else if (const auto* tabs = qobject_cast<const QTabWidget*>(widget)) {
            const auto* menu = tabs->findChild<QToolButton*>(QStringLiteral("tabMenu"));
            if (!menu)
                fault(widget, QStringLiteral("tabs without a list of them"));
            else if (!menu->isVisible())
                cut(QStringLiteral("tabs"), tabs->tabBar()->sizeHint().width(), tabs->tabBar()->width());
        } else if (const auto* header = qobject_cast<const QHeaderView*>(widget)) {
            for (int column = 0; header->orientation() == Qt::Horizontal && column < header->count();
                 ++column) {
                const QString title = header->model()->headerData(column, Qt::Horizontal).toString();
                if (!header->isSectionHidden(column) && !title.isEmpty())
                    cut(title, letters.horizontalAdvance(title) + 7, header->sectionSize(column));
            }
        } else if (const auto* table = qobject_cast<const QTableView*>(widget);
                   table && table->textElideMode() == Qt::ElideNone) {
            for (int row = 0; row < table->model()->rowCount(); ++row)
                for (int column = 0; column < table->model()->columnCount(); ++column) {
                    const auto place = table->visualRect(table->model()->index(row, column));
                    const QString text = table->model()->index(row, column).data().toString();
                    for (const QString& word : text.split(QLatin1Char(' ')))
                        cut(word, letters.horizontalAdvance(word) + 8, place.width());
                }
        }
    }
    static bool hasBuddy(const QDialog& dialog, const QWidget* field)
    {
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->buddy() == field)
                return true;
        return false;
    }
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    std::unique_ptr<MainWindow> openWindow(const QString& settings)
    {
        m_settings = std::make_unique<Settings>(m_directory.filePath(settings));
        auto window = std::make_unique<MainWindow>(*m_settings);
        window->setQuietClose(true);
        if (!window->openProject(toQString(path().string())))
            return nullptr;
        window->show();
        return QTest::qWaitForWindowActive(window.get(), test::patience()) ? std::move(window) : nullptr;
    }
    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<Settings> m_settings;
    QString m_matrix;
};

SPARSERL_GUI_TEST_MAIN(TestSettings)
#include "tst_widgets_settings.moc"
