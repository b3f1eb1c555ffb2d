// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/hash.h"
#include "corpus/corpus.h"
#include "project/files/sft_set.h"
#include "project/run/control.h"
#include "project/run/default_policy.h"
#include "project/run/written_programs.h"
#include "target/family_names.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "verdict/names.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/open_folder.h"
#include "widgets/common/panels.h"
#include "widgets/common/parameter_form.h"
#include "widgets/kernels/code_pane.h"
#include "widgets/kernels/copy_code.h"
#include "widgets/kernels/edit_dialog.h"
#include "widgets/kernels/evidence_view.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/facet_bar.h"
#include "widgets/kernels/findings_view.h"
#include "widgets/kernels/group_view.h"
#include "widgets/kernels/heat.h"
#include "widgets/kernels/heat_scroll_bar.h"
#include "widgets/kernels/instruction_tips.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/kernel_header.h"
#include "widgets/kernels/kernel_tabs.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/kernels/policy_choice.h"
#include "widgets/kernels/profile_rows.h"
#include "widgets/kernels/profile_view.h"
#include "widgets/kernels/program_code.h"
#include "widgets/kernels/program_judge.h"
#include "widgets/kernels/relatives_view.h"
#include "widgets/kernels/roofline_view.h"
#include "widgets/kernels/sass_bar.h"
#include "widgets/kernels/scintilla.h"
#include "widgets/kernels/sft_chooser.h"
#include "widgets/kernels/shared_memory_view.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"
#include "widgets/kernels/specialise_dialog.h"
#include "widgets/kernels/verdict_text.h"
#include "widgets/kernels/write_dialog.h"
#include "widgets/matrices/matrices_page.h"
#include "widgets/matrices/matrix_detail.h"
#include "widgets/matrices/matrix_import.h"
#include "widgets/matrices/pattern_view.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/metric_panels.h"
#include "widgets/training/steer_panel.h"
#include "widgets/training/training_page.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

using namespace sparserl;

namespace {

Csr smallMatrix()
{
    // 3 x 4:  [1 . 2 .]
    //         [. . . .]
    //         [. 3 . 4]
    Csr m;
    m.rows = 3;
    m.cols = 4;
    m.rowPtr = {0, 2, 2, 4};
    m.col = {0, 2, 1, 3};
    m.val = {1, 2, 3, 4};
    return m;
}

template <typename PageType>
void open(PageType& page, ProjectSession& session)
{
    page.resize(1200, 760);
    page.setSession(&session);
    page.show();
}

/// SpMM, and SpMV in double precision: a thread for each element of the result.
QString otherTask()
{
    return QStringLiteral(
        "//! task spmm\n"
        "//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, "
        "csr.val, B, C)\n"
        "extern \"C\" __global__ void k(int rows, int n, const int* ptr, const int* col, const float* val,\n"
        "                             const float* B, float* C) {\n"
        "    int i = blockIdx.x * 128 + threadIdx.x, r = i / n;\n"
        "    if (r >= rows) return;\n"
        "    float s = 0;\n"
        "    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * B[(long long)col[j] * n + i % n];\n"
        "    C[i] = s;\n"
        "}\n");
}
QString otherType()
{
    return QStringLiteral(
        "//! task spmv f64\n"
        "//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)\n"
        "extern \"C\" __global__ void k(int rows, const int* ptr, const int* col, const double* val,\n"
        "                             const double* x, double* y) {\n"
        "    int r = blockIdx.x * 128 + threadIdx.x;\n"
        "    if (r >= rows) return;\n"
        "    double s = 0;\n"
        "    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];\n"
        "    y[r] = s;\n"
        "}\n");
}

} // namespace

