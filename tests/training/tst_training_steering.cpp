// SPDX-License-Identifier: Apache-2.0
// Steering keeps its word: each parameter that may be changed while a run goes on changes something when it
// is, also where the change was still pending when the run was resumed.
#include "generous_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "project/run/control.h"
#include "tests/drawn_share.h"

#include <QtTest>

#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace sparserl;
using namespace sparserl::test;

namespace {

/// Takes all programs for correct; later on half of them do not even compile.
class WorseningJudge : public GenerousJudge
{
public:
    bool late = false;
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        SPARSERL_TRY(auto records, GenerousJudge::judge(requests, cancel, {}));
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (late && records[i].programHash.front() < '8') {
                records[i].verdict = Verdict::CompileError;
                records[i].warm.reset();
            }
            if (done)
                done(i, records[i]);
        }
        return records;
    }
};

/// What a parameter is set to, and what the run has to be like for that to matter.
struct Change
{
    std::string value;
    std::vector<std::string> before;
};

/// Alarms: a bound that is always broken, and what it does then, which is taken back.
void addAlarm(std::map<std::string, Change>& all, const std::string& name, const std::string& broken)
{
    all["alarm." + name] = {broken, {"alarm." + name + "_action=warn"}};
    all["alarm." + name + "_action"] = {"off",
                                        {"alarm." + name + "=" + broken, "alarm." + name + "_action=warn"}};
}

std::map<std::string, Change> changes()
{
    std::map<std::string, Change> all{
        {"system.every", {"0.000001", {}}},
        {"checkpoint.every", {"1", {}}},
        {"checkpoint.keep", {"1", {}}},
        {"eval.every", {"1", {}}},
        {"eval.samples", {"1", {}}},
        {"alarm.patience", {"4", {"alarm.gradient=1e9", "alarm.gradient_action=warn", "alarm.patience=3"}}},
        {"sft.contrast", {"0", {}}},
        {"rl.matrices", {"1", {}}},
        {"rl.samples", {"2", {}}},
        {"rl.temperature", {"0.5", {}}},
        {"rl.temperature_end", {"0.3", {}}},
        {"rl.top_k", {"3", {}}},
        {"rl.top_p", {"0.3", {}}},
        {"rl.broad_share", {"0.7", {}}},
        {"rl.broad_temperature", {"3", {"rl.broad_share=0.7"}}},
        {"rl.behaviour_cap", {"0.01", {"rl.broad_share=0.7", "rl.broad_temperature=3"}}},
        {"rl.behaviour_correction", {"sequence-mask", {"rl.broad_share=0.7", "rl.broad_temperature=3"}}},
        {"rl.max_tokens", {"20", {}}},
        {"rl.verifier", {"true", {}}},
        {"reward.r_eff", {"9", {}}},
        {"reward.r_penalty", {"0.5", {}}},
        {"reward.alpha", {"1", {"reward.preset=sparserl-literal"}}},
        {"reward.expression",
         {"tokens / 100", {"reward.preset=expression", "reward.expression=compiled + correct"}}},
        {"reward.truncated", {"-5", {}}},
        {"reward.overlong_buffer", {"150", {}}},
        {"reward.overlong_penalty", {"7", {"reward.overlong_buffer=150"}}},
        {"rl.gamma", {"0.5", {}}},
        {"rl.lambda", {"0.1", {}}},
        {"rl.max_k", {"3", {"rl.algorithm=max-at-k", "rl.samples=4"}}},
        {"rl.policy_loss", {"cispo", {}}},
        {"rl.ratio", {"sequence", {}}},
        {"rl.clip_low", {"0", {}}},
        {"rl.clip_high", {"0", {}}},
        {"rl.dual_clip", {"0.01", {}}},
        {"rl.entropy_coef", {"3", {}}},
        {"rl.kl_coef", {"20", {}}},
        {"rl.kl_estimator", {"k3", {}}},
        {"rl.kl_loss_coef", {"20", {}}},
        {"rl.kl_loss_estimator", {"abs", {"rl.kl_loss_coef=20"}}},
        {"rl.whiten", {"false", {}}},
        {"rl.aggregation", {"seq-mean-token-sum", {}}},
        {"rl.filter_groups", {"true", {"rl.algorithm=dr-grpo", "rl.samples=2"}}},
        {"rl.resample_rounds", {"2", {"rl.algorithm=dr-grpo", "rl.samples=2"}}},
        {"rl.whiten_over", {"matrix", {}}},
        {"rl.token_classes", {"true", {"rl.algorithm=dr-grpo"}}},
        {"rl.plan_weight", {"5", {"rl.algorithm=dr-grpo", "rl.token_classes=true"}}},
        {"rl.epochs", {"1", {}}},
        {"rl.minibatch", {"2", {}}},
        {"rl.micro_batch", {"1", {}}},
        {"rl.kl_stop", {"1e-12", {"rl.lr=0.01", "rl.epochs=4"}}},
        {"rl.critic_lr", {"0.01", {}}},
        {"rl.value_clip", {"0.000001", {"rl.value_epochs=3"}}},
        {"rl.value_epochs", {"3", {"rl.value_pretrain=4"}}},
    };
    for (const std::string stage : {"pretrain", "sft", "rft", "rl"}) {
        all[stage + ".lr"] = {"0.02", {}};
        all[stage + ".weight_decay"] = {"5", {}};
        all[stage + ".grad_clip"] = {"0.0001", {}};
    }
    addAlarm(all, "loss", "0.000001");
    addAlarm(all, "gradient", "1e9");
    addAlarm(all, "unlearned", "0.000001");
    addAlarm(all, "entropy_low", "1e9");
    addAlarm(all, "entropy_high", "0.000001");
    addAlarm(all, "kl", "1e-12");
    addAlarm(all, "compile_rate", "1");
    addAlarm(all, "reward", "0.000001");
    addAlarm(all, "sampler", "1e-12");
    addAlarm(all, "explained_variance", "1");
    for (const std::string key : {"alarm.silent", "alarm.silent_action"})
        all[key] = {key == "alarm.silent" ? "1" : "off",
                    {"rl.samples=1", "rl.algorithm=ppo",
                     "alarm.silent=" + std::string(key == "alarm.silent" ? "50" : "1"),
                     "alarm.silent_action=warn"}};
    all["alarm.reward"].before.push_back("alarm.reward=10"); // the usual bound is broken, too
    return all;
}

