// SPDX-License-Identifier: Apache-2.0
#include "training/stage_parameters.h"

#include <QtTest>

#include <fstream>

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
    void presetByNameAndByFile()
    {
        const auto byName = findPreset("grpo");
        QVERIFY(byName);
        QCOMPARE(byName->parameters.text("rl.algorithm"), std::string("dr-grpo"));
        std::ofstream("mine.toml") << "stage = \"rl\"\n[rl]\nsamples = 3\n";
        const auto byFile = findPreset("mine.toml");
        QVERIFY2(byFile, byFile ? "" : byFile.error().sentence().c_str());
        QCOMPARE(byFile->parameters.integer("rl.samples"), std::int64_t(3));
    }
    void wrongPresetsAreRefusedWithASentence()
    {
        QVERIFY(findPreset("no-such").error().remedy.find("sparserl-ppo") != std::string::npos);
        const auto refuse = [](const char* text, const char* word) {
            std::ofstream("bad.toml") << text;
            const auto preset = findPreset("bad.toml");
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
    }
};

QTEST_GUILESS_MAIN(TestTrainingParameters)
#include "tst_training_parameters.moc"
