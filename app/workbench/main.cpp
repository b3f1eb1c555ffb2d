// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/ending_signals.h"
#include "app/workbench/main_window.h"
#include "app/workbench/screenshots.h"
#include "base/printable.h"
#include "widgets/common/screen_fit.h"
#include "widgets/common/translate.h"
#include "widgets/common/unused_mnemonics.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace sparserl;

namespace {

// Says on stderr when the window has painted first: for measuring start-up.
class FirstPaint : public QObject
{
public:
    FirstPaint(QWidget* window, QElapsedTimer& clock)
        : QObject(window)
        , m_clock(clock)
    {
        window->installEventFilter(this);
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Paint && !m_done) {
            m_done = true;
            QTimer::singleShot(0, this, [this] {
                std::fprintf(stderr, "first paint after %lld ms\n",
                             static_cast<long long>(m_clock.elapsed()));
            });
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QElapsedTimer& m_clock;
    bool m_done = false;
};

ThemeChoice themeFrom(const QString& name, ThemeChoice otherwise)
{
    return name == QLatin1String("light")  ? ThemeChoice::Light
           : name == QLatin1String("dark") ? ThemeChoice::Dark
                                           : otherwise;
}

/// Messages of Qt may name what a project holds: a terminal is given none of it raw.
void printMessage(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    const std::string line = printableLine(qFormatLogMessage(type, context, text).toStdString()) + "\n";
    std::fputs(line.c_str(), stderr);
    if (type == QtFatalMsg)
        std::abort();
}

/// Without a display Qt aborts where it should say so. Help, versions and pictures need none.
bool findPlatform(int argc, char** argv)
{
    const auto given = [](const char* name) { return !qEnvironmentVariableIsEmpty(name); };
    if (given("DISPLAY") || given("WAYLAND_DISPLAY") || given("QT_QPA_PLATFORM"))
        return true;
    const auto needsNone = [](const char* word) {
        const QByteArrayView argument(word);
        return argument.startsWith("-platform") || argument.startsWith("--screenshot") || argument == "-h" ||
               argument.startsWith("--help") || argument == "-v" || argument == "--version";
    };
    if (!std::any_of(argv + 1, argv + argc, needsNone))
        return false;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    return true;
}

struct Options
{
    QCommandLineOption page{QStringLiteral("page"),
                            tr("Show a page: matrices, training, kernels or evaluation."),
                            QStringLiteral("NAME")};
    QCommandLineOption screenshot{QStringLiteral("screenshot"),
                                  tr("Write every page and tab as a PNG into DIR and quit."),
                                  QStringLiteral("DIR")};
    QCommandLineOption theme{QStringLiteral("theme"), tr("Use the light or the dark theme this time."),
                             QStringLiteral("NAME")};
    QCommandLineOption measure{
        QStringLiteral("measure-start"),
        tr("Print the times of the first paint and of the arrival of data and the size of the window, "
           "and quit.")};
    QCommandLineOption size{QStringLiteral("size"), tr("Size of the window in pixels."),
                            QStringLiteral("WIDTHxHEIGHT")};
    QCommandLineOption settingsFile{QStringLiteral("settings"), tr("Use this settings file."),
                                    QStringLiteral("FILE")};

    void addTo(QCommandLineParser& parser) const
    {
        parser.setApplicationDescription(what());
        parser.addHelpOption();
        parser.addVersionOption();
        parser.addPositionalArgument(QStringLiteral("project"), tr("Folder of the project to open."),
                                     QStringLiteral("[PROJECT]"));
        parser.addOptions({page, screenshot, theme, measure, size, settingsFile});
    }

