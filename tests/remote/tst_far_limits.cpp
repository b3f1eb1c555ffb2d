// SPDX-License-Identifier: Apache-2.0
// Another machine that lies, and writes for as long as it is let: what of it arrives, and what is said.
#include "base/cancel.h"
#include "base/files.h"
#include "base/format.h"
#include "project/remote_mark.h"
#include "remote/far_limits.h"
#include "remote/follow.h"
#include "remote/known_hosts.h"
#include "remote/mirror.h"
#include "remote/sent_runs.h"
#include "remote/wire.h"
#include "tests/project/fixture.h"

#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>
#include <functional>
#include <thread>

using namespace sparserl;
using namespace fixture;
namespace fs = std::filesystem;

namespace {

const std::string unit = "checkpoints/step-000010";

Frame piece(const std::string& file, std::int64_t offset, std::string body)
{
    const std::string of = file.starts_with("journal") ? file : file.substr(0, file.find('/', 12));
    return {{{"unit", of}, {"file", file}, {"offset", offset}}, std::move(body)};
}

std::string contents(const fs::path& file)
{
    return readFile(file).value_or("(none)");
}

fs::path makeRun(const QTemporaryDir& folder)
{
    const fs::path run = folder.path().toStdString() + "/p/runs/0001-sft";
    mustDo(makeDirectories(run / "checkpoints"));
    mustDo(writeFileAtomic(run / "journal.jsonl", "one\ntwo\n"));
    return run;
}

/// The journal there becomes this one.
Status exchange(Mirror& mirror, int generation, const std::string& journal)
{
    SPARSERL_CHECK(mirror.take({{{"reset", generation}}, {}}));
    SPARSERL_CHECK(mirror.take({{{"journal", 0}}, journal}));
    return mirror.take({{{"settled", generation}}, {}});
}

std::size_t entries(const fs::path& folder, std::string_view prefix = {})
{
    const auto all = entriesOf(folder);
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const fs::path& path) {
        return path.filename().string().starts_with(prefix);
    }));
}

} // namespace

