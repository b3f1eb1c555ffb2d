// SPDX-License-Identifier: Apache-2.0
// What is imported of a folder, and what is passed over: every kind of entry.
#include "matrix/files_below.h"

#include "base/beneath.h"
#include "base/files.h"
#include "tests/base/strange_files.h"
#include "tests/base/without_rights.h"

#include <QTest>
#include <algorithm>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

void touch(const fs::path& file)
{
    fs::create_directories(file.parent_path());
    if (!writeFileAtomic(file, "x"))
        qFatal("cannot write");
}

} // namespace

class TestFilesBelow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        auto made = TempDir::create();
        QVERIFY(made);
        m_dir = std::make_unique<TempDir>(std::move(*made));
        m_folder = m_dir->path() / "in";
        fs::create_directory(m_folder);
    }
    void cleanup()
    {
        std::error_code code;
        removeTree(m_folder, code);
        QVERIFY(!code);
        m_dir.reset();
    }

    void everyKindOfEntry_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("file");   // that is imported
        QTest::addColumn<QString>("passed"); // what is said
        QTest::newRow("a matrix") << "a.mtx"
                                  << "a.mtx"
                                  << "";
        QTest::newRow("capitals") << "A.MTX.GZ"
                                  << "A.MTX.GZ"
                                  << "";
        QTest::newRow("an archive") << "a.tar.gz"
                                    << "a.tar.gz"
                                    << "";
        QTest::newRow("a text") << "a.txt"
                                << ""
                                << "";
        QTest::newRow("gzip of a text") << "a.gz"
                                        << ""
                                        << "";
        QTest::newRow("hidden") << ".a.mtx"
                                << ""
                                << "";
        QTest::newRow("in a hidden folder") << ".git/a.mtx"
                                            << ""
                                            << "";
        QTest::newRow("in a folder") << "b/c/a.mtx"
                                     << "b/c/a.mtx"
                                     << "";
        QTest::newRow("in a folder called so") << "b.mtx/a.mtx"
                                               << "b.mtx/a.mtx"
                                               << "";
        QTest::newRow("hard link") << "hard"
                                   << "hard.mtx"
                                   << "";
        QTest::newRow("link to a file") << "link"
                                        << "link.mtx"
                                        << "";
        QTest::newRow("link to a folder") << "to a folder"
                                          << ""
                                          << "more (a link to a folder)";
        QTest::newRow("link to the folder around it") << "loop"
                                                      << ""
                                                      << "round (a link to a folder)";
        QTest::newRow("link to itself") << "itself"
                                        << ""
                                        << "itself.mtx (a link that leads to itself)";
        QTest::newRow("dangling link") << "dangling"
                                       << ""
                                       << "gone.mtx (a link that leads nowhere)";
        QTest::newRow("dangling link, called otherwise") << "other"
                                                         << ""
                                                         << "";
        QTest::newRow("named pipe") << "pipe"
                                    << ""
                                    << "pipe.mtx (this is a named pipe, not a file)";
        QTest::newRow("named pipe, called otherwise") << "other pipe"
                                                      << ""
                                                      << "";
        QTest::newRow("socket") << "socket"
                                << ""
                                << "socket.mtx (this is a socket, not a file)";
        QTest::newRow("link to a device") << "device"
                                          << ""
                                          << "null.mtx (this is a device, not a file)";
        QTest::newRow("device") << "real device"
                                << ""
                                << "null.mtx (this is a device, not a file)";
        QTest::newRow("no rights") << "closed"
                                   << ""
                                   << "closed (cannot list the folder: Permission denied)";
        QTest::newRow("no rights within") << "inner"
                                          << ""
                                          << "b/closed (cannot list the folder: Permission denied)";
        QTest::newRow("too deep") << "deep"
                                  << ""
                                  << "(cannot look at it: File name too long)";
    }
    void everyKindOfEntry()
    {
        QFETCH(QString, name);
        QFETCH(QString, file);
        QFETCH(QString, passed);
        const std::string what = name.toStdString(), said = passed.toStdString();
        const fs::path outside = m_dir->path() / "outside";
        touch(outside / "a.mtx");
        if (what == "hard")
            fs::create_hard_link(outside / "a.mtx", m_folder / "hard.mtx");
        else if (what == "link")
            fs::create_symlink(outside / "a.mtx", m_folder / "link.mtx");
        else if (what == "to a folder")
            fs::create_directory_symlink(outside, m_folder / "more");
        else if (what == "loop")
            fs::create_directory_symlink("..", m_folder / "round");
        else if (what == "itself")
            fs::create_symlink("itself.mtx", m_folder / "itself.mtx");
        else if (what == "dangling")
            fs::create_symlink("/nowhere/at/all", m_folder / "gone.mtx");
        else if (what == "other")
            fs::create_symlink("/nowhere/at/all", m_folder / "gone");
        else if (what == "pipe" || what == "other pipe")
            QCOMPARE(::mkfifo((m_folder / (what == "pipe" ? "pipe.mtx" : "pipe")).c_str(), 0600), 0);
        else if (what == "socket")
            QVERIFY(test::makeSocket(m_folder / "socket.mtx"));
        else if (what == "device")
            fs::create_symlink("/dev/null", m_folder / "null.mtx");
        else if (what == "real device") {
            if (::mknod((m_folder / "null.mtx").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0)
                QSKIP("only root can make a device");
        } else if (what == "closed" || what == "inner") {
            const fs::path closed = m_folder / (what == "inner" ? "b/closed" : "closed");
            touch(closed / "a.mtx");
            fs::permissions(closed, fs::perms::none);
            fs::permissions(m_dir->path(), fs::perms(0755));
        } else if (what == "deep")
            QVERIFY(test::makeUnlistableFolder(m_folder));
        else
            touch(m_folder / what);
        touch(m_folder / "z.mtx");

        const bool rights = what != "closed" && what != "inner";
        const auto below = [&] {
            const auto without = rights ? nullptr : std::make_unique<test::WithoutRights>();
            return matrixFilesBelow(m_folder, {});
        }();
        QVERIFY2(below, below ? "" : below.error().sentence().c_str());
        std::vector<fs::path> wanted{m_folder / "z.mtx"}; // goes on in any case
        if (!file.isEmpty())
            wanted.insert(wanted.begin(), m_folder / file.toStdString());
        QCOMPARE(below->files, wanted);
        QCOMPARE(below->passedOver.size(), std::size_t(said.empty() ? 0 : 1));
        const std::string text = passedOverText(below->passedOver, m_folder);
        if (what == "deep")
            QVERIFY2(text.ends_with(said), text.c_str());
        else
            QCOMPARE(text, said.empty() ? std::string() : "passed over: " + said);
        if (!said.empty())
            QCOMPARE(below->passedOver.front().failed, said.find("cannot l") != std::string::npos);
    }

    /// However much there is, the sentence names each reason once.
    void oneSentenceForAll()
    {
        for (int i = 0; i < 50; ++i) {
            fs::create_symlink("nowhere", m_folder / ("gone" + std::to_string(100 + i) + ".mtx"));
            QCOMPARE(::mkfifo((m_folder / ("pipe\n" + std::to_string(100 + i) + ".mtx")).c_str(), 0600), 0);
        }
        const auto below = matrixFilesBelow(m_folder, {});
        QVERIFY(below && below->files.empty());
        QCOMPARE(below->passedOver.size(), std::size_t{100});
        QCOMPARE(passedOverText(below->passedOver, m_folder),
                 std::string("passed over: gone100.mtx and 49 more (a link that leads nowhere), "
                             "pipe\\x0a100.mtx and 49 more (this is a named pipe, not a file)"));
    }

    void theFolderItself()
    {
        fs::create_directory_symlink(m_folder, m_dir->path() / "link");
        touch(m_folder / "a.mtx");
        const auto linked = matrixFilesBelow(m_dir->path() / "link", {});
        QVERIFY(linked && linked->files.size() == 1); // the user names it
        fs::permissions(m_folder, fs::perms::none);
        fs::permissions(m_dir->path(), fs::perms(0755));
        {
            const test::WithoutRights without;
            const auto closed = matrixFilesBelow(m_folder, {});
            QVERIFY(!closed && closed.error().what.find("Permission denied") != std::string::npos);
        }
        fs::permissions(m_folder, fs::perms(0700));
        CancelToken cancel;
        cancel.cancel();
        const auto cancelled = matrixFilesBelow(m_folder, cancel);
        QVERIFY(cancelled && cancelled->files.empty());
    }

    /// A project folder that somebody sent: its links are followed no more than elsewhere.
    void belowAProject()
    {
        touch(m_folder / "project.toml");
        touch(m_dir->path() / "outside/a.mtx");
        fs::create_symlink(m_dir->path() / "outside/a.mtx", m_folder / "link.mtx");
        fs::create_directory_symlink(m_dir->path() / "outside", m_folder / "more");
        touch(m_folder / "a.mtx");
        const auto below = matrixFilesBelow(m_folder, {});
        QVERIFY(below);
        // Who opens the link says that it is one.
        QCOMPARE(below->files, (std::vector<fs::path>{m_folder / "a.mtx", m_folder / "link.mtx"}));
        QCOMPARE(below->passedOver.size(), std::size_t{0});
    }

private:
    std::unique_ptr<TempDir> m_dir;
    fs::path m_folder;
};

QTEST_GUILESS_MAIN(TestFilesBelow)
#include "tst_files_below.moc"
