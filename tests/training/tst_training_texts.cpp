// SPDX-License-Identifier: Apache-2.0
// What pretraining learns from: derived and scanned texts, and what the stages behind know of them.
#include "base/files.h"
#include "base/hash.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "corpus/scan.h"
#include "training/data/pretrain_texts.h"
#include "training/data/refine_prompt.h"
#include "training/data/sft_prompt.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>

using namespace sparserl;

namespace {

std::vector<PretrainText> made(const PretrainTextOptions& options)
{
    auto texts = makePretrainTexts(options, {});
    if (!texts)
        qFatal("%s", texts.error().sentence().c_str());
    return std::move(*texts);
}

} // namespace

class TestTrainingTexts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refinePrompts()
    {
        VerdictRecord record;
        record.verdict = Verdict::Correct;
        record.baselineMicroseconds = 20;
        record.warm = Timing{12.5, 12, 13, 9};
        record.shareOfLimit = 0.374;
        record.registers = 32;
        record.staticShared = 1024;
        record.dynamicShared = 512;
        record.occupancy = 0.75;
        record.occupancyLimiter = "registers";
        const std::string text = "//! task spmv\nint x;\n";
        const TargetVariant spmm{.columns = 8};
        for (const TargetVariant& variant : {TargetVariant{}, spmm})
            QCOMPARE(
                refinePrompt(variant, programToRefine(text, record)),
                sftPrompt(variant) +
                    "The program below is correct. A call takes 12.5 us, 1.60 times as fast as the library, "
                    "37 % of the physical limit. A thread uses 32 registers, a block 1536 bytes of shared "
                    "memory; the occupancy is 75 %, limited by registers. Write a faster one.\n\n" +
                    text);
        record.baselineMicroseconds = record.shareOfLimit = record.occupancy = 0; // what is not known
        QCOMPARE(
            refinePrompt({}, programToRefine(text, record)),
            sftPrompt() +
                "The program below is correct. A call takes 12.5 us. A thread uses 32 registers, a block "
                "1536 bytes of shared memory. Write a faster one.\n\n" +
                text);
    }
    void derivedTexts()
    {
        PretrainTextOptions options;
        options.texts = 600;
        const auto texts = made(options);
        std::set<std::string> all;
        int idioms = 0;
        for (const auto& text : texts) {
            QVERIFY(all.insert(text.text).second);
            QVERIFY2(text.text.find("//!") == std::string::npos, text.text.c_str());
            idioms += text.origin == PretrainText::Origin::Idiom;
        }
        QVERIFY(texts.size() > 450 && texts.size() <= 600);
        QVERIFY(idioms > 150 && idioms < 400);
        // More texts go on where fewer end; another seed gives others.
        options.texts = 100;
        const auto fewer = made(options);
        for (std::size_t i = 0; i < fewer.size(); ++i)
            QCOMPARE(fewer[i].text, texts[i].text);
        options.seed = 2;
        QVERIFY(made(options)[0].text != fewer[0].text || made(options)[1].text != fewer[1].text);
        options.idioms = 1;
        for (const auto& text : made(options))
            QVERIFY(text.origin == PretrainText::Origin::Idiom);
    }

    /// Texts of the same code, with other constants, are on the same side.
    void heldOutByCode()
    {
        PretrainTextOptions options;
        options.texts = 3000;
        options.variety = 0;
        options.idioms = 0;
        options.heldOut = 0.3;
        const auto texts = made(options);
        std::map<std::string, std::set<bool>> sides;
        std::map<std::string, int> count;
        int heldOut = 0;
        for (const auto& text : texts) {
            sides[std::string(codeOf(text.text))].insert(text.heldOut);
            ++count[std::string(codeOf(text.text))];
            heldOut += text.heldOut;
        }
        QVERIFY(std::any_of(count.begin(), count.end(), [](const auto& c) { return c.second > 1; }));
        for (const auto& [code, side] : sides)
            QCOMPARE(side.size(), std::size_t(1));
        QVERIFY(heldOut > 0 && heldOut < static_cast<int>(texts.size()));
        const auto shown = shownCode(texts);
        for (const auto& text : texts)
            QCOMPARE(shown.contains(codeHash(text.text)), !text.heldOut);
    }

    void aProgramAndItsTextHaveOneCode()
    {
        Rng rng(1);
        const Style style = Style::sample(0.5, rng);
        const auto program = derive("S3", {{"block", 256}}, style),
                   text = derive("S3", {{"block", 256}}, style, false);
        QCOMPARE(codeHash(program->text), codeHash(text->text));
        QVERIFY(codeHash(program->text) != codeHash(derive("S1", {}, style)->text));
    }

    void scannedTexts()
    {
        auto folder = TempDir::create("texts");
        const std::string source = "__global__ void f(int* a) { a[threadIdx.x] = 1; }\n";
        CorpusText text{"f.cu", "MIT", {}, "// Copyright A, licence MIT\n" + source};
        text.hash = sha256Hex(text.text);
        PretrainTextOptions options;
        options.texts = 10;
        options.heldOut = 0;
        options.corpus = folder->path() / "corpus";
        QVERIFY(!makePretrainTexts(options, {}));
        QVERIFY(writeFileAtomic(options.corpus, textCorpusHead() + textCorpusLine(text)));
        const auto texts = made(options);
        QCOMPARE(texts.back().text, source); // without its notice
        QVERIFY(texts.back().origin == PretrainText::Origin::Scanned);
        QVERIFY(savePretrainTexts(folder->path() / "texts", texts));
        const auto back = loadPretrainTexts(folder->path() / "texts");
        QVERIFY(back && back->size() == texts.size());
        QCOMPARE(hashOf(*back), hashOf(texts));
        auto changed = texts;
        changed[3].heldOut = !changed[3].heldOut;
        QVERIFY(hashOf(changed) != hashOf(texts));
        for (std::size_t i = 0; i < texts.size(); ++i) {
            QCOMPARE((*back)[i].text, texts[i].text);
            QVERIFY((*back)[i].origin == texts[i].origin && (*back)[i].heldOut == texts[i].heldOut);
        }
        QVERIFY(writeFileAtomic(folder->path() / "texts", "{\"origin\":\"idiom\",\"text\":\"x\"}\n{}\n"));
        const auto damaged = loadPretrainTexts(folder->path() / "texts");
        QVERIFY(!damaged && damaged.error().line == 2);
        const auto hashes = shownCode(texts);
        QVERIFY(saveShownCode(folder->path() / "code.json", hashes));
        QCOMPARE(*loadShownCode(folder->path() / "code.json"), hashes);
        QVERIFY(loadShownCode(folder->path() / "missing")->empty());
    }

    void thePromptFades()
    {
        ParameterSet p(stageParameters(StageKind::Sft));
        QVERIFY(p.setAssignment("sft.steps=100"));
        QCOMPARE(promptShareAt(p, 0), 0.0); // never, unless one asks for it
        QVERIFY(p.setAssignment("sft.prompt=always"));
        QCOMPARE(promptShareAt(p, 0), 0.0); // the policy has it of its own
        QVERIFY(p.setAssignment("sft.prompt=fading"));
        QVERIFY(p.setAssignment("sft.prompt_until=0.4"));
        QCOMPARE(promptShareAt(p, 0), 1.0);
        QCOMPARE(promptShareAt(p, 10), 0.75);
        QCOMPARE(promptShareAt(p, 40), 0.0);
        QCOMPARE(promptShareAt(p, 99), 0.0);
        QVERIFY(!p.setAssignment("sft.prompt=often"));
    }
};

QTEST_GUILESS_MAIN(TestTrainingTexts)
#include "tst_training_texts.moc"
