// SPDX-License-Identifier: Apache-2.0
// How long the window takes to paint first on a project with 200 runs and 100,000 metric points.
// Usage: window_start [FOLDER]; the project is made there (or in a temporary folder) and the workbench
// started thrice.
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <cstdio>

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    QTemporaryDir temporary;
    const QString path =
        argc > 1 ? QString::fromLocal8Bit(argv[1]) : temporary.filePath(QStringLiteral("project"));
    if (auto made = sparserl::test::makeLargeProject(path.toStdString()); !made) {
        std::fprintf(stderr, "%s\n", made.error().sentence().c_str());
        return 1;
    }
    for (int start = 1; start <= 3; ++start) {
        std::printf("start %d%s\n", start, start == 1 ? " (the index is built)" : "");
        std::fflush(stdout);
        QProcess process;
        process.setProcessChannelMode(QProcess::ForwardedChannels);
        process.start(QStringLiteral(SPARSERL_BIN_DIR "/sparserl-workbench"),
                      {path, QStringLiteral("--page"), QStringLiteral("training"),
                       QStringLiteral("--measure-start"), QStringLiteral("--settings"),
                       temporary.filePath(QStringLiteral("settings.ini"))});
        if (!process.waitForFinished(sparserl::test::patience(120'000)) || process.exitCode() != 0)
            return 1;
    }
    return 0;
}
