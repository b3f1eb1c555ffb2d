// SPDX-License-Identifier: Apache-2.0
// What the lock of each role reaches on machines that have, or pretend to have, more or less to lock with:
// the level that it names, and what a process that has been taken over can still do.
#include "base/files.h"
#include "locked_child.h"
#include "runner/probe.h"
#include "runner/witness.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <linux/landlock.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

/// What a locked process could do.
struct Could
{
    bool locked = false;
    SandboxLevel level = SandboxLevel::None;
    std::array<char, 400> said{};
    bool readFile = false, emptyFile = false, writeFile = false, changeFile = false, makeFile = false;
    bool readEnvironment = false, readMaps = false, readDescriptors = false, signalParent = false;
    bool readSystem = false; ///< Of the machine, which it may.
};

bool opens(const std::string& path, int flags)
{
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (fd >= 0)
        ::close(fd);
    return fd >= 0;
}

bool reads(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    char letter = 0;
    const bool got = fd >= 0 && ::read(fd, &letter, 1) == 1;
    if (fd >= 0)
        ::close(fd);
    return got;
}

void tryEverything(Could& could, const std::string& file, pid_t parent)
{
    const std::string process = "/proc/" + std::to_string(parent);
    could.readFile = reads(file);
    could.emptyFile = opens(file, O_RDWR | O_TRUNC) || opens(file, O_WRONLY | O_TRUNC) ||
                      opens(file, O_RDONLY | O_TRUNC) || ::truncate(file.c_str(), 0) == 0;
    could.makeFile = opens(file + ".new", O_RDWR | O_CREAT);
    if (const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC); fd >= 0) {
        could.writeFile = ::write(fd, "X", 1) == 1;
        void* const memory = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        could.changeFile = memory != MAP_FAILED;
    }
    could.readEnvironment = reads(process + "/environ");
    could.readMaps = reads(process + "/maps");
    std::array<char, 10> target{};
    could.readDescriptors = ::readlink((process + "/fd/0").c_str(), target.data(), target.size()) > 0 ||
                            opens(process + "/fd/0", O_RDONLY);
    could.signalParent = ::kill(parent, 0) == 0;
    could.readSystem = reads("/lib/x86_64-linux-gnu/libc.so.6") || reads("/lib64/libc.so.6");
}

/// Whether this machine lets root or a user have the name spaces that a role asks for. It does not in a
/// chroot, and not in most containers.
bool letsHaveNameSpaces(LockedRole role, bool root)
{
    return inChild([&] {
               constexpr unsigned somebody = 12345;
               if (!root && ::geteuid() == 0 &&
                   (::setresgid(somebody, somebody, somebody) != 0 ||
                    ::setresuid(somebody, somebody, somebody) != 0))
                   return 1;
               const int user = root ? 0 : CLONE_NEWUSER;
               if (role == LockedRole::Work)
                   return ::unshare(user | CLONE_NEWNET | CLONE_NEWIPC);
               return ::unshare(user | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS) != 0 ||
                              ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
                          ? 1
                          : 0;
           }) == 0;
}

/// What this machine has of what the situation leaves.
Situation asHere(Situation situation)
{
    situation.nameSpaces = situation.nameSpaces && letsHaveNameSpaces(situation.role, situation.root);
    return situation;
}

/// Of a machine that has everything but what the situation takes away.
SandboxLevel expectedLevel(const Situation& s)
{
    const bool both = s.landlock && s.nameSpaces;
    if (s.role == LockedRole::Work)
        return both ? SandboxLevel::Full : SandboxLevel::Files;
    if (s.reads() || s.step == strictestGpuLock)
        return both                         ? SandboxLevel::Full
               : s.landlock || s.nameSpaces ? SandboxLevel::Files
                                            : SandboxLevel::Calls;
    return s.landlock && s.step >= 2 ? SandboxLevel::Files : SandboxLevel::Calls;
}

} // namespace

class LevelsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
            QSKIP("This kernel has no Landlock.");
    }

    void whatIsReached_data()
    {
        QTest::addColumn<int>("index");
        const auto all = situations();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].name().c_str()) << static_cast<int>(i);
    }
    void whatIsReached()
    {
        QFETCH(const int, index);
        const Situation situation = situations()[static_cast<std::size_t>(index)];
        const QTemporaryDir folder;
        const std::string file = folder.filePath(QStringLiteral("of the user")).toStdString();
        QVERIFY(writeFileAtomic(file, "contents"));
        // Rights of files are not what keeps anybody out.
        QCOMPARE(::chmod(folder.path().toLocal8Bit().constData(), 0777), 0);
        QCOMPARE(::chmod(file.c_str(), 0666), 0);

        Shared<Could> could;
        inChild([&] {
            constexpr unsigned somebody = 12345;
            if (!situation.root && ::geteuid() == 0 &&
                (::setresgid(somebody, somebody, somebody) != 0 ||
                 ::setresuid(somebody, somebody, somebody) != 0))
                return 1;
            ::prctl(PR_SET_DUMPABLE, 1); // as a program that this user started
            return inChild([&] {
                const pid_t parent = ::getppid();
                const auto report = lockAs(situation, Refusal::Error);
                if (!report)
                    return 1;
                could->locked = true;
                could->level = report->level();
                std::string said;
                for (const auto* list : {&report->active, &report->missing})
                    for (const auto& text : *list)
                        said += text + "; ";
                said.copy(could->said.data(), could->said.size() - 1);
                tryEverything(*could, file, parent);
                return 0;
            });
        });
        const std::string text = situation.name() + ": " + could->said.data();
        QVERIFY2(could->locked, text.c_str());
        const auto level = expectedLevel(asHere(situation));
        QVERIFY2(could->level == level, (text + " is of level " + std::string(nameOf(could->level))).c_str());
        const bool open = level == SandboxLevel::Calls;
        const bool gpu = situation.role == LockedRole::Gpu;
        const auto check = [&](bool did, bool may, const char* what) {
            QVERIFY2(did == may, (text + (did ? " could " : " could not ") + what).c_str());
        };
        check(could->readFile, open, "read a file of the user");
        check(could->changeFile, open && gpu, "change a file of the user");
        check(could->writeFile, false, "write to a file of the user");
        check(could->emptyFile, false, "empty a file of the user");
        check(could->makeFile, false, "make a file");
        // Without anything that sets it apart it is the user.
        const bool same =
            open && (gpu ? !(situation.root && situation.step == strictestGpuLock) : !situation.root);
        check(could->readEnvironment, same, "read its parent's environment");
        check(could->readMaps, same, "read where its parent's memory lies");
        check(could->readDescriptors, same, "see or open what its parent has open");
        check(could->signalParent, false, "signal its parent");
        check(could->readSystem, situation.role != LockedRole::Work, "read libraries");
        QCOMPARE(readFile(file).value_or(""), std::string("contents"));
    }

    // What sparserl-runner --probe says, of which doctor makes a sentence.
    void probeSaysTheSame()
    {
        for (const bool landlock : {true, false})
            for (const bool nameSpaces : {true, false}) {
                const auto told = probeLocks({landlock, nameSpaces, Refusal::Error});
                std::vector<std::string> levels;
                for (const auto& one : told["roles"])
                    levels.push_back(one["level"]);
                const bool root = ::geteuid() == 0;
                const auto named = [&](LockedRole role) {
                    return std::string(
                        nameOf(expectedLevel(asHere({role, strictestGpuLock, root, landlock, nameSpaces}))));
                };
                const std::vector<std::string> wanted{named(LockedRole::Work), named(LockedRole::Work),
                                                      named(LockedRole::Tool), named(LockedRole::Gpu)};
                QVERIFY2(levels == wanted, told.dump().c_str());
            }
    }

    // Who counts refused calls answers them as the filter would, in every role that is watched and in threads
    // that were there before.
    void refusedCallsAreCounted()
    {
        for (const LockedRole role : {LockedRole::Work, LockedRole::Gpu}) {
            Shared<std::array<char, 500>> said;
            const int status = inChild([&] {
                auto witness = Witness::start(role);
                if (!witness)
                    return 1;
                SandboxReport report;
                if (role == LockedRole::Gpu) {
                    const SandboxMeans means{true, true, Refusal::Witnessed};
                    encloseGpu(strictestGpuLock, report, means);
                    if (!lockDownGpu(strictestGpuLock, report, means))
                        return 2;
                } else {
                    SandboxLimits limits{std::uint64_t(1) << 30, 100, witness->fd()};
                    auto locked = lockDown(limits, {true, true, Refusal::Witnessed});
                    if (!locked)
                        return 2;
                    report = *locked;
                }
                if (!witness->watch(report.listener))
                    return 3;
                const int missing = role == LockedRole::Gpu ? ENOSYS : EACCES;
                const int denied = role == LockedRole::Gpu ? EPERM : EACCES;
                for (int i = 0; i < 3; ++i)
                    if (::socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != denied)
                        return 4;
                if (::syscall(SYS_clone3, nullptr, 0) >= 0 || errno != missing)
                    return 5;
                if (::kill(::getppid(), 0) == 0 || errno != denied)
                    return 6;
                std::string text;
                for (const auto& [call, times] : witness->refused())
                    text += call + " " + std::to_string(times) + ", ";
                text.copy(said->data(), said->size() - 1);
                return 0;
            });
            QCOMPARE(status, 0);
            const std::string others = role == LockedRole::Gpu ? "" : "getppid 1, ";
            QCOMPARE(std::string(said->data()), "clone3 1, " + others + "kill 1, socket 3, ");
        }
    }
};

QTEST_GUILESS_MAIN(LevelsTest)
#include "tst_levels.moc"
