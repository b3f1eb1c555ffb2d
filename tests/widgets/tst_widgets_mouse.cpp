// SPDX-License-Identifier: Apache-2.0
// The journey of tst_widgets_journey by mouse; keys only where a value is written.
#include "tests/patience.h"
#include "tests/widgets/gui_test.h"
#include "tests/widgets/journey.h"
#include "widgets/common/format.h"
#include "widgets/evaluation/evaluation_page.h"
#include "widgets/evaluation/matrix_results.h"
#include "widgets/evaluation/policy_list.h"
#include "widgets/kernels/candidate_model.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/facet_bar.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/steer_panel.h"
#include "widgets/training/training_page.h"

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QTest>

using namespace sparserl;

class TestMouse : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (QTest::currentTestFunction() == QByteArray("otherThemesAndScales"))
            return; // of other processes
        auto begun =
            m_user.begin(QStringLiteral("mouse-") + QString::fromLatin1(QTest::currentTestFunction()));
        QVERIFY2(begun, begun ? "" : begun.error().sentence().c_str());
    }
    void cleanup()
    {
        if (QTest::currentTestFunction() != QByteArray("otherThemesAndScales"))
            QCOMPARE(m_user.end(), QStringList());
    }

    void training()
    {
        QVERIFY(m_user.clickButton(&m_user.window(), "Matrices"));
        m_user.drop("matrices", m_user.matrixFile());
        QTRY_VERIFY_WITH_TIMEOUT(m_user.tableHas("matrices", "four"), test::patience());
        m_user.picture("matrix");
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
        QVERIFY(m_user.clickButton(&m_user.window(), "Kernels"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.detail()->candidate(), test::patience());
        // The worst failure: a click on the head of the column, and one more for the other way round.
        QVERIFY(m_user.clickHeader(m_user.programs(), CandidateReward));
        QVERIFY(m_user.clickHeader(m_user.programs(), CandidateReward));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.detail()->candidate()->verdict != Verdict::Correct, test::patience());
        QVERIFY(m_user.clickCell(m_user.programs(), 0, CandidateMatrix));
        QTRY_COMPARE_WITH_TIMEOUT(m_user.detail()->candidate()->reward, m_user.lowestReward(),
                                  test::patience());
        QVERIFY(m_user.clickTab(m_user.detail(), "Log"));
        m_user.picture("worst");

        // Only correct ones, the best of them against the next.
        auto* facets = m_user.page("kernels")->findChild<FacetBar*>();
        QVERIFY(m_user.clickButton(facets, "correct"));
        QVERIFY(m_user.clickHeader(m_user.programs(), CandidateSpeedup));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.detail()->candidate()->verdict == Verdict::Correct, test::patience());
        QVERIFY(m_user.clickCell(m_user.programs(), 0, CandidateMatrix));
        const std::string best = m_user.detail()->candidate()->programHash;
        QVERIFY(m_user.clickButton(m_user.detail(), "Compare every other"));
        QVERIFY(m_user.clickCell(m_user.programs(), 1, CandidateMatrix));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.detail()->candidate()->programHash != best, test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.detail()->sources()->differences().empty(), test::patience());
        QVERIFY(m_user.clickTab(m_user.detail(), "Profile"));
        m_user.picture("difference");
        QVERIFY(m_user.clickCell(m_user.programs(), 0, CandidateMatrix));
        QTRY_COMPARE_WITH_TIMEOUT(m_user.detail()->candidate()->programHash, best, test::patience());

        // Judged here and now, then into a folder of its own.
        QSignalSpy judged(m_user.detail(), &KernelDetail::judgedAgain);
        QVERIFY(m_user.clickButton(m_user.detail(), "Verify again"));
        QTRY_COMPARE_WITH_TIMEOUT(judged.size(), 1, test::patience());
        QVERIFY(m_user.clickButton(m_user.detail(), "Export"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.dialog<ExportDialog>(), test::patience());
        auto* form = m_user.dialog<ExportDialog>();
        for (auto* line : form->findChildren<QLineEdit*>())
            if (line->accessibleName().startsWith(QLatin1String("Folder")))
                QVERIFY(m_user.replaceText(line, m_user.file("bundle")));
        QVERIFY(m_user.clickButton(form, "Export"));
        const bool exported = QTest::qWaitFor(
            [this] { return QFileInfo::exists(m_user.file("bundle/manifest.json")); }, test::patience());
        QVERIFY2(exported, qPrintable(test::Journey::saidBy(m_user.dialog<ExportDialog>())));
        m_user.picture("exported");
        QVERIFY(m_user.clickButton(form, "Close"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.dialog<ExportDialog>(), test::patience());
    }

    // Two policies side by side on every tab, and from a matrix to its kernels.
    void evaluation()
    {
        QVERIFY(m_user.clickButton(&m_user.window(), "Evaluation"));
        auto* page = qobject_cast<EvaluationPage*>(m_user.page("evaluation"));
        QTRY_VERIFY_WITH_TIMEOUT(page->policies()->model()->rowCount() > 1, test::patience());
        QVERIFY(m_user.clickCell(page->policies(), 1, 1));
        for (const char* tab : {"By non-&zeros", "C&omparison", "&Rates", "&Matrices"}) {
            QVERIFY2(m_user.clickTab(page, tab), tab);
            m_user.picture(
                QString::fromLatin1(tab).remove(QLatin1Char('&')).toLower().toLatin1().constData());
        }
        QTRY_VERIFY_WITH_TIMEOUT(page->matrices()->model()->rowCount() > 0, test::patience());
        QVERIFY(m_user.clickCell(page->matrices()->table(), 0, 0));
        QTest::mouseDClick(
            page->matrices()->table()->viewport(), Qt::LeftButton, {},
            page->matrices()->table()->visualRect(page->matrices()->table()->currentIndex()).center());
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
            const QString wrong = test::wrongWithPictures(QStringLiteral("mouse-") + function, theme, scale);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
    }

private:
    QComboBox* box(int at) { return m_user.dialog<LaunchDialog>()->findChildren<QComboBox*>().at(at); }
    QLineEdit* titleField()
    {
        for (auto* line : m_user.dialog<LaunchDialog>()->findChildren<QLineEdit*>())
            if (line->placeholderText().startsWith(QLatin1String("A name")))
                return line;
        return nullptr;
    }

    void fineTune()
    {
        QVERIFY(m_user.clickButton(&m_user.window(), "Training"));
        QVERIFY(m_user.clickButton(m_user.training(), "New run"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.dialog<LaunchDialog>(), test::patience());
        QVERIFY(m_user.clickChoice(box(0), "Supervised"));
        QVERIFY(m_user.clickChoice(box(2), "From scratch"));
        QVERIFY(m_user.replaceText(titleField(), QStringLiteral("by mouse")));
        for (const auto& [key, value] : test::tinySft())
            QVERIFY2(m_user.enterByMouse(key, value), key);
        m_user.picture("launch");
        QCOMPARE(m_user.dialog<LaunchDialog>()->config().stage, std::string("sft"));
        QVERIFY(m_user.clickButton(m_user.dialog<LaunchDialog>(), "Start the run"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.runIs("by mouse"), test::patience());
        QTRY_COMPARE_WITH_TIMEOUT(m_user.statusOf("by mouse"), QStringLiteral("Done"), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.run()->hasWorker && m_user.run()->checkpoints > 0, test::patience());
    }

    void reinforce()
    {
        QVERIFY(m_user.clickButton(m_user.training(), "Next stage"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.dialog<LaunchDialog>(), test::patience());
        QVERIFY(m_user.replaceText(titleField(), QStringLiteral("steered")));
        for (const auto& [key, value] : test::tinyRl())
            QVERIFY2(m_user.enterByMouse(key, value), key);
        QVERIFY(m_user.clickButton(m_user.dialog<LaunchDialog>(), "Start the run"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.runIs("steered"), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(m_user.run()->checkpoints > 0 && m_user.run()->hasWorker, test::patience());
        m_user.picture("ppo-runs");
    }

    void steerAndStop()
    {
        QVERIFY(m_user.clickTab(m_user.training(), "Steering"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.steeringRow("rl.entropy_coef") >= 0, test::patience());
        auto* table = m_user.steering();
        QVERIFY(m_user.clickCell(table, m_user.steeringRow("rl.entropy_coef"), SteerNew));
        QTest::mouseDClick(table->viewport(), Qt::LeftButton, {},
                           table->visualRect(table->currentIndex()).center());
        QTRY_VERIFY_WITH_TIMEOUT(table->viewport()->findChild<QLineEdit*>(), test::patience());
        QVERIFY(m_user.replaceText(table->viewport()->findChild<QLineEdit*>(), QStringLiteral("0.0125")));
        QVERIFY(m_user.clickButton(m_user.training(), "Change it"));
        m_user.picture("asked");
        QTRY_COMPARE_WITH_TIMEOUT(m_user.steeringCell("rl.entropy_coef", SteerNow), QStringLiteral("0.0125"),
                                  test::patience());
        m_user.picture("steered");
        QVERIFY(m_user.clickButton(m_user.training(), "Stop"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.run()->hasWorker, test::patience());
        m_user.watchModels(); // of what came up meanwhile, too
    }

    void fork()
    {
        const std::string parent = m_user.run()->name;
        QVERIFY(m_user.clickButton(m_user.training(), "Fork…"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.dialog<LaunchDialog>(), test::patience());
        QVERIFY(m_user.replaceText(titleField(), QStringLiteral("other learning rate")));
        QVERIFY(m_user.enterByMouse("rl.lr", "0.0005"));
        QVERIFY(m_user.clickButton(m_user.dialog<LaunchDialog>(), "Start the run"));
        QTRY_VERIFY_WITH_TIMEOUT(m_user.runIs("other learning rate"), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(m_user.run()->hasWorker && m_user.run()->step > 0, test::patience());
        QCOMPARE(m_user.run()->parentRun, parent);
        QVERIFY(m_user.clickTab(m_user.training(), "Charts"));
        m_user.picture("fork");
        QVERIFY(m_user.clickButton(m_user.training(), "Stop"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_user.run()->hasWorker, test::patience());
    }

    test::Journey m_user;
};

SPARSERL_GUI_TEST_MAIN(TestMouse)
#include "tst_widgets_mouse.moc"
