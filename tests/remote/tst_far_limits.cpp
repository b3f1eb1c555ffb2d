// SPDX-License-Identifier: Apache-2.0
// Another machine that lies, and writes for as long as it is let: what of it arrives, and what is said.
#include "base/cancel.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json.h"
#include "base/printable.h"
#include "project/run/remote_mark.h"
#include "remote/far_limits.h"
#include "remote/follow.h"
#include "remote/inventory.h"
#include "remote/known_hosts.h"
#include "remote/mirror.h"
#include "remote/sent_runs.h"
#include "remote/wire.h"
#include "tests/drawn_share.h"
#include "tests/project/fixture.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
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

/// A run that is followed on another machine, whose ssh says what a test wants it to.
class FarStandIn
{
public:
    FarStandIn()
        : m_run(makeRun(m_folder))
    {
        qputenv("PATH", m_folder.path().toUtf8() + ":" + m_path);
        qputenv("XDG_CONFIG_HOME", m_folder.path().toUtf8() + "/config");
        qputenv("TMPDIR", m_folder.path().toUtf8() + "/tmp");
        fs::create_directories(folder() / "tmp");
        mustDo(writeFileAtomic(m_run / "run.toml", ""));
        const RemoteHost host{"gpu1", "there", "sparserl"};
        mustDo(rememberHost(host));
        RemoteMark mark;
        mark.host = host.name;
        mark.folder = host.folder;
        mark.run = "./there/p-1/runs/0001-sft-4711";
        mark.identity = "4711";
        mustDo(writeRemoteMark(m_run, mark));
        mustDo(recordSentRun(mark, folder() / "p", m_run));
    }
    ~FarStandIn()
    {
        qputenv("PATH", m_path);
        m_settings.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", m_settings);
        m_tmp.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", m_tmp);
    }
    FarStandIn(const FarStandIn&) = delete;
    FarStandIn& operator=(const FarStandIn&) = delete;

    fs::path folder() const { return m_folder.path().toStdString(); }
    const fs::path& run() const { return m_run; }

