// SPDX-License-Identifier: Apache-2.0
#include "tests/widgets/fixture_project.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "project/run/heartbeat.h"
#include "project/run/journal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace sparserl::test {

namespace {

#define TRY(expression)                                                                                      \
    if (auto status = (expression); !status)                                                                 \
    return fail(status.error())

struct MatrixSpec
{
    const char *name, *generator, *split, *matrixClass;
};
constexpr MatrixSpec matrices[] = {
    {"poisson2d", "stencil2d(n=64)", "train", "stencil"},
    {"heat3d", "stencil3d(n=16)", "train", "stencil"},
    {"band-wide", "banded", "train", "banded"},
    {"plate-fem", "blockfem", "train", "fem"},
    {"social", "rmat", "train", "power-law"},
    {"lp-blend", "lp", "train", "optimisation"},
    {"pruned-mlp", "pruned", "held-out", "pruned layer"},
    {"scatter", "random", "held-out", "random"},
    {"social-2", "rmat(seed=7)", "held-out", "power-law"},
    {"plate-fem-2", "blockfem(seed=9)", "held-out", "fem"},
};

// Counters as a CSR kernel has them: hot inner loop, cool frame.
std::vector<LineCounters> countersFor(const std::string& text, Rng& rng)
{
    std::vector<LineCounters> lines;
    std::istringstream in(text);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        if (line.rfind("//", 0) == 0 || line.size() < 6 || line.find("extern") != std::string::npos)
            continue;
        LineCounters c;
        c.line = number;
        const bool inner = line.find("+=") != std::string::npos || line.find("fma") != std::string::npos;
        const bool loop = line.find("for") != std::string::npos || line.find("while") != std::string::npos;
        const double base = inner ? 52000 : loop ? 21000 : 1800;
        c.warpInstructions = static_cast<std::int64_t>(base * (0.6 + rng.uniform()));
        c.threadInstructions = static_cast<std::int64_t>(static_cast<double>(c.warpInstructions) * 32 *
                                                         (0.55 + 0.4 * rng.uniform()));
        if (inner) {
            c.globalSectors = 91000;
            c.l1Hits = 41000;
            c.l2Hits = 38000;
            c.dramSectors = 12000;
        }
        if (loop)
            c.divergentBranches = 1400;
        lines.push_back(c);
    }
    return lines;
}

VerdictRecord verdictFor(Verdict verdict, const std::string& hash, const LoadedMatrix& matrix,
                         const std::string& text, Rng& rng)
{
    VerdictRecord r;
    r.programHash = hash;
    r.ptxHash = sha256Hex(hash);
    r.target.contents = matrix.digest;
    r.target.name = matrix.name;
    r.device = "simulated h200";
    r.verdict = verdict;
    r.seed = 20260101;
    r.judgeSeconds = 0.4;
    if (isCompiled(verdict)) {
        r.registers = 24 + static_cast<int>(rng.below(20));
        r.staticShared = 1024;
        r.occupancy = 0.75;
        r.occupancyLimiter = "registers";
        r.lines = countersFor(text, rng);
        r.log = "program.cu(9): warning #177-D: variable \"lane\" was declared but never referenced\n";
    }
    const int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    switch (verdict) {
    case Verdict::Correct: {
        const double baseline = 6 + static_cast<double>(matrix.matrix->nnz()) / 4000;
        const double speedup = std::exp(0.55 * rng.normal() + 0.12);
        const double t = baseline / speedup;
        r.warm = Timing{t, t * 0.98, t * 1.03, 15};
        r.cold = Timing{t * 1.6, t * 1.55, t * 1.7, 15};
        r.setupMicroseconds = 40 * rng.uniform();
        r.baselineName = "reference CSR program";
        r.baselineAlgorithm = "one thread per row";
        r.baselineMicroseconds = baseline;
        r.compulsoryBytes = 8 * matrix.matrix->nnz() + 8 * matrix.matrix->rows;
        r.shareOfLimit = std::min(0.93, 0.34 * speedup);
        if (speedup < 1)
            r.flags.add(VerdictFlag::SlowerThanBaseline);
        break;
    }
    case Verdict::WrongResult:
        r.message = "The result is wrong from row 17 on";
        r.wrong = WrongElement{17, 0, 3.1415926, 2.7182817, 4.2e-6};
        r.batteryCase = "empty rows";
        break;
    case Verdict::OutOfBounds:
        r.message = "A load of 4 bytes at index 4096 of col is out of bounds: it has 4096 elements";
        r.line = std::max(1, lines - 6);
        r.block = {{12, 0, 0}};
        r.thread = {{31, 0, 0}};
        break;
    case Verdict::CompileError:
        r.message = "program.cu(11): identifier \"rowptr\" is undefined";
        r.log =
            "program.cu(11): error: identifier \"rowptr\" is undefined\n      for (int k = rowptr[r]; k < "
            "row_ptr[r "
            "+ 1]; ++k)\n                   ^\n\n1 error detected in the compilation of \"program.cu\".\n";
        r.line = std::min(11, lines);
        break;
    case Verdict::PlanError:
        r.message = "\"sell.wdth\" is not a name of the plan";
        r.line = 2;
        break;
    default:
        r.message = "The program did not end within its budget of 50,000,000 steps";
        break;
    }
    return r;
}

