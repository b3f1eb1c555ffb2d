// SPDX-License-Identifier: Apache-2.0
// Files, locks and logs.
#include "base/beneath.h"
#include "base/file_error.h"
#include "base/file_kind.h"
#include "base/files.h"
#include "base/free_name.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mapped_file.h"
#include "base/new_folders.h"
#include "base/new_place.h"
#include "base/read_at.h"
#include "base/subprocess.h"
#include "base/system_remedy.h"
#include "tests/base/strange_files.h"
#include "tests/base/without_rights.h"
#include "tests/patience.h"

#include <QTest>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

using namespace sparserl;
namespace fs = std::filesystem;

class TestFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// What somebody names for something new: free, or a sentence. Empty places are taken where nothing is
    /// lost.
    void newPlaces()
    {
        const auto dir = TempDir::create();
        const fs::path at = dir->path();
        QVERIFY(writeFileAtomic(at / "full", "x") && writeFileAtomic(at / "empty", ""));
        fs::create_directory(at / "folder");
        fs::create_directory(at / "filled");
        QVERIFY(writeFileAtomic(at / "filled" / "file", "x"));
        fs::create_symlink("nowhere", at / "gone");
        QVERIFY(checkNewFile(at / "none") && checkNewFile(at / "empty") && checkNewFile("/dev/null"));
        QVERIFY(!checkNewFile(at / "full") && !checkNewFile(at / "folder"));
        QVERIFY(checkNewFolder(at / "none") && checkNewFolder(at / "folder"));
        QVERIFY(!checkNewFolder(at / "full") && !checkNewFolder(at / "filled"));
        QVERIFY(checkFree(at / "none", "file"));
        for (const char* taken : {"full", "empty", "folder", "filled", "gone"}) {
            const Status free = checkFree(at / taken, "folder");
            QVERIFY2(!free, taken);
            QVERIFY(free.error().sentence().find("Name a folder that does not exist yet") !=
                    std::string::npos);
        }
        QVERIFY(checkFree(at / "gone", "file").error().what.find("leads nowhere") != std::string::npos);
    }

    /// A place at which nothing can be made is refused before the work, not after it.
    void newPlacesThatCannotBeMade()
    {
        const auto dir = TempDir::create();
        const fs::path at = dir->path();
        QVERIFY(writeFileAtomic(at / "file", "x"));
        fs::create_directories(at / "closed/empty");
        fs::permissions(at, fs::perms(0755));
        fs::permissions(at / "closed", fs::perms(0555));
        fs::permissions(at / "closed/empty", fs::perms(0555));
        const test::WithoutRights without;
        const auto refused = [](const fs::path& place) {
            const std::array checks{checkNewFile(place / "new"), checkNewFolder(place / "new"),
                                    checkFree(place / "new", "folder"), checkNewFolder(place / "new/er")};
            for (const Status& check : checks) {
                if (check || check.error().remedy.empty())
                    qFatal("%s: %s", place.c_str(), check ? "allowed" : check.error().what.c_str());
            }
        };
        refused(at / "file");
        refused(at / "closed");
        refused(at / "closed/none");
        refused("/proc");
        QVERIFY(!checkNewFolder(at / "closed/empty"));
        QCOMPARE(QString::fromStdString(checkNewFolder(at / "file/new").error().what),
                 QStringLiteral("there is a file where a folder should go"));
        QVERIFY(checkNewFolder(fs::temp_directory_path() / "not-there/new"));
    }

    void atomicWriteReplacesAndLeavesNothingBehind()
    {
        auto dir = TempDir::create();
        QVERIFY(dir.has_value());
        const fs::path path = dir->path() / "deep" / "file.txt";
        QVERIFY(writeFileAtomic(path, "one").has_value());
        QVERIFY(writeFileAtomic(path, "two").has_value());
        QCOMPARE(readFile(path).value(), std::string("two"));
        QCOMPARE(listDirectory(path.parent_path()).value().size(), std::size_t(1));
        QVERIFY(appendFile(path, "+three", true).has_value());
        QCOMPARE(readFile(path).value(), std::string("two+three"));
        QVERIFY(!readFile(path, 3).has_value());
    }

    /// What the user names and is no file stays what it is: as root, a rename would take /dev/null away.
    void whatIsNoFileIsNotReplaced()
    {
        auto dir = TempDir::create();
        const fs::path pipe = dir->path() / "pipe", folder = dir->path() / "folder";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        fs::create_directories(folder);
        fs::create_symlink(pipe, dir->path() / "link");
        for (const fs::path& path : {pipe, dir->path() / "link", folder}) {
            const auto refused = writeFileAtomic(path, "x");
            QVERIFY2(!refused &&
                         refused.error().sentence().find("cannot write the file") != std::string::npos,
                     path.c_str());
        }
        QVERIFY(fs::is_fifo(pipe) && fs::is_symlink(dir->path() / "link"));
        QCOMPARE(entriesOf(dir->path()).size(), std::size_t(3));
        // Where output goes is written to: /dev/stdout is a link to such a one.
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        QVERIFY(writeFileAtomic("/proc/self/fd/" + std::to_string(ends[1]), "text"));
        std::string into(4, '.');
        QCOMPARE(::read(ends[0], into.data(), 4), ssize_t(4));
        QCOMPARE(into, std::string("text"));
        ::close(ends[0]);
        ::close(ends[1]);
        // A link of the user's in the place of a file.
        QVERIFY(writeFileAtomic(dir->path() / "file", "old"));
        fs::create_symlink("file", dir->path() / "to file");
        QCOMPARE(behindLink(dir->path() / "to file"), fs::canonical(dir->path() / "file"));
        QCOMPARE(behindLink(dir->path() / "file"), dir->path() / "file");
    }

    void positionsAreReadWhole()
    {
        auto dir = TempDir::create();
        QVERIFY(writeFileAtomic(dir->path() / "file", "0123456789"));
        const int file = ::open((dir->path() / "file").c_str(), O_RDONLY | O_CLOEXEC);
        std::string into(20, '.');
        QCOMPARE(readAt(file, 4, into.data(), 3), std::optional<std::size_t>(3));
        QCOMPARE(into.substr(0, 4), std::string("456."));
        QCOMPARE(readAt(file, 8, into.data(), 20), std::optional<std::size_t>(2)); // the file ends
        QCOMPARE(readAt(file, 99, into.data(), 1), std::optional<std::size_t>(0));
        ::close(file);
        QVERIFY(!readAt(-1, 0, into.data(), 1) && errno == EBADF);
    }

    void writersAtTheSameTimeLeaveOneWholeFile()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "file";
        std::vector<std::thread> threads;
        for (char letter : {'a', 'b', 'c', 'd'}) {
            threads.emplace_back([&path, letter] {
                for (int i = 0; i < 20; ++i) {
                    (void)writeFileAtomic(path, std::string(10000, letter));
                }
            });
        }
        for (int i = 0; i < 200; ++i) {
            if (const auto text = readFile(path)) {
                QCOMPARE(text->size(), std::size_t(10000));
                QCOMPARE(text->find_first_not_of(text->front()), std::string::npos);
            }
        }
        for (auto& thread : threads) {
            thread.join();
        }
        QCOMPARE(listDirectory(dir->path()).value().size(), std::size_t(1));
    }

    void freePlacesCountUp()
    {
        const auto dir = TempDir::create("t");
        const fs::path wanted = dir->path() / "one";
        QCOMPARE(freePlace(wanted), wanted);
        QVERIFY(writeFileAtomic(wanted, "") && makeDirectories(dir->path() / "one-2"));
        QCOMPARE(freePlace(wanted), dir->path() / "one-3");
        QCOMPARE(firstFree(std::string("a"), [](const std::string& name) { return name.size() < 3; }),
                 std::string("a-2"));
    }

    void newFoldersGoUnlessSomethingIsInThem()
    {
        const auto dir = TempDir::create("t");
        const fs::path outer = dir->path() / "a";
        {
            NewFolders folders;
            QVERIFY(folders.make(outer / "b/c") && folders.make(outer / "b/d/"));
            QVERIFY(fs::exists(outer / "b/d"));
        }
        QVERIFY(!fs::exists(outer));
        QVERIFY(makeDirectories(outer));
        {
            NewFolders folders;
            QVERIFY(folders.make(outer / "empty") && folders.make(outer / "full") && folders.make(outer));
            QVERIFY(writeFileAtomic(outer / "full/file", "1"));
        }
        QCOMPARE(listDirectory(outer).value(), std::vector<fs::path>{outer / "full"});
        {
            NewFolders folders;
            QVERIFY(folders.make(outer / "kept"));
            folders.keep();
        }
        QVERIFY(fs::exists(outer / "kept"));
        QVERIFY(!writeFileAtomic(outer / "new" / std::string(300, 'x'), ""));
        QVERIFY(!fs::exists(outer / "new"));
    }

    void failuresNameThePath()
    {
        const auto missing = readFile("/no/such/file");
        QVERIFY(!missing.has_value());
        QCOMPARE(missing.error().file, std::string("/no/such/file"));
        QVERIFY(!missing.error().remedy.empty());
        QVERIFY(!readFile("/tmp").has_value());
        QVERIFY(!MappedFile::open("/no/such/file").has_value());
        QVERIFY(!MappedFile::open("/tmp").has_value());
        QVERIFY(!listDirectory("/no/such").has_value());
        QVERIFY(!writeFileAtomic("/proc/none/file", "x").has_value());
    }

    void mappedFiles()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "f";
        QVERIFY(writeFileAtomic(path, "abc").has_value());
        auto mapped = MappedFile::open(path);
        QVERIFY(mapped.has_value());
        MappedFile moved = std::move(*mapped);
        QCOMPARE(std::string(moved.view()), std::string("abc"));
        QVERIFY(writeFileAtomic(path, "").has_value());
        const auto empty = MappedFile::open(path);
        QVERIFY(empty.has_value());
        QVERIFY(empty->view().empty());
        QCOMPARE(std::string(moved.view()), std::string("abc")); // Replaced, not overwritten.
    }

    /// Somebody cuts a file while it is read: a sentence, and no signal. What can still be read stays.
    void mappedFilesThatAreCut()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "f", other = dir->path() / "g";
        constexpr std::size_t size = 1 << 20;
        QVERIFY(writeFileAtomic(path, std::string(size, 'x')) &&
                writeFileAtomic(other, std::string(size, 'y')));
        const auto sum = [](const MappedFile& file) {
            std::size_t found = 0;
            for (const char c : file.view())
                found += c != 0;
            return found;
        };
        auto mapped = MappedFile::open(path);
        const auto untouched = MappedFile::open(other);
        QVERIFY(mapped && untouched && mapped->whole());
        fs::resize_file(path, 10000);
        const MappedFile moved = std::move(*mapped);
        QCOMPARE(sum(moved), std::size_t(10000));
        const auto whole = moved.whole();
        QVERIFY(!whole && whole.error().file == path.string());
        QVERIFY(whole.error().what.find("became shorter") != std::string::npos);
        QCOMPARE(sum(moved), std::size_t(10000)); // again, and from several threads
        std::vector<std::thread> threads;
        auto third = MappedFile::open(other);
        fs::resize_file(other, 0);
        std::atomic<std::size_t> seen{0};
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] { seen += sum(*third); });
        for (std::thread& thread : threads)
            thread.join();
        QVERIFY(seen == 0 && !third->whole());
        QVERIFY(untouched->whole()); // nobody has looked at it since
        QCOMPARE(sum(*untouched), std::size_t(0));
        QVERIFY(!untouched->whole());
    }

    void holesOfGigabytes()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "f";
        QVERIFY(writeFileAtomic(path, std::string(1 << 16, 'x')));
        QVERIFY(MappedFile::open(path)->solid());
        fs::resize_file(path, std::uintmax_t(1) << 20); // small ones are read, whatever they hold
        QVERIFY(MappedFile::open(path)->solid());
        fs::resize_file(path, std::uintmax_t(64) << 30);
        const auto mapped = MappedFile::open(path);
        const auto solid = mapped->solid();
        QVERIFY(!solid && solid.error().what.find("is a hole") != std::string::npos);
    }

    void temporaryFoldersGoAway()
    {
        fs::path path;
        {
            auto dir = TempDir::create("test");
            QVERIFY(dir.has_value());
            path = dir->path();
            QVERIFY(fs::is_directory(path));
            QVERIFY(writeFileAtomic(path / "x" / "y", "z").has_value());
        }
        QVERIFY(!fs::exists(path));
    }

    void abandonedTemporaryFoldersGoToo()
    {
        const auto base = TempDir::create("test");
        QVERIFY(base.has_value());
        const QByteArray before = qgetenv("TMPDIR");
        qputenv("TMPDIR", base->path().c_str());
        const auto made = [&](const char* name, std::chrono::minutes age) {
            const fs::path folder = base->path() / name;
            fs::create_directories(folder / "inside");
            fs::permissions(folder, fs::perms::owner_all);
            fs::last_write_time(folder, fs::file_time_type::clock::now() - age);
            return folder;
        };
        using std::chrono::hours;
        const fs::path left = made("kept-abcdef", hours(2)), young = made("kept-ghijkl", hours(0)),
                       other = made("kept2-abcdef", hours(2)), longer = made("kept-abcdefg", hours(2)),
                       target = made("outside", hours(2)),
                       killed = made("kept-mnopqr", std::chrono::minutes(2)),
                       empty = made("kept-stuvwx", std::chrono::minutes(0));
        fs::remove(empty / "inside");
        fs::last_write_time(empty, fs::file_time_type::clock::now() - std::chrono::minutes(2));
        fs::create_directory_symlink(target, base->path() / "kept-linked");
        auto held = TempDir::create("kept");
        QVERIFY(held.has_value() && !fs::exists(left) && !fs::exists(killed));
        fs::last_write_time(held->path(), fs::file_time_type::clock::now() - hours(2));
        auto moved = std::move(held);
        const auto second = TempDir::create("kept");
        QVERIFY(second.has_value());
        for (const fs::path& stays : {young, empty, other, longer, target / "inside", moved->path()})
            QVERIFY2(fs::exists(stays), stays.c_str());
        qputenv("TMPDIR", before);
        if (before.isNull())
            qunsetenv("TMPDIR");
    }

    void adviceFitsTheError()
    {
        for (int error = 1; error < 134; ++error) {
            const bool full = error == ENOSPC || error == EDQUOT;
            QCOMPARE(systemRemedy(error).find("space") != std::string::npos, full);
            QVERIFY(!systemReason(error).empty());
            // Each says something to do, but where the caller knows better what is in the way.
            QVERIFY2(!systemRemedy(error).empty() || error == EEXIST, systemReason(error).c_str());
        }
        std::set<std::string> advice;
        for (const int error :
             {ENOENT, EACCES, EROFS, ENOSPC, ELOOP, EMLINK, EIO, ENOMEM, EAGAIN, EMFILE, EFBIG})
            QVERIFY2(advice.insert(systemRemedy(error)).second && !systemRemedy(error).empty(),
                     systemReason(error).c_str());
    }

    /// Memory, processes and the other end of a socket have no disk, no folder and no permissions of a file.
    void adviceFitsTheSubject()
    {
        for (int error = 1; error < 134; ++error) {
            for (const Subject subject : {Subject::Stream, Subject::Memory, Subject::Process}) {
                const std::string advice = systemRemedy(error, subject);
                QVERIFY2(!advice.empty(), systemReason(error).c_str());
                for (const char* word :
                     {"disk", "folder", "file system", "quota", "fsck", "path", "link", "name", "copy"})
                    QVERIFY2(advice.find(word) == std::string::npos, (systemReason(error) + advice).c_str());
            }
            QVERIFY(systemRemedy(error).find("other end") == std::string::npos);
        }
        for (const int error : {ECONNRESET, ENOTCONN, EPIPE, EIO})
            QVERIFY(systemRemedy(error, Subject::Stream).find("other end") != std::string::npos);
        QVERIFY(systemRemedy(EAGAIN, Subject::Process).find("ulimit -u") != std::string::npos);
        QVERIFY(systemRemedy(EFBIG, Subject::Memory).find("shared memory") != std::string::npos);
    }

    void adviceFitsWhatIsThere_data()
    {
        QTest::addColumn<bool>("inProject");
        QTest::newRow("a file that the user names") << false;
        QTest::newRow("a file of a project") << true;
    }
    /// Every operation on everything that may lie in the place of a file or a folder, and with every errno.
    void adviceFitsWhatIsThere()
    {
        QFETCH(bool, inProject);
        auto dir = TempDir::create();
        const fs::path at = dir->path() / "p";
        fs::create_directories(at / "folder/inside");
        if (inProject)
            QVERIFY(writeFileAtomic(at / "project.toml", ""));
        QVERIFY(writeFileAtomic(at / "file", "x"));
        QCOMPARE(::mkfifo((at / "pipe").c_str(), 0600), 0);
        QVERIFY(test::makeSocket(at / "socket"));
        fs::create_symlink("loop", at / "loop");
        fs::create_symlink("/dev/full", at / "device");
        fs::create_symlink("nowhere", at / "gone");
        if (inProject && fs::remove(at / "device") &&
            ::mknod((at / "device").c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
            fs::create_symlink("/dev/full", at / "device"); // only root can make one
        struct Kind
        {
            const char *name, *said; ///< `said` of what is neither file nor folder.
        };
        const auto check = [&](const Kind& kind, const std::string& doing, const Error& error) {
            const std::string said = doing + " of " + kind.name + ": " + error.sentence();
            for (const char* word : {"the disk", "this disk", "file system", "dmesg"})
                QVERIFY2(error.remedy.find(word) == std::string::npos, said.c_str());
            QVERIFY2(*kind.said == '\0' || error.what.find(kind.said) != std::string::npos, said.c_str());
            QVERIFY2(inProject || said.find("allow-link") == std::string::npos, said.c_str());
        };
        for (const Kind& kind : {Kind{"pipe", "pipe"},
                                 {"socket", "socket"},
                                 {"device", ""},
                                 {"folder", ""},
                                 {"loop", "link"},
                                 {"gone", ""},
                                 {"file/inside", ""}}) {
            const fs::path path = at / kind.name;
            const auto tried = [&](const char* doing, const auto& result) {
                if (!result)
                    check(kind, doing, result.error());
                return result.has_value();
            };
            const bool strange = std::string_view(kind.said) != "";
            const bool folder = std::string_view(kind.name) == "folder";
            const bool none = std::string_view(kind.name) == "file/inside";
            // Those that must fail. A device that the user names is theirs.
            QVERIFY(!tried("reading", readFile(path, 100)) || !(strange || folder || none));
            QVERIFY(!tried("mapping", MappedFile::open(path)) || !(strange || folder || none));
            QVERIFY(!tried("listing", listDirectory(path)) || folder);
            QVERIFY(!tried("appending", appendFile(path, "x")) || !(strange || folder || none));
            tried("opening for both", openFile(path, O_RDWR | O_NONBLOCK, "open it"));
            tried("locking", FileLock::tryLock(path));
            tried("looking", lookAt(path));
        }
        // What the operations above do not meet here.
        for (int code = 1; code < 134; ++code)
            for (const Kind& kind : {Kind{"pipe", "pipe"}, {"socket", "socket"}, {"device", ""}}) {
                const Error error = fileError("cannot do it", at / kind.name, code);
                if (code == EACCES || code == EPERM)
                    QVERIFY(error.remedy.find("permissions") != std::string::npos);
                else
                    QVERIFY2(error.remedy.find("disk") == std::string::npos, error.sentence().c_str());
            }
        const Error plain = fileError("cannot read the file", at / "file", EIO);
        QVERIFY(plain.remedy.find("disk") != std::string::npos);
        QCOMPARE(plain.what, std::string("cannot read the file: Input/output error"));
    }

    void aLockTellsWhetherASignalCutItsHolderShort()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "run.lock";
        QVERIFY(!FileLock::wasCutShort(path));
        for (const bool marked : {true, false}) { // the second holder's end says nothing of the first's
            {
                auto lock = FileLock::tryLock(path);
                QVERIFY(lock.has_value() && lock->has_value());
                if (marked)
                    FileLock::markCutShort((*lock)->fileNumber());
                QVERIFY(!FileLock::wasCutShort(path)); // it still works
                QCOMPARE(FileLock::localHolder(path).value(), ::getpid());
            }
            QCOMPARE(FileLock::wasCutShort(path), marked);
        }
        FileLock::markCutShort(-1);
    }

    void locksExcludeAndTellTheirHolder()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "run.lock";
        QVERIFY(!FileLock::isLocked(path));
        {
            auto lock = FileLock::tryLock(path);
            QVERIFY(lock.has_value() && lock->has_value());
            QVERIFY(FileLock::isLocked(path));
            QCOMPARE(FileLock::holder(path).value(), ::getpid());
            auto second = FileLock::tryLock(path);
            QVERIFY(second.has_value());
            QVERIFY(!second->has_value());
            // A signal goes to a process of this machine only that is the one that took the lock.
            QCOMPARE(FileLock::localHolder(path).value(), ::getpid());
            const std::string text = readFile(path).value();
            const auto boot = text.find(' ') + 1, begin = text.find(' ', boot) + 1;
            for (const std::string& other : {text.substr(0, boot) + "another-boot " + text.substr(begin),
                                             text.substr(0, begin) + "1\n", text.substr(0, boot - 1) + "\n",
                                             "1 " + text.substr(boot), std::string("x"), std::string()}) {
                std::ofstream(path) << other;
                QVERIFY2(!FileLock::localHolder(path), other.c_str());
            }
        }
        QVERIFY(!FileLock::localHolder(path));
        QVERIFY(!FileLock::isLocked(path));
        QVERIFY(!FileLock::holder(path).has_value());
        QVERIFY(FileLock::tryLock(path).value().has_value());
    }

    void whoExchangesFilesIsAlone()
    {
        auto dir = TempDir::create();
        const fs::path folder = dir->path() / "f";
        QVERIFY(makeDirectories(folder).has_value());
        using Kind = FolderLock::Kind;
        std::atomic<bool> alone = false;
        std::thread exchanging;
        bool early = false;
        {
            const FolderLock one(folder, Kind::Shared), two(folder, Kind::Shared, 0);
            QVERIFY(one.isHeld() && two.isHeld());
            QVERIFY(!FolderLock(folder, Kind::Alone, 0).isHeld()); // goes on without it
            exchanging = std::thread(
                [&] { alone = FolderLock(folder, Kind::Alone, test::patienceSeconds()).isHeld(); });
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            early = alone;
        }
        exchanging.join();
        QVERIFY(alone && !early);
        const FolderLock lock(folder, Kind::Alone, 0);
        QVERIFY(lock.isHeld());
        QVERIFY(!FolderLock(folder, Kind::Shared, 0).isHeld());
        QVERIFY(!FolderLock(folder / "none", Kind::Alone).isHeld());
    }

    void aLockEndsWithItsProcess()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "run.lock";
        SpawnOptions options;
        options.argv = {"flock", path.string(), "sh", "-c", "echo held; exec sleep 60"};
        options.output = StreamEnd::pipe();
        auto child = spawn(options);
        QVERIFY2(child.has_value(), child ? "" : child.error().sentence().c_str());
        std::array<char, 5> said{};
        QVERIFY(readExactly(child->outputFd(), said.data(), said.size()).has_value());
        QVERIFY(FileLock::isLocked(path));
        QVERIFY(!FileLock::tryLock(path).value().has_value());
        child->killGroup(SIGKILL);
        QVERIFY(child->wait(test::patienceSeconds()).has_value());
        QTRY_VERIFY_WITH_TIMEOUT(!FileLock::isLocked(path), test::patience());
        QVERIFY(FileLock::tryLock(path).value().has_value());
    }

    void probesDoNotDisturbOwners()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "lock";
        QVERIFY(FileLock::tryLock(path).value().has_value());
        std::atomic<bool> stop{false};
        std::thread prober([&] {
            while (!stop) {
                (void)FileLock::isLocked(path);
            }
        });
        int refused = 0;
        for (int i = 0; i < 100; ++i) {
            refused += !FileLock::tryLock(path).value().has_value();
        }
        stop = true;
        prober.join();
        QCOMPARE(refused, 0);

        // A probe whose process does not get its turn for long.
        const int shared = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        QVERIFY(shared >= 0 && ::flock(shared, LOCK_SH | LOCK_NB) == 0);
        QVERIFY(!FileLock::isLocked(path));
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            ::close(shared);
        });
        const auto lock = FileLock::tryLock(path);
        later.join();
        QVERIFY(lock && lock->has_value());
        // An owner is refused at once, whoever looks at it meanwhile.
        QVERIFY(FileLock::isLocked(path));
        QVERIFY(!FileLock::tryLock(path).value().has_value());
    }

    /// Who holds a lock for a moment is waited for; who keeps it is not waited for longer than was said.
    void locksAreAwaited()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "lock";
        auto owner = FileLock::tryLock(path).value();
        QVERIFY(owner.has_value());
        QVERIFY(!FileLock::awaitLock(path, 0.05).value().has_value());
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            owner.reset();
        });
        const bool got = FileLock::awaitLock(path, test::patienceSeconds()).value().has_value();
        later.join();
        QVERIFY(got);
    }

    void logs()
    {
        auto dir = TempDir::create();
        const fs::path path = dir->path() / "worker.log";
        const auto log = Logger::toFile(path, LogLevel::Info);
        QVERIFY(log.has_value());
        log->debug("not {}", 1);
        log->info("step {}", 2);
        log->error("bad");
        const std::string text = readFile(path).value();
        QVERIFY(text.find("not") == std::string::npos);
        QVERIFY(text.find(" info    step 2\n") != std::string::npos);
        QVERIFY(text.find(" error   bad\n") != std::string::npos);
        Logger().info("nowhere");
    }
};

QTEST_GUILESS_MAIN(TestFiles)
#include "tst_files.moc"