class TestFarLimits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Each limit: what reaches it, and that nothing of what is here is lost by it.
    void eachLimitEnds()
    {
        struct Row
        {
            const char* says;
            std::function<void(FarLimits&)> limit;
            std::function<Status(Mirror&)> lie; ///< Called until it fails.
        };
        int count = 0;
        const std::vector<Row> rows{
            {"journal is longer", [](FarLimits& limits) { limits.journal = 500; },
             [&](Mirror& mirror) -> Status {
                 return mirror.take({{{"journal", 8 + 100 * count}}, std::string(99, 'x') + "\n"});
             }},
            {"model is larger", [](FarLimits& limits) { limits.file = 500; },
             [&](Mirror& mirror) {
                 return mirror.take(piece(unit + "/model", 100 * count, std::string(100, 'x')));
             }},
            {"more than 7 files", [](FarLimits& limits) { limits.filesOfUnit = 7; },
             [&](Mirror& mirror) { return mirror.take(piece(fmt::format("{}/f{}", unit, count), 0, "x")); }},
            {"more than 5 checkpoints", [](FarLimits& limits) { limits.checkpoints = 5; },
             [&](Mirror& mirror) -> Status {
                 const std::string name = fmt::format("checkpoints/step-{:06}", count);
                 return mirror.take(piece(name + "/x", 0, "x"));
             }},
            {"more than 5 journals", [](FarLimits& limits) { limits.checkpoints = 5; },
             [&](Mirror& mirror) -> Status {
                 const std::string name = fmt::format("journal.discarded.{}.jsonl", count);
                 SPARSERL_CHECK(mirror.take(piece(name, 0, "x\n")));
                 return mirror.take({{{"unit", name}, {"whole", true}}, {}});
             }},
            {"would be larger", [](FarLimits& limits) { limits.run = 5000; },
             [&](Mirror& mirror) -> Status {
                 return mirror.take(piece(fmt::format("{}/f{}", unit, count), 0, std::string(300, 'x')));
             }},
            {"more than 6 times", [](FarLimits& limits) { limits.setAside = 6; },
             [&](Mirror& mirror) -> Status {
                 return exchange(mirror, count + 1, fmt::format("one\nnumber {}\n", count));
             }},
            {"more than 9 checkpoints", [](FarLimits& limits) { limits.names = 9; },
             [&](Mirror& mirror) -> Status {
                 return mirror.take(
                     {{{"present", std::vector<std::string>(static_cast<std::size_t>(count), "x")}}, {}});
             }},
        };
        for (const Row& row : rows) {
            const QTemporaryDir folder;
            const fs::path run = makeRun(folder);
            FarLimits limits;
            row.limit(limits);
            if (limits.checkpoints == 5 && std::string_view(row.says).ends_with("checkpoints"))
                for (int i = 0; i < 5; ++i)
                    fs::create_directories(run / fmt::format("checkpoints/step-{:06}", 900 + i));
            MirrorMemory memory;
            auto mirror = must(Mirror::open(run, &memory, limits));
            Status status;
            for (count = 0; status && count < 100; ++count)
                status = row.lie(mirror);
            QVERIFY2(!status, row.says);
            const std::string said = status.error().sentence();
            QVERIFY2(said.find(row.says) != std::string::npos, said.c_str());
            QVERIFY2(mirror.isAtLimit() && said.find("is no run's") != std::string::npos, said.c_str());
            // Of what was here nothing is gone: it is in the journal, or in what was cut from it.
            std::string all;
            for (const fs::path& path : entriesOf(run))
                if (path.filename().string().starts_with("journal."))
                    all += contents(path);
            QVERIFY2(all.find("one\n") != std::string::npos && all.find("two\n") != std::string::npos,
                     row.says);
            // A new connection reaches it again, and goes no further.
            const auto before = must(listTree(run)).size();
            auto next = must(Mirror::open(run, &memory, limits));
            --count;
            QVERIFY2(!row.lie(next), row.says);
            QVERIFY2(must(listTree(run)).size() <= before, row.says);
        }
    }

    /// The log is for reading: a run whose log is long goes on, and that is said once.
    void longLogsStayThere()
    {
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder);
        FarLimits limits;
        limits.log = 1000;
        MirrorMemory memory;
        std::vector<std::string> said;
        for (int connection = 0; connection < 2; ++connection) {
            auto mirror = must(Mirror::open(run, &memory, limits));
            for (int i = 0; i < 50; ++i)
                mustDo(mirror.take({{{"log", 100 * i}}, std::string(100, 'x')}));
            for (std::string& notice : mirror.takeNotices())
                said.push_back(std::move(notice));
            mustDo(mirror.take({{{"journal", 8 + 6 * connection}}, "three\n"}));
        }
        QCOMPARE(fs::file_size(run / "worker.log"), std::uintmax_t(1000));
        QCOMPARE(said.size(), std::size_t(1));
        QVERIFY2(said[0].find("longer than 1000 B") != std::string::npos, said[0].c_str());
    }

    /// A far side that goes to and fro between two histories: each is kept once.
    void whatIsCutTwiceIsKeptOnce()
    {
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder);
        auto mirror = must(Mirror::open(run));
        for (int i = 0; i < 40; ++i)
            mustDo(exchange(mirror, i + 1, i % 2 == 0 ? "one\nother\n" : "one\ntwo\n"));
        QCOMPARE(entries(run, "journal.cut."), std::size_t(2));
        QCOMPARE(contents(run / "journal.cut.1.jsonl"), std::string("two\n"));
        QCOMPARE(contents(run / "journal.cut.2.jsonl"), std::string("other\n"));
    }

    /// Checkpoints that are begun and never finished.
    void unfinishedUnitsGo()
    {
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder);
        auto mirror = must(Mirror::open(run));
        for (int i = 0; i < 100; ++i) {
            mustDo(mirror.take(piece(fmt::format("checkpoints/step-{:06}/model", i), 0, "x")));
            mustDo(mirror.take(piece(fmt::format("journal.discarded.{}.jsonl", i), 0, "x\n")));
            QVERIFY(must(listTree(run / ".incoming")).size() <= FarLimits().unfinished + 1);
        }
        mustDo(mirror.take({{{"present", nlohmann::json::array({"checkpoints/step-000400"})}}, {}}));
        QVERIFY(must(listTree(run / ".incoming")).empty());
    }

    /// The end of the disk is no lie: it passes.
    void theDiskKeepsSomeRoom()
    {
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder);
        FarLimits limits;
        limits.freeBytes = std::int64_t(1) << 60;
        limits.freeShare = 1;
        auto mirror = must(Mirror::open(run, nullptr, limits));
        const auto status = mirror.take(piece(unit + "/model", 0, "x"));
        QVERIFY(!status && !mirror.isAtLimit());
        QVERIFY2(status.error().sentence().find("the disk here has only") != std::string::npos,
                 status.error().sentence().c_str());
    }

    /// A follower whose ssh says what it likes: it ends, `.incoming` is empty before and after, and its
    /// errors go into no file.
    void theFollowerEnds()
    {
        const QTemporaryDir folder;
        const fs::path at = folder.path().toStdString(), run = makeRun(folder);
        const QByteArray path = qgetenv("PATH"), settings = qgetenv("XDG_CONFIG_HOME"),
                         tmp = qgetenv("TMPDIR");
        qputenv("PATH", folder.path().toUtf8() + ":" + path);
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8() + "/config");
        qputenv("TMPDIR", folder.path().toUtf8() + "/tmp");
        const auto restore = qScopeGuard([&] {
            qputenv("PATH", path);
            settings.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", settings);
            tmp.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", tmp);
        });
        fs::create_directories(at / "tmp");
        mustDo(writeFileAtomic(run / "run.toml", ""));
        const RemoteHost host{"gpu1", "there", "sparserl"};
        mustDo(rememberHost(host));
        RemoteMark mark;
        mark.host = host.name;
        mark.folder = host.folder;
        mark.run = "./there/p-1/runs/0001-sft-4711";
        mark.identity = "4711";
        mustDo(writeRemoteMark(run, mark));
        mustDo(recordSentRun(mark, at / "p", run));
        const auto follow = [&](const std::string& frames, const FarLimits& limits,
                                std::vector<std::string>& said) {
            mustDo(writeFileAtomic(at / "frames", frames));
            mustDo(
                writeFileAtomic(at / "ssh", "#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' e >&2\ncat '" +
                                                (at / "frames").string() + "'\nsleep 100\n"));
            fs::permissions(at / "ssh", fs::perms(0755));
            mustDo(writeFileAtomic(run / ".incoming/checkpoints/step-000001/left", "behind"));
            FollowOptions options;
            options.limits = limits;
            options.shortestPause = options.longestPause = 0.1;
            options.log = [&](const std::string& sentence) { said.push_back(sentence); };
            const auto status = followRun(run, options);
            if (fs::exists(run / ".incoming") || !fs::is_empty(at / "tmp"))
                said.push_back("something is left");
            return status;
        };
        const std::string begin = encodeFrame({{"server", wireVersion}}) + encodeFrame({{"started", true}});
        std::vector<std::string> said;
        mustDo(follow(begin + encodeFrame({{"unit", unit}, {"file", unit + "/model"}, {"offset", 0}}, "x") +
                          encodeFrame({{"idle", true}}),
                      {}, said));
        QCOMPARE(said.size(), std::size_t(1)); // that all is here
        FarLimits limits;
        limits.file = 10;
        said.clear();
        const auto ended = follow(
            begin + encodeFrame({{"unit", unit}, {"file", unit + "/model"}, {"offset", 0}}, "more than ten"),
            limits, said);
        QVERIFY(!ended && said.empty());
        QVERIFY2(ended.error().sentence().find("model is larger than 10 B") != std::string::npos,
                 ended.error().sentence().c_str());
        QCOMPARE(readRemoteMark(run)->answered, true);
        // One that breaks its connections again and again is told of for so long only.
        limits.sentences = 3;
        said.clear();
        CancelToken cancel;
        FollowOptions options;
        options.limits = limits;
        options.shortestPause = options.longestPause = 0;
        options.cancel = cancel;
        mustDo(writeFileAtomic(at / "ssh",
                               "#!/bin/sh\necho again >> '" + (at / "count").string() + "'\nexit 255\n"));
        fs::permissions(at / "ssh", fs::perms(0755));
        options.log = [&](const std::string& sentence) { said.push_back(sentence); };
        std::thread watcher([&] {
            for (std::string text; std::count(text.begin(), text.end(), '\n') < 8;
                 text = readFile(at / "count").value_or(std::string()))
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            cancel.cancel();
        });
        QVERIFY(!followRun(run, options));
        watcher.join();
        QCOMPARE(said.size(), std::size_t(3));
    }
};

QTEST_APPLESS_MAIN(TestFarLimits)
#include "tst_far_limits.moc"
