// SPDX-License-Identifier: Apache-2.0
#include "project/index/schema.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sqlite3.h>
#include <string>
#include <vector>

namespace sparserl {
namespace {

// Never edit a migration that has been released: add another. Data need not be carried over, since journals
// hold the truth: a migration that needs more than SQL empties the tables and lets the next update fill them.

constexpr const char* tables = R"sql(
CREATE TABLE matrix (
    name TEXT PRIMARY KEY, digest TEXT NOT NULL, split TEXT NOT NULL, class TEXT NOT NULL,
    attribution TEXT NOT NULL, source TEXT NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL,
    nnz INTEGER NOT NULL, features TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX matrix_digest ON matrix(digest);

CREATE TABLE run (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, stage TEXT NOT NULL,
    preset TEXT NOT NULL, algorithm TEXT NOT NULL, parent_run TEXT NOT NULL, parent_checkpoint TEXT NOT NULL,
    created REAL NOT NULL, gen INTEGER NOT NULL, position INTEGER NOT NULL, state TEXT NOT NULL,
    reason TEXT NOT NULL, updated REAL NOT NULL, step INTEGER NOT NULL, total_steps INTEGER NOT NULL,
    samples INTEGER NOT NULL, headline TEXT NOT NULL, headline_split TEXT NOT NULL, last_value REAL,
    spark BLOB NOT NULL);

CREATE TABLE metric (
    run INTEGER NOT NULL, name TEXT NOT NULL, split TEXT NOT NULL, step INTEGER NOT NULL,
    t REAL NOT NULL, value REAL, PRIMARY KEY (run, name, split, step)) WITHOUT ROWID;
CREATE TABLE metric_latest (
    run INTEGER NOT NULL, name TEXT NOT NULL, split TEXT NOT NULL, step INTEGER NOT NULL, value REAL,
    points INTEGER NOT NULL, PRIMARY KEY (run, name, split)) WITHOUT ROWID;

CREATE TABLE program (
    hash TEXT NOT NULL, run INTEGER NOT NULL, text BLOB NOT NULL, PRIMARY KEY (hash, run));
CREATE INDEX program_run ON program(run);

CREATE TABLE sample (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, step INTEGER NOT NULL, t REAL NOT NULL, program TEXT NOT NULL,
    matrix TEXT NOT NULL, matrix_name TEXT NOT NULL, origin TEXT NOT NULL, split TEXT NOT NULL,
    family TEXT NOT NULL, log_prob REAL, tokens INTEGER NOT NULL, reward REAL, parts TEXT NOT NULL,
    truncated INTEGER NOT NULL, repeated INTEGER NOT NULL, verdict TEXT, flags TEXT NOT NULL,
    message TEXT NOT NULL, speedup REAL NOT NULL, micros REAL NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID;
CREATE INDEX sample_program ON sample(run, program, matrix);
CREATE INDEX sample_hash ON sample(program);
CREATE INDEX sample_time ON sample(t, run, seq);
CREATE INDEX sample_speedup ON sample(speedup, run, seq);
CREATE INDEX sample_matrix ON sample(matrix, speedup);

CREATE TABLE verdict (
    run INTEGER NOT NULL, program TEXT NOT NULL, matrix TEXT NOT NULL, seq INTEGER NOT NULL,
    step INTEGER NOT NULL, t REAL NOT NULL, verdict TEXT NOT NULL, flags TEXT NOT NULL, message TEXT NOT NULL,
    speedup REAL NOT NULL, micros REAL NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY (run, program, matrix));

CREATE TABLE evaluation (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, step INTEGER NOT NULL, t REAL NOT NULL, policy TEXT NOT NULL,
    matrix TEXT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID;
CREATE TABLE checkpoint (
    run INTEGER NOT NULL, name TEXT NOT NULL, seq INTEGER NOT NULL, step INTEGER NOT NULL, t REAL NOT NULL,
    PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE control (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, step INTEGER NOT NULL, t REAL NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (run, seq)) WITHOUT ROWID;
CREATE TABLE annotation (
    target TEXT NOT NULL, key TEXT NOT NULL, note TEXT NOT NULL, tags TEXT NOT NULL, star INTEGER NOT NULL,
    pin INTEGER NOT NULL, archive INTEGER NOT NULL, PRIMARY KEY (target, key)) WITHOUT ROWID;
CREATE TABLE export (
    name TEXT PRIMARY KEY, program TEXT NOT NULL, matrix TEXT NOT NULL, run TEXT NOT NULL,
    created REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
)sql";

/// Log lines, why a matrix could not be read, and an index that answers the facets alone. Runs are read again
/// so that their old log lines appear.
constexpr const char* logs = R"sql(
CREATE TABLE log (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, step INTEGER NOT NULL, t REAL NOT NULL, level TEXT NOT NULL,
    text TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID;
ALTER TABLE matrix ADD COLUMN problem TEXT NOT NULL DEFAULT '';
CREATE INDEX sample_facets ON sample(verdict, matrix, run, family, flags, origin, split, matrix_name, repeated,
    program);
DROP INDEX sample_hash;
DELETE FROM run;
DELETE FROM metric;
DELETE FROM metric_latest;
DELETE FROM program;
DELETE FROM sample;
DELETE FROM verdict;
DELETE FROM evaluation;
DELETE FROM checkpoint;
DELETE FROM control;
DELETE FROM meta;
)sql";

/// Which runs lie over the charts of others, and in which colour.
constexpr const char* runColours = R"sql(
ALTER TABLE annotation ADD COLUMN colour INTEGER NOT NULL DEFAULT -1;
ALTER TABLE annotation ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
DELETE FROM meta WHERE key='annotations';
)sql";

/// What a program was judged on is a target: its digest and name as before, and the task it sets. Runs are
/// read again, so that samples of before have theirs too.
constexpr const char* targets = R"sql(
ALTER TABLE sample RENAME COLUMN matrix TO target;
ALTER TABLE sample RENAME COLUMN matrix_name TO target_name;
ALTER TABLE sample ADD COLUMN task TEXT NOT NULL DEFAULT 'spmv';
ALTER TABLE sample ADD COLUMN dense_columns INTEGER NOT NULL DEFAULT 1;
ALTER TABLE verdict RENAME COLUMN matrix TO target;
ALTER TABLE verdict ADD COLUMN task TEXT NOT NULL DEFAULT 'spmv';
ALTER TABLE verdict ADD COLUMN dense_columns INTEGER NOT NULL DEFAULT 1;
ALTER TABLE evaluation RENAME COLUMN matrix TO target;
ALTER TABLE export RENAME COLUMN matrix TO target;
DELETE FROM run;
DELETE FROM metric;
DELETE FROM metric_latest;
DELETE FROM program;
DELETE FROM sample;
DELETE FROM verdict;
DELETE FROM evaluation;
DELETE FROM checkpoint;
DELETE FROM control;
DELETE FROM log;
DELETE FROM meta;
)sql";

/// One index that answers filters, facets and every order of the candidates alone, in place of two that only
/// served the first rows of two orders.
constexpr const char* candidateOrder = R"sql(
DROP INDEX sample_facets;
DROP INDEX sample_time;
DROP INDEX sample_speedup;
CREATE INDEX sample_list ON sample(verdict, target, run, family, flags, origin, split, target_name, task, repeated,
    program, speedup, micros, reward, step, t, tokens);
)sql";

/// For which targets a program is in the SFT set: their keys, each between two commas.
constexpr const char* sftSet = R"sql(
ALTER TABLE annotation ADD COLUMN sft TEXT NOT NULL DEFAULT '';
DELETE FROM meta WHERE key='annotations';
)sql";

/// Wrong results that are NaN or infinite have the flag `not-finite` in lists (listedFlags() in
/// verdict/record.h); their records say so.
constexpr const char* notFinite = R"sql(
UPDATE verdict SET flags=iif(flags='', ',', flags)||'not-finite,'
    WHERE verdict='wrong-result' AND instr(flags, ',not-finite,')=0
    AND ifnull(json_extract(inflate(record), '$.wrong.got'), '') IN ('nan', 'inf', '-inf');
UPDATE sample SET flags=iif(flags='', ',', flags)||'not-finite,'
    WHERE verdict='wrong-result' AND instr(flags, ',not-finite,')=0
    AND EXISTS (SELECT 1 FROM verdict v WHERE v.run=sample.run AND v.program=sample.program
        AND v.target=sample.target AND v.dense_columns=sample.dense_columns AND instr(v.flags, ',not-finite,'));
)sql";

/// A verdict is of a whole target: a text that was judged for y = A x and for C = A B has two. Runs are read
/// again, for their journals hold what one of the two has replaced. `columns`: of B, of samples that do not
/// say them.
constexpr const char* verdictsOfTargets = R"sql(
ALTER TABLE run ADD COLUMN columns INTEGER NOT NULL DEFAULT 1;
DROP TABLE verdict;
CREATE TABLE verdict (
    run INTEGER NOT NULL, program TEXT NOT NULL, target TEXT NOT NULL, dense_columns INTEGER NOT NULL,
    seq INTEGER NOT NULL, step INTEGER NOT NULL, t REAL NOT NULL, verdict TEXT NOT NULL, flags TEXT NOT NULL,
    message TEXT NOT NULL, speedup REAL NOT NULL, micros REAL NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY (run, program, target, dense_columns));
DROP INDEX sample_program;
CREATE INDEX sample_program ON sample(run, program, target, dense_columns);
DELETE FROM run;
DELETE FROM metric;
DELETE FROM metric_latest;
DELETE FROM program;
DELETE FROM sample;
DELETE FROM evaluation;
DELETE FROM checkpoint;
DELETE FROM control;
DELETE FROM log;
DELETE FROM meta;
)sql";

