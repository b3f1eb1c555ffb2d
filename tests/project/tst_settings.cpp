// SPDX-License-Identifier: Apache-2.0
// Settings that programs change: what cannot be read or understood is never lost.
#include "fixture.h"

#include "base/allowed_links.h"
#include "base/lock.h"
#include "base/settings_file.h"
#include "base/trust.h"
#include "remote/known_hosts.h"

#include <QScopeGuard>
#include <QTest>
#include <atomic>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace fixture;
namespace fs = std::filesystem;

class TestSettings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        qunsetenv("SPARSERL_TRUST");
        qputenv("XDG_CONFIG_HOME", (m_dir->path() / "settings").c_str());
        m_settings = m_dir->path() / "settings/sparserl";
        fs::create_directories(m_dir->path() / "p");
        fs::create_directories(m_dir->path() / "scratch");
        fs::create_directory_symlink(m_dir->path() / "scratch", m_dir->path() / "link");
    }
    void cleanup() { m_dir.reset(); }

    /// Each of them where its file cannot be read: a folder in its place, and a file that is too large.
    void unreadable()
    {
        const std::map<std::string, std::function<Status()>> all{
            {"trusted-projects", [&] { return trustProject(m_dir->path() / "p"); }},
            {"allowed-links", [&] { return allowLink(m_dir->path() / "link"); }},
            {"hosts.toml", [] {
                 return rememberHost({"gpu3", "runs", "sparserl"});
             }}};
        for (const auto& [name, change] : all) {
            const fs::path file = m_settings / name;
            fs::create_directories(file / "within");
            auto status = change();
            QVERIFY2(!status, name.c_str());
            QVERIFY2(status.error().sentence().find("cannot read these settings") != std::string::npos,
                     status.error().sentence().c_str());
            QVERIFY(fs::exists(file / "within"));
            fs::remove_all(file);
            std::ofstream(file) << "precious\n";
            fs::resize_file(file, std::uintmax_t(1) << 40);
            QVERIFY2(!change(), name.c_str());
            QCOMPARE(fs::file_size(file), std::uintmax_t(1) << 40);
            fs::remove(file);
            mustDo(change());
            QVERIFY(fs::is_regular_file(file));
        }
        // What is not known is not trusted, and the sentence says why.
        mustDo(writeFileAtomic(m_dir->path() / "p/project.toml", "[project]\n"));
        mustDo(requireTrust(m_dir->path() / "p"));
        fs::remove(m_settings / "trusted-projects");
        fs::create_directories(m_settings / "trusted-projects");
        QVERIFY(!trustOf(m_dir->path() / "p").value_or(false));
        const auto why = requireTrust(m_dir->path() / "p");
        QVERIFY(!why && why.error().what.find("cannot read these settings") != std::string::npos);
    }

    /// What others may do with them is nothing, also where an older version has written them.
    void nobodyElseReadsThem()
    {
        const fs::path file = m_settings / "trusted-projects";
        mustDo(trustProject(m_dir->path() / "p"));
        const auto mode = [&] { return fs::status(file).permissions(); };
        QCOMPARE(mode(), fs::perms::owner_read | fs::perms::owner_write);
        fs::permissions(file, fs::perms(0644));
        QVERIFY(trustOf(m_dir->path() / "p").value_or(false));
        QCOMPARE(mode(), fs::perms::owner_read | fs::perms::owner_write);
        // Whatever is made there, by whom, and with which umask; what is elsewhere is as the umask says.
        const mode_t before = ::umask(0);
        const auto restore = qScopeGuard([&] { ::umask(before); });
        fs::permissions(m_settings, fs::perms(0777));
        std::ofstream(m_settings / "workbench.ini") << "[old]\n";
        mustDo(preparePrivateFile(m_settings / "workbench.ini"));
        mustDo(preparePrivateFile(m_settings / "new/other.ini"));
        mustDo(appendFile(m_settings / "log", "x"));
        mustDo(rememberHost({"gpu3", "runs", "sparserl"}));
        mustDo(allowLink(m_dir->path() / "link"));
        int count = 0;
        for (const auto& entry : fs::recursive_directory_iterator(m_settings)) {
            const bool folder = entry.is_directory();
            QVERIFY2(fs::status(entry).permissions() == fs::perms(folder ? 0700 : 0600),
                     entry.path().c_str());
            ++count;
        }
        QVERIFY(count >= 8);
        QCOMPARE(int(fs::status(m_settings).permissions()), 0700);
        QCOMPARE(must(readFile(m_settings / "workbench.ini")), std::string("[old]\n"));
        mustDo(appendFile(m_dir->path() / "elsewhere", "x"));
        QCOMPARE(int(fs::status(m_dir->path() / "elsewhere").permissions()), 0644);
    }

    /// The same number on another file system, in the same place, is another folder.
    void anotherDiskInItsPlace()
    {
        const fs::path folder = m_dir->path() / "p";
        mustDo(trustProject(folder));
        const std::string identity = folderIdentity(folder),
                          list = must(readFile(m_settings / "trusted-projects"));
        const auto at = identity.find('@');
        QVERIFY(at != std::string::npos && at + 1 < identity.size());
        QVERIFY(folderIdentity("/proc").substr(folderIdentity("/proc").find('@')) != identity.substr(at));
        const auto trusts = [&](const std::string& as) {
            mustDo(writeFileAtomic(m_settings / "trusted-projects", as + " " + folder.string() + "\n"));
            return trustOf(folder).value_or(false);
        };
        QVERIFY(trusts(identity));
        QVERIFY(!trusts(identity.substr(0, at) + "@another"));
        // As older versions wrote it: it counts where a time of birth tells the folder.
        QCOMPARE(trusts(identity.substr(0, at)), identity[at - 1] != '-');
        QVERIFY(list.find(identity) != std::string::npos);
    }

    void linesOfOthersStay()
    {
        const std::string before = "# mine\nwhat a later version writes\n123-4.000000005 /data/gone\n\n";
        mustDo(writeFileAtomic(m_settings / "trusted-projects", before));
        mustDo(trustProject(m_dir->path() / "p"));
        const std::string after = must(readFile(m_settings / "trusted-projects"));
        QVERIFY2(after.starts_with(before), after.c_str());
        QVERIFY(trustOf(m_dir->path() / "p").value_or(false));
        const std::string links = "# mine\n/a/runs\t/b\n";
        mustDo(writeFileAtomic(m_settings / "allowed-links", links));
        mustDo(allowLink(m_dir->path() / "link"));
        QVERIFY(must(readFile(m_settings / "allowed-links")).starts_with(links));
        QVERIFY(isLinkAllowed(m_dir->path() / "link"));
    }

    void hostsOfAUser()
    {
        const fs::path file = knownHostsFile();
        const std::string before =
            "# my machines\ndefault = 'gpu1'\n\n# the fast one\n[[host]]\nname = 'gpu1'\n"
            "note = 'ask Ann'\n\n# the old one\n[[host]]\nname = 'gpu2'\nfolder = 'x'\n"
            "  [host.extra]\n  a = 1\n\n[other]\nb = 2\n";
        mustDo(writeFileAtomic(file, before));
        mustDo(rememberHost({"gpu3", "ff", "sparserl"}));
        QCOMPARE(names(), std::string("gpu3 gpu1 gpu2 "));
        std::string after = must(readFile(file));
        for (const char* kept : {"# my machines", "default = 'gpu1'", "# the fast one", "note = 'ask Ann'",
                                 "# the old one", "[other]"})
            QVERIFY2(after.find(kept) != std::string::npos, (kept + ("\n" + after)).c_str());
        // One that is known comes first with what stands below it, and with its program of today.
        mustDo(rememberHost({"gpu2", "x", "/opt/sparserl"}));
        QCOMPARE(names(), std::string("gpu2 gpu3 gpu1 "));
        QCOMPARE(readKnownHosts().front().program, std::string("/opt/sparserl"));
        mustDo(rememberHost({"gpu2", "x", "/opt/newer"}));
        QCOMPARE(readKnownHosts().front().program, std::string("/opt/newer"));
        after = must(readFile(file));
        QVERIFY(after.find("[host.extra]") > after.find("# the old one"));
        QVERIFY(after.find("[host.extra]") < after.find("gpu3"));
        // What cannot be parsed, or is written otherwise, stays as it is.
        for (const std::string& damaged :
             {std::string("# mine\n[[host]]\nname = 'gpu1\n[[host]]\nname = 'gpu2'\n"),
              std::string("host = [{name = 'gpu1'}, {name = 'gpu2'}]\n")}) {
            mustDo(writeFileAtomic(file, damaged));
            const auto status = rememberHost({"gpu3", "ff", "sparserl"});
            QVERIFY(!status);
            QVERIFY2(status.error().sentence().find("hosts.toml") != std::string::npos,
                     status.error().sentence().c_str());
            QCOMPARE(must(readFile(file)), damaged);
        }
    }

    /// Programs at once: nobody's entry is lost.
    void together()
    {
        constexpr int count = 8;
        std::vector<std::thread> threads;
        std::atomic<int> failed = 0;
        for (int i = 0; i < count; ++i) {
            fs::create_directories(m_dir->path() / std::to_string(i));
            threads.emplace_back([&, i] {
                if (!trustProject(m_dir->path() / std::to_string(i)) ||
                    !rememberHost({"gpu" + std::to_string(i), "runs", "sparserl"}))
                    ++failed;
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(failed.load(), 0);
        for (int i = 0; i < count; ++i)
            QVERIFY(trustOf(m_dir->path() / std::to_string(i)).value_or(false));
        QCOMPARE(readKnownHosts().size(), std::size_t(count));
    }

    /// An empty HOME is no folder: the current one least of all.
    void withoutAHome()
    {
        const QByteArray home = qgetenv("HOME"), configured = qgetenv("XDG_CONFIG_HOME");
        qputenv("HOME", "");
        qunsetenv("XDG_CONFIG_HOME");
        const fs::path folder = userSettingsFolder();
        qputenv("HOME", home);
        qputenv("XDG_CONFIG_HOME", configured);
        QVERIFY(folder.is_absolute());
    }

private:
    static std::string names()
    {
        std::string all;
        for (const RemoteHost& host : readKnownHosts())
            all += host.name + " ";
        return all;
    }

    std::unique_ptr<TempDir> m_dir;
    fs::path m_settings;
};

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"
