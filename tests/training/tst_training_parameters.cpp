// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"
#include "training/parameters/suggestions.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <set>

using namespace sparserl;

class TestTrainingParameters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyParameterExplainsItself()
    {
        for (const auto kind : stageKinds()) {
            const auto& specs = stageParameters(kind).specs();
            QVERIFY(specs.size() > 8);
            for (const auto& spec : specs) {
                QVERIFY2(!spec.helpText.empty() && spec.helpText.back() == '.', spec.key.c_str());
                QVERIFY2(!spec.groupName.empty(), spec.key.c_str());
            }
            QVERIFY(*stageKindFromName(nameOf(kind)) == kind);
        }
        QVERIFY(!stageKindFromName("dance"));
    }
    void surroundingsSuggestWhatToSet()
    {
        const auto said = [](StageKind kind, const RunSurroundings& found,
                             const std::vector<std::string>& assignments = {}) {
            ParameterSet parameters(stageParameters(kind));
            for (const auto& assignment : assignments)
                if (!parameters.setAssignment(assignment))
                    return std::vector<std::string>{"wrong: " + assignment};
            std::vector<std::string> all;
            for (const Suggestion& one : suggestionsFor(kind, parameters, found)) {
                all.push_back(commandText(one));
                for (const auto& [key, value] : one.values) // what is suggested can be set
                    if (!parameters.setText(key, value))
                        all.push_back("wrong: " + key);
            }
            return all;
        };
        const auto has = [](const std::vector<std::string>& all, const std::string& text) {
            return all.size() == 1 && all[0].find(text) != std::string::npos;
        };
        QVERIFY(has(said(StageKind::Sft, {1, 0, ""}), "has one matrix to train on"));
        QVERIFY(has(said(StageKind::Sft, {15, 9, ""}), "has 15 matrices to train on"));
        QVERIFY(said(StageKind::Sft, {16, 0, ""}).empty());
        // As many programs are drawn as before.
        QVERIFY(has(said(StageKind::Rl, {2, 0, "sft"}, {"rl.matrices=8", "rl.samples=6"}),
                    "--set rl.matrices=2 --set rl.samples=24"));
        QVERIFY(said(StageKind::Rl, {8, 0, "sft"}, {"rl.matrices=8"}).empty());
        // Nothing correct earns nothing; what is not known says nothing.
        QVERIFY(has(said(StageKind::Rl, {8, 0, "sft", 0.0}, {"rl.matrices=8"}), "Fine-tune it longer first"));
        QVERIFY(said(StageKind::Rl, {8, 0, "sft", 0.1}, {"rl.matrices=8"}).empty());
        QVERIFY(said(StageKind::Rft, {8, 0, "sft", 0.0}).empty());
        QVERIFY(has(said(StageKind::Evaluate, {3, 2, "sft"}), "evaluate.temperatures=0.3,0.5,1"));
        QVERIFY(has(said(StageKind::Evaluate, {0, 2, "sft"}), "--set evaluate.temperature=0.5"));
        for (const char* chosen : {"evaluate.temperature=0.5", "evaluate.temperatures=0.4,1",
                                   "evaluate.greedy=true", "evaluate.beam=4"})
            QVERIFY2(said(StageKind::Evaluate, {3, 2, "sft"}, {chosen}).empty(), chosen);
        QVERIFY(said(StageKind::Evaluate, {3, 2, "rl"}).empty());
    }
    void mostlyWrongProgramsSuggestATemperature()
    {
        QCOMPARE(lowerTemperature(1, 8, 1), 0.5);
        QCOMPARE(lowerTemperature(4, 8, 1), 0.0);   // half are right
        QCOMPARE(lowerTemperature(0, 3, 1), 0.0);   // too few to say
        QCOMPARE(lowerTemperature(0, 8, 0.5), 0.0); // low already
    }
    void presetsAreValid()
    {
        const auto presets = builtInPresets();
        QVERIFY2(presets, presets ? "" : presets.error().sentence().c_str());
        QVERIFY(presets->size() >= 7);
        for (const auto& preset : *presets) {
            QVERIFY2(!preset.description.empty() && !preset.source.empty(), preset.name.c_str());
            QVERIFY2(preset.parameters.has("seed"), preset.name.c_str());
        }
    }
    /// Nothing is inherited in silence: a recipe says every value of rl.* and reward.*, each with its source.
    void recipesSayWhereEachValueComesFrom()
    {
        int recipes = 0;
        for (const auto& file :
             std::filesystem::directory_iterator(SPARSERL_SOURCE_DIR "/projects/presets")) {
            const auto name = file.path().stem().string();
            std::ifstream stream(file.path());
            std::string line, table;
            std::set<std::string> keys;
            bool rl = false;
            std::vector<std::string> bare;
            while (std::getline(stream, line)) {
                rl = rl || line == "stage = \"rl\"";
                if (line.starts_with("["))
                    table = line.substr(1, line.size() - 2);
                const auto equals = line.find(" = ");
                if (table.empty() || equals == std::string::npos)
                    continue;
                keys.insert(table + "." + line.substr(0, equals));
                const auto comment = line.find(" # ");
                if (comment == std::string::npos || line.size() < comment + 6)
                    bare.push_back(line);
            }
            if (!rl || name.starts_with("quickstart"))
                continue;
            ++recipes;
            QVERIFY2(bare.empty(), (name + ": " + (bare.empty() ? "" : bare.front())).c_str());
            for (const auto& spec : stageParameters(StageKind::Rl).specs()) {
                if (spec.key.starts_with("rl.") || spec.key.starts_with("reward."))
                    QVERIFY2(keys.contains(spec.key), (name + " does not say " + spec.key).c_str());
            }
        }
        QVERIFY(recipes >= 10);
    }
    void recipesAreWhatThePapersPrint()
    {
        const auto of = [](const char* name) { return findPreset(name)->parameters; };
        const auto rft = of("rft-kernels"); // no deviation, beta 0, mu 1, G 6, token mean
        QCOMPARE(rft.text("rl.algorithm"), std::string("dr-grpo"));
        QCOMPARE(rft.real("rl.kl_coef") + rft.real("rl.kl_loss_coef"), 0.0);
        QCOMPARE(rft.integer("rl.epochs"), std::int64_t(1));
        QCOMPARE(rft.integer("rl.samples"), std::int64_t(6));
        QVERIFY(rft.integer("rl.minibatch") >= rft.integer("rl.matrices") * rft.integer("rl.samples"));
        QCOMPARE(rft.text("rl.aggregation"), std::string("token-mean"));
        const auto triton = of("tritonrl");
        QVERIFY(triton.boolean("rl.token_classes"));
        QCOMPARE(triton.real("rl.plan_weight"), 0.1);
        QCOMPARE(triton.text("reward.preset"), std::string("hierarchical"));
        const auto agent = of("cuda-agent");
        QCOMPARE(agent.text("reward.preset"), std::string("milestone"));
        QCOMPARE(agent.real("rl.clip_low"), 0.2);
        QCOMPARE(agent.real("rl.clip_high"), 0.28);
        QCOMPARE(agent.real("rl.lambda"), 0.95);
        QVERIFY(agent.real("rl.value_bar") > 0);
        const auto value = of("value-pretrain"); // the same returns, and the policy stays
        QVERIFY(value.boolean("rl.value_only") && value.real("rl.value_bar") > 0);
        for (const char* key : {"rl.gamma", "rl.lambda", "rl.value_clip", "rl.kl_coef"})
            QCOMPARE(value.real(key), agent.real(key));
        QVERIFY(of("dapo").integer("rl.resample_rounds") > 0);
        const auto sparse = of("sparserl-ppo");
        QCOMPARE(sparse.real("rl.broad_share"), 0.3);
        QCOMPARE(sparse.real("rl.broad_temperature"), 0.7);
        QCOMPARE(sparse.real("rl.entropy_coef"), 0.01);
        QCOMPARE(of("ppocoder").text("reward.preset"), std::string("ppocoder"));
        QCOMPARE(of("grpo").text("rl.aggregation"), std::string("seq-mean-token-mean"));
        QCOMPARE(of("dr-grpo").text("rl.aggregation"), std::string("seq-mean-token-sum-norm"));
    }
    void presetByNameAndByFile()
    {
        const auto byName = findPreset("dr-grpo");
        QVERIFY(byName);
        QCOMPARE(byName->parameters.text("rl.algorithm"), std::string("dr-grpo"));
        QCOMPARE(findPreset("grpo")->parameters.text("rl.algorithm"), std::string("grpo"));
        const QTemporaryDir folder;
        const std::string file = folder.filePath(QStringLiteral("mine.toml")).toStdString();
        std::ofstream(file) << "stage = \"rl\"\n[rl]\nsamples = 3\n";
        const auto byFile = findPreset(file);
        QVERIFY2(byFile, byFile ? "" : byFile.error().sentence().c_str());
        QCOMPARE(byFile->parameters.integer("rl.samples"), std::int64_t(3));
    }
    void wrongPresetsAreRefusedWithASentence()
    {
        QVERIFY(findPreset("no-such").error().remedy.find("sparserl-ppo") != std::string::npos);
        const QTemporaryDir folder;
        const std::string file = folder.filePath(QStringLiteral("bad.toml")).toStdString();
        const auto refuse = [&](const char* text, const char* word) {
            std::ofstream(file) << text;
            const auto preset = findPreset(file);
            QVERIFY(!preset);
            QVERIFY2(preset.error().sentence().find(word) != std::string::npos,
                     preset.error().sentence().c_str());
        };
        refuse("[rl]\nsamples = 3\n", "stage");
        refuse("stage = \"rl\"\n[rl]\nsample = 3\n", "rl.sample");
        refuse("stage = \"rl\"\n[rl]\nsamples = 0\n", "rl.samples");
        refuse("stage = \"rl\"\n[rl\n", "bad.toml");
    }
    void runValuesRoundTrip()
    {
        ParameterSet parameters(stageParameters(StageKind::Rl));
        QVERIFY(parameters.setText("rl.lr", "3e-4"));
        QVERIFY(parameters.setText("rl.algorithm", "rloo"));
        const auto values = runValues(parameters);
        QCOMPARE(values.size(), stageParameters(StageKind::Rl).specs().size());
        const auto back = parametersFromRun(StageKind::Rl, values);
        QVERIFY(back);
        QVERIFY(*back == parameters);
        QVERIFY(!parametersFromRun(StageKind::Sft, values));
        // Runs from before there was a choice began with a new critic.
        auto earlier = values;
        earlier.erase("rl.critic");
        QCOMPARE(parametersFromRun(StageKind::Rl, earlier)->text("rl.critic"), std::string("new"));
        QCOMPARE(parameters.text("rl.critic"), std::string("parent"));
    }

    /// A fork goes on with the state of its checkpoint where that does not depend on what was changed.
    void forksKeepTheStateThatFits()
    {
        const ParameterSet before(stageParameters(StageKind::Rl));
        for (const auto& [assignment, goesOn] : {std::pair{"policy.views=2", true},
                                                 {"threads=2", true},
                                                 {"rl.lr_floor=0.5", true},
                                                 {"rl.temperature=0.5", true},
                                                 {"rl.algorithm=grpo", false},
                                                 {"seed=7", false}}) {
            auto after = before;
            QVERIFY2(after.setAssignment(assignment), assignment);
            const auto plan = planFork(StageKind::Rl, before, after, 3);
            QVERIFY2(plan && plan->continues == goesOn, assignment);
        }
        // All that starts new is said, and all that is the reason.
        auto after = before;
        QVERIFY(after.setAssignment("rl.algorithm=grpo") && after.setAssignment("seed=7"));
        const auto fresh = planFork(StageKind::Rl, before, after, 3);
        QVERIFY(fresh && !fresh->continues);
        for (const char* part : {"step 0", "random numbers and alarms start new",
                                 "becomes the reference of the KL", "rl.algorithm", "seed"})
            QVERIFY2(fresh->sentence.find(part) != std::string::npos, part);
    }
};

QTEST_GUILESS_MAIN(TestTrainingParameters)
#include "tst_training_parameters.moc"