/// Parameters of stages that may be changed while a run goes on. A search has no policy: tst_training_search
/// changes its budget.
std::vector<std::pair<StageKind, std::string>> steered()
{
    std::vector<std::pair<StageKind, std::string>> all;
    for (const StageKind kind : stageKinds())
        if (kind != StageKind::Search)
            for (const ParameterSpec& spec : stageParameters(kind).specs())
                if (spec.effect != ParameterEffect::Restart)
                    all.emplace_back(kind, spec.key);
    return all;
}

/// Why a parameter is not tried here; nothing where it is.
const char* triedElsewhere(const std::string& key)
{
    if (key.starts_with("alarm.families"))
        return "needs a policy that writes kernels of several families; tst_training_alarms has its rule";
    if (key == "rl.sampler_mismatch")
        return "needs a server that samples; tst_training_sampler has its rule";
    return nullptr;
}

/// At the checkpoint of this step the change comes; two more steps follow.
constexpr std::int64_t turn = 2;

} // namespace

class TestTrainingSteering : public QObject
{
    Q_OBJECT

private:
    test::ScratchFolder m_scratch;
    WorseningJudge m_judge;
    fs::path m_parent = fs::absolute("parent");
    std::map<std::string, std::string> m_calm; ///< What came of each kind of run that nobody changed.

