// SPDX-License-Identifier: Apache-2.0
// The window on a project of 1,000 runs, 10,000,000 metric points and 1,000,000 programs: first paint, every
// sort and a filter of each page, memory, processor time at rest, and for how long the event loop was not
// free. Usage: bench_window_tour FOLDER; the project is made there, once. Off screen.
#include "app/workbench/main_window.h"
#include "base/time.h"
#include "tests/benchmarks/large_project.h"
#include "widgets/common/page.h"
#include "widgets/common/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QProcess>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

using namespace sparserl;

namespace {

constexpr int beat = 5;    ///< Milliseconds between two looks at the loop.
constexpr int typed = 600; ///< Milliseconds in which a page begins to search for what was typed.

double processCpuSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

long residentMegabytes(const std::string& key)
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        long kilobytes = 0;
        if (word == key && status >> kilobytes)
            return kilobytes / 1024;
    }
    return -1;
}

/// Knows what the loop does: who got the event that took longest.
class WatchedApplication : public QApplication
{
public:
    using QApplication::QApplication;

    struct Handled
    {
        double wall = 0, cpu = 0; ///< Milliseconds.
        std::string what;
    };
    std::vector<Handled> longest;
    std::string step;

    bool notify(QObject* receiver, QEvent* event) override
    {
        // Events of other threads come through here, too.
        if (receiver->thread() != thread() || m_depth > 0 || !watching)
            return QApplication::notify(receiver, event);
        const std::string name = receiver->metaObject()->className();
        const std::string object = receiver->objectName().toStdString();
        const int type = event->type();
        QElapsedTimer clock;
        clock.start();
        const double cpu = threadCpuSeconds();
        ++m_depth;
        const bool result = QApplication::notify(receiver, event);
        --m_depth;
        const double wall = 1e-6 * static_cast<double>(clock.nsecsElapsed());
        if (wall > 20)
            longest.push_back({wall, 1e3 * (threadCpuSeconds() - cpu),
                               fmt::format("{} {} event {} during {}", name, object, type, step)});
        return result;
    }

    bool watching = false;

private:
    int m_depth = 0;
};

class Tour
{
public:
    Tour(WatchedApplication& application, MainWindow& window)
        : m_application(application)
        , m_window(window)
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        QObject::connect(&m_timer, &QTimer::timeout, &window, [this] {
            gaps.push_back(std::max(0.0, 1e-6 * static_cast<double>(m_last.nsecsElapsed()) - beat));
            m_last.start();
        });
        m_last.start();
        m_timer.start(beat);
    }

    /// Does one thing and waits until its answer is shown. What begins late begins within `begins` ms.
    template <typename F>
    void step(const std::string& name, F&& work, int begins = 0)
    {
        m_application.step = name;
        QElapsedTimer clock;
        clock.start();
        work();
        double shown = 0;
        // Busy again at once means that the answer asked for more.
        for (int quiet = 0; (quiet < 4 || clock.elapsed() < begins) && clock.elapsed() < 30'000;) {
            QTest::qWait(beat);
            quiet = m_window.busy() ? 0 : quiet + 1;
            if (quiet == 1)
                shown = 1e-6 * static_cast<double>(clock.nsecsElapsed());
        }
        fmt::print("{:<58} {:8.0f} ms\n", name, shown);
        std::fflush(stdout);
    }

    void all()
    {
        for (int index = 0; index < m_window.pageCount(); ++index) {
            const std::string key = m_window.pageKey(index).toStdString();
            step(key, [&] { m_window.showPage(index); });
            Page* page = m_window.page(m_window.pageKey(index));
            for (auto* tabs : page->findChildren<QTabWidget*>())
                for (int tab = tabs->count() - 1; tab >= 0 && tabs->isVisible(); --tab)
                    step(fmt::format("{}, tab {}", key, tabs->tabText(tab).toStdString()),
                         [&] { tabs->setCurrentIndex(tab); });
            for (auto* table : page->findChildren<QTableView*>())
                if (table->isVisible() && table->horizontalHeader()->isSortIndicatorShown())
                    sortAll(key, table);
            // What is typed makes the page rebuild some fields.
            QList<QPointer<QLineEdit>> edits;
            for (auto* edit : page->findChildren<QLineEdit*>())
                edits.append(edit);
            for (const QPointer<QLineEdit>& edit : edits)
                if (edit && edit->isVisible() && edit->isEnabled() && !edit->isReadOnly()) {
                    const QString before = edit->text();
                    step(
                        fmt::format("{}, \"12\" into {}", key, edit->accessibleName().toStdString()),
                        [&] {
                            edit->setFocus();
                            edit->selectAll();
                            QTest::keyClicks(edit, QStringLiteral("12"));
                        },
                        typed);
                    step(
                        fmt::format("{}, {} empty again", key, edit->accessibleName().toStdString()),
                        [&] { edit->setText(before); }, typed);
                }
        }
    }

    void stop() { m_timer.stop(); }

    std::vector<double> gaps;