    /// Follows a machine that says `frames`, then runs `then`, a line of shell.
    Status follow(const std::string& frames, const FarLimits& limits, std::vector<std::string>& said,
                  const std::string& then = "sleep 100", const CancelToken& cancel = {})
    {
        mustDo(writeFileAtomic(folder() / "frames", frames));
        mustDo(
            writeFileAtomic(folder() / "ssh", "#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' e >&2\ncat '" +
                                                  (folder() / "frames").string() + "'\n" + then + "\n"));
        fs::permissions(folder() / "ssh", fs::perms(0755));
        mustDo(writeFileAtomic(m_run / ".incoming/checkpoints/step-000001/left", "behind"));
        FollowOptions options;
        options.limits = limits;
        options.cancel = cancel;
        options.shortestPause = options.longestPause = 0.1;
        options.log = [&](const std::string& sentence) {
            said.push_back(sentence);
            if (said.size() > 3)
                cancel.cancel();
        };
        const auto status = followRun(m_run, options);
        if (fs::exists(m_run / ".incoming") || !fs::is_empty(folder() / "tmp"))
            said.push_back("something is left");
        return status;
    }

private:
    const QByteArray m_path = qgetenv("PATH"), m_settings = qgetenv("XDG_CONFIG_HOME"),
                     m_tmp = qgetenv("TMPDIR");
    QTemporaryDir m_folder;
    fs::path m_run;
};

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
            QVERIFY2(mirror.isAtLimit() && said.find("does not belong to a run") != std::string::npos,
                     said.c_str());
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
        FarStandIn far;
        const fs::path run = far.run();
        const std::string begin = encodeFrame({{"server", wireVersion}}) + encodeFrame({{"started", true}});
        std::vector<std::string> said;
        mustDo(far.follow(begin +
                              encodeFrame({{"unit", unit}, {"file", unit + "/model"}, {"offset", 0}}, "x") +
                              encodeFrame({{"idle", true}}),
                          {}, said));
        QCOMPARE(said.size(), std::size_t(1)); // that all is here
        FarLimits limits;
        limits.file = 10;
        said.clear();
        const auto ended = far.follow(
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
        mustDo(writeFileAtomic(far.folder() / "ssh", "#!/bin/sh\necho again >> '" +
                                                         (far.folder() / "count").string() +
                                                         "'\nexit 255\n"));
        fs::permissions(far.folder() / "ssh", fs::perms(0755));
        options.log = [&](const std::string& sentence) { said.push_back(sentence); };
        std::thread watcher([&] {
            for (std::string text; std::count(text.begin(), text.end(), '\n') < 8;
                 text = readFile(far.folder() / "count").value_or(std::string()))
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            cancel.cancel();
        });
        QVERIFY(!followRun(run, options));
        watcher.join();
        QCOMPARE(said.size(), std::size_t(3));
    }

    /// What another machine may say that is not so: the follower ends or asks again, says one sentence
    /// without anything hidden in it, and what is here is as it was, inside of the run's folder and outside.
    void liesChangeNothing_data()
    {
        QTest::addColumn<QByteArray>("frames");
        QTest::addColumn<QByteArray>("then");
        const test::DrawnShare share(6);
        const auto row = [&](const char* name, const std::string& frames, const char* then = "") {
            if (share.has(name))
                QTest::newRow(name) << QByteArray::fromStdString(frames) << QByteArray(then);
        };
        const std::string begin = encodeFrame({{"server", wireVersion}}) + encodeFrame({{"started", true}});
        const auto raw = [&](const std::string& text) { return begin + "\x1eSRL " + text + "\n"; };
        const auto one = [&](nlohmann::json head, std::string_view body = {}) {
            return begin + encodeFrame(std::move(head), body);
        };
        row("a line without end", begin, "tr '\\0' x < /dev/zero");
        row("a greeting without end", {}, "tr '\\0' x < /dev/zero");
        row("lines without end before the first frame", {}, "yes welcome");
        row("lines without end after it", begin, "yes welcome");
        row("brackets", raw(std::string(100'000, '[')));
        row("objects", raw([] {
                std::string text;
                for (int i = 0; i < 100'000; ++i)
                    text += "{\"a\":";
                return text;
            }()));
        row("no JSON", raw("{\"journal\": "));
        row("NUL", raw(std::string("{\"journal\":0}\0", 14)));
        row("a list", raw("[1,2,3]"));
        row("a body of -1 bytes", raw("{\"journal\":8,\"bytes\":-1}"));
        row("a body of too many bytes", raw("{\"journal\":8,\"bytes\":4194305}"));
        row("a body of 2^64 bytes", raw("{\"journal\":8,\"bytes\":18446744073709551616}"));
        row("a journal before its beginning", one({{"journal", -8}}, "x\n"));
        row("a journal beyond its end", one({{"journal", std::int64_t(1) << 62}}, "x\n"));
        row("a journal at the end of numbers", one({{"journal", INT64_MAX}}, "x\n"));
        row("a journal at no number", one({{"journal", "8"}}, "x\n"));
        row("a generation before the first", one({{"reset", -1}}, {}));
        row("a settled generation that was never begun", one({{"settled", 7}}));
        row("a log before its beginning", one({{"log", -1}}, "x\n"));
        for (const char* name :
             {"../../outside", "checkpoints/../../outside", "checkpoints/step-000001/../../../outside",
              "/tmp/outside", "checkpoints", "checkpoints/", "checkpoints/step-1x",
              "journal.discarded..jsonl", "journal.discarded.1.jsonl/x", "run.toml", "control.jsonl",
              "remote.json", "run.identity", "checkpoints/step-000001\n",
              "checkpoints/step-\xe2\x80\xae"
              "1",
              ".incoming", ""}) {
            row((std::string("a unit ") + name).c_str(),
                one({{"unit", name}, {"file", name}, {"offset", 0}}, "x"));
            row((std::string("a whole unit ") + name).c_str(), one({{"unit", name}, {"whole", true}}));
            row((std::string("a file ") + name).c_str(),
                one({{"unit", unit}, {"file", unit + "/" + name}, {"offset", 1}}, "x"));
        }
        row("a piece before its beginning",
            one({{"unit", unit}, {"file", unit + "/a"}, {"offset", -1}}, "x"));
        row("a piece that leaves a hole", one({{"unit", unit}, {"file", unit + "/a"}, {"offset", 9}}, "x"));
        row("a whole checkpoint of nothing",
            one({{"unit", unit}, {"file", unit + "/DONE"}, {"offset", 0}}, "x") +
                encodeFrame({{"unit", unit}, {"whole", true}}) +
                encodeFrame({{"unit", unit}, {"whole", true}}));
        row("names that are none",
            one({{"present", nlohmann::json::array({1, nullptr, "../..", "checkpoints/../.."})}}));
        row("a list that is none", one({{"present", "checkpoints/step-000001"}}));
        row("progress that goes back",
            one({{"beat", 1}, {"worker", true}, {"age", -1e300}, {"step", -5}, {"total_steps", -1}}) +
                encodeFrame({{"beat", 2}, {"age", "x"}, {"pid", -1}, {"step", 1e300}}));
        row("commands that it cannot have",
            one({{"control_sent", -5}}) + encodeFrame({{"control_sent", INT64_MAX}}));
        row("an error of colours", one({{"error", "\x1b[2J\xe2\x80\xae" + std::string(100'000, 'x')}}));
        row("no answer of its kind", encodeFrame({{"server", "1"}}));
        row("another version",
            encodeFrame({{"server", 2}, {"version", "\x1b]0;x\x07" + std::string(9999, 'v')}}));
        row("its end before its beginning", encodeFrame({{"idle", true}}));
    }
    void liesChangeNothing()
    {
        QFETCH(QByteArray, frames);
        QFETCH(QByteArray, then);
        FarStandIn far;
        mustDo(writeFileAtomic(far.run() / "run.identity", "4711"));
        mustDo(writeFileAtomic(far.run() / "control.jsonl", "{\"id\":\"1\",\"command\":\"pause\"}\n"));
        mustDo(writeFileAtomic(far.run() / "checkpoints/step-000001/DONE", "mine"));
        const auto filesOf = [&](const fs::path& below) {
            std::map<std::string, std::string> files;
            for (const auto& entry : fs::recursive_directory_iterator(below))
                if (entry.is_regular_file())
                    files[entry.path().lexically_relative(below).string()] = contents(entry.path());
            for (const char* own : {"remote.json", "follower.lock", "heartbeat.json"}) // the follower's own
                files.erase(own);
            return files;
        };
        const auto before = filesOf(far.run());
        const auto outside = must(listTree(far.folder())).size();
        CancelToken cancel;
        std::atomic<bool> over = false;
        std::thread watch([&] { // what keeps its connection is left after a while
            for (int i = 0; i < 30 && !over; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            cancel.cancel();
        });
        std::vector<std::string> said;
        const auto ended = far.follow(frames.toStdString(), {}, said, then.toStdString(), cancel);
        over = true;
        watch.join();
        if (!ended)
            said.push_back(ended.error().sentence());
        for (const std::string& sentence : said)
            QVERIFY2(printable(sentence) == sentence && sentence.size() < 1500 &&
                         sentence != "something is left",
                     sentence.substr(0, 2000).c_str());
        const auto after = filesOf(far.run());
        for (const auto& [name, text] : before)
            QVERIFY2(after.contains(name) && after.at(name) == text, name.c_str());
        for (const auto& [name, text] : after)
            QVERIFY2(before.contains(name), (name + ": " + text.substr(0, 99)).c_str());
        QVERIFY(must(listTree(far.folder())).size() <= outside + 5); // ssh, frames, what the follower keeps
        const auto mark = readRemoteMark(far.run());
        QVERIFY(mark && mark->host == "gpu1" && mark->identity == "4711" && mark->controlSent >= 0);
    }

    /// What a machine says it has, before a run is sent there: a lie is refused with one sentence, or names
    /// nothing but what is sent again; nothing here changes.
    void liesOfWhatIsThere_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<QByteArray>("then");
        QTest::addColumn<bool>("taken");
        const auto row = [](const std::string& name, const std::string& said, bool taken = false,
                            const char* then = "") {
            QTest::newRow(name.c_str()) << QByteArray::fromStdString(said) << QByteArray(then) << taken;
        };
        const auto text = [](const std::vector<nlohmann::json>& heads) {
            std::string all;
            for (const nlohmann::json& head : heads)
                all += encodeFrame(head);
            return all;
        };
        const nlohmann::json hello = {{"server", wireVersion},
                                      {"version", SPARSERL_VERSION},
                                      {"rsync", true}},
                             mine = {{"claimed", "4711"}, {"whole", false}}, end = {{"all", true}};
        const auto raw = [](const std::string& json) { return "\x1eSRL " + json + "\n"; };
        row("the truth", text({hello, mine, {{"have", "runs/0001-sft/run.toml"}, {"size", 7}}, end}), true);
        row("nothing", "");
        row("words", "Welcome\n");
        row("no greeting", text({mine, end}));
        row("a greeting at the end", text({mine, end, hello}));
        row("no end", text({hello, mine}));
        row("an end in the middle", text({hello, mine, end, {{"have", "x"}, {"size", 1}}}));
        row("no claim", text({hello, end}));
        for (const nlohmann::json& other :
             {nlohmann::json("4712"), nlohmann::json(""), nlohmann::json(4711), nlohmann::json(nullptr),
              nlohmann::json::array({"4711"}), nlohmann::json({{"id", "4711"}}), nlohmann::json(true),
              nlohmann::json(std::string(100'000, '4')), nlohmann::json("4711\n"), nlohmann::json("../4711")})
            row("claimed for " + other.dump().substr(0, 40), text({hello, {{"claimed", other}}, end}));
        row("claimed for mine, then for another", text({hello, mine, {{"claimed", "4712"}}, end}));
        for (const nlohmann::json& other :
             {nlohmann::json("1"), nlohmann::json(-1), nlohmann::json(0), nlohmann::json(wireVersion + 1),
              nlohmann::json(1e300), nlohmann::json(UINT64_MAX), nlohmann::json(nullptr),
              nlohmann::json(true), nlohmann::json::array(), nlohmann::json::object()}) {
            row("speaks " + other.dump(),
                text({{{"server", other}, {"version", SPARSERL_VERSION}}, mine, end}));
            row("has version " + other.dump(),
                text({{{"server", wireVersion}, {"version", other}}, mine, end}));
        }
        row("a version of colours",
            text({{{"server", wireVersion}, {"version", "\x1b[2J\xe2\x80\xae" + std::string(99'999, 'v')}},
                  mine,
                  end}));
        for (const char* name : {"../../outside", "/tmp/outside", "runs/0001-sft/../../../outside", "..", "",
                                 ".", "runs/0001-sft/\n", "runs/\xe2\x80\xae", "policies/x/link"})
            for (const nlohmann::json& size :
                 {nlohmann::json(1), nlohmann::json(-1), nlohmann::json(INT64_MIN),
                  nlohmann::json(UINT64_MAX), nlohmann::json(1e300), nlohmann::json("1"),
                  nlohmann::json(nullptr), nlohmann::json::array()})
                row(std::string("has ") + printableLine(name) + " of " + size.dump(),
                    text({hello, mine, {{"have", name}, {"size", size}}, end}), true);
        row("has a number", text({hello, mine, {{"have", 7}, {"size", 1}}, end}), true);
        row("has a list", text({hello, mine, {{"have", nlohmann::json::array({"x"})}, {"size", 1}}, end}),
            true);
        row("an error of colours", text({hello,
                                         {{"error", "\x1b[2J\xe2\x80\xae" + std::string(100'000, 'x')},
                                          {"remedy", "\x1b]0;x\x07" + std::string(100'000, 'y')}}}));
        row("an error that is none", text({hello, {{"error", 5}, {"remedy", nlohmann::json::array()}}}));
        row("brackets", text({hello}) + raw(std::string(100'000, '[')));
        row("no JSON", text({hello}) + raw("{\"have\": "));
        row("NUL", text({hello}) + raw(std::string("{\"have\":0}\0", 11)));
        row("a list for a head", text({hello}) + raw("[1]"));
        row("a body of -1 bytes", text({hello}) + raw("{\"have\":\"x\",\"bytes\":-1}"));
        row("a body of 2^64 bytes", text({hello}) + raw("{\"have\":\"x\",\"bytes\":18446744073709551616}"));
        row("a line without end", text({hello, mine}), false, "head -c 20000000 /dev/zero | tr '\\0' x");
        row("files without end", text({hello, mine}), false,
            "yes '\x1eSRL {\"have\":\"x\",\"size\":1}' | head -c 20000000");
    }
    void liesOfWhatIsThere()
    {
        QFETCH(QByteArray, said);
        QFETCH(QByteArray, then);
        QFETCH(bool, taken);
        FarStandIn far;
        mustDo(writeFileAtomic(far.folder() / "frames", said.toStdString()));
        mustDo(writeFileAtomic(far.folder() / "ssh", "#!/bin/sh\ncat '" + (far.folder() / "frames").string() +
                                                         "'\n" + then.toStdString() + "\n"));
        fs::permissions(far.folder() / "ssh", fs::perms(0755));
        const auto before = must(listTree(far.folder()));
        const auto there = inventory({"gpu1", "there", "sparserl"}, "there/p-1", {"0001-sft-4711", "4711"});
        const std::string sentence = there ? "" : there.error().sentence();
        QCOMPARE(there.has_value(), taken);
        QVERIFY2(taken ||
                     (!sentence.empty() && printableLine(sentence) == sentence && sentence.size() < 1500),
                 sentence.substr(0, 2000).c_str());
        QCOMPARE(must(listTree(far.folder())), before);
    }

    /// The other way round: what `remote have` is asked for over ssh.
    void liesOfWhoAsks()
    {
        const std::string good = "0001-sft-4711";
        for (const RunIdentity& asked : std::vector<RunIdentity>{{"../../outside", "4711"},
                                                                 {"..", "4711"},
                                                                 {".hidden", "4711"},
                                                                 {"", "4711"},
                                                                 {"a/b", "4711"},
                                                                 {"a\nb", "4711"},
                                                                 {std::string(100'000, 'n'), "4711"},
                                                                 {"\xe2\x80\xae", "4711"},
                                                                 {good, "47\n11"},
                                                                 {good, "4711\n"},
                                                                 {good, "../4711"},
                                                                 {good, "\x1b[2J"},
                                                                 {good, " "},
                                                                 {good, std::string(100'000, '4')}}) {
            const QTemporaryDir folder;
            const fs::path place = fs::path(folder.path().toStdString()) / "there";
            const fs::path answer = fs::path(folder.path().toStdString()) / "answer";
            QFile output(QString::fromStdString(answer.string()));
            QVERIFY(output.open(QIODevice::WriteOnly));
            mustDo(tellInventory(place, asked, "1", output.handle()));
            output.close();
            FrameReader frames;
            frames.feed(contents(answer));
            std::string refusal;
            while (const auto frame = must(frames.next())) {
                QVERIFY2(!frame->head.contains("claimed"), asked.nameThere.substr(0, 99).c_str());
                refusal += jsonValue<std::string>(frame->head, "error", {});
            }
            QVERIFY2(refusal.starts_with("a run cannot ") && refusal.size() < 300, refusal.c_str());
            QVERIFY(!fs::exists(place));
        }
    }
};

QTEST_APPLESS_MAIN(TestFarLimits)
#include "tst_far_limits.moc"
