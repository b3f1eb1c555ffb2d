// SPDX-License-Identifier: Apache-2.0
#include "export/run_export.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/free_name.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/new_place.h"
#include "base/source_name.h"
#include "base/time.h"
#include "base/trust.h"
#include "export/exported.h"
#include "export/gated_ptx.h"
#include "kernel/bundle.h"
#include "project/files/project.h"
#include "project/files/run_files.h"
#include "project/files/verifications.h"
#include "project/run/journal.h"
#include "project/run/run_directory.h"
#include "project/run/written_programs.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace sparserl {

namespace {

bool startsWith(const std::string& text, const std::string& prefix)
{
    return text.compare(0, prefix.size(), prefix) == 0;
}

/// The better evidence for exporting: correct, then the larger speed-up, then the shorter time.
bool better(const VerdictRecord& a, const VerdictRecord& b)
{
    if (a.speedup() != b.speedup())
        return a.speedup() > b.speedup();
    const double ta = a.warm ? a.warm->median : 1e300;
    const double tb = b.warm ? b.warm->median : 1e300;
    return ta < tb;
}

struct Chosen
{
    VerdictRecord record;
    std::string text;
};

/// The newest verdict of a program on a target, and when it fell.
struct Newest
{
    VerdictRecord record;
    double t = 0;
};

/// A project's folder stands for the programs that were written outside of its runs.
bool isProject(const std::filesystem::path& folder)
{
    return glance(folder / "project.toml").exists && !glance(folder / runFile).exists;
}

Result<Chosen> choose(const ExportRequest& request, const std::filesystem::path& project)
{
    std::map<std::string, std::string> texts;
    std::map<std::pair<std::string, std::string>, Newest> verdicts; // The last one counts.
    std::set<std::pair<std::string, std::string>> samples;          // Judged or not.
    const auto visit = [&](JournalEntry&& entry) {
        if (auto* program = std::get_if<ProgramEvent>(&entry.event))
            texts[program->hash] = std::move(program->text);
        else if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
            samples.emplace(sample->programHash, sample->target.key());
        else if (auto* verdict = std::get_if<VerdictEvent>(&entry.event)) {
            Newest& newest = verdicts[{verdict->record.programHash, verdict->record.target.key()}];
            newest = {std::move(verdict->record), entry.t};
        }
    };
    const auto restart = [&] {
        texts.clear();
        verdicts.clear();
        samples.clear();
    };
    if (isProject(request.run)) {
        SPARSERL_TRY(auto written, readWrittenPrograms(project));
        for (WrittenProgram& one : written) {
            const std::string hash = sha256Hex(one.text);
            texts[hash] = std::move(one.text);
            samples.emplace(hash, one.target.key());
            if (one.record)
                verdicts[{hash, one.target.key()}] = {std::move(*one.record), one.t};
        }
    } else {
        SPARSERL_CHECK(visitJournal(request.run, visit, restart));
    }
    // What somebody had judged again counts like a later verdict of the run.
    SPARSERL_TRY(auto again, readVerifications(project));
    for (Verification& one : again) {
        const std::pair key{one.record.programHash, one.record.target.key()};
        if (!samples.contains(key) && !verdicts.contains(key))
            continue;
        const auto [at, isFirst] = verdicts.try_emplace(key);
        if (isFirst || one.t >= at->second.t)
            at->second = {std::move(one.record), one.t};
    }
    const VerdictRecord* best = nullptr;
    bool known = request.program.empty(), unmeasured = false;
    for (const auto& [key, newest] : verdicts) {
        const VerdictRecord& record = newest.record;
        if (!startsWith(key.first, request.program))
            continue;
        known = true;
        const bool wanted = request.matrix.empty() || request.matrix == record.target.name ||
                            startsWith(record.target.contents, request.matrix);
        const bool doubtful = record.flags.has(VerdictFlag::Suspicious);
        if (doubtful && request.program.empty())
            continue;
        if (!wanted || !record.correct() || texts.count(key.first) == 0 ||
            (request.columns > 0 && request.columns != record.target.variant.columns))
            continue;
        if (record.flags.has(VerdictFlag::NotMeasured)) // what was paid for it is no evidence
            unmeasured = true;
        else if (!best || better(record, *best))
            best = &record;
    }
    const std::string where = request.run.string();
    const bool run = !isProject(request.run);
    const char* holder = run ? "the run has" : "outside of its runs, the project has";
    if (!known)
        return failAt(where, 0, fmt::format("{} no judged program {}", holder, request.program),
                      run ? "list the candidates of the run, or leave the program out to export its best"
                          : "a run's programs are exported with --run RUN");
    if (!best && unmeasured)
        return failAt(where, 0, "the run has predicted the time of the program and never measured it",
                      "have it judged again (Kernels, Verify again), or choose another one");
    if (!best)
        return failAt(where, 0,
                      request.matrix.empty()
                          ? fmt::format("{} no correct program to export", holder)
                          : fmt::format("{} no correct program for the matrix '{}'", holder, request.matrix),
                      run ? "train longer, or choose another program or matrix"
                          : "choose another program or matrix");
    return Chosen{*best, texts.at(best->programHash)};
}

/// The project whose matrices the run used and whose folder `exports` gets the bundle. A run that lies
/// elsewhere names it in its run.toml, which may come from anybody: nothing is written to a project that does
/// not hold the run.
Result<Project> projectOf(const RunDirectory& run, const ExportRequest& request)
{
    const std::string& named = run.config().project;
    SPARSERL_TRY(auto project, named.empty() ? Project::find(request.run) : Project::open(named));
    SPARSERL_CHECK(requireTrust(project.path()));
    std::error_code code;
    const auto runs = std::filesystem::weakly_canonical(project.runsPath(), code);
    if (request.out.empty() && std::filesystem::weakly_canonical(run.path(), code).parent_path() != runs)
        return failAt(
            run.path().string(), 0,
            fmt::format("the run does not lie in the project that it names, {}", project.path().string()),
            "Say with --out DIR where the bundle should go");
    return project;
}

} // namespace

