// SPDX-License-Identifier: Apache-2.0
// Resuming runs whose files were damaged: nothing complete is deleted, the newest checkpoint that is whole is
// taken, and a sentence says what was found.
#include "fixture.h"

#include "base/json.h"
#include "project/run/checkpoint_files.h"
#include "project/run/generation.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

constexpr int every = 4; ///< Steps between checkpoints.

void work(RunDirectory& run, RunSession& session, int from, int to, bool checkpoints = true)
{
    for (int step = from; step < to; ++step) {
        writeStep(session.journal(), step, 3, 2);
        if (checkpoints && (step + 1) % every == 0) {
            auto pending = must(run.beginCheckpoint(step + 1));
            mustDo(writeFileAtomic(pending.directory() / "weights", fmt::format("weights {}", step + 1)));
            mustDo(writeFileAtomic(pending.directory() / "state.json",
                                   fmt::format("{{\"step\":{}}}", step + 1)));
            must(pending.commit(session.journal()));
        }
    }
}

/// Every file below a folder with its bytes.
std::map<std::string, std::string> filesOf(const fs::path& folder)
{
    std::map<std::string, std::string> files;
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (it->is_regular_file())
            files[it->path().lexically_relative(folder).string()] = must(readFile(it->path()));
    }
    return files;
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
        end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const auto& line : lines)
        text += line + "\n";
    return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& with)
{
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

std::size_t lineOf(const std::vector<std::string>& lines, const std::string& text)
{
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find(text) != std::string::npos)
            return i;
    }
    qFatal("no line has %s", text.c_str());
}

using Lines = std::vector<std::string>;
using Damage = std::function<std::string(const std::string&)>;
using LineDamage = std::function<void(Lines&)>;

Damage onLines(const LineDamage& damage)
{
    return [damage](const std::string& text) {
        Lines lines = linesOf(text);
        damage(lines);
        return joined(lines);
    };
}

const char* const newestEvent = R"("name":"step-000012")";

/// What befalls a journal. All of them leave the checkpoints alone.
const std::vector<std::pair<const char*, Damage>>& journalDamages()
{
    static const std::vector<std::pair<const char*, Damage>> damages{
        {"nothing", [](const std::string& text) { return text; }},
        {"first line removed", onLines([](Lines& lines) { lines.erase(lines.begin()); })},
        {"line in the middle removed", onLines([](Lines& lines) {
             lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 3));
         })},
        {"line of the newest checkpoint removed", onLines([](Lines& lines) {
             lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(lineOf(lines, newestEvent)));
         })},
        {"line of the newest checkpoint garbled",
         onLines([](Lines& lines) { lines[lineOf(lines, newestEvent)][20] ^= 0x40; })},
        {"all lines of checkpoints removed", onLines([](Lines& lines) {
             std::erase_if(lines,
                           [](const auto& line) { return line.find("\"checkpoint\"") != std::string::npos; });
         })},
        {"CRLF", [](const std::string& text) { return replaced(text, "\n", "\r\n"); }},
        {"byte order mark", [](const std::string& text) { return "\xEF\xBB\xBF" + text; }},
        {"cut in the middle of a line",
         [](const std::string& text) { return text.substr(0, text.size() / 2); }},
        {"cut behind the first checkpoint",
         onLines([](Lines& lines) { lines.resize(lineOf(lines, R"("name":"step-000004")") + 1); })},
        {"last line break missing",
         [](const std::string& text) { return text.substr(0, text.find('\n', text.find(newestEvent))); }},
        {"empty", [](const std::string&) { return std::string(); }},
        {"garbage in the middle",
         [](const std::string& text) {
             std::string out = text;
             for (std::size_t i = text.size() / 3; i < text.size() / 3 + 3000; ++i)
                 out[i] = static_cast<char>(i * 131);
             return out;
         }},
        {"garbage at the end",
         [](const std::string& text) { return text + std::string(5000, '\x07') + "\n{\"seq\":99999999}\n"; }},
        {"garbage throughout",
         [](const std::string& text) {
             std::string out = text;
             for (std::size_t i = 0; i < out.size(); i += 97)
                 out[i] = '\x01';
             return out;
         }},
        {"NULs in the middle",
         [](const std::string& text) {
             std::string out = text;
             std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(text.size() / 3), 4096, '\0');
             return out;
         }},
        {"only NULs", [](const std::string& text) { return std::string(text.size(), '\0'); }},
        {"a line twice", onLines([](Lines& lines) { lines.insert(lines.begin() + 5, lines[5]); })},
        {"line of the newest checkpoint twice", onLines([](Lines& lines) {
             const auto at = lineOf(lines, newestEvent);
             lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::string(lines[at]));
         })},
        {"everything twice", [](const std::string& text) { return text + text; }},
        {"lines in another order", onLines([](Lines& lines) { std::reverse(lines.begin(), lines.end()); })},
        {"wrong generation",
         [](const std::string& text) { return replaced(text, "\"gen\":0", "\"gen\":7"); }},
        {"generation of another type",
         [](const std::string& text) { return replaced(text, "\"gen\":0", "\"gen\":\"x\""); }},
        {"huge generation",
         [](const std::string& text) { return replaced(text, "\"gen\":0", "\"gen\":1e300"); }},
        {"numbers as text",
         [](const std::string& text) { return replaced(text, "\"seq\":", "\"seq\":\"\",\"x\":"); }},
        {"nested without end",
         [](const std::string& text) { return std::string(200000, '[') + "\n" + text; }},
    };
    return damages;
}

} // namespace