Verdict drawVerdict(double progress, Rng& rng)
{
    const double u = rng.uniform(), correct = 0.35 + 0.45 * progress;
    if (u < correct)
        return Verdict::Correct;
    const Verdict others[] = {Verdict::WrongResult,  Verdict::WrongResult,  Verdict::OutOfBounds,
                              Verdict::CompileError, Verdict::CompileError, Verdict::StoppedEarly,
                              Verdict::PlanError,    Verdict::Timeout};
    return others[rng.below(std::size(others))];
}

class Writer
{
public:
    Writer(JournalWriter& journal, const std::vector<LoadedMatrix>& library, std::uint64_t seed)
        : m_journal(journal)
        , m_library(library)
        , m_rng(seed)
    {
    }

    Status state(std::int64_t step, RunState state, std::int64_t total, const std::string& reason = {})
    {
        return m_journal.append(step, StateEvent{state, reason, total});
    }
    Status metrics(std::int64_t step, const std::string& split, std::map<std::string, double> values)
    {
        return m_journal.append(step, MetricEvent{split, std::move(values)});
    }
    Status log(std::int64_t step, const std::string& text, const std::string& level = "info")
    {
        return m_journal.append(step, LogEvent{level, text});
    }
    Status checkpoint(RunDirectory& run, std::int64_t step)
    {
        auto pending = run.beginCheckpoint(step);
        if (!pending)
            return fail(pending.error());
        TRY(writeFileAtomic(pending->directory() / "config.json", "{}\n"));
        TRY(writeFileAtomic(pending->directory() / "model.safetensors", "no weights\n"));
        auto committed = pending->commit(m_journal);
        return committed ? Status() : Status(fail(committed.error()));
    }

    Status sample(std::int64_t step, double progress, const LoadedMatrix& matrix, const std::string& split)
    {
        SampleOptions options;
        auto program = sampleProgram(Task::SpMV, options, m_rng);
        if (!program)
            return fail(program.error());
        const std::string hash = sha256Hex(program->text);
        TRY(m_journal.appendProgram(step, hash, program->text));
        const Verdict verdict = drawVerdict(progress, m_rng);
        const VerdictRecord record = verdictFor(verdict, hash, matrix, program->text, m_rng);
        SampleEvent event;
        event.programHash = hash;
        event.target.contents = matrix.digest;
        event.target.name = matrix.name;
        event.split = split;
        event.family = verdict == Verdict::Correct ? program->family : "";
        event.logProb = -40 - 20 * m_rng.uniform();
        event.tokens = 120 + static_cast<std::int64_t>(m_rng.below(110));
        event.reward = verdict == Verdict::Correct ? 1 + 0.3 * std::log(std::max(0.1, record.speedup()))
                       : isCompiled(verdict)       ? -0.1
                                                   : -1;
        if (split == split::train) { // as with an advantage each for plan and code
            const auto plan =
                static_cast<std::int64_t>(program->text.find('\n', program->text.rfind("//!"))) + 1;
            const auto all = static_cast<std::int64_t>(program->text.size());
            event.advantages = {{plan, 0.5 * event.reward + 0.25}, {all - plan, event.reward - 0.5}};
        }
        TRY(m_journal.append(step, event));
        return m_journal.append(step, VerdictEvent{record});
    }