Result<ExportOutcome> exportFromRun(const ExportRequest& request)
{
    SPARSERL_CHECK(checkNewFolder(request.out)); // before anything is compiled
    std::optional<RunDirectory> run;
    if (!isProject(request.run)) {
        SPARSERL_TRY(auto opened, RunDirectory::open(request.run));
        run = std::move(opened);
    }
    SPARSERL_CHECK(requireTrust(request.run));
    SPARSERL_TRY(auto project, run ? projectOf(*run, request) : Project::open(request.run));
    SPARSERL_TRY(const auto chosen, choose(request, project.path()));
    const VerdictRecord& record = chosen.record;

    const bool single = record.target.variant.type == ElementType::F32;
    SPARSERL_TRY(const auto matrix, project.loadByDigest(record.target.contents, !single));
    if (!single && doublesDigest(*matrix) != record.target.values)
        return failAt(request.run.string(), 0,
                      fmt::format("the matrix {} does not have the doubles that the program was judged with",
                                  record.target.name),
                      "import its file again, or have the program judged again");
    auto program = parseProgram(chosen.text);
    if (!program)
        return failAt(request.run.string(), 0,
                      "the program of the run is damaged: " + program.error().reason);

    BundleRequest bundle;
    bundle.program = std::move(*program);
    bundle.matrix = matrix.get();
    bundle.target = record.target;
    if (const MatrixEntry* entry = project.matrixByDigest(record.target.contents))
        bundle.matrixAttribution =
            entry->attribution.empty() && !entry->generator.empty()
                ? "made by SparseRL Workbench's generator " + entry->generator + "; nobody else's"
                : entry->attribution;
    bundle.evidence = toJson(record);
    if (run) {
        bundle.run = run->name();
        bundle.checkpoint = run->config().parentCheckpoint;
    }
    bundle.created = unixSeconds();
    bundle.licence = request.licence;
    SPARSERL_TRY(auto code, compileForBundle(bundle.program, request.runner));
    SPARSERL_CHECK(checkVerified(code, record.ptxHash));
    bundle.code = std::move(code);
    auto out = request.out;
    if (out.empty()) {
        const std::string name =
            fmt::format("{}-{}", copyName(record.target.name), record.programHash.substr(0, 12));
        SPARSERL_TRY(const auto contents, bundleContents(bundle));
        // The same one from an earlier call is as good as a new one; another one stays as it is.
        out = project.exportsPath() / firstFree(name, [&](const std::string& one) {
                  const auto place = project.exportsPath() / one;
                  return glance(place).exists && !holdsBundle(place, contents);
              });
        if (glance(out).exists)
            return ExportOutcome{out, record};
    }
    SPARSERL_CHECK(writeBundle(out, bundle));
    return ExportOutcome{out, record};
}

} // namespace sparserl
