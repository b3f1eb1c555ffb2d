// SPDX-License-Identifier: Apache-2.0
// Every dialog that a command of the window opens, and the states of pages that no tab shows: pictures to be
// looked at, in both themes, at one and at two pixels a point. The pages and their tabs are in
// tst_widgets_window. Pictures are in the folder "pictures" where the test runs; SPARSERL_PICTURES=all takes
// them in the other themes and scales, too.
#include "app/workbench/main_window.h"
#include "app/workbench/task_strip.h"
#include "base/files.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/candidate_model.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/matrices/matrices_page.h"
#include "widgets/matrices/matrix_import.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/training_page.h"

#include <QAction>
#include <QDialog>
#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <functional>
#include <memory>

using namespace sparserl;

namespace {

/// Milliseconds in which a dialog has filled itself and coloured its text: people look at pictures, the test
/// does not.
const int filled = qEnvironmentVariableIsSet("SPARSERL_PICTURES") ? 400 : 60;

/// Grabs the dialogs that come up and closes them again, those that wait within the call that opened them,
/// too.
class DialogWatch : public QObject
{
public:
    DialogWatch(MainWindow& window, const QString& directory)
        : m_window(window)
        , m_directory(directory)
    {
        connect(&m_poll, &QTimer::timeout, this, &DialogWatch::look);
        m_poll.start(20);
    }

    /// Opens one dialog and takes its picture. False: none came.
    bool picture(const QString& name, const std::function<void()>& open)
    {
        m_name = name;
        const qsizetype before = m_taken;
        open();
        return QTest::qWaitFor([&] { return m_taken > before && !front(); }, patience / 6);
    }

    QSet<QString> classes; ///< Of all that came up.
    QStringList wrong;

private:
    static QWidget* front()
    {
        if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget()))
            return menu; // of columns, for example
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (auto* dialog = qobject_cast<QDialog*>(widget); dialog && dialog->isVisible())
                return dialog;
        return nullptr;
    }

    void look()
    {
        QWidget* dialog = front();
        if (dialog != m_seen) {
            m_seen = dialog;
            m_since.start();
        }
        if (!dialog || m_window.busy() || m_since.elapsed() < filled)
            return;
        classes.insert(QLatin1String(dialog->metaObject()->className()));
        ++m_taken;
        m_seen = nullptr;
        if (!qobject_cast<QFileDialog*>(dialog)) { // that of Qt, or of the desktop
            const QPixmap picture = dialog->grab();
            if (!picture.save(QStringLiteral("%1/%2.png").arg(m_directory, m_name)))
                wrong << m_name + QStringLiteral(" could not be saved");
            if (dialog->width() > 1280 || dialog->height() > 800)
                wrong << m_name + QStringLiteral(" is larger than a small screen");
            const QImage image = picture.toImage();
            const QColor corner(image.pixel(3, image.height() - 3));
            if ((corner.lightness() < 128) != test::picturesAreDark())
                wrong << m_name + QStringLiteral(" has the other theme");
        }
        if (auto* asks = qobject_cast<QDialog*>(dialog))
            asks->reject();
        else
            dialog->close();
    }

    MainWindow& m_window;
    QString m_directory, m_name;
    QTimer m_poll;
    QWidget* m_seen = nullptr;
    QElapsedTimer m_since;
    qsizetype m_taken = 0;
};

/// Nothing is on its way to the window, not for a moment only.
bool settled(const MainWindow& window)
{
    int quiet = 0;
    return QTest::qWaitFor([&] { return (quiet = window.busy() ? 0 : quiet + 1) > 10; }, patience);
}

QString plain(const QAction* action)
{
    return action->text().remove(QLatin1Char('&'));
}

QString fileName(const QString& text)
{
    static const QRegularExpression between(QStringLiteral("[^a-z0-9]+"));
    return text.toLower()
        .replace(between, QStringLiteral("-"))
        .remove(QRegularExpression(QStringLiteral("-$")));
}

/// Commands that ask for something before they do it.
QList<QAction*> asking(const QMenu* menu)
{
    QList<QAction*> all;
    for (QAction* action : menu->actions()) {
        if (action->menu())
            all += asking(action->menu());
        else if (action->isEnabled() && action->isVisible() && action->text().endsWith(QChar(0x2026)))
            all += action;
    }
    return all;
}

} // namespace

