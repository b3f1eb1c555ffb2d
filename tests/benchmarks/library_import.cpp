// SPDX-License-Identifier: Apache-2.0
// A folder of matrices is imported into a shown library: how long it takes, and how long the window ever kept
// the user waiting meanwhile. Usage: bench_library_import [FILES]     off screen, in a temporary folder.
#include "base/time.h"
#include "matrix/generate.h"
#include "matrix/write.h"
#include "widgets/common/theme.h"
#include "widgets/matrices/matrices_page.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <vector>

using namespace sparserl;

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, ThemeChoice::Light);
    const int files = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000;
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    std::filesystem::create_directories(base / "drop");
    for (int i = 0; i < files; ++i) {
        const auto matrix = generate(fmt::format("random(rows={},cols=300,mean=5,seed={})", 200 + i, i));
        if (!matrix || !writeMatrixMarket(base / "drop" / fmt::format("m{:04}.mtx", i), *matrix))
            return 1;
    }
    if (!Project::create(base / "project"))
        return 1;
    auto session = ProjectSession::open(base / "project");
    if (!session)
        return 1;
    MatricesPage page;
    page.resize(1300, 860);
    page.setSession(session->get());
    page.show();

    std::vector<double> gaps; // milliseconds from one turn of the event loop to the next
    QElapsedTimer turn;
    turn.start();
    QTimer beat;
    QObject::connect(&beat, &QTimer::timeout, &page, [&] {
        gaps.push_back(static_cast<double>(turn.nsecsElapsed()) / 1e6);
        turn.start();
    });
    beat.start(2);
    bool imported = false;
    QObject::connect(page.importer(), &MatrixImport::finished, &page,
                     [&](const QStringList& added, const QStringList& problems) {
                         fmt::print("{} added, {} problems\n", added.size(), problems.size());
                         imported = true;
                     });
    const double begin = monotonicSeconds(), cpu = threadCpuSeconds();
    page.importer()->start({QString::fromStdString((base / "drop").string())},
                           ImportSplit::EveryFifthHeldOut);
    double importedAfter = 0;
    const auto shown = [&] {
        return page.model()->rowCount() == files &&
               std::all_of(page.model()->rows().begin(), page.model()->rows().end(),
                           [](const MatrixItem& item) { return !item.thumbnail.isNull(); });
    };
    while (!imported || !shown()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        if (imported && importedAfter == 0)
            importedAfter = monotonicSeconds() - begin;
        if (monotonicSeconds() - begin > 900)
            return 1;
    }
    std::sort(gaps.begin(), gaps.end());
    const auto at = [&](double q) {
        return gaps[static_cast<std::size_t>(q * static_cast<double>(gaps.size() - 1))];
    };
    fmt::print("{} files: imported after {:.1f} s, all thumbnails after {:.1f} s; the window's thread: "
               "{:.1f} s of CPU, "
               "a turn takes 99 %: {:.1f} ms, 99.9 %: {:.1f} ms, worst {:.1f} ms\n",
               files, importedAfter, monotonicSeconds() - begin, threadCpuSeconds() - cpu, at(0.99),
               at(0.999), gaps.back());
    page.setSession(nullptr);
    return 0;
}
