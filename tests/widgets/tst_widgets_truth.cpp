// SPDX-License-Identifier: Apache-2.0
// What is shown is so: nothing of one thing stands under the name of another, nothing asked for is dropped,
// and a window that shows something finished rests.
#include "app/workbench/main_window.h"
#include "base/files.h"
#include "project/files/annotations.h"
#include "project/index/index.h"
#include "project/run/control.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/chart_curves.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/panels.h"
#include "widgets/common/problem_book.h"
#include "widgets/matrices/matrices_page.h"
#include "widgets/matrices/matrix_detail.h"
#include "widgets/matrices/matrix_import.h"
#include "widgets/matrices/matrix_table.h"
#include "widgets/matrices/pattern_view.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/steer_panel.h"
#include "widgets/training/training_page.h"

#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPointer>
#include <QPushButton>
#include <QScopeGuard>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <utility>

using namespace sparserl;

namespace {

/// Keeps the pen of every curve that is painted.
class PenRecorder : public QPaintEngine, public QPaintDevice
{
public:
    PenRecorder()
        : QPaintEngine(QPaintEngine::AllFeatures)
    {
    }
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    Type type() const override { return QPaintEngine::User; }
    void updateState(const QPaintEngineState& changed) override
    {
        if (changed.state() & DirtyPen)
            m_pen = changed.pen();
    }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int count, PolygonDrawMode mode) override
    {
        if (mode == PolylineMode && count > 10) // Neither grid nor axes.
            pens.push_back(m_pen);
    }
    QPaintEngine* paintEngine() const override { return const_cast<PenRecorder*>(this); }
    int metric(PaintDeviceMetric metric) const override
    {
        switch (metric) {
        case PdmWidth:
            return 800;
        case PdmHeight:
            return 400;
        case PdmDpiX:
        case PdmDpiY:
        case PdmPhysicalDpiX:
        case PdmPhysicalDpiY:
            return 96;
        case PdmDepth:
            return 32;
        case PdmDevicePixelRatio:
            return 1;
        case PdmDevicePixelRatioScaled:
            return static_cast<int>(devicePixelRatioFScale());
        default:
            return 256;
        }
    }

    std::vector<QPen> pens;

private:
    QPen m_pen;
};

QString visibleText(const QWidget& widget)
{
    QStringList all;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (label->isVisible())
            all.append(label->text());
    return all.join(QLatin1Char('\n'));
}

} // namespace

