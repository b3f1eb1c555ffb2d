// SPDX-License-Identifier: Apache-2.0
// Where a user may say that something is to be written, and what may be there: it is refused in a sentence,
// and nothing there changes.
#include "app/workbench/quickstart.h"
#include "base/files.h"
#include "base/printable.h"
#include "project/curves/curve_files.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/format.h"
#include "widgets/common/typed_path.h"
#include "widgets/matrices/pattern_view.h"

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <functional>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace sparserl;
namespace fs = std::filesystem;

class TestPlaces : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = fs::canonical(m_temporary.path().toStdString());
        fs::create_directories(m_folder / "here");
        fs::current_path(m_folder / "here");
        const auto made = test::makeProject(project());
        QVERIFY2(made, made ? "" : made.error().sentence().c_str());
        const auto runs = fs::directory_iterator(project() / "runs");
        QVERIFY(runs != fs::directory_iterator());
        m_run = runs->path().filename().string();
    }

    void places_data()
    {
        QTest::addColumn<QString>("place");
        for (const char* place : {"a pipe", "a socket", "a folder", "below a file", "a project of others",
                                  "below a project of others", "a link into a project of others",
                                  "a name of 300 characters", "a relative path", "nothing", "a full disk"})
            QTest::newRow(place) << QString::fromLatin1(place);
    }
    /// What the choosers of files lead to.
    void places()
    {
        QFETCH(QString, place);
        const fs::path folder = m_folder / "places";
        fs::remove_all(folder);
        fs::create_directories(folder);
        const fs::path sent = folder / "sent";
        fs::create_directories(sent);
        QVERIFY(writeFileAtomic(folder / "made", "x"));
        fs::rename(folder / "made", sent / "project.toml");
        qunsetenv("SPARSERL_TRUST");
        QString at = toQString((folder / "at").string());
        if (place == u"a pipe") {
            QCOMPARE(::mkfifo((folder / "at").c_str(), 0600), 0);
        } else if (place == u"a socket") {
            const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            (folder / "at").string().copy(address.sun_path, sizeof address.sun_path - 1);
            QCOMPARE(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
            ::close(fd);
        } else if (place == u"a folder") {
            fs::create_directories(folder / "at/full");
        } else if (place == u"below a file") {
            QVERIFY(writeFileAtomic(folder / "at", "precious"));
            at += QStringLiteral("/below");
        } else if (place == u"a project of others") {
            at = toQString(sent.string());
        } else if (place == u"below a project of others") {
            at = toQString((sent / "x").string());
        } else if (place == u"a link into a project of others") {
            fs::create_symlink(sent / "x", folder / "at");
        } else if (place == u"a name of 300 characters") {
            at += QString(300, QLatin1Char('n'));
        } else if (place == u"a relative path") {
            at = QStringLiteral("at");
        } else if (place == u"nothing") {
            at.clear();
        }
        const bool full = place == u"a full disk";
        const QStringList before = test::entriesBelow(folder);
        // No file can get longer: what is made stays empty, and must not be left.
        struct rlimit old
        {
        };
        ::getrlimit(RLIMIT_FSIZE, &old);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        const auto limit = [&](bool on) {
            struct rlimit none = old;
            none.rlim_cur = on ? 0 : old.rlim_cur;
            ::setrlimit(RLIMIT_FSIZE, &none);
        };
        struct Case
        {
            const char* name;
            std::function<Status()> work;
        };
        PatternView view;
        view.resize(80, 80);
        const std::vector<Case> cases{
            {"a file is saved", [&] { return saveFile(at, "text"); }},
            {"a picture is saved",
             [&]() -> Status {
                 const QString failure = view.save(at);
                 return failure.isEmpty() ? Status() : fail(failure.toStdString());
             }},
            {"a project is made",
             [&]() -> Status {
                 SPARSERL_TRY(const auto path, typedPath(at));
                 SPARSERL_CHECK(Project::create(path, "x"));
                 return {};
             }},
            {"the quickstart is copied",
             [&]() -> Status {
                 SPARSERL_TRY(const auto path, typedPath(at));
                 return copyQuickstart(path);
             }},
            {"curves are exported",
             [&]() -> Status {
                 SPARSERL_TRY(const auto path, typedPath(at));
                 SPARSERL_CHECK(exportCurves({project() / "runs" / m_run}, CurveFormat::TensorBoard, path, {},
                                             [](double, std::string_view) {}));
                 return {};
             }},
        };
        for (const Case& one : cases) {
            if (place == u"a folder" && one.name == std::string_view("a project is made"))
                continue; // a folder that holds something may become a project
            limit(full);
            const Status status = one.work();
            limit(false);
            const std::string said = status ? "" : status.error().sentence();
            QVERIFY2(!status, one.name);
            QVERIFY2(!said.empty() && said.size() < 2500 && printableLine(said) == said, said.c_str());
            QVERIFY2(test::entriesBelow(folder) == before, (std::string(one.name) + ": " + said).c_str());
        }
        std::signal(SIGXFSZ, handler);
        QCOMPARE(test::entriesBelow(m_folder / "here"), QStringList());
        if (place == u"below a file")
            QCOMPARE(readFile(folder / "at").value_or(""), std::string("precious"));
        qputenv("SPARSERL_TRUST", "all");
    }

    void cleanupTestCase() { fs::current_path("/"); }

private:
    fs::path project() const { return m_folder / "project"; }

    QTemporaryDir m_temporary;
    fs::path m_folder;
    std::string m_run;
};

SPARSERL_GUI_TEST_MAIN(TestPlaces)
#include "tst_widgets_places.moc"
