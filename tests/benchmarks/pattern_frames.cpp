// SPDX-License-Identifier: Apache-2.0
// The pattern of a matrix with 100 million non-zeros: how long until the first picture after opening the
// binary cache, and how many frames a second pan and zoom reach. Usage:
//     bench_pattern_frames FOLDER [GENERATOR] [PICTURE.png]
// FOLDER keeps the matrix between calls (1 GB, made once in about a minute). Off screen.
#include "base/time.h"
#include "matrix/cache.h"
#include "matrix/generate.h"
#include "matrix/pattern.h"
#include "widgets/common/theme.h"
#include "widgets/matrices/pattern_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QKeyEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

using namespace sparserl;

namespace {

/// The digest of the fixture, made if it is not there.
Result<std::string> fixture(const std::filesystem::path& folder, const std::string& generator)
{
    const MatrixCache cache(folder);
    const QString note = QString::fromStdString((folder / "fixture.txt").string());
    QFile file(note);
    if (file.open(QIODevice::ReadOnly)) {
        const QList<QByteArray> lines = file.readAll().split('\n');
        if (lines.size() > 1 && lines[0].toStdString() == generator && cache.has(lines[1].toStdString()))
            return lines[1].toStdString();
    }
    const double begin = monotonicSeconds();
    SPARSERL_TRY(const auto matrix, generate(generator));
    SPARSERL_TRY(auto digest, cache.store(matrix));
    fmt::print("made {}: {} non-zeros in {:.1f} s\n", generator, matrix.nnz(), monotonicSeconds() - begin);
    file.close();
    if (file.open(QIODevice::WriteOnly))
        file.write((generator + "\n" + digest + "\n").c_str());
    return digest;
}

/// The file's pages leave the memory, so that the disk is part of what is measured.
void forget(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY);
    if (fd < 0)
        return;
    (void)::fdatasync(fd);
    (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
}

double residentMegabytes(const char* key)
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (status.open(QIODevice::ReadOnly))
        for (const QByteArray& line : status.readAll().split('\n'))
            if (line.startsWith(key))
                return line.mid(static_cast<qsizetype>(qstrlen(key)))
                           .simplified()
                           .split(' ')
                           .first()
                           .toDouble() /
                       1024;
    return 0;
}

struct Frames
{
    std::vector<double> times; ///< Milliseconds from the input to the painted picture.
    void report(const char* what)
    {
        std::sort(times.begin(), times.end());
        double sum = 0;
        for (const double t : times)
            sum += t;
        const auto at = [&](double q) {
            return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
        };
        fmt::print("{:<28} {:4} frames, median {:6.2f} ms, 99 % {:6.2f} ms, worst {:6.2f} ms: {:6.1f} frames "
                   "a second\n",
                   what, times.size(), at(0.5), at(0.99), times.back(),
                   1000 * static_cast<double>(times.size()) / sum);
    }
};

class Window
{
public:
    explicit Window(PatternView& view)
        : m_view(view)
        , m_image(view.size(), QImage::Format_RGB32)
    {
    }
    /// Input, then what the event loop would do: answers of threads, then one picture.
    template <typename F>
    void frame(Frames& frames, F&& input)
    {
        QElapsedTimer clock;
        clock.start();
        input();
        QCoreApplication::processEvents();
        m_view.render(&m_image);
        frames.times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    /// Paints until the picture is exact; milliseconds.
    double settle()
    {
        QElapsedTimer clock;
        clock.start();
        do {
            m_view.render(&m_image);
            QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        } while (!m_view.sharp() && clock.elapsed() < 60'000);
        m_view.render(&m_image);
        return static_cast<double>(clock.nsecsElapsed()) / 1e6;
    }
    const QImage& image() const { return m_image; }

private:
    PatternView& m_view;
    QImage m_image;
};

void wheel(PatternView& view, QPointF at, int delta)
{
    QWheelEvent event(at, view.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&view, &event);
}

void drag(PatternView& view, QPointF from, QPointF to, QEvent::Type type)
{
    QMouseEvent event(type, type == QEvent::MouseButtonPress ? from : to,
                      view.mapToGlobal(type == QEvent::MouseButtonPress ? from : to), Qt::LeftButton,
                      Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&view, &event);
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, ThemeChoice::Light);
    if (argc < 2) {
        std::fprintf(stderr, "Give a folder for the matrix.\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    const std::string generator = argc > 2 ? argv[2] : "wideband(n=3000000,band=200000,mean=34)";
    const auto digest = fixture(folder, generator);
    if (!digest) {
        std::fprintf(stderr, "%s\n", digest.error().sentence().c_str());
        return 1;
    }
    const MatrixCache cache(folder);
    for (const bool cold : {true, false}) {
        if (cold) {
            forget(cache.matrixPath(*digest));
            forget(cache.pyramidPath(*digest));
        }
        PatternView view;
        view.resize(1000, 900);
        view.show();
        QImage image(view.size(), QImage::Format_RGB32);
        QCoreApplication::processEvents();
        QElapsedTimer clock;
        clock.start();
        const auto pattern = MatrixPattern::open(cache, *digest);
        if (!pattern) {
            std::fprintf(stderr, "%s\n", pattern.error().sentence().c_str());
            return 1;
        }
        view.setPattern(*pattern, QStringLiteral("benchmark"));
        view.render(&image);
        fmt::print("{} cache, {} non-zeros: first picture after {:.1f} ms", cold ? "cold" : "warm",
                   (*pattern)->matrix().nnz(), static_cast<double>(clock.nsecsElapsed()) / 1e6);
        Window window(view);
        fmt::print(", exact after {:.0f} ms more\n", window.settle());
        Frames in, pan, out;
        const QPointF centre(520, 430);
        for (int i = 0; i < 120; ++i)
            window.frame(in, [&] { wheel(view, centre, i % 3 == 0 ? 120 : 60); });
        in.report("zoom in by wheel");
        const double atCells = view.pixelsPerColumn();
        for (int i = 0; i < 60; ++i)
            window.frame(out, [&] { wheel(view, centre, -120); });
        out.report("zoom out by wheel");
        view.showAll();
        for (int i = 0; i < 14; ++i)
            wheel(view, centre, 120);
        for (int i = 0; i < 120; ++i) {
            const QPointF to = centre + QPointF(160 * std::sin(i * 0.2), 160 * std::cos(i * 0.13));
            window.frame(pan, [&] {
                if (i == 0)
                    drag(view, centre, centre, QEvent::MouseButtonPress);
                drag(view, centre, to, QEvent::MouseMove);
            });
        }
        pan.report("pan by mouse, zoomed in");
        drag(view, centre, centre, QEvent::MouseButtonRelease);
        fmt::print("single entries at {:.0f} pixels a column; exact after {:.0f} ms; own memory {:.0f} MB "
                   "(file pages {:.0f} MB)\n",
                   atCells, window.settle(), residentMegabytes("RssAnon:"), residentMegabytes("RssFile:"));
        if (argc > 3) {
            view.showAll();
            window.settle();
            window.image().save(QString::fromLocal8Bit(argv[3]));
        }
    }
    return 0;
}