/// Samples and verdicts name their target by its key (TargetId::key()) alone: whatever will tell targets
/// apart is in it. Runs are read again.
constexpr const char* targetKeys = R"sql(
DROP INDEX sample_program;
ALTER TABLE sample DROP COLUMN dense_columns;
ALTER TABLE sample ADD COLUMN target_key TEXT NOT NULL DEFAULT '';
CREATE INDEX sample_program ON sample(run, program, target_key);
DROP TABLE verdict;
CREATE TABLE verdict (
    run INTEGER NOT NULL, program TEXT NOT NULL, target_key TEXT NOT NULL, seq INTEGER NOT NULL,
    step INTEGER NOT NULL, t REAL NOT NULL, verdict TEXT NOT NULL, flags TEXT NOT NULL, message TEXT NOT NULL,
    speedup REAL NOT NULL, micros REAL NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY (run, program, target_key));
DELETE FROM run;
DELETE FROM metric;
DELETE FROM metric_latest;
DELETE FROM program;
DELETE FROM sample;
DELETE FROM evaluation;
DELETE FROM checkpoint;
DELETE FROM control;
DELETE FROM log;
DELETE FROM meta;
)sql";

/// Programs, samples and verdicts of a long journal are read behind the rest: `candidates` is as far as they
/// were. A run that learns from texts shows its loss, whatever it evaluates in between: one that showed
/// something else has no split for a moment, by which the next update sees it.
constexpr const char* candidatesLater = R"sql(
ALTER TABLE run ADD COLUMN candidates INTEGER NOT NULL DEFAULT 0;
UPDATE run SET candidates=position;
UPDATE run SET headline_split='' WHERE stage NOT IN ('rl', 'evaluate', '') AND headline NOT IN ('', 'loss');
)sql";