    Status evaluation(std::int64_t step, const std::string& policy, const LoadedMatrix& matrix,
                      double quality)
    {
        EvaluationEvent e;
        e.policy = policy;
        e.target.contents = matrix.digest;
        e.target.name = matrix.name;
        e.nnz = matrix.matrix->nnz();
        e.samples = 20;
        e.compiled = 15 + static_cast<std::int64_t>(5 * quality);
        e.correct = std::min<std::int64_t>(
            e.compiled, static_cast<std::int64_t>(20 * quality * (0.7 + 0.4 * m_rng.uniform())));
        e.faster = e.correct / 2;
        e.baselineMicroseconds = 6 + static_cast<double>(e.nnz) / 4000;
        e.bestMicroseconds =
            e.correct > 0 ? e.baselineMicroseconds / (0.9 + quality * m_rng.uniform() * 1.4) : 0;
        e.families = {"S2", "S3"};
        e.meanReward = quality;
        return m_journal.append(step, e);
    }

    Rng& rng() { return m_rng; }
    const std::vector<LoadedMatrix>& library() const { return m_library; }

private:
    JournalWriter& m_journal;
    const std::vector<LoadedMatrix>& m_library;
    Rng m_rng;
};

std::map<std::string, double> rlMetrics(double progress, Rng& rng)
{
    const auto noise = [&](double s) { return s * rng.normal(); };
    return {{"reward", -0.35 + 1.15 * (1 - std::exp(-3 * progress)) + noise(0.05)},
            {"actor/ppo_kl", 0.004 + 0.003 * progress + std::abs(noise(0.001))},
            {"objective/kl", 0.002 + 0.05 * progress + std::abs(noise(0.003))},
            {"kl/sft_k1", 0.0004 + 0.002 * progress},
            {"actor/entropy", 0.62 * std::exp(-1.1 * progress) + 0.11 + noise(0.01)},
            {"critic/vf_loss", 0.31 * std::exp(-3.5 * progress) + 0.04 + std::abs(noise(0.01))},
            {"actor/pg_clipfrac", 0.08 + noise(0.01)},
            {"actor/grad_norm", 0.9 + noise(0.1)},
            {"kernel/compile_rate", std::min(1.0, 0.72 + 0.24 * progress + noise(0.02))},
            {"kernel/correct_rate", std::min(1.0, 0.38 + 0.42 * progress + noise(0.03))},
            {"timing_s/sampling", 1.9 + noise(0.1)},
            {"timing_s/execution", 2.6 + noise(0.2)}};
}

Status writeSft(RunDirectory& run, RunSession& session, const std::vector<LoadedMatrix>& library)
{
    Writer w(session.journal(), library, 1);
    TRY(w.state(0, RunState::Running, 400));
    TRY(w.log(0, "116 corpus programs were judged, 112 are correct and make the SFT data"));
    for (int step = 1; step <= 400; ++step) {
        const double p = step / 400.0;
        TRY(w.metrics(step, "train",
                      {{"loss", 0.24 + 3.4 * std::exp(-7 * p) + 0.03 * w.rng().normal()},
                       {"actor/lr", 2e-3 * std::min(1.0, step / 20.0) * (1 - 0.9 * p)},
                       {"actor/grad_norm", 0.6 + 0.1 * w.rng().normal()}}));
        if (step % 50 == 0) {
            TRY(w.metrics(step, "held-out",
                          {{"loss", 0.31 + 3.2 * std::exp(-6.5 * p)},
                           {"kernel/compile_rate", 0.2 + 0.6 * p},
                           {"kernel/correct_rate", 0.05 + 0.5 * p},
                           {"reward", -0.9 + 0.9 * p}}));
            for (std::size_t m = 6; m < library.size(); ++m)
                TRY(w.sample(step, p * 0.4, library[m], "held-out"));
            TRY(w.log(step, "held-out evaluation"));
        }
    }
    TRY(w.checkpoint(run, 400));
    for (std::size_t m = 6; m < library.size(); ++m)
        TRY(w.evaluation(400, "sft", library[m], 0.5));
    return w.state(400, RunState::Done, 400);
}