private:
    void sortAll(const std::string& key, QTableView* table)
    {
        QHeaderView* header = table->horizontalHeader();
        for (int column = 0; column < header->count(); ++column) {
            if (header->isSectionHidden(column))
                continue;
            const auto title = table->model()->headerData(column, Qt::Horizontal).toString().toStdString();
            step(fmt::format("{}, sort by {}", key, title),
                 [&] { header->setSortIndicator(column, Qt::DescendingOrder); });
            step(fmt::format("{}, to the last row", key), [&] { table->scrollToBottom(); });
        }
    }

    WatchedApplication& m_application;
    MainWindow& m_window;
    QTimer m_timer;
    QElapsedTimer m_last;
};

void startThrice(const QString& path, const QString& settings)
{
    for (int start = 1; start <= 3; ++start) {
        QProcess process;
        process.setProcessChannelMode(QProcess::ForwardedChannels);
        process.start(QCoreApplication::applicationDirPath() + QStringLiteral("/sparserl-workbench"),
                      {path, QStringLiteral("--page"), QStringLiteral("training"),
                       QStringLiteral("--measure-start"), QStringLiteral("--settings"), settings});
        process.waitForFinished(120'000);
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    WatchedApplication application(argc, argv);
    if (argc < 2) {
        fmt::print(stderr, "Name the folder of the project, which is made there if it is not there yet.\n");
        return 2;
    }
    if (auto made = makeLargeProject(argv[1]); !made) {
        fmt::print(stderr, "{}\n", made.error().sentence());
        return 1;
    }
    const QString path = QString::fromLocal8Bit(argv[1]);
    QTemporaryDir temporary;
    const QString file = temporary.filePath(QStringLiteral("settings.ini"));
    startThrice(path, file);

    Settings settings(file);
    applyTheme(application, ThemeChoice::Light);
    MainWindow window(settings);
    window.setQuietClose(true);
    window.resize(1600, 1000);
    window.openProject(path);
    window.show();
    Tour tour(application, window);
    application.watching = true;
    tour.step("opened", [] {});
    tour.all();
    tour.stop();
    application.watching = false;
    fmt::print("memory {} MB, at most {} MB\n", residentMegabytes("VmRSS:"), residentMegabytes("VmHWM:"));
    auto gaps = tour.gaps;
    std::sort(gaps.begin(), gaps.end());
    const auto at = [&](double part) {
        return gaps[static_cast<std::size_t>(part * static_cast<double>(gaps.size() - 1))];
    };
    fmt::print(
        "gaps of the loop over {} beats: median {:.1f} ms, 99 % {:.1f}, 99.9 % {:.1f}, longest {:.1f}\n",
        gaps.size(), at(0.5), at(0.99), at(0.999), gaps.back());
    auto& longest = application.longest;
    std::sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.wall > b.wall; });
    for (std::size_t i = 0; i < std::min<std::size_t>(12, longest.size()); ++i)
        fmt::print("  {:6.1f} ms ({:6.1f} ms of the thread): {}\n", longest[i].wall, longest[i].cpu,
                   longest[i].what);
    constexpr int rest = 10'000;
    for (const char* page : {"training", "kernels"}) {
        window.showPage(QString::fromLatin1(page));
        QTest::qWait(2000);
        const double cpu = processCpuSeconds();
        QEventLoop loop; // qWait would look a hundred times a second whether the time is over
        QTimer::singleShot(rest, &loop, &QEventLoop::quit);
        loop.exec();
        fmt::print("at rest on {}: {:.2f} % of a core\n", page, 100e3 * (processCpuSeconds() - cpu) / rest);
    }
    return 0;
}