class TestWidgetsPages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        connect(m_session.get(), &ProjectSession::problem, this,
                [this](const QString& text) { m_problems.append(text); });
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
        QCOMPARE(m_problems, QStringList()); // nothing was asked before there was an index
    }

    void patternReadsEntries()
    {
        PatternView view;
        view.resize(500, 400);
        view.setPattern(std::make_shared<MatrixPattern>(smallMatrix()), QStringLiteral("small"));
        view.setCursorCell(2, 3);
        QVERIFY2(view.readout().startsWith(QLatin1String("row 2, column 3: 4")), qPrintable(view.readout()));
        view.setCursorCell(1, 1);
        QVERIFY2(view.readout().contains(QLatin1String("no entry")), qPrintable(view.readout()));
        QTest::keyClick(&view, Qt::Key_Down);
        QVERIFY2(view.readout().startsWith(QLatin1String("row 2, column 1: 3")), qPrintable(view.readout()));
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.cursorCol(), 3);
        QTest::keyClick(&view, Qt::Key_Down); // stays inside
        QCOMPARE(view.cursorRow(), 2);
    }

    // Where the entries of a small matrix are drawn, cell by cell.
    void patternPaintsEveryCell()
    {
        PatternView view;
        view.resize(500, 420);
        const Csr m = smallMatrix();
        view.setPattern(std::make_shared<MatrixPattern>(m), QStringLiteral("small"));
        view.setShading(Shading::Binary);
        const QImage image = view.grab().toImage();
        const QColor empty = Theme::of(&view).base;
        const double cell = view.pixelsPerColumn();
        // The matrix is centred in the plot area: find its top left by its first filled corner.
        const auto filled = [&](int row, int col) {
            const auto begin = m.col.begin() + m.rowPtr[row], end = m.col.begin() + m.rowPtr[row + 1];
            return std::find(begin, end, col) != end;
        };
        int left = image.width(), top = image.height();
        for (int y = 20; y < image.height() - 45; ++y)
            for (int x = 75; x < image.width() - 4; ++x) {
                const QColor c = image.pixelColor(x, y);
                if (c.saturation() > 90) {
                    left = std::min(left, x);
                    top = std::min(top, y);
                }
            }
        for (int row = 0; row < 3; ++row)
            for (int col = 0; col < 4; ++col) {
                const QColor c = image.pixelColor(static_cast<int>(left + (col + 0.2) * cell),
                                                  static_cast<int>(top + (row + 0.2) * cell));
                QVERIFY2((c != empty) == filled(row, col),
                         qPrintable(QStringLiteral("%1 %2").arg(row).arg(col)));
            }
    }

    void patternZoomsToCells()
    {
        auto project = Project::open(path());
        QVERIFY(project);
        auto loaded = project->load(*project->matrix("poisson2d"));
        QVERIFY(loaded);
        PatternView view;
        view.resize(600, 500);
        view.setPattern(std::make_shared<MatrixPattern>(*loaded->matrix), QStringLiteral("poisson2d"));
        QVERIFY(view.pixelsPerColumn() < 1);
        view.setCursorCell(2000, 2000);
        for (int i = 0; i < 14; ++i)
            QTest::keyClick(&view, Qt::Key_Plus);
        QVERIFY(view.pixelsPerColumn() > 30);
        // A Poisson matrix at this size: five coloured diagonals on an empty ground.
        const QImage image = view.grab().toImage();
        int coloured = 0;
        for (int y = 40; y < image.height() - 60; ++y)
            for (int x = 90; x < image.width() - 20; ++x)
                coloured += image.pixelColor(x, y).saturation() > 90 ? 1 : 0;
        const double share = static_cast<double>(coloured) / ((image.height() - 100) * (image.width() - 110));
        QVERIFY2(share > 0.05 && share < 0.6, qPrintable(QString::number(share)));
        QVERIFY2(view.readout().startsWith(QLatin1String("row 2,000, column 2,000: ")),
                 qPrintable(view.readout()));
        QTest::keyClick(&view, Qt::Key_0);
        QVERIFY(view.pixelsPerColumn() < 1);
    }

    void matricesPageShowsLibrary()
    {
        struct Page : MatricesPage
        {
            using MatricesPage::refresh;
        };
        Page page;
        QAbstractItemModelTester tester(page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        open(page, *m_session);
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), 10, patience);
        QTRY_VERIFY_WITH_TIMEOUT(page.detail()->pattern()->matrix() != nullptr, patience);
        page.select(QStringLiteral("lp-blend"));
        auto project = Project::open(path());
        const auto expected = project->load(*project->matrix("lp-blend"));
        QTRY_COMPARE_WITH_TIMEOUT(page.detail()->pattern()->matrix()->nnz(), expected->matrix->nnz(),
                                  patience);
        double rows = 0;
        const Curve& histogram = *page.detail()->histogram()->data().series.first().curve;
        for (std::size_t i = 0; i < histogram.size(); ++i)
            rows += histogram.y(i);
        QCOMPARE(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(expected->matrix->rows));
        // Thumbnails are made in the background and stay on disk.
        const auto allPictured = [&page] {
            return std::all_of(page.model()->rows().begin(), page.model()->rows().end(),
                               [](const MatrixItem& i) { return !i.thumbnail.isNull(); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(allPictured(), patience);
        // Those that could not be kept, as in a read-only project, stay in the list when it is read again.
        project = Project::open(path());
        for (const MatrixEntry& matrix : project->matrices())
            QVERIFY(QFile::remove(QString::fromStdString(project->thumbnailPath(matrix.digest).string())));
        page.model()->setRows({});
        page.refresh();
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), 10, patience);
        QVERIFY(allPictured());
    }

    void importTellsGoodFromBad()
    {
        MatricesPage page;
        open(page, *m_session);
        const QString good = m_directory.filePath(QStringLiteral("good.mtx")),
                      bad = m_directory.filePath(QStringLiteral("bad.mtx"));
        const auto write = [](const QString& file, const char* text) {
            QFile f(file);
            QVERIFY(f.open(QIODevice::WriteOnly));
            f.write(text);
        };
        write(good, "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1.5\n3 2 -2\n");
        write(bad, "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1.5\n9 2 -2\n");
        QSignalSpy finished(page.importer(), &MatrixImport::finished);
        page.importer()->start({bad, good}, ImportSplit::Train);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, patience);
        QCOMPARE(finished[0][0].toStringList(), QStringList(QStringLiteral("good")));
        QCOMPARE(finished[0][1].toStringList().size(), 1);
        const QString told = finished[0][1].toStringList().first();
        QVERIFY2(told.contains(QLatin1String("bad.mtx: line 4: ")), qPrintable(told));
        QCOMPARE(page.importer()->problems().size(), 1);
        QVERIFY(page.importer()->isVisible()); // until the user has seen it
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->indexOfKey(QStringLiteral("good")).isValid(), patience);
        QVERIFY(!page.model()->indexOfKey(QStringLiteral("bad")).isValid());
    }

    void trainingPageShowsRuns()
    {
        TrainingPage page;
        QAbstractItemModelTester tester(page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        open(page, *m_session);
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), 6, patience);
        QHash<QString, QString> status;
        for (const RunSummary& run : page.model()->rows())
            status[toQString(run.name)] = statusText(run.status);
        QCOMPARE(status[QStringLiteral("0001-sft")], QStringLiteral("done"));
        QCOMPARE(status[QStringLiteral("0002-rl")], QStringLiteral("failed"));
        QCOMPARE(status[QStringLiteral("0003-rl")], QStringLiteral("failed"));
        QCOMPARE(status[QStringLiteral("0006-rl")], QStringLiteral("running"));

        page.select(QStringLiteral("0006-rl"));
        const auto chart = [&](int i) -> const ChartData& { return page.charts()->charts()[i]->data(); };
        QTRY_VERIFY_WITH_TIMEOUT(!chart(4).series.isEmpty(), patience);
        QCOMPARE(chart(0).title, QStringLiteral("Reward"));
        QCOMPARE(chart(0).series.size(), 2); // train and held-out
        QCOMPARE(chart(0).series[0].size(), 42);
        // The NaN of one step is among the points; the spike is the highest KL.
        const auto valuesOf = [](const ChartSeries& series) {
            std::vector<double> values;
            for (std::size_t i = 0; i < series.curve->size(); ++i)
                values.push_back(series.curve->y(i));
            return values;
        };
        const auto values = valuesOf(chart(4).series[0]);
        QCOMPARE(std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); }), 1);
        double highest = 0;
        for (const ChartSeries& s : chart(2).series)
            for (const double value : valuesOf(s))
                highest = std::max(highest, value);
        QCOMPARE(highest, 0.094);
        // The change of a parameter is marked on every chart.
        for (int i = 0; i < 4; ++i) {
            QCOMPARE(chart(i).marks.size(), 1);
            QCOMPARE(chart(i).marks[0].text, QStringLiteral("rl.entropy_coef = 0.005"));
            QCOMPARE(chart(i).marks[0].x, 28.0);
        }
        page.charts()->setExtraMetric("timing_s/sampling", true);
        QTRY_VERIFY_WITH_TIMEOUT(page.charts()->charts().size() == 9 && !chart(8).series.isEmpty(), patience);
    }

    // Buttons write commands into the run's control file.
    void steeringWritesCommands()
    {
        TrainingPage page;
        open(page, *m_session);
        page.select(QStringLiteral("0006-rl"));
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), 6, patience);
        const auto button = [&](const char* text) -> QToolButton* {
            for (QToolButton* b : page.findChildren<QToolButton*>())
                if (b->text() == QLatin1String(text) && b->isVisible())
                    return b;
            return nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(button("Pause") != nullptr, patience);
        button("Pause")->click();
        button("Checkpoint")->click();
        // Both arrive, in order, though the window did not wait for the disk.
        Result<std::vector<ControlCommand>> commands;
        const auto written = [&] {
            commands = readControl(path() / "runs" / "0006-rl");
            return commands ? commands->size() : 0;
        };
        QTRY_COMPARE_WITH_TIMEOUT(written(), std::size_t(2), patience);
        QCOMPARE((*commands)[0].kind, ControlCommand::Kind::Pause);
        QCOMPARE((*commands)[1].kind, ControlCommand::Kind::Checkpoint);
        QVERIFY(!button("Resume")); // it runs: nothing to resume
    }

    // A run that is done is not changed by a resume; it can be forked.
    void steeringOfADoneRun()
    {
        const ParameterSet values{stageParameters(StageKind::Rl)};
        const SteeredParameters steered{values, values, {}, {}};
        SteerPanel panel;
        for (const auto status : {RunStatus::Stopped, RunStatus::Done}) {
            RunSummary run;
            run.id = 1;
            run.checkpoints = 1;
            run.status = status;
            panel.show(run, &steered);
            QStringList enabled, said;
            for (const auto* button : panel.findChildren<QPushButton*>())
                if (button->isEnabled())
                    enabled.append(button->text().remove(QLatin1Char('&')));
            for (const auto* label : panel.findChildren<QLabel*>())
                said.append(label->text());
            const bool done = status == RunStatus::Done;
            QCOMPARE(!enabled.filter(QStringLiteral("Change")).isEmpty(), !done);
            QCOMPARE(enabled.filter(QStringLiteral("Fork")).size(), 1);
            QCOMPARE(!said.filter(QStringLiteral("when the run is resumed")).isEmpty(), !done);
            QCOMPARE(!said.filter(QStringLiteral("The run is done")).isEmpty(), done);
        }
    }

    void steeringRefusesRange()
    {
        RunSummary run;
        run.id = 1;
        run.hasWorker = true;
        run.checkpoints = 1;
        const ParameterSet values{stageParameters(StageKind::Rl)};
        const SteeredParameters steered{values, values, {}, {}};
        SteerPanel panel;
        panel.show(run, &steered);
        QSignalSpy asked(&panel, &SteerPanel::changesAsked);
        const auto button = [&](const QString& text) {
            for (QPushButton* b : panel.findChildren<QPushButton*>())
                if (b->text().contains(text))
                    return b;
            return static_cast<QPushButton*>(nullptr);
        };
        button(QStringLiteral("Change"))->click(); // nothing was typed
        QVERIFY(asked.isEmpty());
        const auto said = panel.findChildren<QLabel*>();
        QVERIFY(std::any_of(said.begin(), said.end(), [](const QLabel* label) {
            return label->text().startsWith(QLatin1String("Type a value"));
        }));
        panel.enter("rl.entropy_coef", QStringLiteral("-1"));
        QVERIFY2(panel.problem().contains(QLatin1String("rl.entropy_coef")), qPrintable(panel.problem()));
        QVERIFY(!button(QStringLiteral("Change"))->isEnabled());
        QVERIFY(panel.edits().empty());
        panel.enter("rl.entropy_coef", QStringLiteral("0.02"));
        panel.enter("rl.lr", QStringLiteral("1e-5"));
        QCOMPARE(panel.problem(), QString());
        // What comes from the disk meanwhile leaves alone what is being typed.
        panel.show(run, &steered);
        const std::map<std::string, std::string> edits{{"rl.entropy_coef", "0.02"}, {"rl.lr", "1e-5"}};
        QCOMPARE(panel.edits(), edits);
        button(QStringLiteral("Change"))->click();
        QCOMPARE(asked.size(), 1);
        QVERIFY(asked[0][1].toBool()); // with a checkpoint first
        // What was typed stays until it is written: the folder may be read-only.
        QCOMPARE(panel.edits(), edits);
        panel.sent(2, "rl.lr", QStringLiteral("1e-5")); // of another run
        QCOMPARE(panel.edits(), edits);
        panel.sent(1, "rl.lr", QStringLiteral("1e-5"));
        const std::map<std::string, std::string> left{{"rl.entropy_coef", "0.02"}};
        QCOMPARE(panel.edits(), left);
        panel.enter("rl.entropy_coef", QStringLiteral("0.03")); // typed since then
        panel.sent(1, "rl.entropy_coef", QStringLiteral("0.02"));
        QCOMPARE(panel.edits().at("rl.entropy_coef"), std::string("0.03"));
    }

    void launchDialogMakesCompleteConfig()
    {
        CheckpointRow checkpoint;
        checkpoint.runName = "0001-sft";
        checkpoint.name = "step-000400";
        checkpoint.path = "/p/runs/0001-sft/checkpoints/step-000400";
        checkpoint.present = true;
        LaunchDialog dialog({checkpoint}, "/p", nullptr);
        QCOMPARE(dialog.config().stage, std::string("sft")); // what most begin with
        dialog.choose("pretrain", "pretrain", {});
        QCOMPARE(dialog.problem(), QString()); // needs no checkpoint
        QCOMPARE(dialog.config().parameters.size(), stageParameters(StageKind::Pretrain).specs().size());
        const auto panels = defaultPanels("pretrain");
        QVERIFY(panels.size() > 2);
        QCOMPARE(panels.front().metrics.front(), std::string("loss"));
        for (const auto& panel : panels) // nothing is sampled there
            QVERIFY(panel.metrics.front() != "kernel/compile_rate");
        dialog.choose("rl", "sparserl-ppo", {});
        QVERIFY2(dialog.problem().contains(QLatin1String("checkpoint")), qPrintable(dialog.problem()));
        dialog.choose("rl", "sparserl-ppo", checkpoint.path);
        QCOMPARE(dialog.problem(), QString());
        dialog.form()->enter("rl.clip_low", QStringLiteral("0.15"));
        dialog.form()->enter("rl.lambda", QStringLiteral("7"));
        QVERIFY2(dialog.problem().contains(QLatin1String("rl.lambda")), qPrintable(dialog.problem()));
        dialog.form()->enter("rl.lambda", QStringLiteral("0.9"));
        QVERIFY(dialog.grab().save(QStringLiteral("launch.png")));
        const RunConfig config = dialog.config();
        QCOMPARE(config.stage, std::string("rl"));
        QCOMPARE(config.preset, std::string("sparserl-ppo"));
        QCOMPARE(config.parentRun, std::string("0001-sft"));
        QCOMPARE(config.parameters.size(), stageParameters(StageKind::Rl).specs().size());
        QCOMPARE(std::get<double>(config.parameters.at("rl.clip_low")), 0.15);
        QCOMPARE(std::get<double>(config.parameters.at("rl.lambda")), 0.9);
        // Tab goes down the form, also after its fields were made again.
        dialog.show();
        const auto after = [&](QWidget* from) {
            QWidget* next = from->nextInFocusChain();
            while (next != from && (!(next->focusPolicy() & Qt::TabFocus) || !next->isVisibleTo(&dialog) ||
                                    from->isAncestorOf(next)))
                next = next->nextInFocusChain();
            return next;
        };
        QWidget* search = nullptr;
        for (auto* line : dialog.findChildren<QLineEdit*>())
            if (line->placeholderText() == QLatin1String("Find a parameter"))
                search = line;
        QVERIFY(search);
        QVERIFY2(dialog.form()->isAncestorOf(after(search)), qPrintable(after(search)->objectName()));
        QWidget* last = search;
        for (int i = 0; i < 1000 && (last == search || dialog.form()->isAncestorOf(last)); ++i)
            last = after(last);
        QVERIFY2(qobject_cast<QPushButton*>(last), last->metaObject()->className());
    }

    void kernelsPageShowsOneRun()
    {
        KernelsPage page;
        open(page, *m_session);
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->rowCount() > 100, patience);
        const auto all = page.model()->total();
        page.go({Destination::Kind::KernelsOfRun, QStringLiteral("0006-rl")});
        const auto narrowed = [&] { return page.facets()->filter().runs.size() == 1 && !m_session->busy(); };
        QTRY_VERIFY_WITH_TIMEOUT(narrowed() && page.model()->total() < all, patience);
        QVERIFY(page.model()->rowCount() > 0);
        for (int i = 0; i < page.model()->rowCount(); ++i) {
            const CandidateRow* row = nullptr;
            QTRY_VERIFY_WITH_TIMEOUT(row = page.model()->row(page.model()->index(i, 0)), patience);
            QCOMPARE(row->runName, std::string("0006-rl"));
        }
        // And of it those of one matrix, as evaluations ask for them.
        const std::string matrix = page.model()->row(page.model()->index(0, 0))->target.name;
        const auto ofRun = page.model()->total();
        page.go(
            {Destination::Kind::KernelsOfMatrix, QString::fromStdString(matrix), QStringLiteral("0006-rl")});
        const auto both = [&] { return narrowed() && page.facets()->filter().matrices.size() == 1; };
        QTRY_VERIFY_WITH_TIMEOUT(both() && page.model()->total() < ofRun, patience);
        QVERIFY(page.model()->rowCount() > 0);
        for (int i = 0; i < page.model()->rowCount(); ++i) {
            const CandidateRow* row = nullptr;
            QTRY_VERIFY_WITH_TIMEOUT(row = page.model()->row(page.model()->index(i, 0)), patience);
            QCOMPARE(row->runName, std::string("0006-rl"));
            QCOMPARE(row->target.name, matrix);
        }
        // Of a task that nothing was written for there is nothing.
        page.go({Destination::Kind::KernelsOfMatrix, QString::fromStdString(matrix), {}, "spmm"});
        QCOMPARE(page.facets()->filter().tasks, std::vector<std::string>{"spmm"});
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->total() == 0 && !m_session->busy(), patience);
    }

    void kernelsPageFiltersAndSorts()
    {
        KernelsPage page;
        QAbstractItemModelTester tester(page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        open(page, *m_session);
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->rowCount() > 100, patience);
        const auto all = page.model()->total();
        CandidateFilter filter = page.facets()->filter();
        filter.verdicts = {"correct"};
        page.facets()->setFilter(filter);
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->total() < all && !m_session->busy(), patience);
        page.table()->horizontalHeader()->setSortIndicator(CandidateSpeedup, Qt::DescendingOrder);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
        QTest::qWait(0);
        double before = 1e9;
        for (int i = 0; i < page.model()->rowCount(); ++i) {
            const CandidateRow* row = nullptr;
            QTRY_VERIFY_WITH_TIMEOUT(row = page.model()->row(page.model()->index(i, 0)), patience);
            QVERIFY(row->verdict == Verdict::Correct);
            QVERIFY(row->speedup <= before + 1e-9);
            before = row->speedup;
        }
        QCOMPARE(page.model()->rowCount(), static_cast<int>(page.model()->total()));
        // Ctrl+End reaches the last one, whose row comes then.
        page.table()->setFocus();
        QTest::keyClick(page.table(), Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(page.table()->currentIndex().row(), page.model()->rowCount() - 1);
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->row(page.table()->currentIndex()), patience);
        filter.text = "there is no such text in any program";
        page.facets()->setFilter(filter);
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), 0, patience);
    }

    void failureShowsPlaceAndElement()
    {
        KernelsPage page;
        open(page, *m_session);
        CandidateFilter filter = page.facets()->filter();
        filter.verdicts = {"out-of-bounds"};
        page.facets()->setFilter(filter);
        QTRY_VERIFY_WITH_TIMEOUT(
            page.model()->rowCount() > 0 && !page.detail()->source()->editor()->text().isEmpty(), patience);
        const CandidateRow row = *page.model()->row(page.model()->index(0, 0));
        QsciScintilla* editor = page.detail()->source()->editor();
        QTRY_VERIFY_WITH_TIMEOUT(editor->markerFindNext(0, 1 << 23) >= 0, patience);
        const auto record = recordOf(row);
        QCOMPARE(editor->markerFindNext(0, 1 << 23), record.line - 1);
        QCOMPARE(placeText(record),
                 QStringLiteral("line %1, block (12, 0, 0), thread (31, 0, 0)").arg(record.line));

        filter.verdicts = {"wrong-result"};
        page.facets()->setFilter(filter);
        const auto wrong = [&] { return page.model()->row(page.model()->index(0, 0)); };
        QTRY_VERIFY_WITH_TIMEOUT(wrong() && wrong()->verdict == Verdict::WrongResult, patience);
        QCOMPARE(wrongElementText(recordOf(*wrong())),
                 QStringLiteral("row 17: expected 3.1415926, got 2.7182817 (allowed difference 4.2E-06)"));
    }

    void heatSumsToOne()
    {
        LineCounters a, b, c;
        a.line = 3, a.warpInstructions = 30, a.threadInstructions = 30 * 32;
        b.line = 5, b.warpInstructions = 60, b.threadInstructions = 60 * 16;
        c.line = 5, c.warpInstructions = 10, c.threadInstructions = 10 * 32;
        const auto heat = heatByLine({a, b, c}, heatCounters()[0]);
        QCOMPARE(heat.size(), std::size_t(2));
        QCOMPARE(heat.at(3).share, 0.3);
        QCOMPARE(heat.at(5).share, 0.7);
        QCOMPARE(heat.at(5).heat, 1.0);
        const auto idle = heatByLine({a, b, c}, heatCounters()[3]);
        QCOMPARE(idle.size(), std::size_t(1));
        QCOMPARE(idle.at(5).value, 960.0);
    }

    // Highlighting knows CUDA: qualifiers and built-ins are a keyword set of their own, plan lines a style.
    void lexerKnowsCuda()
    {
        SourceView view;
        view.resize(500, 300);
        view.showProgram(
            QStringLiteral("//! task spmv\n// a comment\nextern \"C\" __global__ void f(int n)\n{\n    "
                           "int i = threadIdx.x;\n}\n"),
            {});
        view.setVisible(true);
        QsciScintilla* editor = view.editor();
        editor->recolor();
        const auto styleAt = [&](int line, int column) {
            return static_cast<int>(editor->SendScintilla(
                QsciScintilla::SCI_GETSTYLEAT,
                static_cast<unsigned long>(editor->positionFromLineIndex(line, column))));
        };
        QCOMPARE(styleAt(0, 2), static_cast<int>(QsciLexerCPP::CommentLineDoc));
        QCOMPARE(styleAt(1, 2), static_cast<int>(QsciLexerCPP::CommentLine));
        QCOMPARE(styleAt(2, 0), static_cast<int>(QsciLexerCPP::Keyword));
        QCOMPARE(styleAt(2, 12), static_cast<int>(QsciLexerCPP::KeywordSet2));
        QCOMPARE(styleAt(4, 13), static_cast<int>(QsciLexerCPP::KeywordSet2));
    }

    void starAndNoteSurvive()
    {
        KernelsPage page;
        open(page, *m_session);
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->rowCount() > 0 && page.table()->currentIndex().isValid(),
                                 patience);
        const CandidateId id = page.model()->row(page.table()->currentIndex())->id;
        const auto row = [&] { return page.model()->row(page.model()->indexOf(id)); };
        QVERIFY(!row()->starred && !row()->pinned);
        page.detail()->toggleStar();
        page.detail()->togglePin();
        QTRY_VERIFY_WITH_TIMEOUT(row() && row()->starred && row()->pinned, patience);
        const auto kept = readFile(path() / "annotations.jsonl");
        QVERIFY(kept && kept->find(row()->programHash) != std::string::npos);
    }

    // Correct programs of training matrices join the set; a second time they leave it; both can be undone.
    void programsJoinTheSftSet()
    {
        KernelsPage page;
        open(page, *m_session);
        CandidateFilter filter = page.facets()->filter();
        filter.splits = {"train"};
        page.facets()->setFilter(filter);
        const auto settled = [&] { return !page.model()->searching() && !m_session->busy(); };
        QTRY_VERIFY_WITH_TIMEOUT(settled() && page.model()->rowCount() > 10, patience);
        std::set<std::pair<std::string, std::string>> correct; // program and target
        int wrong = 0;
        page.table()->clearSelection();
        for (int i = 0; i < 10; ++i) {
            const CandidateRow* row = nullptr;
            QTRY_VERIFY_WITH_TIMEOUT(row = page.model()->row(page.model()->index(i, 0)), patience);
            if (row->verdict == Verdict::Correct)
                correct.emplace(row->programHash, row->target.key());
            else
                ++wrong;
            page.table()->selectionModel()->select(page.model()->index(i, 0),
                                                   QItemSelectionModel::Select | QItemSelectionModel::Rows);
        }
        QVERIFY(!correct.empty() && wrong > 0);
        const auto inSet = [&] {
            std::size_t count = 0;
            for (const ChosenProgram& program : readSftSet(path()).value_or(std::vector<ChosenProgram>()))
                count += program.text.empty() ? 0 : program.targets.size();
            return count;
        };
        page.toggleSft();
        QTRY_COMPARE_WITH_TIMEOUT(inSet(), correct.size(), patience);
        const auto told = [&] { return page.detail()->findChild<MessageBar*>()->accessibleName(); };
        QTRY_VERIFY2_WITH_TIMEOUT(told().contains(QLatin1String("added to the SFT set")) &&
                                      told().contains(QLatin1String("not correct")),
                                  qPrintable(told()), patience);
        CandidateFilter chosen;
        chosen.distinctPrograms = true;
        chosen.sftOnly = true;
        QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
        page.facets()->setFilter(chosen);
        const auto allChosen = [&] {
            for (int i = 0; i < page.model()->rowCount(); ++i)
                if (const CandidateRow* row = page.model()->row(page.model()->index(i, 0));
                    !row || !row->inSftSet || !correct.contains({row->programHash, row->target.key()}))
                    return false;
            return page.model()->rowCount() >= static_cast<int>(correct.size());
        };
        QTRY_VERIFY_WITH_TIMEOUT(settled() && allChosen(), patience);
        page.table()->selectAll();
        page.toggleSft();
        QTRY_COMPARE_WITH_TIMEOUT(inSet(), std::size_t(0), patience);
        m_session->undoStack()->undo();
        QTRY_COMPARE_WITH_TIMEOUT(inSet(), correct.size(), patience);
        m_session->undoStack()->undo();
        QTRY_COMPARE_WITH_TIMEOUT(inSet(), std::size_t(0), patience);
    }

    // The relatives of a program stand beside it; one of them becomes what it is compared with.
    void relativesCanBeCompared()
    {
        KernelsPage page;
        page.resize(1300, 800);
        open(page, *m_session);
        CandidateFilter filter = page.facets()->filter();
        filter.verdicts = {"correct"};
        filter.families = {"S2"};
        page.facets()->setFilter(filter);
        QTRY_VERIFY_WITH_TIMEOUT(
            !page.model()->searching() && !m_session->busy() && page.detail()->candidate(), patience);
        page.detail()->tabs()->setCurrentWidget(page.detail()->tabs()->relatives());
        QTableWidget* table = page.detail()->tabs()->relatives()->table();
        QTRY_VERIFY_WITH_TIMEOUT(!page.detail()->tabs()->relatives()->searching() && table->rowCount() > 1,
                                 patience);
        int itself = -1;
        for (int row = 0; row < table->rowCount(); ++row)
            if (table->item(row, 1)->text() == QLatin1String("this one"))
                itself = row;
        QCOMPARE(itself, 0); // then the most alike first
        QCOMPARE(table->currentRow(), itself);
        const auto likeness = [&](int row) {
            return QLocale().toDouble(table->item(row, 1)->text().section(QLatin1Char(' '), 0, 0));
        };
        for (int row = 2; row < table->rowCount(); ++row)
            QVERIFY2(likeness(row - 1) >= likeness(row), qPrintable(QString::number(row)));
        // The colour of a verdict is the theme's of the moment.
        QStyleOptionViewItem option;
        const auto tone = [&](const Theme& theme) {
            struct Seen : PlainDelegate
            {
                using PlainDelegate::initStyleOption;
            } delegate;
            option.palette = theme.palette();
            delegate.initStyleOption(&option, table->model()->index(0, 2));
            return option.palette.color(QPalette::Text);
        };
        QCOMPARE(tone(Theme::light()), Theme::light().good);
        QCOMPARE(tone(Theme::darkTheme()), Theme::darkTheme().good);
        // Or in the order of another column.
        table->horizontalHeader()->setSortIndicator(3, Qt::DescendingOrder);
        double before = 1e9;
        for (int row = 0; row < table->rowCount(); ++row) {
            const double speedup = QLocale().toDouble(table->item(row, 3)->text().chopped(1));
            QVERIFY(speedup <= before);
            before = speedup;
            if (table->item(row, 1)->text() == QLatin1String("this one"))
                itself = row;
        }
        page.detail()->tabs()->relatives()->compareChosen(); // with itself: nothing
        table->selectRow(itself > 0 ? 0 : 1);
        page.detail()->tabs()->relatives()->compareChosen();
        QTRY_VERIFY_WITH_TIMEOUT(!page.detail()->sources()->baseline()->isHidden(), patience);
        QVERIFY(!page.detail()->sources()->baseline()->editor()->text().isEmpty());
        page.detail()->toggleBaseline();
        QVERIFY(page.detail()->sources()->baseline()->isHidden());
    }

    /// The samples of a policy stand beside each other with their rewards; programs of the corpus have no
    /// group.
    void groupsStandBesideEachOther()
    {
        KernelsPage page;
        page.resize(1300, 800);
        open(page, *m_session);
        QTRY_VERIFY_WITH_TIMEOUT(
            !page.model()->searching() && !m_session->busy() && page.detail()->candidate(), patience);
        KernelTabs* tabs = page.detail()->tabs();
        RelativesView* relatives = tabs->relatives();
        tabs->setCurrentWidget(relatives);
        QVERIFY(relatives->kinds()->isVisible());
        relatives->kinds()->setCurrentIndex(1);
        QVERIFY(!relatives->table()->isVisible());
        GroupView* group = relatives->group();
        QTableWidget* table = group->table();
        QTRY_VERIFY_WITH_TIMEOUT(table->rowCount() > 0, patience);
        const CandidateRow of = *page.detail()->candidate();
        double above = 0;
        int itself = -1;
        for (int row = 0; row < table->rowCount(); ++row) {
            above += QLocale().toDouble(table->item(row, 2)->text().remove(QLatin1Char('+')));
            if (table->item(row, 3)->text().contains(QLatin1String("this one")))
                itself = row;
        }
        QVERIFY2(std::abs(above) < 0.001 * table->rowCount(), qPrintable(QString::number(above)));
        QVERIFY(itself >= 0);
        QCOMPARE(QLocale().toDouble(table->item(itself, 1)->text()), std::round(1000 * of.reward) / 1000);
        QVERIFY2(group->note()->text().contains(QStringLiteral("in step %1").arg(of.step)),
                 qPrintable(group->note()->text()));
        if (table->rowCount() > 1) {
            table->selectRow(itself > 0 ? 0 : 1);
            group->compareChosen();
            QTRY_VERIFY_WITH_TIMEOUT(!page.detail()->sources()->baseline()->isHidden(), patience);
            page.detail()->toggleBaseline();
        }
        CandidateRow other = of;
        other.id.seq = 1'000'000;
        other.origin = sample_origin::corpus;
        relatives->show(other);
        QVERIFY(!relatives->kinds()->isVisible());
        QVERIFY(relatives->table()->isVisible());
        relatives->kinds()->setCurrentIndex(0);
    }

    void profileTellsBreakEven()
    {
        VerdictRecord r;
        r.verdict = Verdict::Correct;
        r.warm = Timing{10, 9, 11, 15};
        r.baselineMicroseconds = 30;
        r.baselineName = "reference CSR program";
        r.setupMicroseconds = 100;
        r.shareOfLimit = 0.5;
        ProfileView view;
        view.show(r);
        QHash<QString, QString> shown;
        for (int i = 0; i < view.table()->rowCount(); ++i)
            shown[view.table()->item(i, 0)->text()] = view.table()->item(i, 1)->text();
        QCOMPARE(shown[QStringLiteral("Set-up pays off")], QStringLiteral("after 5 calls"));
        QCOMPARE(shown[QStringLiteral("Speed-up")], QStringLiteral("3.00×"));
        QCOMPARE(view.chart()->data().series.first().size(), 3); // limit, warm, baseline
        QCOMPARE(view.chart()->data().series.first().curve->y(0), 5.0);
    }

    // Times and counts for another matrix are neither better nor worse; speed-ups and shares are compared.
    void otherMatricesTimesAreNotCompared()
    {
        VerdictRecord r;
        r.verdict = Verdict::Correct;
        r.warm = Timing{10, 9, 11, 15};
        r.baselineMicroseconds = 30;
        r.shareOfLimit = 0.5;
        r.target.contents = "one";
        VerdictRecord other = r;
        other.warm = Timing{8, 7, 9, 15};
        other.shareOfLimit = 0.4;
        ProfileView view;
        const auto difference = [&](const char* name) -> QString {
            for (int row = 0; row < view.table()->rowCount(); ++row)
                if (view.table()->item(row, 0)->text() == QLatin1String(name))
                    return view.table()->item(row, 3)->text() + QLatin1Char('/') +
                           QString::number(view.table()->item(row, 3)->data(TextToneRole).toInt());
            return QStringLiteral("no row");
        };
        const QString worse = QLatin1Char('/') + QString::number(static_cast<int>(Tone::Bad));
        view.show(r, other);
        QCOMPARE(difference("Warm time"), QStringLiteral("+25 % worse") + worse);
        other.target.contents = "another";
        view.show(r, other);
        QCOMPARE(difference("Warm time"), QStringLiteral("/0"));
        QCOMPARE(difference("Speed-up"), QStringLiteral("−20 % worse") + worse);
        QVERIFY(difference("Share of the limit").startsWith(QLatin1String("+25 % better/")));
    }

    // The names and the difference are whole where the table has little room; longer values end in dots.
    void profileKeepsItsDifference()
    {
        VerdictRecord r;
        r.verdict = Verdict::Correct;
        r.warm = Timing{10.25, 9.125, 11.375, 15};
        r.warm->n = 12345;
        r.cold = Timing{20.25, 19.125, 21.375, 15};
        r.baselineMicroseconds = 30.75;
        r.compulsoryBytes = 123456789;
        r.setupMicroseconds = 100;
        r.device = "h200";
        VerdictRecord other = r;
        other.warm->median = 1234.5;
        for (const bool both : {false, true}) {
            ProfileView view;
            view.show(r, both ? std::optional(other) : std::nullopt);
            view.setVisible(true);
            for (int width = 580; width <= 1000; width += 30) {
                view.resize(width, 500);
                QCoreApplication::processEvents();
                const QTableWidget* table = view.table();
                const auto* header = table->horizontalHeader();
                for (const int column : {0, 3}) {
                    const int needs =
                        std::max(static_cast<const QAbstractItemView*>(table)->sizeHintForColumn(column),
                                 header->sectionSizeHint(column));
                    QVERIFY2(header->sectionSize(column) >= needs, qPrintable(QString::number(width)));
                }
                QVERIFY2(header->length() <= table->viewport()->width(),
                         qPrintable(QStringLiteral("%1 of %2 at %3")
                                        .arg(header->length())
                                        .arg(table->viewport()->width())
                                        .arg(width)));
                for (int row = 0; row < table->rowCount(); ++row)
                    QVERIFY(table->item(row, 1)->toolTip().startsWith(table->item(row, 1)->text()));
            }
        }
    }

    // A program's text comes a moment after its row was chosen: until then nothing is done to the one before.
    void actionsWaitForTheProgram()
    {
        KernelsPage page;
        open(page, *m_session);
        KernelDetail& detail = *page.detail();
        const auto button = [&](KernelAction action) {
            return detail.findChild<KernelHeader*>()->button(action);
        };
        QToolButton* const needing[] = {button(KernelAction::Verify), button(KernelAction::Edit),
                                        button(KernelAction::Compare)};
        const auto enabled = [&](bool wanted) {
            return std::all_of(std::begin(needing), std::end(needing),
                               [&](const QToolButton* one) { return one->isEnabled() == wanted; });
        };
        QTRY_VERIFY_WITH_TIMEOUT(detail.candidate() && enabled(true), patience);
        const std::string before = detail.candidate()->programHash;
        int other = 0;
        while (page.model()->row(page.model()->index(other, 0))->programHash == before)
            ++other;
        page.table()->setCurrentIndex(page.model()->index(other, 0));
        QVERIFY(detail.candidate()->programHash != before);
        QVERIFY(enabled(false));
        detail.verifyAgain(); // by their keys
        detail.editCopy();
        detail.toggleBaseline();
        QVERIFY(detail.findChild<MessageBar*>()->isHidden());
        QVERIFY(!page.findChild<QDialog*>());
        QVERIFY(!button(KernelAction::Compare)->isChecked());
        QTRY_VERIFY_WITH_TIMEOUT(enabled(true), patience);
        detail.toggleBaseline();
        QVERIFY(button(KernelAction::Compare)->isChecked());
        QCOMPARE(readVerifications(path()).value_or(std::vector<Verification>()).size(), std::size_t{0});
    }

    // Any program can be the baseline: its text beside the shown one, a difference in every row.
    void comparesWithAnyProgram()
    {
        KernelsPage page;
        page.resize(1300, 800);
        open(page, *m_session);
        CandidateFilter filter = page.facets()->filter();
        filter.verdicts = {"correct"};
        page.facets()->setFilter(filter);
        QTRY_VERIFY_WITH_TIMEOUT(!page.model()->searching() && page.model()->rowCount() > 10, patience);
        const auto shown = [&](int row) {
            const auto* wanted = page.model()->row(page.model()->index(row, 0));
            const auto& now = page.detail()->candidate();
            return wanted && now && now->id == wanted->id && !m_session->busy();
        };
        const auto choose = [&](int row) {
            page.table()->setCurrentIndex(page.model()->index(row, 0));
            QTRY_VERIFY_WITH_TIMEOUT(shown(row), patience);
            QTest::qWait(20);
        };
        choose(0);
        KernelDetail& detail = *page.detail();
        const QString first = detail.source()->editor()->text();
        QVERIFY(!detail.source()->heat().empty());
        QVERIFY(!detail.source()->findChild<HeatScrollBar*>()->marks().empty());
        detail.toggleBaseline();
        QVERIFY(detail.sources()->baseline()->isHidden()); // not with itself
        // On the same target: times on another are not compared.
        const TargetId target = detail.candidate()->target;
        for (int other = 1; other < page.model()->rowCount(); ++other) {
            choose(other);
            if (detail.source()->editor()->text() != first && detail.candidate()->target == target)
                break;
        }
        QVERIFY(detail.candidate()->target == target);
        QVERIFY(!detail.sources()->baseline()->isHidden());
        QCOMPARE(detail.sources()->baseline()->editor()->text(), first);
        const auto& differences = detail.sources()->differences();
        QVERIFY(!differences.empty());
        detail.source()->editor()->setCursorPosition(0, 0);
        detail.sources()->nextDifference();
        int line = 0, column = 0;
        detail.source()->editor()->getCursorPosition(&line, &column);
        QVERIFY(std::any_of(differences.begin(), differences.end(),
                            [&](const LineDifference& d) { return d.rightBegin == line; }));
        // Both sides are as long on the screen, whatever lines each has.
        const auto height = [](QsciScintilla* editor) {
            long lines = 0;
            for (int i = 0; i < editor->lines(); ++i)
                lines += editor->SendScintilla(QsciScintilla::SCI_WRAPCOUNT, static_cast<unsigned long>(i)) +
                         editor->SendScintilla(QsciScintilla::SCI_ANNOTATIONGETLINES,
                                               static_cast<unsigned long>(i));
            return lines;
        };
        QCOMPARE(height(detail.source()->editor()), height(detail.sources()->baseline()->editor()));
        const QTableWidget* table = detail.tabs()->profile()->table();
        int numbers = 0;
        for (int row = 0; row < table->rowCount(); ++row)
            numbers += table->item(row, 3)->text().isEmpty() ? 0 : 1;
        QVERIFY2(numbers >= 10, qPrintable(QString::number(numbers)));
        QVERIFY(page.grab().save(QStringLiteral("kernels-compare.png")));
        detail.toggleBaseline();
        QVERIFY(detail.sources()->baseline()->isHidden());
        QVERIFY(detail.sources()->differences().empty());
    }

    // A point for each correct program of the list that is for the selected program's target, where its
    // record says; the selected program is marked. In one cloud, programs for other matrices would say
    // nothing.
    void speedAgainstSharedMemory()
    {
        KernelsPage page;
        page.resize(1300, 800);
        open(page, *m_session);
        KernelDetail& detail = *page.detail();
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->rowCount() > 100 && !m_session->busy(), patience);
        detail.tabs()->setCurrentWidget(detail.tabs()->sharedMemory());
        const auto data = [&] { return detail.tabs()->sharedMemory()->chart()->data(); };
        const QString mark = QStringLiteral("this program");
        const auto points = [&] {
            qsizetype all = 0;
            for (const ChartSeries& series : data().series)
                all += series.name == mark ? 0 : series.size();
            return all;
        };
        CandidateFilter filter = page.facets()->filter();
        filter.verdicts = {"correct"};
        page.facets()->setFilter(filter);
        const auto settled = [&] {
            return !page.model()->searching() && !m_session->busy() && detail.candidate() &&
                   detail.candidate()->verdict == Verdict::Correct;
        };
        QTRY_VERIFY_WITH_TIMEOUT(settled() && points() > 10, patience);
        const auto before = points();
        std::set<int> colours;
        for (const ChartSeries& series : data().series)
            QVERIFY(colours.insert(series.colour).second && series.colour < 6); // none is a shade of another
        for (const ChartLegendEntry& entry : data().legend)
            QVERIFY2(!entry.name.contains(QLatin1Char(',')), qPrintable(entry.name));
        filter.families = {"S3"};
        page.facets()->setFilter(filter);
        QTRY_VERIFY_WITH_TIMEOUT(
            settled() && detail.candidate()->family == "S3" && points() > 0 && points() < before, patience);
        QTRY_COMPARE_WITH_TIMEOUT(data().series.size(), 2, patience);
        const QList<ChartSeries> series = data().series;
        QCOMPARE(series[0].name, QStringLiteral("S3 · CSR, warp per row"));
        QCOMPARE(series[0].curve->x(0), 1.0); // the made-up records have 1,024 bytes
        // The same list, counted from the records themselves.
        qsizetype timed = 0, others = 0;
        double fastest = 0, drawn = 0;
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto matrices = reader->matrices();
        QVERIFY(matrices);
        const TargetId target = detail.candidate()->target;
        const auto speed = [&](const CandidateRow& row) {
            for (const MatrixRow& matrix : *matrices)
                if (matrix.digest == row.target.contents)
                    return 2e-3 * static_cast<double>(matrix.nnz) / row.microseconds;
            return 0.0;
        };
        for (int i = 0; i < page.model()->rowCount(); ++i) {
            const CandidateRow* row = nullptr;
            QTRY_VERIFY_WITH_TIMEOUT(row = page.model()->row(page.model()->index(i, 0)), patience);
            if (row->target != target) {
                ++others;
                continue;
            }
            ++timed;
            fastest = std::max(fastest, speed(*row));
        }
        QVERIFY(others > 0);
        for (std::size_t i = 0; i < series[0].curve->size(); ++i)
            drawn = std::max(drawn, series[0].curve->y(i));
        QCOMPARE(series[0].size(), timed);
        QVERIFY(std::abs(drawn - fastest) < 1e-9 * fastest);
        QCOMPARE(series[1].name, mark);
        QCOMPARE(series[1].size(), 1);
        const double own = speed(*detail.candidate());
        QVERIFY(std::abs(series[1].curve->y(0) - own) < 1e-9 * own);
    }

    // How policies came to a program: those of its family for its matrix, earliest first, it among them.
    void programsLikeThisInTheirOrder()
    {
        KernelsPage page;
        open(page, *m_session);
        CandidateFilter filter = page.facets()->filter();
        filter.verdicts = {"correct"};
        filter.families = {"S2"};
        page.facets()->setFilter(filter);
        const auto settled = [&] { return !page.model()->searching() && !m_session->busy(); };
        QTRY_VERIFY_WITH_TIMEOUT(settled() && page.detail()->candidate() && page.model()->total() > 0,
                                 patience);
        const CandidateRow chosen = *page.detail()->candidate();
        page.showSimilar();
        QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
        QVERIFY(page.model()->total() > 1);
        QCOMPARE(page.table()->horizontalHeader()->sortIndicatorSection(), static_cast<int>(CandidateStep));
        std::int64_t before = -1;
        bool among = false;
        for (int i = 0; i < page.model()->rowCount(); ++i) {
            const CandidateRow* row = nullptr;
            QTRY_VERIFY_WITH_TIMEOUT(row = page.model()->row(page.model()->index(i, 0)), patience);
            QCOMPARE(row->target.contents, chosen.target.contents);
            QCOMPARE(row->family, chosen.family);
            QVERIFY(row->step >= before);
            before = row->step;
            among = among || row->id == chosen.id;
        }
        QVERIFY(among);
        QVERIFY(page.model()->id(page.table()->currentIndex()) == chosen.id);
    }

    void deltaSaysWhichIsBetter()
    {
        using Row = ProfileRow;
        const Row fast{{}, {}, {}, 8, Row::Better::Lower}, slow{{}, {}, {}, 10, Row::Better::Lower};
        QCOMPARE(deltaText(fast, slow), QStringLiteral("−20 % better"));
        QCOMPARE(deltaText(slow, fast), QStringLiteral("+25 % worse"));
        QCOMPARE(deltaText(fast, fast), QStringLiteral("same"));
        const Row high{{}, {}, {}, 2, Row::Better::Higher}, none{{}, {}, {}, 0, Row::Better::Higher};
        QCOMPARE(deltaText(high, none), QStringLiteral("better"));
        QCOMPARE(deltaText(high, Row{}), QString());
    }

    void linesOfPtxByHand()
    {
        const std::vector<int> lines = programLines(".visible .entry f(\n"
                                                    "{\n"
                                                    "\t.loc\t1 6 5\n"
                                                    "\tmov.u32 %r1, 1;\n"
                                                    "\t.loc\t2 90 1, function_name $L0, inlined_at 1 8 3\n"
                                                    "\tadd.s32 %r1, %r1, 1;\n"
                                                    "\t.loc\t2 91 1\n"
                                                    "\tret;\n"
                                                    "}\n"
                                                    ".file\t1 \"/work/program.cu\"\n"
                                                    ".file\t2 \"header.h\"\n");
        QCOMPARE(lines, (std::vector<int>{0, 0, 6, 6, 8, 8, 8, 8, 0, 0, 0}));
    }

    void findingsGoToTheirLine()
    {
        VerdictRecord r;
        r.verdict = Verdict::Correct;
        r.device = "simulated h200";
        r.warm = Timing{100, 99, 101, 15};
        LineCounters scattered;
        scattered.line = 12;
        scattered.warpInstructions = 1000;
        scattered.threadInstructions = 32'000;
        scattered.globalSectors = 32'000;
        r.lines = {scattered};
        FindingsView view;
        QSignalSpy lines(&view, &FindingsView::lineChosen);
        QCOMPARE(view.show(r), 2); // the limiter and the scattered access
        QVERIFY(view.list()->item(0)->text().startsWith(QLatin1String("Limited by latency")));
        QVERIFY(view.list()->item(0)->text().endsWith(
            QLatin1String(" Most instructions are issued at line 12.")));
        QCOMPARE(view.list()->item(1)->text(),
                 QStringLiteral("Line 12: scattered access, 32 sectors per warp instruction; 32 contiguous "
                                "floats need 4."));
        Q_EMIT view.list()->itemActivated(view.list()->item(1));
        QCOMPARE(lines.value(0).value(0).toInt(), 12);
        r.device = "a device of nobody";
        QCOMPARE(view.show(r), 0);
    }

    void rooflineHasTheProgramBelowTheRoof()
    {
        VerdictRecord r;
        r.verdict = Verdict::Correct;
        r.device = "simulated h200";
        r.warm = Timing{10, 9, 11, 15};
        r.baselineMicroseconds = 20;
        r.compulsoryBytes = 80'000;
        RooflineView view;
        view.show(r, {}, 10'000);
        const auto& series = view.chart()->data().series;
        QCOMPARE(series.size(), 4);            // DRAM, L2, the baseline, and above it the program
        QCOMPARE(series[3].curve->x(0), 0.25); // 2 x 10,000 FLOP over 80,000 bytes
        QCOMPARE(series[3].curve->y(0), 2.0);  // 20,000 FLOP in 10 us
        QCOMPARE(series[2].curve->y(0), 1.0);
        for (const std::int64_t nnz : {0, -1}) { // not known yet; of a matrix that went
            view.show(r, {}, nnz);
            QVERIFY(view.chart()->data().series.isEmpty());
            QCOMPARE(view.chart()->data().emptyText.contains(QLatin1String("no longer in the library")),
                     nnz < 0);
        }
    }

    // What a policy writes appears line by line; the command is a script here, since no policy is small.
    void writtenProgramsAppearAsTheyCome()
    {
        QTemporaryDir bin;
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        std::filesystem::path policy;
        const auto checkpoints = reader->checkpoints();
        QVERIFY(checkpoints);
        for (const CheckpointRow& checkpoint : *checkpoints)
            if (checkpoint.present)
                policy = checkpoint.path;
        QVERIFY(!policy.empty());
        for (const CheckpointRow& checkpoint : *checkpoints) // as a search keeps them
            if (checkpoint.path != policy)
                std::filesystem::remove(checkpoint.path / "model.safetensors");
        VerdictRecord record;
        record.programHash = sha256Hex("//! task spmv");
        record.target.contents = "d";
        record.verdict = Verdict::Correct;
        record.warm = Timing{10, 10, 10, 1};
        record.baselineMicroseconds = 25;
        const auto line = [](int sample, const std::string& verdict) {
            return "echo '{\"matrix\":\"/a/b/social.mtx\",\"digest\":\"d\",\"sample\":" +
                   std::to_string(sample) +
                   ",\"program\":\"//! task spmv\","
                   "\"family\":\"S2\",\"stop_reason\":\"\",\"verdict\":" +
                   verdict + "}'\n";
        };
        // First what is being written, in pieces, then a verdict before all are complete.
        const auto pieces = [](const std::string& first, const std::string& second) {
            return "echo '{\"stream\":\"text\",\"digest\":\"d\",\"pieces\":[{\"sample\":0,\"text\":\"" +
                   first + "\"},{\"sample\":1,\"text\":\"" + second + "\"}]}'\n";
        };
        const std::string verdict =
            "echo '{\"stream\":\"verdict\",\"digest\":\"d\",\"sample\":0,\"verdict\":" +
            toJson(record).dump() + "}'\n";
        const std::string script =
            "#!/bin/sh\necho \"$@\" > '" + bin.filePath(QStringLiteral("words")).toStdString() + "'\n" +
            pieces("//! ta", "//!") + pieces("sk", " x") + verdict + "while [ ! -e '" +
            bin.filePath(QStringLiteral("go")).toStdString() + "' ]; do sleep 0.02; done\n" +
            line(0, toJson(record).dump()) + line(1, "null");
        const QString program = bin.filePath(QStringLiteral("sparserl"));
        QVERIFY(writeFileAtomic(program.toStdString(), script));
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        const QByteArray before = qgetenv("PATH");
        qputenv("PATH", bin.path().toUtf8() + ":" + before);
        {
            WriteDialog dialog(m_session.get(), nullptr);
            dialog.show();
            QTRY_VERIFY_WITH_TIMEOUT(dialog.choice()->matrices()->count() > 3, patience);
            // The one that comes with the program, and the project's: its other checkpoints hold no policy.
            QCOMPARE(dialog.choice()->policies()->count(), 2);
            QCOMPARE(dialog.choice()->policies()->itemText(0), QStringLiteral("Default policy"));
            QCOMPARE(dialog.choice()->policies()->itemData(0).toString().toStdString(),
                     defaultPolicyFolder()->string());
            QCOMPARE(dialog.choice()->policies()->currentIndex(), 1);
            for (int row = 0; row < dialog.choice()->matrices()->count(); ++row)
                dialog.choice()->matrices()->item(row)->setCheckState(row == 1 ? Qt::Checked : Qt::Unchecked);
            dialog.count()->setValue(3);
            QVERIFY(dialog.choice()->typeArguments().isEmpty()); // the policy's own
            dialog.choice()->types()->setCurrentIndex(2);
            dialog.start();
            const auto cell = [&](int row, int column) { return dialog.table()->item(row, column)->text(); };
            QTRY_VERIFY_WITH_TIMEOUT(dialog.table()->rowCount() == 2 && cell(0, 3) == QStringLiteral("2.50×"),
                                     patience);
            QVERIFY(dialog.running()); // the first is there while the rest is being written
            QCOMPARE(cell(1, 1), QStringLiteral("writing…"));
            QCOMPARE(dialog.source()->editor()->text(), QStringLiteral("//! task"));
            dialog.table()->selectRow(1);
            QCOMPARE(dialog.source()->editor()->text(), QStringLiteral("//! x"));
            QVERIFY(writeFileAtomic(bin.filePath(QStringLiteral("go")).toStdString(), ""));
            QTRY_VERIFY_WITH_TIMEOUT(!dialog.running(), patience);
            QCOMPARE(dialog.table()->rowCount(), 2);
            QCOMPARE(dialog.source()->editor()->text(), QStringLiteral("//! task spmv"));
            QVERIFY(cell(1, 1) != QStringLiteral("writing…"));
            QCOMPARE(cell(0, 2), toQString(familyTitle("S2"))); // with its name
            QVERIFY(cell(0, 2).contains(QChar(0xb7)));
            QCOMPARE(dialog.outcome()->text(),
                     QStringLiteral("2 programs were written, 1 of them correct; the best "
                                    "speed-up is 2.50×."));
            // Each is a candidate of its own now.
            QTRY_COMPARE_WITH_TIMEOUT(readWrittenPrograms(path())->size(), std::size_t{2}, patience);
            const auto kept = *readWrittenPrograms(path());
            QVERIFY(kept[0].record && kept[0].record->correct() && !kept[1].record);
            QCOMPARE(kept[0].origin, std::string(sample_origin::generated));
            QCOMPARE(kept[0].source,
                     (policy.parent_path().parent_path().filename() / policy.filename()).string());
            const auto words = readFile(bin.filePath(QStringLiteral("words")).toStdString());
            QVERIFY(words && words->find("-n 3") != std::string::npos &&
                    words->find("--type f64") != std::string::npos &&
                    words->find(policy.string()) != std::string::npos);
            // Given up: what came stays, also in the project.
            QFile::remove(bin.filePath(QStringLiteral("go")));
            record.programHash = sha256Hex("//! task spmv again");
            const std::string again =
                "#!/bin/sh\n" + pieces("//! task", "//!") + pieces(" spmv again", " x") +
                "echo '{\"stream\":\"verdict\",\"digest\":\"d\",\"sample\":0,\"verdict\":" +
                toJson(record).dump() + "}'\nwhile [ ! -e '" +
                bin.filePath(QStringLiteral("go")).toStdString() + "' ]; do sleep 0.02; done\n";
            QVERIFY(writeFileAtomic(program.toStdString(), again));
            QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
            dialog.start();
            QTRY_VERIFY_WITH_TIMEOUT(dialog.table()->rowCount() == 2 && cell(0, 3) == QStringLiteral("2.50×"),
                                     patience);
            dialog.start();
            QTRY_VERIFY_WITH_TIMEOUT(!dialog.running(), patience);
            QVERIFY2(dialog.outcome()->text().startsWith(QLatin1String("Cancelled.")),
                     qPrintable(dialog.outcome()->text()));
            QCOMPARE(dialog.table()->rowCount(), 2);
            QVERIFY(cell(1, 1) != QStringLiteral("writing…"));
            QTRY_COMPARE_WITH_TIMEOUT(readWrittenPrograms(path())->size(), std::size_t{3}, patience);
            QCOMPARE(readWrittenPrograms(path())->back().text, std::string("//! task spmv again"));
            // Most are wrong at the policy's own temperature: another one is suggested, to whom chose none.
            record.verdict = Verdict::WrongResult;
            record.programHash = sha256Hex("//! task spmv");
            std::string wrong = "#!/bin/sh\necho '{\"stream\":\"policy\",\"temperature\":1}'\n";
            for (int sample = 0; sample < 4; ++sample)
                wrong += line(sample, toJson(record).dump());
            QVERIFY(writeFileAtomic(program.toStdString(), wrong));
            QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
            auto* temperature = dialog.findChild<QDoubleSpinBox*>();
            for (const double chosen : {0.0, 0.9}) {
                temperature->setValue(chosen);
                dialog.start();
                QTRY_VERIFY_WITH_TIMEOUT(!dialog.running(), patience);
                QVERIFY2(dialog.outcome()->text().startsWith(
                             QLatin1String("4 programs were written; none of them is correct.")),
                         qPrintable(dialog.outcome()->text()));
                QCOMPARE(dialog.outcome()->text().contains(
                             QLatin1String("own, 1, usually gives more correct programs: try 0.5.")),
                         chosen == 0);
            }
        }
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(sample_origin::generated).size() >= 2, patience);
        qputenv("PATH", before);
        for (const CheckpointRow& checkpoint : *checkpoints)
            if (checkpoint.present && checkpoint.path != policy)
                QVERIFY(writeFileAtomic(checkpoint.path / "model.safetensors", "none"));
        std::filesystem::remove(path() / writtenFile); // other tests take the newest correct program
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(sample_origin::generated).empty(), patience);
    }

    /// A copy that was edited is a row like all others, judged or not; one that was not changed is none.
    /// Where it cannot be kept, nothing is lost without a word.
    void editedCopiesAreKept()
    {
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto ids = reader->candidateOrder({}, {}, true);
        QVERIFY(ids && !ids->empty());
        ComparedProgram original;
        original.candidate = *reader->candidate(ids->back());
        original.text = *reader->programText(original.candidate.programHash);
        const auto edit = [&](const QString& line) {
            auto* dialog =
                new EditDialog(m_session.get(), original, {{"judge.model", std::string("h200")}}, nullptr);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->show();
            dialog->sources()->source()->editor()->append(line);
            return QPointer<EditDialog>(dialog);
        };
        const auto before = rowsOf(sample_origin::hand).size();
        QPointer<EditDialog> dialog = edit({});
        dialog->close();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog, patience);
        dialog = edit(QStringLiteral("// mine\n"));
        QTest::keyClick(dialog->sources()->source()->editor(), Qt::Key_Escape); // as the button Close
        QTRY_VERIFY_WITH_TIMEOUT(!dialog, patience);
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(sample_origin::hand).size(), before + 1, patience);
        const CandidateRow row = rowsOf(sample_origin::hand).front();
        QVERIFY(!row.verdict && row.target == original.candidate.target);
        QCOMPARE(QString::fromStdString(*reader->programText(row.programHash)),
                 QString::fromStdString(original.text) + QStringLiteral("// mine\n"));
        QCOMPARE(readWrittenProgram(path(), row.id.seq)->settings.size(), std::size_t{1});
        QCOMPARE(originText(row), QStringLiteral("edited by hand"));

        // The page shows it, with what it is a copy of.
        KernelsPage page;
        open(page, *m_session);
        page.go({Destination::Kind::Program, QString::fromStdString(row.programHash)});
        QTRY_VERIFY_WITH_TIMEOUT(page.detail()->candidate() && page.detail()->candidate()->id == row.id &&
                                     !page.detail()->candidate()->source.empty(),
                                 patience);
        QCOMPARE(page.detail()->candidate()->source, original.candidate.programHash);
        const QModelIndex run = page.model()->index(0, CandidateRun);
        QTRY_COMPARE_WITH_TIMEOUT(run.data().toString(), QStringLiteral("by hand"), patience);
        page.detail()->tabs()->setCurrentWidget(page.detail()->tabs()->evidence());
        QVERIFY(page.grab().save(QStringLiteral("kernels-by-hand.png")));

        // It is compared with any other program.
        page.detail()->toggleBaseline();
        CandidateFilter ofOriginal;
        ofOriginal.programHash = original.candidate.programHash;
        page.facets()->setFilter(ofOriginal);
        QTRY_VERIFY_WITH_TIMEOUT(!page.model()->searching() && page.model()->rowCount() > 0, patience);
        page.table()->setCurrentIndex(page.model()->index(0, 0));
        QTRY_VERIFY_WITH_TIMEOUT(page.detail()->candidate() &&
                                     page.detail()->candidate()->programHash == ofOriginal.programHash &&
                                     !page.detail()->sources()->differences().empty(),
                                 patience);
        QCOMPARE(page.detail()->sources()->baseline()->editor()->text(),
                 QString::fromStdString(original.text) + QStringLiteral("// mine\n"));
        page.detail()->toggleBaseline();
        page.facets()->setFilter({});
        page.go({Destination::Kind::Program, QString::fromStdString(row.programHash)});
        QTRY_VERIFY_WITH_TIMEOUT(page.detail()->candidate() && page.detail()->candidate()->id == row.id,
                                 patience);

        // Judged later: the row, the filters and the evidence have the verdict, and keep it.
        VerdictRecord wrong;
        wrong.programHash = row.programHash;
        wrong.target = row.target;
        wrong.verdict = Verdict::WrongResult;
        wrong.batteryCase = "one row";
        wrong.wrong = WrongElement{};
        wrong.wrong->row = 7;
        m_session->recordVerification({{}, 0, {}, wrong});
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(sample_origin::hand).front().verdict == Verdict::WrongResult,
                                 patience);
        QTableWidget* evidence = page.detail()->tabs()->evidence()->table();
        const auto told = [&](const QString& name) {
            for (int i = 0; i < evidence->rowCount(); ++i)
                if (evidence->item(i, 0)->text() == name)
                    return evidence->item(i, 1)->text();
            return QString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(told(QStringLiteral("First wrong element")).contains(QLatin1String("row 7")),
                                 patience);
        QVERIFY(told(QStringLiteral("Where")).contains(QLatin1String("one row")));
        for (int i = 0; i < evidence->rowCount(); ++i) // all lines of it have room
            QVERIFY2(evidence->rowHeight(i) >= static_cast<QAbstractItemView*>(evidence)->sizeHintForRow(i),
                     qPrintable(evidence->item(i, 0)->text()));
        QCOMPARE(page.detail()->candidate()->verdict, std::optional(Verdict::WrongResult));

        // A folder where the file should be: it cannot be written.
        const auto file = path() / writtenFile, aside = path() / "aside.jsonl";
        std::filesystem::rename(file, aside);
        std::filesystem::create_directory(file);
        dialog = edit(QStringLiteral("// lost?\n"));
        dialog->close();
        QTRY_VERIFY_WITH_TIMEOUT(dialog->outcome()->text().contains(QLatin1String("could not be kept")),
                                 patience);
        QVERIFY(dialog->isVisible());
        dialog->close();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog, patience);
        std::filesystem::remove(file);
        std::filesystem::rename(aside, file);
        m_problems.clear();
    }

    /// Tab leads out of the note; what is generated is generated for the matrix that is shown.
    void noteAndGenerateFollowTheProgram()
    {
        KernelsPage page;
        open(page, *m_session);
        QTRY_VERIFY_WITH_TIMEOUT(page.detail()->candidate() && page.model()->rowCount() > 3, patience);
        bool left = false;
        QTimer::singleShot(0, &page, [&] {
            auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            auto* note = dialog->findChild<QPlainTextEdit*>();
            note->setFocus();
            QTest::keyClick(note, Qt::Key_Tab);
            left = !note->hasFocus() && !note->toPlainText().contains(QLatin1Char('\t'));
            note->setPlainText(QStringLiteral("keep it"));
            dialog->accept();
        });
        page.detail()->editNote();
        QVERIFY(left);
        QTRY_COMPARE_WITH_TIMEOUT(page.detail()->candidate()->note, std::string("keep it"), patience);

        // A program of another matrix than the first one of the list.
        const auto matrices = ProjectReader::open(path())->matrices();
        const auto other = [&]() -> QModelIndex {
            for (int row = 0; row < page.model()->rowCount(); ++row)
                if (const auto* one = page.model()->row(page.model()->index(row, 0));
                    one && one->target.contents != matrices->front().digest)
                    return page.model()->index(row, 0);
            return {};
        };
        QTRY_VERIFY_WITH_TIMEOUT(other().isValid(), patience);
        page.table()->setCurrentIndex(other());
        const std::string digest = page.detail()->candidate()->target.contents;
        page.writePrograms();
        auto* dialog = page.findChild<WriteDialog*>();
        QVERIFY(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->choice()->matrices()->count() > 3, patience);
        QVERIFY(dialog->choice()->chosen() == std::vector<std::string>{digest});
        dialog->close();
        page.specialise();
        auto* form = page.findChild<SpecialiseDialog*>();
        QVERIFY(form);
        QTRY_VERIFY_WITH_TIMEOUT(form->choice()->matrices()->count() > 3, patience);
        QVERIFY(form->choice()->chosen() == std::vector<std::string>{digest});
        form->close();
    }

    // The box above the list: every row, or each program once.
    void duplicatesAreHidden()
    {
        KernelsPage page;
        open(page, *m_session);
        auto* box = page.facets()->findChild<QCheckBox*>();
        QVERIFY(box && box->isChecked() && box->text() == QLatin1String("Hide duplicates"));
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto count = [&](bool distinct) {
            CandidateFilter filter = page.facets()->filter();
            filter.distinctPrograms = distinct;
            const auto ids = reader->candidateOrder(filter, {}, true);
            return ids ? static_cast<int>(ids->size()) : -1;
        };
        const auto shows = [&](int rows) {
            return !page.model()->searching() && !m_session->busy() && page.model()->rowCount() == rows;
        };
        QVERIFY(count(true) > 0 && count(true) < count(false));
        QTRY_VERIFY_WITH_TIMEOUT(shows(count(true)), patience);
        box->click();
        QTRY_VERIFY_WITH_TIMEOUT(shows(count(false)), patience);
        box->click();
        QTRY_VERIFY_WITH_TIMEOUT(shows(count(true)), patience);
    }

    /// Where no file manager can be started, the path is on the clipboard, and a sentence says so.
    void foldersWithoutAFileManager()
    {
        const QString said = openFolder(path());
        test::takeWarnings(); // of the platform, which starts nothing
        QVERIFY2(said.contains(QLatin1String("clipboard")), qPrintable(said));
        QCOMPARE(QApplication::clipboard()->text(), QString::fromStdString(path().string()));
        // A desktop that has xdg-open and nothing that it could open.
        const QByteArray programs = qgetenv("PATH");
        QTemporaryDir bin;
        const auto answers = [&](const char* answer) {
            QFile script(bin.filePath(QStringLiteral("xdg-mime")));
            QVERIFY(script.open(QIODevice::WriteOnly));
            script.write(QByteArray("#!/bin/sh\necho ") + answer + "\n");
            script.close();
            QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        };
        qputenv("PATH", bin.path().toLocal8Bit() + ":" + programs);
        answers("");
        QVERIFY(!hasFileManager());
        answers("org.kde.dolphin.desktop");
        QVERIFY(hasFileManager());
        qputenv("PATH", programs);
    }

    // A program for C = A B is judged again as one, with as many columns as before.
    void verifiesWithItsColumns()
    {
        if (!QFile::exists(QStringLiteral(SPARSERL_BIN_DIR "/sparserl")))
            QSKIP("The command line was not built.");
        const QByteArray before = qgetenv("PATH");
        qputenv("PATH", QByteArray(SPARSERL_BIN_DIR ":") + before);
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto ids = reader->candidateOrder({}, {}, true);
        QVERIFY(ids && !ids->empty());
        const auto row = reader->candidate(ids->front());
        QVERIFY(row);
        CandidateRow candidate = *row;
        candidate.target.variant.columns = 8;
        const auto question = questionOf(referenceProgram(Task::SpMM).text, candidate, {}, {});
        QCOMPARE(question.target.key(), candidate.target.key());
        ProgramJudge judge(nullptr, QStringLiteral("Judging"));
        QSignalSpy judged(&judge, &ProgramJudge::judged), failed(&judge, &ProgramJudge::failed);
        std::optional<VerdictRecord> record;
        connect(&judge, &ProgramJudge::judged, this, [&](const VerdictRecord& now) { record = now; });
        judge.ask(m_session.get(), question);
        QTRY_VERIFY_WITH_TIMEOUT(!judge.running(), test::patience());
        QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed[0][0].toString()));
        QVERIFY2(record && record->correct(), record ? record->message.c_str() : "");
        QCOMPARE(record->target.key(), candidate.target.key());
        QVERIFY(record->target.task() == Task::SpMM);
        qputenv("PATH", before);
    }

    // Each width of a program is a bundle of its own. The command is a script, which says what it was told.
    void exportsEachWidthByItself()
    {
        QTemporaryDir bin;
        const QString program = bin.filePath(QStringLiteral("sparserl"));
        const QString words = bin.filePath(QStringLiteral("words"));
        QVERIFY(writeFileAtomic(program.toStdString(),
                                "#!/bin/sh\necho \"$@\" >> '" + words.toStdString() + "'\necho '{}'\n"));
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        const QByteArray before = qgetenv("PATH");
        qputenv("PATH", bin.path().toUtf8() + ":" + before);
        CandidateRow candidate;
        candidate.runName = "ppo";
        candidate.programHash = std::string(64, 'a');
        candidate.target.contents = std::string(64, 'd');
        candidate.target.name = "social";
        candidate.verdict = Verdict::Correct;
        std::vector<CandidateRow> rows(3, candidate);
        rows[1].target.variant.columns = 8;
        rows[2].target.variant.columns = 32;
        ExportDialog dialog(m_session.get(), rows, nullptr);
        dialog.show();
        dialog.start();
        const auto state = [&](int row) { return dialog.table()->item(row, 3)->text(); };
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.findChild<QProgressBar*>()->isVisible(), test::patience());
        const auto told = readFile(words.toStdString());
        QVERIFY(told);
        const auto lines = QString::fromStdString(*told).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        QVERIFY2(!lines[0].contains(QLatin1String("--columns")), qPrintable(lines[0]));
        QVERIFY2(lines[1].contains(QLatin1String("--columns 8 ")), qPrintable(lines[1]));
        QVERIFY2(lines[2].contains(QLatin1String("--columns 32 ")), qPrintable(lines[2]));
        QVERIFY(state(0) != state(1) && state(1) != state(2) && state(0) != state(2));
        dialog.close();
        qputenv("PATH", before);
    }

    // The real judge and the real exporter, as child processes, on a program of the corpus.
    void verifiesAndExports()
    {
        if (!QFile::exists(QStringLiteral(SPARSERL_BIN_DIR "/sparserl")))
            QSKIP("The command line was not built.");
        qputenv("PATH", QByteArray(SPARSERL_BIN_DIR ":") + qgetenv("PATH"));
        KernelsPage page;
        open(page, *m_session);
        CandidateFilter filter = page.facets()->filter();
        filter.verdicts = {"correct"};
        filter.families = {"S2"};
        page.facets()->setFilter(filter);
        const auto first = [&] { return page.model()->row(page.model()->index(0, 0)); };
        QTRY_VERIFY_WITH_TIMEOUT(first() && first()->family == "S2", patience);
        const QString family = toQString(familyTitle("S2"));
        QVERIFY2(family.size() > 5, qPrintable(family)); // its id and its name
        QCOMPARE(page.model()->index(0, CandidateFamily).data().toString(), family);
        page.table()->setCurrentIndex(page.model()->index(0, 0));
        QTRY_VERIFY_WITH_TIMEOUT(!page.detail()->source()->editor()->text().isEmpty() && !m_session->busy(),
                                 patience);
        QTest::qWait(50);
        const auto verifications = [&] {
            return readVerifications(path()).value_or(std::vector<Verification>());
        };
        const std::size_t earlier = verifications().size(); // Those of other tests.
        page.detail()->verifyAgain();
        const auto told = [&] { return page.detail()->findChild<MessageBar*>()->accessibleName(); };
        QTRY_VERIFY_WITH_TIMEOUT(!told().startsWith(QLatin1String("Judging")), test::patience());
        QVERIFY2(told().startsWith(QLatin1String("Verified: correct")), qPrintable(told()));
        QVERIFY(!page.detail()->source()->heat().empty());
        // It is written down, was judged with inputs of its own, and list and page agree on it.
        QTRY_COMPARE_WITH_TIMEOUT(verifications().size(), earlier + 1, patience); // written by a thread
        const Verification written = verifications().back();
        QVERIFY(written.record.seed != 0);
        QCOMPARE(written.before, std::string("correct"));
        const std::string program = written.record.programHash;
        page.facets()->setFilter({});
        const auto listed = [&]() -> const CandidateRow* {
            for (int row = 0; row < page.model()->rowCount(); ++row)
                if (const auto* one = page.model()->row(page.model()->index(row, 0));
                    one->programHash == program)
                    return one;
            return nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(listed() && listed()->flags.has(VerdictFlag::VerifiedAgain), patience);
        QCOMPARE(listed()->verdict, Verdict::Correct);
        filter.programHash = program;
        page.facets()->setFilter(filter);
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->rowCount() == 1, patience);
        page.table()->setCurrentIndex(page.model()->index(0, 0));

        page.detail()->exportKernel();
        auto* dialog = page.findChild<ExportDialog*>();
        QVERIFY(dialog);
        const QString target = m_directory.filePath(QStringLiteral("bundle"));
        for (QLineEdit* line : dialog->findChildren<QLineEdit*>())
            if (line->accessibleName() == QLatin1String("Folder of the bundle"))
                line->setText(target);
        for (QPushButton* button : dialog->findChildren<QPushButton*>())
            if (button->text() == QLatin1String("&Export"))
                button->click();
        const auto outcome = [&] {
            QStringList texts;
            for (const QLabel* label : dialog->findChildren<QLabel*>())
                texts.append(label->text());
            return texts.join(QLatin1Char('\n'));
        };
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->findChild<QProgressBar*>()->isVisible(), test::patience());
        QVERIFY2(outcome().contains(QLatin1String("The bundle is in")), qPrintable(outcome()));
        QVERIFY(QFile::exists(target + QStringLiteral("/CMakeLists.txt")));
        dialog->close();

        // Its PTX stands beside it, line for line.
        {
            SourcePair* pair = page.detail()->sources();
            auto* across = page.findChild<QSplitter*>(QStringLiteral("kernels.splitter"));
            const QList<int> own = across->sizes();
            page.detail()->togglePtx();
            QVERIFY(!pair->baseline()->isHidden()); // at once; its text follows
            QsciScintilla* ptx = pair->baseline()->editor();
            QTRY_VERIFY_WITH_TIMEOUT(ptx->text().contains(QLatin1String(".visible .entry")),
                                     test::patience());
            const QString source = pair->source()->editor()->text();
            const int sum = static_cast<int>(source.left(source.indexOf(QLatin1String("x["))).count(u'\n'));
            pair->source()->editor()->setCursorPosition(sum, 0);
            QTRY_VERIFY_WITH_TIMEOUT(!pair->linkedLines().empty(), patience);
            QStringList linked;
            for (const int line : pair->linkedLines())
                linked.append(ptx->text(line - 1));
            QVERIFY2(linked.join(QString()).contains(QLatin1String("fma.rn.f32")),
                     qPrintable(linked.join(QString())));
            QStringList labels;
            for (const QLabel* label : page.detail()->tabs()->findChildren<QLabel*>())
                labels.append(label->text());
            QVERIFY2(labels.join(QLatin1Char(' '))
                         .contains(QLatin1String("NVRTC: --gpu-architecture=compute_80 --std=c++17")),
                     qPrintable(labels.join(QLatin1Char('\n'))));
            // Each line of it has its own counters, which a real judge counted: accesses have sectors.
            QTRY_VERIFY_WITH_TIMEOUT(!pair->baseline()->heat().empty(), test::patience());
            auto* counter = pair->source()->findChild<QComboBox*>();
            counter->setCurrentIndex(1); // global sectors
            QVERIFY(pair->baseline()->heat().size() > 2);
            for (const auto& [hot, heat] : pair->baseline()->heat())
                QVERIFY2(ptx->text(hot - 1).contains(QLatin1String(".global")) && heat.value > 0,
                         qPrintable(ptx->text(hot - 1)));
            double listed = 0, ofProgram = 0;
            for (const auto& [hot, heat] : pair->baseline()->heat())
                listed += heat.value;
            for (const auto& [hot, heat] : pair->source()->heat())
                ofProgram += heat.value;
            QCOMPARE(listed, ofProgram); // the same sectors, told apart further
            counter->setCurrentIndex(0);
            // From the source, the first instruction that its line became is explained.
            page.activateWindow();
            pair->source()->editor()->setFocus();
            QTRY_VERIFY_WITH_TIMEOUT(pair->source()->editor()->hasFocus(), patience);
            const QSignalSpy moved(ptx, &QsciScintilla::cursorPositionChanged);
            page.detail()->explainInstruction();
            const int explained = pair->baseline()->cursorLine();
            QTRY_VERIFY_WITH_TIMEOUT(!moved.isEmpty(),
                                     patience); // told at the next painting, and links its line
            const std::vector<int> became = pair->listedLines(0, sum + 1);
            QVERIFY(std::find(became.begin(), became.end(), explained) != became.end());
            QVERIFY2(ptx->accessibleDescription().size() > 10, qPrintable(ptx->accessibleDescription()));
            QVERIFY(ptx->accessibleDescription() != QLatin1String("There is no instruction on this line."));
            pair->source()->editor()->setFocus();
            pair->source()->editor()->setCursorPosition(0, 0); // a line of the plan
            page.detail()->explainInstruction();
            QCOMPARE(pair->source()->editor()->accessibleDescription(),
                     QStringLiteral("No instruction comes from this line."));
            pair->source()->editor()->setCursorPosition(sum, 0);
            QTRY_VERIFY_WITH_TIMEOUT(!pair->linkedLines().empty(), patience);
            // And back: a line of the PTX marks its line of the program, whose cursor stays.
            const int there = pair->linkedLines().front() - 1;
            pair->source()->editor()->setCursorPosition(0, 2);
            QTRY_VERIFY_WITH_TIMEOUT(pair->linkedLines().empty(), patience);
            ptx->setCursorPosition(there, 0);
            QTRY_VERIFY_WITH_TIMEOUT(!pair->linkedLines().empty(), patience);
            QCOMPARE(pair->source()->editor()->markerFindNext(0, 1 << 20), sum);
            int line = 0, column = 0;
            pair->source()->editor()->getCursorPosition(&line, &column);
            QCOMPARE(line, 0);
            QCOMPARE(column, 2);
            // What a GPU executes as well, where this machine can read it: the same line is marked in both.
            page.detail()->toggleSass();
            QTRY_VERIFY_WITH_TIMEOUT(pair->second()->editor()->text().contains(QLatin1String("EXIT")) ||
                                         told().startsWith(QLatin1String("There is no SASS")),
                                     60'000);
            if (!pair->second()->isHidden()) {
                // The list makes room for three, as far as it can.
                QTRY_VERIFY_WITH_TIMEOUT(across->sizes()[0] < own[0], patience);
                QVERIFY(across->sizes()[0] <= across->widget(0)->minimumSizeHint().width() ||
                        pair->second()->width() >= 250);
                pair->source()->editor()->setCursorPosition(sum, 0);
                QTRY_VERIFY_WITH_TIMEOUT(!pair->linkedLines(0).empty() && !pair->linkedLines(1).empty(),
                                         patience);
                QStringList instructions;
                for (const int sassLine : pair->linkedLines(1))
                    instructions.append(pair->second()->editor()->text(sassLine - 1));
                QVERIFY2(instructions.join(QString()).contains(QLatin1String("FFMA")),
                         qPrintable(instructions.join(QString())));
                QTRY_VERIFY_WITH_TIMEOUT(!pair->second()->heat().empty(), patience); // counters of its own
                // Each is explained, and another architecture is a choice above it.
                const auto fma =
                    std::find_if(instructions.begin(), instructions.end(),
                                 [](const QString& one) { return one.contains(QLatin1String("FFMA")); });
                const int fmaLine =
                    pair->linkedLines(1)[static_cast<std::size_t>(fma - instructions.begin())] - 1;
                QVERIFY2(pair->second()->tips()->helpOnLine(fmaLine).contains(QLatin1String("rounded once")),
                         qPrintable(pair->second()->tips()->helpOnLine(fmaLine)));
                QVERIFY(pair->baseline()->tips()->helpOnLine(there + 1).size() > 20);
                SassBar* bar = page.detail()->code()->sassBar();
                QVERIFY(bar->isVisibleTo(pair->second()) && bar->parentWidget() == pair->second());
                const QString hopper = pair->second()->editor()->text();
                page.detail()->toggleControls();
                QVERIFY(bar->controlsShown() && pair->second()->editor()->marginWidth(1) > 0);
                auto* architectures = bar->findChild<QComboBox*>();
                architectures->setFocus();
                QTest::keyClick(architectures, Qt::Key_Home);
                QTRY_VERIFY_WITH_TIMEOUT(pair->second()->editor()->text() != hopper, test::patience());
                QCOMPARE(bar->architecture(), QStringLiteral("sm_80"));
                QVERIFY(pair->second()->editor()->text().contains(QLatin1String("EXIT")));
                QCOMPARE(page.layoutState().mid(1),
                         (QStringList{QStringLiteral("sm_80"), QStringLiteral("controls")}));
                page.detail()->toggleControls();
                pair->source()->editor()->setCursorPosition(0, 0);
                pair->source()->editor()->setCursorPosition(sum, 0);
                QTRY_VERIFY_WITH_TIMEOUT(!pair->linkedLines(1).empty(), patience);
                pair->second()->editor()->setCursorPosition(pair->linkedLines(1).front() - 1, 0);
                QTest::qWait(100); // the editor tells of its cursor later, and only where it ends
                pair->second()->editor()->setCursorPosition(0, 0); // the kernel's name is of no line
                QTRY_VERIFY_WITH_TIMEOUT(pair->linkedLines(0).empty(), patience);
                page.detail()->toggleSass();
            } else {
                QVERIFY2(told().contains(QLatin1String("PyPI")), qPrintable(told()));
            }
            QVERIFY(pair->second()->isHidden() && !pair->baseline()->isHidden());
            page.detail()->togglePtx();
            QVERIFY(pair->baseline()->isHidden());
            QTRY_COMPARE_WITH_TIMEOUT(across->sizes(), own, patience);
        }

        // A copy that is changed is judged at once, and each text that was judged is a candidate.
        {
            const auto before = readVerifications(path())->size();
            const auto rows = rowsOf(sample_origin::hand).size();
            page.detail()->editCopy();
            auto* edit = page.findChild<EditDialog*>();
            QVERIFY(edit);
            QsciScintilla* editor = edit->sources()->source()->editor();
            QVERIFY(!editor->isReadOnly() && edit->sources()->baseline()->editor()->isReadOnly());
            QVERIFY(edit->sources()->differences().empty());
            editor->insertAt(QStringLiteral("// a remark\n"), editor->lines() - 1, 0);
            QTRY_COMPARE_WITH_TIMEOUT(edit->sources()->differences().size(), std::size_t{1}, patience);
            // Its PTX follows what is typed; what does not compile says so and leaves what was made last.
            const QString remarked = editor->text();
            QsciScintilla* made = edit->sources()->baseline()->editor();
            const auto state = [&] { return edit->code()->state()->text(); };
            edit->code()->choice()->setCurrentIndex(1);
            QTRY_VERIFY_WITH_TIMEOUT(made->text().contains(QLatin1String(".visible .entry")),
                                     test::patience());
            QCOMPARE(state(), QStringLiteral("Up to date."));
            QVERIFY(!made->text().contains(QLatin1String("written_now")));
            editor->append(
                QStringLiteral("extern \"C\" __global__ void written_now(float* p) { p[0] = 3.0f; }\n"));
            QTRY_VERIFY_WITH_TIMEOUT(made->text().contains(QLatin1String("written_now")), test::patience());
            editor->append(QStringLiteral("float broken = ;\n"));
            QTRY_VERIFY_WITH_TIMEOUT(
                state() != QLatin1String("Up to date.") && state() != QLatin1String("Compiling…"), 60'000);
            QVERIFY2(!state().isEmpty(), qPrintable(state()));
            QVERIFY(made->text().contains(QLatin1String("written_now")));
            edit->code()->choice()->setCurrentIndex(0);
            QVERIFY(!edit->sources()->differences().empty());
            QCOMPARE(made->text(), page.detail()->source()->editor()->text());
            editor->setText(remarked);
            edit->evaluate();
            QTRY_VERIFY_WITH_TIMEOUT(!edit->outcome()->text().startsWith(QLatin1String("Judging")),
                                     test::patience());
            QVERIFY2(edit->outcome()->text().contains(QLatin1String("the original has")),
                     qPrintable(edit->outcome()->text()));
            QVERIFY(!edit->sources()->source()->heat().empty());
            QVERIFY(edit->profile()->table()->rowCount() > 10);
            editor->setText(QStringLiteral("no program"));
            edit->evaluate();
            QTRY_VERIFY_WITH_TIMEOUT(!edit->outcome()->text().startsWith(QLatin1String("Judging")),
                                     test::patience());
            QVERIFY2(!edit->outcome()->text().contains(QLatin1String("the original has")),
                     qPrintable(edit->outcome()->text()));
            // A copy whose plan asks for something else is judged on that, and keeps its verdict.
            for (const QString& other : {otherTask(), otherType()}) {
                editor->setText(other);
                edit->evaluate();
                QTRY_VERIFY_WITH_TIMEOUT(!edit->outcome()->text().startsWith(QLatin1String("Judging")),
                                         test::patience());
            }
            QCOMPARE(readVerifications(path())->size(), before);
            edit->close();
            QTRY_COMPARE_WITH_TIMEOUT(rowsOf(sample_origin::hand).size(), rows + 4, patience);
            int correct = 0, others = 0;
            for (const CandidateRow& row : rowsOf(sample_origin::hand)) {
                if (row.verdict != Verdict::Correct)
                    continue;
                if (!row.target.sameVariant(page.detail()->candidate()->target)) {
                    QVERIFY(row.target.task() == Task::SpMM || row.target.variant.type == ElementType::F64);
                    ++others;
                    continue;
                }
                ++correct;
                // Exported like any other.
                QCOMPARE(row.family, page.detail()->candidate()->family);
                QVERIFY(!row.family.empty());
                ExportDialog bundle(m_session.get(), {row}, nullptr);
                bundle.findChild<QLineEdit*>()->setText(m_directory.filePath(QStringLiteral("by hand")));
                bundle.start();
                QTRY_VERIFY_WITH_TIMEOUT(
                    QFile::exists(m_directory.filePath(QStringLiteral("by hand/manifest.json"))),
                    test::patience());
            }
            QCOMPARE(correct, 1);
            QCOMPARE(others, 2);
        }

        // Several at once: what is not correct is left out, what fails says why, the rest is written.
        std::vector<CandidateRow> rows(3, *page.detail()->candidate());
        rows[1].verdict = Verdict::Race;
        rows[2].programHash = std::string(64, '0');
        ExportDialog several(m_session.get(), rows, nullptr);
        for (QLineEdit* line : several.findChildren<QLineEdit*>())
            if (line->accessibleName() == QLatin1String("Folder of the bundles"))
                line->setText(m_directory.filePath(QStringLiteral("bundles")));
        several.show();
        several.start();
        const auto state = [&](int row) { return several.table()->item(row, 3)->text(); };
        QTRY_VERIFY_WITH_TIMEOUT(!several.findChild<QProgressBar*>()->isVisible(), test::patience());
        QVERIFY2(QFile::exists(state(0) + QStringLiteral("/CMakeLists.txt")), qPrintable(state(0)));
        QCOMPARE(state(1), QStringLiteral("not correct: left out"));
        QVERIFY2(state(2).contains(QLatin1String("000000")) || state(2).contains(QLatin1String("no such")),
                 qPrintable(state(2)));
        QCOMPARE(several.report().count(QLatin1Char('\n')), 3);
    }

    void cleanup()
    {
        QCOMPARE(test::takeWarnings(), QStringList());
        QVERIFY(QApplication::topLevelWidgets().isEmpty());
    }
    void cleanupTestCase() { m_session.reset(); }

private:
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    std::vector<CandidateRow> rowsOf(const char* origin) const
    {
        auto reader = ProjectReader::open(path());
        CandidateFilter filter;
        filter.origins = {origin};
        return *reader->candidateRows(*reader->candidateOrder(filter, {}, true));
    }
    VerdictRecord recordOf(const CandidateRow& row)
    {
        auto reader = ProjectReader::open(path());
        auto record = reader->verdict(row.id);
        return record && *record ? **record : VerdictRecord();
    }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
    QStringList m_problems;
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsPages)
#include "tst_widgets_pages.moc"