class TestPictures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto made = test::makeProject(projectPath());
        QVERIFY2(made, made ? "" : made.error().sentence().c_str());
        m_live = std::move(*made);
        m_pictures = QStringLiteral("pictures/") + test::pictureKind();
        QVERIFY(QDir(m_pictures).removeRecursively() && QDir().mkpath(m_pictures));
        qputenv("PATH", QByteArray(SPARSERL_BIN_DIR ":") + qgetenv("PATH"));
        m_settings = std::make_unique<Settings>(m_directory.filePath(QStringLiteral("settings.ini")));
        m_settings->setTheme(test::picturesAreDark() ? ThemeChoice::Dark : ThemeChoice::Light);
        applyTheme(*qApp, m_settings->theme());
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->setQuietClose(true);
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get(), patience));
        take("start");
        QVERIFY(m_window->openProject(toQString(projectPath().string())));
        QVERIFY(settled(*m_window));
    }

    void everyDialog()
    {
        DialogWatch watch(*m_window, m_pictures);
        QStringList silent;
        QSet<QString> done;
        for (int page = 0; page < m_window->pageCount(); ++page) {
            m_window->showPage(page);
            QVERIFY(settled(*m_window));
            if (m_window->pageKey(page) == QLatin1String("kernels"))
                QVERIFY(chooseCorrect());
            for (const QAction* entry : m_window->menuBar()->actions()) {
                if (!entry->menu())
                    continue;
                Q_EMIT entry->menu()->aboutToShow();
                for (QAction* action : asking(entry->menu())) {
                    const QString text = plain(entry) + QLatin1Char(' ') + plain(action);
                    if (done.contains(text))
                        continue;
                    done.insert(text);
                    if (!watch.picture(QStringLiteral("dialog-") + fileName(text),
                                       [action] { action->trigger(); }))
                        silent << text;
                }
            }
        }
        // What opens none asks within its page.
        silent.removeAll(QStringLiteral("Matrices Go to row and column…"));
        QVERIFY2(silent.isEmpty(), qPrintable(silent.join(QStringLiteral("; "))));
        QVERIFY2(done.size() > 25, qPrintable(QString::number(done.size())));

        // What comes without a command of the menu.
        auto* matrices = qobject_cast<MatricesPage*>(m_window->page(QStringLiteral("matrices")));
        const QString bad = m_directory.filePath(QStringLiteral("bad.mtx"));
        QVERIFY(writeFileAtomic(bad.toStdString(),
                                "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 "
                                "1.5\n9 2 -2\n"));
        m_window->showPage(QStringLiteral("matrices"));
        QVERIFY(watch.picture(QStringLiteral("dialog-import-report"), [&] {
            matrices->importer()->start({bad}, ImportSplit::Train);
            if (QTest::qWaitFor([&] { return !matrices->importer()->problems().isEmpty(); }, patience))
                for (auto* button : matrices->importer()->findChildren<QAbstractButton*>())
                    if (button->isVisible() && button->text().endsWith(QChar(0x2026)))
                        button->click();
        }));
        m_window->setQuietClose(false);
        QVERIFY(watch.picture(QStringLiteral("dialog-quit-while-training"), [&] { m_window->close(); }));
        m_window->setQuietClose(true);
        QVERIFY(m_window->isVisible()); // it was cancelled
        somebodyElsesProject(watch);

        // No class of dialogs is left out.
        QStringList missed;
        static const QRegularExpression declared(QStringLiteral("class (\\w+) : public QDialog"));
        for (const char* folder : {"/widgets", "/app/workbench"}) {
            QDirIterator files(QStringLiteral(SPARSERL_SOURCE_DIR) + QLatin1String(folder),
                               {QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                const auto match = declared.match(QString::fromUtf8(file.readAll()));
                if (match.hasMatch() &&
                    !watch.classes.contains(QStringLiteral("sparserl::") + match.captured(1)))
                    missed << match.captured(1);
            }
        }
        QVERIFY2(missed.isEmpty(), qPrintable(missed.join(QStringLiteral(", "))));
        QVERIFY2(watch.wrong.isEmpty(), qPrintable(watch.wrong.join(QStringLiteral("; "))));
    }

    /// What pages look like while something is going on.
    void everyState()
    {
        m_window->showPage(QStringLiteral("training"));
        QVERIFY(settled(*m_window));
        auto* training = qobject_cast<TrainingPage*>(m_window->page(QStringLiteral("training")));
        QTest::keyClick(training->charts()->charts().front(), Qt::Key_Return);
        QVERIFY(settled(*m_window));
        take("training-enlarged");
        QTest::keyClick(training->charts()->charts().front(), Qt::Key_Escape);
        m_window->taskStrip()->button()->click();
        QVERIFY(settled(*m_window));
        take("tasks");
        m_window->taskStrip()->button()->click();
        m_window->showPage(QStringLiteral("kernels"));
        QVERIFY(settled(*m_window));
        QVERIFY(chooseCorrect());
        QVERIFY(trigger("Compare with this, or stop comparing"));
        QVERIFY(chooseCorrect()); // another one
        QVERIFY(trigger("Show the PTX"));
        const auto compared = [this] { // until then a label says that it is being built
            for (const auto* label : m_window->page(QStringLiteral("kernels"))->findChildren<QLabel*>())
                if (label->isVisible() && label->text().startsWith(QLatin1String("Difference")))
                    return true;
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(compared(), patience);
        QVERIFY(settled(*m_window));
        take("kernels-compare-ptx");
        QVERIFY(trigger("Find in the code"));
        take("kernels-find");
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void otherThemesAndScales_data() { test::addThemesAndScales(); }
    void otherThemesAndScales()
    {
        QFETCH(QString, theme);
        QFETCH(int, scale);
        if (test::drawnAgain({QStringLiteral("pictures"), QStringLiteral("journey"), QStringLiteral("mouse")})
                .front() != QLatin1String("pictures"))
            QSKIP("the dark theme is drawn for other pictures");
        const QString failed =
            test::againIn(theme, scale, {QStringLiteral("everyDialog"), QStringLiteral("everyState")});
        QVERIFY2(failed.isEmpty(), qPrintable(failed));
        const QString wrong = test::wrongWithPictures(QStringLiteral("pictures"), theme, scale);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void cleanupTestCase()
    {
        m_window.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

private:
    std::filesystem::path projectPath() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }

    void somebodyElsesProject(DialogWatch& watch)
    {
        const auto sent = std::filesystem::path(m_directory.path().toStdString()) / "sent";
        std::filesystem::copy(projectPath(), sent, std::filesystem::copy_options::recursive);
        const QByteArray trust = qgetenv("SPARSERL_TRUST");
        qunsetenv("SPARSERL_TRUST");
        MainWindow other(*m_settings);
        other.setQuietClose(true);
        other.resize(1280, 800);
        other.show();
        QVERIFY(other.openProject(toQString(sent.string())));
        QVERIFY(settled(other));
        QVERIFY(other.grab().save(m_pictures + QStringLiteral("/untrusted.png")));
        QVERIFY(watch.picture(QStringLiteral("dialog-trust"), [&] {
            for (auto* button : other.findChildren<QPushButton*>())
                if (button->isVisible() && button->text().startsWith(QLatin1String("What trusting")))
                    button->click();
        }));
        qputenv("SPARSERL_TRUST", trust);
    }

    void take(const char* name) const
    {
        const QString file = QStringLiteral("%1/%2.png").arg(m_pictures, QLatin1String(name));
        QVERIFY(m_window->grab().save(file));
        QCOMPARE(m_window->size(), QSize(1280, 800));
    }

    /// The next program of the list that is correct.
    bool chooseCorrect() const
    {
        auto* page = qobject_cast<KernelsPage*>(m_window->page(QStringLiteral("kernels")));
        QTableView* table = page->table();
        for (int row = table->currentIndex().row() + 1; row < page->model()->rowCount(); ++row) {
            const CandidateRow* program = page->model()->row(page->model()->index(row, 0));
            if (!program || program->verdict != Verdict::Correct)
                continue;
            table->setCurrentIndex(page->model()->index(row, 0));
            return settled(*m_window);
        }
        return false;
    }

    bool trigger(const char* text) const
    {
        for (const QAction* entry : m_window->menuBar()->actions())
            for (QAction* action : entry->menu() ? entry->menu()->actions() : QList<QAction*>())
                if (plain(action) == QLatin1String(text) && action->isEnabled()) {
                    action->trigger();
                    return settled(*m_window);
                }
        return false;
    }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    QString m_pictures;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

SPARSERL_GUI_TEST_MAIN(TestPictures)
#include "tst_widgets_pictures.moc"