    static ParameterSet tiny(StageKind kind)
    {
        const auto text = [](ParameterSet p, const std::string& stage) {
            for (const std::string& one :
                 {stage + ".steps=4", stage + ".batch=4", stage + ".warmup=0", stage + ".schedule=constant",
                  std::string("checkpoint.every=2"), std::string("eval.every=2"),
                  std::string("checkpoint.keep=2"), std::string("system.every=0"), std::string("threads=1")})
                if (auto status = p.setAssignment(one); !status)
                    qFatal("%s", status.error().sentence().c_str());
            return p;
        };
        switch (kind) {
        case StageKind::Pretrain:
            return text(with(tinyPolicy(kind),
                             {"pretrain.texts=60", "pretrain.heldout=0.1", "pretrain.micro_batch=2"}),
                        "pretrain");
        case StageKind::Sft:
            return text(tinySft(), "sft");
        case StageKind::Rft:
            return text(with(ParameterSet(stageParameters(kind)),
                             {"rft.samples=6", "rft.max_tokens=250", "rft.verifier=false",
                              "rft.repeat_limit=0", "rft.min_reward=-1", "eval.samples=2"}),
                        "rft");
        case StageKind::Rl:
            return with(tinyRl(), {"rl.schedule=constant", "rl.warmup=0", "checkpoint.keep=2",
                                   "rl.verifier=false", "alarm.compile_rate_action=off"});
        case StageKind::Evaluate:
            return with(ParameterSet(stageParameters(kind)),
                        {"threads=1", "evaluate.samples=2", "evaluate.max_tokens=60",
                         "evaluate.verifier=false", "system.every=0"});
        case StageKind::Search: // tst_training_search changes its budget.
            break;
        }
        return ParameterSet();
    }

    StageEnvironment environment(StageKind kind)
    {
        const bool begins = kind == StageKind::Pretrain || kind == StageKind::Sft;
        return environmentWith(m_judge, begins ? fs::path() : m_parent);
    }

    /// A run that was interrupted at `at`; the loss alarm that looks at late steps only needs a hundred of
    /// them.
    fs::path begun(StageKind kind, const std::vector<std::string>& before, std::int64_t at)
    {
        std::string name = "begun-" + std::string(nameOf(kind)) + "-" + std::to_string(at);
        ParameterSet parameters = tiny(kind);
        for (const std::string& assignment : before) {
            name += "-" + sha256Hex(assignment).substr(0, 6);
            if (auto status = parameters.setAssignment(assignment); !status)
                qFatal("%s", status.error().sentence().c_str());
        }
        const fs::path path = fs::absolute(name);
        if (fs::exists(path))
            return path;
        if (at > turn)
            for (const std::string& one :
                 {std::string(nameOf(kind)) + ".steps=" + std::to_string(at + 2),
                  std::string(nameOf(kind)) + ".batch=1", std::string("checkpoint.every=200"),
                  std::string("eval.every=200")})
                if (auto status = parameters.setAssignment(one); !status)
                    qFatal("%s", status.error().sentence().c_str());
        auto run = newRun(path, kind, parameters);
        auto around = environment(kind);
        around.onEvent = [&](std::int64_t step, const Event& event) {
            if (kind == StageKind::Evaluate ? std::holds_alternative<StateEvent>(event)
                                            : step >= at && std::holds_alternative<MetricEvent>(event))
                around.cancel.cancel();
        };
        m_judge.late = false;
        must(runStage(run, around));
        return path;
    }

    /// What became of a run: metrics, weights, checkpoints, what was said, what the alarms have seen.
    static std::string outcomeOf(const fs::path& path)
    {
        std::string all;
        for (const auto& [name, value] : metricsOf(path))
            all += fmt::format("{} {:a}\n", name, value);
        int systems = 0;
        const auto entries = readWholeJournal(path);
        for (const auto& entry : *entries) {
            if (const auto* log = std::get_if<LogEvent>(&entry.event))
                all += log->level + " " + log->text + "\n";
            if (const auto* checkpoint = std::get_if<CheckpointEvent>(&entry.event))
                all += checkpoint->name + "\n";
            if (const auto* state = std::get_if<StateEvent>(&entry.event))
                all += std::string(nameOf(state->state)) + "\n";
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                all += fmt::format("{} {} {:a}\n", entry.step, sample->programHash, sample->reward);
            const auto* metric = std::get_if<MetricEvent>(&entry.event);
            systems += metric != nullptr && metric->split == systemSplit ? 1 : 0;
        }
        all += fmt::format("{} of the system\n", systems);
        const auto run = RunDirectory::open(path);
        for (const auto& checkpoint : run->checkpoints()) {
            all += "kept " + checkpoint.name + "\n";
            for (const auto& file : fs::recursive_directory_iterator(checkpoint.path))
                if (file.path().extension() == ".safetensors")
                    all += file.path().filename().string() + " " + sha256Hex(*readFile(file.path())) + "\n";
            if (const auto state = readJson(checkpoint.path / "state.json");
                state && state->contains("alarms"))
                all += dumpJson((*state)["alarms"]) + "\n";
        }
        return all;
    }