Status writeRl(RunDirectory& run, RunSession& session, const std::vector<LoadedMatrix>& library, int until,
               int total, std::uint64_t seed, bool troubled)
{
    Writer w(session.journal(), library, seed);
    TRY(w.state(0, RunState::Running, total));
    TRY(w.log(0, "critic initialised from the policy"));
    for (int step = 1; step <= until; ++step) {
        const double p = static_cast<double>(step) / total;
        auto values = rlMetrics(p, w.rng());
        if (troubled && step == until / 3)
            values["actor/ppo_kl"] = 0.094; // a spike of one step
        if (troubled && step == until / 2)
            values["critic/vf_loss"] = std::nan("");
        TRY(w.metrics(step, "train", values));
        if (step % 5 == 0) {
            auto held = rlMetrics(p * 0.85, w.rng());
            TRY(w.metrics(step, "held-out",
                          {{"reward", held["reward"] - 0.08},
                           {"objective/kl", held["objective/kl"]},
                           {"kl/sft_k1", held["kl/sft_k1"]},
                           {"actor/entropy", held["actor/entropy"]},
                           {"kernel/compile_rate", held["kernel/compile_rate"]},
                           {"kernel/correct_rate", held["kernel/correct_rate"]}}));
        }
        for (int i = 0; i < 6; ++i)
            TRY(w.sample(step, p, library[w.rng().below(library.size())], i < 4 ? "train" : "held-out"));
        if (step == until * 2 / 3) {
            ControlEvent control;
            control.id = "c1";
            control.command = "set";
            control.key = "rl.entropy_coef";
            control.value = "0.005";
            control.effectiveStep = step;
            TRY(session.journal().append(step, control));
        }
        if (step % 20 == 0)
            TRY(w.checkpoint(run, step));
    }
    return {};
}

RunConfig config(const std::string& stage, const std::string& title, const std::string& preset,
                 const std::string& parent = {})
{
    RunConfig c;
    c.stage = stage;
    c.title = title;
    c.preset = preset;
    c.parentRun = parent;
    if (!parent.empty())
        c.parentCheckpoint = "runs/" + parent + "/checkpoints/step-000400";
    if (stage == "rl")
        c.parameters = {{"rl.algorithm", std::string("ppo")},
                        {"rl.kl_coef", 0.05},
                        {"rl.entropy_coef", 0.02},
                        {"rl.samples", std::int64_t(8)}};
    else if (stage == "sft")
        c.parameters = {{"sft.lr", 2e-3}, {"sft.steps", std::int64_t(400)}};
    return c;
}

struct Opened
{
    RunDirectory directory;
    std::unique_ptr<RunSession> session;
};

Result<Opened> begin(const Project& project, const std::string& name, const RunConfig& c)
{
    auto directory = RunDirectory::create(project.runsPath() / name, c);
    if (!directory)
        return fail(directory.error());
    auto session = directory->beginWork();
    if (!session)
        return fail(session.error());
    return Opened{std::move(*directory), std::make_unique<RunSession>(std::move(*session))};
}

} // namespace

