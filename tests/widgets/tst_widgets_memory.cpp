// SPDX-License-Identifier: Apache-2.0
// A window that is open for days holds no more than it did in its first minute.
#include "app/workbench/main_window.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/page.h"
#include "widgets/common/session.h"
#include "widgets/training/training_page.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <functional>
#include <malloc.h>
#include <vector>

using namespace sparserl;

namespace {

/// Bytes by which caches with a limit may still fill up, such as SQLite's; a single small picture that is
/// kept each time is ten times that.
constexpr std::int64_t enough = 100'000;
/// What is kept each time is kept in each of so many rounds; a cache is full after one or two.
constexpr int rounds = 3;

/// Bytes that are allocated, by all threads.
std::int64_t allocated()
{
    const auto info = mallinfo2();
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// A sanitizer's allocator does not tell the C library what it gives away.
bool canMeasure()
{
    const auto before = allocated();
    const std::vector<char> block(4 << 20, 'x');
    return allocated() - before >= static_cast<std::int64_t>(block.size());
}

} // namespace

class TestMemory : public QObject
{
    Q_OBJECT

private:
    static void stopsGrowing(const std::function<void()>& work)
    {
        QStringList grown;
        for (int round = 0; round < rounds; ++round) {
            const auto before = allocated();
            work();
            const auto more = allocated() - before;
            if (QTest::currentTestFailed() || more < enough)
                return;
            grown.append(QString::number(more));
        }
        QFAIL(qPrintable(QStringLiteral("%1 bytes").arg(grown.join(QLatin1String(", ")))));
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!canMeasure())
            QSKIP("this build's allocator cannot be asked what is allocated");
        auto made = test::makeProject(path());
        QVERIFY2(made, made ? "" : made.error().sentence().c_str());
        made->sessions.clear(); // a run that is trained may grow
    }

    void init()
    {
        m_settings = std::make_unique<Settings>(m_directory.filePath(QStringLiteral("settings.ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->setQuietClose(true);
        QVERIFY(m_window->openProject(QString::fromStdString(path().string())));
        m_window->show();
        settle();
    }

    // The index changes four times a second while a run is trained: each time all that is seen is read and
    // painted again.
    void pagesKeepNothingOfWhatTheyShowedBefore_data()
    {
        QTest::addColumn<QString>("page");
        for (const char* page : {"matrices", "training", "kernels", "evaluation"})
            QTest::addRow("%s", page) << QString::fromLatin1(page);
    }
    void pagesKeepNothingOfWhatTheyShowedBefore()
    {
        QFETCH(QString, page);
        QVERIFY(m_window->showPage(page));
        const auto change = [&] {
            Q_EMIT m_window->session()->changed();
            settle();
            m_window->grab();
        };
        for (int i = 0; i < 15; ++i)
            change();
        stopsGrowing([&] {
            for (int i = 0; i < 100; ++i)
                change();
        });
    }

    // Nor do 200 runs that came and went.
    void runsLeaveNothingBehind()
    {
        QVERIFY(m_window->showPage(QStringLiteral("training")));
        settle();
        const auto runs = path() / "runs";
        const auto* model = qobject_cast<TrainingPage*>(m_window->page(QStringLiteral("training")))->model();
        const int known = model->rowCount();
        QVERIFY(known > 0);
        const auto comeAndGo = [&](int count) {
            for (int i = 0; i < count; ++i) {
                const auto fresh = runs / (".new-" + std::to_string(i));
                std::filesystem::copy(runs / "0001-sft", fresh, std::filesystem::copy_options::recursive);
                std::filesystem::rename(fresh, runs / ("copy-" + std::to_string(i)));
            }
            QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), known + count, patience);
            settle();
            m_window->grab();
            for (int i = 0; i < count; ++i)
                std::filesystem::remove_all(runs / ("copy-" + std::to_string(i)));
            QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), known, patience);
            settle();
            m_window->grab();
        };
        for (int i = 0; i < 4; ++i)
            comeAndGo(20);
        stopsGrowing([&] {
            for (int i = 0; i < 10; ++i)
                comeAndGo(20);
        });
    }

    void cleanup()
    {
        m_window.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

private:
    void settle()
    {
        do
            QTest::qWait(5);
        while (m_window->busy());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    QTemporaryDir m_directory;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

SPARSERL_GUI_TEST_MAIN(TestMemory)
#include "tst_widgets_memory.moc"
