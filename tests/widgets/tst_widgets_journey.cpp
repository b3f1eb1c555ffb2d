// SPDX-License-Identifier: Apache-2.0
// A morning in the window with keys alone: a matrix comes in, two stages are launched, one is steered,
// stopped and forked, the worst failure is found, two kernels are compared and one is exported, and policies
// are compared down to a kernel. The window and the workers are the real ones.
#include "tests/patience.h"
#include "tests/widgets/gui_test.h"
#include "tests/widgets/journey.h"
#include "widgets/common/format.h"
#include "widgets/evaluation/evaluation_page.h"
#include "widgets/evaluation/matrix_results.h"
#include "widgets/evaluation/policy_list.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/steer_panel.h"

#include <QFileInfo>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QTimer>

using namespace sparserl;

class TestJourney : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (QTest::currentTestFunction() == QByteArray("otherThemesAndScales"))
            return; // of other processes
        auto begun = m_user.begin(QString::fromLatin1(QTest::currentTestFunction()));
        QVERIFY2(begun, begun ? "" : begun.error().sentence().c_str());
    }
    void cleanup()
    {
        if (QTest::currentTestFunction() != QByteArray("otherThemesAndScales"))
            QCOMPARE(m_user.end(), QStringList());
    }

    void training()
    {
        importMatrix();
        if (!QTest::currentTestFailed())
            fineTune();
        if (!QTest::currentTestFailed())
            reinforce();
        if (!QTest::currentTestFailed())
            steerAndStop();
        if (!QTest::currentTestFailed())
            fork();
    }

    void kernels()
    {
        // The worst failure: ordered by reward, and once more for the other way round.
        m_user.press(Qt::Key_3, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.detail()->candidate(), test::patience());
        QVERIFY(m_user.command("order by reward"));
        QVERIFY(m_user.command("order by reward"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.detail()->candidate()->verdict != Verdict::Correct, test::patience());
        QTRY_COMPARE_WITH_TIMEOUT(m_user.detail()->candidate()->reward, m_user.lowestReward(),
                                  test::patience());
        QTRY_COMPARE_WITH_TIMEOUT(m_user.programs()->currentIndex().row(), 0, test::patience());
        m_user.picture("worst");

        // The best one becomes what the next one is compared with.
        QVERIFY(m_user.command("order by speed-up"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.detail()->candidate()->verdict == Verdict::Correct, test::patience());
        const std::string best = m_user.detail()->candidate()->programHash;
        m_user.press(Qt::Key_B, Qt::ControlModifier);
        m_user.press(Qt::Key_Down);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.detail()->candidate()->programHash != best, test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.detail()->sources()->differences().empty(), test::patience());
        m_user.press(Qt::Key_F7);
        m_user.picture("difference");
        m_user.press(Qt::Key_Up);
        QTRY_COMPARE_WITH_TIMEOUT(m_user.detail()->candidate()->programHash, best, test::patience());

        // It is judged here and now, and goes to a folder of its own.
        QSignalSpy judged(m_user.detail(), &KernelDetail::judgedAgain);
        QVERIFY(m_user.command("verify again"));
        QTRY_COMPARE_WITH_TIMEOUT(judged.size(), 1, test::patience());
        m_user.press(Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.dialog<ExportDialog>(), test::patience());
        m_user.press(Qt::Key_F, Qt::AltModifier);
        m_user.press(Qt::Key_A, Qt::ControlModifier);
        m_user.typed(m_user.file("bundle").toLatin1().constData());
        m_user.press(Qt::Key_E, Qt::AltModifier);
        const bool exported = QTest::qWaitFor(
            [this] { return QFileInfo::exists(m_user.file("bundle/manifest.json")); }, test::patience());
        QVERIFY2(exported, qPrintable(test::Journey::saidBy(m_user.dialog<ExportDialog>())));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.dialog<ExportDialog>()->findChild<QTableWidget*>()->isEnabled(),
                                 test::patience());
        m_user.picture("exported");
        m_user.press(Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.dialog<ExportDialog>(), test::patience());
    }

    // Two policies side by side on every tab, into a table for a paper, and from a matrix to its kernels.
    void evaluation()
    {
        m_user.press(Qt::Key_4, Qt::ControlModifier);
        auto* page = qobject_cast<EvaluationPage*>(m_user.page("evaluation"));
        QTRY_VERIFY_WITH_TIMEOUT(page->policies()->model()->rowCount() > 1, test::patience());
        QTRY_COMPARE_WITH_TIMEOUT(QApplication::focusWidget(), page->policies(), test::patience());
        m_user.picture("rates");
        const std::string first = page->policies()->current().toStdString();
        m_user.press(Qt::Key_Down);
        QTRY_VERIFY_WITH_TIMEOUT(page->policies()->current().toStdString() != first, test::patience());
        for (const auto& [key, name] : {std::pair(Qt::Key_Z, "boxes"), std::pair(Qt::Key_O, "comparison"),
                                        std::pair(Qt::Key_R, "rates-again")}) {
            m_user.press(key, Qt::AltModifier);
            m_user.picture(name);
        }
        page->policies()->setFocus();
        m_user.press(Qt::Key_Return); // its matrices
        QTRY_COMPARE_WITH_TIMEOUT(QApplication::focusWidget(), page->matrices()->table(), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(page->matrices()->model()->rowCount() > 0, test::patience());
        const QString table = m_user.file("table.csv");
        QTimer::singleShot(0, this, [this, table] { m_user.typeIntoFileDialog(table); });
        m_user.press(Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(table), test::patience());
        m_user.picture("matrices");
        page->matrices()->focusTable();
        m_user.press(Qt::Key_Return); // the policies of the matrix
        QTRY_COMPARE_WITH_TIMEOUT(QApplication::focusWidget(), page->matrices()->policyTable(),
                                  test::patience());
        m_user.press(Qt::Key_Return); // their kernels
        QTRY_VERIFY_WITH_TIMEOUT(m_user.page("kernels")->isVisible(), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(m_user.programs()->model()->rowCount() > 0, test::patience());
        m_user.picture("kernels");
    }

    void otherThemesAndScales_data() { test::addThemesAndScales(); }
    void otherThemesAndScales()
    {
        QFETCH(QString, theme);
        QFETCH(int, scale);
        const QStringList again = test::drawnAgain(
            {QStringLiteral("training"), QStringLiteral("kernels"), QStringLiteral("evaluation")});
        const QString failed = test::againIn(theme, scale, again);
        QVERIFY2(failed.isEmpty(), qPrintable(failed));
        for (const QString& function : again) {
            const QString wrong = test::wrongWithPictures(function, theme, scale);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
    }

private:
    void importMatrix()
    {
        m_user.press(Qt::Key_1, Qt::ControlModifier);
        QTimer::singleShot(0, this, [this] { m_user.typeIntoFileDialog(m_user.matrixFile()); });
        m_user.press(Qt::Key_I, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.tableHas("matrices", "four"), test::patience());
        m_user.picture("matrix");
    }

    void fineTune()
    {
        m_user.press(Qt::Key_2, Qt::ControlModifier);
        m_user.press(Qt::Key_R, Qt::ControlModifier);
        QVERIFY(m_user.fillFineTuning("by keyboard", test::tinySft()));
        QCOMPARE(m_user.dialog<LaunchDialog>()->config().stage, std::string("sft"));
        QVERIFY(m_user.dialog<LaunchDialog>()->config().parentCheckpoint.empty());
        m_user.picture("launch");
        m_user.press(Qt::Key_R, Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.runIs("by keyboard"), test::patience());
        QTRY_COMPARE_WITH_TIMEOUT(m_user.statusOf("by keyboard"), QStringLiteral("Done"), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.run()->hasWorker && m_user.run()->checkpoints > 0, test::patience());
        m_user.picture("sft-done");
    }

    void reinforce()
    {
        m_user.press(Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.dialog<LaunchDialog>(), test::patience());
        QCOMPARE(m_user.dialog<LaunchDialog>()->config().stage, std::string("rl"));
        QCOMPARE(m_user.dialog<LaunchDialog>()->config().parentRun, m_user.run()->name);
        m_user.press(Qt::Key_T, Qt::AltModifier);
        m_user.typed("steered");
        for (const auto& [key, value] : test::tinyRl())
            QVERIFY2(m_user.enterByKeys(key, value), key);
        m_user.press(Qt::Key_R, Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.runIs("steered"), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(m_user.run()->checkpoints > 0 && m_user.run()->hasWorker, test::patience());
        m_user.picture("ppo-runs");
    }

    void steerAndStop()
    {
        m_user.press(Qt::Key_2, Qt::AltModifier);
        auto* table = m_user.steering();
        QTRY_VERIFY_WITH_TIMEOUT(m_user.steeringRow("rl.entropy_coef") >= 0, test::patience());
        m_user.press(Qt::Key_2, Qt::AltModifier); // now that it is filled
        QCOMPARE(QApplication::focusWidget(), table);
        for (int row = 0; row < 200 && table->currentRow() != m_user.steeringRow("rl.entropy_coef"); ++row)
            m_user.press(Qt::Key_Down);
        m_user.typed("0.0125");
        m_user.press(Qt::Key_Return);
        m_user.press(Qt::Key_C, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(m_user.steeringCell("rl.entropy_coef", SteerNow), QStringLiteral("0.0125"),
                                  test::patience());
        m_user.picture("steered");
        QVERIFY(m_user.command("checkpoint and stop"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.run()->hasWorker, test::patience());
        m_user.watchModels(); // of what came up meanwhile, too
    }

    void fork()
    {
        const std::string parent = m_user.run()->name;
        m_user.press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.dialog<LaunchDialog>(), test::patience());
        const auto config = m_user.dialog<LaunchDialog>()->config();
        QCOMPARE(config.forkOf, parent); // it goes on at its checkpoint
        QCOMPARE(config.parameters.at("rl.entropy_coef"), ParameterValue(0.0125)); // as it was steered
        m_user.press(Qt::Key_T, Qt::AltModifier);
        m_user.press(Qt::Key_A, Qt::ControlModifier);
        m_user.typed("other learning rate");
        QVERIFY(m_user.enterByKeys("rl.lr", "0.0005"));
        m_user.press(Qt::Key_R, Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_user.runIs("other learning rate"), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(m_user.run()->hasWorker && m_user.run()->step > 0, test::patience());
        QCOMPARE(m_user.run()->parentRun, parent);
        m_user.press(Qt::Key_1, Qt::AltModifier);
        m_user.picture("fork");
        QVERIFY(m_user.command("checkpoint and stop"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.run()->hasWorker, test::patience());
    }

    test::Journey m_user;
};

SPARSERL_GUI_TEST_MAIN(TestJourney)
#include "tst_widgets_journey.moc"
