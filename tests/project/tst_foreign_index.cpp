// SPDX-License-Identifier: Apache-2.0
// A project.sqlite that somebody else has made: only what an index consists of is used.
#include "fixture.h"
#include "index_sql.h"

#include "base/trust.h"

#include <QTest>

using namespace fixture;
namespace fs = std::filesystem;

class TestForeignIndex : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void otherTables_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::newRow("endless view")
            << "DROP TABLE checkpoint; CREATE VIEW checkpoint AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
               "SELECT x+1 FROM c) SELECT x AS run, 'a' AS name, x AS seq, x AS step, 1.0 AS t FROM c";
        QTest::newRow("view of runs")
            << "ALTER TABLE run RENAME TO old; CREATE VIEW run AS SELECT * FROM old";
        QTest::newRow("trigger")
            << "CREATE TRIGGER more AFTER INSERT ON metric BEGIN INSERT OR REPLACE INTO meta "
               "VALUES (hex(randomblob(8)), hex(zeroblob(100000))); END";
        QTest::newRow("table more") << "CREATE TABLE more (x)";
        QTest::newRow("table less") << "DROP TABLE control";
        QTest::newRow("index more") << "CREATE INDEX more ON metric(length(hex(zeroblob(1000))))";
        QTest::newRow("index less") << "DROP INDEX matrix_digest";
        QTest::newRow("column") << "ALTER TABLE log ADD COLUMN more AS (hex(zeroblob(1000)))";
        QTest::newRow("check")
            << "DROP TABLE export; CREATE TABLE export (name TEXT PRIMARY KEY, program TEXT NOT "
               "NULL, target TEXT NOT NULL, run TEXT NOT NULL, created REAL NOT NULL, CHECK "
               "(length(hex(zeroblob(1000))) > 0)) WITHOUT ROWID";
    }
    void otherTables()
    {
        QFETCH(QString, sql);
        const auto dir = must(TempDir::create());
        const fs::path project = makeProject(dir.path());
        const std::string sound = must(dumpIndex(project));
        executeSql(project / "project.sqlite", sql.toStdString());
        const auto reader = ProjectReader::open(project);
        QVERIFY(!reader);
        QVERIFY(reader.error().sentence().find("reindex") != std::string::npos);
        auto indexer = must(Indexer::open(project));
        QVERIFY(indexer.wasRebuilt());
        must(indexer.update());
        QVERIFY(must(dumpIndex(project)) == sound);
        QCOMPARE(must(must(ProjectReader::open(project)).runs()).size(), std::size_t(1));
    }

    /// Rows that say something else than the runs do.
    void rowsOfOthers()
    {
        const auto dir = must(TempDir::create());
        const fs::path project = makeProject(dir.path());
        executeSql(project / "project.sqlite", "UPDATE run SET title='altered'");
        qunsetenv("SPARSERL_TRUST");
        qputenv("XDG_CONFIG_HOME", (dir.path() / "settings").c_str());
        QVERIFY(!ProjectReader::open(project));
        const auto place = must(TempDir::create());
        must(must(Indexer::open(project, place.path())).update());
        QCOMPARE(must(must(ProjectReader::open(project, place.path())).runs()).front().title,
                 std::string("as it is"));
        qputenv("SPARSERL_TRUST", "all");
    }

    /// One that was laid into a folder that is trusted already, as by an archive that is unpacked over it.
    void indexesOfOtherFolders()
    {
        const auto dir = must(TempDir::create()), other = must(TempDir::create());
        const fs::path project = makeProject(dir.path()), sent = makeProject(other.path());
        const auto title = [&] {
            must(must(Indexer::open(project)).update());
            return must(must(ProjectReader::open(project)).runs()).front().title;
        };
        // Of its own folder it is used, as long as that is there.
        executeSql(project / "project.sqlite", "UPDATE run SET title='of this folder'");
        QCOMPARE(title(), std::string("of this folder"));
        const fs::path moved = dir.path() / "moved";
        fs::rename(project, moved);
        fs::rename(moved, project);
        QCOMPARE(title(), std::string("of this folder"));
        executeSql(sent / "project.sqlite", "UPDATE run SET title='altered'; PRAGMA journal_mode=DELETE");
        executeSql(project / "project.sqlite", "PRAGMA journal_mode=DELETE");
        fs::copy_file(sent / "project.sqlite", project / "project.sqlite",
                      fs::copy_options::overwrite_existing);
        QCOMPARE(title(), std::string("as it is"));
        // Nor is one that does not name its folder.
        executeSql(project / "project.sqlite",
                   "UPDATE run SET title='altered'; DELETE FROM meta WHERE key='folder'");
        QCOMPARE(title(), std::string("as it is"));
    }

    void journalsThatNameAFile_data()
    {
        QTest::addColumn<QString>("database");
        QTest::newRow("of the index") << "project.sqlite";
        QTest::newRow("of one that is being built") << "project.sqlite.new";
        QTest::newRow("of one that is built") << "project.sqlite.ready";
    }
    /// SQLite rolls such a journal back, and then deletes the file that it names.
    void journalsThatNameAFile()
    {
        QFETCH(QString, database);
        const auto dir = must(TempDir::create());
        const fs::path project = makeProject(dir.path()), victim = dir.path() / "precious";
        const std::string sound = must(dumpIndex(project));
        mustDo(writeFileAtomic(victim, "precious"));
        executeSql(project / "project.sqlite", "PRAGMA journal_mode=DELETE");
        const fs::path file = project / database.toStdString();
        if (file.filename() != "project.sqlite")
            fs::copy(project / "project.sqlite", file);
        mustDo(
            writeFileAtomic(file.string() + "-journal", hotJournal(must(readFile(file)), victim.string())));
        static_cast<void>(ProjectReader::open(project));
        QVERIFY(fs::exists(victim));
        must(must(Indexer::open(project)).update());
        QVERIFY(fs::exists(victim));
        must(Indexer::reindex(project));
        QVERIFY(fs::exists(victim));
        QVERIFY(must(dumpIndex(project)) == sound);
    }

    void soundOnesStay()
    {
        const auto dir = must(TempDir::create());
        const fs::path project = makeProject(dir.path());
        QVERIFY(!must(Indexer::open(project)).wasRebuilt());
        QVERIFY(!fs::exists(project / "project.sqlite.broken-1"));
    }

