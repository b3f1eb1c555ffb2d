// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/large_project.h"

#include "base/hash.h"
#include "project/files/project.h"
#include "project/index/index.h"
#include "project/run/run_directory.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <string>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr int runs = 1000;

/// Of run 1 the index gets a program, a sample and a verdict by the usual way: the rows made by SQL copy what
/// is in none of their columns.
Status writeRun(const fs::path& path, bool first)
{
    RunConfig config;
    config.stage = "rl";
    SPARSERL_TRY(auto run, RunDirectory::create(path, config));
    SPARSERL_TRY(auto session, run.beginWork());
    JournalWriter& journal = session.journal();
    SPARSERL_CHECK(journal.append(0, StateEvent{RunState::Running, {}, 1000}));
    MetricEvent metric;
    metric.values["reward"] = 0.5;
    SPARSERL_CHECK(journal.append(1000, metric));
    if (first) {
        const std::string text = "//! task spmv\n// a program of the large project\n" + std::string(600, 'x');
        SampleEvent sample;
        sample.programHash = sha256Hex(text);
        sample.target.contents = sha256Hex("m0");
        sample.target.name = "m0";
        sample.family = "S1";
        VerdictRecord record;
        record.programHash = sample.programHash;
        record.target = sample.target;
        record.verdict = Verdict::Correct;
        record.baselineMicroseconds = 10;
        record.warm = Timing{5, 1, 2, 9};
        SPARSERL_CHECK(journal.appendProgram(1, sample.programHash, text));
        SPARSERL_CHECK(journal.append(1, sample));
        SPARSERL_CHECK(journal.append(1, VerdictEvent{record}));
    }
    return journal.append(1000, StateEvent{RunState::Done, {}, 1000});
}

// abs(random()) would differ from one making to the next: a multiplication mixes well enough.
constexpr const char* bulk = R"sql(
PRAGMA journal_mode=OFF;
PRAGMA synchronous=OFF;
PRAGMA cache_size=-500000;
BEGIN;
CREATE TEMP TABLE n1000 AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<999) SELECT i FROM n;
CREATE TEMP TABLE names(name TEXT);
INSERT INTO names VALUES ('actor/entropy'),('actor/grad_norm'),('actor/lr'),('actor/pg_loss'),('actor/ppo_kl'),
    ('critic/vf_loss'),('reward'),('reward/compile_rate'),('reward/correct_rate'),('timing/step');
DELETE FROM metric;
DELETE FROM metric_latest;
INSERT INTO metric SELECT r.id, m.name, 'train', n.i+1, r.created+n.i,
    ((r.rowid*7919+n.i*104729) % 1000003)/1000003.0 - n.i/2000.0
    FROM (SELECT id, created FROM run ORDER BY id) AS r0 JOIN run r ON r.id=r0.id, names m, n1000 n;
INSERT INTO metric_latest SELECT id, m.name, 'train', 1000, 0.25, 1000 FROM run, names m;

CREATE TEMP TABLE model AS SELECT p.text, v.record FROM program p, verdict v LIMIT 1;
CREATE TEMP TABLE run_number AS SELECT id, created, row_number() OVER (ORDER BY name)-1 AS i FROM run;
DROP INDEX sample_list;
DROP INDEX sample_program;
DROP INDEX sample_matrix;
DROP INDEX program_run;
DELETE FROM program;
DELETE FROM program_number;
DELETE FROM sample;
DELETE FROM verdict;
CREATE TEMP TABLE made AS SELECT r.id AS run, n.i AS seq, r.created+n.i AS t, (r.i*1000+n.i) AS k,
    printf('%016x%016x%016x%016x', (r.i*1000+n.i)*2654435761, (r.i*1000+n.i)*40503, r.i, n.i) AS hash,
    ((r.i*1000+n.i)*2654435761) % 1000003 AS mixed FROM run_number r, n1000 n;
INSERT INTO program SELECT hash, run, text FROM made, model ORDER BY hash;
INSERT INTO program_number SELECT k+1, hash FROM made ORDER BY k;
INSERT INTO sample (run, seq, step, t, program, target, target_name, origin, split, family, log_prob, tokens, reward,
    parts, truncated, repeated, verdict, flags, message, speedup, micros, task, target_key, program_number)
    SELECT run, seq+10, seq+1, t, hash, printf('%064x', mixed % 40), printf('m%d', mixed % 40),
    'policy', 'train', printf('S%d', mixed % 15), -1.5, 200+mixed % 90, mixed/1000003.0, '{}', 0, 0,
    CASE mixed % 5 WHEN 0 THEN 'wrong-result' WHEN 1 THEN 'compile-error' ELSE 'correct' END, '', '',
    CASE WHEN mixed % 5 > 1 THEN 0.5+mixed/1000003.0 ELSE 0 END,
    CASE WHEN mixed % 5 > 1 THEN 3+mixed % 17 ELSE 0 END, 'spmv', printf('%064x', mixed % 40), k+1 FROM made
    ORDER BY run, seq;
INSERT INTO verdict SELECT run, program, target_key, seq, step, t, verdict, flags, message, speedup, micros, record
    FROM sample, model;
UPDATE run SET samples=1000, step=1000;
)sql";

Status fillIndex(const fs::path& file)
{
    sqlite3* db = nullptr;
    char* message = nullptr;
    sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr);
    // The indexes that are dropped come back as the schema has them.
    std::string again;
    const auto keep = [](void* text, int, char** values, char**) {
        *static_cast<std::string*>(text) += std::string(values[0]) + ";\n";
        return 0;
    };
    int code =
        sqlite3_exec(db,
                     "SELECT sql FROM sqlite_master WHERE type='index' AND sql IS NOT NULL AND name IN "
                     "('sample_list','sample_program','sample_matrix','program_run')",
                     keep, &again, &message);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, bulk, nullptr, nullptr, &message);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, (again + "COMMIT;").c_str(), nullptr, nullptr, &message);
    const std::string why = message ? message : "";
    sqlite3_free(message);
    sqlite3_close(db);
    if (code != SQLITE_OK)
        return fail("the index cannot be filled: " + why, "Look at the statements of large_project.cpp");
    return {};
}

} // namespace

Status makeLargeProject(const fs::path& path)
{
    if (fs::exists(path))
        return {};
    const fs::path fresh = path.string() + ".new";
    fs::remove_all(fresh);
    SPARSERL_TRY(auto project, Project::create(fresh, "A thousand runs"));
    for (int size = 16; size <= 64; size += 16) {
        AddMatrixOptions options;
        options.name = fmt::format("stencil{}", size);
        SPARSERL_TRY(auto added, project.addGenerated(fmt::format("stencil2d(n={})", size), options));
        (void)added;
    }
    for (int run = 0; run < runs; ++run)
        SPARSERL_CHECK(writeRun(fresh / "runs" / fmt::format("{:04}-rl", run + 1), run == 0));
    {
        SPARSERL_TRY(auto indexer, Indexer::open(fresh));
        SPARSERL_TRY(auto update, indexer.update());
        (void)update;
    }
    SPARSERL_CHECK(fillIndex(fresh / "project.sqlite"));
    fs::rename(fresh, path);
    return {};
}

} // namespace sparserl