class TestTruth : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
    }

    // While one matrix is read, nothing of the one before is under its name.
    void nothingOfTheOldMatrixStandsUnderTheNewName()
    {
        MatricesPage page;
        page.resize(1200, 760);
        page.setSession(m_session.get());
        page.show();
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->rowCount() > 1, patience);
        auto* detail = page.findChild<MatrixDetail*>();
        QVERIFY(detail);
        const QString first = toQString(page.model()->rows()[0].row.name),
                      second = toQString(page.model()->rows()[1].row.name);
        page.select(first);
        QTRY_VERIFY_WITH_TIMEOUT(detail->pattern()->isVisible(), patience);
        // The thread that reads matrices is held up.
        QSemaphore gate;
        JobTracker holdUp(this);
        m_session->work<void>(
            holdUp,
            [&gate](Project&) -> Status {
                gate.acquire();
                return {};
            },
            [](Status) {});
        page.select(second);
        QVERIFY(!detail->pattern()->isVisible());
        QVERIFY(!detail->histogram()->isVisible());
        QVERIFY2(visibleText(*detail).contains(second), qPrintable(visibleText(*detail)));
        QVERIFY2(!visibleText(*detail).contains(first), qPrintable(visibleText(*detail)));
        gate.release();
        QTRY_VERIFY_WITH_TIMEOUT(detail->pattern()->isVisible(), patience);
        QVERIFY2(visibleText(*detail).contains(second), qPrintable(visibleText(*detail)));
    }

    // An import of minutes holds up neither reading a matrix nor another task, and a second drop waits its
    // turn.
    void importsHoldUpNothingAndQueue()
    {
        QTemporaryDir files;
        const auto write = [&](const char* name, const char* entry) {
            const QString file = files.filePath(QLatin1String(name));
            QFile f(file);
            if (!f.open(QIODevice::WriteOnly))
                qFatal("cannot write");
            f.write(QByteArrayLiteral("%%MatrixMarket matrix coordinate real general\n4 4 1\n") + entry);
            return file;
        };
        const QStringList drops{write("one.mtx", "1 1 1\n"), write("two.mtx", "2 1 1\n"),
                                write("three.mtx", "3 1 1\n")};
        MatrixImport import;
        import.setSession(m_session.get());
        QSemaphore gate;
        JobTracker answer(this);
        bool held = false;
        m_session->runTask<void>(
            {QStringLiteral("Held"), QStringLiteral("up")},
            [&gate](Project&, const TaskWork&) -> Status {
                gate.acquire();
                return {};
            },
            this, [&](Status, TaskTicket&) { held = true; });
        QSignalSpy finished(&import, &MatrixImport::finished);
        import.start({drops[0]}, ImportSplit::Train);
        import.start({drops[1], drops[2]}, ImportSplit::Train);
        import.show();
        QVERIFY2(visibleText(import).contains(QLatin1String("2 more queued")),
                 qPrintable(visibleText(import)));
        bool answered = false;
        m_session->work<void>(
            answer, [](Project&) -> Status { return {}; }, [&](Status) { answered = true; });
        QTRY_VERIFY_WITH_TIMEOUT(answered, patience);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, patience);
        QCOMPARE(finished[0][0].toStringList(), QStringList(QStringLiteral("one")));
        QCOMPARE(finished[1][0].toStringList(),
                 QStringList({QStringLiteral("two"), QStringLiteral("three")}));
        QVERIFY(!import.isVisible());
        QVERIFY(!held); // three files were imported beside it
        gate.release();
        QTRY_VERIFY_WITH_TIMEOUT(held, patience);
    }

    // Cancel takes back what waits; what is dropped afterwards is imported.
    void cancelledImportsDoNotTakeTheNextWithThem()
    {
        QTemporaryDir files;
        const QString file = files.filePath(QStringLiteral("after.mtx"));
        QVERIFY(writeFileAtomic(file.toStdString(),
                                "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n"));
        MatrixImport import;
        import.setSession(m_session.get());
        QSignalSpy finished(&import, &MatrixImport::finished);
        import.startGenerated("stencil2d(n=700)", "never", "train"); // takes long enough to be given up
        import.startGenerated("laplace2d(nx=6,ny=6)", "never-too", "train");
        for (QPushButton* button : import.findChildren<QPushButton*>())
            button->click();
        import.start({file}, ImportSplit::Train);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, patience);
        QCOMPARE(finished[0][0].toStringList(), QStringList());
        QCOMPARE(finished[1][0].toStringList(), QStringList(QStringLiteral("after")));
    }

    // What went wrong in one project is not said over the next.
    void problemsStayWithTheirProject()
    {
        QTemporaryDir other;
        const auto second = std::filesystem::path(other.path().toStdString()) / "second";
        QVERIFY(Project::create(second, "second"));
        Settings settings(m_directory.filePath(QStringLiteral("banner.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        QVERIFY(window.openProject(QString::fromStdString(path().string())));
        window.show();
        auto* banner = window.findChild<MessageBar*>(QString(), Qt::FindChildrenRecursively);
        QVERIFY(banner);
        Q_EMIT window.page(QStringLiteral("matrices"))->problem(QStringLiteral("Something broke."));
        QCOMPARE(window.lastProblem(), QStringLiteral("Something broke."));
        const auto said = [&] { return visibleText(window).contains(QLatin1String("Something broke.")); };
        QVERIFY(said());
        QVERIFY(window.openProject(QString::fromStdString(second.string())));
        QVERIFY(!said());
        QCOMPARE(window.lastProblem(), QString());
    }

    /// A sentence about what went wrong goes when it goes well: of a question that is asked again, of a state
    /// that was found again and again, of a write. What happened once stays until it is closed.
    void problemsGoWithTheirCause()
    {
        QStringList gone;
        ProblemBook book([&](const QString& sentence) { gone.append(sentence); });
        int runs = 0, matrices = 0;
        book.note(&runs, Result<int>(fail("no room")));
        book.note(&matrices, Result<int>(fail("no room")));
        book.note(&runs, Result<int>(1));
        QCOMPARE(gone, QStringList()); // the other still fails for the same reason
        book.note(&matrices, Result<int>(1));
        book.note(&matrices, Result<int>(1));
        QCOMPARE(gone, QStringList(sentenceOf(Error{"no room", {}, 0, {}})));
        gone.clear();
        book.look({QStringLiteral("once")});
        book.look({QStringLiteral("state")});
        book.look({QStringLiteral("state"), QStringLiteral("other")});
        QCOMPARE(gone, QStringList());
        book.look({});
        book.look({});
        QCOMPARE(gone, QStringList(QStringLiteral("state")));

        // The window: a project whose file is broken, and whole again.
        QTemporaryDir other;
        const auto project = std::filesystem::path(other.path().toStdString()) / "broken";
        QVERIFY(Project::create(project, "broken"));
        const std::string whole = *readFile(project / "project.toml");
        Settings settings(m_directory.filePath(QStringLiteral("cause.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        QVERIFY(window.openProject(QString::fromStdString(project.string())));
        window.show();
        QVERIFY(writeFileAtomic(project / "project.toml", whole + "[[matrix\n"));
        QTRY_VERIFY_WITH_TIMEOUT(window.lastProblem().contains(QLatin1String("project.toml")), patience);
        QSignalSpy looked(window.session(), &ProjectSession::changed); // It is found more than once.
        Annotation note;
        note.target = Annotation::Target::Matrix;
        note.key = "any";
        note.value = "any";
        QVERIFY(addAnnotation(project, note));
        QTRY_VERIFY_WITH_TIMEOUT(!looked.isEmpty(), patience);
        QVERIFY(writeFileAtomic(project / "project.toml", whole + "\n"));
        QTRY_COMPARE_WITH_TIMEOUT(window.lastProblem(), QString(), patience);
        QVERIFY(!visibleText(window).contains(QLatin1String("project.toml")));
    }

    /// In a folder that cannot be written, nothing shows or undoes what was not done, and the launch form
    /// comes back with its entries and the reason.
    void nothingClaimsToBeDone()
    {
        QTemporaryDir other;
        const auto project = std::filesystem::path(other.path().toStdString()) / "full";
        auto made = Project::create(project, "full");
        QVERIFY(made && made->addGenerated("stencil2d(n=5,points=5)", {}));
        // Folders where files should be: they cannot be written, whatever user runs the test.
        std::filesystem::create_directory(project / "annotations.jsonl");
        std::filesystem::remove_all(project / "runs");
        QVERIFY(writeFileAtomic(project / "runs", "no folder"));
        auto session = ProjectSession::open(project);
        QVERIFY(session);
        QTRY_VERIFY_WITH_TIMEOUT((*session)->isReady(), patience);
        QSignalSpy back(session->get(), &ProjectSession::annotationTakenBack);
        Annotation star;
        star.key = "0001-rl";
        star.field = Annotation::Field::Star;
        star.value = "1";
        (*session)->annotate(star);
        QTRY_COMPARE_WITH_TIMEOUT(back.count(), 1, patience);
        QVERIFY(!(*session)->undoStack()->canUndo());

        saysOnlyWhatWasWritten(**session);
        if (QTest::currentTestFailed())
            return;
        // Stands in for the training program.
        QTemporaryDir bin;
        const QString program = bin.filePath(QStringLiteral("sparserl"));
        QVERIFY(writeFileAtomic(program.toStdString(), "#!/bin/sh\nexit 0\n"));
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        const QByteArray before = qgetenv("PATH");
        qputenv("PATH", bin.path().toUtf8() + ":" + before);
        const auto restore = qScopeGuard([&] { qputenv("PATH", before); });
        TrainingPage page;
        page.resize(1200, 760);
        page.setSession(session->get());
        page.show();
        page.newRun();
        QTRY_VERIFY_WITH_TIMEOUT(page.findChild<LaunchDialog*>(), patience);
        QPointer<LaunchDialog> form = page.findChild<LaunchDialog*>();
        form->setTitle(QStringLiteral("worth keeping"));
        form->accept();
        QVERIFY(!form->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(form && form->isVisible(), patience);
        QCOMPARE(form->config().title, std::string("worth keeping"));
        const auto shown = visibleText(*form);
        QVERIFY2(shown.contains(QLatin1String("runs")), qPrintable(shown));
        QVERIFY(form->problem().isEmpty()); // it may go well the next time
        // With room again, it starts, and the form is gone.
        std::filesystem::remove(project / "runs");
        form->accept();
        QTRY_VERIFY_WITH_TIMEOUT(!form, patience);
        QVERIFY(std::filesystem::exists(project / "runs" / "0001-sft"));
    }

    // The index is no part of the truth: pulled away under the window, it comes back, and the window says so.
    void indexThatIsPulledAwayComesBack()
    {
        QTemporaryDir other;
        const auto project = std::filesystem::path(other.path().toStdString()) / "pulled";
        auto live = test::makeProject(project);
        QVERIFY(live);
        auto session = ProjectSession::open(project);
        QVERIFY(session);
        QStringList told;
        connect(session->get(), &ProjectSession::problem, this,
                [&](const QString& text) { told.append(text); });
        TrainingPage page;
        page.resize(1200, 760);
        page.setSession(session->get());
        page.show();
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), 6, patience);
        QVERIFY(told.isEmpty());
        for (const char* name : {"project.sqlite", "project.sqlite-wal", "project.sqlite-shm"})
            std::filesystem::remove(project / name);
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty(), patience);
        QVERIFY2(told.first().contains(QLatin1String("rebuilt")), qPrintable(told.join(QLatin1Char(' '))));
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(project / "project.sqlite"), patience);
        QTest::qWait(1500);
        QCOMPARE(told.size(), 1);
        QCOMPARE(page.model()->rowCount(), 6);
        page.setSession(nullptr);
    }

    // The value that is offered is the one that holds, and what is on its way is said.
    void steeringOffersPresentValues()
    {
        JobTracker jobs(this);
        std::optional<Result<SteeredParameters>> steered;
        const auto run = path() / "runs" / "0006-rl";
        const auto ask = [&] {
            steered.reset();
            m_session->query<SteeredParameters>(
                jobs,
                [run](ProjectReader& reader) -> Result<SteeredParameters> {
                    auto summary = reader.runByName("0006-rl");
                    if (!summary)
                        return fail(summary.error());
                    return readSteered(reader, summary->id, run);
                },
                [&](Result<SteeredParameters> result) { steered = std::move(result); });
        };
        ask();
        QTRY_VERIFY_WITH_TIMEOUT(steered.has_value(), patience);
        QVERIFY2(*steered, *steered ? "" : steered->error().sentence().c_str());
        // The fixture's journal says that it was set to 0.005 in the middle of the run.
        QCOMPARE((*steered)->values.real("rl.entropy_coef"), 0.005);
        QVERIFY((*steered)->pending.empty());
        ControlCommand command;
        command.kind = ControlCommand::Kind::Set;
        command.key = "rl.entropy_coef";
        command.value = "0.02";
        QVERIFY(appendControl(run, command));
        ask();
        QTRY_VERIFY_WITH_TIMEOUT(steered.has_value(), patience);
        QVERIFY(*steered);
        QCOMPARE((*steered)->pending.at("rl.entropy_coef"), std::string("0.02"));
        SteerPanel panel;
        RunSummary summary;
        summary.id = 1;
        summary.hasWorker = true;
        panel.show(summary, &**steered);
        const auto found = panel.table()->findItems(QStringLiteral("rl.entropy_coef"), Qt::MatchExactly);
        QCOMPARE(found.size(), 1);
        const auto cell = [&](SteerColumn column) {
            return panel.table()->item(found.first()->row(), column)->text();
        };
        QCOMPARE(cell(SteerStarted), toQString(toText((*steered)->started.value("rl.entropy_coef"))));
        QVERIFY(cell(SteerStarted) != cell(SteerNow));
        QCOMPARE(cell(SteerNow), QStringLiteral("0.005"));
        QCOMPARE(cell(SteerAsked), QStringLiteral("0.02"));
        QCOMPARE((*steered)->changes.size(), std::size_t{1});
        // What is typed after a search is for a parameter that it shows.
        for (const char* part : {"entropy_coef", "kl_coef", "no such parameter", ""}) {
            panel.findChild<QLineEdit*>()->setText(QLatin1String(part));
            const int row = panel.table()->currentRow();
            QCOMPARE(row < 0, QByteArray(part).contains("no such"));
            if (row >= 0) {
                QVERIFY(!panel.table()->isRowHidden(row));
                QCOMPARE(panel.table()->currentColumn(), static_cast<int>(SteerNew));
            }
        }
    }

    // A thread that ran out of memory says so, and goes on with what comes next.
    void memoryRunsOutBehindTheWindow()
    {
        JobTracker jobs(this);
        std::optional<Result<int>> answer;
        const auto take = [&](Result<int> result) { answer = std::move(result); };
        m_session->query<int>(
            jobs, [](ProjectReader&) -> Result<int> { throw std::bad_alloc(); }, take);
        QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), patience);
        QVERIFY(!*answer && answer->error().what.find("memory") != std::string::npos);
        answer.reset();
        m_session->work<int>(
            jobs, [](Project&) -> Result<int> { return int(std::vector<int>(~std::size_t(0) / 2).size()); },
            take);
        QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), patience);
        QVERIFY(!*answer && answer->error().what.find("memory") != std::string::npos);
        answer.reset();
        m_session->work<int>(
            jobs, [](Project&) -> Result<int> { return 7; }, take);
        QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), patience);
        QCOMPARE(**answer, 7);
    }

    // A finished run is read once, however long it is looked at; a change of what is asked reads again.
    void finishedRunIsNotReadAgain()
    {
        TrainingPage page;
        page.resize(1200, 760);
        page.setSession(m_session.get());
        page.show();
        page.select(QStringLiteral("0001-sft"));
        QTRY_VERIFY_WITH_TIMEOUT(
            page.charts()->readings() > 0 && !page.charts()->charts()[0]->data().series.isEmpty(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
        int readings = -1; // Until it is quiet: what was asked before may still come.
        while (std::exchange(readings, page.charts()->readings()) != page.charts()->readings() ||
               m_session->busy())
            QTest::qWait(500);
        QTest::qWait(2500); // The page looks at locks and heartbeats once a second.
        QCOMPARE(page.charts()->readings(), readings);
        page.charts()->setSmoothing(0.96);
        QVERIFY(page.charts()->charts()[0]->data().series[0].curve->smoothed());
        QTest::qWait(300);
        QCOMPARE(page.charts()->readings(), readings); // an average of what is there already
    }

    // A live run's new point arrives nevertheless.
    void liveRunIsReadAgain()
    {
        TrainingPage page;
        page.resize(1200, 760);
        page.setSession(m_session.get());
        page.show();
        page.select(QStringLiteral("0006-rl"));
        const auto points = [&] {
            const auto& series = page.charts()->charts()[0]->data().series;
            return series.isEmpty() ? 0 : series[0].size();
        };
        QTRY_VERIFY_WITH_TIMEOUT(points() > 0, patience);
        const auto before = points();
        JournalWriter& journal = m_live.sessions.front()->journal();
        QVERIFY(journal.append(500, MetricEvent{"train", {{"reward", 0.5}}}));
        QVERIFY(journal.flush());
        QTRY_COMPARE_WITH_TIMEOUT(points(), before + 1, patience);
    }

    // Wide round joins cost 30 times as much as a cosmetic line: dense curves have the latter.
    void denseCurvesHaveACheapPen_data()
    {
        QTest::addColumn<int>("points");
        QTest::addColumn<bool>("cosmetic");
        QTest::addRow("40 points") << 40 << false;
        QTest::addRow("100 points") << 100 << false;
        QTest::addRow("600 points") << 600 << true;
        QTest::addRow("50,000 points") << 50'000 << true;
    }
    void denseCurvesHaveACheapPen()
    {
        QFETCH(int, points);
        QFETCH(bool, cosmetic);
        ChartData data;
        ChartSeries series;
        series.name = QStringLiteral("a");
        for (int i = 0; i < points; ++i)
            series.curve->append(i, std::sin(i * 0.7));
        data.series.append(series);
        PenRecorder recorder;
        QPainter painter(&recorder);
        const QWidget widget;
        const ChartView view = fullView(data, {});
        const QList<int> hidden;
        CurvePainter{data, view, hidden, Theme::of(&widget), QFont(), QRectF(0, 0, 800, 400)}.paint(painter);
        painter.end();
        QVERIFY(!recorder.pens.empty());
        for (const QPen& pen : recorder.pens) {
            QCOMPARE(pen.isCosmetic(), cosmetic);
            if (cosmetic)
                QVERIFY(pen.widthF() <= 1 && pen.joinStyle() != Qt::RoundJoin);
        }
    }

    // One pixel is half as wide there.
    void denseCurvesAreAsWideOnFineScreens()
    {
        ChartData data;
        ChartSeries series;
        series.name = QStringLiteral("a");
        for (int i = 0; i < 1'000; ++i)
            series.curve->append(i, std::sin(i * 0.02));
        data.series.append(series);
        const QWidget widget;
        const ChartView view = fullView(data, {});
        const QList<int> hidden;
        const auto ink = [&](double ratio) {
            const QSize size(400, 200);
            QImage image(size * ratio, QImage::Format_ARGB32_Premultiplied);
            image.setDevicePixelRatio(ratio);
            image.fill(Qt::transparent);
            QPainter painter(&image);
            CurvePainter{data, view, hidden, Theme::of(&widget), QFont(), QRectF(QPointF(), size), ratio}
                .paint(painter);
            painter.end();
            double covered = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    covered += qAlpha(image.pixel(x, y)) / 255.0;
            return covered / (ratio * ratio);
        };
        const double coarse = ink(1), fine = ink(2);
        QVERIFY2(coarse > 400 && fine > 0.75 * coarse && fine < 1.5 * coarse,
                 qPrintable(QStringLiteral("%1 at 1x, %2 at 2x").arg(coarse).arg(fine)));
    }

    void cleanup() { QCOMPARE(test::takeWarnings(), QStringList()); }
    void cleanupTestCase() { m_session.reset(); }

private:
    /// In a project whose annotations cannot be written: neither they nor changes of an unwritable
    /// project.toml are called done, and with a project.toml that can be written they are.
    void saysOnlyWhatWasWritten(ProjectSession& session)
    {
        bool written = false;
        QSignalSpy problems(&session, &ProjectSession::problem);
        Annotation star;
        star.key = "0001-rl";
        star.field = Annotation::Field::Star;
        star.value = "1";
        session.annotate(star);
        session.onceWritten(this, [&] { written = true; });
        MatricesPage page;
        page.setSession(&session);
        page.show();
        QSignalSpy said(&page, &Page::statusMessage);
        const auto rest = [&] {
            bool rests = false; // what is said once all is written comes a little later
            session.afterWrites(this, [&] { rests = true; });
            return QTest::qWaitFor([&] { return rests && !session.busy(); }, test::patience());
        };
        QTRY_VERIFY_WITH_TIMEOUT(!session.busy() && page.model()->rowCount() == 1, patience);
        const auto file = session.path() / "project.toml";
        const auto list = readFile(file);
        QVERIFY(list && std::filesystem::remove(file));
        std::filesystem::create_directory(file);
        page.table()->selectAll();
        page.setSplit(QStringLiteral("held-out"));
        page.removeSelected();
        QVERIFY(rest());
        QVERIFY2(!written && said.isEmpty(), said.isEmpty() ? "" : qPrintable(said[0][0].toString()));
        QVERIFY(!problems.isEmpty());
        std::filesystem::remove(file);
        QVERIFY(writeFileAtomic(file, *list));
        page.table()->selectAll();
        page.setSplit(QStringLiteral("held-out"));
        QVERIFY(rest());
        QCOMPARE(said.count(), 1);
        QVERIFY(said[0][0].toString().contains(QLatin1String("held-out")));
        const auto listed = [&] {
            return page.model()->rowCount() == 1 ? page.model()->rows().front().row.split : std::string();
        };
        QTRY_COMPARE_WITH_TIMEOUT(listed(), std::string("held-out"), patience);
        page.table()->selectAll();
        page.setSplit(QStringLiteral("train")); // as it was
        QTRY_COMPARE_WITH_TIMEOUT(listed(), std::string("train"), patience);
    }

    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
};

SPARSERL_GUI_TEST_MAIN(TestTruth)
#include "tst_widgets_truth.moc"