class TestResume : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        // In memory where that is possible: hundreds of runs are made here, and every checkpoint is synced.
        const bool inMemory = ::access("/dev/shm", W_OK) == 0;
        m_dir = std::make_unique<TempDir>(must(TempDir::create("resume", inMemory ? "/dev/shm" : "")));
        m_run = m_dir->path() / "p/runs/r";
        must(Project::create(m_dir->path() / "p"));
        auto run = must(RunDirectory::create(m_run, config("rl")));
        auto session = must(run.beginWork());
        work(run, session, 0, 14);
        mustDo(session.journal().sync());
    }
    void cleanup() { m_dir.reset(); }

    void damagedJournalsKeepTheNewestCheckpoint_data()
    {
        QTest::addColumn<int>("damage");
        QTest::addColumn<int>("checkpoints");
        for (std::size_t i = 0; i < journalDamages().size(); ++i) {
            for (const int checkpoints : {0, 1, 3})
                QTest::addRow("%s, %d checkpoints", journalDamages()[i].first, checkpoints)
                    << static_cast<int>(i) << checkpoints;
        }
        QTest::addRow("missing, 0 checkpoints") << -1 << 0;
        QTest::addRow("missing, 3 checkpoints") << -1 << 3;
    }

    void damagedJournalsKeepTheNewestCheckpoint()
    {
        QFETCH(int, damage);
        QFETCH(int, checkpoints);
        const fs::path journal = m_run / "journal.jsonl";
        std::string damaged;
        if (damage < 0) {
            fs::remove(journal);
        } else {
            damaged = journalDamages()[static_cast<std::size_t>(damage)].second(must(readFile(journal)));
            mustDo(writeFileAtomic(journal, damaged));
        }
        if (checkpoints < 3)
            fs::remove_all(m_run / "checkpoints/step-000004");
        if (checkpoints < 3)
            fs::remove_all(m_run / "checkpoints/step-000008");
        if (checkpoints < 1)
            fs::remove_all(m_run / "checkpoints/step-000012");
        const auto before = filesOf(m_run / "checkpoints");

        const int begin = checkpoints > 0 ? 12 : 0;
        for (int life = 0; life < 3; ++life) {
            auto run = must(RunDirectory::open(m_run));
            auto session = must(run.beginWork());
            QCOMPARE(session.checkpoint() ? session.checkpoint()->step : 0, std::int64_t{begin});
            QVERIFY2(filesOf(m_run / "checkpoints") == before, "a checkpoint was changed");
            QVERIFY(!fs::exists(m_run / "checkpoints.set-aside"));
            if (life == 0) { // every line that was there is there
                const std::string kept = must(readFile(journal));
                std::string rest;
                for (const char* name : {"journal.torn", "journal.discarded.1.jsonl"})
                    rest += readFile(m_run / name).value_or(std::string());
                for (fs::directory_iterator it(m_run), end; it != end; ++it) {
                    if (it->path().filename().string().starts_with("journal.discarded."))
                        rest += must(readFile(it->path()));
                }
                for (const std::string& line : linesOf(damaged))
                    QVERIFY(kept.find(line) != std::string::npos || rest.find(line) != std::string::npos);
            }
            work(run, session, begin, 15, false);
        }
        auto run = must(RunDirectory::open(m_run));
        {
            auto session = must(run.beginWork());
            work(run, session, begin, 16);
            mustDo(session.journal().append(16, StateEvent{RunState::Done, {}, 16}));
        }
        QCOMPARE(run.latestCheckpoint()->step, std::int64_t{16});
        // What the last life wrote is there once, in order, with numbers of its own.
        std::set<std::int64_t> seqs;
        std::map<std::int64_t, int> metrics;
        const int generation = readGeneration(m_run);
        for (const auto& entry : must(readWholeJournal(m_run))) {
            if (entry.gen != generation)
                continue;
            QVERIFY(seqs.empty() || entry.seq == *seqs.rbegin() + 1);
            seqs.insert(entry.seq);
            const auto* metric = std::get_if<MetricEvent>(&entry.event);
            metrics[entry.step] += metric != nullptr && metric->split == "train" ? 1 : 0;
        }
        for (int step = begin; step < 16; ++step)
            QCOMPARE(metrics[step], 1);
        auto session = must(run.beginWork());
        QCOMPARE(session.checkpoint()->step, std::int64_t{16});
        QVERIFY(session.notices().empty()); // the journal is sound again
    }

    /// A run that is done is left alone, but one who asks is told that its journal is another one.
    void doubtAboutTheJournalOfAFinishedRun()
    {
        const auto run = must(RunDirectory::open(m_run));
        QCOMPARE(run.journalDoubt(), std::string());
        const fs::path journal = m_run / "journal.jsonl";
        const std::string text = must(readFile(journal));
        mustDo(writeFileAtomic(journal, text + "{}\n"));
        QCOMPARE(run.journalDoubt(), std::string()); // what came later is its own affair
        mustDo(writeFileAtomic(journal, replaced(text, "\n", "\r\n")));
        QVERIFY(run.journalDoubt().find("step-000012") != std::string::npos);
        mustDo(writeFileAtomic(journal, {}));
        QVERIFY(!run.journalDoubt().empty());
        fs::remove_all(m_run / "checkpoints");
        QCOMPARE(run.journalDoubt(), std::string()); // nothing to compare it with
    }

    void everyCheckpointHasTheConfiguration()
    {
        const fs::path file = m_run / "run.toml";
        const std::string text = must(readFile(file));
        for (const char* damaged : {"", "[run\n", "[run]\nformat = 1\n"}) {
            mustDo(writeFileAtomic(file, damaged));
            const auto run = RunDirectory::open(m_run);
            QVERIFY(!run);
            QVERIFY2(run.error().remedy.find("step-000012/run.toml") != std::string::npos,
                     run.error().remedy.c_str());
        }
        fs::remove(file);
        QVERIFY(RunDirectory::open(m_run).error().remedy.find("step-000012/run.toml") != std::string::npos);
        fs::copy_file(m_run / "checkpoints/step-000012/run.toml", file);
        QCOMPARE(must(readFile(file)), text);
        QCOMPARE(must(must(RunDirectory::open(m_run)).beginWork()).checkpoint()->step, std::int64_t{12});
    }

    void changedJournalsAreSaid()
    {
        const fs::path journal = m_run / "journal.jsonl";
        Lines lines = linesOf(must(readFile(journal)));
        lines.erase(lines.begin() + 3);
        mustDo(writeFileAtomic(journal, joined(lines)));
        const auto session = must(must(RunDirectory::open(m_run)).beginWork());
        QCOMPARE(session.notices().size(), std::size_t{1});
        QVERIFY(session.notices()[0].find("step-000012") != std::string::npos);
    }

    void damagedCheckpointsAreMovedAside_data()
    {
        QTest::addColumn<int>("damage");
        for (std::size_t i = 0; i < checkpointDamages().size(); ++i)
            QTest::addRow("%s", checkpointDamages()[i].name) << static_cast<int>(i);
    }

    void damagedCheckpointsAreMovedAside()
    {
        QFETCH(int, damage);
        const auto& [name, usable, inflict] = checkpointDamages()[static_cast<std::size_t>(damage)];
        const fs::path newest = m_run / "checkpoints/step-000012";
        inflict(newest);
        const auto damaged = filesOf(newest);
        const auto others = filesOf(m_run / "checkpoints/step-000008");
        // Who only starts from it is given the damaged one's fault, never an older one unasked.
        const auto given = newestCheckpoint(m_run);
        if (given && *given && (*given)->step == 12)
            QCOMPARE(must(checkpointFault(newest)).has_value(), !usable);
        else if (given)
            QVERIFY(!fs::exists(newest / "DONE")); // it was never completed
        else
            QVERIFY(!usable && given.error().sentence().find("step-000012") != std::string::npos &&
                    given.error().remedy.find("The one before it is") == 0 &&
                    given.error().remedy.find("step-000008") != std::string::npos);
        auto run = must(RunDirectory::open(m_run));
        {
            auto session = must(run.beginWork());
            QCOMPARE(session.checkpoint()->step, std::int64_t{usable ? 12 : 8});
            QVERIFY(filesOf(m_run / "checkpoints/step-000008") == others);
            if (usable) {
                QVERIFY(session.notices().empty());
                QVERIFY(fs::exists(newest / "DONE"));
            } else {
                QVERIFY(session.notices().size() == 1 &&
                        session.notices()[0].find("step-000012") != std::string::npos);
                QVERIFY(!fs::exists(newest));
                QVERIFY(filesOf(m_run / "checkpoints.set-aside/step-000012") == damaged);
                QVERIFY(
                    must(readFile(m_run / "checkpoints.set-aside/reasons.txt")).find(session.notices()[0]) !=
                    std::string::npos);
            }
            work(run, session, static_cast<int>(session.checkpoint()->step), 16);
        }
        QCOMPARE(must(run.beginWork()).checkpoint()->step, std::int64_t{16});
        QCOMPARE(run.checkpoints().size(), std::size_t{4});
    }

    /// What cannot be listed is not taken for none.
    void checkpointsThatCannotBeListed()
    {
        QCOMPARE(must(newestCheckpoint(m_run))->step, std::int64_t{12});
        fs::rename(m_run / "checkpoints", m_run / "away");
        QVERIFY(!must(newestCheckpoint(m_run)));
        fs::create_directory_symlink(m_run / "away", m_run / "checkpoints");
        const auto linked = newestCheckpoint(m_run);
        QVERIFY(!linked && linked.error().sentence().find("link") != std::string::npos);
        fs::remove(m_run / "checkpoints");
        mustDo(writeFileAtomic(m_run / "checkpoints", "x"));
        const auto file = newestCheckpoint(m_run);
        QVERIFY(!file && file.error().file == (m_run / "checkpoints").string());
    }

    /// Files of holes cost their sender nothing: sizes are held to what they can be before anything is
    /// hashed.
    void sizesBeforeSums()
    {
        const fs::path newest = m_run / "checkpoints/step-000012";
        const std::string config =
            R"({"d_model":16,"vocab_size":600,"num_layers":1,"num_heads":2,"d_kv":8,"d_ff":16})";
        const std::string header =
            R"({"x":{"dtype":"F32","shape":[17179869184],"data_offsets":[0,68719476736]}})";
        const std::uint64_t length = header.size();
        for (const bool tensors : {true, false}) {
            const std::string name = tensors ? "model.safetensors" : "state.json";
            const fs::path file = newest / name;
            std::ofstream(file, std::ios::binary)
                << std::string(reinterpret_cast<const char*>(&length), sizeof length) << header;
            fs::resize_file(file, (std::uintmax_t(64) << 30) + 8 + length);
            auto json = must(readJson(newest / "checkpoint.json"));
            mustDo(writeFileAtomic(newest / "config.json", config));
            json["files"][name] = {{"bytes", fs::file_size(file)}, {"sha256", std::string(64, '0')}};
            mustDo(writeJson(newest / "checkpoint.json", json));
            mustDo(writeFileAtomic(newest / "DONE", doneText(must(readFile(newest / "checkpoint.json")))));
            const auto fault = must(checkpointFault(newest));
            QVERIFY(fault && fault->file == file.string());
            QVERIFY2(fault->what.find("at most") != std::string::npos, fault->what.c_str());
            fs::remove(file);
            json["files"].erase(name);
            mustDo(writeJson(newest / "checkpoint.json", json));
        }
        // What belongs to no file of its size is found before, too.
        const fs::path small = m_run / "checkpoints/step-000008";
        std::ofstream(small / "x.safetensors", std::ios::binary)
            << std::string(reinterpret_cast<const char*>(&length), sizeof length) << header;
        auto json = must(readJson(small / "checkpoint.json"));
        json["files"]["x.safetensors"] = {{"bytes", 8 + length}, {"sha256", std::string(64, '0')}};
        mustDo(writeJson(small / "checkpoint.json", json));
        mustDo(writeFileAtomic(small / "DONE", doneText(must(readFile(small / "checkpoint.json")))));
        QVERIFY(must(checkpointFault(small))->what.find("outside the file") != std::string::npos);
    }

    void allCheckpointsDamagedBeginsAnewAndKeepsThem()
    {
        for (const auto& info : must(RunDirectory::open(m_run)).checkpoints())
            mustDo(writeFileAtomic(info.path / "weights", "other"));
        const std::string journal = must(readFile(m_run / "journal.jsonl"));
        const auto session = must(must(RunDirectory::open(m_run)).beginWork());
        QVERIFY(!session.checkpoint());
        QCOMPARE(session.notices().size(), std::size_t{3});
        QCOMPARE(filesOf(m_run / "checkpoints.set-aside").size(), std::size_t{3 * 5 + 1});
        const std::string kept = must(readFile(m_run / "journal.jsonl"));
        QVERIFY(kept + must(readFile(m_run / "journal.discarded.1.jsonl")) == journal);
    }

    /// As older programs wrote them: an empty DONE and no checksums.
    void checkpointsWithoutChecksumsStillLoad()
    {
        for (const auto& info : must(RunDirectory::open(m_run)).checkpoints()) {
            auto json = must(readJson(info.path / "checkpoint.json"));
            json.erase("files");
            mustDo(writeJson(info.path / "checkpoint.json", json));
            mustDo(writeFileAtomic(info.path / "DONE", ""));
        }
        QCOMPARE(must(must(RunDirectory::open(m_run)).beginWork()).checkpoint()->step, std::int64_t{12});
        // What can be seen of them is: broken JSON, tensors that are cut.
        mustDo(writeFileAtomic(m_run / "checkpoints/step-000012/state.json", "{"));
        QCOMPARE(must(must(RunDirectory::open(m_run)).beginWork()).checkpoint()->step, std::int64_t{8});
        const std::string header = R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})";
        std::string tensors(8, '\0');
        tensors[0] = static_cast<char>(header.size());
        tensors += header + std::string(16, 'x');
        mustDo(writeFileAtomic(m_run / "checkpoints/step-000008/model.safetensors", tensors));
        QCOMPARE(must(must(RunDirectory::open(m_run)).beginWork()).checkpoint()->step, std::int64_t{8});
        mustDo(writeFileAtomic(m_run / "checkpoints/step-000008/model.safetensors",
                               tensors.substr(0, tensors.size() - 1)));
        QCOMPARE(must(must(RunDirectory::open(m_run)).beginWork()).checkpoint()->step, std::int64_t{4});
    }

    void whatACrashLeftInCheckpointsGoes()
    {
        const fs::path folder = m_run / "checkpoints";
        const auto before = filesOf(folder);
        // Died while writing one, while removing one, and between the two renames of a replacement.
        fs::copy(folder / "step-000012", folder / ".tmp-step-000020", fs::copy_options::recursive);
        fs::copy(folder / "step-000004", folder / ".removing-step-000002", fs::copy_options::recursive);
        fs::remove(folder / ".removing-step-000002/weights");
        fs::rename(folder / "step-000012", folder / ".old-step-000012");
        fs::copy(folder / "step-000008", folder / ".old-step-000008", fs::copy_options::recursive);
        const auto session = must(must(RunDirectory::open(m_run)).beginWork());
        QCOMPARE(session.checkpoint()->step, std::int64_t{12});
        QVERIFY(session.notices().empty());
        QVERIFY(filesOf(folder) == before);
    }

    void whatACrashLeftOfReplacedFilesGoes()
    {
        for (const char* name : {".sparserl.heartbeat.json.tmp-1-0", ".sparserl.generation.json.tmp-77-12"})
            mustDo(writeFileAtomic(m_run / name, "half"));
        // Names of others that only look alike stay.
        constexpr std::array others{"notes.tmp", "notes.tmp-1", ".tmp-1-2",          "x.tmp-1-a",
                                    "a.tmp-1-2", ".a.tmp-1-2",  ".sparserl.tmp-1-2", ".sparserl.a.tmp-1-b"};
        for (const char* name : others)
            mustDo(writeFileAtomic(m_run / name, "mine"));
        fs::create_directory(m_run / ".sparserl.folder.tmp-1-1");
        must(must(RunDirectory::open(m_run)).beginWork());
        QVERIFY(!fs::exists(m_run / ".sparserl.heartbeat.json.tmp-1-0"));
        QVERIFY(!fs::exists(m_run / ".sparserl.generation.json.tmp-77-12"));
        QVERIFY(fs::exists(m_run / ".sparserl.folder.tmp-1-1"));
        for (const char* name : others)
            QVERIFY2(fs::exists(m_run / name), name);

        // In a project others may be writing: only what is old goes.
        const fs::path project = m_dir->path() / "p";
        for (const char* name : {".sparserl.project.toml.tmp-1-0", "cache/.sparserl.a.csr.tmp-1-1"}) {
            mustDo(writeFileAtomic(project / name, "half"));
            must(Indexer::open(project));
            QVERIFY(fs::exists(project / name));
            fs::last_write_time(project / name, fs::file_time_type::clock::now() - std::chrono::hours(2));
            must(Indexer::open(project));
            QVERIFY(!fs::exists(project / name));
        }
        // Nor does a matrix go, whatever it is called.
        const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1.5\n";
        mustDo(writeFileAtomic(project / "matrices/.sparserl.a.mtx.tmp-1-1", text));
        mustDo(writeFileAtomic(m_dir->path() / "x.mtx.tmp-1-1", text));
        must(must(Project::open(project)).addMatrix(m_dir->path() / "x.mtx.tmp-1-1"));
        const std::string list = must(readFile(project / "project.toml"));
        mustDo(writeFileAtomic(project / "project.toml", list +
                                                             "\n[[matrix]]\nname = 'a'\n"
                                                             "file = 'matrices/.sparserl.a.mtx.tmp-1-1'\n"));
        const auto longAgo = fs::file_time_type::clock::now() - std::chrono::hours(2);
        for (const char* name : {".sparserl.a.mtx.tmp-1-1", "x.mtx.tmp-1-1"})
            fs::last_write_time(project / "matrices" / name, longAgo);
        must(Indexer::open(project));
        for (const char* name : {".sparserl.a.mtx.tmp-1-1", "x.mtx.tmp-1-1"})
            QVERIFY2(fs::exists(project / "matrices" / name), name);
    }

    /// A checkpoint that a later life wrote under a name that an earlier one had rolled back is its own.
    void namesOfRolledBackCheckpointsMayComeAgain()
    {
        const fs::path newest = m_run / "checkpoints/step-000012";
        fs::remove_all(newest);
        {
            auto run = must(RunDirectory::open(m_run));
            auto session = must(run.beginWork());
            QCOMPARE(session.checkpoint()->step, std::int64_t{8});
            work(run, session, 8, 13);
        }
        fs::remove(m_run / "journal.jsonl");
        auto run = must(RunDirectory::open(m_run));
        QCOMPARE(must(run.beginWork()).checkpoint()->step, std::int64_t{12});
    }

    void generationsNeverComeAgain_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::newRow("missing") << QByteArray();
        QTest::newRow("garbage") << QByteArray("{\"gen");
        QTest::newRow("another type") << QByteArray("{\"gen\":\"three\"}");
        QTest::newRow("too large") << QByteArray("{\"gen\":1e300}");
        QTest::newRow("beyond 32 bits") << QByteArray("{\"gen\":4294967297}");
        QTest::newRow("negative") << QByteArray("{\"gen\":-5}");
        QTest::newRow("the last of 32 bits") << QByteArray("{\"gen\":2147483647}");
    }

    /// The largest number that is read, in each place that has one: no resume counts beyond it.
    void generationsEnd()
    {
        const auto begin = [&] { return must(RunDirectory::open(m_run)).beginWork(); };
        mustDo(writeFileAtomic(m_run / "generation.json", fmt::format("{{\"gen\":{}}}", mostGenerations)));
        auto before = filesOf(m_run);
        const auto refused = begin();
        QVERIFY(!refused);
        QVERIFY(refused.error().what.find("which cannot be right") != std::string::npos);
        QVERIFY(filesOf(m_run).at("journal.jsonl") == before.at("journal.jsonl"));
        mustDo(writeFileAtomic(m_run / "generation.json", "{\"gen\":1}"));
        mustDo(writeFileAtomic(m_run / "journal.discarded.2147483647.jsonl", "x\n"));
        QCOMPARE(must(begin()).generation(), 2);
    }

    void generationsNeverComeAgain()
    {
        QFETCH(QByteArray, file);
        for (int life = 0; life < 3; ++life) {
            auto run = must(RunDirectory::open(m_run));
            auto session = must(run.beginWork());
            work(run, session, 12, 14, false);
        }
        QCOMPARE(readGeneration(m_run), 3);
        const auto before = filesOf(m_run);
        if (file.isEmpty())
            fs::remove(m_run / "generation.json");
        else
            mustDo(writeFileAtomic(m_run / "generation.json", file.toStdString()));
        const auto session = must(must(RunDirectory::open(m_run)).beginWork());
        QVERIFY2(session.generation() > 3, std::to_string(session.generation()).c_str());
        QVERIFY(session.generation() < 100);
        const auto after = filesOf(m_run);
        for (int n = 1; n <= 3; ++n) {
            const std::string name = fmt::format("journal.discarded.{}.jsonl", n);
            QVERIFY(after.at(name) == before.at(name));
        }
    }