private:
    static std::string number(std::size_t value)
    {
        std::string bytes;
        for (const int shift : {24, 16, 8, 0})
            bytes += static_cast<char>((value >> shift) & 0xff);
        return bytes;
    }
    /// A rollback journal of the first page that belongs to another, "super" journal: the file format of
    /// SQLite, section 3.
    static std::string hotJournal(const std::string& database, const std::string& super)
    {
        const auto byte = [](char c) { return std::size_t(static_cast<unsigned char>(c)); };
        const std::size_t page = byte(database[16]) * 256 + byte(database[17]), sector = 512;
        const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8), first = database.substr(0, page);
        std::size_t sum = 0, nameSum = 0;
        for (std::size_t at = page - 200; at > 0 && at < page; at -= 200)
            sum += byte(first[at]);
        for (const char c : super)
            nameSum += byte(c);
        std::string journal =
            magic + number(1) + number(0) + number(database.size() / page) + number(sector) + number(page);
        journal.resize(sector);
        return journal + number(1) + first + number(sum) + number(0x40000000 / page + 1) + super +
               number(super.size()) + number(nameSum) + magic;
    }

    static fs::path makeProject(const fs::path& folder)
    {
        qputenv("SPARSERL_TRUST", "all");
        const fs::path project = folder / "p";
        must(Project::create(project, "test"));
        auto run = must(RunDirectory::create(project / "runs/r", config("rl", "as it is")));
        {
            auto session = must(run.beginWork());
            writeStep(session.journal(), 0, 1, 3);
            writeCheckpoint(run, session.journal(), 1);
        }
        must(must(Indexer::open(project)).update());
        return project;
    }
};

QTEST_GUILESS_MAIN(TestForeignIndex)
#include "tst_foreign_index.moc"
