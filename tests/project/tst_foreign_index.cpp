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

    void soundOnesStay()
    {
        const auto dir = must(TempDir::create());
        const fs::path project = makeProject(dir.path());
        QVERIFY(!must(Indexer::open(project)).wasRebuilt());
        QVERIFY(!fs::exists(project / "project.sqlite.broken-1"));
    }

private:
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