    static QString what()
    {
        return tr("Teaches a language model to write CUDA kernels for your sparse matrices.");
    }
};

QStringList pages()
{
    return {QStringLiteral("matrices"), QStringLiteral("training"), QStringLiteral("kernels"),
            QStringLiteral("evaluation")};
}

QStringList themes()
{
    return {QStringLiteral("light"), QStringLiteral("dark")};
}

/// The options in the form in which the command line describes its own, for packaging/command_words.py.
QByteArray describedOptions(const Options& options)
{
    const auto described = [](const QStringList& names, const QString& help, const QString& value = {},
                              const QStringList& choices = {}) {
        QJsonArray dashed;
        for (const QString& name : names)
            dashed.append(QString((name.size() > 1 ? QStringLiteral("--") : QStringLiteral("-")) + name));
        QJsonObject json{{QStringLiteral("names"), dashed}, {QStringLiteral("help"), help}};
        if (!value.isEmpty())
            json[QStringLiteral("value")] = value;
        if (!choices.isEmpty())
            json[QStringLiteral("choices")] = QJsonArray::fromStringList(choices);
        return json;
    };
    QJsonArray all{
        described({QStringLiteral("h"), QStringLiteral("help")}, tr("Print the options and quit.")),
        described({QStringLiteral("v"), QStringLiteral("version")}, tr("Print the version and quit."))};
    for (const QCommandLineOption* option : {&options.page, &options.screenshot, &options.theme,
                                             &options.measure, &options.size, &options.settingsFile})
        all.append(described(option->names(), option->description(), option->valueName(),
                             option == &options.page    ? pages()
                             : option == &options.theme ? themes()
                                                        : QStringList()));
    QJsonObject project = described({}, tr("Folder of the project to open."), QStringLiteral("TEXT"));
    project[QStringLiteral("positional")] = QStringLiteral("PROJECT");
    all.append(project);
    return QJsonDocument(QJsonObject{{QStringLiteral("name"), QStringLiteral("sparserl-workbench")},
                                     {QStringLiteral("help"), Options::what()},
                                     {QStringLiteral("options"), all},
                                     {QStringLiteral("commands"), QJsonArray()}})
        .toJson(QJsonDocument::Compact);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGXFSZ, SIG_IGN); // beyond `ulimit -f` a write fails, with a sentence
    qInstallMessageHandler(printMessage);
    QElapsedTimer clock;
    clock.start();
    const Options options;
    if (argc == 2 && std::string_view(argv[1]) == "--describe")
        return std::puts(describedOptions(options).constData()) < 0 ? 1 : 0;
    if (!findPlatform(argc, argv)) {
        std::fprintf(
            stderr,
            "There is no display to open a window on. Set DISPLAY or WAYLAND_DISPLAY, write pictures of "
            "every page with --screenshot DIR, or use the command line, sparserl.\n");
        return 1;
    }
    QApplication application(argc, argv);
    application.installEventFilter(new UnusedMnemonics(&application));
    QCoreApplication::setApplicationName(QStringLiteral("sparserl-workbench"));
    QCoreApplication::setApplicationVersion(QStringLiteral(SPARSERL_VERSION));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("SparseRL Workbench"));
    QGuiApplication::setDesktopFileName(QStringLiteral("sparserl-workbench"));

    QCommandLineParser parser;
    options.addTo(parser);
    parser.process(application);
    if (const QString theme = parser.value(options.theme);
        parser.isSet(options.theme) && !themes().contains(theme)) {
        std::fprintf(stderr, "There is no theme \"%s\". Use light or dark.\n",
                     printableLine(theme.toStdString()).c_str());
        return 2;
    }

    Settings settings(parser.value(options.settingsFile));
    applyColours(themeFrom(parser.value(options.theme), settings.theme()), settings.preferences().curves);
    MainWindow window(settings);
    const EndingSignals endingSignals([&window](int number) {
        window.setQuietClose(true);
        QCoreApplication::exit(128 + number);
    });
    std::unique_ptr<FirstPaint> firstPaint;
    if (parser.isSet(options.measure))
        firstPaint = std::make_unique<FirstPaint>(&window, clock);
    if (parser.isSet(options.page) && !window.showPage(parser.value(options.page))) {
        std::fprintf(stderr, "There is no page \"%s\". Use matrices, training, kernels or evaluation.\n",
                     printableLine(parser.value(options.page).toStdString()).c_str());
        return 2;
    }
    const QStringList arguments = parser.positionalArguments();
    const QStringList recent = settings.recentProjects();
    bool opened = false;
    if (!arguments.isEmpty())
        opened = window.openProject(arguments.first());
    else if (!recent.isEmpty() && !parser.isSet(options.screenshot))
        window.openProject(recent.first());
    if (parser.isSet(options.size)) {
        const QStringList sides = parser.value(options.size).split(QLatin1Char('x'));
        if (sides.size() != 2 || sides[0].toInt() < 1 || sides[1].toInt() < 1) {
            std::fprintf(stderr, "\"%s\" is not a size. Give, for example, 1600x1000.\n",
                         printableLine(parser.value(options.size).toStdString()).c_str());
            return 2;
        }
        window.resize(sides[0].toInt(), sides[1].toInt());
    }
    applyStyleSheet(application);
    const bool fits = !parser.isSet(options.screenshot);
    if (fits && !parser.isSet(options.size))
        keepOnScreen(application);
    window.show();
    if (fits && parser.isSet(options.size)) // the window has the size that was asked for; its dialogs fit
        keepOnScreen(application);

    if (parser.isSet(options.screenshot)) {
        if (!opened) {
            std::fprintf(stderr, "--screenshot needs a project that opens. Give its folder.\n");
            return 1;
        }
        window.setQuietClose(true);
        auto* shots = new Screenshots(&window, parser.value(options.screenshot));
        QObject::connect(shots, &Screenshots::finished, &application,
                         [](bool ok) { QCoreApplication::exit(ok ? 0 : 1); });
        shots->start();
    }
    if (parser.isSet(options.measure)) {
        window.setQuietClose(true);
        auto* poll = new QTimer(&window);
        QObject::connect(poll, &QTimer::timeout, &window, [&] {
            if (window.busy())
                return;
            std::fprintf(stderr, "data shown after %lld ms in a window of %d x %d pixels\n",
                         static_cast<long long>(clock.elapsed()), window.width(), window.height());
            QCoreApplication::quit();
        });
        poll->start(5);
    }
    return QApplication::exec();
}