Result<LiveRuns> makeProject(const std::filesystem::path& path)
{
    LiveRuns live;
    auto project = Project::create(path, "Demonstration");
    if (!project)
        return fail(project.error());
    for (const MatrixSpec& m : matrices) {
        AddMatrixOptions options;
        options.name = m.name;
        options.split = m.split;
        options.matrixClass = m.matrixClass;
        if (auto added = project->addGenerated(m.generator, options); !added)
            return fail(added.error());
    }
    auto library = project->loadSplit("");
    if (!library)
        return fail(library.error());

    auto sft = begin(*project, "0001-sft", config("sft", "Fine-tuning", "quickstart-sft"));
    if (!sft)
        return fail(sft.error());
    TRY(writeSft(sft->directory, *sft->session, *library));

    auto interrupted = begin(*project, "0002-rl", config("rl", "", "grpo", "0001-sft"));
    if (!interrupted)
        return fail(interrupted.error());
    TRY(writeRl(interrupted->directory, *interrupted->session, *library, 18, 60, 2, false));

    auto failed = begin(*project, "0003-rl", config("rl", "", "rloo", "0001-sft"));
    if (!failed)
        return fail(failed.error());
    TRY(writeRl(failed->directory, *failed->session, *library, 9, 60, 3, false));
    TRY(failed->session->journal().append(
        9, StateEvent{
               RunState::Failed,
               "the disk is full: checkpoints/step-000010 could not be written. Free some space and resume",
               60}));

    auto done = begin(*project, "0004-rl", config("rl", "PPO, low entropy", "sparserl-ppo", "0001-sft"));
    if (!done)
        return fail(done.error());
    TRY(writeRl(done->directory, *done->session, *library, 60, 60, 4, false));
    {
        Writer w(done->session->journal(), *library, 44);
        for (std::size_t m = 6; m < library->size(); ++m)
            TRY(w.evaluation(60, "step-000060", (*library)[m], 0.85));
        TRY(w.state(60, RunState::Done, 60));
    }
    auto evaluation = begin(*project, "0005-evaluate", config("evaluate", "", "", "0004-rl"));
    if (!evaluation)
        return fail(evaluation.error());
    {
        Writer w(evaluation->session->journal(), *library, 5);
        TRY(w.state(0, RunState::Running, 10));
        for (const LoadedMatrix& m : *library)
            TRY(w.evaluation(0, "0004-rl/step-000060", m, 0.8));
        TRY(w.state(0, RunState::Done, 10));
    }
    auto running = begin(*project, "0006-rl", config("rl", "PPO, second seed", "sparserl-ppo", "0001-sft"));
    if (!running)
        return fail(running.error());
    TRY(writeRl(running->directory, *running->session, *library, 42, 60, 6, true));
    TRY(running->session->journal().flush());
    Heartbeat heartbeat;
    heartbeat.t = unixSeconds() + 3600; // stays fresh for as long as the test takes
    heartbeat.phase = "sampling 37/64";
    heartbeat.phaseFraction = 0.58;
    heartbeat.step = 42;
    heartbeat.totalSteps = 60;
    heartbeat.secondsLeft = 187;
    TRY(writeHeartbeat(running->directory.path(), heartbeat));
    live.sessions.push_back(std::move(running->session));
    return live;
}

Result<std::unique_ptr<ProjectSession>> openMadeProject(const std::filesystem::path& path, LiveRuns& live)
{
    SPARSERL_TRY(live, makeProject(path));
    return ProjectSession::open(path);
}

Status makeLargeProject(const std::filesystem::path& path)
{
    auto project = Project::create(path, "Two hundred runs");
    if (!project)
        return fail(project.error());
    AddMatrixOptions options;
    options.name = "poisson2d";
    if (auto added = project->addGenerated("stencil2d(n=64)", options); !added)
        return fail(added.error());
    for (int r = 0; r < 200; ++r) {
        char name[32];
        std::snprintf(name, sizeof name, "%04d-rl", r + 1);
        auto run = begin(*project, name, config("rl", "", "sparserl-ppo"));
        if (!run)
            return fail(run.error());
        Rng rng(static_cast<std::uint64_t>(r));
        JournalWriter& journal = run->session->journal();
        TRY(journal.append(0, StateEvent{RunState::Running, {}, 125}));
        for (int step = 1; step <= 125; ++step) {
            auto all = rlMetrics(step / 125.0, rng);
            MetricEvent metric;
            for (const char* key : {"reward", "actor/ppo_kl", "actor/entropy", "critic/vf_loss"})
                metric.values[key] = all[key];
            TRY(journal.append(step, metric));
        }
        TRY(journal.append(125, StateEvent{RunState::Done, {}, 125}));
    }
    return {};
}

} // namespace sparserl::test