private:
    struct CheckpointDamage
    {
        const char* name;
        bool usable; ///< Is the checkpoint still complete in itself?
        std::function<void(const fs::path&)> inflict;
    };

    static const std::vector<CheckpointDamage>& checkpointDamages()
    {
        static const std::vector<CheckpointDamage> damages{
            {"none", true, [](const fs::path&) {}},
            {"a bit of the weights flipped", false,
             [](const fs::path& path) { mustDo(writeFileAtomic(path / "weights", "weights 13")); }},
            {"weights cut", false, [](const fs::path& path) { fs::resize_file(path / "weights", 3); }},
            {"weights empty", false, [](const fs::path& path) { fs::resize_file(path / "weights", 0); }},
            {"weights missing", false, [](const fs::path& path) { fs::remove(path / "weights"); }},
            {"weights longer", false,
             [](const fs::path& path) { mustDo(appendFile(path / "weights", "x")); }},
            {"weights a folder", false,
             [](const fs::path& path) {
                 fs::remove(path / "weights");
                 fs::create_directory(path / "weights");
             }},
            {"state changed", false,
             [](const fs::path& path) { mustDo(writeFileAtomic(path / "state.json", "{\"step\":13}")); }},
            {"description missing", false,
             [](const fs::path& path) { fs::remove(path / "checkpoint.json"); }},
            {"description cut", false,
             [](const fs::path& path) { fs::resize_file(path / "checkpoint.json", 20); }},
            {"description changed", false,
             [](const fs::path& path) {
                 auto json = must(readJson(path / "checkpoint.json"));
                 json["journal_length"] = 77;
                 mustDo(writeJson(path / "checkpoint.json", json));
             }},
            {"description of other types", false,
             [](const fs::path& path) {
                 mustDo(writeFileAtomic(path / "checkpoint.json",
                                        R"({"step":"x","journal_length":[],"files":5})"));
                 mustDo(writeFileAtomic(path / "DONE", ""));
             }},
            {"description names files outside", false,
             [](const fs::path& path) {
                 auto json = must(readJson(path / "checkpoint.json"));
                 json["files"]["../step-000008/weights"] = json["files"]["weights"];
                 mustDo(writeJson(path / "checkpoint.json", json));
                 mustDo(writeFileAtomic(path / "DONE", ""));
             }},
            {"DONE missing", true, [](const fs::path& path) { fs::remove(path / "DONE"); }},
            {"DONE empty", true, [](const fs::path& path) { fs::resize_file(path / "DONE", 0); }},
            {"DONE of another checkpoint", false,
             [](const fs::path& path) {
                 fs::copy_file(path.parent_path() / "step-000008/DONE", path / "DONE",
                               fs::copy_options::overwrite_existing);
             }},
            {"half removed", false,
             [](const fs::path& path) {
                 fs::remove(path / "DONE");
                 fs::remove(path / "weights");
             }},
            {"another checkpoint under this name", false,
             [](const fs::path& path) {
                 fs::remove_all(path);
                 fs::copy(path.parent_path() / "step-000008", path, fs::copy_options::recursive);
             }},
            {"nothing in the folder", false,
             [](const fs::path& path) {
                 fs::remove_all(path);
                 fs::create_directory(path);
             }},
            {"a file more", true,
             [](const fs::path& path) { mustDo(writeFileAtomic(path / "notes.txt", "x")); }},
            {"pinned", true, [](const fs::path& path) { mustDo(appendFile(path / "PIN", "")); }},
        };
        return damages;
    }

    std::unique_ptr<TempDir> m_dir;
    fs::path m_run;
};

QTEST_GUILESS_MAIN(TestResume)
#include "tst_resume.moc"