    /// The rest of a run, with a change that is pending when it begins; what became of it.
    std::string resumed(StageKind kind, const fs::path& from, const std::string& key,
                        const std::string& value)
    {
        const fs::path path = fs::absolute("resumed");
        fs::remove_all(path);
        fs::copy(from, path, fs::copy_options::recursive);
        if (!key.empty()) {
            ControlCommand command;
            command.kind = ControlCommand::Kind::Set;
            command.key = key;
            command.value = value;
            if (auto sent = appendControl(path, command); !sent)
                qFatal("%s", sent.error().sentence().c_str());
        }
        auto run = RunDirectory::open(path);
        m_judge.late = true;
        (void)runStage(*run, environment(kind));
        if (!key.empty()) {
            bool applied = false;
            const auto entries = readWholeJournal(path);
            for (const auto& entry : *entries)
                if (const auto* answer = std::get_if<ControlEvent>(&entry.event))
                    applied = applied || (answer->key == key && answer->outcome == control_outcome::applied);
            if (!applied)
                return "not applied";
        }
        return outcomeOf(path);
    }

private Q_SLOTS:
    void initTestCase()
    {
        auto run = newRun(m_parent, StageKind::Sft, tinySft());
        QVERIFY(must(runStage(run, environmentWith(m_judge))).end == StageOutcome::End::Done);
    }

    /// Whichever parameters are drawn: a new one is not forgotten.
    void everyParameterHasAChange()
    {
        const auto all = changes();
        for (const auto& [kind, key] : steered())
            QVERIFY2(triedElsewhere(key) || all.contains(key),
                     (key + " needs a row in changes(), or the effect \"restart\"").c_str());
    }

    void everyParameterThatMayBeChanged_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QByteArray>("key");
        const test::DrawnShare share(8);
        std::vector<std::pair<std::string, std::string>> all; // Of each stage one is always drawn.
        for (const auto& [kind, key] : steered())
            all.emplace_back(nameOf(kind), key + std::string(nameOf(kind)));
        const auto always = share.oneOfEach(all);
        for (const auto& [kind, key] : steered()) {
            const std::string name = key + std::string(nameOf(kind));
            if (share.has(name) || always.contains(name))
                QTest::addRow("%s of %s", key.c_str(), std::string(nameOf(kind)).c_str())
                    << static_cast<int>(kind) << QByteArray::fromStdString(key);
        }
    }

    void everyParameterThatMayBeChanged()
    {
        QFETCH(int, kind);
        QFETCH(QByteArray, key);
        const auto stage = static_cast<StageKind>(kind);
        if (const char* why = triedElsewhere(key.toStdString()))
            QSKIP(why);
        const auto all = changes();
        const auto change = all.find(key.toStdString());
        QVERIFY(change != all.end());
        const std::int64_t at = key.startsWith("alarm.unlearned") ? 102
                                : stage == StageKind::Evaluate    ? 0
                                                                  : turn;
        const fs::path from = begun(stage, change->second.before, at);
        std::string& calm = m_calm[from.string()];
        if (calm.empty()) {
            calm = resumed(stage, from, {}, {});
            QCOMPARE(resumed(stage, from, {}, {}), calm); // nothing else makes a difference
        }
        const std::string steered = resumed(stage, from, key.toStdString(), change->second.value);
        QVERIFY(steered != "not applied");
        QVERIFY2(steered != calm, key.constData());
    }

    void whatCannotDoTogetherIsRefused()
    {
        auto run = newRun(fs::absolute("apart"), StageKind::Rl,
                          with(tinyRl(), {"rl.kl_target=0.1", "rl.kl_coef=0"}));
        const auto outcome = runStage(run, environment(StageKind::Rl));
        QVERIFY(!outcome);
        QVERIFY(outcome.error().sentence().find("rl.kl_target multiplies rl.kl_coef") != std::string::npos);
        const fs::path from = begun(StageKind::Rl, {"rl.kl_target=0.1"}, turn);
        QCOMPARE(resumed(StageKind::Rl, from, "rl.kl_coef", "0"), std::string("not applied"));
    }
};

QTEST_GUILESS_MAIN(TestTrainingSteering)
#include "tst_training_steering.moc"