/// How a search came to a program: JSON as in the journal, empty for all other samples.
constexpr const char* proposals = R"sql(
ALTER TABLE sample ADD COLUMN proposal TEXT NOT NULL DEFAULT '';
)sql";

/// A number of each program, from 1 on without gaps, by which lists tell programs apart. In the index that
/// answers lists it stands for the hash, which is ten times as long.
constexpr const char* programNumbers = R"sql(
CREATE TABLE program_number (number INTEGER PRIMARY KEY, program TEXT NOT NULL UNIQUE);
INSERT INTO program_number (program) SELECT DISTINCT program FROM sample ORDER BY program;
DROP INDEX sample_list;
ALTER TABLE sample ADD COLUMN program_number INTEGER NOT NULL DEFAULT 0;
UPDATE sample SET program_number=(SELECT n.number FROM program_number n WHERE n.program=sample.program);
CREATE INDEX sample_list ON sample(verdict, target, run, family, flags, origin, split, target_name, task, repeated,
    program_number, speedup, micros, reward, step, t, tokens);
)sql";

/// The advantages of the tokens of samples on which a policy was trained: JSON as in the journal, compressed.
/// A table of its own, as lists of samples never need them.
constexpr const char* advantages = R"sql(
CREATE TABLE advantage (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, runs BLOB NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID;
)sql";

constexpr std::array<const char*, 13> migrations{
    tables,    logs,           runColours,        targets,    candidateOrder,
    sftSet,    notFinite,      verdictsOfTargets, targetKeys, candidatesLater,
    proposals, programNumbers, advantages};

/// What a database consists of. Blanks and quotes are SQLite's own, which differ between its versions.
std::vector<std::string> partsOf(const sql::Database& db)
{
    std::vector<std::string> parts;
    auto rows = db.prepare("SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema");
    while (rows.step()) {
        std::string part;
        for (int column = 0; column < 4; ++column) {
            for (const char c : rows.text(column))
                if (c != ' ' && c != '\n' && c != '\t' && c != '"')
                    part += c;
            part += '\n';
        }
        parts.push_back(std::move(part));
    }
    std::sort(parts.begin(), parts.end());
    return parts;
}

} // namespace

int schemaVersion()
{
    return static_cast<int>(migrations.size());
}

NewerSchema::NewerSchema(int found)
    : std::runtime_error(
          fmt::format("the index has version {}, this program knows {}", found, schemaVersion()))
    , version(found)
{
}

void migrate(sql::Database& db)
{
    if (const auto found = db.integer("PRAGMA user_version"); found < 0 || found > plausibleVersion)
        throw sql::Fault(SQLITE_CORRUPT, "the version of the index is damaged");
    else if (found > schemaVersion())
        throw NewerSchema(static_cast<int>(found));
    else if (found == schemaVersion())
        return;
    sql::Transaction transaction(db);
    for (auto version = db.integer("PRAGMA user_version"); version < schemaVersion(); ++version) {
        db.execute(migrations[static_cast<std::size_t>(version)]);
        db.execute(fmt::format("PRAGMA user_version={}", version + 1));
    }
    transaction.commit();
}

void checkSchema(const sql::Database& db)
{
    static const std::vector<std::string> wanted = [] {
        auto own = sql::Database::inMemory();
        migrate(own);
        return partsOf(own);
    }();
    if (partsOf(db) != wanted)
        throw sql::Fault(SQLITE_CORRUPT, "its tables are not those of an index");
}

} // namespace sparserl
